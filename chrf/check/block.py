"""Every rule over a block of rows, column by column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from chrf.check.characters import CHARACTER_RULES, check_column
from chrf.check.rule import Finding, Place, found_in
from chrf.check.sides import SIDE_RULES, Side, compare

RULES = {rule.id: rule for rule in (*CHARACTER_RULES, *SIDE_RULES)}

# By column and rule: what was found there.
Findings = dict[tuple[int, str], Finding]


def check_block(
    columns: Sequence[Sequence[str]],
    system_count: int,
    first: int = 0,
    whitespace: bool = False,
) -> Findings:
    r"""Return what every rule finds in a block of rows.

    Parameters
    ----------
    columns : sequence of sequence of str
        The systems, then the references, each with the same number of rows.
    system_count : int
        The number of columns that are systems; each is compared with all references.
    first : int
        The number of the block's first row, from which `Finding.first` counts.
    whitespace : bool
        Whether whitespace is kept when the texts are counted.

    Returns
    -------
    dict
        A `Finding` by column (its index in `columns`) and rule (its id), in that order, rules in
        the order of `RULES`.

    Examples
    --------
    >>> found = check_block([["don't", "\u200fcat"], ["don’t", "cat"]], system_count=1, first=5)
    >>> for (column, rule), finding in found.items():
    ...     print(column, rule, finding.first, finding)
    0 direction-mark 6 direction mark in 1 segment, here first: U+200F
    0 apostrophes 5 other apostrophes than the reference in 1 segment, here first: U+0027 for U+2019
    """
    sides = [Side.read(texts) for texts in columns]
    references = sides[system_count:]
    found: Findings = {}
    for column, side in enumerate(sides):
        for place in _places(side, references if column < system_count else [], whitespace):
            moved = place._replace(row=first + place.row)
            _add(found, (column, place.rule.id), found_in(moved))
    return sorted_findings(found)


def merge(
    found: Mapping[tuple[int, str], Finding], later: Mapping[tuple[int, str], Finding]
) -> Findings:
    """Return what was found in two parts of the same columns, the earlier part first."""
    merged = dict(found)
    for key, finding in later.items():
        _add(merged, key, finding)
    return sorted_findings(merged)


def sorted_findings(found: Findings) -> Findings:
    """Return the findings by column, then in the order of `RULES`."""
    order = list(RULES)
    return dict(sorted(found.items(), key=lambda item: (item[0][0], order.index(item[0][1]))))


def _places(side: Side, references: Sequence[Side], whitespace: bool) -> Iterator[Place]:
    yield from check_column(side.texts, whitespace, side.alphabet)
    if references:
        yield from compare(side, references)


def _add(found: Findings, key: tuple[int, str], finding: Finding) -> None:
    found[key] = found[key] + finding if key in found else finding
