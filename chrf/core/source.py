"""The one way in: whatever holds pairs of texts is a `PairSource`, and `read_pairs` makes one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeAlias

from chrf.core.blocks import Block
from chrf.core.forms.columns import as_strings, has_interface, only_column, read_columns
from chrf.core.forms.segments import read_segments
from chrf.core.options import Options


class PairSource(Protocol):
    """Hypotheses with their references, checked, in whatever form they are given.

    Lists of strings (`forms.segments`), Arrow columns (`forms.columns`), rows of a file
    (`forms.fields`) and a scorer's references (`scorer.PreparedPairs`) are four forms of it,
    and `counting` reads them all.
    """

    def __len__(self) -> int:
        """Return the number of segments."""

    def count(self, start: int, stop: int, options: Options, threads: int) -> Block:
        """Count segments `start` up to `stop` in `threads` threads, each with its best reference.

        Threads may count different segments at the same time.
        """


class ArrowStream(Protocol):
    """A column or table of several chunks: of pyarrow, polars, pandas 3, DuckDB."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return a capsule that holds an ``ArrowArrayStream``."""


class ArrowArray(Protocol):
    """A column of one piece: an Array of pyarrow."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        """Return two capsules that hold an ``ArrowSchema`` and an ``ArrowArray``."""


Hypotheses: TypeAlias = Iterable[str] | ArrowStream | ArrowArray
References: TypeAlias = Iterable[str] | Iterable[Iterable[str | None]] | ArrowStream | ArrowArray

LISTS = (list, tuple)


def read_pairs(hypotheses: Hypotheses, references: References, *, least: int = 1) -> PairSource:
    """Check the texts that a public function is given.

    Parameters
    ----------
    hypotheses, references
        See `chrf.corpus_score`. Two columns are read in place; where one side has no Arrow
        interface, both are read as lists.
    least : int
        The number of segments that there must be.

    Raises
    ------
    TypeError, ValueError
        What `chrf.corpus_score` raises, with the side and the position.
    """
    left: Any = hypotheses
    right: Any = references
    if type(left) in LISTS and type(right) in LISTS:
        return read_segments(left, right, least=least)
    if has_interface(left) and has_interface(right):
        left, right = only_column(left), only_column(right)
        pairs = read_columns(left, right, least=least)
        if pairs is not None:
            return pairs
    left = as_strings("hypotheses", left)
    right = as_strings("references", right, lists=True, missing=True)
    return read_segments(left, right, least=least)
