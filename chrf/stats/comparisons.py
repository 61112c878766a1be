"""From the tallies of all pairs of systems to records, adjusted p-values and ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from chrf.core.checks import counted, cut
from chrf.core.draws import ADJUST
from chrf.stats import estimates
from chrf.stats.deciding import Scored
from chrf.stats.intervals import METHODS, Resampled
from chrf.stats.records import Comparison, Comparisons, System
from chrf.stats.resolution import unresolved
from chrf.stats.settings import PairedSettings
from chrf.stats.systems import SystemCounts

BOOTSTRAP, RANDOM, EXACT = "bootstrap", "approximate randomization", "exact permutation"
SIGNATURE_KEYS = {BOOTSTRAP: "bs", RANDOM: "ar", EXACT: "perm"}

Names = tuple[str, str]


@dataclass(frozen=True)
class Tally:
    """The number of resamples or permutations of one pair that are at least as extreme.

    Attributes
    ----------
    method : {"bootstrap", "approximate randomization", "exact permutation"}
    extreme, iterations : int
    differences : numpy.ndarray of float64 or None
        Of all resamples or permutations, where they are kept.
    sacrebleu_p_value : float or None
    """

    method: str
    extreme: int
    iterations: int
    differences: NDArray[np.float64] | None
    sacrebleu_p_value: float | None = None

    @classmethod
    def joined(cls, parts: Sequence[Tally]) -> Tally:
        """Join the tallies of consecutive blocks."""
        kept = [part.differences for part in parts if part.differences is not None]
        return cls(
            method=parts[0].method,
            extreme=sum(part.extreme for part in parts),
            iterations=sum(part.iterations for part in parts),
            differences=np.concatenate(kept) if kept else None,
        )

    @property
    def p_value(self) -> float:
        """The p-value, which is never 0."""
        if self.method == EXACT:
            return self.extreme / self.iterations
        return (self.extreme + 1) / (self.iterations + 1)

    def least_p_value(self, two_tailed: bool) -> float:
        """Return the smallest p-value that any systems could have had here."""
        if self.method == EXACT:  # the observed difference and, with two tails, its opposite
            return min(1.0, (1 + two_tailed) / self.iterations)
        return 1 / (self.iterations + 1)


@dataclass(frozen=True)
class Pair:
    """Two systems that are compared."""

    first: SystemCounts
    second: SystemCounts

    @property
    def names(self) -> Names:
        """The names of the two."""
        return self.first.name, self.second.name

    @cached_property
    def difference(self) -> Fraction:
        """The exact score of the first less that of the second."""
        return self.first.score.fraction - self.second.score.fraction

    @cached_property
    def differs(self) -> NDArray[np.bool_]:
        """The segments in which the systems' counts differ."""
        differs: NDArray[np.bool_] = (self.first.counts != self.second.counts).any(axis=(1, 2))
        return differs


def pairs_of(systems: Sequence[SystemCounts], settings: PairedSettings) -> list[Pair]:
    """Return all pairs of systems; raise where there are none, or lengths differ."""
    for system in systems:
        if len(system.counts) != len(systems[0].counts):
            raise ValueError(
                f"{cut(systems[0].name)} has {counted(len(systems[0].counts), 'segments')} but "
                f"{cut(system.name)} has {len(system.counts)}"
            )
    if len(systems) < 2:
        found = "is one system" if systems else "are no systems"
        raise ValueError(f"there {found}; a paired test needs at least two")
    if len(systems) > 2 and not settings.two_tailed:
        raise ValueError(f"a one-tailed test is of two systems, not of {len(systems)}")
    return [Pair(first, second) for first, second in combinations(systems, 2)]


