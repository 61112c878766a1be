"""The checked settings of the paired tests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from chrf.core.checks import shown
from chrf.core.draws import (
    ADJUST,
    CORRECTIONS,
    INTERVAL_DRAWS,
    TEST_DRAWS,
    checked_iterations,
    default_draws,
)
from chrf.core.resampling import Draws
from chrf.stats.intervals import METHODS, check_method

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True)
class PairedSettings:
    """The checked settings of a paired bootstrap, and what any paired test shares.

    Attributes
    ----------
    draws : Draws
    raisable : bool
        Whether nobody gave the number of draws, so that it may grow with that of pairs.
    two_tailed : bool
        Whether the systems differ; else, of two systems, whether the first is better.
    distribution : bool
        Keep the difference of every resample or permutation.
    adjust : {"holm", "bh", "none"}
        How p-values are adjusted for the number of pairs.
    interval_iterations : int or None
        Bootstrap resamples for the intervals; 0 for no intervals, None for those of the test.
    interval_method : {"percentile", "bca"}
    """

    draws: Draws
    raisable: bool = False
    two_tailed: bool = True
    distribution: bool = False
    adjust: str = ADJUST
    interval_iterations: int | None = None
    interval_method: str = METHODS[0]

    kind: ClassVar[str] = "bootstrap"

    @classmethod
    def checked(
        cls,
        iterations: int | None,
        alpha: float,
        seed: int | None,
        threads: int = 1,
        **others: Any,
    ) -> Self:
        """Check all settings; `iterations` of None lets their number depend on that of pairs."""
        number = TEST_DRAWS[cls.kind] if iterations is None else iterations
        draws = Draws.checked(number, alpha, seed, threads)
        return cls(draws, raisable=iterations is None, **others)

    def __post_init__(self) -> None:
        if not isinstance(self.two_tailed, bool):
            raise TypeError(f"two_tailed is {shown(self.two_tailed)}; it must be True or False")
        if self.adjust not in CORRECTIONS:
            allowed = ", ".join(map(repr, CORRECTIONS))
            raise ValueError(f"adjust is {shown(self.adjust)}; it must be one of {allowed}")
        self._check_number("interval_iterations")
        check_method(self.interval_method, "interval_method")

    def _check_number(self, name: str) -> None:
        """Raise unless this field is None or a number of draws, of which 0 is one."""
        value = getattr(self, name)
        if value is not None:
            object.__setattr__(self, name, checked_iterations(name, value, least=0))

    def tests(self, pairs: int) -> int:
        """Return by how much the smallest p-value of so many pairs may be multiplied."""
        return 1 if self.adjust == "none" else pairs

    def for_pairs(self, pairs: int) -> Self:
        """Return the settings with as many draws as so many pairs need, if none were given."""
        if not self.raisable:
            return self
        number = default_draws(self.kind, self.tests(pairs), self.draws.alpha)
        return replace(self, draws=replace(self.draws, iterations=number))


@dataclass(frozen=True)
class PermutationSettings(PairedSettings):
    """The checked settings of a permutation test.

    Attributes
    ----------
    exact_budget : int or None
        The most permutations to list; None for as many as would be drawn.
    interval_iterations : int
        Bootstrap resamples for the intervals; 0 for no intervals.
    """

    exact_budget: int | None = None
    interval_iterations: int = INTERVAL_DRAWS

    kind: ClassVar[str] = "permutation"

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_iterations("interval_iterations", self.interval_iterations, least=0)
        self._check_number("exact_budget")

    @property
    def budget(self) -> int:
        """The most permutations to list, as a number."""
        return self.draws.iterations if self.exact_budget is None else self.exact_budget
