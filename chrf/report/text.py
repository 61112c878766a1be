"""Results as aligned tables, to be read on a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from chrf.files.output import one_line
from chrf.report.layout import Layout
from chrf.report.results import (
    Result,
    full_name,
    legends,
    signatures,
    statistics_signatures,
)
from chrf.report.table import Kind, Table, has_pairs, orders_table, pairs_table, scores_table


def lines(results: Sequence[Result], layout: Layout) -> list[str]:
    """Return the tables that the layout asks for, the signatures under the scores."""
    shown = _aligned(scores_table(results, layout), layout.width)
    made = signatures(results, layout.short) + statistics_signatures(results)
    shown += ["", *legends(results), *made]
    if has_pairs(results):
        shown += ["", *_aligned(pairs_table(results), layout.width)]
    if layout.orders:
        for result in results:
            table = orders_table(result.score, layout)
            shown += ["", one_line(full_name(result, results)), *_aligned(table, layout.width)]
    return shown


def _aligned(table: Table, width: int) -> list[str]:
    """Align columns under their names: words to the left, numbers to the right."""
    rows = [table.names, *table.texts(width)]
    widths = [max(map(_columns, cells)) for cells in zip(*rows, strict=True)]
    left = [column.kind is Kind.TEXT for column in table.columns]

    def padded(cell: str, width: int, to_left: bool) -> str:
        space = " " * (width - _columns(cell))
        return cell + space if to_left else space + cell

    return ["  ".join(map(padded, row, widths, left)).rstrip() for row in rows]


def _columns(text: str) -> int:
    """Count the columns of a terminal that the text fills."""
    shown = [c for c in text if unicodedata.category(c) not in ("Mn", "Me", "Cf")]
    return len(shown) + sum(unicodedata.east_asian_width(c) in "WF" for c in shown)
