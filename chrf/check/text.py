"""Characters in a segment that a reader does not see, and that n-grams do."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from chrf.files.lines import BYTE_ORDER_MARK

ZERO_WIDTH = frozenset("\u200b\u200c\u200d\u2060\u180e\u00ad")


def findings(text: str) -> Iterator[str]:
    """Yield what a careful reader would want to know of a segment before believing its score.

    Yields
    ------
    str
        Any of ``"not NFC"``, ``"byte-order mark"``, ``"zero-width character"`` and
        ``"carriage return"``, each at most once.
    """
    if text.isascii():
        if "\r" in text:
            yield "carriage return"
        return
    if not unicodedata.is_normalized("NFC", text):
        yield "not NFC"
    if BYTE_ORDER_MARK in text:
        yield "byte-order mark"
    if not ZERO_WIDTH.isdisjoint(text):
        yield "zero-width character"
    if "\r" in text:
        yield "carriage return"
