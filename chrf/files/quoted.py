"""Tables with CSV quoting, as Python's `csv` and pandas write them: records over several lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from chrf.core.forms.fields import Fields
from chrf.files import quoting
from chrf.files.lines import Chunk, check_utf8
from chrf.files.names import InputError, file_name
from chrf.files.rows import RowBlock


def whole_records(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Yield chunks anew, so that no record is in two of them.

    Where a quote stays open, the rest of the file is one chunk, which `read_records` refuses.
    """
    pending: list[Chunk] = []
    inside = False
    for chunk in chunks:
        end, inside = quoting.whole_records(chunk.data, inside)
        if not end:
            pending.append(chunk)
            continue
        head, rest = split_at(chunk, end)
        yield _joined([*pending, head])
        pending = [rest] if rest.data else []
    if pending:
        yield _joined(pending)


def split_at(chunk: Chunk, end: int) -> tuple[Chunk, Chunk]:
    """Return the chunk up to a byte, and from there on."""
    line = chunk.first_line + chunk.data.count(b"\n", 0, end)
    return chunk._replace(data=chunk.data[:end]), Chunk(line, chunk.offset + end, chunk.data[end:])


def read_first(path: str, chunk: Chunk) -> tuple[list[str], Chunk]:
    """Return the fields of a chunk's first record, and the chunk without it."""
    fields, end = quoting.first_record(chunk.data)
    if fields is None:
        read_records(path, chunk, 1, [])  # which says why
        raise ValueError(f"{file_name(path)}: the first record is good")
    head, rest = split_at(chunk, end)
    check_utf8(path, head)
    return [field.decode() for field in fields], rest


def read_records(
    path: str, chunk: Chunk, width: int, used: list[int]
) -> tuple[RowBlock, tuple[int, int] | None]:
    """Split a chunk of whole records into the columns that are wanted.

    Returns
    -------
    rows : RowBlock
    ragged : tuple of (int, int) or None
        The line and the number of fields of the first record that has not `width` fields; 0
        fields are a blank line.

    Raises
    ------
    InputError
        A quote that is never closed, text after one that closes a field, invalid UTF-8.
    """
    data, columns, lines, problem = quoting.split_records(chunk.data, width, used)
    check_utf8(path, chunk if problem is None else split_at(chunk, problem[3])[0])
    if problem is not None and problem[0] != "fields":
        raise _error(path, chunk, problem)
    rows = RowBlock(
        [chunk.first_line + line for line in lines], [Fields(data, spans) for spans in columns]
    )
    return rows, None if problem is None else (chunk.first_line + problem[1], problem[2])


def _joined(chunks: list[Chunk]) -> Chunk:
    return chunks[0]._replace(data=b"".join([chunk.data for chunk in chunks]))


def _error(path: str, chunk: Chunk, problem: tuple[str, int, int, int]) -> InputError:
    kind, line, column, _ = problem
    where = f"{file_name(path)}:{chunk.first_line + line}"
    if kind == "loose":
        return InputError(
            f"{where}: text after the quote that closes column {column}; a quote that is text "
            "must be doubled in a quoted field"
        )
    return InputError(
        f"{where}: the quote that opens column {column} is never closed; without --quoting csv "
        "quotes are text"
    )
