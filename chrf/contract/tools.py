"""The contracts chrf-compute, chrf-plus-plus-compute and chrf-components: plain dicts in and out.

The input holds what ``json.loads`` makes (dict, list, str, int, float, bool, None) and nothing
else: a tuple, a numpy integer or a subclass of one of these is refused. So no code of the caller's
runs in here, and an input that is not right can only raise `InvalidInput`.

`CONTRACTS` holds the machine-readable contract of each id, as plain JSON values that share
nothing with each other. Copy one (``copy.deepcopy``) before adding to it; the functions do not read
it again, so nothing that is done to it changes what they accept or return.
"""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

from chrf.contract.schemas import CONTRACTS
from chrf.core import exact
from chrf.core.options import Options
from chrf.core.score import Score, counts
from chrf.kernel.text import lower_all, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CONTRACTS = copy.deepcopy(CONTRACTS)
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

    code = "invalid_input"


def chrf_compute(input: dict[str, Any]) -> dict[str, Any]:
    """The exact chrF of a corpus and of each segment, as contract chrf-compute 1.0.0 has it.

    Parameters
    ----------
    input : dict
        ``hypotheses`` and ``references``, lists of 1 to 256 strings, of as many each and at most
        65,536 bytes of UTF-8 together; optionally ``beta``, an integer from 1 to 16 (default 2),
        and ``lowercase`` (default False). It is only read.

    Returns
    -------
    dict
        As ``CONTRACTS["chrf-compute"]["output_schema"]`` says, its keys in that order. Scores
        are 0 to 100, six decimals of the exact value, ties to even.

    Raises
    ------
    InvalidInput
        The first check that fails, in the contract's order, decides the message.

    Examples
    --------
    >>> output = chrf_compute({"hypotheses": ["aa", "b"], "references": ["ab", "b"], "beta": 3})
    >>> output["score"], output["score_fraction"], output["segment_scores"]
    ('33.333333', '100/3', ['25.000000', '100.000000'])
    """
    score, counted = _scored(*_checked("chrf-compute", input))
    return _output("chrf-compute", _computed("chrF", score, counted))


def chrf_plus_plus_compute(input: dict[str, Any]) -> dict[str, Any]:
    """The exact chrF++ of a corpus and of each segment, with the words it scored.

    The contract chrf-plus-plus-compute 1.0.0 is this project's own, after chrf-compute.

    Parameters
    ----------
    input : dict
        As for `chrf_compute`. It is only read.

    Returns
    -------
    dict
        As ``CONTRACTS["chrf-plus-plus-compute"]["output_schema"]`` says, its keys in that order:
        those of `chrf_compute`, then ``hypothesis_tokens`` and ``reference_tokens``, a list of
        word tokens for each segment.

    Raises
    ------
    InvalidInput
        The first check that fails, in the contract's order, decides the message.

    Examples
    --------
    >>> output = chrf_plus_plus_compute({"hypotheses": ["a bee."], "references": ["a bed."]})
    >>> output["score"], output["score_fraction"]
    ('32.857143', '230/7')
    >>> output["hypothesis_tokens"]
    [['a', 'bee', '.']]
    """
    hypotheses, references, options = _checked("chrf-plus-plus-compute", input)
    score, counted = _scored(hypotheses, references, options)
    values = _computed("chrF++", score, counted)
    for name, texts in (("hypothesis_tokens", hypotheses), ("reference_tokens", references)):
        values[name] = list(map(words, lower_all(texts) if score.options.lowercase else texts))
    return _output("chrf-plus-plus-compute", values)


def chrf_components(input: dict[str, Any]) -> dict[str, Any]:
    """What a chrF or chrF++ score is made of, as contract chrf-components 1.0.0 has it.

    Parameters
    ----------
    input : dict
        ``hypotheses`` and ``references`` as for `chrf_compute`; optionally ``char_order`` (0 to
        10, default 6), ``word_order`` (0 to 4, default 0), not both 0, ``beta`` (1 to 16, default
        2), ``lowercase`` and ``include_whitespace`` (default False), and ``averaging``
        (``"precision_recall"``, the default, or ``"per_order_f"``). It is only read.

    Returns
    -------
    dict
        As ``CONTRACTS["chrf-components"]["output_schema"]`` says, its keys in that order.
        Fractions are exact and reduced; the score is 0 to 100, everything else 0 to 1.

    Raises
    ------
    InvalidInput
        The first check that fails, in the contract's order, decides the message.

    Examples
    --------
    >>> output = chrf_components({"hypotheses": ["a bee"], "references": ["a bed"],
    ...                           "char_order": 2, "word_order": 1})
    >>> output["score"], output["average_precision"]
    ('63.888889', '23/36')
    >>> output["orders"][2]["type"], output["orders"][2]["matching_ngrams"]
    ('word', 1)
    """
    score, _ = _scored(*_checked("chrf-components", input))
    return _output("chrf-components", score.to_dict())


def _scored(
    hypotheses: list[str], references: list[str], options: dict[str, Any]
) -> tuple[Score, NDArray[np.int64]]:
    """The corpus score and the counts [segments, orders, 3] it is the sum of."""
    counted = counts(hypotheses, references, **options)
    totals = tuple((h, r, m) for h, r, m in counted.sum(axis=0).tolist())
    return Score(totals, Options(**options), len(hypotheses)), counted


def _computed(metric: str, score: Score, counted: NDArray[np.int64]) -> dict[str, Any]:
    """What the two compute contracts have in common, under the metric's name for every beta."""
    options = score.options
    return {
        "metric": metric,
        "char_order": options.char_order,
        "word_order": options.word_order,
        "beta": options.beta,
        "lowercase": options.lowercase,
        "segment_count": score.segment_count,
        "score": str(score),
        "score_fraction": exact.fraction_text(score.fraction),
        "segment_scores": exact.row_decimals(counted, exact.row_scores(counted, options), options),
    }


def _output(contract: str, values: dict[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in _CONTRACTS[contract]["output_schema"]["properties"]}


# --- validation, in the contracts' order --------------------------------------------------------


def _checked(contract: str, input: Any) -> tuple[list[str], list[str], dict[str, Any]]:
    """The texts and the keywords of `chrf.Options`; the first check that fails raises."""
    schema, limits = _CONTRACTS[contract]["input_schema"], _CONTRACTS[contract]["limits"]
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
    """The value of an option if its schema allows it, an integer as an int."""
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
    """The value as an int where JSON has it as an integer: 2.0 is one, true is not."""
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():  # False for infinities and NaN
        return int(value)
    return None


def _found(value: object) -> str:
    """A value in a few printable ASCII characters, whatever it is."""
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is int:
        # Python refuses to write out an integer of more than 4,300 digits.
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
