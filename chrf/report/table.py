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
from chrf.report.results import Result, Standing, several_files

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


class Column(NamedTuple):
    """The name of a column and the kind of its cells."""

    name: str
    kind: Kind
    missing: str = "-"  # what stands for None


class Table(NamedTuple):
    """Columns and rows.

    Attributes
    ----------
    columns : list of Column
    rows : list of lists of cells
    """

    columns: list[Column]
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


# A row as it is written down: each cell beside its column, the same columns in every row.
Row = list[tuple[Column, Cell]]


def make_table(rows: Iterable[Row]) -> Table:
    """Return the table of one row or more."""
    first, *others = rows
    cells = [[cell for _, cell in row] for row in (first, *others)]
    return Table([column for column, _ in first], cells)


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
            cells.append((Column("file", Kind.TEXT), result.file))
        if named:
            cells.append((Column("system", Kind.TEXT), result.system))
        cells.append((Column(score.name, Kind.DECIMAL), score.fraction))
        cells.append((Column("segments", Kind.INTEGER), score.segment_count))
        if tied:
            cells.append((Column("tied", Kind.INTEGER), score.tied_segments))
        if layout.fractions:
            cells.append((Column("fraction", Kind.FRACTION), score.fraction))
        return cells + statistics_cells(result.standing)

    return make_table(map(row, results))


def statistics_cells(standing: Standing) -> Row:
    """Return the cells that the statistics add to the row of a system."""
    cells: Row = []
    if standing.interval:
        level = level_text(standing.interval.alpha)
        cells.append((Column(f"{level}% low", Kind.DECIMAL), standing.interval.bounds.lower))
        cells.append((Column(f"{level}% high", Kind.DECIMAL), standing.interval.bounds.upper))
    if standing.compared:
        pair = standing.against
        level = f"diff {level_text(standing.compared.pairs[0].alpha)}%"
        cells += [
            (Column("difference", Kind.DECIMAL), pair.difference if pair else "baseline"),
            *_bounds_cells(level, pair),
            *_p_cells(pair),
            (Column("rank", Kind.RANK), standing.rank),
            (Column("cluster", Kind.INTEGER), standing.cluster),
        ]
    return cells


def _bounds_cells(level: str, pair: Comparison | None) -> Row:
    bounds = pair.bounds if pair else None
    return [
        (Column(f"{level} low", Kind.DECIMAL), bounds.lower if bounds else None),
        (Column(f"{level} high", Kind.DECIMAL), bounds.upper if bounds else None),
    ]


def _p_cells(pair: Comparison | None) -> Row:
    return [
        (Column("p", Kind.P_VALUE), (pair.p_value, pair.iterations) if pair else None),
        (
            Column("adjusted p", Kind.P_VALUE),
            (pair.adjusted_p_value, pair.iterations) if pair else None,
        ),
    ]


def has_pairs(results: Sequence[Result]) -> bool:
    """Tell whether all pairs of systems were compared."""
    return any(result.standing.pairs for result in results)


def pairs_table(results: Sequence[Result]) -> Table:
    """Make the table of all pairs of systems; the file is shown where there are several."""
    file = [Column("file", Kind.TEXT)] * several_files(results)
    return make_table(
        [
            *((column, result.file) for column in file),
            (Column("first", Kind.TEXT), pair.first),
            (Column("second", Kind.TEXT), pair.second),
            (Column("difference", Kind.DECIMAL), pair.difference),
            *_bounds_cells(f"{level_text(pair.alpha)}%", pair),
            *_p_cells(pair),
        ]
        for result in results
        for pair in result.standing.pairs
    )


def orders_table(score: Score, layout: Layout) -> Table:
    """Make the table of a score's n-gram orders."""
    kind = Kind.FRACTION if layout.fractions else Kind.DECIMAL
    return make_table(
        [
            (Column("type", Kind.TEXT), order.type),
            (Column("n", Kind.INTEGER), order.n),
            (Column("hypothesis", Kind.INTEGER), order.hypothesis_ngrams),
            (Column("reference", Kind.INTEGER), order.reference_ngrams),
            (Column("matching", Kind.INTEGER), order.matching_ngrams),
            (Column("precision", kind), order.precision),
            (Column("recall", kind), order.recall),
            (Column(f"F{score.options.beta_text}", kind), order.f_score),
        ]
        for order in score.orders
    )


def _text(column: Column, cell: Cell, width: int) -> str:
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
