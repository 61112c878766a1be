"""`chrf.sacrebleu.CHRF` is sacreBLEU 2.6.0's CHRF to the last bit, without its silent faults."""

import copy
import gzip
import inspect
import itertools
import json
import math
import os
import pickle
import random
import subprocess
import sys
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
import sacrebleu
from sacrebleu.metrics.chrf import CHRFScore as TheirScore
from sacrebleu.significance import PairedTest

import chrf.sacrebleu as shim
from chrf.core import resampling
from chrf.sacrebleu import CHRF, CHRFScore, formula
from chrf.sacrebleu import metric as metric_module

ALPHABETS = {
    "two letters": "ab",
    "ascii": "abcde ABC .,!?()'\"-",
    "whitespace": "ab. \t\n\x0b\x1c\x1f\x85\xa0\u2003\u2028\u3000\u200b",
    "punctuation": "ab !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~“”。，",
    "case": "aAßẞİıΣσς ǅKKſß.",
    "astral": "a \U0001f600\U0001f468\u200d\U0010ffff\ud83d\x00é\u0301\ufeff.",
    "chinese": "你好世界，。 的是不了在有",
}
CORPORA = 300  # for each alphabet and way of scoring
BETAS = (1, 2, 2, 2, 3, 0, -2, 16, 10**9, 2**60 + 1, 0.5, 1.5, 2.0, 1e-3, 1e100, Fraction(1, 3))


@pytest.fixture(params=[0, 10**9], ids=["arrays", "row by row"])
def both_ways(request, monkeypatch):
    """Few segments are scored one by one, many as arrays; blocks are small, for once."""
    monkeypatch.setattr(formula, "FEW", request.param)
    monkeypatch.setattr(metric_module, "LARGEST_BLOCK", 3)
    return request.node.callspec.id


@pytest.fixture(autouse=True)
def unset_seed(monkeypatch):
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)


def read_columns(folder, pair):
    rows = gzip.decompress((folder / f"{pair}.tsv.gz").read_bytes()).decode().split("\n")[:-1]
    header, *rows = (row.split("\t") for row in rows)
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def random_text(source, alphabet):
    length = source.choice([0, 0, 1, 2, 3, source.randrange(12), source.randrange(50)])
    return "".join(source.choices(alphabet, k=length))


def random_hypothesis(source, reference, alphabet):
    if source.random() < 0.3:
        return random_text(source, alphabet)
    a, b = sorted(source.choices(range(len(reference) + 1), k=2))
    changed = reference[:a] + random_text(source, alphabet)[:3] + reference[b:]
    return source.choice([reference, changed, changed.swapcase()])


def random_corpus(source, alphabet):
    """Hypotheses and streams of references, with None where a segment has fewer than others."""
    number = source.choice([1, 2, 2, 3])
    gaps = source.random() < 0.4
    hypotheses, groups = [], []
    for _ in range(source.randint(1, 7)):
        group = [random_text(source, alphabet) for _ in range(number)]
        hypotheses.append(random_hypothesis(source, group[-1], alphabet))
        if gaps:
            kept = source.randrange(number)
            group = [
                text if i == kept or source.random() < 0.6 else None for i, text in enumerate(group)
            ]
        groups.append(group)
    return hypotheses, [list(stream) for stream in zip(*groups, strict=True)]


def random_options(source):
    orders = 0, 0
    while not any(orders):
        orders = source.choice([(6, 0), (6, 2), (source.randint(0, 10), source.randint(0, 4))])
    return {
        "char_order": orders[0],
        "word_order": orders[1],
        "beta": source.choice(BETAS),
        "lowercase": source.random() < 0.3,
        "whitespace": source.random() < 0.3,
        "eps_smoothing": source.random() < 0.3,
    }


def assert_same(ours, theirs):
    """Both scores as doubles, and all that they print."""
    assert type(ours.score) is float
    assert ours.score.hex() == float(theirs.score).hex()
    assert (ours.name, ours.char_order, ours.word_order) == (
        theirs.name,
        theirs.char_order,
        theirs.word_order,
    )
    assert (repr(ours), str(ours), f"{ours}") == (repr(theirs), str(theirs), f"{theirs}")


