"""Results as one tab-separated table with a header, for programs.

Cells of numbers hold numbers or nothing, and p-values are written in full.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chrf.core.draws import level_text
from chrf.report.layout import Layout
from chrf.report.results import Result, Standing, score_signature
from chrf.report.table import Cell, Column, Kind, Row, Table, has_pairs, make_table

if TYPE_CHECKING:
    from chrf.stats.records import Comparison

TEXT, INTEGER, DECIMAL, NUMBER = Kind.TEXT, Kind.INTEGER, Kind.DECIMAL, Kind.NUMBER


def lines(results: Sequence[Result], layout: Layout) -> list[str]:
    """Return the table of orders, of pairs or of scores: there is room for one."""
    if layout.orders:
        table = _orders(results, layout)
    elif has_pairs(results):
        table = _pairs(results)
    else:
        table = _scores(results, layout)
    return ["\t".join(row) for row in [table.names, *table.texts(layout.width)]]


def _cell(name: str, kind: Kind, cell: Cell) -> tuple[Column, Cell]:
    """Return a cell and its column; what has no value is empty."""
    return Column(name, kind, missing=""), cell


def _scores(results: Sequence[Result], layout: Layout) -> Table:
    def row(result: Result) -> Row:
        score = result.score
        cells = [
            _cell("file", TEXT, result.file),
            _cell("system", TEXT, result.system),
            _cell("metric", TEXT, score.name),
            _cell("score", DECIMAL, score.fraction),
        ]
        if layout.fractions:
            cells.append(_cell("score_fraction", Kind.FRACTION, score.fraction))
        return [
            *cells,
            *_interval(result.standing),
            *_against_baseline(result.standing),
            *_settings(result.standing),
            _cell("segment_count", INTEGER, score.segment_count),
            _cell("reference_count", INTEGER, score.reference_count),
            _cell("tied_segments", INTEGER, score.tied_segments),
            _cell("rule", TEXT, score.rule),
            _cell("signature", TEXT, score_signature(score, layout.short)),
        ]

    return make_table(map(row, results))


def _interval(standing: Standing, system: str = "") -> Row:
    """Return the bounds of a score, under names that begin with `system`."""
    if not standing.interval:
        return []
    bounds = standing.interval.bounds
    return [
        _cell(f"{system}lower", DECIMAL, bounds.lower),
        _cell(f"{system}upper", DECIMAL, bounds.upper),
    ]


def _against_baseline(standing: Standing) -> Row:
    if not standing.compared or not standing.rank:
        return []
    low, high = standing.rank
    return [
        _cell("is_baseline", Kind.TRUTH, standing.against is None),
        *_comparison(standing.against),
        _cell("rank_low", INTEGER, low),
        _cell("rank_high", INTEGER, high),
        _cell("cluster", INTEGER, standing.cluster),
    ]


def _comparison(pair: Comparison | None) -> Row:
    """Return what was found of a pair; of the baseline with itself, nothing."""
    columns = [
        ("difference", DECIMAL),
        ("difference_lower", DECIMAL),
        ("difference_upper", DECIMAL),
        ("p", NUMBER),
        ("adjusted_p", NUMBER),
        ("sacrebleu_p", NUMBER),
        ("test", TEXT),
        ("iterations", INTEGER),
    ]
    cells: list[Cell] = [None] * len(columns)
    if pair:
        cells = [
            pair.difference,
            pair.bounds.lower if pair.bounds else None,
            pair.bounds.upper if pair.bounds else None,
            pair.p_value,
            pair.adjusted_p_value,
            pair.sacrebleu_p_value,
            pair.method,
            pair.iterations,
        ]
    return [_cell(*column, cell) for column, cell in zip(columns, cells, strict=True)]


def _settings(standing: Standing) -> Row:
    """Return what all intervals and tests of a run share."""
    interval, compared = standing.interval, standing.compared
    if compared:
        pair = compared.pairs[0]
        return [
            _cell("tails", INTEGER, 1 + pair.two_tailed),
            _cell("correction", TEXT, pair.adjust),
            _cell("pairs", INTEGER, pair.family),
            *_drawn(pair.alpha, pair.interval_method, pair.interval_iterations, pair.seed),
        ]
    if interval:
        return _drawn(interval.alpha, interval.method, interval.iterations, interval.seed)
    return []


def _drawn(alpha: float, method: str | None, resamples: int, seed: int) -> Row:
    """Return how intervals were made."""
    return [
        _cell("level", TEXT, level_text(alpha)),
        _cell("interval", TEXT, method),
        _cell("resamples", INTEGER, resamples),
        _cell("seed", INTEGER, seed),
    ]


def _pairs(results: Sequence[Result]) -> Table:
    """Make one row per pair of systems, with the scores of both."""
    return make_table(
        [
            _cell("file", TEXT, result.file),
            _cell("first", TEXT, pair.first),
            _cell("second", TEXT, pair.second),
            _cell("metric", TEXT, result.score.name),
            _cell("first_score", DECIMAL, result.score.fraction),
            *_interval(result.standing, "first_"),
            _cell("second_score", DECIMAL, other.score.fraction),
            *_interval(other.standing, "second_"),
            *_comparison(pair),
            *_settings(result.standing),
            _cell("signature", TEXT, pair.signature),
        ]
        for result in results
        for pair in result.standing.pairs
        for other in results
        if other.system == pair.second and other.standing.compared is result.standing.compared
    )


def _orders(results: Sequence[Result], layout: Layout) -> Table:
    """Make one row per order, under the contract's names."""
    return make_table(
        [
            _cell("file", TEXT, result.file),
            _cell("system", TEXT, result.system),
            _cell("type", TEXT, order.type),
            _cell("n", INTEGER, order.n),
            _cell("hypothesis_ngrams", INTEGER, order.hypothesis_ngrams),
            _cell("reference_ngrams", INTEGER, order.reference_ngrams),
            _cell("matching_ngrams", INTEGER, order.matching_ngrams),
            _cell("effective", Kind.TRUTH, order.effective),
            _cell("precision", Kind.FRACTION, order.precision),
            _cell("recall", Kind.FRACTION, order.recall),
            _cell("f_score", Kind.FRACTION, order.f_score),
            _cell("signature", TEXT, score_signature(result.score, layout.short)),
        ]
        for result in results
        for order in result.score.orders
    )
