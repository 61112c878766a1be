"""Intervals and tests of the corpus score, of text or of counts: the public functions.

Each checks its settings, reads what it was given and calls `intervals` or `tests`.
"""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import TYPE_CHECKING

from chrf.core.draws import ADJUST, ALPHA, INTERVAL_DRAWS, SEED
from chrf.core.options import OptionKeywords, Options
from chrf.core.resampling import Draws
from chrf.stats import intervals, tests
from chrf.stats.comparisons import BOOTSTRAP
from chrf.stats.design import too_narrow
from chrf.stats.input import read_labels, read_system, read_systems
from chrf.stats.intervals import METHODS
from chrf.stats.records import BootstrapInterval, Comparisons
from chrf.stats.settings import PairedSettings, PermutationSettings
from chrf.stats.systems import drawn_by

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from chrf.core.source import References
    from chrf.stats.design import Labels
    from chrf.stats.input import Given, Systems
    from chrf.stats.systems import SystemCounts

SHARED = (
    "alpha",
    "documents",
    "strata",
    "seed",
    "threads",
    "distribution",
)  # keywords of all three functions
INTERVAL = ("interval_iterations", "interval_method")
PAIRED = ("iterations", *INTERVAL, "two_tailed", "adjust", "within", "power", *SHARED)


def bootstrap_ci(
    hypotheses: Given,
    references: References | None = None,
    *,
    iterations: int = INTERVAL_DRAWS,
    alpha: float = ALPHA,
    method: str = METHODS[0],
    documents: Labels | None = None,
    strata: Labels | None = None,
    seed: int | None = SEED,
    threads: int = 1,
    distribution: bool = False,
    **options: Unpack[OptionKeywords],
) -> BootstrapInterval:
    """Return the bootstrap interval of a corpus score.

    Parameters
    ----------
    hypotheses : iterable of str, or numpy.ndarray of integers, shape [segments, orders, 3]
        Text as for `chrf.corpus_score`, or counts as `chrf.counts` returns them.
    references
        As for `chrf.corpus_score`. Omit it with counts.
    iterations : int
        The number of resamples.
    alpha : float
        0.05 for a 95 % interval.
    method : {"percentile", "bca"}
        Percentiles of the resamples, or the bias-corrected and accelerated ones (Efron 1987).
    documents : iterable of str or int, optional
        The document of each segment. Resamples are of whole documents, whose segments may stand
        anywhere.
    strata : iterable of str or int, optional
        The stratum of each segment, such as its domain. Every resample has as many segments, or
        documents, of each stratum as the corpus.
    seed : int or None
        Any non-negative integer. None takes a fresh seed, which the result names.
    threads : int
        Worker threads. The result does not depend on it.
    distribution : bool
        Keep the scores of the resamples in the result.
    **options
        See `chrf.Options`. Those of counts must be the options that the counts were made with.

    Returns
    -------
    BootstrapInterval

    Raises
    ------
    TypeError, ValueError
        Text that `chrf.corpus_score` raises for, arrays that cannot be counts, text without
        references or counts with them, and settings out of range. Not one label for each segment,
        a blank label, None or another type, one document for all, one segment or document in a
        stratum, a document in two strata.

    Warns
    -----
    UserWarning
        Of fewer than 20 documents.

    Examples
    --------
    >>> interval = bootstrap_ci(["the cat sat", "a dog"], ["the cat sits", "a dog"], seed=1)
    >>> print(interval, interval.signature)
    65.381412 [61.034534, 100.000000] nrefs:1|bs:1000|seed:1|case:mixed|eff:yes|nc:6|nw:0|\
space:no|beta:2|rule:all|segments:2|version:chrf-0.1.0

    >>> import chrf
    >>> counts = chrf.counts(["the cat sat", "a dog"], ["the cat sits", "a dog"])
    >>> print(bootstrap_ci(counts, iterations=200))
    65.381412 [61.034534, 100.000000]
    """
    own = ("iterations", "method", *SHARED)
    checked = Options.from_keywords(dict(options), own)
    draws = Draws.checked(iterations, alpha, seed, threads)
    intervals.check_method(method)
    among = read_labels("documents", documents), read_labels("strata", strata)
    system = read_system(hypotheses, references, checked, draws.threads)
    [system] = drawn_by([system], *among)
    if few := too_narrow(system.design, len(system.counts)):
        warnings.warn(few, stacklevel=2)
    return intervals.bootstrap_interval(system, draws, method=method, distribution=distribution)


