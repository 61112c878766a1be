"""What a rule is, and what it finds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

KEPT = 3  # of the different things found, how many a finding names


@dataclass(frozen=True, kw_only=True, eq=False)
class Rule:
    """One thing that spoils a score: what it is, why it matters, and what to do about it.

    There is one object for each rule, and two are equal only if they are the same.

    The page of the rules, docs/check.md, has a section for each, with these sentences.
    """

    id: str
    summary: str  # as it is reported: "direction mark"
    finds: str
    why: str
    example: tuple[str, str]  # a hypothesis and a reference; the rule finds something in them
    fix: str
    characters: str = ""  # the inside of a class of `re`; empty where no class says it
    whitespace: bool = False  # matters only where whitespace is kept
    names: bool = True  # whether a finding's text names the characters


class Place(NamedTuple):
    """What a rule found in one row."""

    rule: Rule
    row: int
    found: tuple[str, ...]  # code points, as "U+200F"; of two sides "U+2019 for U+0027"


@dataclass(frozen=True)
class Finding:
    """What a rule found in a column: the number of rows, the first one, and a few characters.

    Findings of the parts of a column add up, the earlier part on the left.
    """

    rule: Rule
    count: int
    first: int
    found: tuple[str, ...]  # in order of appearance
    others: bool = False  # whether more was found than `found` names

    def __add__(self, later: Finding) -> Finding:
        """Return the finding of both parts."""
        found, others = few(self.found + later.found)
        return Finding(
            self.rule,
            self.count + later.count,
            self.first,
            found,
            others or self.others or later.others,
        )

    def __str__(self) -> str:
        """Return one line: what, in how many segments, and which characters.

        >>> print(Finding(Rule(id="x", summary="x mark", finds="", why="", example=("", ""),
        ...                    fix=""), 2, 7, ("U+200F",)))
        x mark in 2 segments, here first: U+200F
        """
        line = f"{self.rule.summary} in {self.count} segment{'s' * (self.count > 1)}, here first"
        if not self.rule.names or not self.found:
            return line
        return f"{line}: {', '.join(self.found)}{', ...' * self.others}"


def found_in(place: Place) -> Finding:
    """Return the finding of one row."""
    return Finding(place.rule, 1, place.row, *few(place.found))


def few(found: Iterable[str]) -> tuple[tuple[str, ...], bool]:
    """Return the first few different items, and whether there are others."""
    different = tuple(dict.fromkeys(found))
    return different[:KEPT], len(different) > KEPT


def code_points(characters: Iterable[str]) -> tuple[str, ...]:
    r"""Return the names of the characters, in their order.

    >>> code_points("a\u200f")
    ('U+0061', 'U+200F')
    """
    return tuple(f"U+{ord(character):04X}" for character in characters)
