"""Hugging Face: `ComputeMetrics` for the Trainer, and `Chrf` in place of ``evaluate.load("chrf")``.

Neither needs anything but chrf: the tokenizer is the caller's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from chrf.core.accumulator import Accumulator
from chrf.core.options import OptionKeywords, Rule, shown
from chrf.core.score import Score, corpus_score
from chrf.core.segments import as_list, check_strings, read_segments
from chrf.sacrebleu.metric import CHRF

if TYPE_CHECKING:
    from fractions import Fraction

    from typing_extensions import Unpack

    from chrf.core.score import References

PADDING = -100  # what the Trainer pads token ids with


class Tokenizer(Protocol):
    """What of a tokenizer is used."""

    def batch_decode(self, sequences: Any, *, skip_special_tokens: bool) -> list[str]:
        """The texts of lists of token ids."""


class Prediction(Protocol):
    """What of a ``transformers.EvalPrediction`` is used."""

    predictions: Any
    label_ids: Any


class ComputeMetrics:
    """``compute_metrics`` for ``Seq2SeqTrainer``: decodes token ids, returns ``{"chrf": score}``.

    Parameters
    ----------
    tokenizer : transformers.PreTrainedTokenizerBase
        Decodes predictions and labels, without special tokens.
    threads : int
        Worker threads of one call. The result does not depend on it.
    **options
        See `chrf.Options`.

    Attributes
    ----------
    score : chrf.Score or None
        The exact score that was last returned.

    Notes
    -----
    Scores are 0 to 100, and higher is better: ``metric_for_best_model="chrf"``,
    ``greater_is_better=True``. The Trainer must generate: ``predict_with_generate=True``. With
    ``batch_eval_metrics=True`` it calls once for each batch and keeps no predictions; the score is
    the same fraction. It pickles if the tokenizer does.
    """

    def __init__(
        self, tokenizer: Tokenizer, *, threads: int = 1, **options: Unpack[OptionKeywords]
    ) -> None:
        self._tokenizer = tokenizer
        self._accumulator = Accumulator(threads=threads, **options)
        self.score: Score | None = None

    def __call__(
        self, prediction: Prediction, compute_result: bool | None = None
    ) -> dict[str, float]:
        """Score a whole evaluation, or count one batch of it.

        Parameters
        ----------
        prediction : transformers.EvalPrediction
            Token ids [rows, tokens], arrays or tensors, padded with -100 or the padding token. Of
            a tuple of predictions the first is taken.
        compute_result : bool, optional
            None: this is the whole evaluation. False: a batch, and more will come. True: the last.

        Returns
        -------
        dict of str to float
            ``{"chrf": score}``; nothing before the last batch.

        Raises
        ------
        TypeError
            The predictions or the labels are no token ids.
        ValueError
            There are no rows, or not as many of one as of the other.
        """
        if compute_result is None:
            self.reset()
        predictions = self._decode("predictions", prediction.predictions)
        self._accumulator.update(predictions, self._decode("label_ids", prediction.label_ids))
        if compute_result is not None and not compute_result:
            return {}
        self.score = self._accumulator.compute()
        self.reset()
        return {"chrf": float(self.score)}

    def reset(self) -> None:
        """Forget the batches of an evaluation that was broken off."""
        self._accumulator.reset()

    def _decode(self, name: str, values: Any) -> list[str]:
        if isinstance(values, tuple):
            if name != "predictions" or not values:
                raise TypeError(f"{name} is a tuple of {len(values)}; it must be one array")
            values = values[0]  # before the hidden states that a model may add
        if hasattr(values, "detach"):  # a tensor
            values = values.detach().cpu().numpy()
        ids = np.asarray(values)
        if ids.ndim != 2 or ids.dtype.kind not in "iu":
            raise TypeError(
                f"{name} is of {ids.dtype} with shape {ids.shape}; it must be token ids [rows, "
                "tokens]: let the Trainer generate, with predict_with_generate=True"
            )
        rows = [row[row != PADDING].tolist() for row in ids]
        return self._tokenizer.batch_decode(rows, skip_special_tokens=True)


class Chrf:
    """``evaluate.load("chrf")`` without a network, a cache or a lock: same calls, same numbers.

    Notes
    -----
    Scores follow sacreBLEU's rule and are its doubles to the last bit, as those of ``evaluate``
    are; ``compute(rule="all")`` counts every hypothesis n-gram instead. Unlike there, segments may
    have different numbers of references. Texts are kept in memory until `compute`.

    Examples
    --------
    >>> from chrf.integrations.transformers import Chrf
    >>> metric = Chrf()
    >>> metric.compute(predictions=["the cat sits"], references=[["the cat sat", "a cat"]])
    {'score': 66.58324830789084, 'char_order': 6, 'word_order': 0, 'beta': 2}
    """

    name = "chr_f"  # as evaluate names it

    def __init__(self) -> None:
        self._predictions: list[str] = []
        self._references: list[list[str]] = []

    def add(self, *, prediction: str, reference: str | Sequence[str]) -> None:
        """Add one segment, with one reference or several."""
        self.add_batch(predictions=[prediction], references=[reference])

    def add_batch(self, *, predictions: Iterable[str], references: References) -> None:
        """Add segments: one reference, or one list of references, for each prediction.

        Raises
        ------
        TypeError, ValueError
            What `chrf.corpus_score` refuses. Then nothing is added.
        """
        texts, groups = _read(predictions, references)
        self._predictions += texts
        self._references += groups

    def compute(
        self,
        *,
        predictions: Iterable[str] | None = None,
        references: References | None = None,
        char_order: int = CHRF.CHAR_ORDER,
        word_order: int = CHRF.WORD_ORDER,
        beta: float | Fraction = CHRF.BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        rule: Rule = "sacrebleu",
    ) -> dict[str, Any]:
        """Score what was added and these segments, and forget them.

        Parameters
        ----------
        predictions, references
            As `add_batch` takes them; both or neither.
        char_order, word_order, beta, lowercase, whitespace, eps_smoothing
            See `chrf.sacrebleu.CHRF`.
        rule : {"sacrebleu", "all"}
            See `chrf.Options`; under "all" there is no smoothing, and beta is no float.

        Returns
        -------
        dict
            ``score``, 0 to 100, ``char_order``, ``word_order`` and ``beta``.

        Raises
        ------
        TypeError, ValueError
            An option or text that cannot be. Then what was added stays.
        """
        texts, groups = self._predictions, self._references
        if (predictions is None) != (references is None):
            raise ValueError("give predictions and references, or neither of them")
        if predictions is not None and references is not None:
            more_texts, more_groups = _read(predictions, references)
            texts, groups = texts + more_texts, groups + more_groups
        options: dict[str, Any] = {
            "char_order": char_order,
            "word_order": word_order,
            "beta": beta,
            "lowercase": lowercase,
            "whitespace": whitespace,
        }
        if not texts:
            raise ValueError("there are no segments: nothing was added or given")
        if rule == "sacrebleu":
            streams = [list(stream) for stream in zip_longest(*groups)]
            metric = CHRF(**options, eps_smoothing=eps_smoothing)
            score = metric.corpus_score(texts, streams).score
        elif eps_smoothing:
            raise ValueError(f"eps_smoothing goes with rule='sacrebleu'; the rule is {shown(rule)}")
        else:
            score = float(corpus_score(texts, groups, **options, rule=rule))
        self._predictions, self._references = [], []
        return {
            "score": score,
            "char_order": char_order,
            "word_order": word_order,
            "beta": beta,
        }

    def _feature_names(self) -> list[str]:
        """What ``evaluate.combine`` asks for."""
        return ["predictions", "references"]


def _read(predictions: Iterable[str], references: References) -> tuple[list[str], list[list[str]]]:
    """The segments, each with a list of references; there may be none."""
    predictions = as_list("predictions", predictions)
    references = as_list("references", references, nested=True)
    if not predictions and not references:
        return [], []
    check_strings("predictions", predictions)
    read = read_segments(predictions, references)
    starts = range(len(read) + 1) if read.starts is None else read.starts
    return read.hypotheses, [read.references[a:b] for a, b in pairwise(starts)]
