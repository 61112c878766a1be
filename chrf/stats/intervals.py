"""Bootstrap resamples of systems' counts, and the intervals of scores and of differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chrf.core import resampling
from chrf.core.checks import shown
from chrf.core.resampling import Draws
from chrf.stats import estimates
from chrf.stats.deciding import Scored
from chrf.stats.records import BootstrapInterval, Bounds
from chrf.stats.systems import SystemCounts

METHODS = ("percentile", "bca")


@dataclass(frozen=True)
class Resampled:
    """What the intervals of one system are made of.

    Attributes
    ----------
    score : float
        Of the system on all segments.
    resamples : Scored
    left_out : numpy.ndarray of float64 or None
        The scores without each segment, which the BCa interval needs.
    """

    score: float
    resamples: Scored
    left_out: NDArray[np.float64] | None

    @classmethod
    def of(cls, system: SystemCounts, resamples: Scored, method: str) -> Resampled:
        """Return what intervals by one of `METHODS` need."""
        left_out = estimates.jackknife(system.counts, system.options) if method == "bca" else None
        return cls(float(system.score), resamples, left_out)

    def bounds(self, alpha: float) -> Bounds:
        """Return the interval of the score."""
        levels = estimates.levels(self.score, self.resamples.scores, self.left_out, alpha)
        return estimates.bounds(levels, self.resamples)

    def bounds_of_difference(self, other: Resampled, alpha: float) -> Bounds:
        """Return the interval of the score less that of another system on the same resamples."""
        left_out = None
        if self.left_out is not None and other.left_out is not None:
            left_out = self.left_out - other.left_out
        levels = estimates.levels(
            self.score - other.score,
            self.resamples.scores - other.resamples.scores,
            left_out,
            alpha,
        )
        return estimates.bounds(levels, self.resamples, other.resamples)


def bootstrap_interval(
    system: SystemCounts, draws: Draws, *, method: str = METHODS[0], distribution: bool = False
) -> BootstrapInterval:
    """Return the bootstrap interval of a system's corpus score; see `chrf.stats.bootstrap_ci`."""
    check_method(method)
    [resamples] = resample([system], draws, draws.iterations)
    mean, deviation = estimates.moments(resamples.scores)
    return BootstrapInterval(
        score=system.score,
        bounds=Resampled.of(system, resamples, method).bounds(draws.alpha),
        mean=mean,
        standard_deviation=deviation,
        alpha=draws.alpha,
        method=method,
        iterations=draws.iterations,
        seed=draws.seed,
        signature=system.signature(
            bs=draws.iterations,
            seed=draws.seed,
            ci=draws.level,
            method=None if method == METHODS[0] else method,
        ),
        distribution=resamples.scores if distribution else None,
    )


def check_method(method: str, argument: str = "method") -> None:
    """Raise a ValueError for a `method` that is none of `METHODS`."""
    if method not in METHODS:
        allowed = " or ".join(map(repr, METHODS))
        raise ValueError(f"{argument} is {shown(method)}; it must be {allowed}")


def resample(systems: Sequence[SystemCounts], draws: Draws, iterations: int) -> list[Scored]:
    """Draw resamples, the same ones of each system, and score them."""
    sums = resampling.resample_sums(
        [system.counts for system in systems], iterations, draws.generator(), draws.threads
    )
    return [Scored.of(rows, system.options) for rows, system in zip(sums, systems, strict=True)]
