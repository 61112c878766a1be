"""Paired tests of corpus scores, by bootstrap resamples or by swaps of segments.

Each makes a `Tally` of every pair of systems; `chrf.stats.comparisons` makes the records of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from chrf.core import resampling
from chrf.core.blocks import Counts
from chrf.core.draws import TEST_DRAWS
from chrf.core.resampling import Draws, Subsets
from chrf.core.threads import in_order
from chrf.stats import estimates
from chrf.stats.comparisons import (
    BOOTSTRAP,
    EXACT,
    RANDOM,
    Names,
    Pair,
    Tally,
    compare,
    pairs_of,
)
from chrf.stats.deciding import Scored, at_least
from chrf.stats.intervals import resample
from chrf.stats.records import Comparisons
from chrf.stats.settings import PairedSettings, PermutationSettings
from chrf.stats.systems import SystemCounts


def bootstrap_test(systems: Sequence[SystemCounts], settings: PairedSettings) -> Comparisons:
    """Test all pairs of systems by resampling; see `chrf.stats.paired_bootstrap`."""
    pairs = pairs_of(systems, settings)
    settings = settings.for_pairs(len(pairs))
    iterations = settings.draws.iterations
    shown = iterations if settings.interval_iterations is None else settings.interval_iterations
    resamples = _resample_by_name(systems, settings.draws, max(iterations, shown))
    tested = {name: scored.first_rows(iterations) for name, scored in resamples.items()}
    tallies = [count_resamples(pair, tested, settings) for pair in pairs]
    if shown:
        resamples = {name: scored.first_rows(shown) for name, scored in resamples.items()}
    return compare(systems, pairs, tallies, resamples if shown else {}, settings)


def count_resamples(pair: Pair, resamples: Mapping[str, Scored], settings: PairedSettings) -> Tally:
    """Tally the resamples whose difference is as far from the observed one as that is from 0."""
    first, second = (resamples[name] for name in pair.names)
    differences = first.scores - second.scores
    observed = pair.difference
    if settings.two_tailed and observed < 0:
        first, second, observed = second, first, -observed
    extreme = at_least(first, second, 2 * observed)
    theirs = None
    if settings.two_tailed:
        extreme |= at_least(second, first, Fraction(0))
        nearest = float(pair.first.score) - float(pair.second.score)
        number = TEST_DRAWS["bootstrap"] if settings.raisable else len(differences)
        theirs = estimates.sacrebleu_p_value(differences[:number], nearest)
    return Tally(
        method=BOOTSTRAP,
        extreme=int(extreme.sum()),
        iterations=len(differences),
        differences=differences if settings.distribution else None,
        sacrebleu_p_value=theirs,
    )


def permutation_test(systems: Sequence[SystemCounts], settings: PermutationSettings) -> Comparisons:
    """Test all pairs of systems by swapping segments; see `chrf.stats.paired_permutation`."""
    pairs = pairs_of(systems, settings)
    settings = settings.for_pairs(len(pairs))
    draws = settings.draws
    tallies: dict[Names, Tally] = {}
    sampled = []
    for pair in pairs:
        number = int(pair.differs.sum())
        if number > resampling.MOST_LISTED or 1 << number > settings.budget:
            sampled.append(pair)
            continue
        subsets = resampling.all_subsets(number)
        tallies |= tally_swaps([pair], pair.differs, subsets, EXACT, settings)
    if sampled:
        every = np.ones(len(systems[0].counts), dtype=np.bool_)
        subsets = resampling.random_subsets(len(every), draws.iterations, draws.generator())
        tallies |= tally_swaps(sampled, every, subsets, RANDOM, settings)
    resamples = {}
    if settings.interval_iterations:
        resamples = _resample_by_name(systems, draws, settings.interval_iterations)
    ordered = [tallies[pair.names] for pair in pairs]
    return compare(systems, pairs, ordered, resamples, settings)


def tally_swaps(
    pairs: Sequence[Pair],
    swappable: NDArray[np.bool_],
    blocks: Iterator[Subsets],
    method: str,
    settings: PairedSettings,
) -> dict[Names, Tally]:
    """Tally each pair over the same subsets of the `swappable` segments.

    A system's counts are packed once, and added up once for each block of subsets, in however many
    pairs it stands.
    """
    systems = {system.name: system for pair in pairs for system in (pair.first, pair.second)}
    packed = {
        name: resampling.pack_for_subsets(system.counts[swappable])
        for name, system in systems.items()
    }
    totals = {name: system.counts.sum(axis=0) for name, system in systems.items()}
    order_count = pairs[0].first.options.order_count

    def tally_block(subsets: Subsets) -> list[Tally]:
        sums = {name: subsets.sums(table, order_count) for name, table in packed.items()}
        return [count_swaps(pair, sums, totals, method, settings) for pair in pairs]

    parts = in_order(tally_block, blocks, settings.draws.threads)
    by_pair = zip(*parts, strict=True)
    return {pair.names: Tally.joined(part) for pair, part in zip(pairs, by_pair, strict=True)}


def count_swaps(
    pair: Pair,
    sums: Mapping[str, Counts],
    totals: Mapping[str, Counts],
    method: str,
    settings: PairedSettings,
) -> Tally:
    """Tally the swaps of segments that leave the difference of a pair as extreme.

    With a system's counts summed over a subset and over everything, the first system after the
    swap has ``sums[first] - sums[second] + totals[second]``: its own counts inside the subset, the
    other's outside, and either's where the two have equal ones.
    """
    one, two = pair.names
    inside = sums[one] - sums[two] + totals[two]
    first = Scored.of(inside, pair.first.options)
    second = Scored.of(totals[one] + totals[two] - inside, pair.first.options)
    observed = abs(pair.difference) if settings.two_tailed else pair.difference
    extreme = at_least(first, second, observed)
    if settings.two_tailed:
        extreme |= at_least(second, first, observed)
    return Tally(
        method=method,
        extreme=int(extreme.sum()),
        iterations=len(inside),
        differences=first.scores - second.scores if settings.distribution else None,
    )


def _resample_by_name(
    systems: Sequence[SystemCounts], draws: Draws, iterations: int
) -> dict[str, Scored]:
    resamples = resample(systems, draws, iterations)
    return {system.name: part for system, part in zip(systems, resamples, strict=True)}
