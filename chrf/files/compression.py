"""Paths -> streams of bytes, unpacked; what goes wrong in reading them is an `InputError`."""

from __future__ import annotations

import contextlib
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator

from chrf.files.names import STANDARD_INPUT, InputError, file_name


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
        What cannot be opened or read, or is not a complete gzip file.
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