def paired_bootstrap(
    systems: Systems,
    references: References | None = None,
    *,
    iterations: int | None = None,
    interval_iterations: int | None = None,
    interval_method: str = METHODS[0],
    alpha: float = ALPHA,
    two_tailed: bool = True,
    adjust: str = ADJUST,
    within: float | Fraction | None = None,
    power: float | None = None,
    documents: Labels | None = None,
    strata: Labels | None = None,
    seed: int | None = SEED,
    threads: int = 1,
    distribution: bool = False,
    **options: Unpack[OptionKeywords],
) -> Comparisons:
    """Test all pairs of two or more systems by a paired bootstrap of their corpus scores.

    Every resample takes the same segments of all systems. The p-value is the share of resamples
    whose difference is at least as far from the observed one as that is from 0.

    Parameters
    ----------
    systems : mapping of str to hypotheses or counts, or iterable of them
        What `bootstrap_ci` takes for each system, by the system's name. Without names the systems
        are called ``system 1`` and so on.
    references
        As for `chrf.corpus_score`. Omit it with counts.
    iterations : int, optional
        The number of resamples. By default 1,000 or, where that is more, ``10 / alpha`` for each
        pair up to 200,000, so that many pairs can be told apart. With one seed, the first 1,000 of
        10,000 resamples are the same as a run of 1,000.
    interval_iterations : int, optional
        Resamples for the intervals, the first of those of the test; 0 for no intervals. By default
        all of them.
    interval_method : {"percentile", "bca"}
        As `method` of `bootstrap_ci`, for the scores and for the differences.
    alpha : float
        The level of the intervals is ``1 - alpha``; an adjusted p-value of at most `alpha` is
        significant.
    two_tailed : bool
        True asks whether the systems differ, False whether the first of two systems is better.
    adjust : {"holm", "bh", "none"}
        How p-values are adjusted for the number of pairs, and so which systems share a rank and a
        cluster: after Holm (1979), after Benjamini and Hochberg (1995), or not at all.
    within : float or Fraction, optional
        Also test whether systems differ by less than so many points: `equivalence` of each pair.
    power : float, optional
        Also say what the test can find with this probability, such as 0.8: `power` of each pair.
    documents, strata, seed, threads, distribution, **options
        As for `bootstrap_ci`.

    Returns
    -------
    Comparisons

    Raises
    ------
    TypeError, ValueError
        What `bootstrap_ci` raises, by the name of the system; fewer than two systems, systems of
        unequal lengths, a one-tailed test of more than two.

    Warns
    -----
    UserWarning
        Where no pair can be significant, because `iterations` are too few for the number of pairs
        or because the systems differ in too few segments or documents. Of fewer than 20 documents,
        unless there are a permutation test and no intervals.

    Examples
    --------
    >>> references = ["the cat sat", "a red fox", "it rains", "we eat", "go home", "good day"]
    >>> systems = {"A": [r[1:] for r in references], "B": [r[3:] for r in references]}
    >>> print(paired_bootstrap(systems, references)["A", "B"])
    A - B = 30.513525 [16.989422, 35.297397], p = 0.0010 (bootstrap, 1000)

    >>> import chrf
    >>> counts = {name: chrf.counts(texts, references) for name, texts in systems.items()}
    >>> paired_bootstrap(counts) == paired_bootstrap(systems, references)
    True
    """
    checked = Options.from_keywords(dict(options), PAIRED)
    settings = PairedSettings.checked(
        iterations,
        alpha,
        seed,
        threads,
        two_tailed=two_tailed,
        distribution=distribution,
        adjust=adjust,
        within=within,
        power=power,
        interval_iterations=interval_iterations,
        interval_method=interval_method,
    )
    among = read_labels("documents", documents), read_labels("strata", strata)
    read = read_systems(systems, references, checked, settings.draws.threads)
    read = drawn_by(read, *among)
    return warned(tests.bootstrap_test(read, settings), read[0])