def news(segments=40):
    """A small corpus: references, and three systems, the last one the best."""
    source = random.Random("news")
    words = ["the", "a", "cat", "dog", "house", "river", "sat", "slept", "near", "old", ",", "."]
    references = [" ".join(source.choices(words, k=source.randint(4, 15))) for _ in range(segments)]

    def system(edits):
        texts = []
        for reference in references:
            edited = reference.split()
            for _ in range(edits):
                edited[source.randrange(len(edited))] = source.choice(words)
            texts.append(" ".join(edited))
        return texts

    return references, system(2), system(3), system(1)


# Equal doubles


def test_the_version_of_sacrebleu():
    assert sacrebleu.__version__ == shim.COMPATIBLE_VERSION


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_random_corpora(alphabet, both_ways):
    source = random.Random(f"{alphabet}, {both_ways}")
    for _ in range(CORPORA):
        hypotheses, streams = random_corpus(source, ALPHABETS[alphabet])
        options = random_options(source)
        ours, theirs = CHRF(**options), sacrebleu.CHRF(**options)
        assert_same(
            ours.corpus_score(hypotheses, streams), theirs.corpus_score(hypotheses, streams)
        )
        assert str(ours.get_signature()) == str(theirs.get_signature())
        assert ours._extract_corpus_statistics(
            hypotheses, streams
        ).tolist() == theirs._extract_corpus_statistics(hypotheses, streams)
        for hypothesis, *references in zip(hypotheses, *streams, strict=True):
            assert_same(
                ours.sentence_score(hypothesis, references),
                theirs.sentence_score(hypothesis, references),
            )
            assert str(ours.get_signature()) == str(theirs.get_signature())
        ours, theirs = (metric(references=streams, **options) for metric in (CHRF, sacrebleu.CHRF))
        assert str(ours.get_signature()) == str(theirs.get_signature())
        assert_same(ours.corpus_score(hypotheses, None), theirs.corpus_score(hypotheses, None))


def test_corpora_of_several_blocks():
    """A stream of which a whole block is missing, between streams that have it."""
    source = random.Random("blocks")
    size = metric_module.LARGEST_BLOCK + 100
    references = [[random_text(source, "ab c") for _ in range(size)] for _ in range(3)]
    references[1][: metric_module.LARGEST_BLOCK] = [None] * metric_module.LARGEST_BLOCK
    hypotheses = [random_hypothesis(source, text, "ab c") for text in references[0]]
    ours, theirs = CHRF(), sacrebleu.CHRF()
    assert_same(
        ours.corpus_score(hypotheses, references), theirs.corpus_score(hypotheses, references)
    )
    assert str(ours.get_signature()) == str(theirs.get_signature())
    assert ours.get_signature().info["nrefs"] == "var"


@pytest.mark.parametrize("eps_smoothing", [False, True])
@pytest.mark.parametrize("beta", BETAS)
def test_arrays_and_rows_are_scored_alike(beta, eps_smoothing, monkeypatch):
    monkeypatch.setattr(formula, "FEW", 0)
    source = np.random.default_rng(5)
    rows = source.integers(0, source.integers(1, 10**9, size=(4000, 1)), size=(4000, 18))
    rows *= source.random(rows.shape) > 0.2
    rows[:, 2::3] = np.minimum(rows[:, 2::3], np.minimum(rows[:, 0::3], rows[:, 1::3]))
    arrays = formula.f_scores(rows, beta, eps_smoothing).tolist()
    metric = sacrebleu.CHRF(beta=beta, eps_smoothing=eps_smoothing)
    for row, value in zip(rows.tolist(), arrays, strict=True):
        score = formula.f_score(row, beta, eps_smoothing)
        assert score.hex() == value.hex() == float(metric._compute_f_score(row)).hex()


def test_the_order_of_references_matters():
    """Two references score the same; which one's counts are summed depends on their order."""
    source = random.Random("ties")
    moved = 0
    for _ in range(300):
        streams = [[random_text(source, "ab") for _ in range(20)] for _ in range(2)]
        hypotheses = [random_hypothesis(source, text, "ab") for text in streams[0]]
        scores = []
        for order in (streams, streams[::-1]):
            scores.append(CHRF().corpus_score(hypotheses, order))
            assert_same(scores[-1], sacrebleu.CHRF().corpus_score(hypotheses, order))
        moved += scores[0].score != scores[1].score
    assert moved > 50


