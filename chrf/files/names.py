"""What files are called in messages and results, and the error that names them."""

from __future__ import annotations

import os

STANDARD_INPUT = "-"


class InputError(ValueError):
    """Bad input from a file; the message reads ``file:line: what is wrong``."""


def file_name(path: str) -> str:
    """Return the name of a file in messages and results."""
    return "<stdin>" if path == STANDARD_INPUT else as_utf8(path)


def as_utf8(argument: str) -> str:
    """Return a word of the command line, read as UTF-8 whatever the locale."""
    return os.fsencode(argument).decode("utf-8", "surrogateescape")
