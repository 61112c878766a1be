"""Streams of bytes -> chunks of whole lines: a line feed ends a line, and nothing else does."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from chrf.files import splitting
from chrf.files.compression import opened
from chrf.files.kinds import HEAD_BYTES, check_head
from chrf.files.names import InputError, file_name

BYTE_ORDER_MARK = "\ufeff"
BLOCK_BYTES = 1 << 18

_MARK = BYTE_ORDER_MARK.encode()

Progress = Callable[[int], object]


class Chunk(NamedTuple):
    """Consecutive lines of a file as they stand there."""

    first_line: int
    offset: int  # of the first byte in the file
    data: bytes


def read_chunks(path: str, progress: Progress) -> Iterator[Chunk]:
    """Yield the lines of a file, some thousands at a time.

    A byte-order mark at the very start of the file is dropped. What is certainly no text in UTF-8
    is an InputError. `progress` is told the number of bytes read.
    """
    line = 1
    head: bytes | None = b""
    with opened(path, lambda: line) as stream:
        pending: list[bytes] = []
        size = offset = 0
        while data := stream.read(BLOCK_BYTES):
            progress(len(data))
            if head is not None:
                head += data[:HEAD_BYTES]
                if len(head) >= HEAD_BYTES:
                    check_head(path, head)
                    head = None
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
        if head:
            check_head(path, head)
        chunk = _chunk(line, offset, b"".join(pending))
        if chunk.data:
            yield chunk


def _chunk(line: int, offset: int, data: bytes) -> Chunk:
    if offset == 0 and data.startswith(_MARK):
        offset = len(_MARK)
        data = data[offset:]
    return Chunk(line, offset, data)


def empty_file(path: str) -> InputError:
    """Return the error that a file has no line."""
    return InputError(f"{file_name(path)}:1: the file is empty; there are no segments")


def split_chunk(chunk: Chunk, lines: int) -> tuple[Chunk, Chunk]:
    """Return the first `lines` lines of a chunk, and the rest."""
    end = 0
    for _ in range(lines):
        end = chunk.data.find(b"\n", end) + 1
        if end == 0:
            end = len(chunk.data)
    rest = Chunk(chunk.first_line + lines, chunk.offset + end, chunk.data[end:])
    return chunk._replace(data=chunk.data[:end]), rest


def line_count(data: bytes) -> int:
    """Count the lines of a chunk, the last with or without its line feed."""
    return data.count(b"\n") + (not data.endswith(b"\n"))


def first_line(data: bytes) -> bytes:
    """Return the first line with its line feed, if it has one."""
    return data[: data.find(b"\n") + 1] or data


def decode(path: str, chunk: Chunk) -> str:
    """Return the text of a chunk without its last line end; InputError where it is not UTF-8."""
    try:
        text = chunk.data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = chunk.first_line + chunk.data.count(b"\n", 0, error.start)
        raise InputError(
            f"{file_name(path)}:{line}: byte 0x{chunk.data[error.start]:02x} at offset "
            f"{chunk.offset + error.start} of the file is not valid UTF-8"
        ) from None
    return text[:-1].removesuffix("\r") if text.endswith("\n") else text


def check_utf8(path: str, chunk: Chunk) -> None:
    """Raise InputError, which says where, if a chunk is not UTF-8."""
    if not splitting.is_utf8(chunk.data):
        decode(path, chunk)
