"""What is measured: chrf, its plain-Python twin and its peers, each with a check of its result.

A contender prepares a call on a case, so that bringing text into its form is not timed, and checks
what the call returned against chrf. A peer that is not installed is absent, not an error.
"""

from __future__ import annotations

import importlib
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import chrf
from cases import Case
from chrf.core import exact
from chrf.kernel import reference

os.environ.setdefault("RAYON_NUM_THREADS", "1")  # fastchrf would start one thread for each core

Row = tuple[tuple[int, int, int], ...]  # hypothesis n-grams, reference n-grams, matches an order
Run = Callable[[], Any]


@dataclass(frozen=True)
class Contender:
    """`prepare` and `check` take a case and a word order; no call is prepared for what it lacks."""

    name: str
    prepare: Callable[[Case, int], Run | None]
    check: Callable[[Case, int, Any], None]
    present: bool = True
    sampled: bool = False  # slow: timed on a part of the case


def _imported(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


SACREBLEU = _imported("sacrebleu.metrics")
FASTCHRF = _imported("fastchrf")
NLTK = _imported("nltk.translate.chrf_score")


# --- chrf and its twin --------------------------------------------------------------------------


def corpus(case: Case, word_order: int, threads: int = 1) -> Run:
    return lambda: chrf.corpus_score(
        case.hypotheses, case.references, word_order=word_order, threads=threads
    )


def corpus_2_threads(case: Case, word_order: int) -> Run:
    return corpus(case, word_order, threads=2)


def segments(case: Case, word_order: int) -> Run:
    return lambda: chrf.segment_scores(case.hypotheses, case.references, word_order=word_order)


def twin_rows(case: Case, options: chrf.Options) -> list[Row]:
    """The counts of each segment, counted in plain Python; those of its best reference."""
    result = []
    orders = options.char_order, options.word_order
    for hypothesis, group in zip(case.hypotheses, case.groups, strict=True):
        rows = []
        for text in group:
            flat = reference.count([hypothesis], [text], 0, 1, *orders, False)
            rows.append(tuple(zip(flat[0::3], flat[1::3], flat[2::3], strict=True)))
        best = rows[0] if len(rows) == 1 else max(rows, key=lambda row: exact.score(row, options))
        result.append(best)
    return result


def twin(case: Case, word_order: int) -> Run:
    options = chrf.Options(word_order=word_order)

    def run() -> tuple[Row, Fraction]:
        totals = tuple(
            (sum(hypothesis), sum(reference), sum(matching))
            for order in zip(*twin_rows(case, options), strict=True)
            for hypothesis, reference, matching in [zip(*order, strict=True)]
        )
        return totals, exact.score(totals, options)

    return run


def check_corpus(case: Case, word_order: int, result: chrf.Score) -> None:
    """The same counts and fraction on any number of threads."""
    expected = corpus(case, word_order)()
    same = result.counts == expected.counts and result.fraction == expected.fraction
    _require(same, case, result.fraction, expected.fraction)


def check_twin(case: Case, word_order: int, result: tuple[Row, Fraction]) -> None:
    """The same counts and fraction as the kernel's."""
    score = corpus(case, word_order)()
    expected = score.counts, score.fraction
    _require(result == expected, case, result, expected)


def check_segments(case: Case, word_order: int, result: Any) -> None:
    """Each the double nearest to the exact score of its segment taken as a corpus."""
    for hypothesis, given, score in zip(case.hypotheses, case.references, result, strict=True):
        expected = float(chrf.corpus_score([hypothesis], [given], word_order=word_order))
        _require(score == expected, case, score, expected)


# --- the peers ----------------------------------------------------------------------------------


def sacrebleu(case: Case, word_order: int) -> Run:
    streams = [list(stream) for stream in zip(*case.groups, strict=True)]
    metric = SACREBLEU.CHRF(word_order=word_order)
    return lambda: metric.corpus_score(case.hypotheses, streams).score


def check_sacrebleu(case: Case, word_order: int, result: float) -> None:
    """The corpus score under sacreBLEU's rule of adding up, to the precision of its doubles."""
    expected = float(
        chrf.corpus_score(case.hypotheses, case.references, word_order=word_order, rule="sacrebleu")
    )
    _require(math.isclose(result, expected, rel_tol=1e-12), case, result, expected)


def fastchrf(case: Case, word_order: int) -> Run | None:
    if word_order:
        return None
    # One hypothesis to a batch item: it would score every hypothesis of an item on every reference.
    batch = [[hypothesis] for hypothesis in case.hypotheses]
    return lambda: FASTCHRF.pairwise_chrf(batch, case.groups)


def check_fastchrf(case: Case, word_order: int, result: list[list[list[float]]]) -> None:
    """Segment scores in its own arithmetic. It keeps U+001C to U+001F, which no case contains."""
    for [row], score in zip(result, segments(case, word_order)(), strict=True):
        _require(math.isclose(max(row), score, abs_tol=1e-4, rel_tol=0), case, max(row), score)


def nltk(case: Case, word_order: int) -> Run | None:
    if word_order or case.several:
        return None
    pairs = [(group[0], text) for group, text in zip(case.groups, case.hypotheses, strict=True)]
    return lambda: [NLTK.sentence_chrf(ours, theirs, beta=2) for ours, theirs in pairs]


def check_nltk(case: Case, word_order: int, result: list[float]) -> None:
    """Segment scores 0 to 1: the mean of per-order F, where an order without a match or without
    n-grams has 1e-16 instead of 0. It too keeps U+001C to U+001F."""
    expected = chrf.segment_scores(case.hypotheses, case.references, averaging="per_order_f")
    for value, score in zip(result, expected, strict=True):
        found = 100 * value
        _require(math.isclose(found, score, abs_tol=1e-9, rel_tol=0), case, found, score)


def _require(same: bool, case: Case, found: object, expected: object) -> None:
    if not same:
        raise AssertionError(f"{case.name}: {found} where chrf has {expected}")


CONTENDERS = (
    Contender("chrf", corpus, check_corpus),
    Contender("2 threads", corpus_2_threads, check_corpus),
    Contender("twin", twin, check_twin, sampled=True),
    Contender("sacreBLEU", sacrebleu, check_sacrebleu, SACREBLEU is not None),
    Contender("segments", segments, check_segments),
    Contender("fastchrf", fastchrf, check_fastchrf, FASTCHRF is not None),
    Contender("NLTK", nltk, check_nltk, NLTK is not None, sampled=True),
)

# Each peer against what chrf does on one thread when asked for the same thing.
RATIOS = {"twin": "chrf", "sacreBLEU": "chrf", "fastchrf": "segments", "NLTK": "segments"}
