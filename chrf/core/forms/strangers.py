"""What the messages say about what is no list of strings, or no string, and what to do about it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from math import isnan
from typing import Any

from chrf.core.checks import cut, shown

LONGEST_FILE_NAME = 255


def no_list(name: str, values: Any, *, nested: bool = False) -> str:
    """Return the message for what is no list of strings; `nested`: nor a list of lists of them."""
    kind = type(values).__name__
    expected = "give a list of strings" + (", or of lists of strings" if nested else "")
    if isinstance(values, (str, bytes, bytearray)):
        if isinstance(values, str) and _names_a_file(values):
            return f"{name} is a single str; is {shown(values)} a file? Read its lines first"
        return f"{name} is a single {kind}; {expected}"
    if isinstance(values, (AbstractSet, Mapping)):
        return f"{name} is a {kind}, which has no order; {expected}"
    if isinstance(values, os.PathLike):
        return f"{name} is {kind}; {expected}: read the lines of the file first"
    columns: Any = getattr(values, "column_names", getattr(values, "columns", None))
    if hasattr(columns, "__len__"):
        if not len(columns):
            return f"{name} is a {kind} without columns; {expected}"
        return (
            f"{name} is a table of {len(columns)} columns ({cut(', '.join(map(str, columns)))}); "
            "choose one by its name, as in table['name'] or relation.select('name')"
        )
    if hasattr(values, "ndim"):
        return f"{name} is a {kind} of {values.ndim} dimensions; {expected}"
    return f"{name} is {kind}; {expected}"


def no_string(place: str, value: Any, for_none: str = "") -> str:
    """Return the message for an item that is no string; `for_none`: the advice for None."""
    kind = type(value).__name__
    if value is None:
        return f"{place} is {kind}, not a string{for_none}"
    if isinstance(value, float) and isnan(value):
        return f"{place} is missing (NaN), not a string"
    if kind == "NAType":
        return f"{place} is missing (pandas.NA), not a string"
    if isinstance(value, (list, tuple)):
        return f"{place} is {kind}, not a string; of words, join them: ' '.join(words)"
    if type(value).__module__.partition(".")[0] == "pyarrow":
        return f"{place} is {kind}, not a string; give .to_pylist() of the column"
    return f"{place} is {kind}, not a string"


def _names_a_file(text: str) -> bool:
    """Return whether a string that was given for a list names a file that is there."""
    try:
        return len(text) <= LONGEST_FILE_NAME and os.path.isfile(text)
    except ValueError:  # NUL, a lone surrogate
        return False
