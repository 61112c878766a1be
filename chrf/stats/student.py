"""Student's t distribution, which the standard library does not have."""

from __future__ import annotations

import math
import sys

TERMS = 100  # of a continued fraction: more change nothing up to `MOST_FREEDOM`
MOST_FREEDOM = 2000.0  # from there on the normal distribution would do


def two_tailed_p(t: float, freedom: float) -> float:
    """Return the probability of a value at least as far from 0 as `t`, which is never 0.

    Parameters
    ----------
    t : float
    freedom : float
        Degrees of freedom, of which there may be fractions.
    """
    freedom = min(freedom, MOST_FREEDOM)
    square = t * t
    # freedom / (freedom + t^2), and the rest to 1, both without cancellation
    below, above = freedom / (freedom + square), square / (freedom + square)
    if above < 1.5 / (freedom / 2 + 2.5):
        return 1 - _incomplete_beta(above, 0.5, freedom / 2)
    return max(_incomplete_beta(below, freedom / 2, 0.5), sys.float_info.min)


def quantile(alpha: float, freedom: float) -> float:
    """Return the value that is passed in either direction with probability `alpha`."""
    alpha = max(alpha, 4 * sys.float_info.min)  # the smallest that `two_tailed_p` tells apart
    low, high = 0.0, 1.0
    while two_tailed_p(high, freedom) > alpha:
        low, high = high, 2 * high
    for _ in range(80):
        middle = (low + high) / 2
        if two_tailed_p(middle, freedom) > alpha:
            low = middle
        else:
            high = middle
    return high


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function, for x below (a + 1) / (a + b + 2).

    By the continued fraction 26.5.8 of Abramowitz and Stegun (1964), from its far end.
    """
    if x == 0:
        return 0.0
    value = 1.0
    for m in range(TERMS, 0, -1):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        value = 1 + even / (1 + odd / value)
    value = 1 - (a + b) * x / (a + 1) / value
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    return math.exp(a * math.log(x) + b * math.log1p(-x) - log_beta) / (a * value)
