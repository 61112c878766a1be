"""`power`: against SciPy's normal distribution, plain loops over segments, and simulation."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from corpora import BETTER, REFERENCES, WORSE, random_corpus, random_edit

import chrf
from chrf.stats import paired_bootstrap, paired_permutation, power


def two_systems(segments, worse=0.15):
    """Two systems that err in different segments, and the second once more in some of them."""
    source = random.Random("b")
    (first, second), rows = random_corpus(source, segments, 2)
    second = [random_edit(source, t) if source.random() < worse else t for t in second]
    return {"A": first, "B": second}, rows


def jackknife_error(first, second, rows):
    """The standard error the slow way: the difference without each segment, from text."""
    n = len(rows)

    def difference(kept):
        a, b = (
            chrf.corpus_score([texts[i] for i in kept], [rows[i] for i in kept]).fraction
            for texts in (first, second)
        )
        return a - b

    left_out = [difference([j for j in range(n) if j != i]) for i in range(n)]
    mean = sum(left_out) / n
    return math.sqrt(float(Fraction(n - 1, n) * sum((d - mean) ** 2 for d in left_out)))


@pytest.mark.parametrize("two_tailed", [True, False])
@pytest.mark.parametrize(("alpha", "tests"), [(0.05, 1), (0.01, 1), (0.05, 105)])
def test_power_equals_its_definition(two_tailed, alpha, tests):
    norm = pytest.importorskip("scipy.stats").norm
    systems, rows = two_systems(25, worse=1)
    settings = {"alpha": alpha, "two_tailed": two_tailed, "tests": tests}
    found = power(systems, rows, power=0.9, segments=[10, 25, 1000], **settings)
    error = jackknife_error(*systems.values(), rows)
    observed = float(paired_permutation(systems, rows)["A", "B"])
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    assert float(found.difference) == observed > 0
    quantile = norm.isf(alpha / tests / (2 if two_tailed else 1))
    for n in (10, 25, 1000):
        scaled = error * math.sqrt(25 / n)
        smallest = found.smallest_difference(n)
        # The share of normal differences around the smallest one that are significant.
        assert norm.sf(quantile, loc=smallest / scaled) == pytest.approx(0.9, rel=1e-9)
        assert found.power_of(n) == pytest.approx(norm.sf(quantile - observed / scaled), rel=1e-9)
    needed = found.segments_needed
    for n, enough in ((needed - 1, False), (needed, True)):
        assert (found.power_of(n) >= 0.9) is enough
    same = power(list(systems.values()), rows, power=0.9, **settings)
    assert same.sizes == (25,)
    assert same.smallest_difference() == found.smallest_difference(25)


def test_a_given_difference():
    systems, rows = two_systems(25, worse=1)
    counts = {name: chrf.counts(texts, rows) for name, texts in systems.items()}
    for sign in (1, -1):
        found = power(counts, difference=sign * 0.1)
        assert found.difference == Fraction(sign, 10)
        assert found.power_of(found.segments_needed) >= 0.8
    assert power(counts, difference=-0.1, two_tailed=False).segments_needed is None
    assert power(counts, difference=-0.1, two_tailed=False).power_of(10**6) < 1e-3
    # No permutation test of fewer segments has a p-value of 0.05, or after Holm of 0.05 / 105.
    assert power(counts, difference=100).segments_needed == 6
    assert power(counts, difference=100, two_tailed=False).segments_needed == 5
    assert power(counts, difference=100, tests=105).segments_needed == 13


def test_simulated_test_sets_are_as_powerful_as_predicted():
    """Test sets drawn from a population whose difference is known; seeded, so always the same."""
    systems, rows = two_systems(400)
    counts = {name: chrf.counts(texts, rows) for name, texts in systems.items()}
    generator = np.random.default_rng(13)
    for n in (60, 240, 600):
        predicted = power(counts, segments=n).power_of(n)
        significant = 0
        for _ in range(300):
            drawn = generator.integers(0, 400, size=n)
            sets = {name: table[drawn] for name, table in counts.items()}
            [pair] = paired_permutation(
                sets, iterations=199, exact_budget=0, interval_iterations=0
            ).pairs
            significant += pair.significant and pair.difference > 0
        # Two standard deviations of 300 sets are 0.06.
        assert significant / 300 == pytest.approx(predicted, abs=0.09)
    assert predicted > 0.8


@pytest.mark.parametrize("test", [paired_bootstrap, paired_permutation])
def test_power_beside_the_tests(test):
    """At the level and tails of the test, and for as many pairs as its correction counts."""
    systems, rows = two_systems(25, worse=1)
    systems["C"] = [line[0][2:] for line in rows]
    for adjust, tests in (("holm", 3), ("bh", 3), ("none", 1)):
        result = test(systems, rows, power=0.7, adjust=adjust, alpha=0.1)
        for pair in result.pairs:
            two = {name: systems[name] for name in (pair.first, pair.second)}
            assert pair.power == power(two, rows, power=0.7, alpha=0.1, tests=tests)
            assert pair.to_dict()["power"] == pair.power.to_dict()
            turned = pair.swapped().power
            assert turned.difference == -pair.power.difference
            assert turned.segments_needed == pair.power.segments_needed
    one = {name: systems[name] for name in ("A", "B")}
    pair = test(one, rows, power=0.7, two_tailed=False)["A", "B"]
    assert pair.power == power(one, rows, power=0.7, two_tailed=False)
    assert test(one, rows)["A", "B"].power is None
    equal = test([systems["A"], systems["A"]], rows, power=0.7).pairs[0]
    assert equal.power is None


def test_printed_and_as_a_dictionary():
    systems, rows = two_systems(25, worse=1)
    found = power(systems, rows, segments=(25, 50), difference=Fraction(1))
    assert str(found).splitlines()[0] == (
        f"25 segments show {found.smallest_difference(25):.2f} points with power 0.8, and 1.00 "
        f"points with power {found.power_of(25):.2f}"
    )
    assert str(found).endswith(
        f"\n{found.segments_needed} segments show 1.00 points with power 0.8"
    )
    record = found.to_dict()
    assert record["difference"] == "1.000000"
    assert (record["segments"], record["power"], record["tests"]) == (25, 0.8, 1)
    assert record["segments_needed"] == found.segments_needed
    assert [size["segments"] for size in record["sizes"]] == [25, 50]
    assert record["sizes"][1]["smallest_difference"] == found.smallest_difference(50)
    assert record["sizes"][1]["power_of_difference"] == found.power_of(50)


@pytest.mark.parametrize(
    ("systems", "settings", "error", "message"),
    [
        ([BETTER], {}, ValueError, "power is of two systems, not of 1"),
        ([BETTER] * 3, {}, ValueError, "power is of two systems, not of 3"),
        ([BETTER, BETTER], {}, ValueError, "is the same without each of the segments"),
        ([BETTER, WORSE[:3]], {}, ValueError, "system 2: hypotheses has 3 items but references"),
        ([BETTER, WORSE], {"segments": 1}, ValueError, "segments is 1; it must be an integer"),
        ([BETTER, WORSE], {"segments": [5, 1]}, ValueError, r"segments\[1\] is 1; it must be"),
        ([BETTER, WORSE], {"segments": 2.5}, TypeError, "segments is 2.5; it must be"),
        ([BETTER, WORSE], {"segments": "12"}, TypeError, "segments is a str; give a list"),
        ([BETTER, WORSE], {"difference": 0}, ValueError, "difference is 0; it must be"),
        ([BETTER, WORSE], {"difference": 101}, ValueError, "difference is 101; it must be"),
        ([BETTER, WORSE], {"difference": float("nan")}, ValueError, "difference is nan; it"),
        ([BETTER, WORSE], {"difference": "1"}, TypeError, "difference is '1'; it must be"),
        ([BETTER, WORSE], {"power": 1.0}, ValueError, "power is 1.0; it must be a number"),
        ([BETTER, WORSE], {"tests": 0}, ValueError, "tests is 0; it must be an integer of at"),
        ([BETTER, WORSE], {"alpha": 1.0}, ValueError, "alpha is 1.0; it must be a number"),
        ([BETTER, WORSE], {"two_tailed": 1}, TypeError, "two_tailed is 1; it must be True or"),
        ([BETTER, WORSE], {"bta": 1}, TypeError, "unknown option 'bta'"),
    ],
)
def test_what_cannot_be_planned(systems, settings, error, message):
    with pytest.raises(error, match=message):
        power(systems, REFERENCES, **settings)


def test_one_segment_has_no_standard_error():
    with pytest.raises(ValueError, match="there is one segment; a standard error needs at least"):
        power([["a b"], ["a c"]], ["a b"])
