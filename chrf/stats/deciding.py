"""On which side of a threshold an exact number lies, at the speed of doubles and integers.

A resample counts as "at least as extreme" or does not, and ties must not be left to rounding.
Each comparison here is first made with numbers whose error has a proven bound; the few that the
bound cannot decide are made with fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chrf.core import exact
from chrf.core.blocks import Counts
from chrf.core.options import Options
from chrf.core.resampling import Subsets

# The doubles nearest to two scores (0 to 100) and to a threshold (up to 200 either way) are off by
# at most 2^-47, 2^-47 and 2^-46; two subtractions round by at most 2^-47 and 2^-46. The sum of
# these, 7 * 2^-47, is below the margin.
MARGIN = 2.0**-44

FINE = 256  # binary places of the second attempt at a sum of fractions


@dataclass(frozen=True)
class Scored:
    """Counts [rows, orders, 3] and the doubles nearest to the rows' exact scores.

    With `options` None the doubles themselves are the exact scores (float beta, smoothing).
    """

    counts: Counts
    scores: NDArray[np.float64]
    options: Options | None

    @classmethod
    def of(cls, counts: Counts, options: Options) -> Scored:
        """Score rows of counts."""
        return cls(counts, exact.row_scores(counts, options), options)

    def first_rows(self, number: int) -> Scored:
        """Return the first rows, as a view."""
        return Scored(self.counts[:number], self.scores[:number], self.options)

    def fraction(self, row: int) -> Fraction:
        """Return the exact score of one row."""
        if self.options is None:
            return Fraction(float(self.scores[row]))
        return exact.score(self.counts[row].tolist(), self.options)


def at_least(first: Scored, second: Scored, threshold: Fraction) -> NDArray[np.bool_]:
    """Return where the exact score of `first` minus that of `second` is at least the threshold.

    Doubles decide where their difference is further from the threshold than it can be wrong; rows
    with equal counts differ by 0; fractions decide the rest, each distinct pair of rows once.
    """
    differences = first.scores - second.scores
    limit = float(threshold)
    result: NDArray[np.bool_] = differences > limit
    near = np.flatnonzero(np.abs(differences - limit) <= MARGIN)
    same = (first.counts[near] == second.counts[near]).all(axis=(1, 2))
    result[near[same]] = threshold <= 0
    known: dict[bytes, bool] = {}
    for row in near[~same].tolist():
        key = first.counts[row].tobytes() + second.counts[row].tobytes()
        if key not in known:
            known[key] = first.fraction(row) - second.fraction(row) >= threshold
        result[row] = known[key]
    return result


class MeanDifference:
    """Whether flipping some segments makes a difference of mean segment scores more extreme.

    With d the exact differences of the segments' scores and T their sum, flipping the signs of the
    segments in S gives T - 2 sum_S d. This is at least T where sum_S d <= 0, and at most -T where
    the sum over the other segments is <= 0: all that is ever needed is the sign of such a sum.

    A sign is known by integers or by fractions. Differences are added up as integer multiples of a
    small unit, which is exact. Each is at most 2 units from d, or is 0 as d is where the counts are
    equal, so that a sum is at most 2 units for each other segment from the truth: further from 0
    than that, its sign is right. What this leaves open is decided by fractions.
    """

    def __init__(self, first: Scored, second: Scored) -> None:
        differs = (first.counts != second.counts).any(axis=(1, 2))
        units = _fixed_point(first.scores) - _fixed_point(second.scores)
        self._units: NDArray[np.int64] = np.where(differs, units, 0)
        self._sum = int(self._units.sum())
        number = int(differs.sum())
        self._certain_from = 2 * number + 1 if number else 0
        self._exact = _ExactDifferences(first, second, differs)
        every = np.ones(len(units), dtype=np.bool_)
        [self._observed] = self._signs(np.array([self._sum]), lambda _: every).tolist()

    def at_least_as_extreme(self, flipped: Subsets, *, two_tailed: bool) -> NDArray[np.bool_]:
        """Return for each subset of the segments whether flipping it is as extreme as not.

        With `two_tailed`, by the absolute value of the difference; else in favour of the first
        system.
        """
        inside = flipped.add_up(self._units[:, np.newaxis])[:, 0]
        if not two_tailed:
            return self._signs(inside, flipped.members) <= 0
        if self._observed == 0:
            return np.ones(flipped.count, dtype=np.bool_)
        inside_signs = self._signs(inside, flipped.members)
        outside_signs = self._signs(self._sum - inside, lambda subset: ~flipped.members(subset))
        extreme: NDArray[np.bool_] = self._observed * inside_signs <= 0
        extreme |= self._observed * outside_signs <= 0
        return extreme

    def _signs(
        self, sums: NDArray[np.int64], members: Callable[[int], NDArray[np.bool_]]
    ) -> NDArray[np.int64]:
        """Return the signs of exact sums, of which sum i is over the segments `members(i)`."""
        signs = np.sign(sums)
        for i in np.flatnonzero(np.abs(sums) < self._certain_from).tolist():
            signs[i] = self._exact.sign_of_sum(members(i))
        return signs


@dataclass(frozen=True)
class _Groups:
    """Segments by the absolute value of their exact difference.

    Attributes
    ----------
    values : list of Fraction
        The distinct absolute values.
    places : numpy.ndarray of intp
        Of each segment the place of its own among them.
    signs : numpy.ndarray of float64
        Of each segment 1, -1 or, where the scores are equal, 0.
    """

    values: list[Fraction]
    places: NDArray[np.intp]
    signs: NDArray[np.float64]


class _ExactDifferences:
    """The exact differences of segments' scores, made when a sign is first asked for."""

    def __init__(self, first: Scored, second: Scored, differs: NDArray[np.bool_]) -> None:
        self._first = first
        self._second = second
        self._differs = differs
        self._known: dict[bytes, int] = {}

    def sign_of_sum(self, members: NDArray[np.bool_]) -> int:
        """Return the sign of the exact sum over some segments: -1, 0 or 1."""
        groups = self._groups
        times = np.bincount(
            groups.places[members], weights=groups.signs[members], minlength=len(groups.values)
        )
        key = times.tobytes()
        if key not in self._known:
            present = np.flatnonzero(times)
            self._known[key] = _sign_of_sum(
                [int(times[i]) for i in present], [groups.values[i] for i in present]
            )
        return self._known[key]

    @cached_property
    def _groups(self) -> _Groups:
        places = np.zeros(len(self._differs), dtype=np.intp)
        signs = np.zeros(len(self._differs))
        values: dict[Fraction, int] = {}
        known: dict[bytes, Fraction] = {}
        for i in np.flatnonzero(self._differs).tolist():
            key = self._first.counts[i].tobytes() + self._second.counts[i].tobytes()
            if key not in known:
                known[key] = self._first.fraction(i) - self._second.fraction(i)
            difference = known[key]
            if difference:
                places[i] = values.setdefault(abs(difference), len(values))
                signs[i] = 1 if difference > 0 else -1
        return _Groups(list(values), places, signs)


def _fixed_point(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the integers nearest to scores, 0 to 100, in a unit that is a power of two.

    The unit is at least 2^-46, so that a result is at most 1 unit off (half of it for the double,
    half for rounding), and large enough that all of them add up to less than 2^62.
    """
    exponent = min(46, 62 - 7 - len(scores).bit_length())
    integers: NDArray[np.int64] = np.rint(np.ldexp(scores, exponent)).astype(np.int64)
    return integers


def _sign_of_sum(times: Sequence[int], values: Sequence[Fraction]) -> int:
    """Return the sign of the sum of positive `values`, each taken `times` times: -1, 0 or 1."""
    if not times:
        return 0
    # Each value rounded down is less than one unit of 2^-FINE below.
    total = sum(
        k * ((v.numerator << FINE) // v.denominator) for k, v in zip(times, values, strict=True)
    )
    if abs(total) < sum(map(abs, times)):
        total = exact.sum_fractions([k * v for k, v in zip(times, values, strict=True)]).numerator
    return (total > 0) - (total < 0)
