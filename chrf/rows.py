"""Files -> rows: line feeds end rows, tabs split them, and everything else is text."""

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
from dataclasses import dataclass, field
from itertools import chain, islice

from chrf.text import BYTE_ORDER_MARK

STANDARD_INPUT = "-"
BLOCK_BYTES = 1 << 18
BLOCK_LINES = 1024

Progress = Callable[[int], object]


class InputError(ValueError):
    """Bad input from a file; the message reads ``file:line: what is wrong``."""


@dataclass(frozen=True)
class RowBlock:
    """Consecutive rows of a source, column by column: hypotheses, then references."""

    first_line: int
    columns: list[list[str]]


@dataclass(frozen=True, eq=False)
class Column:
    """A column of text."""

    file: str
    name: str  # in results; the file's, if that is a system by itself
    label: str = ""  # in messages about the file; empty where the file is the column


@dataclass(frozen=True)
class Source:
    """Rows, and what their columns are."""

    systems: list[Column]
    references: list[Column]
    blocks: Iterator[RowBlock] = field(repr=False)


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
    blocks = line_blocks(path, progress)
    first_line, lines = next(blocks, (1, []))
    name = file_name(path)
    if not lines:
        raise InputError(f"{name}:1: the file is empty; there are no segments")
    fields = lines[0].split("\t")
    width = len(fields)
    names = fields if header else None
    if not hypotheses and not references and width != 2:
        raise InputError(
            f"{name}:1: {_fields(lines[0])} where 2 are expected (hypothesis, reference); "
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
    if names:
        lines, first_line = lines[1:], 2
    whole = not names and len(hypothesis_columns) == 1

    def column(position: int) -> Column:
        label = _label(names, position)
        return Column(name, name if whole else label, label)

    def split() -> Iterator[RowBlock]:
        empty = True
        for first, texts in chain([(first_line, lines)], blocks):
            if texts:
                empty = False
                yield RowBlock(first, _columns(name, first, texts, width, used))
        if empty:
            raise InputError(f"{name}:2: there are no segments under the header")

    return Source(
        systems=[column(position) for position in hypothesis_columns],
        references=[column(position) for position in reference_columns],
        blocks=split(),
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

    def rows() -> Iterator[RowBlock]:
        streams = [_lines(path, progress) for path in paths]
        first_line = 1
        while True:
            columns = [list(islice(stream, BLOCK_LINES)) for stream in streams]
            lengths = [len(column) for column in columns]
            if len(set(lengths)) > 1:
                raise InputError(_unequal(paths, streams, lengths, first_line))
            if not lengths[0]:
                break
            yield RowBlock(first_line, columns)
            first_line += lengths[0]
        if first_line == 1:
            raise InputError(f"{file_name(paths[0])}:1: the file is empty; there are no segments")

    return Source(
        systems=[Column(file_name(path), file_name(path)) for path in hypotheses],
        references=[Column(file_name(path), file_name(path)) for path in references],
        blocks=rows(),
    )


def line_blocks(path: str, progress: Progress) -> Iterator[tuple[int, list[str]]]:
    """The lines of a file, block by block, with the number of the first.

    A line ends at a line feed, to which a carriage return directly before it belongs; nothing
    else ends a line. A byte-order mark at the very start of the file is dropped.
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
            block = b"".join([*pending, data[:end]])
            pending = [data[end:]]
            size = len(pending[0])
            lines = _decode(path, block, line, offset)
            yield line, lines[:-1]
            line += len(lines) - 1
            offset += len(block)
        if data is None:  # a stream that does not wait; what else it holds is not known
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        block = b"".join(pending)
        if block:
            lines = _decode(path, block, line, offset)
            yield line, lines if lines[-1] else lines[:-1]


def _decode(path: str, block: bytes, line: int, offset: int) -> list[str]:
    """The lines of a block and what stands after its last line feed."""
    try:
        text = block.decode("utf-8")
    except UnicodeDecodeError as error:
        line += block.count(b"\n", 0, error.start)
        raise InputError(
            f"{file_name(path)}:{line}: byte 0x{block[error.start]:02x} at offset "
            f"{offset + error.start} of the file is not valid UTF-8"
        ) from None
    if offset == 0:
        text = text.removeprefix(BYTE_ORDER_MARK)
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    return text.split("\n")


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


def _lines(path: str, progress: Progress) -> Iterator[str]:
    return chain.from_iterable(lines for _, lines in line_blocks(path, progress))


def _columns(
    name: str, first_line: int, lines: list[str], width: int, used: list[int]
) -> list[list[str]]:
    rows = [line.split("\t") for line in lines]
    if set(map(len, rows)) != {width}:
        bad = next(i for i, row in enumerate(rows) if len(row) != width)
        raise InputError(
            f"{name}:{first_line + bad}: {_fields(lines[bad])} where {width} are expected"
        )
    columns = list(zip(*rows, strict=True))
    return [list(columns[column]) for column in used]


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
    if re.fullmatch("0*[1-9][0-9]{0,8}", column) and int(column) <= width:
        return int(column) - 1
    known = f"; the columns are {', '.join(names)}" if names else ""
    raise InputError(f"{file}:1: no column {column!r} among {width}{known}")


def _label(names: Sequence[str] | None, position: int) -> str:
    """What a column is called, so that no two of a file are called the same."""
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


def _unequal(
    paths: list[str], streams: list[Iterator[str]], lengths: list[int], first_line: int
) -> str:
    totals = [
        first_line - 1 + length + sum(1 for _ in stream)
        for length, stream in zip(lengths, streams, strict=True)
    ]
    shortest = min(range(len(paths)), key=totals.__getitem__)
    longest = max(range(len(paths)), key=totals.__getitem__)
    return (
        f"{file_name(paths[shortest])}:{totals[shortest] + 1}: the file ends after "
        f"{totals[shortest]} lines, but {file_name(paths[longest])} has {totals[longest]}"
    )
