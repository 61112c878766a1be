"""The public functions for text; `chrf.stats.significance` has those for counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from chrf.core import resampling
from chrf.core.checks import shown
from chrf.core.options import OptionKeywords, Options
from chrf.core.resampling import Draws
from chrf.core.source import read_pairs
from chrf.stats import input as stats_input
from chrf.stats import significance
from chrf.stats.deciding import MeanDifference
from chrf.stats.input import Metric, Scorer
from chrf.stats.records import (
    BootstrapInterval,
    Comparisons,
    ConfidenceInterval,
)
from chrf.stats.significance import DEFAULT_SEED

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from chrf.core.source import References
    from chrf.stats.input import Systems


def chrf_ci(
    references: Iterable[Iterable[str]],
    hypotheses: Iterable[str],
    iterations: int = 1000,
    alpha: float = 0.05,
    chrf: Metric | None = None,
    seed: int = 0,
) -> ConfidenceInterval:
    """The percentile bootstrap interval of a corpus score, as evaluatio draws it.

    Parameters
    ----------
    references : iterable of iterables of str
        One row of reference strings for each hypothesis; all rows are equally long.
    hypotheses : iterable of str
        One for each segment.
    iterations : int
        Number of resamples.
    alpha : float
        The interval holds ``1 - alpha`` of the resamples.
    chrf : chrf.sacrebleu.CHRF or sacrebleu.CHRF, optional
        Its options are used. None stands for chrF2 with sacreBLEU's defaults.
    seed : int
        Of the NumPy generator: any non-negative integer.

    Returns
    -------
    ConfidenceInterval
        `score`, `lower` and `upper`, 0 to 100. With the same seed evaluatio draws the same
        resamples; its bounds differ by the rounding of its 32-bit floats.

    Raises
    ------
    TypeError
        A string where a list was meant; an item that is not a string; a seed that is no integer.
    ValueError
        No segments, rows of unequal lengths, not as many rows as hypotheses, a negative seed.

    Examples
    --------
    >>> chrf_ci([["the cat sat"]], ["the cat sat"])
    ConfidenceInterval(score=100.0, lower=100.0, upper=100.0)
    """
    metric = Scorer.of(chrf)
    if seed is None:
        raise TypeError("seed is None; it must be an integer of at least 0")
    draws = Draws.checked(iterations, alpha, seed)
    texts = stats_input.read_texts("hypotheses", hypotheses)
    counts = metric.counts(texts, stats_input.read_rows(references, len(texts)))
    sums = resampling.resample_sums_by_place(counts, draws.iterations, draws.generator())
    percentages = [100 * draws.alpha / 2, 100 * (1 - draws.alpha / 2)]
    lower, upper = np.percentile(metric.scored(sums).scores, percentages).tolist()
    [score] = metric.scored(counts.sum(axis=0, keepdims=True)).scores.tolist()
    return ConfidenceInterval(score, lower, upper)


def chrf_permutation_test(
    references: Iterable[Iterable[str]],
    hypotheses1: Iterable[str],
    hypotheses2: Iterable[str],
    iterations: int = 10000,
    two_tailed: bool = True,
    chrf: Metric | None = None,
    seed: int | None = None,
) -> float:
    """The p-value of a paired permutation test of mean sentence scores, evaluatio's test.

    Parameters
    ----------
    references : iterable of iterables of str
        Whole sets of references, each with one string for each hypothesis. One row of references
        for each hypothesis is understood too, where it cannot be the former.
    hypotheses1, hypotheses2 : iterable of str
        Those of the two systems.
    iterations : int
        Number of random permutations.
    two_tailed : bool
        Whether the systems differ; else whether system 1 is better.
    chrf : chrf.sacrebleu.CHRF or sacrebleu.CHRF, optional
        Its options are used. None stands for chrF2 with sacreBLEU's defaults.
    seed : int, optional
        Any non-negative integer; a fresh one by default, so that calls differ.

    Returns
    -------
    float
        ``(count + 1) / (iterations + 1)``, where `count` is the number of permutations whose
        difference of means is at least as extreme as the observed one. Equality is exact.

    Raises
    ------
    TypeError
        A string where a list was meant; an item that is not a string; a seed that is no integer.
    ValueError
        No segments; lengths that fit neither shape of references; a negative seed.

    Notes
    -----
    The mean of sentence scores is not the corpus score, and the two may even disagree on which
    system is better: see `paired_permutation`.

    Examples
    --------
    >>> references = [["the cat sat", "a dog ran"]]
    >>> chrf_permutation_test(references, ["the cat sat", "a dog"], ["the cat sat", "a dog"])
    1.0
    """
    metric = Scorer.of(chrf)
    draws = Draws.checked(iterations, 0.5, seed)
    if not isinstance(two_tailed, bool):
        raise TypeError(f"two_tailed is {shown(two_tailed)}; it must be True or False")
    first = stats_input.read_texts("hypotheses1", hypotheses1)
    second = stats_input.read_texts("hypotheses2", hypotheses2)
    if len(first) != len(second):
        raise ValueError(f"hypotheses1 has {len(first)} items but hypotheses2 has {len(second)}")
    rows = stats_input.read_sets(references, len(first))
    difference = MeanDifference(
        *(metric.scored(metric.counts(texts, rows)) for texts in (first, second))
    )
    count = sum(
        int(difference.at_least_as_extreme(subsets, two_tailed=two_tailed).sum())
        for subsets in resampling.random_subsets(len(first), draws.iterations, draws.generator())
    )
    return (count + 1) / (draws.iterations + 1)


def bootstrap_ci(
    hypotheses: Iterable[str],
    references: References,
    *,
    iterations: int = 1000,
    alpha: float = 0.05,
    method: str = "percentile",
    seed: int | None = DEFAULT_SEED,
    threads: int = 1,
    distribution: bool = False,
    **options: Unpack[OptionKeywords],
) -> BootstrapInterval:
    """The bootstrap interval of a corpus score.

    Parameters
    ----------
    hypotheses, references
        As for `chrf.corpus_score`.
    iterations : int
        Number of resamples.
    alpha : float
        0.05 for a 95 % interval.
    method : {"percentile", "bca"}
        Percentiles of the resamples, or the bias-corrected and accelerated ones (Efron 1987).
    seed : int or None
        Any non-negative integer; None for a fresh one, which the result names.
    threads : int
        Worker threads. The result does not depend on it.
    distribution : bool
        Keep the scores of the resamples in the result.
    **options
        See `chrf.Options`.

    Returns
    -------
    BootstrapInterval

    Raises
    ------
    TypeError, ValueError
        What `chrf.corpus_score` refuses, and settings that have no meaning.

    Examples
    --------
    >>> interval = bootstrap_ci(["the cat sat", "a dog"], ["the cat sits", "a dog"], seed=1)
    >>> print(interval, interval.signature)
    65.381412 [61.034534, 100.000000] nrefs:1|bs:1000|seed:1|case:mixed|eff:yes|nc:6|nw:0|\
