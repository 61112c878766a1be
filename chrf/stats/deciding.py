"""On which side of a threshold an exact number lies, at the speed of doubles and integers.

A resample counts as "at least as extreme" or does not, and ties must not be left to rounding.
Each comparison here is first made with numbers whose error has a proven bound; the few that the
bound cannot decide are made with fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
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
        """Score the rows."""
        return cls(counts, exact.row_scores(counts, options), options)

    def fraction(self, row: int) -> Fraction:
        """The exact score of one row."""
        if self.options is None:
            return Fraction(float(self.scores[row]))
        return exact.score(self.counts[row].tolist(), self.options)


def at_least(first: Scored, second: Scored, threshold: Fraction) -> NDArray[np.bool_]:
    """Where the exact score of `first` minus that of `second` is at least the threshold.

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

    Differences are added up as integer multiples of a small unit, which is exact. Each is at most
    2 units from d, or is 0 as d is where the counts are equal, so that a sum is at most 2 units for
    each other segment from the truth: further from 0 than that, its sign is right. What this leaves
    open is decided by fractions.
    """

    def __init__(self, first: Scored, second: Scored) -> None:
        self._first = first
        self._second = second
        self._differs = (first.counts != second.counts).any(axis=(1, 2))
        differing = int(self._differs.sum())
        self._slack = 2 * differing + 1 if differing else 0
        units = _fixed_point(first.scores) - _fixed_point(second.scores)
        self._units: NDArray[np.int64] = np.where(self._differs, units, 0)
        self._known: dict[bytes, int] = {}
        self._direction = self._sign(np.ones(len(units), dtype=np.bool_))

    def at_least_as_extreme(self, flipped: Subsets, *, two_tailed: bool) -> NDArray[np.bool_]:
        """For each subset of the segments, whether flipping it leaves the difference as extreme.

        With `two_tailed`, by its absolute value; else in favour of the first system.
        """
        sums = flipped.add_up(self._units[:, np.newaxis])[:, 0]
        if not two_tailed:
            return self._not_above_zero(1, sums, flipped, others=False)
        if self._direction == 0:
            return np.ones(flipped.count, dtype=np.bool_)
        rest = int(self._units.sum()) - sums
        extreme = self._not_above_zero(self._direction, sums, flipped, others=False)
        extreme |= self._not_above_zero(self._direction, rest, flipped, others=True)
        return extreme

    def _not_above_zero(
        self, direction: int, sums: NDArray[np.int64], subsets: Subsets, *, others: bool
    ) -> NDArray[np.bool_]:
        sums = direction * sums
        result: NDArray[np.bool_] = sums <= -self._slack
        for subset in np.flatnonzero(~result & (sums < self._slack)).tolist():
            members = subsets.members(subset)
            result[subset] = direction * self._sign(~members if others else members) <= 0
        return result

    def _sign(self, members: NDArray[np.bool_]) -> int:
        """The sign of the exact sum of some differences: -1, 0 or 1."""
        total = int(self._units[members].sum())
        if abs(total) >= self._slack:
            return (total > 0) - (total < 0)
        groups, signs, values = self._distinct
        times = np.bincount(groups[members], weights=signs[members], minlength=len(values))
        key = times.tobytes()
        if key not in self._known:
            present = np.flatnonzero(times)
            self._known[key] = _sign_of_sum(
                [int(times[i]) for i in present], [values[i] for i in present]
            )
        return self._known[key]

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.intp], NDArray[np.float64], list[Fraction]]:
        """Each segment's place among the distinct absolute differences, its sign, and those."""
        groups = np.zeros(len(self._units), dtype=np.intp)
        signs = np.zeros(len(self._units))
        places: dict[Fraction, int] = {}
        known: dict[bytes, Fraction] = {}
        for i in np.flatnonzero(self._differs).tolist():
            key = self._first.counts[i].tobytes() + self._second.counts[i].tobytes()
            if key not in known:
                known[key] = self._first.fraction(i) - self._second.fraction(i)
            difference = known[key]
            if difference:
                groups[i] = places.setdefault(abs(difference), len(places))
                signs[i] = 1 if difference > 0 else -1
        return groups, signs, list(places)


def _fixed_point(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """The integers nearest to scores, 0 to 100, in a unit that is a power of two.

    The unit is at least 2^-46, so that a result is at most 1 unit off (half of it for the double,
    half for rounding), and large enough that all of them add up to less than 2^62.
    """
    exponent = min(46, 62 - 7 - len(scores).bit_length())
    integers: NDArray[np.int64] = np.rint(np.ldexp(scores, exponent)).astype(np.int64)
    return integers


def _sign_of_sum(times: Sequence[int], values: Sequence[Fraction]) -> int:
    """The sign of the sum of positive values, each so many times: -1, 0 or 1."""
    if not times:
        return 0
    # Each value rounded down is less than one unit of 2^-FINE below.
    total = sum(
        k * ((v.numerator << FINE) // v.denominator) for k, v in zip(times, values, strict=True)
    )
    if abs(total) < sum(map(abs, times)):
        total = exact.sum_fractions([k * v for k, v in zip(times, values, strict=True)]).numerator
    return (total > 0) - (total < 0)
