"""`ChrfMetric`, a ``torchmetrics.Metric``: exact over batches, processes and conversions."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

try:
    import torch  # type: ignore[import-not-found, unused-ignore]
    from torchmetrics import Metric  # type: ignore[import-not-found, unused-ignore]
except ImportError as error:
    raise ImportError(
        "chrf.integrations.torchmetrics needs torch and torchmetrics: "
        "pip install 'chrf[torchmetrics]'"
    ) from error

from chrf.core.accumulator import Accumulator
from chrf.core.options import NAMES, check_same

if TYPE_CHECKING:
    from chrf.core.options import Options
    from chrf.core.score import Score
    from chrf.core.source import References


class ChrfMetric(Metric):  # type: ignore[misc, unused-ignore]
    """chrF as a torchmetrics metric, whose state is one int64 tensor that adds up exactly.

    Parameters
    ----------
    scale : int, float or Fraction
        The factor of `compute`, whose score would be 0 to 100. The default gives 0 to 1, as
        torchmetrics' own ``CHRFScore`` does.
    threads : int
        Worker threads of one `update`. The result does not depend on it.
    **keywords
        The options of `chrf.Options`, and the settings of every ``torchmetrics.Metric``
        (``sync_on_compute``, ``process_group`` and so on).

    Attributes
    ----------
    score : chrf.Score or None
        The exact score that `compute` last gave, of all processes where it was synchronised;
        after `forward`, that of the batch. None at first and after `reset`.
    options : chrf.Options

    Notes
    -----
    The state is a sum of `chrf.Accumulator.state_vector`, one for each `update`: exact for up to
    2^31 updates on all processes together, and kept int64 by `half`, `set_dtype` and every other
    conversion. A state of other options raises, at the latest in `compute`.

    Examples
    --------
    >>> from chrf.integrations.torchmetrics import ChrfMetric
    >>> metric = ChrfMetric(word_order=2)
    >>> metric.update(["the cat", "a dog ran home"], ["the cat sat", "a dog ran home"])
    >>> metric.update(["it rained"], [["it rains today", "it rained a lot"]])
    >>> metric.compute()
    tensor(0.7398, dtype=torch.float64)
    >>> print(metric.score)
    73.978615
    """

    full_state_update = False
    is_differentiable = False
    higher_is_better = True

    counted: torch.Tensor

    def __init__(
        self,
        *,
        scale: float | Fraction = Fraction(1, 100),
        threads: int = 1,
        **keywords: Any,
    ) -> None:
        options = {name: keywords.pop(name) for name in NAMES if name in keywords}
        super().__init__(**keywords)
        self._scale = Fraction(scale)
        self._empty = Accumulator(threads=threads, **options)
        self.score: Score | None = None
        zeros = torch.zeros(len(self._empty.state_vector()), dtype=torch.int64)
        self.add_state("counted", zeros, dist_reduce_fx="sum")

    @property
    def options(self) -> Options:
        """The options of every count; they do not change."""
        return self._empty.options

    def update(self, preds: Iterable[str], target: References) -> None:
        """Count a batch: all of it or, after any error, nothing. It may be empty.

        Parameters
        ----------
        preds : iterable of str
        target : iterable of str, or of lists of str
            One reference for each prediction, or one list of references for each prediction.

        Raises
        ------
        TypeError, ValueError
            As `chrf.corpus_score` raises them.
        """
        batch = copy.copy(self._empty)
        batch.update(preds, target)
        vector = torch.from_numpy(batch.state_vector())
        self.counted = self.counted + vector.to(self.counted.device)

    def compute(self) -> torch.Tensor:
        """Return the score times `scale`, as the nearest float64 (float32 on mps).

        Raises
        ------
        ValueError
            Nothing was counted, or the state has other options.
        """
        whole = copy.copy(self._empty)
        whole.load_state_vector(self.counted.cpu().numpy())
        self.score = whole.compute()
        device = self.counted.device
        dtype = torch.float32 if device.type == "mps" else torch.float64
        return torch.tensor(float(self.score.fraction * self._scale), dtype=dtype, device=device)

    def reset(self) -> None:
        """Forget everything that was counted."""
        super().reset()
        self.score = None

    def merge_state(self, incoming_state: dict[str, Any] | Metric) -> None:
        """Add the state of another metric with the same options, or its ``metric_state``.

        Parameters
        ----------
        incoming_state : dict or ChrfMetric

        Raises
        ------
        ValueError, RuntimeError
            The options differ, or torchmetrics cannot merge.
        """
        if isinstance(incoming_state, ChrfMetric):
            check_same(self.options, incoming_state.options)
        super().merge_state(incoming_state)
        self._computed = None  # torchmetrics would go on to give what it computed before
        self._update_count += 1  # and warn that there was no update

    def _load_from_state_dict(self, *arguments: Any) -> None:
        super()._load_from_state_dict(*arguments)
        self._computed = None

    def _apply(
        self, fn: Callable[[torch.Tensor], torch.Tensor], exclude_state: Any = ""
    ) -> ChrfMetric:
        """Let `fn` move tensors to another device, and leave them their types."""

        def moved(tensor: torch.Tensor) -> torch.Tensor:
            result = fn(tensor)
            return result if result.dtype == tensor.dtype else tensor.to(result.device)

        super()._apply(moved, exclude_state)
        return self
