"""Tab-separated files: which columns there are, which are wanted, and their rows.

A line feed (or CRLF) ends a row, tabs split it, and everything else is text, unless the table has
CSV quoting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from chrf.core.checks import counted, listed, meant, shown
from chrf.core.forms.fields import Fields
from chrf.files import quoted, splitting
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
from chrf.files.rows import NamedColumn, RowBlock, RowReader

QUOTINGS = ("none", "csv")


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
        if f'"{column}"' in self.fields:
            raise self.error(f"{unknown}; the names are in quotes, which --quoting csv reads")
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
    quoting: str = "none",
    labels: Mapping[str, Sequence[str]] | None = None,
) -> RowReader:
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
    quoting : {"none", "csv"}
        Whether quotes are text, or mean what they mean in CSV.
    labels : mapping of str to sequences of str, optional
        Columns by what they are the labels of.

    Raises
    ------
    InputError
        An unknown column, a row with another number of fields, invalid UTF-8, no rows; a quote
        that is not closed, or text after one that closes a field.
    """
    csv = quoting == "csv"
    chunks = read_chunks(path, progress)
    if csv:
        chunks = quoted.whole_records(chunks)
    first = next(chunks, None)
    if first is None:
        raise empty_file(path)
    fields, rest = quoted.read_first(path, first) if csv else _read_first(path, first)
    top = Header(file_name(path), fields, header)
    label_positions = {
        kind: [top.position(column) for column in columns]
        for kind, columns in (labels or {}).items()
    }
    marked = list(dict.fromkeys(chain(*label_positions.values())))
    systems, others = choose_columns(top, hypotheses, references, marked)
    used = systems + others
    columns = _columns(top, systems, others)
    line = b""
    if header:
        line = first.data[: len(first.data) - len(rest.data)].rstrip(b"\r\n")
        rows = _under_header(path, rest, chunks)
        rows = rows if csv else _without_header(path, line, rows)
    else:
        rows = chain([first], chunks)
    parse = partial(_parse_quoted, top=line) if csv else _parse
    return RowReader(
        systems=columns[: len(systems)],
        references=columns[len(systems) :],
        chunks=([chunk] for chunk in rows),
        parse=lambda chunk: parse(path, chunk[0], len(fields), used + marked),
        first_row=[] if header else [fields[position] for position in used],
        quotes_are_text=not csv,
        label_columns=[NamedColumn(top.file, top.label(i), top.label(i)) for i in marked],
        labels=[
            (kind, [marked.index(i) for i in positions])
            for kind, positions in label_positions.items()
        ],
    )


def _read_first(path: str, chunk: Chunk) -> tuple[list[str], Chunk]:
    """Return the fields of a chunk's first row, and the chunk without it."""
    head, rest = split_chunk(chunk, 1)
    return decode(path, head).split("\t"), rest


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
    if width == 1 and is_json(header.fields[0]):
        raise InputError(
            f"{header.file}: is JSON; write its texts as columns separated by tabs, one row a line"
        )
    if not hypotheses and not references and width - len(labels) != 2:
        number = width if header.fields != [""] else 0
        wrong = f"{_shown(number, 2)} (hypothesis, reference)"
        if width == 1 and not header.named:
            raise NotATable(f"{header.file}:1: {wrong}")
        raise header.error(f"{wrong}; name the columns with --hypothesis and --reference")
    chosen_references = [header.position(column) for column in references]
    chosen = [header.position(column) for column in hypotheses]
    if not references:  # whatever the names
        chosen_references = [header._replace(named=False).position("2")]
    if not hypotheses and header.named and references:
        chosen = [i for i in range(width) if i not in (*chosen_references, *labels)]
        _check_named(header, chosen)
    elif not hypotheses:
        chosen = [0]
    used = [*chosen, *chosen_references, *labels]
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


def _columns(header: Header, systems: list[int], references: list[int]) -> list[NamedColumn]:
    """Name the chosen columns; a single system without a name is called what the file is."""
    labels = [header.label(position) for position in systems + references]
    for label in labels:
        if labels.count(label) > 1:
            raise header.error(f"two columns would be called {shown(label)}; rename one")
    whole = not header.named and len(systems) == 1
    return [NamedColumn(header.file, header.file if whole else label, label) for label in labels]


def _under_header(path: str, rest: Chunk, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """Return the chunks without the first row; InputError where there is no other."""
    if rest.data:
        return chain([rest], chunks)
    more = next(chunks, None)
    if more is None:
        raise InputError(
            f"{file_name(path)}:{rest.first_line}: there are no segments under the header"
        )
    return chain([more], chunks)


def _without_header(path: str, top: bytes, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """Yield the chunks; InputError for a row that is the header again, as in joined tables."""
    for chunk in chunks:
        at = _row_at(chunk.data, top) if top else -1
        if at >= 0:
            line = chunk.first_line + chunk.data.count(b"\n", 0, at)
            raise _repeated(path, line)
        yield chunk


def _repeated(path: str, line: int) -> InputError:
    return InputError(
        f"{file_name(path)}:{line}: the row is the header again; delete it, or give each table as "
        "a file of its own"
    )


def _row_at(data: bytes, row: bytes) -> int:
    """Return where a row begins in a chunk, -1 where it is not there."""
    if row not in data:  # as good as always; then nothing is copied
        return -1
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
        before = head.data[head.data.rfind(b"\n", 0, -1) + 1 :].decode().rstrip("\r\n")
        hint = ""
        if any(map(_opens_quote, [*bad, *before.split("\t")])):
            hint = "; a quote is open: --quoting csv reads quoted fields, line feeds included"
        raise _ragged(path, rest.first_line, 0 if bad == [""] else len(bad), width, hint)
    check_utf8(path, chunk)
    lines = range(chunk.first_line, chunk.first_line + good)
    return RowBlock(lines, [Fields(chunk.data, spans) for spans in columns])


def _parse_quoted(
    path: str, chunk: Chunk, width: int, used: list[int], top: bytes = b""
) -> RowBlock:
    rows, ragged = quoted.read_records(path, chunk, width, used)
    if ragged:
        raise _ragged(path, *ragged, width)
    if top and top in chunk.data:  # perhaps within a field
        begins = set(rows.lines)
        for line, text in enumerate(chunk.data.split(b"\n"), chunk.first_line):
            if line in begins and text.rstrip(b"\r") == top:
                raise _repeated(path, line)
    return rows


def _opens_quote(field: str) -> bool:
    """Return whether a field begins with a quote that nothing in it closes."""
    return field.startswith('"') and not field[1:].replace('""', "").endswith('"')


def _ragged(path: str, line: int, fields: int, width: int, hint: str = "") -> InputError:
    advice = hint or ("" if fields else "; delete it")
    return InputError(f"{file_name(path)}:{line}: {_shown(fields, width)}{advice}")


def _shown(fields: int, width: int) -> str:
    """Say in a message what a row has where it should have `width` fields; 0 are a blank line."""
    verb = "is" if width == 1 else "are"
    if not fields:
        return f"a blank line where {counted(width, 'fields')} {verb} expected"
    return f"{counted(fields, 'fields')} where {width} {verb} expected"
