"""Results -> text in the format that the user chose."""

from __future__ import annotations

from collections.abc import Sequence

from chrf.core import exact
from chrf.report.layout import Layout
from chrf.report.results import Result


def render(results: Sequence[Result], layout: Layout) -> str:
    """Return all results in the layout's format, ending in a line feed."""
    if layout.score_only:
        numbers = [exact.decimal_text(result.score.fraction, layout.width) for result in results]
        return "\n".join(numbers) + "\n"
    # A run prints one format: the others are not worth the time of importing them.
    if layout.format == "json":
        from chrf.report.jsonlines import lines
    elif layout.format == "tsv":
        from chrf.report.tsv import lines
    elif layout.format == "latex":
        from chrf.report.latex import lines
    else:
        from chrf.report.text import lines
    return "\n".join(lines(results, layout)) + "\n"
