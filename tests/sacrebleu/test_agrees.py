"""Rule "sacrebleu" is sacreBLEU 2.6.0: its statistics as integers, its score to the last digits."""

import random
from fractions import Fraction

import pytest
import sacrebleu
from sacrebleu.metrics import CHRF

import chrf
from chrf import Options
from chrf.core import exact
from chrf.kernel.text import WHITESPACE

ALPHABETS = {
    "two letters": "ab",
    "ascii": "abcde ABC .,!?()'\"-",
    "whitespace": "ab." + "".join(sorted(WHITESPACE)),
    "punctuation": "ab !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~“”。，",
    "case": "aAßẞİıΣσς ǅKKſß.",
    "astral": "a \U0001f600\U0001f468\u200d\U0001f469\U0010ffff\ud83d\ude00\x00é\u0301\ufeff",
    "chinese": "你好世界，。 的是不了在有",
}
CORPORA = 600  # for each alphabet, with one reference and with several


def random_text(source, alphabet):
    length = source.choice([0, 0, 1, 2, 3, source.randrange(12), source.randrange(60)])
    return "".join(source.choices(alphabet, k=length))


def random_hypothesis(source, reference, alphabet):
    if source.random() < 0.3:
        return random_text(source, alphabet)
    a, b = source.randrange(len(reference) + 1), source.randrange(len(reference) + 1)
    changed = reference[:a] + random_text(source, alphabet)[:3] + reference[b:]
    return source.choice([reference, changed, changed.swapcase()])


def random_options(source):
    orders = 0, 0
    while not any(orders):
        orders = source.choice([(6, 0), (6, 2), (source.randint(0, 10), source.randint(0, 4))])
    return {
        "char_order": orders[0],
        "word_order": orders[1],
        "beta": source.choice([1, 2, 2, 3, 4, 16]),
        "lowercase": source.random() < 0.3,
        "whitespace": source.random() < 0.3,
    }


def assert_same_score(ours, theirs):
    """theirs is a double, off by the rounding of some forty operations."""
    assert abs(Fraction(theirs) - ours.fraction) <= ours.fraction / 10**12


def assert_same_signature(score, metric):
    theirs = str(metric.get_signature())
    assert theirs.endswith(f"|version:{sacrebleu.__version__}")
    ours = score.signature.split("|beta:")[0]
    assert ours == theirs.split("|version:", maxsplit=1)[0]


def test_the_version_of_sacrebleu():
    assert sacrebleu.__version__ == "2.6.0"


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_one_reference(alphabet):
    source = random.Random(f"one reference, {alphabet}")
    for _ in range(CORPORA):
        options = random_options(source)
        references = [random_text(source, ALPHABETS[alphabet]) for _ in range(source.randint(1, 5))]
        hypotheses = [random_hypothesis(source, r, ALPHABETS[alphabet]) for r in references]
        metric = CHRF(**options)
        theirs = metric._extract_corpus_statistics(hypotheses, [references])
        ours = chrf.counts(hypotheses, references, rule="sacrebleu", **options)
        assert ours.reshape(len(references), -1).tolist() == theirs
        score = chrf.corpus_score(hypotheses, references, rule="sacrebleu", **options)
        assert_same_score(score, metric.corpus_score(hypotheses, [references]).score)
        assert_same_signature(score, metric)
        assert score.name == f"chrF{options['beta']}{'+' * options['word_order']}"


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_several_references(alphabet):
    source = random.Random(f"several references, {alphabet}")
    ties = different = 0
    for _ in range(CORPORA):
        options = random_options(source)
        checked = Options(rule="sacrebleu", **options)
        most = source.randint(2, 4)
        least = source.choice([1, most])
        groups, hypotheses = [], []
        for _ in range(source.randint(1, 4)):
            group = [
                random_text(source, ALPHABETS[alphabet]) for _ in range(source.randint(least, most))
            ]
            hypotheses.append(random_hypothesis(source, group[0], ALPHABETS[alphabet]))
            groups.append(group)
        # sacreBLEU takes streams, with None where a segment has no such reference.
        streams = [[g[i] if i < len(g) else None for g in groups] for i in range(most)]
        metric = CHRF(**options)
        theirs = metric._extract_corpus_statistics(hypotheses, streams)
        ours = chrf.counts(hypotheses, groups, rule="sacrebleu", **options)
        ours = ours.reshape(len(groups), -1).tolist()
        score = chrf.corpus_score(hypotheses, groups, rule="sacrebleu", **options)
        tied_segments = 0
        for hypothesis, group, our_row, their_row in zip(
            hypotheses, groups, ours, theirs, strict=True
        ):
            each = chrf.counts([hypothesis] * len(group), group, rule="sacrebleu", **options)
            fractions = [exact.score(rows, checked) for rows in each.tolist()]
            tied = [
                rows.reshape(-1).tolist()
                for rows, fraction in zip(each, fractions, strict=True)
                if fraction == max(fractions)
            ]
            assert our_row == tied[0]
            # Of references that tie exactly, sacreBLEU takes the one that its rounding favours.
            assert their_row in tied
            tied_segments += len(tied) > 1
        assert score.tied_segments == tied_segments
        ties += tied_segments
        published = metric.corpus_score(hypotheses, streams).score
        if ours == theirs:
            assert_same_score(score, published)
        else:
            different += 1
        assert_same_signature(score, metric)
    assert ties > 0
    assert different < CORPORA / 4  # else the scores were hardly compared


@pytest.mark.parametrize(
    ("hypothesis", "group", "fraction"),
    [
        ("bbbb", ["dbc", "bcbaccbc"], Fraction(125, 12)),
        ("adba", ["ddbabc", "abd"], Fraction(125, 4)),
        ("bdac", ["bbdd", "dcadb"], Fraction(125, 6)),
    ],
)
def test_a_tie_that_rounding_decides(engine, hypothesis, group, fraction):
    """Both references score the same; sacreBLEU's doubles differ in the last place."""
    score = engine.corpus_score([hypothesis], [group], rule="sacrebleu")
    assert (score.fraction, score.tied_segments) == (fraction, 1)
    first, second = (
        engine.counts([hypothesis], [text], rule="sacrebleu").reshape(-1).tolist() for text in group
    )
    assert engine.counts([hypothesis], [group], rule="sacrebleu").reshape(-1).tolist() == first
    streams = [[text] for text in group]
    assert CHRF()._extract_corpus_statistics([hypothesis], streams) == [second]
