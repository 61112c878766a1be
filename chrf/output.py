"""Result files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from types import FrameType
from typing import IO, cast


class OutputError(OSError):
    """A result file that cannot be written; the message names it."""


@contextlib.contextmanager
def whole_file(path: str) -> Iterator[IO[str]]:
    """Open a UTF-8 text file for writing that takes its place only when the block succeeds.

    Until then the text stands in a temporary file in the same folder, which is removed when the
    block fails or the process is asked to end. A pipe or device is written to directly. A name
    that ends in ``.gz`` is compressed.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        with _named(path), open(path, "wb") as raw, _text(raw, path) as stream:
            yield stream
        return
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    with _named(path):
        descriptor, temporary = tempfile.mkstemp(prefix=f".{name}.", suffix=".part", dir=folder)
    try:
        with _ending_on_sigterm():
            with _named(path), open(descriptor, "wb") as raw, _text(raw, path) as stream:
                yield stream
            with _named(path):
                os.chmod(temporary, _mode(target))
                os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def tsv_cell(text: str) -> str:
    """A name as one cell: what would end a cell or a row is written as an escape.

    >>> tsv_cell("a\\tb")
    'a\\\\tb'
    """
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


@contextlib.contextmanager
def _named(path: str) -> Iterator[None]:
    """Say which file it was that could not be written."""
    try:
        yield
    except OSError as error:
        if isinstance(error, (OutputError, BrokenPipeError)):
            raise
        raise OutputError(f"{path}: {error.strerror or error}") from error


@contextlib.contextmanager
def _text(raw: IO[bytes], path: str) -> Iterator[IO[str]]:
    with contextlib.ExitStack() as stack:
        if path.endswith(".gz"):
            # No time stamp: the same scores are the same bytes.
            packed = gzip.GzipFile("", "wb", fileobj=raw, mtime=0)
            raw = cast("IO[bytes]", stack.enter_context(packed))
        stream = io.TextIOWrapper(raw, "utf-8", "surrogateescape", newline="\n")
        yield stream
        stream.flush()
        stream.detach()


def _mode(target: str) -> int:
    """The permissions of the file that is replaced, or those that a new file gets."""
    if os.path.exists(target):
        return os.stat(target).st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextlib.contextmanager
def _ending_on_sigterm() -> Iterator[None]:
    """Turn SIGTERM into an ordinary exit, so that the temporary file is removed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, _frame: FrameType | None) -> None:
        sys.exit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
