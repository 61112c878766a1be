"""Paired tests of corpus scores, by bootstrap resamples or by swaps of segments.

Each makes a `Tally` of every pair of systems; `chrf.stats.comparisons` makes the records of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from chrf.core import resampling
from chrf.core.blocks import Counts
from chrf.core.draws import TEST_DRAWS
from chrf.core.resampling import Draws, Subsets
from chrf.core.threads import in_order
from chrf.stats import estimates
from chrf.stats.beside import Equivalence, Power, outside_margin, standard_error
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
from chrf.stats.deciding import Scored, at_least, sides
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
    compared = compare(systems, pairs, tallies, resamples if shown else {}, settings)
    return with_more(compared, pairs, tested, settings)


def count_resamples(pair: Pair, resamples: Mapping[str, Scored], settings: PairedSettings) -> Tally:
    """Tally the resamples whose difference is as far from the observed one as that is from 0."""
    first, second = (resamples[name] for name in pair.names)
    differences = first.scores - second.scores
    observed = pair.difference
    one_tailed = sides(first, second, 2 * observed)
    if settings.two_tailed and observed < 0:
        first, second, observed = second, first, -observed
    extreme = at_least(first, second, 2 * observed)
    theirs = None
    if settings.two_tailed:
        extreme |= at_least(second, first, Fraction(0))
    if settings.two_tailed and pair.first.design.plain:  # sacreBLEU has no other
        nearest = float(pair.first.score) - float(pair.second.score)
        number = TEST_DRAWS["bootstrap"] if settings.raisable else len(differences)
        theirs = estimates.sacrebleu_p_value(differences[:number], nearest)
    return Tally(
        method=BOOTSTRAP,
        extreme=int(extreme.sum()),
        iterations=len(differences),
        one_tailed=one_tailed,
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
    shown = settings.interval_iterations
    drawn = shown if settings.within is None else settings.resamples(len(pairs))
    resamples = _resample_by_name(systems, draws, drawn) if drawn else {}
    first = {name: scored.first_rows(shown) for name, scored in resamples.items() if shown}
    ordered = [tallies[pair.names] for pair in pairs]
    compared = compare(systems, pairs, ordered, first, settings)
    return with_more(compared, pairs, resamples, settings)


def tally_swaps(
    pairs: Sequence[Pair],
    swappable: NDArray[np.bool_],
    blocks: Iterator[Subsets],
    method: str,
    settings: PairedSettings,
) -> dict[Names, Tally]:
    """Tally each pair over the same subsets of the `swappable` rows: segments or documents.

    A system's counts are packed once, and added up once for each block of subsets, in however many
    pairs it stands.
    """
    systems = {system.name: system for pair in pairs for system in (pair.first, pair.second)}
    packed = {name: pack_sets(system, swappable) for name, system in systems.items()}
    totals = {name: system.totals for name, system in systems.items()}
    order_count = pairs[0].first.options.order_count

    def tally_block(subsets: Subsets) -> list[Tally]:
        sums = {}
        for name, tables in packed.items():
            parts = [subsets.after(before).sums(table, order_count) for before, table in tables]
            sums[name] = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        return [count_swaps(pair, sums, totals, method, settings) for pair in pairs]

    parts = in_order(tally_block, blocks, settings.draws.threads)
    by_pair = zip(*parts, strict=True)
    return {pair.names: Tally.joined(part) for pair, part in zip(pairs, by_pair, strict=True)}


def pack_sets(
    system: SystemCounts, swappable: NDArray[np.bool_]
) -> list[tuple[int, resampling.Packed]]:
    """Pack the `swappable` rows of each set; before it stands how many of them come first."""
    packed, before = [], 0
    for rows in system.design.sets(len(swappable)):
        part = system.counts[rows][swappable[rows]]
        packed.append((before, resampling.pack_for_subsets(part, before)))
        before += len(part)
    return packed


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
        one_tailed=sides(first, second, pair.difference),
        differences=first.scores - second.scores if settings.distribution else None,
    )


def _resample_by_name(
    systems: Sequence[SystemCounts], draws: Draws, iterations: int
) -> dict[str, Scored]:
    resamples = resample(systems, draws, iterations)
    return {system.name: part for system, part in zip(systems, resamples, strict=True)}


def with_more(
    compared: Comparisons,
    pairs: Sequence[Pair],
    resamples: Mapping[str, Scored],
    settings: PairedSettings,
) -> Comparisons:
    """Add to each comparison what the settings ask for beside it: equivalence, power."""
    records = list(compared.pairs)
    if settings.within is not None:
        found = equivalences(pairs, resamples, settings.within, settings)
        records = [replace(r, equivalence=e) for r, e in zip(records, found, strict=True)]
    if settings.power is not None:
        powers = powers_of(pairs, settings.power, settings)
        records = [replace(r, power=p) for r, p in zip(records, powers, strict=True)]
    return replace(compared, pairs=tuple(records))


def equivalences(
    pairs: Sequence[Pair],
    resamples: Mapping[str, Scored],
    within: Fraction,
    settings: PairedSettings,
) -> list[Equivalence]:
    """Test of each pair whether it differs by less than a margin; all are adjusted together."""
    extreme = []
    for pair in pairs:
        first, second = (resamples[name] for name in pair.names)
        extreme.append(outside_margin(first, second, pair.difference, within))
    iterations = len(next(iter(resamples.values())).scores)
    p_values = [(number + 1) / (iterations + 1) for number in extreme]
    adjusted = estimates.adjusted_p_values(p_values, settings.adjust)
    return [
        Equivalence(
            within=within,
            extreme=number,
            iterations=iterations,
            p_value=p_value,
            adjusted_p_value=together,
            alpha=settings.draws.alpha,
        )
        for number, p_value, together in zip(extreme, p_values, adjusted, strict=True)
    ]


def powers_of(pairs: Sequence[Pair], power: float, settings: PairedSettings) -> list[Power | None]:
    """Return what the test can find of each pair; None where the jackknife cannot tell."""
    left_out = {
        system.name: estimates.jackknife(system.counts, system.options, system.design)
        for pair in pairs
        for system in (pair.first, pair.second)
    }
    result: list[Power | None] = []
    for pair in pairs:
        first, second = (left_out[name] for name in pair.names)
        design = pair.first.design
        error = standard_error(first - second, design)
        found = Power(
            difference=pair.difference,
            segments=len(first),
            standard_error=error,
            power=power,
            alpha=settings.draws.alpha,
            two_tailed=settings.two_tailed,
            tests=settings.tests(len(pairs)),
            sizes=(len(first),),
            unit=f"{design.noun}s",
        )
        result.append(found if error else None)
    return result
