"""What a file becomes: columns of text, and blocks of rows that threads can parse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chrf.core.forms.fields import Fields
from chrf.files.lines import Chunk


class RowBlock(NamedTuple):
    """Consecutive rows of a source, column by column: hypotheses, references, labels."""

    first_line: int
    columns: list[Fields]


@dataclass(frozen=True, eq=False)
class Column:
    """A column of text."""

    file: str
    name: str  # in results; the file's, if that is a system by itself
    label: str = ""  # in messages about the file; empty where the file is the column


class Source(NamedTuple):
    """Where rows come from, and what their columns are.

    Attributes
    ----------
    systems, references : list of Column
    chunks : iterator of lists of Chunk
        What is read, in order: one chunk of a table, or one of each aligned file.
    parse : callable
        Chunks -> RowBlock; threads may share this work.
    label_columns : sequence of Column
    labels : sequence of (str, list of int)
        What labels are of, such as documents, and which of those columns make them.
    """

    systems: list[Column]
    references: list[Column]
    chunks: Iterator[list[Chunk]]
    parse: Callable[[list[Chunk]], RowBlock]
    label_columns: Sequence[Column] = ()
    labels: Sequence[tuple[str, list[int]]] = ()