def test_rounding_decides_between_equal_references():
    """125/12 with either reference; the second one's double is larger by one bit."""
    for references in itertools.permutations(["dbc", "bcbaccbc"]):
        streams = [[text] for text in references]
        counts = CHRF()._extract_corpus_statistics(["bbbb"], streams)
        assert counts.tolist() == [[4, 8, 3, 3, 7, 0, 2, 6, 0, 1, 5, 0, 0, 4, 0, 0, 3, 0]]


@pytest.mark.parametrize("word_order", [0, 2])
@pytest.mark.parametrize("pair", ["en-cs", "en-zh", "ja-en"])
def test_wmt23(wmt23, pair, word_order):
    columns = {name: texts[:300] for name, texts in read_columns(wmt23, pair).items()}
    reference = columns.pop("refA")
    second, third, *systems = sorted(columns)
    streams = [reference, columns[second], columns[third]]
    for name in systems[:2]:
        for chosen in (streams[:1], streams, streams[::-1]):
            ours, theirs = (
                metric(word_order=word_order).corpus_score(columns[name], chosen)
                for metric in (CHRF, sacrebleu.CHRF)
            )
            assert_same(ours, theirs)


@pytest.mark.parametrize("beta", [np.int64(3), np.float64(1.5), np.int8(-2)])
def test_numbers_of_numpy_as_beta(beta):
    references, hypotheses, *_ = news()
    ours, theirs = CHRF(beta=beta), sacrebleu.CHRF(beta=beta)
    assert_same(
        ours.corpus_score(hypotheses, [references]), theirs.corpus_score(hypotheses, [references])
    )


def test_functions():
    references, hypotheses, *_ = news()
    for name in ("corpus_chrf", "sentence_chrf"):
        ours, theirs = (
            inspect.signature(getattr(module, name)).parameters for module in (shim, sacrebleu)
        )
        assert list(ours) == list(theirs)
        assert [p.default for p in ours.values()] == [p.default for p in theirs.values()]
    for options in (
        {},
        {"char_order": 4, "word_order": 1, "beta": 3},
        {"remove_whitespace": False},
        {"eps_smoothing": True},
    ):
        assert_same(
            shim.corpus_chrf(hypotheses, [references], **options),
            sacrebleu.corpus_chrf(hypotheses, [references], **options),
        )
        assert_same(
            shim.sentence_chrf(hypotheses[0], references[:3], **options),
            sacrebleu.sentence_chrf(hypotheses[0], references[:3], **options),
        )


def test_the_constructor_takes_what_sacrebleus_takes():
    ours, theirs = (inspect.signature(metric).parameters for metric in (CHRF, sacrebleu.CHRF))
    assert list(ours) == list(theirs)
    assert [p.default for p in ours.values()] == [p.default for p in theirs.values()]
    ours, theirs = (metric(4, 2, 1.5, True, True, True) for metric in (CHRF, sacrebleu.CHRF))
    for name in (
        "char_order",
        "word_order",
        "order",
        "beta",
        "lowercase",
        "whitespace",
        "eps_smoothing",
        "n_bootstrap",
        "seed",
        "CHAR_ORDER",
        "WORD_ORDER",
        "BETA",
    ):
        assert getattr(ours, name) == getattr(theirs, name)


def test_cached_references():
    references, first, second, _ = news()
    streams = [list(references), list(second)]
    ours, theirs = CHRF(references=streams), sacrebleu.CHRF(references=streams)
    streams[0][0] = "changed afterwards"
    for hypotheses in (first, second):
        assert_same(ours.corpus_score(hypotheses, None), theirs.corpus_score(hypotheses, None))
    # References given with a call are used for that call only.
    assert_same(ours.corpus_score(first, [second]), theirs.corpus_score(first, [second]))
    assert str(ours.get_signature()) == str(theirs.get_signature())
    assert_same(ours.corpus_score(first, None), theirs.corpus_score(first, None))
    assert ours.get_signature().info["nrefs"] == 2
    assert theirs.get_signature().info["nrefs"] == 1  # wrong: there were two


def test_a_metric_can_be_pickled_and_copied():
    references, hypotheses, *_ = news()
    metric = CHRF(word_order=2, references=[references])
    score = metric.corpus_score(hypotheses, None, n_bootstrap=10)
    for twin in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric)):
        assert str(twin.get_signature()) == str(metric.get_signature())
        assert repr(twin.corpus_score(hypotheses, None, n_bootstrap=10)) == repr(score)
    assert repr(pickle.loads(pickle.dumps(score))) == repr(score)


