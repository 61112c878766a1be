"""`Scorer`: fixed references, checked and prepared once, against which systems are scored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from chrf.core import counting, exact
from chrf.core.counting import Block
from chrf.core.options import OptionKeywords, Options
from chrf.core.score import Score, from_totals
from chrf.core.segments import Segments, as_list, check_strings, read_segments, unequal_lengths
from chrf.kernel import prepared
from chrf.kernel.text import lower_all

if TYPE_CHECKING:
    from array import array

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from chrf.core.score import References


class Scorer:
    """Scores systems against the same references. The numbers are those of the functions.

    Parameters
    ----------
    references : iterable of str, or of lists of str
        As `chrf.corpus_score` takes them.
    threads : int
        Worker threads of each call. The result does not depend on it.
    **options
        See `chrf.Options`.

    Raises
    ------
    TypeError, ValueError
        What `chrf.corpus_score` refuses in references, here; in hypotheses, when they are scored.

    Notes
    -----
    Nothing in a scorer changes: threads may share it. It pickles and copies.

    Examples
    --------
    >>> from chrf.core.scorer import Scorer
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
        self._threads = counting.checked_threads(threads)
        groups = as_list("references", references, nested=True)
        given = read_segments([""] * len(groups), groups)
        self._references, self._starts = given.references, given.starts
        self._prepare()

    def _prepare(self) -> None:
        """Do with the references what need not be done again for each system."""
        texts, options = self._references, self._options
        self._counted = options  # what is left to do
        if options.lowercase:
            texts = lower_all(texts)
            self._counted = replace(options, lowercase=False)
        self._prepared = prepared.References(
            texts, options.char_order, options.word_order, options.whitespace
        )

    def __getstate__(self) -> dict[str, Any]:
        kept = ("_options", "_threads", "_references", "_starts")
        return {name: value for name, value in self.__dict__.items() if name in kept}

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)
        self._prepare()

    @property
    def options(self) -> Options:
        """The options, which do not change."""
        return self._options

    def corpus_score(self, hypotheses: Iterable[str]) -> Score:
        """`chrf.corpus_score` of the hypotheses and the references."""
        segments = self._segments(hypotheses)
        blocks = counting.count_blocks(segments, self._counted, self._threads, Block.totals)
        return from_totals(counting.total_of(blocks), self._options, segments.reference_count)

    def segment_scores(self, hypotheses: Iterable[str]) -> NDArray[np.float64]:
        """`chrf.segment_scores` of the hypotheses and the references."""
        import numpy as np

        def finish(block: Block) -> array[float]:
            return exact.nearest_doubles(block.flat, self._options)

        segments = self._segments(hypotheses)
        scores, *more = counting.count_blocks(segments, self._counted, self._threads, finish)
        for part in more:
            scores += part
        return np.frombuffer(scores, dtype=np.float64)

    def counts(self, hypotheses: Iterable[str]) -> NDArray[np.int64]:
        """`chrf.counts` of the hypotheses and the references."""
        import numpy as np

        def finish(block: Block) -> NDArray[np.int64]:
            return counting.apply_rule(block.counts, self._options.rule)

        segments = self._segments(hypotheses)
        parts = counting.count_blocks(segments, self._counted, self._threads, finish)
        return np.concatenate(list(parts))

    def _segments(self, hypotheses: Iterable[str]) -> Segments:
        texts = as_list("hypotheses", hypotheses)
        references, starts = self._references, self._starts
        if len(texts) != (len(starts) - 1 if starts else len(references)):
            groups = [references[a:b] for a, b in pairwise(starts)] if starts else references
            raise ValueError(unequal_lengths(texts, groups, starts is not None))
        check_strings("hypotheses", texts)
        if self._options.lowercase:
            texts = lower_all(texts)
        return Segments(texts, references, starts, self._prepared)
