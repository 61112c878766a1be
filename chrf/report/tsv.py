"""Results as one tab-separated table with a header, for programs.

Cells of numbers hold numbers or nothing, and p-values are written in full.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from chrf.core.draws import level_text
from chrf.core.score import Score
from chrf.files.output import one_line
from chrf.report.layout import Layout
from chrf.report.results import SAMPLE, Result, RunsStanding, Standing, score_signature
from chrf.report.table import Cell, Kind, Row, Table, TableColumn, has_pairs, make_table

if TYPE_CHECKING:
    from chrf.stats.records import Comparison, Comparisons

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


def matrix_lines(compared: Comparisons, names: Sequence[str]) -> list[str]:
    """Return the one-tailed p-values of all pairs in full, in the order of the names.

    Each is that of the system of the row being better than that of the column.
    """
    matrix = compared.p_matrix().tolist()
    places = list(map(compared.names.index, names))
    lines = ["\t".join(["system", *map(one_line, names)])]
    for name, row in zip(names, places, strict=True):
        cells = ["" if column == row else repr(matrix[row][column]) for column in places]
        lines.append("\t".join([one_line(name), *cells]))
    return lines


def _cell(name: str, kind: Kind, cell: Cell) -> tuple[TableColumn, Cell]:
    """Return a cell and its column; what has no value is empty."""
    return TableColumn(name, kind, missing=""), cell


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
            *_runs(result.standing.runs),
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
        *_beside(standing.compared, standing.against),
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


def _beside(compared: Comparisons | None, pair: Comparison | None) -> Row:
    """Return what was found of a pair beside its p-value, where that was asked for."""
    cells: Row = []
    if compared and compared.pairs[0].equivalence:
        found = pair.equivalence if pair else None
        cells += [
            _cell("within", TEXT, found.margin if found else None),
            _cell("within_p", NUMBER, found.p_value if found else None),
            _cell("within_adjusted_p", NUMBER, found.adjusted_p_value if found else None),
            _cell("equivalent", Kind.TRUTH, found.equivalent if found else None),
        ]
    if compared and any(each.power for each in compared.pairs):
        power = pair.power if pair else None
        cells += [
            _cell("power", NUMBER, power.power if power else None),
            _cell("standard_error", NUMBER, power.standard_error if power else None),
            _cell("smallest_difference", NUMBER, power.smallest_difference() if power else None),
            _cell("segments_needed", INTEGER, power.segments_needed if power else None),
        ]
    return cells


def _runs(standing: RunsStanding | None) -> Row:
    """Return what is said of all runs of the system that a run is of."""
    if standing is None:
        return []
    summary, pair, compared = standing.summary, standing.against, standing.compared
    return [
        _cell("run_of", TEXT, summary.name),
        _cell("runs", INTEGER, len(summary.scores)),
        _cell("mean", DECIMAL, summary.mean),
        _cell("runs_deviation", NUMBER, summary.runs_deviation),
        _cell("segments_deviation", NUMBER, summary.segments_deviation),
        _cell("is_baseline", Kind.TRUTH, pair is None),
        _cell("difference", DECIMAL, pair.difference if pair else None),
        _cell("difference_lower", DECIMAL, Fraction(pair.lower) if pair else None),
        _cell("difference_upper", DECIMAL, Fraction(pair.upper) if pair else None),
        _cell("standard_error", NUMBER, pair.standard_error if pair else None),
        _cell("degrees_of_freedom", NUMBER, pair.degrees_of_freedom if pair else None),
        _cell("p", NUMBER, pair.p_value if pair else None),
        _cell("adjusted_p", NUMBER, pair.adjusted_p_value if pair else None),
        _cell("correction", TEXT, pair.adjust if pair else None),
        _cell("pairs", INTEGER, len(compared.pairs)),
        *_drawn(compared.alpha, "student", compared.iterations, compared.seed),
    ]


def _settings(standing: Standing) -> Row:
    """Return what all intervals and tests of a run share."""
    interval, compared = standing.interval, standing.compared
    sample = [
        _cell(SAMPLE[key], TEXT if isinstance(value, str) else INTEGER, value)
        for key, value in standing.sample
        if interval or compared
    ]
    if compared:
        pair = compared.pairs[0]
        return [
            *sample,
            _cell("tails", INTEGER, 1 + pair.two_tailed),
            _cell("correction", TEXT, pair.adjust),
            _cell("pairs", INTEGER, pair.family),
            *_drawn(pair.alpha, pair.interval_method, pair.interval_iterations, pair.seed),
        ]
    if interval:
        return sample + _drawn(interval.alpha, interval.method, interval.iterations, interval.seed)
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
            *_beside(result.standing.compared, pair),
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
        if isinstance(result.score, Score)
        for order in result.score.orders
    )