# Scores and signatures as text


@pytest.mark.parametrize("value", [0.0, 0.005, 12.345678901234567, 99.99999999, 100.0])
@pytest.mark.parametrize("interval", [None, (12.3456, 0.789), (100.0, 0.0)])
@pytest.mark.parametrize("verbose", ["", "and more"])
def test_format(value, interval, verbose):
    ours, theirs = (score(value, 6, 2, 1.5) for score in (CHRFScore, TheirScore))
    for score in (ours, theirs):
        score._verbose = verbose
        if interval:
            score._mean, score._ci = interval
    signature = "nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0"
    assert repr(ours) == repr(theirs)
    for width, score_only, text in itertools.product((0, 1, 2, 7), (False, True), ("", signature)):
        assert ours.format(width, score_only, text) == theirs.format(width, score_only, text)
    for width, score_only in itertools.product((0, 1, 2, 7), (False, True)):
        ours_json = ours.format(width, score_only, signature, is_json=True)
        assert ours_json == theirs.format(width, score_only, signature, is_json=True)
    # Without a signature sacreBLEU's JSON is a ValueError.
    assert json.loads(ours.format(is_json=True))["score"] == float(f"{value:.2f}")


def test_the_interval_of_a_zero_score_is_printed():
    hypotheses, references = ["aaa"] * 5, ["bbb"] * 5
    score = CHRF().corpus_score(hypotheses, [references], n_bootstrap=100)
    assert str(score) == "chrF2 = 0.00 (μ = 0.00 ± 0.00)"
    theirs = sacrebleu.CHRF().corpus_score(hypotheses, [references], n_bootstrap=100)
    assert str(theirs) == "chrF2 = 0.00"


@pytest.mark.parametrize("short", [False, True])
def test_signatures(short):
    references, hypotheses, *_ = news(5)
    for lowercase, whitespace, eps in itertools.product((False, True), repeat=3):
        signatures = []
        for kind in (CHRF, sacrebleu.CHRF):
            metric = kind(5, 1, 2, lowercase, whitespace, eps)
            metric.test_set = "wmt23"
            metric.corpus_score(hypotheses, [references, references])
            signature = metric.get_signature()
            signature.update("subset", "news")
            signature.update("ar", 10000)
            signature.update("lang", True)
            signatures.append(signature)
        ours, theirs = signatures
        assert ours.format(short) == ours.format(short=short) == theirs.format(short)
        assert (str(ours), repr(ours)) == (str(theirs), repr(theirs))
        assert ours.info == theirs.info
    assert ours.engine.startswith("chrf-")
    assert ours.engine not in ours.format()


def test_no_signature_before_references_were_read():
    for metric in (CHRF, sacrebleu.CHRF):
        with pytest.raises(ValueError, match="umber of references"):
            metric().get_signature()


# Intervals


def theirs_in_doubles(metric, hypotheses, streams, draws, seed):
    """sacreBLEU's interval, made of its own parts, but from counts that it did not round."""
    stats = metric._extract_corpus_statistics(hypotheses, streams)
    indices = np.random.default_rng(seed).choice(len(stats), size=(draws, len(stats)), replace=True)
    sums = np.array(stats)[indices].sum(axis=1).tolist()
    scores = [metric._compute_score_from_stats(row) for row in sums]
    total = metric._aggregate_and_compute(stats)
    total.estimate_ci(scores)
    return total, [score.score for score in scores]


