"""What is read off resamples: bounds, spread, bias-corrected levels, adjusted p-values, ranks."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chrf.core import exact
from chrf.core.blocks import Counts
from chrf.core.options import Options
from chrf.stats.deciding import Scored
from chrf.stats.records import Bounds

ROWS_AT_ONCE = 1 << 16  # segments of a jackknife scored together


class Levels(NamedTuple):
    """The shares of the resamples below and above an interval."""

    below: float
    above: float


def levels(
    observed: float,
    resampled: NDArray[np.float64],
    left_out: NDArray[np.float64] | None,
    alpha: float,
) -> Levels:
    """Return the levels of the BCa interval, or without `left_out` of the percentile interval.

    That of percentiles leaves out half of `alpha` at either end; see `bca_levels` for the others.
    """
    if left_out is None:
        return Levels(alpha / 2, alpha / 2)
    return bca_levels(observed, resampled, left_out, alpha)


def bounds(levels: Levels, first: Scored, second: Scored | None = None) -> Bounds:
    """Return the exact resamples of a score, or of a difference, at the two `levels`."""
    values = first.scores if second is None else first.scores - second.scores
    places = _places(len(values), levels)
    parted = np.partition(values, places)
    ends = []
    for place in places:
        # The row that a stable sort would put there, without sorting.
        value = parted[place]
        row = int(np.flatnonzero(values == value)[place - np.count_nonzero(values < value)])
        ends.append(first.fraction(row) - (second.fraction(row) if second is not None else 0))
    return Bounds(*ends)


def _places(iterations: int, levels: Levels) -> tuple[int, int]:
    """Return the order statistics that leave at most these shares of the draws out.

    With 0.025 at either end this is sacreBLEU's choice: number n // 40 from both sides.
    """
    low, high = (int(iterations * share + 1e-9) for share in levels)
    return min(low, iterations - 1), max(iterations - 1 - high, 0)


def moments(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return mean and standard deviation, the same on every machine."""
    mean = math.fsum(values) / len(values)
    if len(values) == 1:
        return mean, 0.0
    return mean, math.sqrt(math.fsum((values - mean) ** 2) / (len(values) - 1))


def bca_levels(
    observed: float, resampled: NDArray[np.float64], left_out: NDArray[np.float64], alpha: float
) -> Levels:
    """Return the levels of the BCa interval (Efron 1987).

    Parameters
    ----------
    observed : float
        The score of the corpus, or the difference of two.
    resampled : numpy.ndarray
        That of the resamples, from which the bias correction comes.
    left_out : numpy.ndarray
        That of the corpus without each segment, from which the acceleration comes.
    alpha : float
    """
    normal = NormalDist()
    number = len(resampled)
    # A tie is half below; no share is 0 or 1, of which the normal quantile is infinite.
    share = ((resampled < observed).sum() + (resampled <= observed).sum()) / (2 * number)
    bias = normal.inv_cdf(min(max(float(share), 0.5 / number), 1 - 0.5 / number))
    deviations = math.fsum(left_out) / len(left_out) - left_out
    spread = math.fsum(deviations**2)
    acceleration = math.fsum(deviations**3) / (6 * spread**1.5) if spread else 0.0

    def level(quantile: float) -> float:
        moved = bias + quantile
        stretch = 1 - acceleration * moved
        return normal.cdf(bias + moved / stretch) if stretch > 0 else float(moved > 0)

    quantile = normal.inv_cdf(alpha / 2)
    return Levels(level(quantile), 1 - level(-quantile))


def jackknife(counts: Counts, options: Options) -> NDArray[np.float64]:
    """Return the scores of the corpus without each of its segments: the total less one row."""
    total = counts.sum(axis=0)
    return np.concatenate(
        [
            exact.row_scores(total - counts[start : start + ROWS_AT_ONCE], options)
            for start in range(0, len(counts), ROWS_AT_ONCE)
        ]
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values after Holm (1979), so that all tests together err at most as often as one.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for place, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[i]))
        adjusted[i] = highest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values after Benjamini and Hochberg (1995).

    Of the tests with an adjusted p-value of at most alpha, a share of at most alpha is expected to
    be wrong, where the tests are independent or positively dependent.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    number = len(p_values)
    adjusted = [0.0] * number
    lowest = 1.0
    ascending = sorted(range(number), key=p_values.__getitem__)
    for place, i in reversed(list(enumerate(ascending, 1))):
        lowest = min(lowest, number * p_values[i] / place)
        adjusted[i] = lowest
    return adjusted


def adjusted_p_values(p_values: Sequence[float], correction: str) -> list[float]:
    """Adjust p-values by one of ``chrf.core.draws.CORRECTIONS``."""
    if correction == "none":
        return list(p_values)
    return (holm if correction == "holm" else benjamini_hochberg)(p_values)


def sacrebleu_p_value(differences: NDArray[np.float64], observed: float) -> float:
    """Return the p-value of sacreBLEU's paired bootstrap, with ties counted as extreme.

    sacreBLEU subtracts the mean of the absolute differences from each, and so sees one tail only.
    """
    sizes = np.abs(differences)
    return (int((sizes - sizes.mean() >= abs(observed)).sum()) + 1) / (len(sizes) + 1)


def ranking(
    best_first: Sequence[str], better: Collection[tuple[str, str]]
) -> list[tuple[tuple[int, int], int]]:
    """Return the ranks and the cluster of each system from the pairs that differ significantly.

    As at WMT: the best rank of a system is one more than the number of systems that are better,
    its worst rank the number of systems that are not worse. A new cluster starts where every
    system above is better than every system from there on.

    Parameters
    ----------
    best_first : sequence of str
        The names of the systems in order of their scores.
    better : collection of (str, str)
        Pairs of names of which the first is significantly better than the second.
    """
    result = []
    cluster = 1
    for place, name in enumerate(best_first):
        above, below = best_first[:place], best_first[place:]
        if above and all((a, b) in better for a in above for b in below):
            cluster += 1
        first = 1 + sum((other, name) in better for other in best_first)
        last = len(best_first) - sum((name, other) in better for other in best_first)
        result.append(((first, last), cluster))
    return result
