"""Checks of single values, whose messages name what was given and what is allowed."""

from __future__ import annotations

import operator
from collections.abc import Sequence

LONGEST_SHOWN = 80  # characters of what a message quotes
LONGEST_LIST = 160  # characters of the names that a message lists
MOST_COMPARED = 1000  # names among which one is looked for that was meant


def whole_number(value: object) -> int | None:
    """Return `value` as an int where it is an integer of any library; a bool is not one."""
    if type(value).__name__ in ("bool", "bool_"):  # Python's and NumPy's
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def shown(value: object) -> str:
    """Return `value` as messages show it: cut where it is long, if Python can write it at all."""
    if isinstance(value, (str, bytes)):
        value = value[: LONGEST_SHOWN + 1]  # no copy of a whole file is made
    try:
        return cut(repr(value))
    except (ValueError, RecursionError):  # digits and nesting have limits
        return f"a {type(value).__name__} too large to be shown"


def cut(text: str) -> str:
    """Return a text that a message quotes, cut where it is long."""
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


def counted(number: int, name: str) -> str:
    """Return a number with what it counts.

    >>> counted(1, "line"), counted(2, "lines")
    ('1 line', '2 lines')
    """
    singular = name.removesuffix("s")
    return f"{number} {singular if number == 1 else singular + 's'}"


def listed(names: Sequence[str]) -> str:
    """Return names in quotes, as many as a message has room for.

    >>> listed(["hyp", "ref"])
    "'hyp', 'ref'"
    """
    text, shown_names = "", 0
    for name in names:
        more = f"{', ' if text else ''}{shown(name)}"
        if len(text) + len(more) > LONGEST_LIST:
            return f"{text} and {len(names) - shown_names} more"
        text, shown_names = text + more, shown_names + 1
    return text


def meant(name: str, names: Sequence[str]) -> str:
    """Return the advice to take the name that is most like one that is unknown, if one is.

    >>> meant("Ref", ["hyp", "ref"]), meant("x", ["hyp", "ref"])
    ("; did you mean 'ref'?", '')
    """
    from difflib import get_close_matches

    def folded(text: str) -> str:
        return text[:LONGEST_SHOWN].strip().casefold()

    known = {folded(other): other for other in reversed(names[:MOST_COMPARED])}
    close = get_close_matches(folded(name), known, 1)
    return f"; did you mean {shown(known[close[0]])}?" if close else ""


def checked_int(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return `value` as an int, or raise an error that calls it `name`.

    Raises
    ------
    TypeError
        It is no integer.
    ValueError
        It is below `least` or, unless `most` is None, above `most`.
    """
    number = whole_number(value)
    if number is not None and least <= number and (most is None or number <= most):
        return number
    allowed = f"of at least {least}" if most is None else f"from {least} to {most}"
    found = shown(value if number is None else number)
    kind = TypeError if number is None else ValueError
    raise kind(f"{name} is {found}; it must be an integer {allowed}")
