"""Validation of an input, in the order that the contracts give.

The input holds what ``json.loads`` makes, and every test here asks for the type itself: no method
of the caller's objects is called.
"""

from __future__ import annotations

import copy
import re
from typing import Any

from chrf.contract.contracts import CONTRACTS
from chrf.core.options import Options

# The functions do not see what is done to `chrf.contract.CONTRACTS` afterwards.
DEFINITIONS = copy.deepcopy(CONTRACTS)
_TEXTS = ("hypotheses", "references")
# The options that a contract fixes, where they are not the defaults of `chrf.Options`.
_FIXED: dict[str, dict[str, Any]] = {"chrf-plus-plus-compute": {"word_order": 2}}
# A Python string holds code points, so a surrogate in it is always alone: json.loads has joined
# the pairs.
_SURROGATE = re.compile("[\ud800-\udfff]")


class InvalidInput(ValueError):
    """An input that its contract does not allow; the message names the field and what was found.

    Attributes
    ----------
    code : str
        Always ``"invalid_input"``.
    """

    __module__ = "chrf.contract"  # where it is imported from; shown in tracebacks

    code = "invalid_input"


def read_input(contract: str, input: Any) -> tuple[list[str], list[str], dict[str, Any]]:
    """Check the input of a contract.

    Returns
    -------
    hypotheses, references : list of str
    options : dict
        Keywords of `chrf.Options`.

    Raises
    ------
    InvalidInput
        The first check that fails decides the message.
    """
    schema, limits = DEFINITIONS[contract]["input_schema"], DEFINITIONS[contract]["limits"]
    if type(input) is not dict:
        raise InvalidInput(f"the input is {_found(input)}; it must be a plain object")
    for key in input:
        if type(key) is not str or key not in schema["properties"]:
            known = ", ".join(schema["properties"])
            raise InvalidInput(f"unknown key {_found(key)}; the keys of {contract} are {known}")
    for key in schema["required"]:
        if key not in input:
            raise InvalidInput(f"{key} is missing; it is required")
    texts = {field: _strings(field, input[field], limits["max_segments"]) for field in _TEXTS}
    hypotheses, references = texts.values()
    if len(hypotheses) != len(references):
        raise InvalidInput(
            f"there are {len(hypotheses)} hypotheses but {len(references)} references; "
            "each hypothesis needs its own"
        )
    _check_size(texts, limits["max_text_bytes"])
    _check_surrogates(texts)
    options = dict(_FIXED.get(contract, {}))
    for name, allowed in schema["properties"].items():
        if name in input and name not in _TEXTS:
            keyword = "whitespace" if name == "include_whitespace" else name
            options[keyword] = _option(name, input[name], allowed)
        if name == "word_order":
            _check_orders(options)
    return hypotheses, references, options


def _strings(field: str, value: object, most: int) -> list[str]:
    if type(value) is not list:
        raise InvalidInput(f"{field} is {_found(value)}; it must be an array of strings")
    texts: list[str] = value.copy()  # what another thread does to the list comes too late
    if len(texts) > most:
        raise InvalidInput(f"{field} has {len(texts)} segments; at most {most} are allowed")
    if not texts:
        raise InvalidInput(f"{field} is empty; it must have at least one segment")
    for i, text in enumerate(texts):
        if type(text) is not str:
            raise InvalidInput(f"{field}[{i}] is {_found(text)}; it must be a string")
    return texts


def _check_size(texts: dict[str, list[str]], most: int) -> None:
    total = 0
    for field, strings in texts.items():
        for i, text in enumerate(strings):
            # A code point has at least one byte: a text too long by itself is not encoded.
            if text.isascii() or len(text) > most:
                total += len(text)
            else:
                total += len(text.encode("utf-8", "surrogatepass"))
            if total > most:
                raise InvalidInput(
                    f"hypotheses and references have more than {most} bytes of UTF-8 together, "
                    f"which is the limit; {field}[{i}] exceeds it"
                )


def _check_surrogates(texts: dict[str, list[str]]) -> None:
    for field, strings in texts.items():
        for i, text in enumerate(strings):
            found = None if text.isascii() else _SURROGATE.search(text)
            if found:
                raise InvalidInput(
                    f"{field}[{i}] has the lone surrogate U+{ord(found[0]):04X} at position "
                    f"{found.start()}; it must be well-formed Unicode"
                )


def _check_orders(options: dict[str, Any]) -> None:
    char_order = options.get("char_order", Options.char_order)
    word_order = options.get("word_order", Options.word_order)
    if char_order == 0 and word_order == 0:
        raise InvalidInput("char_order and word_order are both 0; at least one must be positive")


def _option(name: str, value: object, allowed: dict[str, Any]) -> Any:
    """Return the value of an option if its schema allows it, an integer as an int."""
    if allowed["type"] == "integer":
        smallest, largest = allowed["minimum"], allowed["maximum"]
        number = _integer(value)
        if number is not None and smallest <= number <= largest:
            return number
        expected = f"an integer from {smallest} to {largest}"
    elif allowed["type"] == "boolean":
        if type(value) is bool:
            return value
        expected = "true or false"
    else:
        if type(value) is str and value in allowed["enum"]:
            return value
        expected = " or ".join(map(repr, allowed["enum"]))
    raise InvalidInput(f"{name} is {_found(value)}; it must be {expected}")


def _integer(value: object) -> int | None:
    """Return a value as an int where JSON has it as an integer: 2.0 is one, true is not."""
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():  # False for infinities and NaN
        return int(value)
    return None


def _found(value: object) -> str:
    """Show a value in a few printable ASCII characters, whatever it is."""
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is int:
        # Python raises for writing out an integer of more than 4,300 digits.
        return str(value) if abs(value) < 10**20 else "an integer of more than 20 digits"
    if type(value) is float:
        return repr(value)
    if type(value) is str:
        return ascii(value) if len(value) <= 40 else ascii(value[:40]) + "..."
    if type(value) is list:
        return "an array"
    if type(value) is dict:
        return "an object"
    # type.__repr__ reads the name without asking a metaclass for it.
    return type.__repr__(type(value))[:80].encode("ascii", "backslashreplace").decode()
