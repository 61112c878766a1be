"""`bootstrap_ci`, against the definition, sacreBLEU and SciPy."""

import json
import random
from fractions import Fraction

import numpy as np
import pytest
import sacrebleu
from corpora import (
    REFERENCES,
    SINGLE_PRECISION,
    WMT23,
    WORSE,
    random_corpus,
    random_metric,
    read_columns,
    resampled,
)

import chrf
from chrf import Options
from chrf.core import exact
from chrf.stats import bootstrap_ci, chrf_ci, estimates


def test_a_resample_is_the_score_of_its_rows():
    """On random corpora with every kind of option."""
    source = random.Random("resample")
    for seed in range(60):
        [hypotheses], rows = random_corpus(
            source, source.randint(1, 8), references=source.choice([1, 2])
        )
        options = random_metric(source)
        del options["eps_smoothing"]
        options["beta"] = Fraction(options["beta"])
        options["rule"] = source.choice(["all", "sacrebleu"])
        options["averaging"] = source.choice(["precision_recall", "per_order_f"])
        interval = bootstrap_ci(
            hypotheses, rows, iterations=40, alpha=0.1, seed=seed, distribution=True, **options
        )
        expected = resampled(hypotheses, rows, 40, seed, **options)
        assert interval.distribution.tolist() == [float(value) for value in expected]
        ordered = sorted(expected)
        assert (interval.bounds.lower, interval.bounds.upper) == (ordered[2], ordered[37])
        assert interval.score == chrf.corpus_score(hypotheses, rows, **options)


def test_bootstrap_record():
    interval = bootstrap_ci(WORSE, REFERENCES, iterations=100, alpha=0.1, seed=7, word_order=2)
    assert interval.distribution is None
    assert (interval.method, interval.iterations, interval.seed) == ("percentile", 100, 7)
    assert interval.signature == (
        "nrefs:1|bs:100|seed:7|ci:90|case:mixed|eff:yes|nc:6|nw:2|space:no|beta:2|rule:all|segments:4|"
        f"version:chrf-{chrf.__version__}"
    )
    assert interval.lower == float(interval.bounds.lower)
    assert str(interval) == f"{interval.score} 90% [{interval.lower:.6f}, {interval.upper:.6f}]"
    record = json.loads(json.dumps(interval.to_dict()))
    assert record["metric"] == "chrF2++"
    assert record["lower"] == exact.decimal_text(interval.bounds.lower)
    assert Fraction(record["upper_fraction"]) == interval.bounds.upper
    assert "distribution" not in record
    kept = bootstrap_ci(
        WORSE, REFERENCES, iterations=100, alpha=0.1, seed=7, word_order=2, distribution=True
    )
    assert kept == interval
    assert len(kept.to_dict()["distribution"]) == 100
    mean = sum(map(Fraction, kept.distribution.tolist())) / 100
    assert kept.mean == pytest.approx(float(mean), rel=1e-15)
    assert kept.standard_deviation == pytest.approx(kept.distribution.std(ddof=1), rel=1e-12)


@pytest.mark.parametrize("pair", WMT23)
def test_interval_equals_sacrebleu_on_wmt23(wmt23, pair, monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "99")
    columns = read_columns(wmt23, pair, step=3)
    references = columns.pop("refA")
    hypotheses = columns[min(columns)]
    theirs = sacrebleu.CHRF().corpus_score(hypotheses, [references], n_bootstrap=100)
    ours = bootstrap_ci(hypotheses, references, iterations=100, seed=99, rule="sacrebleu")
    assert float(ours) == pytest.approx(theirs.score, rel=1e-14)
    assert ours.mean == pytest.approx(theirs._mean, rel=SINGLE_PRECISION)
    half = (ours.upper - ours.lower) / 2
    assert half == pytest.approx(theirs._ci, abs=100 * SINGLE_PRECISION)