@pytest.mark.parametrize("drawn_at_once", [1, 100, 1 << 17])
@pytest.mark.parametrize("seed", [None, "0", "1", "007", "12345", " 42"])
def test_intervals(seed, drawn_at_once, monkeypatch):
    monkeypatch.setattr(resampling, "INDICES_AT_ONCE", drawn_at_once)
    if seed is not None:
        monkeypatch.setenv("SACREBLEU_SEED", seed)
    number = 12345 if seed is None else int(seed)
    references, hypotheses, others, _ = news()
    for options, draws in (({}, 1000), ({"word_order": 2, "eps_smoothing": True}, 200), ({}, 2)):
        streams = [references, others]
        ours, theirs = CHRF(**options), sacrebleu.CHRF(**options)
        score = ours.corpus_score(hypotheses, streams, n_bootstrap=draws)
        exact, scores = theirs_in_doubles(theirs, hypotheses, streams, draws, number)
        assert score.score == exact.score
        assert (score._mean, score._ci) == (exact._mean, exact._ci)
        counts = ours._extract_corpus_statistics(hypotheses, streams)
        assert ours._resampled_scores(counts, draws, number) == scores
        rounded = theirs.corpus_score(hypotheses, streams, n_bootstrap=draws)
        assert score._mean == pytest.approx(rounded._mean, abs=1e-4)
        assert score._ci == pytest.approx(rounded._ci, abs=1e-4)
        assert repr(score) == repr(rounded)
        for short in (False, True):
            assert ours.get_signature().format(short) == theirs.get_signature().format(short)
    assert ours.get_signature().info["seed"] == (seed or "12345").lower()
    # As in sacreBLEU, the signature keeps the last resampling.
    ours.corpus_score(hypotheses, [references])
    theirs.corpus_score(hypotheses, [references])
    assert str(ours.get_signature()) == str(theirs.get_signature())


def test_estimate_ci_takes_scores():
    values = random.Random(3).choices(range(100), k=97)
    scores = [score(50.0, 6, 0, 2) for score in (CHRFScore, TheirScore)]
    for score in scores:
        score.estimate_ci([TheirScore(float(value), 6, 0, 2) for value in values])
    assert repr(scores[0]) == repr(scores[1])


def test_seed_0_is_a_seed(monkeypatch):
    references, hypotheses, *_ = news()

    def interval(seed):
        monkeypatch.setenv("SACREBLEU_SEED", seed)
        metric = CHRF()
        score = metric.corpus_score(hypotheses, [references], n_bootstrap=50)
        assert f"|bs:50|seed:{seed.lower()}|" in str(metric.get_signature())
        return score._mean, score._ci

    assert interval("0") == interval("0") != interval("1")
    assert interval("None") != interval("none")


