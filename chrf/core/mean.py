"""The mean of a system's scores on several test sets."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from chrf.core import exact
from chrf.core.options import Options, Rule
from chrf.core.score import Score


@dataclass(frozen=True)
class MeanScore:
    """The mean of the corpus scores of several test sets, each of which counts the same.

    ``str()``, ``float()`` and ``format()`` do what they do with a `chrf.Score`.

    Attributes
    ----------
    scores : tuple of (str, Score)
        The name of each set and the score on it.
    """

    scores: tuple[tuple[str, Score], ...]

    @cached_property
    def fraction(self) -> Fraction:
        """The exact mean, reduced, 0 to 100."""
        fractions = [score.fraction for _, score in self.scores]
        return exact.sum_fractions(fractions) / len(fractions)

    @property
    def options(self) -> Options:
        """The options of all scores."""
        return self.scores[0][1].options

    @property
    def name(self) -> str:
        """The variant's name: chrF2, chrF2++."""
        return self.options.name

    @property
    def rule(self) -> Rule:
        """How the segments of a set were added up: "all" or "sacrebleu"."""
        return self.options.rule

    @property
    def segment_count(self) -> int:
        """The segments of all sets."""
        return sum(score.segment_count for _, score in self.scores)

    @property
    def reference_count(self) -> int | None:
        """References per segment; None where it varies."""
        return same_or_none([score.reference_count for _, score in self.scores])

    @property
    def tied_segments(self) -> int:
        """Segments in which two or more references share the highest score."""
        return sum(score.tied_segments for _, score in self.scores)

    @property
    def sample(self) -> dict[str, int | str]:
        """What signatures say of the sets."""
        return {"sets": len(self.scores), "average": "macro"}

    @property
    def signature(self) -> str:
        """What was computed, in sacreBLEU's form."""
        return self.options.signature(self.reference_count, self.segment_count, sample=self.sample)

    def __float__(self) -> float:
        return float(self.fraction)

    def __str__(self) -> str:
        return exact.decimal_text(self.fraction)

    def __format__(self, spec: str) -> str:
        """Write exact decimals for a `spec` that ends in ``f``, as a `chrf.Score` does."""
        return exact.formatted(self.fraction, spec)

    def to_dict(self) -> dict[str, Any]:
        """Return the mean and the score of each set, ready for ``json.dumps``."""
        return {
            "metric": self.name,
            "score": str(self),
            "score_fraction": exact.fraction_text(self.fraction),
            "segment_count": self.segment_count,
            "signature": self.signature,
            "set_scores": {name: str(score) for name, score in self.scores},
        }


def same_or_none(values: list[int | None]) -> int | None:
    """Return the value that all of them have; None where they differ."""
    return values[0] if len(set(values)) == 1 else None
