"""Counts of consecutive segments, their sums, and the two rules by which segments add up.

Under the rule "all" every hypothesis n-gram counts. The rule "sacrebleu" leaves out the hypothesis
n-grams of an order that the segment's reference lacks, as sacreBLEU and chrF++.py do. The kernel
counts under "all"; `apply_rule` is the rule for rows, `Totals.under` for sums of rows.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from chrf.core.options import Options, Rule
from chrf.kernel import count as kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Counts: TypeAlias = "NDArray[np.int64]"  # [segments, orders, 3]


def apply_rule(counts: Counts, rule: Rule) -> Counts:
    """Return counts [segments, orders, 3] as they enter a corpus sum under the rule."""
    if rule == "all":
        return counts
    counts = counts.copy()
    counts[:, :, 0] *= counts[:, :, 1] > 0
    return counts


def references_each(segments: int, references: int, squares: int) -> int | None:
    """Return the number of references per segment; None where it varies.

    `squares` is the sum of the squares of the segments' numbers of references, which is the
    smallest where they are all equal (Cauchy and Schwarz).
    """
    return references // (segments or 1) if segments * squares == references * references else None


@dataclass(slots=True)
class Block:
    """Counts of consecutive segments under the rule "all", each with its best reference.

    Attributes
    ----------
    flat : array.array of type "q"
        For each segment and order three numbers, as the kernel returns them.
    order_count : int
    starts : list of int, optional
        Segment i has ``starts[i + 1] - starts[i]`` references. None: each has one.
    tied : list of bool, optional
        Whether two references of a segment share the highest score; None as for `starts`.
    """

    flat: array[int]
    order_count: int
    starts: list[int] | None = None
    tied: list[bool] | None = None

    def counts(self, rule: Rule) -> Counts:
        """Return the counts [segments, orders, 3] under the rule."""
        import numpy as np

        counts = np.frombuffer(self.flat, dtype=np.int64).reshape(-1, self.order_count, 3)
        return apply_rule(counts, rule)

    def totals(self) -> Totals:
        """Return what the block adds to a corpus."""
        sums, left_out, short = kernel.add_up(self.flat, self.order_count)
        segments = references = squares = len(self.flat) // (3 * self.order_count)
        if self.starts is not None:
            references = self.starts[-1] - self.starts[0]
            squares = sum((b - a) ** 2 for a, b in pairwise(self.starts))
        tied = sum(self.tied) if self.tied else 0
        return Totals(sums, segments, tied, references, squares, left_out if short else None, short)


@dataclass(slots=True)
class Totals:
    """The sum of any number of blocks, in Python's integers."""

    counts: list[int]  # flat: three for each order, under the rule "all"
    segments: int = 0
    tied: int = 0
    references: int = 0
    reference_squares: int = 0  # the sum of the squares of the segments' numbers of references
    left_out: list[int] | None = None  # per order, hypothesis n-grams that "sacrebleu" leaves out
    short: int = 0  # segments that have such n-grams

    @classmethod
    def of_nothing(cls, options: Options) -> Totals:
        """Return the sum of no blocks."""
        return cls([0] * (3 * options.order_count))

    def add(self, other: Totals) -> None:
        """Add another sum to this one."""
        self.counts = [a + b for a, b in zip(self.counts, other.counts, strict=True)]
        self.segments += other.segments
        self.tied += other.tied
        self.references += other.references
        self.reference_squares += other.reference_squares
        self.short += other.short
        if other.left_out is not None:
            mine = self.left_out or [0] * len(other.left_out)
            self.left_out = [a + b for a, b in zip(mine, other.left_out, strict=True)]

    @property
    def reference_count(self) -> int | None:
        """References per segment; None where it varies."""
        return references_each(self.segments, self.references, self.reference_squares)

    def under(self, rule: Rule) -> tuple[tuple[int, int, int], ...]:
        """Return the summed counts of each order under the rule."""
        hypothesis = self.counts[0::3]
        if rule == "sacrebleu" and self.left_out is not None:
            hypothesis = [a - b for a, b in zip(hypothesis, self.left_out, strict=True)]
        return tuple(zip(hypothesis, self.counts[1::3], self.counts[2::3], strict=True))
