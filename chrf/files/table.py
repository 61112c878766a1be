"""Tab-separated files: which columns there are, which are wanted, and their rows.

A line feed (or CRLF) ends a row, tabs split it, and everything else is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from chrf.core.forms.fields import Fields
from chrf.files import splitting
from chrf.files.lines import (
    Chunk,
    Progress,
    check_utf8,
    decode,
    empty_file,
    first_line,
    line_count,
    read_chunks,
    split_chunk,
)
from chrf.files.names import InputError, file_name
from chrf.files.rows import Column, RowBlock, Source


class Header(NamedTuple):
    """The first row of a table.

    Attributes
    ----------
    file : str
        The file in messages.
    fields : list of str
    named : bool
        Whether the fields are the names of the columns; otherwise they are texts.
    """

    file: str
    fields: list[str]
    named: bool

    @property
    def names(self) -> list[str]:
        """The names of the columns; empty where they have none."""
        return self.fields if self.named else []

    def position(self, column: str) -> int:
        """Return the 0-based position of a column given by name or, failing that, by position."""
        if column in self.names:
            if self.names.count(column) > 1:
                raise self.error(f"two columns are called {column!r}; give the position")
            return self.names.index(column)
        width = len(self.fields)
        if re.fullmatch("0{0,9}[1-9][0-9]{0,8}", column) and int(column) <= width:
            return int(column) - 1
        known = f"; the columns are {', '.join(self.names)}" if self.named else ""
        raise self.error(f"no column {column!r} among {width}{known}")

    def label(self, position: int) -> str:
        """Return what a column is called: its name, its number, or both where names repeat."""
        number = f"column {position + 1}"
        name = self.names[position] if self.named else ""
        if not name:
            return number
        return f"{name} ({number})" if self.names.count(name) > 1 else name

    def error(self, message: str) -> InputError:
        """Return the error that something is wrong with the columns."""
        return InputError(f"{self.file}:1: {message}")


def open_table(
    path: str,
    hypotheses: Sequence[str],
    references: Sequence[str],
    header: bool,
    progress: Progress,
    labels: Mapping[str, Sequence[str]] | None = None,
) -> Source:
    """Open a file of tab-separated columns.

    Parameters
    ----------
    path : str
        A file, gzip-compressed if its name ends in ``.gz``, or ``-``.
    hypotheses, references : sequence of str
        See `choose_columns`.
    header : bool
        Whether the first row names the columns.
    progress : callable
        Told the number of bytes read.
    labels : mapping of str to sequences of str, optional
        Columns by what they are the labels of.

    Raises
    ------
    InputError
        An unknown column, a row with another number of fields, invalid UTF-8, no rows.
    """
    chunks = read_chunks(path, progress)
    first = next(chunks, None)
    if first is None:
        raise empty_file(path)
    top = read_header(path, first, header)
    label_positions = {
        kind: [top.position(column) for column in columns]
        for kind, columns in (labels or {}).items()
    }
    marked = list(dict.fromkeys(chain(*label_positions.values())))
    systems, others = choose_columns(top, hypotheses, references, marked)
    columns = _columns(top, systems, others)
    rows = _under_header(path, first, chunks) if header else chain([first], chunks)
    return Source(
        systems=columns[: len(systems)],
        references=columns[len(systems) :],
        chunks=([chunk] for chunk in rows),
        parse=lambda chunk: _parse(path, chunk[0], len(top.fields), systems + others + marked),
        label_columns=[Column(top.file, top.label(i), top.label(i)) for i in marked],
        labels=[
            (kind, [marked.index(i) for i in positions])
            for kind, positions in label_positions.items()
        ],
    )


def read_header(path: str, chunk: Chunk, named: bool) -> Header:
    """Return the first row of a file, which starts with `chunk`."""
    top = decode(path, chunk._replace(data=first_line(chunk.data)))
    return Header(file_name(path), top.split("\t"), named)


def choose_columns(
    header: Header,
    hypotheses: Sequence[str],
    references: Sequence[str],
    labels: Sequence[int] = (),
) -> tuple[list[int], list[int]]:
    """Find the columns that are asked for.

    Parameters
    ----------
    header : Header
    hypotheses, references : sequence of str
        Columns by 1-based position or, with names, by name (a name goes before a position).
        Without either, the file must have two columns: hypothesis, reference. With names and no
        `hypotheses`, every column that is neither a reference nor of labels is a system.
    labels : sequence of int
        Positions of the columns of labels.

    Returns
    -------
    hypotheses, references : list of int
        0-based positions.

    Raises
    ------
    InputError
        An unknown column, one used twice, none left for a hypothesis.
    """
    width = len(header.fields)
    if not hypotheses and not references and width - len(labels) != 2:
        raise header.error(
            f"{_shown(header.fields)} where 2 are expected (hypothesis, reference); "
            "name the columns with --hypothesis and --reference"
        )
    chosen_references = [header.position(column) for column in references]
    chosen = [header.position(column) for column in hypotheses]
    if not references:  # whatever the names
        chosen_references = [header._replace(named=False).position("2")]
    if not hypotheses and header.named and references:
        chosen = [i for i in range(width) if i not in (*chosen_references, *labels)]
    elif not hypotheses:
        chosen = [0]
    used = [*chosen, *chosen_references, *labels]
    for position in used:
        if used.count(position) > 1:
            raise header.error(f"column {position + 1} is used twice")
    if not chosen:
        raise header.error("no column is left for a hypothesis")
    return chosen, chosen_references


def _columns(header: Header, systems: list[int], references: list[int]) -> list[Column]:
    """Name the chosen columns; a single system without a name is called what the file is."""
    labels = [header.label(position) for position in systems + references]
    for label in labels:
        if labels.count(label) > 1:
            raise header.error(f"two columns would be called {label!r}; rename one")
    whole = not header.named and len(systems) == 1
    return [Column(header.file, header.file if whole else label, label) for label in labels]


def _under_header(path: str, first: Chunk, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """Return the chunks without the first row; InputError where there is no other."""
    _, rest = split_chunk(first, 1)
    if rest.data:
        return chain([rest], chunks)
    more = next(chunks, None)
    if more is None:
        raise InputError(f"{file_name(path)}:2: there are no segments under the header")
    return chain([more], chunks)


def _parse(path: str, chunk: Chunk, width: int, used: list[int]) -> RowBlock:
    columns, good = splitting.split_rows(chunk.data, width, used)
    if good < line_count(chunk.data):
        head, rest = split_chunk(chunk, good)
        line = first_line(rest.data)
        decode(path, head._replace(data=head.data + line))  # what is not UTF-8 may come first
        bad = decode(path, rest._replace(data=line)).split("\t")
        raise InputError(
            f"{file_name(path)}:{rest.first_line}: {_shown(bad)} where {width} are expected"
        )
    check_utf8(path, chunk)
    return RowBlock(chunk.first_line, [Fields(chunk.data, spans) for spans in columns])


def _shown(fields: list[str]) -> str:
    """Say in a message what a row has."""
    if fields == [""]:
        return "a blank line"
    return f"{len(fields)} field{'s' if len(fields) > 1 else ''}"
