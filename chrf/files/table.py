"""Files -> rows: LF or CRLF ends a row, tabs split it, and everything else is text."""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from chrf.core.fields import Fields
from chrf.files import splitting
from chrf.kernel import text

STANDARD_INPUT = "-"
BYTE_ORDER_MARK = text.BYTE_ORDER_MARK.encode()
BLOCK_BYTES = 1 << 18

Progress = Callable[[int], object]


class InputError(ValueError):
    """Bad input from a file; the message reads ``file:line: what is wrong``."""


@dataclass(frozen=True)
class Chunk:
    """Consecutive lines of a file as they stand there."""

    first_line: int
    offset: int  # of the first byte in the file
    data: bytes


@dataclass(frozen=True)
class RowBlock:
    """Consecutive rows of a source, column by column: hypotheses, then references."""

    first_line: int
    columns: list[Fields]


@dataclass(frozen=True, eq=False)
class Column:
    """A column of text."""

    file: str
    name: str  # in results; the file's, if that is a system by itself
    label: str = ""  # in messages about the file; empty where the file is the column


@dataclass(frozen=True)
class Source:
    """Where rows come from, and what their columns are.

    Attributes
    ----------
    systems, references : list of Column
    chunks : iterator of lists of Chunk
        What is read, in order: one chunk of a table, or one of each aligned file.
    parse : callable
        Chunks -> RowBlock; threads may share this work.
    """

    systems: list[Column]
    references: list[Column]
    chunks: Iterator[list[Chunk]] = field(repr=False)
    parse: Callable[[list[Chunk]], RowBlock] = field(repr=False)


def file_name(path: str) -> str:
    """The name of a file in messages and results."""
    return "<stdin>" if path == STANDARD_INPUT else as_utf8(path)


def as_utf8(argument: str) -> str:
    """A word of the command line, read as UTF-8 whatever the locale."""
    return os.fsencode(argument).decode("utf-8", "surrogateescape")