@pytest.mark.parametrize("seed", ["", "x", "1.5", "-1", "noone"])
def test_seeds_that_are_none(seed, monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    metric = CHRF()
    with pytest.raises(ValueError, match=f"SACREBLEU_SEED is {seed!r}; it must be an integer"):
        metric.corpus_score(["a"], [["a"]], n_bootstrap=2)
    metric.corpus_score(["a"], [["a"]])
    assert "bs:" not in str(metric.get_signature())


@pytest.mark.parametrize("draws", [1, 0, -5])
def test_no_interval_below_two_draws(draws):
    metric = CHRF()
    score = metric.corpus_score(["ab", "cd"], [["ab", "ce"]], n_bootstrap=draws)
    assert "μ" not in str(score)
    assert "bs:" not in str(metric.get_signature())


@pytest.mark.parametrize("draws", [2.0, True, "5", None])
def test_a_number_of_draws_that_is_none(draws):
    with pytest.raises(TypeError, match=r"n_bootstrap is .*; it must be an integer"):
        CHRF().corpus_score(["a"], [["a"]], n_bootstrap=draws)


def large_counts(segments=200_000):
    """Counts of segments of 121 code points, whose 32-bit sums lose one in each above 2^24."""
    source = np.random.default_rng(8)
    counts = np.empty((segments, 6, 3), dtype=np.int64)
    for order in range(6):
        counts[:, order, :2] = 121 - order
        counts[:, order, 2] = (121 - order) * source.normal(0.9, 0.02, segments) * 0.9**order
    return counts.reshape(segments, -1)


def test_large_corpora_keep_their_counts_and_little_memory():
    """sacreBLEU sums 24 million in 32 bits, and takes 14 GB for counts times draws."""
    counts = large_counts()
    assert counts[:, 0].sum() > 2**24
    metric = CHRF()
    tracemalloc.start()
    try:
        scores = metric._resampled_scores(counts, 1000, 12345)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6
    score = metric._aggregate_and_compute(counts)
    score.set_interval(scores)
    assert abs(score._mean - score.score) < score._ci
    indices = np.random.default_rng(12345).choice(len(counts), size=(3, len(counts)))
    _, rounded = sacrebleu.significance._bootstrap_resample(counts, sacrebleu.CHRF(), 3)
    for row, ours, theirs in zip(indices, scores, rounded, strict=False):
        assert metric._compute_score_from_stats(counts[row].sum(axis=0)).score == ours
        assert abs(theirs.score - ours) > 0.03 > 2 * score._ci  # the score is not in the interval


def test_counts_past_the_integers_of_32_bit_floats():
    """(16777217, 16777217, 16777216) is 100.0 through sacreBLEU's resampler."""
    counts = np.array([[2**24 + 1, 2**24 + 1, 2**24]])
    metric = CHRF(char_order=1)
    score = 100 * (2**24 / (2**24 + 1))
    assert metric._resampled_scores(counts, 2, 12345) == [pytest.approx(score, rel=1e-15)] * 2
    assert score < 99.999995


def test_counts_past_the_integers_of_doubles():
    counts = np.array([[2**53 + 1, 3, 3], [2**53 + 1, 5, 5]])
    metric = CHRF(char_order=1)
    sums = {0: [2**54 + 2, 6, 6], 1: [2**54 + 2, 8, 8], 2: [2**54 + 2, 10, 10]}
    draws = np.random.default_rng(3).choice(2, size=(9, 2)).sum(axis=1).tolist()
    assert set(draws) == set(sums)
    expected = [formula.f_score(sums[draw], metric.beta, False) for draw in draws]
    assert metric._resampled_scores(counts, 9, 3) == expected
    [summed] = resampling.resample_sums([counts[:, np.newaxis]], 9, np.random.default_rng(3))
    assert summed[:, 0].tolist() == [sums[draw] for draw in draws]


def test_one_segment_has_no_interval():
    score = CHRF().corpus_score(["a cat"], [["a hat"]], n_bootstrap=50)
    assert (score._mean, score._ci) == (score.score, 0.0)


# sacreBLEU's own tests of significance


def paired(metric, test_type, systems, references, **options):
    cached = metric(references=[references], **options)
    return PairedTest(systems, {"CHRF": cached}, None, test_type, 200, n_ar_confidence=100)()


@pytest.mark.parametrize("options", [{}, {"word_order": 2}, {"eps_smoothing": True, "beta": 1.5}])
@pytest.mark.parametrize("test_type", ["bs", "ar"])
def test_paired_test(test_type, options):
    references, *texts = news()
    systems = [("base", texts[0]), ("worse", texts[1]), ("better", texts[2]), ("same", texts[0])]
    (our_signatures, ours), (their_signatures, theirs) = (
        paired(metric, test_type, systems, references, **options)
        for metric in (CHRF, sacrebleu.CHRF)
    )
    assert list(map(str, our_signatures.values())) == list(map(str, their_signatures.values()))
    assert list(ours) == list(theirs)
    assert ours.pop("System") == theirs.pop("System")
    for our_result, their_result in zip(*ours.values(), *theirs.values(), strict=True):
        assert our_result.score == their_result.score
        assert our_result.p_value == their_result.p_value
        assert our_result.mean == pytest.approx(float(their_result.mean), abs=1e-4)
        assert our_result.ci == pytest.approx(float(their_result.ci), abs=1e-4)
        assert f"{our_result.mean:.2f} {our_result.ci:.2f}" == (
            f"{their_result.mean:.2f} {their_result.ci:.2f}"
        )
        json.dumps(our_result.__dict__)  # a TypeError with sacreBLEU's 32-bit floats


def test_paired_test_on_wmt23(wmt23):
    columns = {name: texts[:300] for name, texts in read_columns(wmt23, "en-cs").items()}
    references = columns.pop("refA")
    systems = sorted(columns.items())[:4]
    for test_type in ("bs", "ar"):
        ours, theirs = (
            next(reversed(paired(metric, test_type, systems, references)[1].values()))
            for metric in (CHRF, sacrebleu.CHRF)
        )
        for our_result, their_result in zip(ours, theirs, strict=True):
            assert our_result.score == their_result.score
            assert our_result.p_value == their_result.p_value


def test_paired_test_with_references_in_the_call():
    references, first, second, _ = news()
    systems = [("a", first), ("b", second)]
    ours, theirs = (
        PairedTest(systems, {"CHRF": metric()}, [references], "ar", 50)()[1]["chrF2"]
        for metric in (CHRF, sacrebleu.CHRF)
    )
    assert repr(ours) == repr(theirs)
    with pytest.raises(ValueError, match=r"hypotheses has 39 items but references\[0\] has 40"):
        PairedTest([("a", first), ("b", second[1:])], {"CHRF": CHRF()}, [references], "ar", 50)()


PROGRAM = """
import sys
from sacrebleu import sacrebleu
if sys.argv.pop(1) == "ours":
    from chrf.sacrebleu import CHRF
    sacrebleu.METRICS["CHRF"] = CHRF
sacrebleu.main()
"""


@pytest.fixture
def sacrebleus_program(tmp_path):
    """Run sacreBLEU's command line, with either class, on three files."""
    texts = news(12)
    for name, lines in zip(("ref", "a", "b"), texts, strict=False):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def run(whose, *arguments):
        command = [sys.executable, "-c", PROGRAM, whose, "ref", *arguments]
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
        return subprocess.run(
            command,
            check=False,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            encoding="utf-8",
        )

    return run


@pytest.mark.parametrize(
    "arguments",
    [
        "-i a -m chrf -ci -cin 100 --chrf-word-order 2",
        "-i a -m chrf -ci -cin 100 -f text -sh --chrf-eps-smoothing",
        "-i a -m chrf -sl --chrf-lowercase",
        "-i a b -m chrf --chrf-beta 3 -f text",
        "-i a b -m chrf --paired-bs --paired-bs-n 100 -f text",
        "-i a b -m chrf --paired-ar --paired-ar-n 100",
    ],
)
def test_sacrebleus_command_line(sacrebleus_program, arguments):
    ours, theirs = (sacrebleus_program(whose, *arguments.split()) for whose in ("ours", "theirs"))
    assert ours.returncode == theirs.returncode == 0, ours.stderr + theirs.stderr
    assert ours.stdout == theirs.stdout


def test_sacrebleus_command_line_writes_json(sacrebleus_program):
    """With sacreBLEU's own class: Object of type float32 is not JSON serializable."""
    arguments = "-i a b -m chrf --paired-bs --paired-bs-n 100 -f json"
    ours = sacrebleus_program("ours", *arguments.split())
    assert ours.returncode == 0, ours.stderr
    assert [row["system"] for row in json.loads(ours.stdout)] == ["Baseline: a", "b"]


# What is refused


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"beta": True}, TypeError, "beta is True; it must be an int, a float or a fractions"),
        ({"beta": "2"}, TypeError, "beta is '2'"),
        ({"beta": None}, TypeError, "beta is None"),
        ({"beta": 2j}, TypeError, "beta is 2j"),
        ({"beta": np.float32(2)}, TypeError, "beta is "),
        ({"beta": math.nan}, ValueError, "beta is nan; its square must be a finite double"),
        ({"beta": math.inf}, ValueError, "beta is inf"),
        ({"beta": 1e155}, ValueError, "beta is 1e\\+155"),
        ({"beta": 10**155}, ValueError, "its square must be a finite double"),
        ({"beta": 10**5000}, ValueError, "beta is a int too large to be shown"),
        ({"char_order": 11}, ValueError, "char_order is 11; it must be an integer from 0 to 10"),
        ({"char_order": -1}, ValueError, "char_order is -1"),
        ({"char_order": 6.0}, TypeError, "char_order is 6.0"),
        ({"char_order": True}, TypeError, "char_order is True"),
        ({"char_order": 0}, ValueError, "char_order and word_order are both 0"),
        ({"word_order": 5}, ValueError, "word_order is 5; it must be an integer from 0 to 4"),
        ({"word_order": -1}, ValueError, "word_order is -1"),
        ({"lowercase": "no"}, TypeError, "lowercase is 'no'"),
        ({"whitespace": 1}, TypeError, "whitespace is 1"),
        ({"eps_smoothing": None}, TypeError, "eps_smoothing is None"),
        ({"references": []}, ValueError, "references is empty"),
        ({"references": "text"}, TypeError, "references is a single str"),
        ({"references": ["text"]}, TypeError, r"references\[0\] is a single str"),
        ({"references": [["a", 3]]}, TypeError, r"references\[0\]\[1\] is int, not a string"),
        ({"references": [["a"], ["b", "c"]]}, ValueError, r"\[1\] has 2 .*references\[0\] has 1"),
    ],
)
def test_refused_by_the_constructor(options, error, message):
    with pytest.raises(error, match=message):
        CHRF(**options)


