"""Arrow columns out: scores in the library of the hypotheses, and sums that engines add up.

`chrf.corpus_score` and its like take columns by themselves. Nothing is imported that the caller
does not use; pyarrow is needed for what gives or takes pyarrow's objects.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from chrf.core import counting, state
from chrf.core.checks import counted
from chrf.core.forms.columns import ColumnPairs, is_from, only_column, read_column
from chrf.core.options import OptionKeywords, Options
from chrf.core.score import Score
from chrf.core.source import read_pairs
from chrf.kernel import columns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

KINDS = ("hypothesis", "reference", "matching")


def score_column(
    hypotheses: Any,
    references: Any,
    *,
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> Any:
    """Score each row, and return the scores as a column of the library of `hypotheses`.

    Parameters
    ----------
    hypotheses : column or iterable of str
    references : column, iterable of str or of lists of str
        As `chrf.segment_scores` takes them.
    threads : int
        Worker threads. The result does not depend on it.
    **options
        See `chrf.Options`.

    Returns
    -------
    pyarrow.Array, polars.Series, pandas.Series or numpy.ndarray
        float64, 0 to 100, one score for each row in input order. A Series has the name of the
        variant (``chrF2``), one of pandas the index of `hypotheses`. Where the library has no
        columns of its own (DuckDB), a NumPy array.

    Raises
    ------
    TypeError, ValueError
        What `chrf.segment_scores` raises.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from chrf.integrations.arrow import score_column
    >>> hypotheses = pa.array(["the cat sat", "a dog"])
    >>> score_column(hypotheses, pa.array(["the cat sat", "a cat"])).to_pylist()
    [100.0, 6.25]
    """
    checked = Options.from_keywords(dict(options))
    hypotheses, references = only_column(hypotheses), only_column(references)
    scores = counting.scores(read_pairs(hypotheses, references), checked, threads)
    return _like(hypotheses, scores, checked)


def stats_batch(
    batch: Any,
    hypotheses: str = "hypothesis",
    references: str | Iterable[str] = "reference",
    *,
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> Any:
    """Count a batch, and return what its rows add up to: one row of int64.

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
    references : str or iterable of str
        Name of the column, of strings or lists of them; or several names, one for each reference.
        A null in a list, or in one of several columns, stands for no reference.
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
    left = read_column(hypotheses, batch[hypotheses])
    if isinstance(references, str):
        right = read_column(references, batch[references], lists=True, missing=True)
    else:
        names = list(references)
        if not names:
            raise ValueError("references is empty; a segment needs at least one reference")
        right = columns.beside(
            " and ".join(names), [read_column(name, batch[name], missing=True) for name in names]
        )
    if len(left) != len(right):
        raise ValueError(
            f"{hypotheses} has {counted(len(left), 'rows')} but {right.side} has {len(right)}"
        )
    vector = state.to_vector(state.count_sums(ColumnPairs(left, right), checked, threads), checked)
    sums = [_array(pa, pa.int64(), vector[i : i + 1]) for i in range(len(vector))]
    return pa.record_batch(sums, _stats_names(checked))


def stats_score(rows: Any, **options: Unpack[OptionKeywords]) -> Score:
    """Return the score of the rows that `stats_batch` returned, or of their sum.

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
    if not sums.segments:
        raise ValueError("there are no segments: the batches were empty")
    return state.score_of(sums, checked)


def _stats_names(options: Options) -> list[str]:
    names = ["vectors", "options"]
    for kind, last in (("char", options.char_order), ("word", options.word_order)):
        names += [f"{kind}{n}_{what}_ngrams" for n in range(1, last + 1) for what in KINDS]
    names += state.TAIL
    return [f"{name}_{half}" for half in ("low", "high") for name in names]


def _like(hypotheses: Any, scores: NDArray[np.float64], options: Options) -> Any:
    """Return the scores as a column of the library that the hypotheses come from."""
    if is_from("pandas", hypotheses, "Series"):
        series = import_module("pandas").Series
        return series(scores, index=hypotheses.index, name=options.name)
    if is_from("polars", hypotheses, "Series", "DataFrame"):
        return import_module("polars").Series(options.name, scores)
    if type(hypotheses).__module__.partition(".")[0] == "pyarrow":
        pa = import_module("pyarrow")
        return _array(pa, pa.float64(), scores)
    return scores


def _array(pa: Any, kind: Any, values: NDArray[Any]) -> Any:
    """Return the values as an array of pyarrow; its own ``array`` would import pandas."""
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])