def compare(
    systems: Sequence[SystemCounts],
    pairs: Sequence[Pair],
    tallies: Sequence[Tally],
    shown: Mapping[str, Scored],
    settings: PairedSettings,
) -> Comparisons:
    """Join the tallies of all pairs, adjusted together, and rank the systems by them.

    The intervals are of the resamples `shown`, by the names of the systems; without them there are
    none.
    """
    resamples = {
        system.name: Resampled.of(system, shown[system.name], settings.interval_method)
        for system in systems
        if shown
    }
    p_values = [tally.p_value for tally in tallies]
    adjusted = estimates.adjusted_p_values(p_values, settings.adjust)
    compared = [
        _comparison(*parts, len(pairs), resamples, settings)
        for parts in zip(pairs, tallies, adjusted, strict=True)
    ]
    best_first = sorted(systems, key=lambda system: system.score.fraction, reverse=True)
    ranking = estimates.ranking([system.name for system in best_first], _better(compared))
    return Comparisons(
        systems=tuple(
            _system(system, rank, cluster, resamples.get(system.name), settings)
            for system, (rank, cluster) in zip(best_first, ranking, strict=True)
        ),
        pairs=tuple(compared),
        unresolved=unresolved(
            [int(pair.differs.sum()) for pair in pairs],
            [tally.least_p_value(settings.two_tailed) for tally in tallies],
            settings,
        ),
    )


def _comparison(
    pair: Pair,
    tally: Tally,
    adjusted: float,
    family: int,
    resamples: Mapping[str, Resampled],
    settings: PairedSettings,
) -> Comparison:
    """Return the record of one pair; without resamples it has no interval."""
    draws = settings.draws
    bounds, resampled = None, 0
    if resamples:
        first, second = (resamples[name] for name in pair.names)
        resampled = len(first.resamples.scores)
        bounds = first.bounds_of_difference(second, draws.alpha)
    return Comparison(
        first=pair.first.name,
        second=pair.second.name,
        difference=pair.difference,
        bounds=bounds,
        interval_method=settings.interval_method if resampled else None,
        interval_iterations=resampled,
        extreme=tally.extreme,
        iterations=tally.iterations,
        p_value=tally.p_value,
        adjusted_p_value=adjusted,
        sacrebleu_p_value=tally.sacrebleu_p_value,
        method=tally.method,
        two_tailed=settings.two_tailed,
        alpha=draws.alpha,
        seed=draws.seed,
        adjust=settings.adjust,
        family=family,
        signature=_signature(pair, tally, resampled, settings),
        distribution=tally.differences,
    )


def _signature(pair: Pair, tally: Tally, resampled: int, settings: PairedSettings) -> str:
    """Return how a pair was tested; parts that have their usual value are left out."""
    key = SIGNATURE_KEYS[tally.method]
    parts: dict[str, int | str | None] = {key: tally.iterations}
    if key != "bs":
        parts["bs"] = resampled or None
    elif resampled != tally.iterations:
        parts["cin"] = resampled or None
    bca = resampled and settings.interval_method != METHODS[0]
    return pair.first.signature(
        **parts,
        seed=settings.draws.seed,
        ci=settings.draws.level,
        method=settings.interval_method if bca else None,
        tails=None if settings.two_tailed else 1,
        adjust=None if settings.adjust == ADJUST else settings.adjust,
    )


def _system(
    system: SystemCounts,
    rank: tuple[int, int],
    cluster: int,
    resampled: Resampled | None,
    settings: PairedSettings,
) -> System:
    """Return the record of one system; without resamples it has no interval."""
    bounds, mean, deviation = None, None, None
    if resampled is not None:
        bounds = resampled.bounds(settings.draws.alpha)
        mean, deviation = estimates.moments(resampled.resamples.scores)
    return System(
        name=system.name,
        score=system.score,
        bounds=bounds,
        mean=mean,
        standard_deviation=deviation,
        rank=rank,
        cluster=cluster,
    )


def _better(compared: Sequence[Comparison]) -> set[Names]:
    """Return the pairs of names of which the first is significantly better than the second."""
    return {
        (pair.first, pair.second) if pair.difference > 0 else (pair.second, pair.first)
        for pair in compared
        if pair.significant and pair.difference
    }