@pytest.mark.parametrize(
    ("hypotheses", "references", "error", "message"),
    [
        # sacreBLEU scores these six: 100, 100, 100, 100, 83.33, 55.56
        (["a", "zz"], [["a"]], ValueError, r"hypotheses has 2 .* references\[0\] has 1"),
        (["a"], [["a", "b"]], ValueError, r"hypotheses has 1 item but references\[0\] has 2"),
        ("hw", [["h", "w"]], TypeError, "hypotheses is a single str; give a list of strings"),
        (["h", "w"], ["hw"], TypeError, r"references\[0\] is a single str"),
        (["a b"], ["a b"], TypeError, r"references\[0\] is a single str"),
        (["hello", "world"], ["hello", "world"], TypeError, r"references\[0\] is a single str"),
        (["a", "b"], [["a", "b"], ["a"]], ValueError, r"references\[1\] has 1 item"),
        (["a"], "a", TypeError, "references is a single str; give a list of lists"),
        (["a"], b"a", TypeError, "references is a single bytes"),
        (["a", "b"], [["a", None], ["b", None]], ValueError, "segment 1 has no reference"),
        ([], [[]], ValueError, "there are no segments"),
        ([], [], ValueError, "references is empty"),
        (["a"], [], ValueError, "references is empty"),
        (["a", None], [["a", "b"]], TypeError, r"hypotheses\[1\] is NoneType, not a string"),
        (["a", b"b"], [["a", "b"]], TypeError, r"hypotheses\[1\] is bytes, not a string"),
        (["a", "b"], [["a", "b"], ["a", math.nan]], TypeError, r"references\[1\]\[1\] is float"),
        (np.array(["a"]), [["a"]], TypeError, "hypotheses is ndarray"),
        (["a"], [iter(["a"])], TypeError, r"references\[0\] is list_iterator"),
        (["a"], {"a"}, TypeError, "references is set"),
        (5, [["a"]], TypeError, "hypotheses is int"),
        (
            ["same text", "wrong one", "also wrong"],  # 100 in sacreBLEU
            [["same text"], ["other ref"], ["third ref"]],
            ValueError,
            r"references\[0\] has 1; the references look transposed",
        ),
    ],
)
def test_refused_corpora(hypotheses, references, error, message):
    with pytest.raises(error, match=message):
        CHRF().corpus_score(hypotheses, references)
    with pytest.raises(error, match=message):
        CHRF().corpus_score(hypotheses, references, n_bootstrap=10)


