"""What the statistics return: records that print, compare and turn into JSON."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chrf.core.draws import ALPHA, correction_text, level_text, p_value_text
from chrf.core.exact import decimal_text, fraction_text
from chrf.core.score import Score


@dataclass(frozen=True)
class ConfidenceInterval:
    """The score of a corpus and the bounds of its interval, 0 to 100.

    Attributes
    ----------
    score, lower, upper : float
    mean : float
        `score`, by the name that evaluatio gives it.
    """

    score: float
    lower: float
    upper: float

    @property
    def mean(self) -> float:
        """The score of the corpus (not the mean of the resamples)."""
        return self.score

    def __str__(self) -> str:
        return f"{self.score:.6f} [{self.lower:.6f}, {self.upper:.6f}]"

    def to_dict(self) -> dict[str, float]:
        """Return the three numbers, ready for ``json.dumps``."""
        return {"score": self.score, "lower": self.lower, "upper": self.upper}


@dataclass(frozen=True)
class Bounds:
    """Two ends of an interval, each the exact value of one resample.

    Attributes
    ----------
    lower, upper : Fraction
    """

    lower: Fraction
    upper: Fraction

    def __str__(self) -> str:
        return f"[{decimal_text(self.lower)}, {decimal_text(self.upper)}]"


@dataclass(frozen=True, kw_only=True)
class BootstrapInterval:
    """A corpus score with its bootstrap interval.

    Attributes
    ----------
    score : Score
        The exact score.
    bounds : Bounds
        The interval, exactly; `lower` and `upper` are the doubles nearest to its ends.
    mean, standard_deviation : float
        Of the scores of the resamples; the latter estimates the standard error of the score.
    alpha : float
        The interval is meant to hold the true score in all but this share of test sets.
    method : {"percentile", "bca"}
    iterations : int
        Resamples.
    seed : int
    signature : str
    distribution : numpy.ndarray of float64 or None
        The scores of the resamples in the order of drawing, if asked for.
    """

    score: Score
    bounds: Bounds
    mean: float
    standard_deviation: float
    alpha: float
    method: str
    iterations: int
    seed: int
    signature: str
    distribution: NDArray[np.float64] | None = field(default=None, repr=False, compare=False)

    @property
    def lower(self) -> float:
        """The double nearest to the lower bound."""
        return float(self.bounds.lower)

    @property
    def upper(self) -> float:
        """The double nearest to the upper bound."""
        return float(self.bounds.upper)

    def __float__(self) -> float:
        return float(self.score)

    def __str__(self) -> str:
        return f"{self.score} {_bounds_text(self.bounds, self.alpha)}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for ``json.dumps``."""
        return {
            "metric": self.score.name,
            **_score_texts(self.score),
            **_bounds_texts(self.bounds),
            "mean": self.mean,
            "standard_deviation": self.standard_deviation,
            "alpha": self.alpha,
            "method": self.method,
            "iterations": self.iterations,
            "seed": self.seed,
            "signature": self.signature,
            **_distribution(self.distribution),
        }


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two systems on one test set.

    Attributes
    ----------
    first, second : str
        Their names.
    difference : Fraction
        The exact score of the first minus that of the second.
    bounds : Bounds or None
        The interval of the difference over bootstrap resamples.
    interval_method : {"percentile", "bca"} or None
    interval_iterations : int
        Resamples of this interval.
    extreme, iterations : int
        The number of draws, or of all permutations, and how many of these have a difference at
        least as extreme.
    p_value : float
        Never 0: ``(extreme + 1) / (iterations + 1)``, or ``extreme / iterations`` over all
        permutations, of which the observed one is one.
    adjusted_p_value : float
        Over all the comparisons made together, of which there are `family`.
    adjust : {"holm", "bh", "none"}
        How: after Holm (1979), after Benjamini and Hochberg (1995), or not at all.
    family : int
    sacrebleu_p_value : float or None
        Of a paired bootstrap: the number that sacreBLEU prints for these resamples, or for the
        first 1,000 where their number was not given. It is the probability of one tail; see
        ``docs/statistics.md``.
    method : {"bootstrap", "approximate randomization", "exact permutation"}
    two_tailed : bool
    alpha : float
    seed : int
    signature : str
    distribution : numpy.ndarray of float64 or None
        The differences of all the draws, if asked for.
    """

    first: str
    second: str
    difference: Fraction
    bounds: Bounds | None
    interval_method: str | None
    interval_iterations: int
    extreme: int
    iterations: int
    p_value: float
    adjusted_p_value: float
    adjust: str
    family: int
    sacrebleu_p_value: float | None
    method: str
    two_tailed: bool
    alpha: float
    seed: int
    signature: str
    distribution: NDArray[np.float64] | None = field(default=None, repr=False, compare=False)

    @property
    def significant(self) -> bool:
        """Whether the adjusted p-value is at most `alpha`."""
        return self.adjusted_p_value <= self.alpha

    @property
    def lower(self) -> float | None:
        """The double nearest to the lower bound of the difference."""
        return None if self.bounds is None else float(self.bounds.lower)

    @property
    def upper(self) -> float | None:
        """The double nearest to the upper bound of the difference."""
        return None if self.bounds is None else float(self.bounds.upper)

    @property
    def legend(self) -> str:
        """How many tails p has, and what is adjusted and ranked after which tests."""
        return (
            f"{'two' if self.two_tailed else 'one'}-tailed p; adjusted p, rank and cluster: "
            f"{correction_text(self.adjust, self.family)}, alpha {self.alpha}"
        )

    def __float__(self) -> float:
        return float(self.difference)

    def __str__(self) -> str:
        bounds = "" if self.bounds is None else f" {_bounds_text(self.bounds, self.alpha)}"
        adjusted = ""
        if self.adjusted_p_value != self.p_value:
            adjusted = f", adjusted {p_value_text(self.adjusted_p_value, self.iterations)}"
        return (
            f"{self.first} - {self.second} = {decimal_text(self.difference)}{bounds}, "
            f"p = {p_value_text(self.p_value, self.iterations)}{adjusted} "
            f"({self.method}, {self.iterations})"
        )

    def swapped(self) -> Comparison:
        """Return the same comparison seen from the second system."""
        if not self.two_tailed:
            raise ValueError("a one-tailed test says nothing about the opposite direction")
        bounds = self.bounds and Bounds(-self.bounds.upper, -self.bounds.lower)
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=-self.difference,
            bounds=bounds,
            distribution=None if self.distribution is None else -self.distribution,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for ``json.dumps``."""
        return {
            "first": self.first,
            "second": self.second,
            "difference": decimal_text(self.difference),
            "difference_fraction": fraction_text(self.difference),
            **({} if self.bounds is None else _bounds_texts(self.bounds)),
            "interval_method": self.interval_method,
            "interval_iterations": self.interval_iterations,
            "p_value": self.p_value,
            "adjusted_p_value": self.adjusted_p_value,
            "adjust": self.adjust,
            "family": self.family,
            "sacrebleu_p_value": self.sacrebleu_p_value,
            "extreme": self.extreme,
            "iterations": self.iterations,
            "method": self.method,
            "two_tailed": self.two_tailed,
            "alpha": self.alpha,
            "significant": self.significant,
            "seed": self.seed,
            "signature": self.signature,
            **_distribution(self.distribution),
        }


