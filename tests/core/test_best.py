"""The best of several references: the first with the highest exact score, at a bounded price."""

import random
from array import array
from itertools import pairwise

import pytest

import chrf
from chrf.core import exact
from chrf.core.best import best_references

OPTIONS = [
    {},
    {"char_order": 2, "word_order": 2},
    {"char_order": 1, "averaging": "per_order_f", "beta": 1},
]


def chosen_by_fractions(flat, starts, options):
    """The same choice, from exact scores alone."""
    width = 3 * options.order_count
    rows = [flat[i : i + width] for i in range(0, len(flat), width)]
    scores = [exact.score(exact.triples(row), options) for row in rows]
    best, tied = array("q"), []
    for a, b in pairwise(starts):
        top = max(scores[a:b])
        best += rows[scores.index(top, a, b)]
        tied.append(scores[a:b].count(top) > 1)
    return best, tied


def row(rng, orders, largest):
    """Counts of a segment, small ones, of which many have no match and many are alike."""
    counts = []
    for _ in range(orders):
        hypothesis, reference = rng.randint(0, largest), rng.randint(0, largest)
        matches = rng.choice([0, 0, min(hypothesis, reference)])
        counts += [hypothesis, reference, rng.randint(0, matches)]
    return counts


@pytest.mark.parametrize("keywords", OPTIONS, ids=str)
@pytest.mark.parametrize("largest", [1, 2, 4, 30])
def test_the_choice_is_that_of_the_fractions(keywords, largest):
    options, rng = chrf.Options(**keywords), random.Random(largest)
    flat, starts = array("q"), [0]
    for _ in range(600):
        rows = [row(rng, options.order_count, largest) for _ in range(rng.randint(1, 4))]
        rows = rng.choices(rows, k=rng.randint(1, 6))
        for counts in rows:
            flat.extend(counts)
        starts.append(starts[-1] + len(rows))
    block = best_references(flat, starts, options)
    assert (block.flat, block.tied) == chosen_by_fractions(flat, starts, options)
    assert {*block.tied} == {True, False}


def test_the_least_score_above_0_is_above_0():
    """So that references whose nearest double is 0 all have the exact score 0."""
    most = 2**63 - 1
    for beta in (1, 10**9):
        options = chrf.Options(char_order=10, beta=beta)
        least = array("q", [most, most, 1] + [most, most, 0] * 9)
        assert exact.nearest_doubles(least, options)[0] > 0
        none = array("q", [most, most, 0] * 10)
        block = best_references(none + least, [0, 2], options)
        assert (block.flat, block.tied) == (least, [False])


@pytest.mark.parametrize(
    ("hypothesis", "references", "fractions"),
    [
        ("abc", ["xyz", "uv", "", "w"], 0),
        ("", ["abc", "ab", "a", ""], 0),
        ("the cat", ["the cat sat", "a cat", "the cat sat", "the cat sat"], 0),
        ("ab", ["ab", "b", "ab", "ab "], 0),
        ("aabb", ["ab", "aabbaabb"] * 3, 2),  # precision and recall change places: beta is 1
    ],
)
def test_ties_are_decided_without_needless_fractions(
    monkeypatch, hypothesis, references, fractions
):
    calls, score = [], exact.score

    def counted(*arguments):
        calls.append(arguments)
        return score(*arguments)

    monkeypatch.setattr(exact, "score", counted)
    scorer = chrf.Scorer([references], char_order=1, beta=1)
    for counts in (
        chrf.counts([hypothesis], [references], char_order=1, beta=1),
        scorer.counts([hypothesis]),
    ):
        assert counts.shape == (1, 1, 3)
    assert len(calls) == 2 * fractions
