"""`ComputeMetrics` for the ``Seq2SeqTrainer`` of transformers, which need not be installed."""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from chrf.core.accumulator import Accumulator
from chrf.core.options import OptionKeywords

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from chrf.core.score import Score

PADDING = -100  # what the Trainer pads token ids with


class Tokenizer(Protocol):
    """The part of a tokenizer that is used."""

    def batch_decode(self, sequences: Any, *, skip_special_tokens: bool) -> list[str]:
        """Return the texts of lists of token ids."""


class Prediction(Protocol):
    """The part of a ``transformers.EvalPrediction`` that is used."""

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
    the same fraction. Batches of an interrupted evaluation are dropped when the Trainer begins the
    next one. It pickles if the tokenizer does.
    """

    def __init__(
        self, tokenizer: Tokenizer, *, threads: int = 1, **options: Unpack[OptionKeywords]
    ) -> None:
        self._tokenizer = tokenizer
        self._accumulator = Accumulator(threads=threads, **options)
        self._evaluation: object = None  # to which the batches belong
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
            None: this is the whole evaluation. False: this is a batch, and more will come. True:
            this is the last batch.

        Returns
        -------
        dict of str to float
            ``{"chrf": score}``; empty before the last batch.

        Raises
        ------
        TypeError
            The predictions or the labels are not token ids.
        ValueError
            There are no rows, or the numbers of rows differ.
        """
        evaluation = _evaluation()
        if compute_result is None or evaluation != self._evaluation:
            self.reset()
            self._evaluation = evaluation
        predictions = self._decode("predictions", prediction.predictions)
        self._accumulator.update(predictions, self._decode("label_ids", prediction.label_ids))
        if compute_result is not None and not compute_result:
            return {}
        self.score = self._accumulator.compute()
        self.reset()
        return {"chrf": float(self.score)}

    def reset(self) -> None:
        """Forget the batches of an interrupted evaluation.

        The Trainer need not call it; a loop of your own must, since nothing else says that a new
        evaluation begins.
        """
        self._accumulator.reset()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_evaluation": None}

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


def _evaluation() -> object:
    """Return what tells an evaluation of the Trainer from any other, or None outside of one.

    It is the loader that is being read, and how many loaders have begun and not ended: accelerate
    notes both for each reading, and one that is broken off does not end.
    """
    accelerate = sys.modules.get("accelerate.state")
    if accelerate is None:
        return None
    state = accelerate.GradientState()
    loader = state.active_dataloader
    return None if loader is None else (weakref.ref(loader), len(state.dataloader_references))
