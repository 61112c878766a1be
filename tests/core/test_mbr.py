"""Minimum Bayes risk: expected utilities by their definitions, and decisions that are exact."""

import random
import sys
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chrf
from chrf.core import exact, options
from chrf.core.mbr import mbr
from chrf.core.pairwise import pairwise
from chrf.kernel import text

MODULE = sys.modules["chrf.core.mbr"]

TEXTS = st.text(st.sampled_from("ab") | st.sampled_from("aB.( \u3000é😀"), max_size=12)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "beta": st.one_of(st.integers(1, 5), st.fractions("1/9", 9), st.just(10**40)),
        "char_order": st.integers(1, 10),
        "word_order": st.integers(0, 4),
        "lowercase": st.booleans(),
        "whitespace": st.booleans(),
        "averaging": st.sampled_from(options.AVERAGINGS),
        "rule": st.sampled_from(options.RULES),
    },
)


def exact_utilities(candidates, references, checked, mode):
    """By the definition of each mode, in fractions."""
    if mode == "aggregate":
        return [score_against_mean(c, references, checked) for c in candidates]
    # The mean of one reference is that reference.
    return [
        sum(score_against_mean(c, [r], checked) for r in references) / len(references)
        for c in candidates
    ]


def score_against_mean(candidate, references, checked):
    """The score against a reference that has the mean of all references' n-gram counts."""

    def bags(value):
        value = value.lower() if checked.lowercase else value
        characters = [c for c in value if checked.whitespace or c not in text.WHITESPACE]
        for symbols, orders in (
            (characters, checked.char_order),
            (text.words(value), checked.word_order),
        ):
            for n in range(1, orders + 1):
                yield Counter(tuple(symbols[i : i + n]) for i in range(len(symbols) - n + 1))

    rows = []
    for own, *others in zip(bags(candidate), *map(bags, references), strict=True):
        mean = {
            ngram: Fraction(sum(bag[ngram] for bag in others), len(others))
            for ngram in set().union(*others)
        }
        matching = sum(min(n, mean.get(ngram, 0)) for ngram, n in own.items())
        rows.append((own.total(), sum(mean.values()), matching))
    return exact.score(rows, checked)


@given(
    candidates=st.lists(TEXTS, min_size=1, max_size=5),
    references=st.none() | st.lists(TEXTS, min_size=1, max_size=5),
    mode=st.sampled_from(["mean", "aggregate"]),
    margin=st.sampled_from([MODULE.MARGIN, 2.0]),
    keywords=OPTIONS,
)
def test_mbr_is_exact(candidates, references, mode, margin, keywords):
    checked = chrf.Options(**keywords)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MODULE, "MARGIN", margin)  # 2: every candidate is compared exactly
        choice = mbr(candidates, references, mode=mode, **keywords)
    used = candidates if references is None else references
    expected = exact_utilities(candidates, used, checked, mode)
    assert choice.index == expected.index(max(expected))
    assert choice.fraction == max(expected)
    for value, utility in zip(expected, choice.utilities, strict=True):
        assert abs(Fraction(float(utility)) - value) <= value / 2**51
        assert mode == "mean" or utility == float(value)
    if mode == "mean":
        assert (choice.scores == pairwise(candidates, used, **keywords)).all()
    else:
        assert choice.scores is None


def test_the_mean_and_ties():
    choice = mbr(["abc", "abd", "abc"])
    assert choice.index == 0
    assert choice.utilities.tolist() == [float(Fraction(n, 27)) for n in (2150, 1600, 2150)]
    assert [f"{value:.6f}" for value in choice.utilities] == ["79.629630", "59.259259", "79.629630"]
    assert choice.fraction == Fraction(2150, 27)
    assert mbr(["abd", "abc", "abc"]).index == 1


def test_the_aggregate_is_not_the_mean():
    candidates = ["The cat sat on the mat.", "The cat sat on the hat."]
    references = [candidates[0], "The fat cat sat on the mat.", "A cat sat on a mat."]
    aggregate = mbr(candidates, references, mode="aggregate")
    # As the README of fastchrf 0.2.1 has them.
    assert aggregate.utilities.round(8).tolist() == [78.56389721, 63.37194047]
    assert aggregate.mode == "aggregate"
    assert aggregate.signature.startswith("mbr:aggregate|references:3|nrefs:1|")
    mean = mbr(candidates, references)
    assert mean.signature.startswith("mbr:mean|references:3|nrefs:1|")
    matrix = [[100, 74.63190449, 55.77074554], [79.65373543, 57.15287549, 50.72182797]]
    np.testing.assert_allclose(mean.scores, matrix, atol=1e-8)
    np.testing.assert_allclose(mean.utilities, np.mean(matrix, axis=1), atol=1e-8)
    assert "mbr:mean" in repr(mean)


def test_utilities_that_only_fractions_tell_apart():
    beta = 10**40  # recall is 1 for all: they differ by less than 10^-70
    choice = mbr(["abcxx", "abcx", "abcyy", "abcx"], ["abc"], beta=beta)
    assert set(choice.utilities) == {100}
    assert choice.index == 1
    assert mbr(["abcxx", "abcx"], ["abc"], beta=beta, mode="aggregate").index == 1
    assert mbr(["abcxx", "abcyy"], ["abc"], beta=beta).index == 0


def test_no_candidate_matches():
    choice = mbr(["x", "y"], ["abc", ""])
    assert (choice.index, choice.fraction) == (0, 0)


def test_many_exact_ties_take_little_time():
    source = random.Random(8)
    references = ["".join(source.choices("abcdefgh", k=30)) for _ in range(60)]
    candidates = [references[0] + c for c in "ijklmnopqrstuvwxyz"]
    assert mbr(candidates, references).index == 0
    assert mbr(candidates[::-1], references).index == 0


def test_mbr_refuses():
    with pytest.raises(ValueError, match="there are no candidates"):
        mbr([])
    with pytest.raises(ValueError, match="there are no references"):
        mbr(["a"], [])
    with pytest.raises(ValueError, match="mode is 'median'; it must be 'mean' or 'aggregate'"):
        mbr(["a"], mode="median")
    with pytest.raises(TypeError, match="candidates is a single str"):
        mbr("ab")
    with pytest.raises(TypeError, match=r"candidates\[1\] is NoneType, not a string"):
        mbr(["a", None])
    with pytest.raises(TypeError, match=r"candidates\[0\] is list, not a string"):
        mbr([["a"]])
    with pytest.raises(TypeError, match="unknown option 'aggregate'"):
        mbr(["a"], aggregate=True)
