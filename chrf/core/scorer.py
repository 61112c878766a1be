"""`Scorer`: fixed references, checked and prepared once, against which systems are scored."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from chrf.core import counting
from chrf.core.best import best_references
from chrf.core.blocks import Block, Counts
from chrf.core.forms.columns import (
    as_strings,
    lies_in_arrow,
    only_column,
    read_column,
    read_columns,
)
from chrf.core.forms.segments import (
    EMPTY_HYPOTHESIS,
    as_list,
    check_strings,
    read_segments,
    repeated,
    unequal_lengths,
)
from chrf.core.options import OptionKeywords, Options
from chrf.core.score import Score, from_totals
from chrf.core.source import Hypotheses, PairSource, References
from chrf.core.threads import checked_threads
from chrf.kernel.columns import Column
from chrf.kernel.prepared import PreparedReferences
from chrf.kernel.text import lower_all

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack


@dataclass(slots=True)
class PreparedPairs:
    """Hypotheses beside references that were prepared under the options of a scorer."""

    hypotheses: list[str]
    references: PreparedReferences
    starts: list[int] | None

    def __len__(self) -> int:
        return len(self.hypotheses)

    def count(self, start: int, stop: int, options: Options, threads: int = 1) -> Block:
        """Count segments `start` up to `stop`, each with its best reference."""
        if self.starts is None and not options.lowercase:
            flat = self.references.count(self.hypotheses, start, stop, start, threads)
            return Block(flat, options.order_count)
        texts = self.hypotheses[start:stop]
        if options.lowercase:
            texts = lower_all(texts)
        starts = None
        if self.starts is not None:
            starts = self.starts[start : stop + 1]
            texts, start = repeated(texts, starts), starts[0]
        flat = self.references.count(texts, 0, len(texts), start, threads)
        return best_references(flat, starts, options)


class Scorer:
    """Scores systems against the same references. The numbers are those of the functions.

    Parameters
    ----------
    references : iterable of str or of lists of str, or column
        As `chrf.corpus_score` takes them.
    threads : int
        Worker threads of each call. The result does not depend on it.
    **options
        See `chrf.Options`.

    Raises
    ------
    TypeError, ValueError
        What `chrf.corpus_score` raises for references, here; for hypotheses, when they are scored.

    Notes
    -----
    Nothing in a scorer changes: threads may share it. It pickles and copies. Columns of hypotheses
    are read in place beside a column of references; a copy, and lists beside a column, use the
    strings that are made of the references once.

    Examples
    --------
    >>> from chrf import Scorer
    >>> scorer = Scorer(["the cat sat", "it rains"])
    >>> print(scorer.corpus_score(["the cat sits", "it rained"]))
    68.041642
    >>> scorer.segment_scores(["the cat sits", "it rains"])
    array([ 66.58324831, 100.        ])
    """

    def __init__(
        self, references: References, *, threads: int = 1, **options: Unpack[OptionKeywords]
    ) -> None:
        self._options = Options.from_keywords(dict(options))
        self._threads = checked_threads(threads)
        self._column = _column_of(references)
        source = references if self._column is None else self._column
        texts = as_strings("references", source, lists=True, missing=True)
        groups = as_list("references", texts, nested=True)
        given = read_segments([""] * len(groups), groups)
        self._references, self._starts = given.references, given.starts
        self._prepare()

    def _prepare(self) -> None:
        """Do with the references what need not be done again for each system."""
        texts, options = self._references, self._options
        if options.lowercase:
            texts = lower_all(texts)
        self._prepared = PreparedReferences(
            texts, options.char_order, options.word_order, options.whitespace
        )

    def __getstate__(self) -> dict[str, Any]:
        kept = ("_options", "_threads", "_references", "_starts")
        return {name: value for name, value in self.__dict__.items() if name in kept}

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)
        self._column = None  # Arrow's memory stays where it is
        self._prepare()

    @property
    def options(self) -> Options:
        """The options, which do not change."""
        return self._options

    def corpus_score(self, hypotheses: Hypotheses) -> Score:
        """Return `chrf.corpus_score` of the hypotheses and the references."""
        totals = counting.totals(self._pairs(hypotheses), self._options, self._threads)
        return from_totals(totals, self._options)

    def segment_scores(self, hypotheses: Hypotheses) -> NDArray[np.float64]:
        """Return `chrf.segment_scores` of the hypotheses and the references."""
        return counting.scores(self._pairs(hypotheses), self._options, self._threads)

    def counts(self, hypotheses: Hypotheses) -> Counts:
        """Return `chrf.counts` of the hypotheses and the references."""
        return counting.counts(self._pairs(hypotheses), self._options, self._threads)

    def _pairs(self, hypotheses: Any) -> PairSource:
        if self._column is not None:
            pairs = read_columns(only_column(hypotheses), self._column)
            if pairs is not None:
                return pairs
        texts = as_list("hypotheses", as_strings("hypotheses", hypotheses))
        references, starts = self._references, self._starts
        if len(texts) != (len(starts) - 1 if starts else len(references)):
            groups = [references[a:b] for a, b in pairwise(starts)] if starts else references
            raise ValueError(unequal_lengths(texts, groups, starts is not None))
        check_strings("hypotheses", texts, EMPTY_HYPOTHESIS)
        return PreparedPairs(texts, self._prepared, starts)


def _column_of(references: Any) -> Column | None:
    """Read the references if they are a column that lies in Arrow's memory."""
    references = only_column(references)
    if not lies_in_arrow(references):
        return None
    return read_column("references", references, lists=True, missing=True)
