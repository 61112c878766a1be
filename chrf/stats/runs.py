"""Systems that were trained several times: how much scores vary over runs, and over segments.

A test of two outputs says whether these two differ. Whether two ways of training differ takes
several runs of each (Clark et al. 2011, *Better Hypothesis Testing for Statistical Machine
Translation: Controlling for Optimizer Instability*; their program is MultEval).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chrf.core.checks import cut, shown
from chrf.core.draws import ADJUST, ALPHA, INTERVAL_DRAWS, SEED
from chrf.core.exact import sum_fractions
from chrf.core.options import OptionKeywords, Options
from chrf.stats import estimates, student
from chrf.stats.comparisons import check_lengths
from chrf.stats.design import too_narrow
from chrf.stats.input import items_of, read_labels, read_systems
from chrf.stats.intervals import resample
from chrf.stats.run_records import RunsComparison, RunsComparisons, SystemRuns
from chrf.stats.settings import PairedSettings
from chrf.stats.systems import SystemCounts, drawn_by

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from chrf.core.source import References
    from chrf.stats.design import Labels
    from chrf.stats.input import Given

OWN = ("iterations", "alpha", "adjust", "documents", "strata", "seed", "threads")


def compare_runs(
    systems: Mapping[str, Iterable[Given]],
    references: References | None = None,
    *,
    iterations: int = INTERVAL_DRAWS,
    alpha: float = ALPHA,
    adjust: str = ADJUST,
    documents: Labels | None = None,
    strata: Labels | None = None,
    seed: int | None = SEED,
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> RunsComparisons:
    """Compare systems of which there are several training runs each.

    Of every system: the mean of its runs' scores, with the standard deviation over runs beside that
    over segments, as MultEval has them. Of every pair: the difference of the means, with a standard
    error that has both parts, and Welch's test.

    Parameters
    ----------
    systems : mapping of str to runs
        Of each system two runs or more; a run is what `paired_permutation` takes for a system. The
        numbers of runs may differ.
    references
        As for `chrf.corpus_score`. Counts take none.
    iterations : int
        Bootstrap resamples of the segments, the same ones of all runs.
    alpha : float
        The level of the intervals is ``1 - alpha``; an adjusted p-value of at most `alpha` is
        significant.
    adjust : {"holm", "bh", "none"}
        How p-values are adjusted for the number of pairs.
    documents, strata, seed, threads, **options
        As for `bootstrap_ci`.

    Returns
    -------
    RunsComparisons

    Raises
    ------
    TypeError, ValueError
        What `paired_bootstrap` raises, by the names of system and run; a system with one run, test
        sets of one segment, systems that vary neither over runs nor over segments.

    Examples
    --------
    >>> references = ["the cat sat", "a red fox", "it rains", "we eat", "go home", "good day"]
    >>> first = [[r[1:] for r in references], ["x" + r[1:] for r in references]]
    >>> second = [[r[3:] for r in references], ["xyz" + r[3:] for r in references]]
    >>> print(compare_runs({"A": first, "B": second}, references))
    A: 75.509095 (mean of 2 runs; standard deviation 2.91 over runs, 3.71 over segments)
    B: 43.731574 (mean of 2 runs; standard deviation 4.70 over runs, 3.93 over segments)
    A - B = 31.777521, 95% [17.81, 45.75], p = 0.0028 (standard error 3.91 over runs, 3.39 over \
segments)
    """
    checked = Options.from_keywords(dict(options), OWN)
    settings = PairedSettings.checked(iterations, alpha, seed, threads, adjust=adjust)
    among = read_labels("documents", documents), read_labels("strata", strata)
    runs = _read(systems, references, checked, settings.draws.threads)
    check_lengths([run for group in runs.values() for run in group])
    groups = {name: drawn_by(group, *among) for name, group in runs.items()}
    [one, *_], *_ = groups.values()
    if few := too_narrow(one.design, len(one.counts)):
        warnings.warn(few, stacklevel=2)
    return compare_counts(groups, settings)


def compare_counts(
    groups: Mapping[str, Sequence[SystemCounts]], settings: PairedSettings
) -> RunsComparisons:
    """Compare systems by the counts of their runs, all of equal length; see `compare_runs`.

    Raises
    ------
    ValueError
        As `compare_runs`.
    """
    for name, group in groups.items():
        _check_number(name, len(group))
    every = [run for group in groups.values() for run in group]
    segments = len(every[0].counts)
    if segments < 2:
        raise ValueError("there is one segment; a variance needs at least two")
    drawn = iter(resample(every, settings.draws, settings.draws.iterations))
    resampled = {name: [next(drawn).scores for _ in group] for name, group in groups.items()}
    described = [_describe(name, group, resampled[name]) for name, group in groups.items()]
    tested = [
        _Difference.of(first, second, resampled, segments)
        for first, second in combinations(described, 2)
    ]
    p_values = [difference.p_value for difference in tested]
    adjusted = estimates.adjusted_p_values(p_values, settings.adjust)
    return RunsComparisons(
        systems=tuple(described),
        pairs=tuple(
            difference.record(together, settings)
            for difference, together in zip(tested, adjusted, strict=True)
        ),
        alpha=settings.draws.alpha,
        iterations=settings.draws.iterations,
        seed=settings.draws.seed,
        signature=every[0].signature(
            bs=settings.draws.iterations, seed=settings.draws.seed, ci=settings.draws.level
        ),
    )


@dataclass(frozen=True)
class _Difference:
    """Two systems' means and the variances of both sources.

    Attributes
    ----------
    first, second : SystemRuns
    segments_error : float
        Of the difference of the means, over segments.
    segments : int
    """

    first: SystemRuns
    second: SystemRuns
    segments_error: float
    segments: int

    @classmethod
    def of(
        cls,
        first: SystemRuns,
        second: SystemRuns,
        resampled: Mapping[str, Sequence[NDArray[np.float64]]],
        segments: int,
    ) -> _Difference:
        one, two = (np.mean(resampled[system.name], axis=0) for system in (first, second))
        result = cls(first, second, estimates.moments(one - two)[1], segments)
        if not result.standard_error:
            names = f"{cut(first.name)} and {cut(second.name)}"
            raise ValueError(f"{names} differ alike in all runs and segments; nothing varies")
        return result

    @property
    def difference(self) -> Fraction:
        return self.first.mean - self.second.mean

    @property
    def _parts(self) -> list[tuple[float, int]]:
        """The variances that add up to that of the difference, with their degrees of freedom."""
        over_runs = [
            (system.runs_deviation**2 / len(system.scores), len(system.scores) - 1)
            for system in (self.first, self.second)
        ]
        return [*over_runs, (self.segments_error**2, self.segments - 1)]

    @property
    def standard_error(self) -> float:
        return math.sqrt(sum(variance for variance, _ in self._parts))

    @property
    def freedom(self) -> float:
        """Degrees of freedom after Welch (1947) and Satterthwaite (1946)."""
        total = sum(variance for variance, _ in self._parts)
        return 1 / sum((variance / total) ** 2 / freedom for variance, freedom in self._parts)

    @property
    def p_value(self) -> float:
        return student.two_tailed_p(float(self.difference) / self.standard_error, self.freedom)

    def record(self, adjusted: float, settings: PairedSettings) -> RunsComparison:
        runs_error = math.sqrt(sum(variance for variance, _ in self._parts[:2]))
        half = student.quantile(settings.draws.alpha, self.freedom) * self.standard_error
        return RunsComparison(
            first=self.first.name,
            second=self.second.name,
            difference=self.difference,
            lower=float(self.difference) - half,
            upper=float(self.difference) + half,
            segments_error=self.segments_error,
            runs_error=runs_error,
            standard_error=self.standard_error,
            degrees_of_freedom=self.freedom,
            p_value=self.p_value,
            adjusted_p_value=adjusted,
            alpha=settings.draws.alpha,
            adjust=settings.adjust,
        )


def _describe(
    name: str, runs: Sequence[SystemCounts], resampled: Sequence[NDArray[np.float64]]
) -> SystemRuns:
    """Return mean and deviations of one system."""
    scores = [run.score.fraction for run in runs]
    mean = sum_fractions(scores) / len(scores)
    variance = sum_fractions([(score - mean) ** 2 for score in scores]) / (len(scores) - 1)
    return SystemRuns(
        name=name,
        scores=tuple(run.score for run in runs),
        mean=mean,
        runs_deviation=math.sqrt(variance),
        segments_deviation=math.fsum(estimates.moments(r)[1] for r in resampled) / len(runs),
    )


def _read(
    systems: Any, references: References | None, options: Options, threads: int
) -> dict[str, list[SystemCounts]]:
    """Read the runs of every system, by the system's name."""
    if not isinstance(systems, Mapping):
        found = type(systems).__name__
        raise TypeError(f"systems is {found}; give a mapping of each system's name to its runs")
    named: dict[str, Any] = {}
    groups: dict[str, list[str]] = {}
    for name, given in systems.items():
        if not isinstance(name, str):
            raise TypeError(f"systems has the name {shown(name)}; a name is a string")
        runs = items_of(cut(name), given, "runs, each a list of strings or counts")
        _check_number(name, len(runs))
        groups[name] = [f"{name}, run {i + 1}" for i in range(len(runs))]
        named.update(zip(groups[name], runs, strict=True))
    if not groups:
        raise ValueError("there are no systems")
    read = {run.name: run for run in read_systems(named, references, options, threads)}
    return {name: [read[run] for run in group] for name, group in groups.items()}


def _check_number(name: str, runs: int) -> None:
    """Raise a ValueError where a system has one run, or none."""
    if runs < 2:
        raise ValueError(
            f"{cut(name)} has {runs} run{'s' * (runs != 1)}; a variance over runs needs at least "
            "two"
        )
