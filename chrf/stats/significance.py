"""Intervals and tests from counts: what `chrf.stats` does with text, for those who have counts.

Counts are the integers that `chrf.counts` returns, [segments, orders, 3] under the rule of the
options. A resample is a sum of them, its score the double nearest to the exact score of that sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from chrf.core import resampling
from chrf.core.blocks import Counts
from chrf.core.draws import checked_iterations
from chrf.core.options import DEFAULT, Options
from chrf.core.resampling import Draws, Subsets
from chrf.core.score import Score
from chrf.core.threads import in_order
from chrf.stats import estimates
from chrf.stats.deciding import Scored, at_least
from chrf.stats.records import BootstrapInterval, Comparison, Comparisons, System

DEFAULT_SEED = 12345  # sacreBLEU's
NOT_KEPT: NDArray[np.float64] = np.empty(0)  # differences that nobody asked for


def bootstrap_ci(
    counts: Counts,
    options: Options = DEFAULT,
    *,
    iterations: int = 1000,
    alpha: float = 0.05,
    method: str = "percentile",
    seed: int | None = DEFAULT_SEED,
    threads: int = 1,
    distribution: bool = False,
    score: Score | None = None,
) -> BootstrapInterval:
    """The bootstrap interval of a corpus score; see `chrf.stats.bootstrap_ci`.

    Parameters
    ----------
    counts : numpy.ndarray of integers, shape [segments, orders, 3]
    options : Options
        Those that the counts were made with.
    score : Score, optional
        The score of the counts, where the caller has it already, with what counts do not tell:
        how many references there were and how many tied.

    Examples
    --------
    >>> import chrf
    >>> counts = chrf.counts(["the cat sat", "a dog"], ["the cat sits", "a dog"])
    >>> print(bootstrap_ci(counts, iterations=200))
    65.381412 [61.034534, 100.000000]
    """
    counts, score = _checked_counts("counts", counts, options, score)
    draws = Draws.checked(iterations, alpha, seed, threads)
    if method not in ("percentile", "bca"):
        raise ValueError(f"method is {method!r}; it must be 'percentile' or 'bca'")
    entry = _Entry("counts", counts, score)
    [resamples] = summing([entry], options, draws.iterations, draws)
    levels = draws.levels
    if method == "bca":
        left_out = estimates.jackknife(counts, options)
        levels = estimates.bca_levels(float(score), resamples.scores, left_out, draws.alpha)
    mean, deviation = estimates.moments(resamples.scores)
    return BootstrapInterval(
        score=score,
        bounds=estimates.bounds(levels, resamples),
        mean=mean,
        standard_deviation=deviation,
        alpha=draws.alpha,
        method=method,
        iterations=draws.iterations,
        seed=draws.seed,
        signature=_signature(score, f"bs:{draws.iterations}", draws.seed),
        distribution=resamples.scores if distribution else None,
    )


def paired_bootstrap(
    systems: Mapping[str, Counts],
    options: Options = DEFAULT,
    *,
    iterations: int = 1000,
    alpha: float = 0.05,
    two_tailed: bool = True,
    seed: int | None = DEFAULT_SEED,
    threads: int = 1,
    distribution: bool = False,
    scores: Mapping[str, Score] | None = None,
) -> Comparisons:
    """Paired bootstrap of corpus scores; see `chrf.stats.paired_bootstrap`.

    Parameters
    ----------
    systems : mapping of str to numpy.ndarray of integers, shape [segments, orders, 3]
    options : Options
        Those that the counts were made with.
    scores : mapping of str to Score, optional
        As `score` of `bootstrap_ci`.
    """
    entries = _checked_systems(systems, options, scores, two_tailed)
    draws = Draws.checked(iterations, alpha, seed, threads)
    resamples = summing(entries, options, draws.iterations, draws)
    tallies = []
    for i, j in combinations(range(len(entries)), 2):
        first, second = resamples[i], resamples[j]
        observed = entries[i].score.fraction - entries[j].score.fraction
        if two_tailed and observed < 0:
            first, second, observed = second, first, -observed
        # The distance of a resample's difference from the observed one, against that itself.
        extreme = at_least(first, second, 2 * observed)
        if two_tailed:
            extreme |= at_least(second, first, Fraction(0))
        differences = resamples[i].scores - resamples[j].scores
        theirs = estimates.sacrebleu_p_value(
            differences, float(entries[i].score) - float(entries[j].score)
        )
        tallies.append(
            _Tally(
                extreme=int(extreme.sum()),
                iterations=draws.iterations,
                method="bootstrap",
                sacrebleu=theirs if two_tailed else None,
                differences=differences if distribution else None,
            )
        )
    return _comparisons(entries, tallies, resamples, draws, f"bs:{draws.iterations}", two_tailed)


def paired_permutation(
    systems: Mapping[str, Counts],
    options: Options = DEFAULT,
    *,
    iterations: int = 10000,
    exact_budget: int | None = None,
    interval_iterations: int = 1000,
    alpha: float = 0.05,
    two_tailed: bool = True,
    seed: int | None = DEFAULT_SEED,
    threads: int = 1,
    distribution: bool = False,
    scores: Mapping[str, Score] | None = None,
) -> Comparisons:
    """Paired permutation test of corpus scores; see `chrf.stats.paired_permutation`.

    Parameters
    ----------
    systems, options, scores
        As for `paired_bootstrap`.
    """
    entries = _checked_systems(systems, options, scores, two_tailed)
    draws = Draws.checked(iterations, alpha, seed, threads)
    resample = checked_iterations("interval_iterations", interval_iterations, least=0)
    budget = draws.iterations
    if exact_budget is not None:
        budget = checked_iterations("exact_budget", exact_budget, least=0)
    swap = _Swap(entries, options, two_tailed, distribution, draws.threads)
    tallies: dict[tuple[int, int], _Tally] = {}
    sampled = []
    for i, j in combinations(range(len(entries)), 2):
        differs = (entries[i].counts != entries[j].counts).any(axis=(1, 2))
        number = int(differs.sum())
        if number > resampling.MOST_LISTED or 1 << number > budget:
            sampled.append((i, j))
        else:
            subsets = resampling.all_subsets(number)
            tallies.update(swap([(i, j)], differs, subsets, 1 << number, "exact permutation"))
    if sampled:
        every = np.ones(len(entries[0].counts), dtype=np.bool_)
        subsets = resampling.random_subsets(len(every), draws.iterations, draws.generator())
        tallies.update(swap(sampled, every, subsets, draws.iterations, "approximate randomization"))
    made = f"ar:{draws.iterations}"
    resamples = None
    if resample:
        made += f"|bs:{resample}"
        resamples = summing(entries, options, resample, draws)
    ordered = [tallies[pair] for pair in combinations(range(len(entries)), 2)]
    return _comparisons(entries, ordered, resamples, draws, made, two_tailed)


@dataclass(frozen=True)
class _Entry:
    """A system's name, checked counts and score."""

    name: str
    counts: Counts
    score: Score


