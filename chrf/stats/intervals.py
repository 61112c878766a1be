"""Bootstrap resamples of systems' counts, and the interval of one corpus score."""

from __future__ import annotations

from collections.abc import Sequence

from chrf.core import resampling
from chrf.core.checks import shown
from chrf.core.resampling import Draws
from chrf.stats import estimates
from chrf.stats.deciding import Scored
from chrf.stats.records import BootstrapInterval
from chrf.stats.systems import SystemCounts

METHODS = ("percentile", "bca")


def bootstrap_interval(
    system: SystemCounts, draws: Draws, *, method: str = "percentile", distribution: bool = False
) -> BootstrapInterval:
    """Return the bootstrap interval of a system's corpus score; see `chrf.stats.bootstrap_ci`."""
    check_method(method)
    [resamples] = resample([system], draws, draws.iterations)
    levels = estimates.percentile_levels(draws.alpha)
    if method == "bca":
        left_out = estimates.jackknife(system.counts, system.options)
        levels = estimates.bca_levels(float(system.score), resamples.scores, left_out, draws.alpha)
    mean, deviation = estimates.moments(resamples.scores)
    return BootstrapInterval(
        score=system.score,
        bounds=estimates.bounds(levels, resamples),
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


def check_method(method: str) -> None:
    """Raise a ValueError for a `method` that is none of `METHODS`."""
    if method not in METHODS:
        raise ValueError(f"method is {shown(method)}; it must be {' or '.join(map(repr, METHODS))}")


def resample(systems: Sequence[SystemCounts], draws: Draws, iterations: int) -> list[Scored]:
    """Draw resamples, the same ones of each system, and score them."""
    sums = resampling.resample_sums(
        [system.counts for system in systems], iterations, draws.generator(), draws.threads
    )
    return [Scored.of(rows, system.options) for rows, system in zip(sums, systems, strict=True)]
