"""Checks the texts that sacreBLEU's interface takes: sequences of strings, and streams of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chrf.core.checks import counted


@dataclass(frozen=True)
class ReferenceStreams:
    """Checked streams of references: each has an item for each segment, None where one is missing.

    Attributes
    ----------
    streams : list of lists of str or None
    number : int
        References per segment; -1 where it varies.
    """

    streams: list[list[Any]]
    number: int

    def __len__(self) -> int:
        return len(self.streams[0])


def read_references(references: Sequence[Sequence[str | None]]) -> ReferenceStreams:
    """Read streams of references; raise where a segment has none, or lengths differ."""
    streams = [
        read_texts(f"references[{r}]", stream, missing=True)
        for r, stream in enumerate(_sequence("references", references, "lists of strings"))
    ]
    if not streams:
        raise ValueError("references is empty; give at least one list of strings")
    for r, stream in enumerate(streams):
        if len(stream) != len(streams[0]):
            raise ValueError(
                f"references[{r}] has {counted(len(stream), 'items')} but references[0] has "
                f"{len(streams[0])}"
            )
    if not any(None in stream for stream in streams):
        return ReferenceStreams(streams, len(streams))
    numbers = [sum(text is not None for text in texts) for texts in zip(*streams, strict=True)]
    if 0 in numbers:
        i = numbers.index(0)
        raise ValueError(f"segment {i} has no reference: references[r][{i}] is None for every r")
    return ReferenceStreams(streams, numbers[0] if len(set(numbers)) == 1 else -1)


def read_texts(name: str, values: object, *, missing: bool = False) -> list[Any]:
    """Return the strings of a sequence in a list of our own; with `missing`, None may be one."""
    texts = _sequence(name, values, "strings")
    allowed = (str, type(None)) if missing else (str,)
    if not set(map(type, texts)).issubset(allowed):
        for i, text in enumerate(texts):
            if not isinstance(text, allowed):
                raise TypeError(f"{name}[{i}] is {type(text).__name__}, not a string")
    return texts


def _sequence(name: str, values: object, items: str) -> list[Any]:
    if isinstance(values, (str, bytes, bytearray)):
        raise TypeError(f"{name} is a single {type(values).__name__}; give a list of {items}")
    if not isinstance(values, Sequence):
        raise TypeError(f"{name} is {type(values).__name__}; give a list of {items}")
    return list(values)
