"""Scores beside each other and beside numbers: order, equality, rounding, differences."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

import chrf

CATS = ["the cat sits", "it rained"], ["the cat sat", "it rains"]


def ordered(a, b):
    return a < b, a <= b, a > b, a >= b


LESS, EQUAL, MORE, NEITHER = (
    (True, True, False, False),
    (False, True, False, True),
    (False, False, True, True),
    (False, False, False, False),
)


@pytest.fixture
def low():
    return chrf.corpus_score(*CATS)


@pytest.fixture
def high():
    return chrf.corpus_score(["the cat sat"], ["the cat sat"])


def test_scores_are_ordered_by_their_exact_values(low, high):
    assert ordered(low, high) == LESS
    assert ordered(high, low) == MORE
    assert max([low, high]) is high
    assert sorted([high, low]) == [low, high]


def test_random_scores_are_ordered_as_their_fractions(low):
    source = random.Random(12)
    texts = [["".join(source.choices("ab ", k=8))] for _ in range(60)]
    scores = [chrf.corpus_score(text, ["abba ab"]) for text in texts]
    assert [s.fraction for s in sorted(scores)] == sorted(s.fraction for s in scores)


def test_scores_nearer_than_doubles_are_told_apart():
    def score(matches):
        options = chrf.Options(char_order=1, beta=1)
        return chrf.Score(((10**20, 10**20, matches),), options, 1)

    near, nearer = score(10**19), score(10**19 + 1)
    assert float(near) == float(nearer) == 10.0
    assert ordered(near, nearer) == LESS
    assert ordered(near, 10.0) == EQUAL
    assert ordered(nearer, 10.0) == MORE
    assert near == 10 != nearer


def test_equal_values_of_different_corpora():
    once = chrf.corpus_score(["ab"], ["ab"])
    twice = chrf.corpus_score(["ab", "ab"], ["ab", "ab"])
    assert once != twice  # they hold other counts
    assert ordered(once, twice) == EQUAL
    assert once - twice == 0
    assert hash(once) == hash(twice) == hash(100)


@pytest.mark.parametrize("number", [100, 100.0, Fraction(100), np.int64(100), np.float64(100)])
def test_numbers(low, high, number):
    assert high == number == high
    assert hash(high) == hash(number)
    assert low != number != low
    assert ordered(high, number) == ordered(number, high) == EQUAL
    assert ordered(low, number) == LESS
    assert ordered(number, low) == MORE


def test_a_double_is_taken_exactly(low):
    nearest = float(low)
    assert low.fraction != Fraction(nearest)
    assert low != nearest
    assert (low < nearest) is (low.fraction < Fraction(nearest))
    assert ordered(low, np.float32(68)) == MORE


def test_no_number(low):
    nan = math.nan
    assert ordered(low, nan) == ordered(nan, low) == NEITHER
    assert low != nan
    assert ordered(low, math.inf) == LESS
    assert ordered(low, -math.inf) == MORE
    for other in ("68", None, [68], 68j):
        assert low != other
        with pytest.raises(TypeError):
            low < other  # noqa: B015
        with pytest.raises(TypeError):
            low - other


@pytest.mark.parametrize(
    ("keywords", "named"),
    [
        ({"word_order": 2}, "word_order (0 and 2)"),
        ({"lowercase": True}, "lowercase (False and True)"),
        ({"beta": Fraction(1, 2)}, "beta (2 and 1/2)"),
        ({"rule": "sacrebleu"}, "rule (all and sacrebleu)"),
    ],
)
def test_other_options(low, keywords, named):
    other = chrf.corpus_score(*CATS, **keywords)
    assert low != other
    for compare in (
        lambda: low < other,
        lambda: low <= other,
        lambda: low > other,
        lambda: low >= other,
        lambda: low - other,
    ):
        with pytest.raises(ValueError, match="of different options cannot be compared: ") as caught:
            compare()
        assert str(caught.value).endswith(f": {named}")


def test_differences_are_exact(low, high):
    assert high - low == 100 - low.fraction == 100 - low
    assert type(high - low) is Fraction
    assert low - 50 == low.fraction - 50
    assert low - Fraction(1, 3) == low.fraction - Fraction(1, 3)
    assert low - 0.5 == low.fraction - 0.5  # as Fraction does it: a float
    assert math.isnan(low - math.nan)


def test_score_is_the_nearest_double(low):
    assert low.score == float(low.fraction)
    assert type(low.score) is float


def test_rounding_is_of_the_exact_value(low):
    assert [round(low), round(low, 2)] == [68, 68.04]
    assert [type(round(low)), type(round(low, 2))] == [int, float]
    assert round(low, -1) == 70.0
    for places in range(12):
        assert round(low, places) == float(format(low, f".{places}f"))
    assert [round(low, 10**8), round(low, -(10**8))] == [float(low.fraction), 0.0]


def test_ties_are_rounded_to_even():
    def score(matches, ngrams):
        options = chrf.Options(char_order=1, beta=1)
        return chrf.Score(((ngrams, ngrams, matches),), options, 1)

    assert round(score(125, 1000)) == 12
    assert round(score(135, 1000)) == 14
    assert round(score(10005, 100_000), 2) == 10.0  # 10.005, whose double lies below
    assert round(score(10015, 100_000), 2) == 10.02  # 10.015, whose double lies above or below
    assert round(score(1, 10**6), 3) == 0.0
