"""What `compare_runs` returns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from chrf.core.draws import correction_text, level_text
from chrf.core.exact import decimal_text, fraction_text
from chrf.core.mean import MeanScore
from chrf.core.score import Score

SHOWN = 0.0001  # p-values below are not printed in full


@dataclass(frozen=True, kw_only=True)
class SystemRuns:
    """The runs of one system.

    Attributes
    ----------
    name : str
    scores : tuple of Score
        Of each run.
    mean : Fraction
        Of the scores of the runs.
    runs_deviation : float
        The standard deviation of the scores over runs; MultEval's ``s_opt``.
    segments_deviation : float
        The standard deviation of a run's score over bootstrap resamples of the segments, averaged
        over runs; MultEval's ``s_sel``.
    """

    name: str
    scores: tuple[Score | MeanScore, ...]
    mean: Fraction
    runs_deviation: float
    segments_deviation: float

    def __float__(self) -> float:
        return float(self.mean)

    def __str__(self) -> str:
        return (
            f"{self.name}: {decimal_text(self.mean)} (mean of {len(self.scores)} runs; standard "
            f"deviation {self.runs_deviation:.2f} over runs, {self.segments_deviation:.2f} over "
            "segments)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for ``json.dumps``."""
        return {
            "name": self.name,
            "scores": [str(score) for score in self.scores],
            "score_fractions": [fraction_text(score.fraction) for score in self.scores],
            "mean": decimal_text(self.mean),
            "mean_fraction": fraction_text(self.mean),
            "runs_deviation": self.runs_deviation,
            "segments_deviation": self.segments_deviation,
        }


@dataclass(frozen=True, kw_only=True)
class RunsComparison:
    """Two systems of several runs each.

    Attributes
    ----------
    first, second : str
    difference : Fraction
        The mean score of the first minus that of the second.
    lower, upper : float
        The interval of the difference, after Student's t distribution.
    segments_error, runs_error : float
        The standard error of the difference over segments, and over runs.
    standard_error : float
        The root of the sum of the squares of both.
    degrees_of_freedom : float
        After Welch and Satterthwaite.
    p_value : float
        Two-tailed; of Welch's test.
    adjusted_p_value : float
        The same adjusted for the number of pairs.
    alpha : float
    adjust : {"holm", "bh", "none"}
    """

    first: str
    second: str
    difference: Fraction
    lower: float
    upper: float
    segments_error: float
    runs_error: float
    standard_error: float
    degrees_of_freedom: float
    p_value: float
    adjusted_p_value: float
    alpha: float
    adjust: str

    @property
    def p_text(self) -> str:
        """The p-value as it is printed: never as 0."""
        return _p_text(self.p_value)

    @property
    def adjusted_p_text(self) -> str:
        """The adjusted p-value as it is printed."""
        return _p_text(self.adjusted_p_value)

    @property
    def significant(self) -> bool:
        """Whether the adjusted p-value is at most `alpha`."""
        return self.adjusted_p_value <= self.alpha

    def swapped(self) -> RunsComparison:
        """Return the same comparison seen from the second system."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=-self.difference,
            lower=-self.upper,
            upper=-self.lower,
        )

    def __float__(self) -> float:
        return float(self.difference)

    def __str__(self) -> str:
        adjusted = ""
        if self.adjusted_p_value != self.p_value:
            adjusted = f", adjusted {self.adjusted_p_text}"
        return (
            f"{self.first} - {self.second} = {decimal_text(self.difference)}, "
            f"{level_text(self.alpha)}% [{self.lower:.2f}, {self.upper:.2f}], "
            f"p = {self.p_text}{adjusted} (standard error {self.runs_error:.2f} over runs, "
            f"{self.segments_error:.2f} over segments)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for ``json.dumps``."""
        return {
            "first": self.first,
            "second": self.second,
            "difference": decimal_text(self.difference),
            "difference_fraction": fraction_text(self.difference),
            "lower": self.lower,
            "upper": self.upper,
            "segments_error": self.segments_error,
            "runs_error": self.runs_error,
            "standard_error": self.standard_error,
            "degrees_of_freedom": self.degrees_of_freedom,
            "p_value": self.p_value,
            "adjusted_p_value": self.adjusted_p_value,
            "alpha": self.alpha,
            "adjust": self.adjust,
            "significant": self.significant,
        }


@dataclass(frozen=True, kw_only=True)
class RunsComparisons:
    """Several systems of several runs each.

    Attributes
    ----------
    systems : tuple of SystemRuns
        As they were given.
    pairs : tuple of RunsComparison
        First with second, first with third, and so on.
    alpha : float
    iterations : int
        Bootstrap resamples.
    seed : int
    signature : str
    """

    systems: tuple[SystemRuns, ...]
    pairs: tuple[RunsComparison, ...]
    alpha: float
    iterations: int
    seed: int
    signature: str

    def __getitem__(self, names: tuple[str, str]) -> RunsComparison:
        """Return the comparison of two systems, seen from the first of the names."""
        for pair in self.pairs:
            if (pair.first, pair.second) == names:
                return pair
            if (pair.second, pair.first) == names:
                return pair.swapped()
        raise KeyError(names)

    @property
    def legend(self) -> str:
        """What p-values are of."""
        if not self.pairs:
            return "standard deviations of the score over runs, and of a run over segments"
        pair = self.pairs[0]
        return (
            "two-tailed p of Welch's test over runs and segments; adjusted p: "
            f"{correction_text(pair.adjust, len(self.pairs))}, alpha {self.alpha}"
        )

    def __str__(self) -> str:
        lines = [*map(str, self.systems), *map(str, self.pairs)]
        if len(self.pairs) > 1:
            lines.append(f"adjusted p: {correction_text(self.pairs[0].adjust, len(self.pairs))}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for ``json.dumps``."""
        return {
            "systems": [system.to_dict() for system in self.systems],
            "pairs": [pair.to_dict() for pair in self.pairs],
            "iterations": self.iterations,
            "seed": self.seed,
            "signature": self.signature,
        }


def _p_text(p_value: float) -> str:
    return f"{p_value:.4f}" if p_value >= SHOWN else f"<{SHOWN}"