def test_degenerate_intervals():
    """A score of 0 and a corpus of one segment have intervals."""
    for method in ("percentile", "bca"):
        zero = bootstrap_ci(["aaa"] * 5, ["bbb"] * 5, method=method)
        assert str(zero) == "0.000000 [0.000000, 0.000000]"
        one = bootstrap_ci(["the cat"], ["the cats"], method=method)
        assert one.lower == one.upper == float(one.score)
        assert one.standard_deviation < 1e-12
        single = bootstrap_ci(WORSE, REFERENCES, method=method, iterations=1, distribution=True)
        assert single.lower == single.upper == single.distribution[0]
    assert str(chrf_ci([["bbb"]] * 5, ["aaa"] * 5)) == "0.000000 [0.000000, 0.000000]"


def test_counts_above_the_range_of_32_bit_floats():
    """sacreBLEU's resampler gives 100.0 here, its score 99.999994."""
    counts = np.array([[[16777217, 16777217, 16777216]]])
    interval = bootstrap_ci(counts, char_order=1)
    assert interval.bounds.lower == interval.bounds.upper == Fraction(1677721600, 16777217)
    theirs = sacrebleu.CHRF(char_order=1)
    rounded = theirs._compute_score_from_stats(counts.astype(np.float32).reshape(-1))
    assert rounded.score == 100.0


def test_sums_above_the_range_of_32_bit_floats():
    """200,000 equal segments: every resample has the corpus score, whatever is drawn."""
    row = [[121 - i, 120 - i, 80 - 12 * i] for i in range(6)]
    counts = np.tile(np.array(row), (200_000, 1, 1))
    interval = bootstrap_ci(counts, iterations=3)
    assert interval.bounds.lower == interval.bounds.upper == interval.score.fraction
    narrow = counts[:, :, 0].astype(np.float32).cumsum(axis=0, dtype=np.float32)[-1]
    assert narrow[0] != 121 * 200_000


def test_bca_equals_scipy():
    scipy_stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
    source = random.Random("bca")
    for seed in range(10):
        [hypotheses], rows = random_corpus(source, source.choice([4, 5, 20, 40]))
        counts = chrf.counts(hypotheses, rows)
        ours = bootstrap_ci(
            hypotheses, rows, method="bca", iterations=999, seed=seed, distribution=True
        )

        def statistic(indices, axis=-1, counts=counts):
            indices = np.moveaxis(np.asarray(indices, dtype=np.int64), axis, -1)
            sums = counts[indices].sum(axis=indices.ndim - 1)
            scores = exact.row_scores(sums.reshape(-1, *counts.shape[1:]), Options())
            return scores.reshape(sums.shape[:-2])

        known = scipy_stats.bootstrap(
            (np.arange(len(rows)),), statistic, n_resamples=2, vectorized=True, method="percentile"
        )
        known.bootstrap_distribution = ours.distribution
        theirs = scipy_stats.bootstrap(
            (np.arange(len(rows)),),
            statistic,
            n_resamples=0,
            vectorized=True,
            method="BCa",
            bootstrap_result=known,
        ).confidence_interval
        # SciPy goes between the resamples on either side of the level; a bound of ours is one.
        low, high = estimates.bca_levels(
            float(ours), ours.distribution, estimates.jackknife(counts, Options()), 0.05
        )
        levels = np.percentile(ours.distribution, [100 * low, 100 * (1 - high)])
        assert levels.tolist() == pytest.approx([theirs.low, theirs.high], rel=1e-9)
        ordered = np.sort(ours.distribution)
        for bound, level in ((ours.lower, levels[0]), (ours.upper, levels[1])):
            place = np.searchsorted(ordered, level)
            assert bound in ordered[max(place - 2, 0) : place + 2]


def test_jackknife_is_the_score_without_each_segment():
    counts = chrf.counts(WORSE, REFERENCES)
    found = estimates.jackknife(counts, Options())
    for i in range(4):
        texts = [t[:i] + t[i + 1 :] for t in (WORSE, REFERENCES)]
        assert found[i] == float(chrf.corpus_score(*texts))


def test_an_alpha_without_half():
    for method in ("percentile", "bca"):
        for alpha in (5e-324, 0.0, 1.0):
            with pytest.raises(ValueError, match=r"alpha is .* between 0 and 1"):
                bootstrap_ci(WORSE, REFERENCES, alpha=alpha, method=method)
        for alpha in (1e-320, 1e-17, 1 - 2**-53):
            interval = bootstrap_ci(WORSE, REFERENCES, alpha=alpha, method=method)
            assert interval.lower <= interval.upper
