"""Arrow columns in, the matching column out: pandas, polars, pyarrow, DuckDB, and cluster engines.

Whatever has the Arrow PyCapsule interface is read where it stands in memory. Nothing is imported
that the caller does not use; pyarrow is needed for what gives or takes pyarrow's objects.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from chrf.core import counting, exact, score, state
from chrf.core.options import OptionKeywords, Options
from chrf.core.segments import Segments
from chrf.kernel import columns

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from chrf.core.score import Score

T = TypeVar("T")
KINDS = ("hypothesis", "reference", "matching")


def corpus_score(
    hypotheses: Any,
    references: Any,
    *,
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> Score:
    """`chrf.corpus_score` for columns.

    Parameters
    ----------
    hypotheses : column
        A pyarrow Array or ChunkedArray, a polars or pandas Series, a DuckDB relation of one
        column, or anything else that has ``__arrow_c_stream__`` or ``__arrow_c_array__``: of
        strings in any layout (string, large_string, string_view, dictionary).
    references : column
        Of strings, or of lists of them: then the reference with the highest segment score is
        used, the first on a tie. Rows belong together by position, whatever the chunks or the
        index of pandas; the two columns need not come from the same library.
    threads : int
        Worker threads. The result does not depend on it.
    **options
        See `chrf.Options`.

    Returns
    -------
    Score

    Raises
    ------
    TypeError
        A null, with its row; a column of another type; a table of several columns.
    ValueError
        No rows, unequal lengths, an empty list of references, text that is not valid UTF-8.

    Notes
    -----
    Where a side has no Arrow interface (a list, pandas before 3) or is a pandas Series kept as
    Python objects, both sides are read as lists, as `chrf.corpus_score` reads them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from chrf.integrations import arrow
    >>> print(arrow.corpus_score(pa.array(["the cat sat"]), pa.array(["the cat sits"])))
    61.034534
    """
    checked = Options.from_keywords(dict(options))
    hypotheses, references = _only_column(hypotheses), _only_column(references)
    columns = _read(hypotheses, references)
    if columns is None:
        lists = _as_list("hypotheses", hypotheses), _as_list("references", references)
        return score.corpus_score(*lists, threads=threads, **options)
    _check_lengths(*columns)
    return state.score_of(_sums(*columns, checked, threads), checked)


def segment_scores(
    hypotheses: Any,
    references: Any,
    *,
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> Any:
    """`chrf.segment_scores` for columns: a column of doubles from the library of `hypotheses`.

    Takes what `corpus_score` takes and refuses what it refuses.

    Returns
    -------
    pyarrow.Array, polars.Series, pandas.Series or numpy.ndarray
        float64, 0 to 100, one score for each row in input order. A Series has the name of the
        variant (``chrF2``), one of pandas the index of `hypotheses`. Where the library has no
        columns of its own (DuckDB), a NumPy array.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from chrf.integrations import arrow
    >>> hypotheses = pa.array(["the cat sat", "a dog"])
    >>> arrow.segment_scores(hypotheses, pa.array(["the cat sat", "a cat"])).to_pylist()
    [100.0, 6.25]
    """
    import numpy as np

    checked = Options.from_keywords(dict(options))
    hypotheses, references = _only_column(hypotheses), _only_column(references)
    columns = _read(hypotheses, references)
    if columns is None:
        lists = _as_list("hypotheses", hypotheses), _as_list("references", references)
        scores = score.segment_scores(*lists, threads=threads, **options)
        return _like(hypotheses, scores, checked)
    _check_lengths(*columns)

    def finish(block: counting.Block) -> array[float]:
        return exact.nearest_doubles(block.flat, checked)

    doubles = array("d")
    for part in _blocks(*columns, checked, threads, finish):
        doubles += part
    return _like(hypotheses, np.frombuffer(doubles, dtype=np.float64), checked)


def stats_batch(
    batch: Any,
    hypotheses: str = "hypothesis",
    references: str | Sequence[str] = "reference",
    *,
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> Any:
    """A batch in, one row of int64 out: what the rows of the batch add up to.

    For engines that spread batches over machines. Rows of any batches, in any order, add up
    column by column to the row of all their segments, exactly and without overflow, whatever adds
    them; `stats_score` makes the score of it. It can be pickled by its name, with its options in
    a `functools.partial`.

    Parameters
    ----------
    batch : pyarrow.RecordBatch, pyarrow.Table, polars.DataFrame or pandas.DataFrame
        Anything that gives a column for ``batch[name]``. It may have no rows.
    hypotheses : str
        Name of the column.
    references : str or list of str
        Name of the column, of strings or lists of them; or several names, one for each reference.
    threads : int
        Worker threads.
    **options
        See `chrf.Options`.

    Returns
    -------
    pyarrow.RecordBatch
        One row. Each sum has two columns, for its lower and its upper 32 bits.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from chrf.integrations.arrow import stats_batch, stats_score
    >>> first = pa.record_batch({"hypothesis": ["the cat"], "reference": ["the cat sat"]})
    >>> second = pa.record_batch({"hypothesis": ["it rained"], "reference": ["it rains today"]})
    >>> rows = pa.Table.from_batches([stats_batch(first), stats_batch(second)])
    >>> print(stats_score(rows))
    45.792645
    """
    pa = import_module("pyarrow")
    checked = Options.from_keywords(dict(options))
    left = _column(hypotheses, batch[hypotheses], lists=False)
    if isinstance(references, str):
        right = _column(references, batch[references], lists=True)
    elif references:
        names = [_column(name, batch[name], lists=False) for name in references]
        right = columns.beside(" and ".join(references), names)
    else:
        raise ValueError("references is empty; a segment needs at least one reference")
    if len(left) != len(right):
        raise ValueError(f"{hypotheses} has {len(left)} rows but {right.side} has {len(right)}")
    vector = state.to_vector(_sums(left, right, checked, threads), checked)
    names_of_sums = _stats_names(checked)
    return pa.record_batch([pa.array(vector[i : i + 1]) for i in range(len(vector))], names_of_sums)


def stats_score(rows: Any, **options: Unpack[OptionKeywords]) -> Score:
    """The score of the rows that `stats_batch` returned, or of their sum.

    Parameters
    ----------
    rows
        A pyarrow Table or RecordBatch, or anything else that ``pyarrow.table`` takes.
    **options
        Those that the rows were made with.

    Raises
    ------
    ValueError
        The rows were made with other options, or have no segments, or a column is missing.
    """
    pa = import_module("pyarrow")
    checked = Options.from_keywords(dict(options))
    table = pa.table(rows)
    names = _stats_names(checked)
    for name in names:
        if table.column_names.count(name) != 1:
            raise ValueError(
                f"the rows have {table.column_names.count(name)} columns {name!r}; give what "
                "stats_batch returned, and its options"
            )
    sums = state.from_vector([sum(table[name].to_pylist()) for name in names], checked).sums
    if not any(sums):
        raise ValueError("there are no segments: the batches were empty")
    return state.score_of(sums, checked)


def _stats_names(options: Options) -> list[str]:
    names = ["vectors", "options"]
    for kind, last in (("char", options.char_order), ("word", options.word_order)):
        names += [f"{kind}{n}_{what}_ngrams" for n in range(1, last + 1) for what in KINDS]
    names += state.TAIL
    return [f"{name}_{half}" for half in ("low", "high") for name in names]


def _only_column(values: Any) -> Any:
    """The Series in a pandas table of one column, which Arrow would give an index as another."""
    if _is_from("pandas", values, "DataFrame") and values.shape[1] == 1:
        return values.iloc[:, 0]
    return values


def _read(hypotheses: Any, references: Any) -> tuple[columns.Column, columns.Column] | None:
    """Both columns where they stand in memory, or None if a side does not lie there."""
    if not (_has_arrow(hypotheses) and _has_arrow(references)):
        return None
    return (
        _column("hypotheses", hypotheses, lists=False),
        _column("references", references, lists=True),
    )


def _has_arrow(values: Any) -> bool:
    if not (hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__")):
        return False
    if not _is_from("pandas", values, "Series"):
        return True
    return values.dtype != object and getattr(values.dtype, "storage", None) != "python"


def _column(side: str, values: Any, *, lists: bool) -> columns.Column:
    if not _has_arrow(values):  # a Series of Python objects, of which pyarrow makes a column
        values = import_module("pyarrow").array(values)
    return columns.Column(side, values, lists)


def _as_list(side: str, values: Any) -> Any:
    """What `chrf.corpus_score` takes: strings of an Arrow column beside a list."""
    if not _has_arrow(values):
        return values
    column = _column(side, values, lists=side == "references")
    strings = column.strings(0, len(column))
    if not column.grouped:
        return strings
    starts = column.group_starts(0, len(column))
    return [strings[a:b] for a, b in pairwise(starts)]


def _check_lengths(hypotheses: columns.Column, references: columns.Column) -> None:
    if len(hypotheses) != len(references):
        raise ValueError(
            f"hypotheses has {len(hypotheses)} rows but references has {len(references)}; "
            "each hypothesis needs its own"
        )
    if not len(hypotheses):
        raise ValueError("there are no segments: hypotheses and references are empty")


def _sums(
    hypotheses: columns.Column, references: columns.Column, options: Options, threads: int
) -> state.Sums:
    """What the rows add up to."""
    totals = counting.total_of(
        _blocks(hypotheses, references, options, threads, counting.Block.totals)
    )
    counts = chain.from_iterable(totals.under(options.rule))
    squares = references.squares()
    return (*counts, totals.segments, totals.tied, references.text_count, squares)


def _blocks(
    hypotheses: columns.Column,
    references: columns.Column,
    options: Options,
    threads: int,
    finish: Callable[[counting.Block], T],
) -> Iterator[T]:
    """`chrf.core.counting.count_blocks` for columns."""
    threads = counting.checked_threads(threads)

    def work(start: int, stop: int) -> T:
        return finish(_count(hypotheses, references, options, start, stop, threads))

    return counting.in_blocks(len(hypotheses), threads, work)


def _count(
    hypotheses: columns.Column,
    references: columns.Column,
    options: Options,
    start: int,
    stop: int,
    threads: int,
) -> counting.Block:
    """Count rows `start` up to `stop`, each against its best reference."""
    starts = references.group_starts(start, stop) if references.grouped else None
    if options.lowercase:  # which only strings have
        texts = hypotheses.strings(start, stop), references.strings(start, stop)
        return counting.count_block(Segments(*texts, starts), options, 0, stop - start, threads)
    flat = columns.count(
        hypotheses,
        references,
        start,
        stop,
        options.char_order,
        options.word_order,
        options.whitespace,
        threads,
    )
    if starts is None:
        return counting.Block(flat, options.order_count)
    best, tied = counting.best_references(flat, starts, options)
    return counting.Block(best, options.order_count, tied)


def _is_from(library: str, values: Any, *classes: str) -> bool:
    """Whether the values are of a class of a library, which is not imported for the question."""
    module = sys.modules.get(library)
    return any(isinstance(values, getattr(module, name)) for name in classes if module)


def _like(hypotheses: Any, scores: Any, options: Options) -> Any:
    """The scores as a column of the library that the hypotheses come from."""
    if _is_from("pandas", hypotheses, "Series"):
        series = sys.modules["pandas"].Series
        return series(scores, index=hypotheses.index, name=options.name)
    if _is_from("polars", hypotheses, "Series", "DataFrame"):
        return sys.modules["polars"].Series(options.name, scores)
    if type(hypotheses).__module__.partition(".")[0] == "pyarrow":
        return sys.modules["pyarrow"].array(scores)
    return scores
