"""Arrow columns of any library: read where they stand in memory, and counted there.

Whatever has the Arrow PyCapsule interface is a column. No library is imported for the question.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from typing import Any

from chrf.core.best import best_references
from chrf.core.blocks import Block
from chrf.core.checks import counted
from chrf.core.forms.segments import NO_SEGMENTS, Segments, has_columns
from chrf.core.forms.strangers import no_list
from chrf.core.options import Options
from chrf.kernel import columns as kernel
from chrf.kernel.columns import Column


@dataclass(slots=True)
class ColumnPairs:
    """A column of hypotheses, and one of references or of lists of them, with equal lengths."""

    hypotheses: Column
    references: Column

    def __len__(self) -> int:
        return len(self.hypotheses)

    def count(self, start: int, stop: int, options: Options, threads: int = 1) -> Block:
        """Count rows `start` up to `stop`, each with its best reference.

        Strings are made only where lower case is asked for, which is Python's.
        """
        references = self.references
        starts = references.group_starts(start, stop) if references.grouped else None
        if options.lowercase:
            texts = self.hypotheses.strings(start, stop), references.strings(start, stop)
            return Segments(*texts, starts).count(0, stop - start, options, threads)
        flat = kernel.count(
            self.hypotheses,
            references,
            start,
            stop,
            options.char_order,
            options.word_order,
            options.whitespace,
            threads,
        )
        return best_references(flat, starts, options)


def read_columns(hypotheses: Any, references: Any, *, least: int = 1) -> ColumnPairs | None:
    """Read two columns of `least` rows or more; None where one does not lie in Arrow's memory."""
    if not (lies_in_arrow(hypotheses) and lies_in_arrow(references)):
        return None
    for side, values in (("hypotheses", hypotheses), ("references", references)):
        if column_count(values) > 1:
            raise TypeError(no_list(side, values))
    pairs = ColumnPairs(
        read_column("hypotheses", hypotheses),
        read_column("references", references, lists=True, missing=True),
    )
    left, right = len(pairs.hypotheses), len(pairs.references)
    if left != right:
        raise ValueError(
            f"hypotheses has {counted(left, 'rows')} but references has {right}; "
            "each hypothesis needs its own"
        )
    if left < least:
        raise ValueError(NO_SEGMENTS)
    return pairs


def read_column(side: str, values: Any, *, lists: bool = False, missing: bool = False) -> Column:
    """Read a column that messages call `side`; with `lists`, rows may be lists of texts.

    `missing` says that null stands for no text, as `Column` describes. A column that was read
    already is returned as it is: a stream can be read only once.
    """
    if isinstance(values, Column):
        return values
    if not lies_in_arrow(values):  # a Series of Python objects, of which pyarrow makes a column
        values = import_module("pyarrow").array(values)
    return Column(side, values, lists, missing)


def has_interface(values: object) -> bool:
    """Return whether the values have the Arrow PyCapsule interface, or were read through it."""
    if isinstance(values, Column):
        return True
    return hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__")


def lies_in_arrow(values: Any) -> bool:
    """Return whether the values are a column that need not be made first.

    A pandas Series of Python objects has the interface too, but no column to give.
    """
    if not has_interface(values):
        return False
    if not is_from("pandas", values, "Series"):
        return True
    return values.dtype != object and getattr(values.dtype, "storage", None) != "python"


def only_column(values: Any) -> Any:
    """Return the column of a frame or table that has just one.

    Arrow would make another column of the index of a pandas frame.
    """
    if is_from("pandas", values, "DataFrame") and values.shape[1] == 1:
        return values.iloc[:, 0]
    if is_from("polars", values, "DataFrame") and values.width == 1:
        return values.to_series()
    if is_from("pyarrow", values, "Table", "RecordBatch") and values.num_columns == 1:
        return values.column(0)
    return values


def column_count(values: Any) -> int:
    """Return the number of columns of a table; 1 for a column."""
    names: Any = getattr(values, "column_names", getattr(values, "columns", None))
    return len(names) if has_columns(values) and hasattr(names, "__len__") else 1


def as_strings(side: str, values: Any, *, lists: bool = False, missing: bool = False) -> Any:
    """Return a column as a list of its strings, or of lists of them; anything else as it is.

    With `missing`, a null in a list stands for no text.

    A table of one column is that column. A Series of pandas or polars gives strings by itself. A
    table of several columns is left to whoever raises for it.
    """
    if isinstance(values, (list, tuple)):
        return values
    values = only_column(values)
    if not lies_in_arrow(values) or has_columns(values):
        return values
    if is_from("pandas", values, "Series") or is_from("polars", values, "Series"):
        return values
    column = read_column(side, values, lists=lists, missing=missing)
    strings = column.strings(0, len(column))
    if not column.grouped:
        return strings
    starts = column.group_starts(0, len(column))
    return [strings[a:b] for a, b in pairwise(starts)]


def is_from(library: str, values: Any, *classes: str) -> bool:
    """Return whether the values are of a class of a library, or of one derived from it.

    The classes say so by themselves. The library is not looked at: another thread may be importing
    it, and until that ends it lacks most of its names.
    """
    return any(
        kind.__name__ in classes and kind.__module__.partition(".")[0] == library
        for kind in type(values).__mro__
    )
