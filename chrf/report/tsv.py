"""Results as one tab-separated table with a header, under names without spaces."""

from __future__ import annotations

from collections.abc import Sequence

from chrf.report.layout import Layout
from chrf.report.results import Result, score_signature
from chrf.report.table import (
    Column,
    Kind,
    Row,
    Table,
    has_pairs,
    make_table,
    pairs_table,
    statistics_cells,
)


def lines(results: Sequence[Result], layout: Layout) -> list[str]:
    """Return the table of orders, of pairs or of scores: there is room for one."""
    if layout.orders:
        table = _orders(results, layout)
    elif has_pairs(results):
        table = pairs_table(results)
    else:
        table = _scores(results, layout)
    names = [name.replace(" ", "_") for name in table.names]
    return ["\t".join(row) for row in [names, *table.texts(layout.width)]]


def _scores(results: Sequence[Result], layout: Layout) -> Table:
    def row(result: Result) -> Row:
        score = result.score
        cells: Row = [
            (Column("file", Kind.TEXT), result.file),
            (Column("system", Kind.TEXT), result.system),
            (Column("metric", Kind.TEXT), score.name),
            (Column("score", Kind.DECIMAL), score.fraction),
        ]
        if layout.fractions:
            cells.append((Column("score_fraction", Kind.FRACTION), score.fraction))
        return [
            *cells,
            *statistics_cells(result.standing),
            (Column("segment_count", Kind.INTEGER), score.segment_count),
            (Column("reference_count", Kind.INTEGER, missing="var"), score.reference_count),
            (Column("tied_segments", Kind.INTEGER), score.tied_segments),
            (Column("rule", Kind.TEXT), score.rule),
            (Column("signature", Kind.TEXT), score_signature(score, layout.short)),
        ]

    return make_table(map(row, results))


def _orders(results: Sequence[Result], layout: Layout) -> Table:
    """Make one row per order, under the contract's names; what has no value is empty."""
    return make_table(
        [
            (Column("file", Kind.TEXT), result.file),
            (Column("system", Kind.TEXT), result.system),
            (Column("type", Kind.TEXT), order.type),
            (Column("n", Kind.INTEGER), order.n),
            (Column("hypothesis_ngrams", Kind.INTEGER), order.hypothesis_ngrams),
            (Column("reference_ngrams", Kind.INTEGER), order.reference_ngrams),
            (Column("matching_ngrams", Kind.INTEGER), order.matching_ngrams),
            (Column("effective", Kind.TRUTH), order.effective),
            (Column("precision", Kind.FRACTION, missing=""), order.precision),
            (Column("recall", Kind.FRACTION, missing=""), order.recall),
            (Column("f_score", Kind.FRACTION, missing=""), order.f_score),
            (Column("signature", Kind.TEXT), score_signature(result.score, layout.short)),
        ]
        for result in results
        for order in result.score.orders
    )
