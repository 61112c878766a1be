"""What a comparison may hold beside its p-value: equivalence within a margin, and power."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chrf.core.checks import shown
from chrf.core.draws import p_value_text
from chrf.core.exact import decimal_text, fraction_text
from chrf.stats.deciding import Scored, at_least
from chrf.stats.design import PLAIN, Design

POWER = 0.8  # Cohen's, where none is given
NORMAL = NormalDist()


@dataclass(frozen=True, kw_only=True)
class Equivalence:
    """Whether two systems differ by less than a margin: two one-sided tests (Schuirmann 1987).

    The null hypothesis is that they differ by the margin or more, in either direction.

    Attributes
    ----------
    within : Fraction
        The margin, in points.
    extreme, iterations : int
        The number of bootstrap resamples, and how many of these speak against it: those of the
        direction in which there are more.
    p_value, adjusted_p_value : float
        The larger one of the two tests, ``(extreme + 1) / (iterations + 1)``, and the same adjusted
        for the number of pairs.
    alpha : float
    """

    within: Fraction
    extreme: int
    iterations: int
    p_value: float
    adjusted_p_value: float
    alpha: float

    @property
    def equivalent(self) -> bool:
        """Whether the adjusted p-value is at most `alpha`."""
        return self.adjusted_p_value <= self.alpha

    @property
    def margin(self) -> str:
        """`within` as text."""
        return margin_text(self.within)

    def __str__(self) -> str:
        p = p_value_text(self.adjusted_p_value, self.iterations)
        return f"within {self.margin}: p = {p}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for ``json.dumps``."""
        return {
            "within": self.margin,
            "extreme": self.extreme,
            "iterations": self.iterations,
            "p_value": self.p_value,
            "adjusted_p_value": self.adjusted_p_value,
            "alpha": self.alpha,
            "equivalent": self.equivalent,
        }


@dataclass(frozen=True, kw_only=True)
class Power:
    """What a test can find on so many segments, after the normal distribution.

    Attributes
    ----------
    difference : Fraction
        The true difference that is asked about: the observed one, unless another was given.
    segments : int
        Those of the test set.
    standard_error : float
        Of the difference on that test set, by the jackknife.
    power : float
        The probability with which a difference is to be found.
    alpha : float
    two_tailed : bool
    tests : int
        How many tests the correction counts. `alpha` is divided by it, as at Holm's first step.
    sizes : tuple of int
        The numbers of segments that are shown.
    unit : {"segments", "documents"}
        What is counted as segments.
    """

    difference: Fraction
    segments: int
    standard_error: float
    power: float
    alpha: float
    two_tailed: bool
    tests: int
    sizes: tuple[int, ...]
    unit: str = "segments"

    def smallest_difference(self, segments: int | None = None) -> float:
        """Return the difference, in points, that is found with the asked power.

        Parameters
        ----------
        segments : int, optional
            Of a test set like this one; None: as many as this one has.
        """
        return (self._quantile + NORMAL.inv_cdf(self.power)) * self._error(segments)

    def power_of(self, segments: int | None = None) -> float:
        """Return the probability that `difference` is found, in its true direction.

        Parameters
        ----------
        segments : int, optional
            Of a test set like this one; None: as many as this one has.
        """
        return NORMAL.cdf(float(self._distance) / self._error(segments) - self._quantile)

    @property
    def segments_needed(self) -> int | None:
        """How many segments show `difference` with the asked power; None where none would.

        They are at least as many as it takes for a permutation test to be significant.
        """
        if self._distance <= 0:
            return None
        least = math.log2((1 + self.two_tailed) * self.tests / self.alpha)
        ratio = self.smallest_difference() / float(self._distance)
        return math.ceil(max(least, self.segments * ratio**2))

    @property
    def _distance(self) -> Fraction:
        return abs(self.difference) if self.two_tailed else self.difference

    @property
    def _quantile(self) -> float:
        """The standard errors from 0 on which a difference is significant."""
        return -NORMAL.inv_cdf(self.alpha / ((1 + self.two_tailed) * self.tests))

    def _error(self, segments: int | None) -> float:
        number = self.segments if segments is None else segments
        return self.standard_error * math.sqrt(self.segments / number)

    def __str__(self) -> str:
        size = decimal_text(self.difference, 2)
        lines = [
            f"{n} {self.unit} show {self.smallest_difference(n):.2f} points with power "
            f"{self.power}, and {size} points with power {self.power_of(n):.2f}"
            for n in self.sizes
        ]
        needed = self.segments_needed
        if needed is not None:
            lines.append(f"{needed} {self.unit} show {size} points with power {self.power}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for ``json.dumps``."""
        return {
            "difference": decimal_text(self.difference),
            "difference_fraction": fraction_text(self.difference),
            "unit": self.unit,
            "segments": self.segments,
            "standard_error": self.standard_error,
            "power": self.power,
            "alpha": self.alpha,
            "two_tailed": self.two_tailed,
            "tests": self.tests,
            "segments_needed": self.segments_needed,
            "sizes": [
                {
                    "segments": n,
                    "smallest_difference": self.smallest_difference(n),
                    "power_of_difference": self.power_of(n),
                }
                for n in self.sizes
            ],
        }


def outside_margin(first: Scored, second: Scored, difference: Fraction, within: Fraction) -> int:
    """Count the resamples that speak against equivalence, in the direction that has more.

    As in the paired bootstrap, the distribution is shifted: to a mean of `within`, and of the
    opposite.
    """
    above = at_least(second, first, within - 2 * difference)
    below = at_least(first, second, within + 2 * difference)
    return int(max(above.sum(), below.sum()))


def standard_error(left_out: NDArray[np.float64], design: Design = PLAIN) -> float:
    """Return the jackknife's standard error, of the values without each row, within strata."""
    variances = []
    for _, rows in design.groups(len(left_out)):
        part = left_out[rows]
        mean, number = math.fsum(part) / len(part), len(part)
        variances.append((number - 1) / number * math.fsum((part - mean) ** 2))
    return math.sqrt(math.fsum(variances))


def margin_text(within: Fraction) -> str:
    """Return a margin in points, as short as it is exact to six decimals.

    >>> margin_text(Fraction(1, 2)), margin_text(Fraction(2))
    ('0.5', '2')
    """
    return decimal_text(within).rstrip("0").rstrip(".")


def checked_within(within: object) -> Fraction:
    """Return a margin as it is written: an integer, a decimal or a fraction above 0."""
    allowed = "it must be a number above 0, of at most 100 points"
    if isinstance(within, bool) or not isinstance(within, (int, float, Fraction, np.number)):
        raise TypeError(f"within is {shown(within)}; {allowed}")
    if not 0 < within <= 100:  # NaN is not
        raise ValueError(f"within is {shown(within)}; {allowed}")
    return Fraction(repr(float(within))) if not isinstance(within, Fraction) else within


def checked_power(power: object, alpha: float) -> float:
    """Return a probability between `alpha`, with which nothing is found, and 1."""
    allowed = f"it must be a number between alpha, {alpha}, and 1"
    if not isinstance(power, (float, Fraction, np.floating)):
        raise TypeError(f"power is {shown(power)}; {allowed}")
    if not alpha < power < 1:
        raise ValueError(f"power is {shown(power)}; {allowed}")
    return float(power)