def paired_permutation(
    systems: Systems,
    references: References | None = None,
    *,
    iterations: int | None = None,
    exact_budget: int | None = None,
    interval_iterations: int = INTERVAL_DRAWS,
    interval_method: str = METHODS[0],
    alpha: float = ALPHA,
    two_tailed: bool = True,
    adjust: str = ADJUST,
    within: float | Fraction | None = None,
    power: float | None = None,
    documents: Labels | None = None,
    strata: Labels | None = None,
    seed: int | None = SEED,
    threads: int = 1,
    distribution: bool = False,
    **options: Unpack[OptionKeywords],
) -> Comparisons:
    """Test all pairs of two or more systems by a paired permutation test of their corpus scores.

    The outputs of a segment are swapped at random (approximate randomisation), or in every possible
    way where few segments differ. The p-value is the share of permutations whose difference is at
    least as extreme as the observed one.

    Parameters
    ----------
    systems, references, alpha, two_tailed, adjust, within, power, interval_method
        As for `paired_bootstrap`. Equivalence is tested with bootstrap resamples here too.
    iterations : int, optional
        The number of random permutations. By default 10,000 or, where that is more, ``10 / alpha``
        for each pair up to 200,000.
    exact_budget : int, optional
        The most permutations to enumerate, for an exact p-value. There are 2^m, with m the number
        of segments in which the systems' counts differ; m must be at most 30. By default
        `iterations`; 0 for never.
    interval_iterations : int
        Bootstrap resamples for the intervals, those of `bootstrap_ci`; 0 for no intervals.
    documents : iterable of str or int, optional
        The document of each segment. Whole documents change sides.
    strata : iterable of str or int, optional
        As for `bootstrap_ci`, for the intervals. The test swaps within segments, so that strata
        change nothing.
    seed, threads, distribution, **options
        As for `bootstrap_ci`.

    Returns
    -------
    Comparisons

    Raises
    ------
    TypeError, ValueError
        As for `paired_bootstrap`.

    Warns
    -----
    UserWarning
        As for `paired_bootstrap`.

    Examples
    --------
    >>> references = ["the cat sat", "a red fox", "it rains", "we eat", "go home", "good day"]
    >>> systems = {"A": [r[1:] for r in references], "B": [r[3:] for r in references]}
    >>> print(paired_permutation(systems, references, interval_iterations=0)["A", "B"])
    A - B = 30.513525, p = 0.0312 (exact permutation, 64)
    """
    checked = Options.from_keywords(dict(options), ("exact_budget", *PAIRED))
    settings = PermutationSettings.checked(
        iterations,
        alpha,
        seed,
        threads,
        two_tailed=two_tailed,
        distribution=distribution,
        adjust=adjust,
        within=within,
        power=power,
        exact_budget=exact_budget,
        interval_iterations=interval_iterations,
        interval_method=interval_method,
    )
    among = read_labels("documents", documents), read_labels("strata", strata)
    read = read_systems(systems, references, checked, settings.draws.threads)
    read = drawn_by(read, *among)
    return warned(tests.permutation_test(read, settings), read[0])


def warned(compared: Comparisons, system: SystemCounts) -> Comparisons:
    """Warn the caller of the public function of what the comparisons cannot show."""
    pair = compared.pairs[0]
    few = None
    if pair.interval_iterations or pair.method == BOOTSTRAP:
        few = too_narrow(system.design, len(system.counts))
    for message in filter(None, (compared.unresolved, few)):
        warnings.warn(message, stacklevel=3)
    return compared
