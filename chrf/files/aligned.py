"""Plain text files with one segment a line, aligned by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from chrf.core.checks import counted
from chrf.core.forms.fields import Fields
from chrf.files import splitting
from chrf.files.lines import (
    Chunk,
    Progress,
    check_utf8,
    empty_file,
    line_count,
    read_chunks,
    split_chunk,
)
from chrf.files.names import InputError, file_name
from chrf.files.rows import Column, RowBlock, Source


def open_aligned(
    hypotheses: Sequence[str], references: Sequence[str], progress: Progress
) -> Source:
    """Open plain text files, each of which is a column.

    Parameters
    ----------
    hypotheses, references : sequence of str
        Paths; gzip-compressed files end in ``.gz``, and ``-`` is standard input.
    progress : callable
        Told the number of bytes read.

    Raises
    ------
    InputError
        Files of unequal length (both numbers of lines are named), invalid UTF-8, no lines.
    """
    paths = [*hypotheses, *references]
    return Source(
        systems=[Column(file_name(path), file_name(path)) for path in hypotheses],
        references=[Column(file_name(path), file_name(path)) for path in references],
        chunks=_chunks(paths, progress),
        parse=lambda chunks: _parse(paths, chunks),
    )


def _chunks(paths: list[str], progress: Progress) -> Iterator[list[Chunk]]:
    """Yield a chunk of each file, all of the same number of lines."""
    streams = [read_chunks(path, progress) for path in paths]
    waiting: list[Chunk | None] = [next(stream, None) for stream in streams]
    if not any(waiting):
        raise empty_file(paths[0])
    while any(waiting):
        if not all(waiting):
            raise InputError(_unequal(paths, streams, waiting))
        chunks = [chunk for chunk in waiting if chunk]
        lines = min(line_count(chunk.data) for chunk in chunks)
        taken, waiting = [], []
        for chunk, stream in zip(chunks, streams, strict=True):
            head, tail = split_chunk(chunk, lines)
            taken.append(head)
            waiting.append(tail if tail.data else next(stream, None))
        yield taken


def _unequal(paths: list[str], streams: list[Iterator[Chunk]], waiting: list[Chunk | None]) -> str:
    """Name both numbers of lines, which takes reading the longer files to their ends."""
    lines = next(chunk.first_line for chunk in waiting if chunk) - 1
    totals = [
        lines + sum(line_count(more.data) for more in chain([chunk], stream) if more)
        for chunk, stream in zip(waiting, streams, strict=True)
    ]
    shortest = min(range(len(paths)), key=totals.__getitem__)
    longest = max(range(len(paths)), key=totals.__getitem__)
    return (
        f"{file_name(paths[shortest])}:{totals[shortest] + 1}: the file ends after "
        f"{counted(totals[shortest], 'lines')}, but {file_name(paths[longest])} has "
        f"{totals[longest]}"
    )


def _parse(paths: list[str], chunks: list[Chunk]) -> RowBlock:
    columns = []
    for path, chunk in zip(paths, chunks, strict=True):
        check_utf8(path, chunk)
        columns.append(Fields(chunk.data, splitting.split_lines(chunk.data)))
    first = chunks[0].first_line
    return RowBlock(range(first, first + len(columns[0])), columns)
