"""Result files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import os
import re
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from types import FrameType
from typing import IO, cast

# Surrogates between these stand for bytes of a file's name, which are printed as they are.
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udc7f\udd00-\udfff]")


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
        with named(path), open(path, "wb") as raw, _text(raw, path) as stream:
            yield stream
        return
    with _ending_on_signals():
        with named(path):
            target = os.path.realpath(path)
            folder, name = os.path.split(target)
            if not os.path.basename(path):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if os.path.exists(target) and not os.access(target, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            descriptor, temporary = tempfile.mkstemp(".part", f".{name[:20]}.", folder)
        try:
            with named(path), open(descriptor, "wb") as raw, _text(raw, path) as stream:
                yield stream
            with named(path):
                os.chmod(temporary, _mode(target))
                os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
            raise


def one_line(text: str) -> str:
    r"""Escape every control character, line separator and lone surrogate of the text.

    >>> one_line("a\tb")
    'a\\tb'
    """
    return CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


@contextlib.contextmanager
def named(path: str) -> Iterator[None]:
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
    """Return the permissions of the file that is replaced, or those that a new file gets."""
    if os.path.exists(target):
        return os.stat(target).st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextlib.contextmanager
def _ending_on_signals() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into an ordinary exit, so that the temporary file is removed."""

    def leave(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)  # a second one must not stop the removal
        sys.exit(128 + number)

    caught = []
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name, signal.SIGTERM) for name in ("SIGTERM", "SIGHUP")]
        caught = [n for n in numbers if signal.getsignal(n) is signal.SIG_DFL]
    for number in caught:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)
