"""What is said beside the scores, one line each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chrf.core import exact
from chrf.core.checks import counted
from chrf.core.mean import MeanScore
from chrf.core.score import Score
from chrf.files.marks import Marks
from chrf.report.layout import DEFAULT_WIDTH, Layout
from chrf.report.results import Result, full_name, several_files

NOTED = 5  # systems that the note about the rules lists
LEFT_OUT = " and left out"
COUNTED = " and counted as empty (--missing-reference skip leaves such out)"
NAMED = 8  # columns that the note about a header lists

# What people call columns, in any case: "refA", "ref_1", "Hypothesis" and the like.
NAME = re.compile(
    r"(hyps?|hypothes[ie]s|mt|sys|system|outputs?|candidates?|predictions?|preds?|translations?"
    r"|targets?|tgt|trg|refs?|references?|human|gold|srcs?|sources?)([ _-]?([A-Za-z]|[0-9]{1,3}))?",
    re.IGNORECASE,
)


def header_note(file: str, first_row: Sequence[str]) -> str | None:
    """Say that the first row of a table looks like names of columns; else return None.

    A row that has the same word everywhere may be a text and its translation.
    """
    words = [text.strip().strip('"') for text in first_row]
    if not all(map(NAME.fullmatch, words)) or len({word.casefold() for word in words}) < 2:
        return None
    listed = ", ".join(words[:NAMED]) + ", ..." * (len(words) > NAMED)
    return (
        f"note: {file}:1: the first row ({listed}) looks like names of columns, and is scored as "
        "a segment; with --header it names them"
    )


def quoting_note(marks: Marks) -> str | None:
    """Say that rows look as if CSV had quoted them; None without any."""
    count, first = marks.quoted.count, marks.quoted.first
    if not count:
        return None
    return (
        f"note: {count} row{'s have' if count > 1 else ' has'} a field in quotes with doubled "
        f"quotes inside, first at {first}; they are scored as text. If pandas or csv wrote the "
        "table, use --quoting csv"
    )


def blank_note(marks: Marks, missing: str) -> str | None:
    """Say that texts are blank, and what becomes of references that are; None without any."""
    parts = []
    for side, spots, then in (
        ("reference", marks.references, LEFT_OUT if missing == "skip" else COUNTED),
        ("hypothesis", marks.hypotheses, ""),
    ):
        if spots.count == 1:
            parts.append(f"1 {side} is blank{then}, at {spots.first}")
        elif spots.count:
            many = f"{spots.count} {side.replace('esis', 'ese')}s are blank"
            parts.append(f"{many}{then}, first at {spots.first}")
    if not parts:
        return None
    return f"note: {'; '.join(parts)}"


def rule_note(results: Sequence[Result], layout: Layout) -> str | None:
    """Say what the other rule gives, where it would print another score; else return None."""
    width = DEFAULT_WIDTH if layout.format == "json" else layout.width

    def text(score: Score | MeanScore) -> str:
        return exact.decimal_text(score.fraction, width)

    changed = [result for result in results if text(result.other) != text(result.score)]
    if not changed:
        return None
    first = changed[0]
    gives = f"rule {first.other.rule} gives"
    if len(results) == 1:
        have = "has" if first.short == 1 else "have"
        return (
            f"note: {first.short} of {counted(first.score.segment_count, 'segments')} {have} a "
            f"reference too short for an n-gram order; {gives} {text(first.other)}"
        )
    listed = ", ".join(
        f"{full_name(result, results)} {text(result.other)} "
        f"({result.short} of {counted(result.score.segment_count, 'segments')})"
        for result in changed[:NOTED]
    )
    if len(changed) > NOTED:
        listed += f", and others to {len(changed) - NOTED} more"
    return f"note: some references are too short for an n-gram order; {gives} {listed}"


def standing_notes(results: Sequence[Result]) -> list[str]:
    """Say what is to be said of the statistics of a file, once for each."""
    noted = {result.file: result.standing.note for result in results if result.standing.note}
    if not several_files(results):
        return [f"note: {note}" for note in list(noted.values())[:1]]
    return [f"note: {file}: {note}" for file, note in noted.items()]


def resolution_notes(results: Sequence[Result]) -> list[str]:
    """Say why no difference can be significant, for each test where none can."""
    tests = {id(result.standing.compared): result for result in reversed(results)}
    return [
        f"note: {f'{result.file}: ' * (len(tests) > 1)}{compared.unresolved}"
        for result in reversed(tests.values())
        if (compared := result.standing.compared) and compared.unresolved
    ]
