"""What a file becomes: columns of text, and blocks of rows that threads can parse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chrf.core.forms.fields import Fields
from chrf.files.lines import Chunk


class RowBlock(NamedTuple):
    """Consecutive rows of a source.

    Attributes
    ----------
    lines : sequence of int
        The line of the file that each row begins in.
    columns : list of Fields
        Hypotheses, then references.
    """

    lines: Sequence[int]
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
    first_row : list of str
        The texts of the first row of a table that has no header; those that are read.
    quotes_are_text : bool
        Whether CSV quoting, where there is any, is read as text.
    """

    systems: list[Column]
    references: list[Column]
    chunks: Iterator[list[Chunk]]
    parse: Callable[[list[Chunk]], RowBlock]
    first_row: Sequence[str] = ()
    quotes_are_text: bool = False
