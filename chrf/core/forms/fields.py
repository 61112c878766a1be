"""Rows of a file: fields of UTF-8, counted where they stand."""

from __future__ import annotations

from array import array
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
    """A column of hypotheses, and one column for each set of references."""

    hypotheses: Fields
    references: list[Fields]

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
        for i in range(0, len(flats[0]), width):
            for counts in flats:
                flat += counts[i : i + width]
        return best_references(flat, self._starts(stop - start), options)

    def _strings(self, start: int, stop: int) -> Segments:
        hypotheses = self.hypotheses.texts(start, stop)
        columns = [column.texts(start, stop) for column in self.references]
        if len(columns) == 1:
            return Segments(hypotheses, columns[0])
        flat = [text for row in zip(*columns, strict=True) for text in row]
        return Segments(hypotheses, flat, self._starts(stop - start))

    def _starts(self, rows: int) -> list[int]:
        number = len(self.references)
        return list(range(0, rows * number + 1, number))
