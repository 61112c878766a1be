"""What stands beside a p-value: tests with one tail, their matrix, equivalence within a margin."""

import random
from fractions import Fraction
from itertools import product
from math import isnan

import numpy as np
import pytest
from corpora import BETTER, FEW_SEGMENTS, REFERENCES, WORSE, random_corpus, resampled

import chrf
from chrf import Options
from chrf.core import exact
from chrf.stats import Equivalence, paired_bootstrap, paired_permutation

pytestmark = FEW_SEGMENTS

TESTS = {"bootstrap": paired_bootstrap, "permutation": paired_permutation}
SYSTEMS = {"A": BETTER, "B": WORSE, "C": REFERENCES[::-1]}


def swapped_differences(first, second, rows):
    """Of every swap of segments, the exact difference; the first is the observed one."""
    counts = [chrf.counts(texts, rows) for texts in (first, second)]
    result = []
    for swaps in product([False, True], repeat=len(rows)):
        swap = np.array(swaps)[:, None, None]
        a, b = (
            exact.score(np.where(swap, y, x).sum(axis=0).tolist(), Options())
            for x, y in (counts, counts[::-1])
        )
        result.append(a - b)
    return result


def test_one_tailed_p_values_equal_enumeration():
    source = random.Random("one tail")
    for _ in range(40):
        (first, second), rows = random_corpus(source, source.randint(1, 6), 2)
        differences = swapped_differences(first, second, rows)
        observed = differences[0]
        better = sum(d >= observed for d in differences) / len(differences)
        worse = sum(-d >= -observed for d in differences) / len(differences)
        pair = paired_permutation([first, second], rows, interval_iterations=0).pairs[0]
        assert pair.one_tailed == (better, worse)
        assert pair.swapped().one_tailed == (worse, better)
        one = paired_permutation([first, second], rows, two_tailed=False, interval_iterations=0)
        assert one.pairs[0].p_value == better
        assert one.pairs[0].one_tailed == (better, worse)


def test_one_tailed_p_values_of_draws():
    """Those of the test with one tail, of either direction, with the same draws."""
    for name, test in TESTS.items():
        settings = {"iterations": 300} | ({"exact_budget": 0} if name == "permutation" else {})
        for names in (("A", "B"), ("B", "C"), ("C", "A")):
            systems = {name: SYSTEMS[name] for name in names}
            pair = test(systems, REFERENCES, **settings).pairs[0]
            turned = dict(reversed(systems.items()))
            expected = tuple(
                test(given, REFERENCES, two_tailed=False, **settings).pairs[0].p_value
                for given in (systems, turned)
            )
            assert pair.one_tailed == expected
            assert pair.to_dict()["one_tailed_p_values"] == list(expected)
            assert min(expected) <= pair.p_value


def test_matrix_is_that_of_the_wmt24_metrics_task():
    """What Thompson's code computes, with segments swapped by the same numbers.

    Its score is a mean over segments and ours that of the corpus; and it has no "+ 1".
    """
    source = random.Random("matrix")
    hypotheses, rows = random_corpus(source, 40, 4)
    names = ["d", "a", "c", "b"]
    systems = dict(zip(names, hypotheses, strict=True))
    result = paired_permutation(systems, rows, iterations=200, seed=4)
    matrix = result.p_matrix()
    assert matrix.shape == (4, 4)
    assert result.names == tuple(names)
    assert [system.name for system in result.systems] != names  # those are ranked
    kept = np.random.default_rng(4).integers(2, size=(200, 40), dtype=bool)
    counts = [chrf.counts(texts, rows) for texts in hypotheses]
    for i, j in product(range(4), repeat=2):
        if i == j:
            assert isnan(matrix[i, j])
            continue
        observed = difference_of(counts[i], counts[j])
        extreme = 0
        for row in kept:
            stay = row[:, None, None]
            delta = difference_of(
                np.where(stay, counts[i], counts[j]), np.where(stay, counts[j], counts[i])
            )
            extreme += delta >= observed
        assert matrix[i, j] == (extreme + 1) / 201
    assert matrix[0, 1] == result["d", "a"].one_tailed[0] == result["a", "d"].one_tailed[1]


def difference_of(first, second):
    a, b = (exact.score(c.sum(axis=0).tolist(), Options()) for c in (first, second))
    return a - b


def test_equal_systems_have_ones_in_the_matrix():
    matrix = paired_permutation([BETTER, BETTER], REFERENCES).p_matrix()
    assert matrix.tolist()[0][1] == matrix.tolist()[1][0] == 1
    assert isnan(matrix[0, 0])


