"""Enough resamples for the number of pairs, and a warning where there cannot be enough."""

import random
import warnings
from fractions import Fraction
from itertools import combinations, product
from statistics import NormalDist

import numpy as np
import pytest
from corpora import FEW_SEGMENTS, random_corpus, resampled

import chrf
from chrf.core import exact
from chrf.core.draws import default_draws, level_text, p_value_text
from chrf.stats import bootstrap_ci, estimates, paired_bootstrap, paired_permutation

TESTS = {"bootstrap": paired_bootstrap, "permutation": paired_permutation}


def ladder(systems, segments=30):
    """Counts of systems of which each is better than the next in every segment."""
    lengths = np.arange(segments) % 7 + 40
    return {
        f"s{i:02}": np.stack([lengths, lengths, lengths - 2 * i], axis=1)[:, np.newaxis]
        for i in range(systems)
    }


def significant(compared):
    return sum(pair.significant for pair in compared.pairs)


@pytest.mark.parametrize(
    ("kind", "systems", "settings", "draws"),
    [
        ("bootstrap", 2, {}, 1000),
        ("bootstrap", 3, {}, 1000),
        ("bootstrap", 4, {}, 1200),  # 6 pairs, 200 for each
        ("bootstrap", 4, {"adjust": "bh"}, 1200),
        ("bootstrap", 4, {"adjust": "none"}, 1000),
        ("bootstrap", 3, {"alpha": 0.01}, 3000),
        ("bootstrap", 2, {"alpha": 0.003}, 3334),
        ("permutation", 4, {}, 10000),
        ("permutation", 11, {}, 11000),  # 55 pairs
        ("permutation", 11, {"iterations": 7000}, 7000),
    ],
)
def test_the_number_that_nobody_gave_is_enough_for_the_pairs(kind, systems, settings, draws):
    result = TESTS[kind](ladder(systems), char_order=1, **settings)
    assert {pair.iterations for pair in result.pairs} == {draws}
    assert result.unresolved is None
    # Every system is better in every segment; what is left is resolution.
    assert significant(result) == len(result.pairs)
    assert len(result.clusters) == systems


def test_the_default_ends_somewhere():
    assert default_draws("bootstrap", 1000, 0.05) == 200_000
    assert default_draws("permutation", 10**6, 0.05) == 200_000


def test_many_systems_and_few_resamples_are_a_warning():
    """12 systems that differ in every segment, and sacreBLEU's number of resamples."""
    systems = ladder(12)
    with pytest.warns(UserWarning, match="no pair can be") as caught:
        result = paired_bootstrap(systems, char_order=1, iterations=1000)
    [warning] = caught
    assert warning.filename == __file__
    assert str(warning.message) == result.unresolved
    assert result.unresolved == (
        "no pair can be significant at alpha 0.05: 1000 resamples give no p-value below 0.0010, "
        "0.06593 after Holm's correction for 66 pairs; at least 1320 are needed, better 13200"
    )
    assert significant(result) == 0
    assert {pair.adjusted_p_value for pair in result.pairs} == {66 / 1001}
    assert result.to_dict()["unresolved"] == result.unresolved
    enough = paired_bootstrap(systems, char_order=1, iterations=1320)
    assert (significant(enough), enough.unresolved) == (66, None)
    free = paired_bootstrap(systems, char_order=1, iterations=1000, adjust="none")
    assert (significant(free), free.unresolved) == (66, None)


def test_permutations_have_the_warning_too():
    with pytest.warns(UserWarning, match="100 permutations give no p-value below 0.0099, 0.1485"):
        result = paired_permutation(ladder(6), char_order=1, iterations=100)
    assert significant(result) == 0
    with pytest.warns(
        UserWarning, match=r"alpha 0.001: 500 resamples give no p-value below 0.0020; at"
    ):
        paired_bootstrap(ladder(2), char_order=1, iterations=500, alpha=0.001)


def test_an_alpha_that_no_number_reaches():
    """Ten pairs by such an alpha is no double."""
    for kind, function in TESTS.items():
        assert default_draws(kind, 1, 1e-320) == 200_000
        with pytest.warns(UserWarning, match=r"; so many as it takes cannot be drawn$"):
            function(ladder(2, 1100), char_order=1, alpha=1e-320, iterations=10)


def test_benjamini_and_hochberg_can_find_several_where_one_would_be_too_few():
    """The smallest p-value times 15 is 0.1485: two pairs have 0.0743 at best, three 0.0495."""
    with pytest.warns(UserWarning, match=r"^fewer than 3 of 15 pairs cannot be significant"):
        result = paired_bootstrap(ladder(6), char_order=1, iterations=100, adjust="bh")
    assert significant(result) == 15
    for together in (2, 3):
        p_values = [1 / 101] * together + [1.0] * (15 - together)
        adjusted = estimates.adjusted_p_values(p_values, "bh")
        assert (adjusted[0] <= 0.05) == (together == 3)


