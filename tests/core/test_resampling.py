"""The kernel that adds up resamples, the draws, and the decisions about ties."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chrf import Options
from chrf.core import exact, resampling, summing
from chrf.core.resampling import Packed
from chrf.stats import deciding
from chrf.stats.deciding import MeanDifference, Scored, at_least

OPTIONS = Options(char_order=1)


# --- the kernel's twin: a line of NumPy each ------------------------------------------------------


def twin_drawn(words, indices, sums):
    sums += words[indices].sum(axis=1)


def twin_subsets(words, bits, stride, sums):
    each = np.unpackbits(bits, bitorder="little")
    for subset in range(len(sums)):
        members = each[subset * stride :][: len(words)].astype(bool)
        sums[subset] += words[members].sum(axis=0)


@given(st.data())
def test_drawn_rows(data):
    rows = data.draw(st.integers(1, 40))
    width = summing.LANE_COUNT * data.draw(st.integers(0, 3))
    resamples, draws = data.draw(st.integers(0, 9)), data.draw(st.integers(0, 50))
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    largest = data.draw(st.sampled_from([1, 1000, (2**63 - 1) // 51]))
    words = generator.integers(-largest, largest, size=(rows, width), endpoint=True)
    indices = generator.integers(0, rows, size=(draws, resamples)).T  # not contiguous
    before = generator.integers(-1000, 1000, size=(resamples, width))
    expected = before.copy()
    twin_drawn(words, indices, expected)
    for layout in (indices, np.ascontiguousarray(indices)):
        sums = before.copy()
        summing.add_drawn(words, layout, sums)
        assert (sums == expected).all()


@given(st.data())
def test_subsets(data):
    rows, width = data.draw(st.integers(0, 40)), data.draw(st.integers(0, 8))
    subsets = data.draw(st.integers(0, 40))
    stride = data.draw(st.sampled_from([rows, rows + 3, 64]))
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    largest = data.draw(st.sampled_from([1, 1000, (2**63 - 1) // 41]))
    words = generator.integers(-largest, largest, size=(rows, width), endpoint=True)
    bits = generator.integers(0, 256, size=(subsets * stride + rows) // 8 + 5).astype(np.uint8)
    before = generator.integers(-1000, 1000, size=(subsets, width))
    expected, sums = before.copy(), before.copy()
    twin_subsets(words, bits, stride, expected)
    summing.add_subsets(words, bits, stride, sums)
    assert (sums == expected).all()


def test_the_kernel_refuses_what_does_not_fit():
    lanes = summing.LANE_COUNT
    words = np.zeros((3, lanes), np.int64)
    sums = np.zeros((2, lanes), np.int64)
    for index in (-1, 3):
        with pytest.raises(IndexError, match=f"row {index} of 3"):
            summing.add_drawn(words, np.array([[0, 0], [1, index]]), sums)
    with pytest.raises(IndexError, match="no rows"):
        summing.add_drawn(words[:0], np.zeros((2, 1), np.int64), sums)
    with pytest.raises(ValueError, match="3 resamples and 2 sums"):
        summing.add_drawn(words, np.zeros((3, 1), np.int64), sums)
    with pytest.raises(ValueError, match=f"rows of {lanes} words and sums of 1"):
        summing.add_drawn(words, np.zeros((2, 1), np.int64), sums[:, :1].copy())
    odd = np.zeros((2, lanes + 1), np.int64)
    with pytest.raises(ValueError, match="words"):
        summing.add_drawn(odd, np.zeros((2, 1), np.int64), odd)
    with pytest.raises(ValueError, match="1 bytes are not 2 subsets of 3 rows"):
        summing.add_subsets(words, np.zeros(1, np.uint8), 3, sums)
    with pytest.raises(ValueError, match="subsets"):
        summing.add_subsets(words, np.zeros(100, np.uint8), -1, sums)
    with pytest.raises(ValueError, match="sums of 1"):
        summing.add_subsets(words, np.zeros(9, np.uint8), 3, sums[:, :1].copy())


# --- packing --------------------------------------------------------------------------------------


@given(st.data())
def test_packed_counts_add_up(data):
    """At the very bound of the fields, with any number of them in a word."""
    rows, columns = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 20))
    largest = data.draw(st.integers(0, (2**63 - 1) // rows))
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    counts = np.where(
        generator.random((rows, columns)) < 0.5,
        largest,
        generator.integers(0, largest, size=(rows, columns), endpoint=True),
    )
    packed = Packed.pack(counts, rows * largest, data.draw(st.integers(1, 6)))
    assert (packed.unpack(packed.words) == counts).all()
    top = np.full_like(counts, largest)
    words = Packed.pack(top, rows * largest, 1)
    assert (words.unpack(words.words.sum(axis=0, keepdims=True)) == rows * largest).all()


def test_small_counts_share_words():
    counts = np.full((100, 6, 3), 100)
    packed = resampling.pack_for_draws(counts)
    assert (packed.bits, packed.words.shape) == (14, (100, 6))  # 18 counts, four to a word
    assert resampling.pack_for_subsets(counts).words.shape == (100, 5)


# --- draws ----------------------------------------------------------------------------------------


def random_counts(generator, segments, orders=2, largest=9):
    return generator.integers(0, largest, size=(segments, orders, 3))


@pytest.mark.parametrize("segments", [1, 2, 7, 300])
@pytest.mark.parametrize("at_once", [1, 64, 1 << 17])
def test_resamples_are_those_that_sacrebleu_draws(segments, at_once, monkeypatch):
    monkeypatch.setattr(resampling, "INDICES_AT_ONCE", at_once)
    counts = random_counts(np.random.default_rng(1), segments)
    other = random_counts(np.random.default_rng(2), segments, largest=2**40)
    indices = np.random.default_rng(12345).choice(segments, size=(50, segments), replace=True)
    for threads in (1, 3):
        generator = np.random.default_rng(12345)
        sums = resampling.resample_sums([counts, other], 50, generator, threads)
        assert (sums[0] == counts[indices].sum(axis=1)).all()
        assert (sums[1] == other[indices].sum(axis=1)).all()


@pytest.mark.parametrize("segments", [1, 2, 7, 300])
@pytest.mark.parametrize("at_once", [1, 64, 1 << 17])
def test_resamples_are_those_that_evaluatio_draws(segments, at_once, monkeypatch):
    monkeypatch.setattr(resampling, "INDICES_AT_ONCE", at_once)
    counts = random_counts(np.random.default_rng(1), segments)
    generator = np.random.default_rng(0)
    indices = np.array([generator.integers(0, segments, size=50) for _ in range(segments)]).T
    sums = resampling.resample_sums_by_place(counts, 50, np.random.default_rng(0))
    assert (sums == counts[indices].sum(axis=1)).all()


@pytest.mark.parametrize("size", [1, 2, 31, 32, 33, 300])
@pytest.mark.parametrize("at_once", [32, 2048])
def test_subsets_are_those_that_sacrebleu_draws(size, at_once, monkeypatch):
    """And the generator stands where it would stand then: what follows is the same too."""
    monkeypatch.setattr(resampling, "SUBSETS_AT_ONCE", at_once)
    counts = random_counts(np.random.default_rng(1), size)
    theirs, ours = np.random.default_rng(12345), np.random.default_rng(12345)
    expected = theirs.integers(2, size=(100, size), dtype=bool)
    packed = resampling.pack_for_subsets(counts)
    blocks = list(resampling.random_subsets(size, 100, ours))
    assert sum(block.count for block in blocks) == 100
    members = np.array([block.members(i) for block in blocks for i in range(block.count)])
    assert (members == expected).all()
    sums = np.concatenate([block.sums(packed, counts.shape[1]) for block in blocks])
    assert (sums == (expected @ counts.reshape(size, -1)).reshape(sums.shape)).all()
    assert (theirs.choice(size, size=40) == ours.choice(size, size=40)).all()


@pytest.mark.parametrize("size", [0, 1, 3, 12])
def test_all_subsets(size):
    blocks = list(resampling.all_subsets(size))
    members = [tuple(block.members(i)) for block in blocks for i in range(block.count)]
    assert sorted(members) == sorted(product([False, True], repeat=size))


# --- decisions ------------------------------------------------------------------------------------


def scored(rows, options=OPTIONS):
    return Scored.of(np.array(rows, dtype=np.int64).reshape(len(rows), -1, 3), options)


def test_at_least_where_doubles_cannot_tell():
    """(d - 1) / d and d / (d + 1) are two numbers with one double."""
    d = 2**31 - 2
    rows = [(d + 1, d + 1, d), (d, d, d - 1), (2, 2, 1), (5, 5, 0)]
    tested = scored(rows)
    assert tested.scores[0] == tested.scores[1]
    first = Scored(tested.counts[[0, 1, 0, 2, 3]], tested.scores[[0, 1, 0, 2, 3]], OPTIONS)
    second = Scored(tested.counts[[1, 0, 0, 3, 2]], tested.scores[[1, 0, 0, 3, 2]], OPTIONS)
    tiny = Fraction(100, d * (d + 1))
    expected = {
        Fraction(0): [True, False, True, True, False],
        tiny: [True, False, False, True, False],
        tiny + Fraction(1, 10**40): [False, False, False, True, False],
        -tiny: [True, True, True, True, False],
        Fraction(50): [False, False, False, True, False],
        Fraction(-50): [True, True, True, True, True],
        Fraction(-50) + Fraction(1, 10**40): [True, True, True, True, False],
    }
    for threshold, answers in expected.items():
        assert at_least(first, second, threshold).tolist() == answers


@given(st.integers(0, 2**32), st.integers(1, 4))
def test_at_least_equals_fractions(seed, largest):
    """Small counts, so that ties are many."""
    generator = np.random.default_rng(seed)
    options = Options(char_order=2)
    rows = np.sort(generator.integers(0, largest, size=(2, 30, 2, 3), endpoint=True))[..., ::-1]
    first, second = (Scored.of(np.ascontiguousarray(part), options) for part in rows)
    exact_differences = [first.fraction(i) - second.fraction(i) for i in range(30)]
    for threshold in {*exact_differences, *(-d for d in exact_differences), Fraction(0)}:
        expected = [d >= threshold for d in exact_differences]
        assert at_least(first, second, threshold).tolist() == expected


fractions = st.fractions(0, 100, max_denominator=12).filter(bool)


@given(st.lists(st.tuples(st.integers(-3, 3).filter(bool), fractions), max_size=8))
@example([(1, Fraction(1, 3)), (1, Fraction(1, 6)), (-1, Fraction(1, 2))])
@example([(1, Fraction(1, 2**300)), (-1, Fraction(1, 2**300 - 1))])
def test_sign_of_sum(terms):
    total = sum((k * value for k, value in terms), Fraction(0))
    times, values = [k for k, _ in terms], [value for _, value in terms]
    assert deciding._sign_of_sum(times, values) == (total > 0) - (total < 0)


def brute_force(differences, members, *, two_tailed):
    """Sign flips of exact differences, as the definition has it."""
    observed = sum(differences)
    result = []
    for flipped in members:
        total = sum(-d if flip else d for d, flip in zip(differences, flipped, strict=True))
        result.append(abs(total) >= abs(observed) if two_tailed else total >= observed)
    return result


def mean_difference(first, second):
    test = MeanDifference(first, second)
    differences = [first.fraction(i) - second.fraction(i) for i in range(len(first.scores))]
    return test, differences


@given(st.integers(0, 2**32), st.integers(1, 9), st.sampled_from([1, 2, 3, 50]), st.booleans())
def test_mean_difference_equals_brute_force(seed, segments, largest, two_tailed):
    generator = np.random.default_rng(seed)
    options = Options(char_order=2)
    rows = generator.integers(0, largest, size=(2, segments, 2, 3), endpoint=True)
    rows = np.ascontiguousarray(np.sort(rows)[..., ::-1])
    test, differences = mean_difference(*(Scored.of(part, options) for part in rows))
    for block in resampling.all_subsets(segments):
        members = [block.members(i).tolist() for i in range(block.count)]
        found = test.at_least_as_extreme(block, two_tailed=two_tailed).tolist()
        assert found == brute_force(differences, members, two_tailed=two_tailed)


@pytest.mark.parametrize("two_tailed", [True, False])
def test_mean_difference_where_doubles_cannot_tell(two_tailed):
    """Differences of 10^-17 beside one of 50, and one that cancels the others exactly."""
    d = 2**31 - 2
    one, other = (d + 1, d + 1, d), (d, d, d - 1)
    first = scored([one, other, one, (2, 2, 1), (4, 4, 1), (4, 4, 0)])
    second = scored([other, one, other, (2, 2, 0), (4, 4, 2), (4, 4, 1)])
    assert exact.score([one], OPTIONS) > exact.score([other], OPTIONS)
    test, differences = mean_difference(first, second)
    [block] = resampling.all_subsets(6)
    members = [block.members(i).tolist() for i in range(block.count)]
    expected = brute_force(differences, members, two_tailed=two_tailed)
    assert test.at_least_as_extreme(block, two_tailed=two_tailed).tolist() == expected


def test_mean_difference_of_doubles():
    """Where a metric computes in doubles, these are the scores: 0.1 + 0.2 is not 0.3."""
    counts = np.arange(9).reshape(3, 1, 3)
    first = Scored(counts, np.array([0.1, 0.2, 0.0]), None)
    second = Scored(counts + 1, np.array([0.0, 0.0, 0.3]), None)
    test, differences = mean_difference(first, second)
    assert sum(differences) != 0
    [block] = resampling.all_subsets(3)
    members = [block.members(i).tolist() for i in range(8)]
    for two_tailed in (True, False):
        expected = brute_force(differences, members, two_tailed=two_tailed)
        assert test.at_least_as_extreme(block, two_tailed=two_tailed).tolist() == expected
