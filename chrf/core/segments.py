"""Checks the texts that a public function is given, and takes references apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from chrf.kernel import count as kernel

if TYPE_CHECKING:
    from chrf.kernel.prepared import References


@dataclass(slots=True)
class Segments:
    """Checked input: hypothesis i belongs to the references ``starts[i]`` to ``starts[i + 1]``.

    With one reference per segment, `starts` is None and the two lists run side by side.
    """

    hypotheses: list[str]
    references: list[str]
    starts: list[int] | None = None
    prepared: References | None = None  # the references, if a scorer has prepared them

    def __len__(self) -> int:
        return len(self.hypotheses)

    @property
    def reference_count(self) -> int | None:
        """References per segment; None where it varies."""
        if self.starts is None:
            return 1
        numbers = {b - a for a, b in pairwise(self.starts)}
        return numbers.pop() if len(numbers) == 1 else None


def read_segments(hypotheses: Iterable[str], references: Iterable[Any]) -> Segments:
    """Check the arguments of a public function; see `chrf.corpus_score` for what is refused."""
    hypothesis_list = as_list("hypotheses", hypotheses)
    reference_list = as_list("references", references, nested=True)
    several = has_lists(reference_list)
    if len(hypothesis_list) != len(reference_list):
        raise ValueError(unequal_lengths(hypothesis_list, reference_list, several))
    if not hypothesis_list:
        raise ValueError("there are no segments: hypotheses and references are empty")
    check_strings("hypotheses", hypothesis_list)
    if not several:
        check_strings("references", reference_list)
        return Segments(hypothesis_list, reference_list)
    flat: list[str] = []
    starts = [0]
    for i, group in enumerate(reference_list):
        if isinstance(group, str):
            raise TypeError(
                f"references[{i}] is a string, but others are lists; give one string per "
                "hypothesis, or one list of strings per hypothesis"
            )
        strings = as_list(f"references[{i}]", group)
        if not strings:
            raise ValueError(f"references[{i}] is empty; a segment needs at least one reference")
        check_strings(f"references[{i}]", strings)
        flat += strings
        starts.append(len(flat))
    return Segments(hypothesis_list, flat, starts)


def as_list(name: str, values: Any, *, nested: bool = False) -> list[Any]:
    """The values of an iterable, taken once, in a list of our own."""
    if isinstance(values, (list, tuple)):
        return list(values)
    expected = "a list of strings" + (", or of lists of strings" if nested else "")
    if isinstance(values, (str, bytes, bytearray)):
        raise TypeError(f"{name} is a single {type(values).__name__}; give {expected}")
    if isinstance(values, (AbstractSet, Mapping)):
        raise TypeError(f"{name} is a {type(values).__name__}, which has no order; give {expected}")
    dimensions = getattr(values, "ndim", 1)
    # Of the type: an attribute of a pandas Series may be one of its rows.
    if hasattr(type(values), "columns") or (dimensions != 1 and not (nested and dimensions == 2)):
        raise TypeError(
            f"{name} is a {type(values).__name__} of several columns or none; give {expected}"
        )
    try:
        return list(values)
    except TypeError:
        if hasattr(values, "__iter__"):
            raise
        raise TypeError(f"{name} is {type(values).__name__}; give {expected}") from None


def has_lists(references: list[Any]) -> bool:
    """Whether references come as a list per segment."""
    if kernel.all_strings(references):
        return False
    return any(not isinstance(item, str) and _is_group(item) for item in references)


def _is_group(item: Any) -> bool:
    return hasattr(item, "__iter__") and not isinstance(item, (bytes, bytearray))


def unequal_lengths(hypotheses: list[Any], references: list[Any], several: bool) -> str:
    message = (
        f"hypotheses has {len(hypotheses)} items but references has {len(references)}; "
        "each hypothesis needs its own"
    )
    if several and all(_length(group) == len(hypotheses) for group in references):
        message += (
            f". The references look transposed: one set of {len(hypotheses)} "
            f"strings after another, {len(references)} in all. "
            "Give one list per hypothesis: list(zip(*references))"
        )
    return message


def _length(group: Any) -> int | None:
    try:
        return len(group)
    except TypeError:  # an iterator, an array without dimensions
        return None


def check_strings(side: str, texts: list[Any]) -> None:
    if kernel.all_strings(texts):
        return
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"{side}[{i}] is {type(text).__name__}, not a string")
