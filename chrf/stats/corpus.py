"""Intervals and tests of the corpus score, of text or of counts: the public functions.

Each checks its settings, reads what it was given and calls `intervals` or `tests`.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from chrf.core.draws import ADJUST, ALPHA, INTERVAL_DRAWS, SEED
from chrf.core.options import OptionKeywords, Options
from chrf.core.resampling import Draws
from chrf.stats import intervals, tests
from chrf.stats.input import read_system, read_systems
from chrf.stats.intervals import METHODS
from chrf.stats.records import BootstrapInterval, Comparisons
from chrf.stats.settings import PairedSettings, PermutationSettings

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from chrf.core.source import References
    from chrf.stats.input import Given, Systems

SHARED = ("alpha", "seed", "threads", "distribution")  # keywords of all three functions
INTERVAL = ("interval_iterations", "interval_method")
PAIRED = ("iterations", *INTERVAL, "two_tailed", "adjust", *SHARED)


def bootstrap_ci(
    hypotheses: Given,
    references: References | None = None,
    *,
    iterations: int = INTERVAL_DRAWS,
    alpha: float = ALPHA,
    method: str = METHODS[0],
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
        As for `chrf.corpus_score`. Counts take none.
    iterations : int
        The number of resamples.
    alpha : float
        0.05 for a 95 % interval.
    method : {"percentile", "bca"}
        Percentiles of the resamples, or the bias-corrected and accelerated ones (Efron 1987).
    seed : int or None
        Any non-negative integer. None draws a fresh seed, which the result names.
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
        references or counts with them, and settings out of range.

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
    system = read_system(hypotheses, references, checked, draws.threads)
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
        As for `chrf.corpus_score`. Counts take none.
    iterations : int, optional
        The number of resamples. By default 1,000 or, where that is more, ``10 / alpha`` for each
        pair up to 200,000, so that many pairs can be told apart. Fewer resamples are the first of
        more.
    interval_iterations : int, optional
        Resamples for the intervals, the first of the same; 0 for no intervals. By default all.
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
    seed, threads, distribution, **options
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
        or because the systems differ in too few segments.

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
        interval_iterations=interval_iterations,
        interval_method=interval_method,
    )
    read = read_systems(systems, references, checked, settings.draws.threads)
    return _warned(tests.bootstrap_test(read, settings))


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
    seed: int | None = SEED,
    threads: int = 1,
    distribution: bool = False,
    **options: Unpack[OptionKeywords],
) -> Comparisons:
    """Test all pairs of two or more systems by a paired permutation test of their corpus scores.

    Segments change sides at random (approximate randomisation), or in every possible way where
    there are few. The p-value is the share of permutations whose difference is at least as extreme
    as the observed one.

    Parameters
    ----------
    systems, references, alpha, two_tailed, adjust, interval_method
        As for `paired_bootstrap`.
    iterations : int, optional
        The number of random permutations. By default 10,000 or, where that is more, ``10 / alpha``
        for each pair up to 200,000.
    exact_budget : int, optional
        The most permutations to go through one by one, for an exact p-value. There are 2 to the
        number of segments in which the systems' counts differ, which must be at most 30. By
        default `iterations`; 0 for never.
    interval_iterations : int
        Bootstrap resamples for the intervals, those of `bootstrap_ci`; 0 for no intervals.
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
        exact_budget=exact_budget,
        interval_iterations=interval_iterations,
        interval_method=interval_method,
    )
    read = read_systems(systems, references, checked, settings.draws.threads)
    return _warned(tests.permutation_test(read, settings))


def _warned(compared: Comparisons) -> Comparisons:
    """Warn the caller of the public function of what the comparisons cannot show."""
    if compared.unresolved:
        warnings.warn(compared.unresolved, stacklevel=3)
    return compared
