"""`Chrf` in place of ``evaluate.load("chrf")``; evaluate need not be installed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any

from chrf.core.checks import shown
from chrf.core.forms.segments import as_list, check_strings, read_segments
from chrf.core.options import Rule
from chrf.core.score import corpus_score
from chrf.sacrebleu.metric import CHRF

if TYPE_CHECKING:
    from chrf.core.source import References


class Chrf:
    """The metric of ``evaluate.load("chrf")``, without a network, a cache or a lock.

    Notes
    -----
    Calls and numbers are those of ``evaluate``: sacreBLEU's rule, and its doubles to the last bit.
    ``compute(rule="all")`` counts every hypothesis n-gram instead. Segments may have different
    numbers of references. Texts are kept in memory until `compute`.

    Examples
    --------
    >>> from chrf.integrations.evaluate import Chrf
    >>> metric = Chrf()
    >>> metric.compute(predictions=["the cat sits"], references=[["the cat sat", "a cat"]])
    {'score': 66.58324830789084, 'char_order': 6, 'word_order': 0, 'beta': 2}
    """

    name = "chr_f"  # as evaluate names it

    def __init__(self) -> None:
        self._predictions: list[str] = []
        self._references: list[list[str]] = []

    def add(self, *, prediction: str, reference: str | Sequence[str]) -> None:
        """Add one segment.

        Parameters
        ----------
        prediction : str
        reference : str or sequence of str
            One reference or several.

        Raises
        ------
        TypeError, ValueError
            As `add_batch` raises them.
        """
        self.add_batch(predictions=[prediction], references=[reference])

    def add_batch(self, *, predictions: Iterable[str], references: References) -> None:
        """Add segments.

        Parameters
        ----------
        predictions : iterable of str
        references : iterable of str or of lists of str
            One reference, or one list of references, for each prediction.

        Raises
        ------
        TypeError, ValueError
            As `chrf.corpus_score` raises them. Then nothing is added.
        """
        texts, groups = _read(predictions, references)
        self._predictions += texts
        self._references += groups

    def compute(
        self,
        *,
        predictions: Iterable[str] | None = None,
        references: References | None = None,
        rule: Rule = "sacrebleu",
        **options: Any,
    ) -> dict[str, Any]:
        """Score what was added and these segments, and forget them.

        Parameters
        ----------
        predictions, references
            As `add_batch` takes them; both or neither.
        rule : {"sacrebleu", "all"}
            See `chrf.Options`. Under "all" there is no smoothing, and beta must not be a float.
        **options
            ``char_order``, ``word_order``, ``beta``, ``lowercase``, ``whitespace`` and
            ``eps_smoothing``: see `chrf.sacrebleu.CHRF`.

        Returns
        -------
        dict
            ``score``, 0 to 100, ``char_order``, ``word_order`` and ``beta``.

        Raises
        ------
        TypeError, ValueError
            An option or a text is not valid. Then what was added stays.
        """
        texts, groups = self._predictions, self._references
        if (predictions is None) != (references is None):
            raise ValueError("give predictions and references, or neither of them")
        if predictions is not None and references is not None:
            more_texts, more_groups = _read(predictions, references)
            texts, groups = texts + more_texts, groups + more_groups
        if not texts:
            raise ValueError("there are no segments: nothing was added or given")
        result = {
            "char_order": options.get("char_order", CHRF.CHAR_ORDER),
            "word_order": options.get("word_order", CHRF.WORD_ORDER),
            "beta": options.get("beta", CHRF.BETA),
        }
        if rule == "sacrebleu":
            streams = [list(stream) for stream in zip_longest(*groups)]
            score = CHRF(**options).corpus_score(texts, streams).score
        elif options.pop("eps_smoothing", False):
            raise ValueError(f"eps_smoothing goes with rule='sacrebleu'; the rule is {shown(rule)}")
        else:
            score = float(corpus_score(texts, groups, **options, rule=rule))
        self._predictions, self._references = [], []
        return {"score": score, **result}

    def _feature_names(self) -> list[str]:
        """Return what ``evaluate.combine`` asks for."""
        return ["predictions", "references"]


def _read(predictions: Iterable[str], references: References) -> tuple[list[str], list[list[str]]]:
    """Read segments, each with a list of references; there may be none."""
    predictions = as_list("predictions", predictions)
    references = as_list("references", references, nested=True)
    if not predictions and not references:
        return [], []
    check_strings("predictions", predictions)
    read = read_segments(predictions, references)
    starts = range(len(read) + 1) if read.starts is None else read.starts
    return read.hypotheses, [read.references[a:b] for a, b in pairwise(starts)]