@pytest.mark.parametrize("two_tailed", [True, False])
@pytest.mark.parametrize("segments", [2, 4, 5, 6])
def test_few_segments_are_a_warning(segments, two_tailed):
    """The first system is better in every segment, so that nothing could be more extreme."""
    systems = ladder(2, segments)
    signs = list(product([1, -1], repeat=segments))
    sums = [sum(flips) for flips in signs]
    extreme = sum((abs(s) if two_tailed else s) >= segments for s in sums)
    smallest = Fraction(extreme, len(signs))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = [
            function(systems, char_order=1, two_tailed=two_tailed) for function in TESTS.values()
        ]
    assert results[1].pairs[0].p_value == smallest
    assert bool(caught) == (smallest > Fraction(5, 100))
    if caught:
        limit = f"no permutation test of them has a p-value below {float(smallest):.6g}"
        assert [str(warning.message) for warning in caught] == [
            f"the systems differ in at most {segments} segments, too few for a paired bootstrap: "
            f"{limit}",
            "no pair can be significant at alpha 0.05: the systems differ in at most "
            f"{segments} segments, and {limit}",
        ]


def test_segments_without_a_difference_do_not_count():
    counts = ladder(2, 100)
    counts["s01"] = counts["s01"].copy()
    counts["s01"][5:] = counts["s00"][5:]
    message = "in at most 5 segments, and no permutation test of them has a p-value below 0.0625$"
    for budget in (None, 0):
        with pytest.warns(UserWarning, match=message):
            paired_permutation(counts, char_order=1, exact_budget=budget)
    third = {**counts, "s02": ladder(3, 100)["s02"]}
    assert paired_permutation(third, char_order=1).unresolved is None
    seven = ladder(4, 7)
    message = "below 0.015625, 0.09375 after Holm's correction for 6 pairs$"
    with pytest.warns(UserWarning, match=message):
        paired_permutation(seven, char_order=1)


def test_equal_systems_are_no_warning():
    counts = ladder(1)["s00"]
    for function in TESTS.values():
        assert function([counts, counts.copy()], char_order=1).unresolved is None


@pytest.mark.parametrize("segments", [3, 40, 2100])
def test_fewer_draws_are_the_first_of_more(segments):
    generator = np.random.default_rng(segments)
    counts = np.sort(generator.integers(1, 50, size=(3, segments, 6, 3)))[..., ::-1]
    systems = dict(zip("ABC", counts, strict=True))
    for kind, function in TESTS.items():
        own = {"exact_budget": 0} if kind == "permutation" else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            more, less = (
                function(systems, iterations=n, seed=3, distribution=True, **own)
                for n in (3000, 1001)
            )
        for a, b in zip(more.pairs, less.pairs, strict=True):
            assert (a.distribution[:1001] == b.distribution).all()


def test_sacrebleus_p_value_is_of_its_own_number():
    """With 8 systems there are 5,600 resamples; sacreBLEU's p-value is of the first 1,000."""
    generator = np.random.default_rng(8)
    counts = np.sort(generator.integers(1, 50, size=(8, 25, 6, 3)))[..., ::-1]
    systems = {str(i): rows for i, rows in enumerate(counts)}
    by_default = paired_bootstrap(systems)
    first = paired_bootstrap(systems, iterations=1000, adjust="none")
    longer = paired_bootstrap(systems, iterations=5600)
    assert {pair.iterations for pair in by_default.pairs} == {5600}
    theirs = [pair.sacrebleu_p_value for pair in by_default.pairs]
    assert theirs == [pair.sacrebleu_p_value for pair in first.pairs]
    assert theirs != [pair.sacrebleu_p_value for pair in longer.pairs]


def test_adjusted_p_values_by_hand():
    p_values = [0.01, 0.02, 0.03, 0.5]
    assert estimates.adjusted_p_values(p_values, "none") == p_values
    assert estimates.adjusted_p_values(p_values, "holm") == [0.04, 0.06, 0.06, 0.5]
    assert estimates.adjusted_p_values(p_values, "bh") == [0.04, 0.04, 0.04, 0.5]
    # One is carried down from a later one, and none is above 1.
    assert estimates.adjusted_p_values([0.9, 0.04, 0.03], "bh") == [0.9, 0.06, 0.06]


