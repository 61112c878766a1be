"""The twin: text -> counts in plain Python, written to be read.

`count_pair` says what is counted. Below it stand the kernel's functions, with their checks: they
must return the same integers and raise the same exceptions for every input. The twin imports
nothing compiled, and nothing but tests and benchmarks imports it.
"""

from __future__ import annotations

from array import array
from collections import Counter
from typing import Any

from chrf.kernel.text import WHITESPACE, words


def count_pair(
    hypothesis: str, reference: str, char_order: int, word_order: int, whitespace: bool
) -> list[int]:
    """Count the n-grams of one segment: (hypothesis, reference, matching) for each order."""
    texts = hypothesis, reference
    characters = [[c for c in text if whitespace or c not in WHITESPACE] for text in texts]
    counts: list[int] = []
    for symbols, longest in ((characters, char_order), ([*map(words, texts)], word_order)):
        for order in range(1, longest + 1):
            ours, theirs = (ngrams(side, order) for side in symbols)
            clipped = ours & theirs  # of each n-gram the smaller number
            counts += ours.total(), theirs.total(), clipped.total()
    return counts


def ngrams(symbols: list[str], order: int) -> Counter[tuple[str, ...]]:
    """Count the runs of `order` symbols: characters, or words."""
    return Counter(tuple(symbols[i : i + order]) for i in range(len(symbols) - order + 1))


# --- the kernel's functions -----------------------------------------------------------------------


def count(
    hypotheses: list[str],
    references: list[str],
    start: int,
    stop: int,
    char_order: int,
    word_order: int,
    whitespace: bool,
    threads: int = 1,
) -> array[int]:
    """Count the n-grams of segments `start` up to `stop`; see `chrf.kernel.count.count`."""
    if not 0 <= start <= stop <= min(len(hypotheses), len(references)):
        raise ValueError("start and stop must be positions in both lists")
    for side, texts in (("hypotheses", hypotheses), ("references", references)):
        for index in range(start, stop):
            if not isinstance(texts[index], str):
                found = type(texts[index]).__name__
                raise TypeError(f"{side}[{index}] is {found}, not a string")
    if min(char_order, word_order) < 0 or char_order + word_order > 14:
        raise ValueError(
            f"char_order is {char_order} and word_order {word_order}; "
            "there can be 0 to 14 orders in all"
        )
    counts = array("q")
    for i in range(start, stop):
        counts.extend(count_pair(hypotheses[i], references[i], char_order, word_order, whitespace))
    return counts


def count_fields(
    hypotheses: bytes,
    hypothesis_spans: array[int],
    references: bytes,
    reference_spans: array[int],
    char_order: int,
    word_order: int,
    whitespace: bool,
) -> array[int]:
    """Count segments that stand in blocks of UTF-8; see `chrf.kernel.count.count_fields`."""
    if len(hypothesis_spans) != len(reference_spans):
        numbers = len(hypothesis_spans) // 2, len(reference_spans) // 2
        raise ValueError(f"there are {numbers[0]} hypotheses but {numbers[1]} references")
    ours = _fields("hypotheses", hypotheses, hypothesis_spans)
    theirs = _fields("references", references, reference_spans)
    return count(ours, theirs, 0, len(ours), char_order, word_order, whitespace)


def all_strings(items: list[Any]) -> bool:
    """Return whether every item is a str, and not of a subclass."""
    return all(type(item) is str for item in items)


def add_up(counts: array[int], orders: int) -> tuple[list[int], list[int], int]:
    """Add up the segments' counts; see `chrf.kernel.count.add_up`."""
    if counts.typecode != "q" or not 0 < orders <= 14 or len(counts) % (3 * orders):
        raise ValueError(f"{len(counts)} counts do not make rows of {orders} orders")
    sums, left_out, short = [0] * (3 * orders), [0] * orders, 0
    for start in range(0, len(counts), 3 * orders):
        row = counts[start : start + 3 * orders]
        sums = [a + b for a, b in zip(sums, row, strict=True)]
        lacking = [h if r == 0 else 0 for h, r in zip(row[0::3], row[1::3], strict=True)]
        left_out = [a + b for a, b in zip(left_out, lacking, strict=True)]
        short += any(lacking)
    return sums, left_out, short


def _fields(side: str, block: bytes, spans: array[int]) -> list[str]:
    """Decode the parts of the block that the pairs in `spans` begin and end."""
    if spans.typecode != "q":
        raise ValueError(f"the spans of {side} have the type {spans.typecode!r}, not 'q'")
    texts = []
    for index, (begin, end) in enumerate(zip(spans[0::2], spans[1::2], strict=True)):
        if not 0 <= begin <= end <= len(block):
            raise ValueError(f"{side}[{index}] lies outside of the block")
        texts.append(block[begin:end].decode())
    return texts