def test_equivalence_equals_its_definition():
    """From text again, by fractions: the distribution is moved to either end of the margin."""
    source = random.Random("equivalence")
    seen = set()
    for seed in range(60):
        (first, second), rows = random_corpus(source, source.randint(2, 6), 2)
        within = source.choice([Fraction(1, 2), 5, 20, 60.5])
        a, b = (resampled(texts, rows, 30, seed) for texts in (first, second))
        differences = [x - y for x, y in zip(a, b, strict=True)]
        observed = (
            chrf.corpus_score(first, rows).fraction - chrf.corpus_score(second, rows).fraction
        )
        margin = Fraction(within)
        above = sum(d - observed + margin <= observed for d in differences)
        below = sum(d - observed - margin >= observed for d in differences)
        settings = {"within": within, "seed": seed, "alpha": 0.2}
        for pair in (
            paired_bootstrap([first, second], rows, iterations=30, **settings).pairs[0],
            paired_bootstrap([second, first], rows, iterations=30, **settings)[
                "system 2", "system 1"
            ],
        ):
            found = pair.equivalence
            assert (found.extreme, found.iterations) == (max(above, below), 30)
            assert found.p_value == found.adjusted_p_value == (max(above, below) + 1) / 31
            assert found.equivalent == (found.p_value <= 0.2)
        seen.add(found.equivalent)
    assert seen == {True, False}


def test_equivalence_needs_a_difference_below_the_margin():
    n = 200
    references = [f"{i} some words of line {i * i}" for i in range(n)]
    systems = {
        "A": [line[1:] for line in references],
        "B": [line[1:] if i % 20 else line[2:] for i, line in enumerate(references)],
        "C": [line[4:] for line in references],
    }
    for test in TESTS.values():
        result = test(systems, references, within=2)
        near, far = result["A", "B"], result["A", "C"]
        assert 0 < float(near) < 2 < float(far)
        assert near.equivalence.equivalent
        assert near.significant  # the difference is real, and small
        assert far.equivalence.p_value > 0.9
        assert not far.equivalence.equivalent
        assert test(systems, references)["A", "B"].equivalence is None
    # A margin as large as the difference itself cannot be met.
    exactly = float(far.difference)
    p = paired_bootstrap(systems, references, within=exactly)["A", "C"].equivalence.p_value
    assert 0.3 < p < 0.7


def test_equivalence_has_the_resamples_that_the_pairs_need():
    """As many as a paired bootstrap of so many pairs makes, not the 1,000 of the intervals."""
    lengths = np.arange(30) % 7 + 40
    systems = {
        f"s{i:02}": np.stack([lengths, lengths, lengths - 2 - (lengths + i) % 2], axis=1)[:, None]
        for i in range(6)
    }
    result = paired_permutation(systems, char_order=1, within=30)
    assert {pair.equivalence.iterations for pair in result.pairs} == {3000}
    assert {pair.interval_iterations for pair in result.pairs} == {1000}
    assert all(pair.equivalence.equivalent for pair in result.pairs)
    assert {pair.equivalence.adjusted_p_value for pair in result.pairs} == {15 * (1 / 3001)}
    none = paired_permutation(systems, char_order=1, within=30, interval_iterations=0)
    assert [pair.equivalence for pair in none.pairs] == [p.equivalence for p in result.pairs]
    assert {pair.bounds for pair in none.pairs} == {None}
    plain = paired_permutation(systems, char_order=1)
    assert [pair.bounds for pair in plain.pairs] == [pair.bounds for pair in result.pairs]


def test_equivalence_is_printed_and_in_the_signature():
    pair = paired_permutation([BETTER, WORSE], REFERENCES, within=0.1).pairs[0]
    assert pair.equivalence == Equivalence(
        within=Fraction(1, 10),
        extreme=pair.equivalence.extreme,
        iterations=1000,
        p_value=(pair.equivalence.extreme + 1) / 1001,
        adjusted_p_value=(pair.equivalence.extreme + 1) / 1001,
        alpha=0.05,
    )
    assert str(pair).endswith(f", within 0.1: p = {pair.equivalence.p_value:.4f}")
    assert "|within:0.1|" in pair.signature
    assert pair.to_dict()["equivalence"] == {
        "within": "0.1",
        "extreme": pair.equivalence.extreme,
        "iterations": 1000,
        "p_value": pair.equivalence.p_value,
        "adjusted_p_value": pair.equivalence.p_value,
        "alpha": 0.05,
        "equivalent": False,
    }
    assert pair.legend.endswith("; p within: of two one-sided tests, adjusted in the same way")
    assert "equivalence" not in paired_permutation([BETTER, WORSE], REFERENCES).pairs[0].to_dict()


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"within": 0}, ValueError),
        ({"within": -1}, ValueError),
        ({"within": float("nan")}, ValueError),
        ({"within": 100.5}, ValueError),
        ({"within": True}, TypeError),
        ({"within": "1"}, TypeError),
        ({"power": 1.0}, ValueError),
        ({"power": 0.05}, ValueError),
        ({"power": float("nan")}, ValueError),
        ({"power": 1}, TypeError),
        ({"power": True}, TypeError),
    ],
)
def test_numbers_out_of_range(given, error):
    for test in TESTS.values():
        with pytest.raises(error, match=f"^{next(iter(given))} is .*; it must be a number"):
            test([BETTER, WORSE], REFERENCES, **given)