@dataclass(frozen=True)
class _Tally:
    """How many of the draws of one comparison are at least as extreme as what was observed."""

    extreme: int
    iterations: int
    method: str
    sacrebleu: float | None = None
    differences: NDArray[np.float64] | None = None

    @property
    def p_value(self) -> float:
        if self.method == "exact permutation":
            return self.extreme / self.iterations
        return (self.extreme + 1) / (self.iterations + 1)


@dataclass(frozen=True)
class _Swap:
    """Counts the swaps of segments between two systems that leave the difference as extreme."""

    entries: Sequence[_Entry]
    options: Options
    two_tailed: bool
    distribution: bool
    threads: int

    def __call__(
        self,
        pairs: Sequence[tuple[int, int]],
        segments: NDArray[np.bool_],
        blocks: Iterator[Subsets],
        iterations: int,
        method: str,
    ) -> dict[tuple[int, int], _Tally]:
        """Try all subsets in the blocks on each pair; those of `segments` can be swapped.

        With a system's counts summed over the subset and over everything, the first system after
        the swap has ``subset[i] - subset[j] + total[j]``: its own counts inside, the other's
        outside, and either's where the two have equal ones.
        """
        orders = self.options.order_count
        packed = {
            i: resampling.pack_for_subsets(self.entries[i].counts[segments])
            for i in {i for pair in pairs for i in pair}
        }
        totals = {i: self.entries[i].counts.sum(axis=0) for i in packed}

        def work(subsets: Subsets) -> list[tuple[int, NDArray[np.float64]]]:
            sums = {i: subsets.sums(table, orders) for i, table in packed.items()}
            results = []
            for i, j in pairs:
                inside = sums[i] - sums[j] + totals[j]
                first = Scored.of(inside, self.options)
                second = Scored.of(totals[i] + totals[j] - inside, self.options)
                observed = self.entries[i].score.fraction - self.entries[j].score.fraction
                if self.two_tailed:
                    observed = abs(observed)
                extreme = at_least(first, second, observed)
                if self.two_tailed:
                    extreme |= at_least(second, first, observed)
                differences = first.scores - second.scores if self.distribution else NOT_KEPT
                results.append((int(extreme.sum()), differences))
            return results

        parts = list(in_order(work, blocks, self.threads))
        tallies = {}
        for place, pair in enumerate(pairs):
            differences = [part[place][1] for part in parts]
            tallies[pair] = _Tally(
                extreme=sum(part[place][0] for part in parts),
                iterations=iterations,
                method=method,
                differences=np.concatenate(differences) if self.distribution else None,
            )
        return tallies


