"""Rows of a file: fields of UTF-8, counted where they stand."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from chrf.core.best import best_references
from chrf.core.blocks import Block
from chrf.core.forms.segments import Segments
from chrf.core.options import Options
from chrf.kernel import count as kernel


@dataclass(frozen=True)
class Fields:
    """A column of consecutive rows: valid UTF-8, and where each field begins and ends in it."""

    data: bytes
    spans: array[int]  # two numbers for each field

    def __len__(self) -> int:
        return len(self.spans) // 2

    def texts(self, start: int = 0, stop: int | None = None) -> list[str]:
        """Return the fields as strings."""
        spans = self.spans if stop is None else self.spans[2 * start : 2 * stop]
        return [
            self.data[begin:end].decode()
            for begin, end in zip(spans[0::2], spans[1::2], strict=True)
        ]


@dataclass(frozen=True)
class FieldPairs:
    """A column of hypotheses, and one column for each set of references.

    Attributes
    ----------
    hypotheses : Fields
    references : list of Fields
    left_out : sequence of collections of int
        The rows in which each column of references has none; every row must keep one. Without
        any collection no reference is left out.
    """

    hypotheses: Fields
    references: list[Fields]
    left_out: Sequence[Collection[int]] = ()

    def __len__(self) -> int:
        return len(self.hypotheses)

    def count(self, start: int, stop: int, options: Options, threads: int = 1) -> Block:
        """Count rows `start` up to `stop`, each with its best reference, in one thread.

        Strings are made only where lower case is asked for, which is Python's. Files are shared
        over threads block by block, so that `threads` is not needed here.
        """
        if options.lowercase:
            return self._strings(start, stop).count(0, stop - start, options, threads)
        columns = [self.hypotheses, *self.references]
        spans = [column.spans[2 * start : 2 * stop] for column in columns]
        flats = [
            kernel.count_fields(
                self.hypotheses.data,
                spans[0],
                column.data,
                places,
                options.char_order,
                options.word_order,
                options.whitespace,
            )
            for column, places in zip(self.references, spans[1:], strict=True)
        ]
        if len(flats) == 1:
            return best_references(flats[0], None, options)
        width = 3 * options.order_count
        flat = array("q")
        starts, kept = self._kept(start, stop)
        for row, column in kept:
            flat += flats[column][row * width : (row + 1) * width]
        return best_references(flat, starts, options)

    def _strings(self, start: int, stop: int) -> Segments:
        hypotheses = self.hypotheses.texts(start, stop)
        columns = [column.texts(start, stop) for column in self.references]
        if len(columns) == 1:
            return Segments(hypotheses, columns[0])
        starts, kept = self._kept(start, stop)
        return Segments(hypotheses, [columns[column][row] for row, column in kept], starts)

    def _kept(self, start: int, stop: int) -> tuple[list[int], list[tuple[int, int]]]:
        """Return where the references of each row start, and the row and column of each.

        Rows are counted from `start`.
        """
        columns = range(len(self.references))
        if not any(self.left_out):
            starts = list(range(0, (stop - start) * len(columns) + 1, len(columns)))
            return starts, [(row, column) for row in range(stop - start) for column in columns]
        starts, kept = [0], []
        for row in range(stop - start):
            kept += [(row, c) for c in columns if start + row not in self.left_out[c]]
            starts.append(len(kept))
        return starts, kept