@dataclass(frozen=True, kw_only=True)
class System:
    """One of the systems compared.

    Attributes
    ----------
    name : str
    score : Score
    bounds : Bounds or None
        The interval of the score over bootstrap resamples.
    mean, standard_deviation : float or None
        Of the scores of the resamples.
    rank : tuple of (int, int)
        One more than the number of systems that are significantly better, and the number of
        systems that are not significantly worse.
    cluster : int
        1 for the best: every system of a cluster is significantly better than all those of the
        clusters below.
    """

    name: str
    score: Score
    bounds: Bounds | None
    mean: float | None
    standard_deviation: float | None
    rank: tuple[int, int]
    cluster: int

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for ``json.dumps``."""
        return {
            "name": self.name,
            **_score_texts(self.score),
            **({} if self.bounds is None else _bounds_texts(self.bounds)),
            "mean": self.mean,
            "standard_deviation": self.standard_deviation,
            "rank": list(self.rank),
            "cluster": self.cluster,
        }


@dataclass(frozen=True, kw_only=True)
class Comparisons:
    """All pairs of some systems, with one shared set of draws.

    Attributes
    ----------
    systems : tuple of System
        The best first.
    pairs : tuple of Comparison
        First with second, first with third, and so on, as the systems were given.
    unresolved : str or None
        A sentence where no pair can be significant, because there are too few resamples or
        permutations for the number of pairs, or too few segments.
    """

    systems: tuple[System, ...]
    pairs: tuple[Comparison, ...]
    unresolved: str | None = None

    @property
    def clusters(self) -> tuple[tuple[str, ...], ...]:
        """The names of the systems by cluster, the best first."""
        numbers = range(1, self.systems[-1].cluster + 1)
        return tuple(tuple(s.name for s in self.systems if s.cluster == n) for n in numbers)

    @property
    def legend(self) -> str:
        """`Comparison.legend`, which is the same of all pairs."""
        return self.pairs[0].legend

    def __getitem__(self, names: tuple[str, str]) -> Comparison:
        """Return the comparison of two systems, seen from the first of the names."""
        for pair in self.pairs:
            if (pair.first, pair.second) == names:
                return pair
            if (pair.second, pair.first) == names:
                return pair.swapped()
        raise KeyError(names)

    def __str__(self) -> str:
        width = max(len(s.name) for s in self.systems)
        lines = []
        for s in self.systems:
            ranks = f"{s.rank[0]}-{s.rank[1]}" if s.rank[0] != s.rank[1] else str(s.rank[0])
            alpha = self.pairs[0].alpha
            bounds = "" if s.bounds is None else f"  {_bounds_text(s.bounds, alpha)}"
            lines.append(f"{s.name:{width}}  {s.score}{bounds}  rank {ranks}  cluster {s.cluster}")
        return "\n".join([*lines, *map(str, self.pairs), self.legend])

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for ``json.dumps``."""
        return {
            "systems": [system.to_dict() for system in self.systems],
            "clusters": [list(names) for names in self.clusters],
            "pairs": [pair.to_dict() for pair in self.pairs],
            "unresolved": self.unresolved,
        }


def _bounds_text(bounds: Bounds, alpha: float) -> str:
    """Return an interval, with its level where that is not the usual one."""
    return str(bounds) if alpha == ALPHA else f"{level_text(alpha)}% {bounds}"


def _score_texts(score: Score) -> dict[str, Any]:
    return {"score": str(score), "score_fraction": fraction_text(score.fraction)}


def _bounds_texts(bounds: Bounds) -> dict[str, Any]:
    return {
        "lower": decimal_text(bounds.lower),
        "upper": decimal_text(bounds.upper),
        "lower_fraction": fraction_text(bounds.lower),
        "upper_fraction": fraction_text(bounds.upper),
    }


def _distribution(values: NDArray[np.float64] | None) -> dict[str, Any]:
    return {} if values is None else {"distribution": values.tolist()}