def test_cached_references_are_checked_too():
    metric = CHRF(references=[["a", "b"]])
    with pytest.raises(ValueError, match=r"hypotheses has 1 item but references\[0\] has 2"):
        metric.corpus_score(["a"], None)
    for kind in (CHRF, sacrebleu.CHRF):
        with pytest.raises(RuntimeError, match="references"):
            kind().corpus_score(["a"], None)


@pytest.mark.parametrize(
    ("hypothesis", "references", "error", "message"),
    [
        (["a"], ["a"], TypeError, "hypothesis is list, not a string"),
        (None, ["a"], TypeError, "hypothesis is NoneType"),
        ("a", "a", TypeError, "references is a single str"),
        ("a", None, TypeError, "references is NoneType"),
        ("a", [], ValueError, "references is empty"),
        ("a", [None, None], ValueError, "segment 0 has no reference"),
        ("a", ["a", 5], TypeError, r"references\[1\] is int, not a string"),
        ("a", [["a"]], TypeError, r"references\[0\] is list, not a string"),
    ],
)
def test_refused_sentences(hypothesis, references, error, message):
    with pytest.raises(error, match=message):
        CHRF().sentence_score(hypothesis, references)


def test_a_refused_call_changes_nothing():
    metric = CHRF()
    metric.corpus_score(["a"], [["a"], ["b"]])
    before = dict(metric.__dict__)
    with pytest.raises(TypeError):
        metric.corpus_score(["a", None], [["a", "b"]], n_bootstrap=10)
    assert metric.__dict__ == before


def test_subclasses_of_str_are_strings():
    class Text(str):
        __slots__ = ()

    score = CHRF().corpus_score([Text("ab cd")], [[Text("ab ce")]])
    assert score.score == sacrebleu.CHRF().corpus_score(["ab cd"], [["ab ce"]]).score
