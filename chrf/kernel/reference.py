"""The twin: text -> counts in plain Python, written to be read.

It has the kernel's functions and must return the same integers and raise the same exceptions for
every input. It imports nothing compiled, and nothing but tests and benchmarks imports it.
"""

from __future__ import annotations

from array import array
from collections import Counter
from typing import Any

from chrf.kernel.text import WHITESPACE, words


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
    """Count the n-grams of segments ``start`` up to ``stop``; see ``chrf.kernel.count.count``."""
    if not 0 <= start <= stop <= min(len(hypotheses), len(references)):
        raise ValueError("start and stop must be positions in both lists")
    counts = array("q")
    for side, texts in (("hypotheses", hypotheses), ("references", references)):
        for index in range(start, stop):
            if not isinstance(texts[index], str):
                found = type(texts[index]).__name__
                raise TypeError(f"{side}[{index}] is {found}, not a string")
    for index in range(start, stop):
        hypothesis, reference = hypotheses[index], references[index]
        for order in range(1, char_order + 1):
            counts.extend(
                _compare(
                    _ngrams(_characters(hypothesis, whitespace), order),
                    _ngrams(_characters(reference, whitespace), order),
                )
            )
        for order in range(1, word_order + 1):
            counts.extend(
                _compare(_ngrams(words(hypothesis), order), _ngrams(words(reference), order))
            )
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
    """Count segments that stand in blocks of UTF-8; see ``chrf.kernel.count.count_fields``."""
    sides = (hypothesis_spans, reference_spans)
    if len(hypothesis_spans) != len(reference_spans):
        numbers = [len(spans) // 2 for spans in sides]
        raise ValueError(f"there are {numbers[0]} hypotheses but {numbers[1]} references")
    texts: list[list[str]] = [[], []]
    names, blocks = ("hypotheses", "references"), (hypotheses, references)
    for name, block, spans, side in zip(names, blocks, sides, texts, strict=True):
        if spans.typecode != "q":
            raise ValueError(f"the spans of {name} have the type {spans.typecode!r}, not 'q'")
        for index, (begin, end) in enumerate(zip(spans[0::2], spans[1::2], strict=True)):
            if not 0 <= begin <= end <= len(block):
                raise ValueError(f"{name}[{index}] lies outside of the block")
            side.append(block[begin:end].decode())
    return count(texts[0], texts[1], 0, len(texts[0]), char_order, word_order, whitespace)


def all_strings(items: list[Any]) -> bool:
    """Whether every item is a str; see ``chrf.kernel.count.all_strings``."""
    return all(type(item) is str for item in items)


def add_up(counts: array[int], orders: int) -> tuple[list[int], list[int], int]:
    """Add up the segments' counts; see ``chrf.kernel.count.add_up``."""
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


def _characters(text: str, whitespace: bool) -> list[str]:
    return [c for c in text if whitespace or c not in WHITESPACE]


def _ngrams(symbols: list[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(symbols[i : i + order]) for i in range(len(symbols) - order + 1))


def _compare(
    hypothesis: Counter[tuple[str, ...]], reference: Counter[tuple[str, ...]]
) -> tuple[int, int, int]:
    matching = sum(min(n, hypothesis[ngram]) for ngram, n in reference.items())
    return hypothesis.total(), reference.total(), matching
