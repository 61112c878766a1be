"""Results -> tables of typed cells, which each format writes in its own way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum, auto
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from chrf.core import exact
from chrf.core.draws import level_text, p_value_text
from chrf.core.score import Score
from chrf.files.output import one_line
from chrf.report.layout import Layout
from chrf.report.results import Result, RunsStanding, Standing, several_files

if TYPE_CHECKING:
    from chrf.stats.records import Comparison

Cell = str | int | float | Fraction | tuple[float, int] | None


class Kind(Enum):
    """What the cells of a column are, and so how they are written.

    A string is shown as it is in any column, and None as the column's `missing`.
    """

    TEXT = auto()
    INTEGER = auto()
    TRUTH = auto()  # "true" or "false"
    DECIMAL = auto()  # a Fraction, rounded exactly to the layout's decimals
    FRACTION = auto()  # a Fraction as n/d
    NUMBER = auto()  # a double in full
    P_VALUE = auto()  # a p-value, and how many resamples or permutations it is of
    RANK = auto()  # the best and the worst that a system may be


class TableColumn(NamedTuple):
    """The name of a column and the kind of its cells."""

    name: str
    kind: Kind
    missing: str = "-"  # what stands for None


class Table(NamedTuple):
    """Columns and rows.

    Attributes
    ----------
    columns : list of TableColumn
    rows : list of lists of cells
    """

    columns: list[TableColumn]
    rows: list[list[Cell]]

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def texts(self, width: int) -> list[list[str]]:
        """Return the rows as text, with `width` decimals."""
        return [
            [_text(column, cell, width) for column, cell in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]


# A row as it is written down: each cell beside its column. The longest row has all columns.
Row = list[tuple[TableColumn, Cell]]


def make_table(rows: Iterable[Row]) -> Table:
    """Return the table of one row or more; what a row has no cell for is missing in it."""
    known = [{column.name: (column, cell) for column, cell in row} for row in rows]
    columns = [column for column, _ in max(known, key=len).values()]
    cells = [[row.get(column.name, (column, None))[1] for column in columns] for row in known]
    return Table(columns, cells)


def scores_table(results: Sequence[Result], layout: Layout) -> Table:
    """Make the table of scores; the file is shown where there are several."""
    several = several_files(results)
    # A system that is a whole file needs no second column with the same name.
    named = not several or any(result.file != result.system for result in results)
    tied = any(result.score.tied_segments for result in results)

    def row(result: Result) -> Row:
        score = result.score
        cells: Row = []
        if several:
            cells.append((TableColumn(grouping(results), Kind.TEXT), result.file))
        if named:
            cells.append((TableColumn("system", Kind.TEXT), result.system))
        cells.append((TableColumn(score.name, Kind.DECIMAL), score.fraction))
        cells.append((TableColumn("segments", Kind.INTEGER), score.segment_count))
        if tied:
            cells.append((TableColumn("tied", Kind.INTEGER), score.tied_segments))
        if layout.fractions:
            cells.append((TableColumn("fraction", Kind.FRACTION), score.fraction))
        return cells + statistics_cells(result.standing)

    return make_table(map(row, results))


def grouping(results: Sequence[Result]) -> str:
    """Return the name of the column that says what a result is of."""
    return "set" if any(result.average for result in results) else "file"


def statistics_cells(standing: Standing) -> Row:
    """Return the cells that the statistics add to the row of a system."""
    cells: Row = []
    if standing.interval:
        level = level_text(standing.interval.alpha)
        cells.append((TableColumn(f"{level}% low", Kind.DECIMAL), standing.interval.bounds.lower))
        cells.append((TableColumn(f"{level}% high", Kind.DECIMAL), standing.interval.bounds.upper))
    if standing.compared:
        pair = standing.against
        level = f"diff {level_text(standing.compared.pairs[0].alpha)}%"
        cells += [
            (TableColumn("difference", Kind.DECIMAL), pair.difference if pair else "baseline"),
            *_bounds_cells(level, pair),
            *_p_cells(pair),
            *_within_cells(standing.compared.pairs[0], pair),
            (TableColumn("rank", Kind.RANK), standing.rank),
            (TableColumn("cluster", Kind.INTEGER), standing.cluster),
        ]
    return cells


def _bounds_cells(level: str, pair: Comparison | None) -> Row:
    bounds = pair.bounds if pair else None
    return [
        (TableColumn(f"{level} low", Kind.DECIMAL), bounds.lower if bounds else None),
        (TableColumn(f"{level} high", Kind.DECIMAL), bounds.upper if bounds else None),
    ]


def _p_cells(pair: Comparison | None) -> Row:
    return [
        (TableColumn("p", Kind.P_VALUE), (pair.p_value, pair.iterations) if pair else None),
        (
            TableColumn("adjusted p", Kind.P_VALUE),
            (pair.adjusted_p_value, pair.iterations) if pair else None,
        ),
    ]


def _within_cells(one: Comparison, pair: Comparison | None) -> Row:
    """Return the p-value of equivalence, if that was tested in `one` as in all comparisons."""
    if not one.equivalence:
        return []
    found = pair.equivalence if pair else None
    p = (found.adjusted_p_value, found.iterations) if found else None
    return [(TableColumn(f"p within {one.equivalence.margin}", Kind.P_VALUE), p)]


def has_pairs(results: Sequence[Result]) -> bool:
    """Tell whether all pairs of systems were compared."""
    return any(result.standing.pairs for result in results)


def pairs_table(results: Sequence[Result]) -> Table:
    """Make the table of all pairs of systems; the file is shown where there are several."""
    file = [TableColumn(grouping(results), Kind.TEXT)] * several_files(results)
    return make_table(
        [
            *((column, result.file) for column in file),
            (TableColumn("first", Kind.TEXT), pair.first),
            (TableColumn("second", Kind.TEXT), pair.second),
            (TableColumn("difference", Kind.DECIMAL), pair.difference),
            *_bounds_cells(f"{level_text(pair.alpha)}%", pair),
            *_p_cells(pair),
            *_within_cells(pair, pair),
        ]
        for result in results
        for pair in result.standing.pairs
    )


def has_runs(results: Sequence[Result]) -> bool:
    """Tell whether systems are training runs of others."""
    return any(result.standing.runs for result in results)


def runs_table(results: Sequence[Result]) -> Table:
    """Make the table of the systems that were trained several times."""
    several = several_files(results) and len({id(r.compared) for r in _runs(results)}) > 1
    rows: dict[tuple[int, str], Row] = {}
    for result in results:
        if standing := result.standing.runs:
            file: Row = [(TableColumn("file", Kind.TEXT), result.file)] * several
            key = id(standing.compared), standing.system
            rows.setdefault(key, file + _runs_cells(standing))
    return make_table(rows.values())


def _runs(results: Sequence[Result]) -> list[RunsStanding]:
    return [result.standing.runs for result in results if result.standing.runs]


def _runs_cells(standing: RunsStanding) -> Row:
    summary, pair = standing.summary, standing.against
    cells: Row = [
        (TableColumn("system", Kind.TEXT), summary.name),
        (TableColumn("mean", Kind.DECIMAL), summary.mean),
        (TableColumn("runs", Kind.INTEGER), len(summary.scores)),
        (TableColumn("sd runs", Kind.DECIMAL), Fraction(summary.runs_deviation)),
        (TableColumn("sd segments", Kind.DECIMAL), Fraction(summary.segments_deviation)),
    ]
    if not standing.compared.pairs:
        return cells
    level = level_text(standing.compared.pairs[0].alpha)
    return [
        *cells,
        (TableColumn("difference", Kind.DECIMAL), pair.difference if pair else "baseline"),
        (TableColumn(f"diff {level}% low", Kind.DECIMAL), Fraction(pair.lower) if pair else None),
        (TableColumn(f"diff {level}% high", Kind.DECIMAL), Fraction(pair.upper) if pair else None),
        (TableColumn("p", Kind.P_VALUE), pair.p_text if pair else None),
        (TableColumn("adjusted p", Kind.P_VALUE), pair.adjusted_p_text if pair else None),
    ]


def orders_table(score: Score, layout: Layout) -> Table:
    """Make the table of a score's n-gram orders."""
    kind = Kind.FRACTION if layout.fractions else Kind.DECIMAL
    return make_table(
        [
            (TableColumn("type", Kind.TEXT), order.type),
            (TableColumn("n", Kind.INTEGER), order.n),
            (TableColumn("hypothesis", Kind.INTEGER), order.hypothesis_ngrams),
            (TableColumn("reference", Kind.INTEGER), order.reference_ngrams),
            (TableColumn("matching", Kind.INTEGER), order.matching_ngrams),
            (TableColumn("precision", kind), order.precision),
            (TableColumn("recall", kind), order.recall),
            (TableColumn(f"F{score.options.beta_text}", kind), order.f_score),
        ]
        for order in score.orders
    )


def _text(column: TableColumn, cell: Cell, width: int) -> str:
    if cell is None:
        return column.missing
    if isinstance(cell, str):
        return one_line(cell)
    if isinstance(cell, Fraction) and column.kind is Kind.DECIMAL:
        return exact.decimal_text(cell, width)
    return _WRITERS[column.kind](cell)


def _rank(places: tuple[int, int]) -> str:
    best, worst = places
    return str(best) if best == worst else f"{best}-{worst}"


_WRITERS: dict[Kind, Callable[[Any], str]] = {
    Kind.INTEGER: str,
    Kind.TRUTH: lambda truth: str(truth).lower(),
    Kind.FRACTION: exact.fraction_text,
    Kind.NUMBER: repr,
    Kind.P_VALUE: lambda p: p_value_text(*p),
    Kind.RANK: _rank,
}
