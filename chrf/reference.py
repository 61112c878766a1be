"""The twin: text -> counts in plain Python, written to be read.

It has the kernel's functions and must return the same integers and raise the same exceptions for
every input. It imports nothing compiled, and nothing but tests and benchmarks imports it.
"""

from __future__ import annotations

from array import array
from collections import Counter

from chrf.text import WHITESPACE, words


def count(
    hypotheses: list[str],
    references: list[str],
    start: int,
    stop: int,
    char_order: int,
    word_order: int,
    whitespace: bool,
) -> array[int]:
    """Count the n-grams of segments ``start`` up to ``stop``; see ``chrf._kernel.count``."""
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


def _characters(text: str, whitespace: bool) -> list[str]:
    return [c for c in text if whitespace or c not in WHITESPACE]


def _ngrams(symbols: list[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(symbols[i : i + order]) for i in range(len(symbols) - order + 1))


def _compare(
    hypothesis: Counter[tuple[str, ...]], reference: Counter[tuple[str, ...]]
) -> tuple[int, int, int]:
    matching = sum(min(n, hypothesis[ngram]) for ngram, n in reference.items())
    return hypothesis.total(), reference.total(), matching
