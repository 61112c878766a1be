"""Paths -> streams of bytes, unpacked; what goes wrong in reading them is an `InputError`."""

from __future__ import annotations

import contextlib
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator

from chrf.files.kinds import HEAD_BYTES, not_gzip
from chrf.files.names import STANDARD_INPUT, InputError, file_name

GZIP_MAGIC = b"\x1f\x8b"


@contextlib.contextmanager
def opened(path: str, line: Callable[[], int]) -> Iterator[io.FileIO | gzip.GzipFile]:
    """Open a file, or standard input, to read its bytes.

    The stream has no buffer of Python's, which would be deaf to signals until it is full.

    Parameters
    ----------
    path : str
        ``-`` is standard input; a name that ends in ``.gz`` is decompressed.
    line : callable
        Returns the number of the line that is being read, for messages.

    Raises
    ------
    InputError
        What cannot be opened (without a line) or read, or is not a complete gzip file.
    """
    name = file_name(path)
    with contextlib.ExitStack() as stack:
        try:
            stream = _open(path, stack)
        except OSError as error:
            raise InputError(f"{name}: {error.strerror or error}") from None
        try:
            yield stream
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            reason = "other bytes follow" if "Not a gzipped file" in str(error) else error
            raise InputError(f"{name}:{line()}: not a complete gzip file ({reason})") from None
        except OSError as error:
            raise InputError(f"{name}:{line()}: {error.strerror or error}") from None


def _open(path: str, stack: contextlib.ExitStack) -> io.FileIO | gzip.GzipFile:
    """Return the stream, which is closed with the stack."""
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise OSError("standard input is closed")
        return stack.enter_context(open(sys.stdin.fileno(), "rb", buffering=0, closefd=False))
    if not path.endswith(".gz"):
        return stack.enter_context(open(path, "rb", buffering=0))
    packed = stack.enter_context(io.BufferedReader(io.FileIO(path)))
    head = packed.peek(HEAD_BYTES)
    if not GZIP_MAGIC.startswith(head[:2]):
        raise not_gzip(path, head[:HEAD_BYTES])
    return stack.enter_context(gzip.GzipFile(fileobj=packed))
