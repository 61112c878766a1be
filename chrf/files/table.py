"""Tab-separated files: which columns there are, which are wanted, and their rows.

A line feed (or CRLF) ends a row, tabs split it, and everything else is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from chrf.core.checks import counted, listed, meant, shown
from chrf.core.forms.fields import Fields
from chrf.files import splitting
from chrf.files.kinds import is_json
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
                raise self.error(f"two columns are called {shown(column)}; give the position")
            return self.names.index(column)
        width = len(self.fields)
        if re.fullmatch("0{0,9}[1-9][0-9]{0,8}", column) and int(column) <= width:
            return int(column) - 1
        if width == 1 and column in re.split("[,;]", self.fields[0]):
            raise self.error("the first row has no tab; write the columns separated by tabs")
        unknown = f"no column {shown(column)} among {width}"
        if self.named:
            close = meant(column, self.names)
            the = " The" if close else "; the"
            raise self.error(f"{unknown}{close}{the} columns are {listed(self.names)}")
        if column in self.fields:
            raise self.error(f"{unknown}; columns have names only with --header")
        raise self.error(unknown)

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


class NotATable(InputError):
    """A file without a tab in its first row, of which no column was asked for."""


def open_table(
    path: str,
    hypotheses: Sequence[str],
    references: Sequence[str],
    header: bool,
    progress: Progress,
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
    systems, others = choose_columns(top, hypotheses, references)
    columns = _columns(top, systems, others)
    rows = _under_header(path, first, chunks) if header else chain([first], chunks)
    return Source(
        systems=columns[: len(systems)],
        references=columns[len(systems) :],
        chunks=([chunk] for chunk in rows),
        parse=lambda chunk: _parse(path, chunk[0], len(top.fields), systems + others),
    )


def read_header(path: str, chunk: Chunk, named: bool) -> Header:
    """Return the first row of a file, which starts with `chunk`."""
    top = decode(path, chunk._replace(data=first_line(chunk.data)))
    return Header(file_name(path), top.split("\t"), named)


def choose_columns(
    header: Header, hypotheses: Sequence[str], references: Sequence[str]
) -> tuple[list[int], list[int]]:
    """Find the columns that are asked for.

    Parameters
    ----------
    header : Header
    hypotheses, references : sequence of str
        Columns by 1-based position or, with names, by name (a name goes before a position).
        Without either, the file must have two columns: hypothesis, reference. With names and no
        `hypotheses`, every column that is not a reference is a system.

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
    if width == 1 and is_json(header.fields[0]):
        raise InputError(
            f"{header.file}: is JSON; write its texts as columns separated by tabs, one row a line"
        )
    if not hypotheses and not references and width != 2:
        wrong = f"{_shown(header.fields, 2)} (hypothesis, reference)"
        if width == 1 and not header.named:
            raise NotATable(f"{header.file}:1: {wrong}")
        raise header.error(f"{wrong}; name the columns with --hypothesis and --reference")
    chosen_references = [header.position(column) for column in references]
    chosen = [header.position(column) for column in hypotheses]
    if not references:  # whatever the names
        chosen_references = [header._replace(named=False).position("2")]
    if not hypotheses and header.named and references:
        chosen = [i for i in range(width) if i not in chosen_references]
        _check_named(header, chosen)
    elif not hypotheses:
        chosen = [0]
    used = chosen + chosen_references
    for position in used:
        if used.count(position) > 1:
            raise header.error(f"column {position + 1} is used twice")
    if not chosen:
        raise header.error("no column is left for a hypothesis")
    return chosen, chosen_references


def _check_named(header: Header, systems: list[int]) -> None:
    """Raise InputError for a column without a name, such as an index that pandas wrote."""
    for position in systems:
        if not header.names[position]:
            raise header.error(
                f"column {position + 1} has no name; name the systems with --hypothesis"
            )


def _columns(header: Header, systems: list[int], references: list[int]) -> list[Column]:
    """Name the chosen columns; a single system without a name is called what the file is."""
    labels = [header.label(position) for position in systems + references]
    for label in labels:
        if labels.count(label) > 1:
            raise header.error(f"two columns would be called {shown(label)}; rename one")
    whole = not header.named and len(systems) == 1
    return [Column(header.file, header.file if whole else label, label) for label in labels]


def _under_header(path: str, first: Chunk, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """Return the chunks without the first row; InputError where there is no other."""
    top, rest = split_chunk(first, 1)
    if not rest.data:
        more = next(chunks, None)
        if more is None:
            raise InputError(f"{file_name(path)}:2: there are no segments under the header")
        rest = more
    return _without_header(path, top.data.rstrip(b"\r\n"), chain([rest], chunks))


def _without_header(path: str, top: bytes, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """Yield the chunks; InputError for a row that is the header again, as in joined tables."""
    for chunk in chunks:
        at = _row_at(chunk.data, top) if top else -1
        if at >= 0:
            line = chunk.first_line + chunk.data.count(b"\n", 0, at)
            raise InputError(
                f"{file_name(path)}:{line}: the row is the header again; delete it, or give "
                "each table as a file of its own"
            )
        yield chunk


def _row_at(data: bytes, row: bytes) -> int:
    """Return where a row begins in a chunk, -1 where it is not there."""
    lines = b"\n%b\n" % data
    found = [lines.find(b"\n%b%b" % (row, end)) for end in (b"\n", b"\r\n")]
    return min((at for at in found if at >= 0), default=-1)


def _parse(path: str, chunk: Chunk, width: int, used: list[int]) -> RowBlock:
    columns, good = splitting.split_rows(chunk.data, width, used)
    if good < line_count(chunk.data):
        head, rest = split_chunk(chunk, good)
        line = first_line(rest.data)
        decode(path, head._replace(data=head.data + line))  # what is not UTF-8 may come first
        bad = decode(path, rest._replace(data=line)).split("\t")
        advice = "; delete it" if bad == [""] else ""
        raise InputError(f"{file_name(path)}:{rest.first_line}: {_shown(bad, width)}{advice}")
    check_utf8(path, chunk)
    return RowBlock(chunk.first_line, [Fields(chunk.data, spans) for spans in columns])


def _shown(fields: list[str], width: int) -> str:
    """Say in a message what a row has where it should have `width` fields."""
    expected = counted(width, "fields")
    if fields == [""]:
        return f"a blank line where {expected} {'is' if width == 1 else 'are'} expected"
    return (
        f"{counted(len(fields), 'fields')} where {width} {'is' if width == 1 else 'are'} expected"
    )