space:no|beta:2|rule:all|segments:2|version:chrf-0.1.0
    """
    checked = Options.from_keywords(dict(options))
    pairs = read_pairs(hypotheses, references)
    counts, score = stats_input.count(pairs, checked, threads)
    return significance.bootstrap_ci(
        counts,
        checked,
        iterations=iterations,
        alpha=alpha,
        method=method,
        seed=seed,
        threads=threads,
        distribution=distribution,
        score=score,
    )


def paired_bootstrap(
    systems: Systems,
    references: References,
    *,
    iterations: int = 1000,
    alpha: float = 0.05,
    two_tailed: bool = True,
    seed: int | None = DEFAULT_SEED,
    threads: int = 1,
    distribution: bool = False,
    **options: Unpack[OptionKeywords],
) -> Comparisons:
    """Paired bootstrap test of the corpus scores of two or more systems, all pairs of them.

    Every resample takes the same segments of all systems. The p-value is the share of resamples
    whose difference is at least as far from the observed one as that is from 0.

    Parameters
    ----------
    systems : mapping of str to iterable of str, or iterable of iterables of str
        The hypotheses of each system by its name; without names they are ``system 1`` and so on.
    references
        As for `chrf.corpus_score`.
    iterations : int
        Number of resamples.
    alpha : float
        Of the intervals and for the adjusted p-values.
    two_tailed : bool
        Whether the systems differ; else, of two systems, whether the first is better.
    seed, threads, distribution, **options
        As for `bootstrap_ci`.

    Returns
    -------
    Comparisons

    Examples
    --------
    >>> references = ["the cat sat", "a red fox", "it rains"]
    >>> systems = {"A": ["the cat sat", "a fox", "it rain"], "B": ["a cat", "red", "rains"]}
    >>> print(paired_bootstrap(systems, references)["A", "B"])
    A - B = 40.327697 [-6.484537, 76.139527], p = 0.0480 (bootstrap, 1000)
    """
    checked = Options.from_keywords(dict(options))
    counts, scores = stats_input.count_systems(systems, references, checked, threads)
    return significance.paired_bootstrap(
        counts,
        checked,
        iterations=iterations,
        alpha=alpha,
        two_tailed=two_tailed,
        seed=seed,
        threads=threads,
        distribution=distribution,
        scores=scores,
    )


def paired_permutation(
    systems: Systems,
    references: References,
    *,
    iterations: int = 10000,
    exact_budget: int | None = None,
    interval_iterations: int = 1000,
    alpha: float = 0.05,
    two_tailed: bool = True,
    seed: int | None = DEFAULT_SEED,
    threads: int = 1,
    distribution: bool = False,
    **options: Unpack[OptionKeywords],
) -> Comparisons:
    """Paired permutation test of the corpus scores of two or more systems, all pairs of them.

    Segments change sides at random (approximate randomisation), or in every possible way where
    there are few. The p-value is the share of permutations whose difference is at least as extreme
    as the observed one.

    Parameters
    ----------
    systems, references, alpha, two_tailed
        As for `paired_bootstrap`.
    iterations : int
        Number of random permutations.
    exact_budget : int, optional
        The most permutations to go through one by one, for an exact p-value: 2 to the number of
        segments in which the systems' counts differ, 30 at most. By default `iterations`; 0 for
        never.
    interval_iterations : int
        Bootstrap resamples for the intervals, those of `bootstrap_ci`; 0 for no intervals.
    seed, threads, distribution, **options
        As for `bootstrap_ci`.

    Returns
    -------
    Comparisons

    Examples
    --------
    >>> references = ["the cat sat", "a red fox", "it rains"]
    >>> systems = {"A": ["the cat sat", "a fox", "it rain"], "B": ["a cat", "red", "rains"]}
    >>> print(paired_permutation(systems, references, interval_iterations=0)["A", "B"])
    A - B = 40.327697, p = 0.2500 (exact permutation, 8)
    """
    checked = Options.from_keywords(dict(options))
    counts, scores = stats_input.count_systems(systems, references, checked, threads)
    return significance.paired_permutation(
        counts,
        checked,
        iterations=iterations,
        exact_budget=exact_budget,
        interval_iterations=interval_iterations,
        alpha=alpha,
        two_tailed=two_tailed,
        seed=seed,
        threads=threads,
        distribution=distribution,
        scores=scores,
    )
