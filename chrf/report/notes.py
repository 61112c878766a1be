"""What is said beside the scores, in one line."""

from __future__ import annotations

from collections.abc import Sequence

from chrf.core import exact
from chrf.core.mean import MeanScore
from chrf.core.score import Score
from chrf.report.layout import DEFAULT_WIDTH, Layout
from chrf.report.results import Result, full_name, several_files

NOTED = 5  # systems that the note about the rules lists


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
            f"note: {first.short} of {first.score.segment_count} segments {have} a reference too "
            f"short for an n-gram order; {gives} {text(first.other)}"
        )
    listed = ", ".join(
        f"{full_name(result, results)} {text(result.other)} "
        f"({result.short} of {result.score.segment_count} segments)"
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
