r"""Results as LaTeX tables for ``\usepackage{booktabs}``, the signatures as comments."""

from __future__ import annotations

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

SPECIAL = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
}


def lines(results: Sequence[Result], layout: Layout) -> list[str]:
    """Return the tables that the layout asks for."""
    shown = _tabular(scores_table(results, layout), layout.width)
    if has_pairs(results):
        shown += _tabular(pairs_table(results), layout.width)
    if layout.orders:
        for result in results:
            shown.append(f"% {one_line(full_name(result, results))}")
            shown += _tabular(orders_table(result.score, layout), layout.width)
    made = signatures(results, layout.short) + statistics_signatures(results)
    return shown + [f"% {line}" for line in legends(results) + made]


def _tabular(table: Table, width: int) -> list[str]:
    columns = "".join("l" if column.kind is Kind.TEXT else "r" for column in table.columns)
    return [
        f"\\begin{{tabular}}{{{columns}}}",
        "\\toprule",
        _row(table.names),
        "\\midrule",
        *map(_row, table.texts(width)),
        "\\bottomrule",
        "\\end{tabular}",
    ]


def _row(cells: list[str]) -> str:
    return " & ".join("".join(SPECIAL.get(c, c) for c in cell) for cell in cells) + " \\\\"
