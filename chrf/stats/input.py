"""What the functions on corpus scores are given, text or counts, as `SystemCounts`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chrf.core import counting
from chrf.core.checks import cut, shown
from chrf.core.forms.columns import ColumnPairs
from chrf.core.forms.segments import Segments, has_columns
from chrf.core.options import Options
from chrf.core.score import from_totals
from chrf.core.source import PairSource, read_pairs
from chrf.stats.systems import SystemCounts

if TYPE_CHECKING:
    from chrf.core.source import References

    GivenCounts = NDArray[np.integer[Any]]
    Given = Iterable[str] | GivenCounts
    Systems = Mapping[str, Given] | Iterable[Given]


def read_system(
    hypotheses: Given, references: References | None, options: Options, threads: int
) -> SystemCounts:
    """Read one system: hypotheses with their references, or counts without."""
    if references is None:
        _check_no_text("hypotheses", hypotheses)
        return SystemCounts.of("counts", _array(hypotheses), options)
    _check_no_counts("hypotheses", hypotheses)
    return _count("hypotheses", read_pairs(hypotheses, references), options, threads)


def read_systems(
    systems: Systems, references: References | None, options: Options, threads: int
) -> list[SystemCounts]:
    """Read several systems by their names: hypotheses with shared references, or counts without.

    The references are taken from their iterable once, the hypotheses once for each system.
    """
    named = _named(systems)
    if references is None:
        for name, given in named:
            _check_no_text(name, given)
        return [SystemCounts.of(name, _array(given), options) for name, given in named]
    for name, given in named:
        _check_no_counts(name, given)
    shared: Any = references
    read = []
    for name, hypotheses in named:
        try:
            pairs = read_pairs(hypotheses, shared)
            read.append(_count(name, pairs, options, threads))
        except (TypeError, ValueError) as error:
            if type(error) not in (TypeError, ValueError):  # of the caller's own iterable
                raise
            raise type(error)(f"{cut(name)}: {error}") from None
        if shared is references and isinstance(pairs, (Segments, ColumnPairs)):
            shared = pairs.references
            if isinstance(pairs, Segments) and pairs.starts is not None:
                shared = [pairs.references[a:b] for a, b in pairwise(pairs.starts)]
    return read


def items_of(name: str, values: Any, items: str = "lists of strings") -> list[Any]:
    """Return the items of an iterable, taken once, in a list of our own."""
    if isinstance(values, (str, bytes, bytearray, Mapping, set, frozenset)):
        raise TypeError(f"{name} is a {type(values).__name__}; give a list of {items}")
    try:
        return list(values)
    except TypeError:
        if hasattr(values, "__iter__"):
            raise
        raise TypeError(f"{name} is {type(values).__name__}; give a list of {items}") from None


def _count(name: str, pairs: PairSource, options: Options, threads: int) -> SystemCounts:
    """Count checked text; the score keeps how many references there were and how many tied."""
    counts, totals = counting.counts_and_totals(pairs, options, threads)
    return SystemCounts(name, counts, from_totals(totals, options))


def _named(systems: Any) -> list[tuple[str, Any]]:
    """Return the systems with their names."""
    if isinstance(systems, Mapping) or hasattr(systems, "items"):  # a pandas DataFrame has items
        named = list(systems.items())
        for name, _ in named:
            if not isinstance(name, str):
                raise TypeError(f"systems has the name {shown(name)}; a name is a string")
        if len(dict(named)) != len(named):
            raise ValueError("systems has two of the same name")
        return named
    if has_columns(systems):  # a table of polars or pyarrow
        names = list(getattr(systems, "column_names", systems.columns))
        if len(set(names)) != len(names):
            raise ValueError("systems has two of the same name")
        return [(name, systems[name]) for name in names]
    return [(f"system {i + 1}", given) for i, given in enumerate(items_of("systems", systems))]


def _check_no_counts(name: str, given: Any) -> None:
    """Raise where counts were given together with references."""
    if getattr(given, "ndim", 1) == 3:
        raise TypeError(
            f"{cut(name)} holds counts, not strings; counts take no references: leave references "
            "out"
        )


def _check_no_text(name: str, given: Any) -> None:
    """Raise where something other than an array of numbers was given without references."""
    array = _array(given)
    if array.ndim != 3 and array.dtype.kind not in "iufb":
        raise TypeError(
            f"references is missing: {cut(name)} is {type(given).__name__}; give references with "
            "text, or leave them out with counts, an integer array [segments, orders, 3]"
        )


def _array(given: Any) -> NDArray[Any]:
    try:
        return np.asarray(given)
    except ValueError:  # a ragged list
        return np.array(None)