def test_benjamini_and_hochberg_equals_its_definition():
    """The step-up procedure: the k smallest are rejected, k the last with p(k) <= alpha k / m."""
    generator = np.random.default_rng(5)
    for size in range(1, 30):
        p_values = (generator.random(size) ** 3).round(3).tolist()
        adjusted = estimates.adjusted_p_values(p_values, "bh")
        ascending = sorted(p_values)
        for alpha in (0.0101, 0.0503, 0.2007):  # no multiple of 1/1000 is a threshold
            passed = [k for k, p in enumerate(ascending, 1) if p <= alpha * k / size]
            rejected = ascending[: max(passed, default=0)]
            assert (
                sorted(p for p, a in zip(p_values, adjusted, strict=True) if a <= alpha) == rejected
            )


@pytest.mark.parametrize("adjust", ["holm", "bh", "none"])
def test_adjustment_reaches_significance_ranks_and_signature(adjust):
    generator = np.random.default_rng(1)
    counts = np.sort(generator.integers(1, 50, size=(5, 40, 6, 3)))[..., ::-1].copy()
    for i in range(5):
        counts[i, :, :, 2] = counts[i, :, :, 2] * (20 - 2 * i) // 20
    systems = {str(i): rows for i, rows in enumerate(counts)}
    for function in TESTS.values():
        result = function(systems, adjust=adjust)
        p_values = [pair.p_value for pair in result.pairs]
        adjusted = estimates.adjusted_p_values(p_values, adjust)
        assert [pair.adjusted_p_value for pair in result.pairs] == adjusted
        assert {(pair.adjust, pair.family) for pair in result.pairs} == {(adjust, 10)}
        assert ("|adjust:" in result.pairs[0].signature) == (adjust != "holm")
        better = {
            (p.first, p.second) if p.difference > 0 else (p.second, p.first)
            for p, a in zip(result.pairs, adjusted, strict=True)
            if a <= 0.05
        }
        names = [system.name for system in result.systems]
        assert [(s.rank, s.cluster) for s in result.systems] == estimates.ranking(names, better)
        legend = {
            "holm": "Holm over all 10 pairs",
            "bh": "Benjamini and Hochberg over all 10 pairs",
            "none": "no correction",
        }
        what = f"two-tailed p; adjusted p, rank and cluster: {legend[adjust]}, alpha 0.05"
        assert result.legend == what
        assert str(result).endswith(f"\n{what}")
    with pytest.raises(ValueError, match=r"^adjust is 'holms'; it must be one of 'holm', 'bh'"):
        function(systems, adjust="holms")


@FEW_SEGMENTS
def test_intervals_of_a_paired_bootstrap_have_a_number_of_their_own():
    systems = ladder(3, 12)
    settings = {"char_order": 1, "seed": 9}
    alone = {name: bootstrap_ci(c, iterations=400, **settings) for name, c in systems.items()}
    every = paired_bootstrap(systems, iterations=900, **settings)
    for shown in (400, 1500):
        result = paired_bootstrap(systems, iterations=900, interval_iterations=shown, **settings)
        assert [p.p_value for p in result.pairs] == [p.p_value for p in every.pairs]
        assert [p.sacrebleu_p_value for p in result.pairs] == [
            p.sacrebleu_p_value for p in every.pairs
        ]
        assert {p.iterations for p in result.pairs} == {900}
        assert f"|bs:900|cin:{shown}|seed:9|" in result.pairs[0].signature
        whole = paired_bootstrap(systems, iterations=shown, **settings)
        assert [p.bounds for p in result.pairs] == [p.bounds for p in whole.pairs]
        assert [s.bounds for s in result.systems] == [s.bounds for s in whole.systems]
        for system in result.systems:
            assert shown != 400 or system.bounds == alone[system.name].bounds
    none = paired_bootstrap(systems, iterations=900, interval_iterations=0, **settings)
    assert {p.bounds for p in none.pairs} == {s.bounds for s in none.systems} == {None}
    assert "|bs:900|seed:9|" in none.pairs[0].signature
    assert "|bs:900|seed:9|" in every.pairs[0].signature


def test_a_p_value_has_the_digits_that_its_draws_resolve():
    for draws, p_value, text in (
        (1, 1.0, "1.0000"),
        (9, 1 / 10, "0.1000"),
        (1000, 1 / 1001, "0.0010"),
        (10000, 1 / 10001, "0.0001"),
        (10001, 1 / 10002, "0.00010"),
        (20000, 1 / 20001, "0.00005"),
        (21000, 105 / 21001, "0.00500"),
        (10**6, 1 / (10**6 + 1), "0.000001"),
        (128, 2 / 128, "0.0156"),
    ):
        assert p_value_text(p_value, draws) == text
    for draws in (*range(1, 3000), 19999, 20001, 99999, 100001, 2**30):
        assert float(p_value_text(1 / (draws + 1), draws)) > 0
    pair = paired_permutation(ladder(2), char_order=1, iterations=20000).pairs[0]
    assert pair.p_value == 1 / 20001
    assert "p = 0.00005 (" in str(pair)
    three = paired_permutation(ladder(3), char_order=1, iterations=20000)
    assert "p = 0.00005, adjusted 0.00015 (" in str(three)


