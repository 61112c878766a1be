"""Lists of strings: checked, references taken apart, and counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from chrf.core.best import best_references
from chrf.core.blocks import Block
from chrf.core.checks import counted
from chrf.core.forms import strangers
from chrf.core.options import Options
from chrf.kernel import count as kernel
from chrf.kernel.text import lower_all

AT_LEAST_ONE = "a segment needs at least one reference"
EMPTY_HYPOTHESIS = "; give '' for an empty hypothesis, or leave the segment out on both sides"
NO_REFERENCE = "; each segment needs a reference: leave this one out on both sides"


@dataclass(slots=True)
class Segments:
    """Checked lists: hypothesis i belongs to the references ``starts[i]`` to ``starts[i + 1]``.

    With one reference per segment, `starts` is None and the two lists run side by side.
    """

    hypotheses: list[str]
    references: list[str]
    starts: list[int] | None = None

    def __len__(self) -> int:
        return len(self.hypotheses)

    def count(self, start: int, stop: int, options: Options, threads: int = 1) -> Block:
        """Count segments `start` up to `stop`, each with its best reference."""
        hypotheses, references, starts = self.hypotheses, self.references, None
        if self.starts is not None:
            starts = self.starts[start : stop + 1]
            hypotheses = repeated(hypotheses[start:stop], starts)
            references = references[starts[0] : starts[-1]]
            start, stop = 0, len(references)
        if options.lowercase:
            hypotheses = lower_all(hypotheses[start:stop])
            references = lower_all(references[start:stop])
            start, stop = 0, len(hypotheses)
        flat = kernel.count(
            hypotheses,
            references,
            start,
            stop,
            options.char_order,
            options.word_order,
            options.whitespace,
            threads,
        )
        return best_references(flat, starts, options)


def repeated(hypotheses: list[str], starts: list[int]) -> list[str]:
    """Return a list that has each hypothesis once for each of its references."""
    texts: list[str] = []
    for hypothesis, (a, b) in zip(hypotheses, pairwise(starts), strict=True):
        texts += [hypothesis] * (b - a)
    return texts


def read_segments(
    hypotheses: Iterable[str], references: Iterable[Any], *, least: int = 1
) -> Segments:
    """Check hypotheses and references of which there must be `least` or more.

    See `chrf.corpus_score` for what is raised.
    """
    hypothesis_list = as_list("hypotheses", hypotheses)
    reference_list = as_list("references", references, nested=True)
    plain = kernel.all_strings(reference_list)
    several = not plain and any(map(_is_group, reference_list))
    if len(hypothesis_list) != len(reference_list):
        raise ValueError(unequal_lengths(hypothesis_list, reference_list, several))
    if len(hypothesis_list) < least:
        raise ValueError("there are no segments: hypotheses and references are empty")
    check_strings("hypotheses", hypothesis_list, EMPTY_HYPOTHESIS)
    if several:
        return Segments(hypothesis_list, *_flattened(reference_list))
    if not plain:
        check_strings("references", reference_list, NO_REFERENCE)
    return Segments(hypothesis_list, reference_list)


def as_list(name: str, values: Any, *, nested: bool = False) -> list[Any]:
    """Take the values of an iterable once, in a list of our own."""
    if isinstance(values, (list, tuple)):
        return list(values)
    dimensions = getattr(values, "ndim", 1)
    if (
        isinstance(values, (str, bytes, bytearray, AbstractSet, Mapping))
        or has_columns(values)
        or (dimensions != 1 and not (nested and dimensions == 2))
    ):
        raise TypeError(strangers.no_list(name, values, nested=nested))
    try:
        return list(values)
    except TypeError:
        if hasattr(values, "__iter__"):
            raise
        raise TypeError(strangers.no_list(name, values, nested=nested)) from None


def has_columns(values: object) -> bool:
    """Return whether the values are a table of any library."""
    return hasattr(type(values), "columns")  # a pandas Series may have a row of that name


def has_lists(references: list[Any]) -> bool:
    """Return whether references come as a list per segment."""
    return not kernel.all_strings(references) and any(map(_is_group, references))


def check_strings(side: str, texts: list[Any], for_none: str = "") -> None:
    """Raise a TypeError that names the first item which is no string.

    `for_none` is what the message advises where the item is None.
    """
    if kernel.all_strings(texts):
        return
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(strangers.no_string(f"{side}[{i}]", text, for_none))


def unequal_lengths(hypotheses: list[Any], references: list[Any], several: bool) -> str:
    """Return the message for lists of unequal lengths; `several`: of lists of references."""
    message = (
        f"hypotheses has {counted(len(hypotheses), 'items')} but references has {len(references)}; "
        "each hypothesis needs its own"
    )
    if several and all(_length(group) == len(hypotheses) for group in references):
        message += (
            f". The references look transposed: one set of {len(hypotheses)} "
            f"strings after another, {len(references)} in all. "
            "Give one list per hypothesis: list(zip(*references))"
        )
    return message


def _flattened(groups: list[Any]) -> tuple[list[str], list[int]]:
    """Return the references of all segments in one list, and where those of each start."""
    flat: list[str] = []
    starts = [0]
    for i, group in enumerate(groups):
        if isinstance(group, str):
            raise TypeError(
                f"references[{i}] is a string, but others are lists; give one string per "
                "hypothesis, or one list of strings per hypothesis"
            )
        if group is None:
            raise ValueError(f"references[{i}] is None; {AT_LEAST_ONE}")
        strings = as_list(f"references[{i}]", group)
        if not kernel.all_strings(strings):
            strings = _present(f"references[{i}]", strings)
        if not strings:
            raise ValueError(f"references[{i}] is empty; {AT_LEAST_ONE}")
        flat += strings
        starts.append(len(flat))
    return flat, starts


def _present(name: str, items: list[Any]) -> list[str]:
    """Return the references of a segment without None, which stands for no reference."""
    strings = [item for item in items if item is not None]
    if not strings:
        raise ValueError(f"{name} has no reference: every item is None; {AT_LEAST_ONE}")
    if not kernel.all_strings(strings):
        check_strings(name, ["" if item is None else item for item in items])
    return strings


def _is_group(item: Any) -> bool:
    return hasattr(item, "__iter__") and not isinstance(item, (str, bytes, bytearray))


def _length(group: Any) -> int | None:
    try:
        return len(group)
    except TypeError:  # an iterator, an array without dimensions
        return None