def _comparisons(
    entries: Sequence[_Entry],
    tallies: Sequence[_Tally],
    resamples: Sequence[Scored] | None,
    draws: Draws,
    made: str,
    two_tailed: bool,
) -> Comparisons:
    """The records of all systems and pairs."""
    adjusted = estimates.holm([tally.p_value for tally in tallies])
    pairs = []
    for (i, j), tally, p in zip(
        combinations(range(len(entries)), 2), tallies, adjusted, strict=True
    ):
        exactly = tally.method == "exact permutation"
        key = made.replace(f"ar:{draws.iterations}", f"perm:{tally.iterations}", int(exactly))
        pairs.append(
            Comparison(
                first=entries[i].name,
                second=entries[j].name,
                difference=entries[i].score.fraction - entries[j].score.fraction,
                bounds=estimates.bounds(draws.levels, resamples[i], resamples[j])
                if resamples
                else None,
                extreme=tally.extreme,
                iterations=tally.iterations,
                p_value=tally.p_value,
                adjusted_p_value=p,
                sacrebleu_p_value=tally.sacrebleu,
                method=tally.method,
                two_tailed=two_tailed,
                alpha=draws.alpha,
                seed=draws.seed,
                signature=_signature(entries[i].score, key, draws.seed),
                distribution=tally.differences,
            )
        )
    better = {
        (pair.first, pair.second) if pair.difference > 0 else (pair.second, pair.first)
        for pair in pairs
        if pair.significant and pair.difference
    }
    best_first = sorted(range(len(entries)), key=lambda i: entries[i].score.fraction, reverse=True)
    ranking = estimates.ranking([entries[i].name for i in best_first], better)
    systems = []
    for i, (rank, cluster) in zip(best_first, ranking, strict=True):
        bounds, mean, deviation = None, None, None
        if resamples:
            bounds = estimates.bounds(draws.levels, resamples[i])
            mean, deviation = estimates.moments(resamples[i].scores)
        systems.append(
            System(
                name=entries[i].name,
                score=entries[i].score,
                bounds=bounds,
                mean=mean,
                standard_deviation=deviation,
                rank=rank,
                cluster=cluster,
            )
        )
    return Comparisons(systems=tuple(systems), pairs=tuple(pairs))


def summing(
    entries: Sequence[_Entry], options: Options, iterations: int, draws: Draws
) -> list[Scored]:
    sums = resampling.resample_sums(
        [entry.counts for entry in entries], iterations, draws.generator(), draws.threads
    )
    return [Scored.of(rows, options) for rows in sums]


def _signature(score: Score, made: str, seed: int) -> str:
    """The score's signature with the draws and the seed where sacreBLEU has them."""
    references, _, rest = score.signature.partition("|")
    return f"{references}|{made}|seed:{seed}|{rest}"


def _checked_systems(
    systems: Mapping[str, Counts],
    options: Options,
    scores: Mapping[str, Score] | None,
    two_tailed: bool,
) -> list[_Entry]:
    if not isinstance(two_tailed, bool):
        raise TypeError(f"two_tailed is {two_tailed!r}; it must be True or False")
    entries: list[_Entry] = []
    for name, given in systems.items():
        counts, score = _checked_counts(name, given, options, scores[name] if scores else None)
        if entries and len(counts) != len(entries[0].counts):
            raise ValueError(
                f"{entries[0].name} has {len(entries[0].counts)} segments but {name} has "
                f"{len(counts)}"
            )
        entries.append(_Entry(name, counts, score))
    if len(entries) < 2:
        raise ValueError(f"there are {len(entries)} systems; at least two can be compared")
    if len(entries) > 2 and not two_tailed:
        raise ValueError(f"a one-tailed test is of two systems, not of {len(entries)}")
    return entries


def _checked_counts(
    name: str, counts: Counts, options: Options, score: Score | None
) -> tuple[Counts, Score]:
    """The counts as int64, and their score."""
    array = np.asarray(counts)
    shape = "[segments, orders, 3]"
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} holds {array.dtype}; counts are integers {shape}")
    if array.ndim != 3 or array.shape[1:] != (options.order_count, 3):
        raise ValueError(
            f"{name} has shape {list(array.shape)}; with these options counts are {shape} of "
            f"{options.order_count} orders"
        )
    if not len(array):
        raise ValueError(f"{name} has no segments")
    if array.min() < 0:
        raise ValueError(f"{name} holds a negative count")
    if (array[..., 2] > array[..., :2].min(axis=2)).any():
        raise ValueError(f"{name} holds more matches than n-grams")
    if len(array) * int(array.max()) >= 1 << resampling.WORD_BITS:
        raise ValueError(f"{name} holds counts whose sums may pass 63 bits")
    array = array.astype(np.int64, copy=False)
    summed = tuple((int(h), int(r), int(m)) for h, r, m in array.sum(axis=0))
    if score is None:
        score = Score(counts=summed, options=options, segment_count=len(array))
    elif (score.counts, score.options) != (summed, options):
        raise ValueError(f"the score given for {name} is not that of its counts")
    return array, score
