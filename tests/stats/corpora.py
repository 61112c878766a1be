"""What the tests of the statistics share: small corpora, and definitions computed the slow way."""

import gzip
from fractions import Fraction

import numpy as np
import pytest

import chrf

# Of a handful of segments nothing can be significant, and the functions say so.
FEW_SEGMENTS = pytest.mark.filterwarnings("ignore:.*the systems differ in at most:UserWarning")

WMT23 = ("cs-uk", "en-cs", "en-de", "en-zh", "he-en", "ja-en")
CORPORA = 2000
SINGLE_PRECISION = 1e-5  # some thirty operations on 32-bit floats, relative

# Of two systems on a few segments: "hello their" and "hallo there" have the same counts.
REFERENCES = ["the cat sat", "a red fox", "it rains", "hello there"]
BETTER = ["the cat sat", "a red fox", "it rain", "hello their"]
WORSE = ["the bat sat", "a rad fox", "it rained", "hallo there"]


def read_columns(folder, pair, step=1):
    lines = gzip.decompress((folder / f"{pair}.tsv.gz").read_bytes()).decode("utf-8").split("\n")
    header, *rows = (line.split("\t") for line in lines[:-1])
    rows = rows[::step]
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def rows_of(references):
    return [[text] for text in references]


def random_text(source, words=6):
    return " ".join(
        "".join(source.choices("abcABC", k=source.randint(1, 4)))
        for _ in range(source.randint(1, words))
    )


def random_edit(source, text):
    if source.random() < 0.2:
        return source.choice(["", random_text(source), text])
    a, b = sorted(source.choices(range(len(text) + 1), k=2))
    return text[:a] + random_text(source, 1)[:2] + text[min(b, a + 3) :]


def random_corpus(source, segments, systems=1, references=1):
    """Hypotheses of each system, and rows of references."""
    rows = [[random_text(source) for _ in range(references)] for _ in range(segments)]
    hypotheses = [[random_edit(source, source.choice(row)) for row in rows] for _ in range(systems)]
    return hypotheses, rows


def random_metric(source):
    return {
        "char_order": source.choice([6, 6, 3, 1]),
        "word_order": source.choice([0, 0, 2]),
        "beta": source.choice([1, 2, 2, 3, 1.5]),
        "lowercase": source.random() < 0.3,
        "whitespace": source.random() < 0.3,
        "eps_smoothing": source.random() < 0.3,
    }


def resampled(hypotheses, references, iterations, seed, **options):
    """Exact scores of resamples the slow way: text again, counted again."""
    n = len(references)
    draws = np.random.default_rng(seed).choice(n, size=(iterations, n), replace=True)
    return [
        chrf.corpus_score(
            [hypotheses[i] for i in row], [references[i] for i in row], **options
        ).fraction
        for row in draws.tolist()
    ]


def sentence_differences(first, second, rows, metric=None):
    """The exact differences of sentence scores, by the public functions."""
    if metric is not None and metric.eps_smoothing:
        return [
            Fraction(metric.sentence_score(a, row).score)
            - Fraction(metric.sentence_score(b, row).score)
            for a, b, row in zip(first, second, rows, strict=True)
        ]
    return [
        chrf.corpus_score([a], [row]).fraction - chrf.corpus_score([b], [row]).fraction
        for a, b, row in zip(first, second, rows, strict=True)
    ]


def sign_flip_p(differences, flips, *, two_tailed=True):
    observed = sum(differences)
    count = 0
    for flipped in flips:
        total = sum(-d if flip else d for d, flip in zip(differences, flipped, strict=True))
        count += abs(total) >= abs(observed) if two_tailed else total >= observed
    return Fraction(count + 1, len(flips) + 1)