def test_level_method_tails_and_adjustment_are_in_the_signature():
    """Where they are not the usual ones: sacreBLEU's signatures stay as they are."""
    systems = ladder(2)
    one = systems["s00"]
    seen = {}
    for name, settings in {
        "usual": {},
        "level": {"alpha": 0.4},
        "method": {"method": "bca"},
        "both": {"alpha": 0.001, "method": "bca"},
    }.items():
        seen[name] = bootstrap_ci(one, char_order=1, **settings).signature
    assert "|seed:12345|case:" in seen["usual"]
    assert "|seed:12345|ci:60|case:" in seen["level"]
    assert "|seed:12345|method:bca|case:" in seen["method"]
    assert "|seed:12345|ci:99.9|method:bca|case:" in seen["both"]
    for function in TESTS.values():
        signatures = [
            function(systems, char_order=1, **settings).pairs[0].signature
            for settings in (
                {},
                {"alpha": 0.4},
                {"two_tailed": False},
                {"adjust": "bh", "alpha": 0.1, "two_tailed": False},
            )
        ]
        for signature, part in zip(
            signatures, ("|", "|ci:60|", "|tails:1|", "|ci:90|tails:1|adjust:bh|"), strict=True
        ):
            assert f"|seed:12345{part}case:" in signature
    interval = bootstrap_ci(one, char_order=1, alpha=0.4)
    assert str(interval) == f"{interval.score} 60% {interval.bounds}"
    pair = paired_permutation(systems, char_order=1, alpha=0.4).pairs[0]
    assert f" 60% {pair.bounds}, p = 0.0001" in str(pair)
    usual = paired_permutation(systems, char_order=1).pairs[0]
    assert f"{exact.decimal_text(usual.difference)} {usual.bounds}, p = 0.0001" in str(usual)
    assert [level_text(a) for a in (0.05, 0.9, 0.1 + 0.2, 1 - 2**-53, 1e-8, 1e-320)] == [
        *("95", "10", "69.999999999999996", "0.00000000000001", "99.999999", "100-1E-318")
    ]
    assert all(a != b for a, b in combinations(seen.values(), 2))


@FEW_SEGMENTS
def test_bca_interval_of_a_difference_equals_its_definition():
    """From text again, resample by resample and without each segment; the normal is Python's."""
    source = random.Random("bca of a difference")
    normal = NormalDist()
    moved = 0
    for seed in range(8):
        (first, second), rows = random_corpus(source, source.randint(7, 12), systems=2)
        [pair] = paired_bootstrap(
            [first, second], rows, iterations=60, alpha=0.2, seed=seed, interval_method="bca"
        ).pairs
        a, b = (resampled(texts, rows, 60, seed) for texts in (first, second))
        drawn = sorted(x - y for x, y in zip(a, b, strict=True))
        share = sum((d < pair.difference) + (d <= pair.difference) for d in drawn) / 120
        without = [
            float(
                chrf.corpus_score(*([*s[:i], *s[i + 1 :]] for s in (first, rows))).fraction
                - chrf.corpus_score(*([*s[:i], *s[i + 1 :]] for s in (second, rows))).fraction
            )
            for i in range(len(rows))
        ]
        mean = sum(without) / len(without)
        cubes, squares = (sum((mean - x) ** power for x in without) for power in (3, 2))
        a_hat, z0 = cubes / (6 * squares**1.5), normal.inv_cdf(min(max(share, 1 / 120), 119 / 120))
        places = []
        for z in (normal.inv_cdf(0.1), normal.inv_cdf(0.9)):
            level = normal.cdf(z0 + (z0 + z) / (1 - a_hat * (z0 + z)))
            places.append(60 * level)
        low, high = int(places[0]), 59 - int(60 - places[1])
        assert (pair.bounds.lower, pair.bounds.upper) == (drawn[low], drawn[high])
        assert "|bs:60|seed:" in pair.signature
        assert "|ci:80|method:bca|" in pair.signature
        moved += (low, high) != (6, 53)
    assert moved


def test_intervals_by_bca_reach_every_record():
    systems = ladder(3, 40)
    for function in TESTS.values():
        result = function(systems, char_order=1, interval_method="bca")
        assert {pair.interval_method for pair in result.pairs} == {"bca"}
        assert {pair.interval_iterations for pair in result.pairs} == {1000}
        for system in result.systems:
            alone = bootstrap_ci(systems[system.name], char_order=1, method="bca")
            assert system.bounds == alone.bounds
        with pytest.raises(ValueError, match=r"^interval_method is 'b'; it must be "):
            function(systems, char_order=1, interval_method="b")
