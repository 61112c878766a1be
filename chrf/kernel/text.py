"""What counts as whitespace and punctuation, and lower-casing.

The kernel has the same two sets in C; a test compares them code point by code point.
"""

from __future__ import annotations

from collections.abc import Sequence

# Exactly the code points on which Python 3's str.split() splits, as the contracts list them.
WHITESPACE = frozenset(
    map(
        chr,
        (
            *range(0x09, 0x0E),
            *range(0x1C, 0x21),
            0x85,
            0xA0,
            0x1680,
            *range(0x2000, 0x200B),
            0x2028,
            0x2029,
            0x202F,
            0x205F,
            0x3000,
        ),
    )
)

# string.punctuation, the marks that chrF++.py splits off; no other punctuation is split.
PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def lower_all(texts: Sequence[str]) -> list[str]:
    """Return each text in Unicode's default full lower case; a final sigma depends on the text."""
    return [str.lower(text) for text in texts]


def words(text: str) -> list[str]:
    """Return the word tokens of chrF++.py (Popovic 2017): a mark off the end, else off the start.

    >>> words('(hi) wait... "Yes." !')
    ['(hi', ')', 'wait..', '.', '"Yes.', '"', '!']
    """
    tokens: list[str] = []
    for word in "".join(" " if c in WHITESPACE else c for c in text).split(" "):
        if len(word) > 1 and word[-1] in PUNCTUATION:
            tokens += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in PUNCTUATION:
            tokens += [word[0], word[1:]]
        elif word:
            tokens.append(word)
    return tokens