def open_table(
    path: str,
    hypotheses: Sequence[str],
    references: Sequence[str],
    header: bool,
    progress: Progress,
) -> Source:
    """A file of tab-separated columns.

    Parameters
    ----------
    path : str
        A file, gzip-compressed if its name ends in ``.gz``, or ``-``.
    hypotheses, references : sequence of str
        Columns by 1-based position or, with a header, by name (a name goes before a position).
        Without either, the file must have two columns: hypothesis, reference. With a header and
        no hypotheses, every column that is not a reference is a system.
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
    name = file_name(path)
    first = next(chunks, None)
    if first is None:
        raise InputError(f"{name}:1: the file is empty; there are no segments")
    top = _decode(path, replace(first, data=_first_line(first.data)))
    fields = top.split("\t")
    width = len(fields)
    names = fields if header else None
    if not hypotheses and not references and width != 2:
        raise InputError(
            f"{name}:1: {_fields(top)} where 2 are expected (hypothesis, reference); "
            "name the columns with --hypothesis and --reference"
        )
    reference_columns = [_position(name, c, names, width) for c in references]
    hypothesis_columns = [_position(name, c, names, width) for c in hypotheses]
    if not references:
        reference_columns = [_position(name, "2", None, width)]
    if not hypotheses:
        hypothesis_columns = [0]
        if names and references:
            hypothesis_columns = [i for i in range(width) if i not in reference_columns]
    _check_columns(name, hypothesis_columns, reference_columns)
    used = hypothesis_columns + reference_columns
    labels = [_label(names, position) for position in used]
    for label in labels:
        if labels.count(label) > 1:
            raise InputError(f"{name}:1: two columns would be called {label!r}; rename one")
    if names:
        length = len(_first_line(first.data))
        first = Chunk(2, first.offset + length, first.data[length:])
        if not first.data and (first := next(chunks, None)) is None:
            raise InputError(f"{name}:2: there are no segments under the header")
    whole = not names and len(hypothesis_columns) == 1

    columns = [Column(name, name if whole else label, label) for label in labels]

    return Source(
        systems=columns[: len(hypothesis_columns)],
        references=columns[len(hypothesis_columns) :],
        chunks=([chunk] for chunk in chain([first], chunks)),
        parse=lambda chunk: _parse_table(path, chunk[0], width, used),
    )


def open_aligned(
    hypotheses: Sequence[str], references: Sequence[str], progress: Progress
) -> Source:
    """Plain text files with one segment a line, aligned by line.

    Raises
    ------
    InputError
        Files of unequal length (both numbers of lines are named), invalid UTF-8, no lines.
    """
    paths = [*hypotheses, *references]
    return Source(
        systems=[Column(file_name(path), file_name(path)) for path in hypotheses],
        references=[Column(file_name(path), file_name(path)) for path in references],
        chunks=_aligned_chunks(paths, progress),
        parse=lambda chunks: _parse_aligned(paths, chunks),
    )


def read_chunks(path: str, progress: Progress) -> Iterator[Chunk]:
    """The lines of a file, some thousands at a time.

    A line ends at a line feed; nothing else ends one. A byte-order mark at the very start of the
    file is dropped.
    """
    line = 1
    with _opened(path, lambda: line) as stream:
        pending: list[bytes] = []
        size = offset = 0
        while data := stream.read(BLOCK_BYTES):
            progress(len(data))
            size += len(data)
            end = data.rfind(b"\n") + 1
            if end == 0 or size < BLOCK_BYTES:  # a pipe gives little at a time
                pending.append(data)
                continue
            chunk = _chunk(line, offset, b"".join([*pending, data[:end]]))
            offset += size - (len(data) - end)
            pending = [data[end:]]
            size = len(pending[0])
            if chunk.data:
                yield chunk
                line += chunk.data.count(b"\n")
        if data is None:  # a stream that does not wait; what else it holds is not known
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        chunk = _chunk(line, offset, b"".join(pending))
        if chunk.data:
            yield chunk


def _chunk(line: int, offset: int, data: bytes) -> Chunk:
    if offset == 0 and data.startswith(BYTE_ORDER_MARK):
        offset = len(BYTE_ORDER_MARK)
        data = data[offset:]
    return Chunk(line, offset, data)


def _aligned_chunks(paths: list[str], progress: Progress) -> Iterator[list[Chunk]]:
    """Chunks of as many lines from each file."""
    streams = [read_chunks(path, progress) for path in paths]
    waiting: list[Chunk | None] = [next(stream, None) for stream in streams]
    if not any(waiting):
        raise InputError(f"{file_name(paths[0])}:1: the file is empty; there are no segments")
    while any(waiting):
        if not all(waiting):
            raise InputError(_unequal(paths, streams, waiting))
        chunks = [chunk for chunk in waiting if chunk]
        lines = min(_line_count(chunk.data) for chunk in chunks)
        taken, waiting = [], []
        for chunk, stream in zip(chunks, streams, strict=True):
            head, tail = _cut(chunk, lines)
            taken.append(head)
            waiting.append(tail if tail.data else next(stream, None))
        yield taken


def _cut(chunk: Chunk, lines: int) -> tuple[Chunk, Chunk]:
    """The first lines of a chunk, and the rest."""
    end = 0
    for _ in range(lines):
        end = chunk.data.find(b"\n", end) + 1
        if end == 0:
            end = len(chunk.data)
    rest = Chunk(chunk.first_line + lines, chunk.offset + end, chunk.data[end:])
    return replace(chunk, data=chunk.data[:end]), rest


def _line_count(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n"))


def _first_line(data: bytes) -> bytes:
    """The first line with its line feed, if it has one."""
    return data[: data.find(b"\n") + 1] or data


def _decode(path: str, chunk: Chunk) -> str:
    """The text of a chunk without its last line end."""
    try:
        text = chunk.data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = chunk.first_line + chunk.data.count(b"\n", 0, error.start)
        raise InputError(
            f"{file_name(path)}:{line}: byte 0x{chunk.data[error.start]:02x} at offset "
            f"{chunk.offset + error.start} of the file is not valid UTF-8"
        ) from None
    return text[:-1].removesuffix("\r") if text.endswith("\n") else text


def _parse_table(path: str, chunk: Chunk, width: int, used: list[int]) -> RowBlock:
    columns, good = splitting.split_rows(chunk.data, width, used)
    if good < _line_count(chunk.data):
        head, rest = _cut(chunk, good)
        line = _first_line(rest.data)
        _decode(path, replace(head, data=head.data + line))  # what is not UTF-8 may come first
        bad = _decode(path, replace(rest, data=line))
        raise InputError(
            f"{file_name(path)}:{rest.first_line}: {_fields(bad)} where {width} are expected"
        )
    if not splitting.is_utf8(chunk.data):
        _decode(path, chunk)  # says where
    return RowBlock(chunk.first_line, [Fields(chunk.data, spans) for spans in columns])


def _parse_aligned(paths: list[str], chunks: list[Chunk]) -> RowBlock:
    columns = []
    for path, chunk in zip(paths, chunks, strict=True):
        if not splitting.is_utf8(chunk.data):
            _decode(path, chunk)
        columns.append(Fields(chunk.data, splitting.split_lines(chunk.data)))
    return RowBlock(chunks[0].first_line, columns)


@contextlib.contextmanager
def _opened(path: str, line: Callable[[], int]) -> Iterator[io.FileIO | gzip.GzipFile]:
    """The bytes of a file; what goes wrong in reading them becomes an InputError.

    Without a buffer of Python's, which would be deaf to signals until it is full.
    """
    try:
        if path == STANDARD_INPUT:
            if sys.stdin is None:
                raise InputError("<stdin>:1: standard input is closed")
            with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as raw:
                yield raw
        elif path.endswith(".gz"):
            with gzip.open(path, "rb") as unpacked:
                yield unpacked
        else:
            with open(path, "rb", buffering=0) as raw:
                yield raw
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        where = f"{file_name(path)}:{line()}"
        raise InputError(f"{where}: not a complete gzip file ({error})") from None
    except OSError as error:
        raise InputError(f"{file_name(path)}:{line()}: {error.strerror or error}") from None


def _fields(line: str) -> str:
    if not line:
        return "a blank line"
    count = line.count("\t") + 1
    return f"{count} field{'s' if count > 1 else ''}"


def _position(file: str, column: str, names: Sequence[str] | None, width: int) -> int:
    """The 0-based position of a column given by name or 1-based position."""
    if names and column in names:
        if names.count(column) > 1:
            raise InputError(f"{file}:1: two columns are called {column!r}; give the position")
        return names.index(column)
    if re.fullmatch("0{0,9}[1-9][0-9]{0,8}", column) and int(column) <= width:
        return int(column) - 1
    known = f"; the columns are {', '.join(names)}" if names else ""
    raise InputError(f"{file}:1: no column {column!r} among {width}{known}")


def _label(names: Sequence[str] | None, position: int) -> str:
    """What a column is called."""
    number = f"column {position + 1}"
    if not names or not names[position]:
        return number
    name = names[position]
    return f"{name} ({number})" if names.count(name) > 1 else name


def _check_columns(file: str, hypotheses: list[int], references: list[int]) -> None:
    used = hypotheses + references
    for column in used:
        if used.count(column) > 1:
            raise InputError(f"{file}:1: column {column + 1} is used twice")
    if not hypotheses:
        raise InputError(f"{file}:1: no column is left for a hypothesis")


def _unequal(paths: list[str], streams: list[Iterator[Chunk]], waiting: list[Chunk | None]) -> str:
    """Both numbers of lines, which takes reading the longer files to their ends."""
    lines = next(chunk.first_line for chunk in waiting if chunk) - 1
    totals = [
        lines + sum(_line_count(more.data) for more in chain([chunk], stream) if more)
        for chunk, stream in zip(waiting, streams, strict=True)
    ]
    shortest = min(range(len(paths)), key=totals.__getitem__)
    longest = max(range(len(paths)), key=totals.__getitem__)
    return (
        f"{file_name(paths[shortest])}:{totals[shortest] + 1}: the file ends after "
        f"{totals[shortest]} lines, but {file_name(paths[longest])} has {totals[longest]}"
    )
