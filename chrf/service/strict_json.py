"""JSON in and out: nothing of a document is guessed or dropped, and a value has one spelling."""

from __future__ import annotations

import json
from typing import Any

from chrf.contract import InvalidInput
from chrf.service.errors import RequestError
from chrf.service.reader import read_json

# 65,536 bytes of text take at most six times as many as JSON, each an escape such as \u0041:
# 393,216 bytes. The rest leaves 256 bytes for each of the 512 strings, for quotes, commas and
# indentation, so whatever a contract allows fits, as any JSON library writes it.
MAX_BODY_BYTES = 512 * 1024
_MOST_ITEMS = 256  # of an array: a contract allows no more, and only counts those of a longer one


def dump(value: Any, indent: int | None = None) -> bytes:
    """Write a JSON value as UTF-8; the same value always gives the same bytes."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(
        value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
    )
    return text.encode()


def parse(body: bytes) -> Any:
    """Read a JSON document in UTF-8, as far as a contract looks at it.

    Returns
    -------
    object
        A plain value. Arrays and objects are empty where no contract allows one, and of a long
        array only the first 256 items are kept: see `chrf.service.reader`. So the memory that a
        document takes is bounded by its size.

    Raises
    ------
    InvalidInput
        Not UTF-8, not JSON (NaN, trailing text), a key twice in an object, nested too deeply. An
        escaped lone surrogate is let through: the contracts check for it, in their order.
    RequestError
        More than `MAX_BODY_BYTES`.

    Examples
    --------
    >>> parse(b'{"beta": 2, "beta": 3}')
    Traceback (most recent call last):
    chrf.contract.InvalidInput: the input is not JSON: the key 'beta' appears twice in an object
    """
    if len(body) > MAX_BODY_BYTES:
        raise too_large()
    if not body:
        raise InvalidInput("the input is empty; it must be a JSON object")
    try:
        return read_json(body.decode(), _MOST_ITEMS)
    except UnicodeDecodeError as problem:
        reason = f"it is not UTF-8 at byte {problem.start}"
    except json.JSONDecodeError as problem:
        reason = f"{problem.msg} at line {problem.lineno}, column {problem.colno}"
    except RecursionError:
        reason = "it is nested too deeply"
    raise InvalidInput(f"the input is not JSON: {reason}") from None


def too_large() -> RequestError:
    """Return the error of a document over the limit."""
    return RequestError("payload_too_large", f"the input has more than {MAX_BODY_BYTES} bytes")
