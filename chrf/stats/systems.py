"""`SystemCounts`: what the statistics know of a system, from its text or from given counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chrf.core import resampling
from chrf.core.blocks import Counts
from chrf.core.checks import cut
from chrf.core.options import Options
from chrf.core.score import Score


@dataclass(frozen=True)
class SystemCounts:
    """A system's counts and their score, which must belong together: nothing is checked here.

    Attributes
    ----------
    name : str
    counts : numpy.ndarray of int64, shape [segments, orders, 3]
        Under the rule of the score's options.
    score : Score
    """

    name: str
    counts: Counts
    score: Score

    @classmethod
    def of(cls, name: str, array: NDArray[np.integer[Any]], options: Options) -> SystemCounts:
        """Check counts that come from outside, and score them.

        Parameters
        ----------
        name : str
            What the messages call them.
        array : numpy.ndarray of integers, shape [segments, orders, 3]
        options : Options
            Those that the counts were made with.

        Raises
        ------
        TypeError
            Not integers.
        ValueError
            Another shape, no segments, negative counts, more matches than n-grams, or counts whose
            sums may pass 63 bits.
        """
        counts = _checked_counts(name, array, options)
        summed = tuple((int(h), int(r), int(m)) for h, r, m in counts.sum(axis=0))
        score = Score(counts=summed, options=options, segment_count=len(counts))
        return cls(name, counts, score)

    @property
    def options(self) -> Options:
        """The options that the counts were made with."""
        return self.score.options

    def signature(self, **parts: int | str | None) -> str:
        """Return the score's signature with these parts, where sacreBLEU has them; None is none."""
        score = self.score
        extra = {key: value for key, value in parts.items() if value is not None}
        return self.options.signature(score.reference_count, score.segment_count, extra=extra)


def _checked_counts(name: str, counts: NDArray[np.integer[Any]], options: Options) -> Counts:
    """Return the counts as int64; raise where they cannot be counts."""
    array, name = np.asarray(counts), cut(name)
    shape = "[segments, orders, 3]"
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} holds {array.dtype}; counts are integers {shape}")
    if array.ndim != 3 or array.shape[1:] != (options.order_count, 3):
        raise ValueError(
            f"{name} has shape {list(array.shape)}; with these options counts are {shape} of "
            f"{options.order_count} orders"
        )
    if not len(array):
        raise ValueError(f"{name} has no segments")
    if array.min() < 0:
        raise ValueError(f"{name} holds a negative count")
    if (array[..., 2] > array[..., :2].min(axis=2)).any():
        raise ValueError(f"{name} holds more matches than n-grams")
    if len(array) * int(array.max()) >= 1 << resampling.WORD_BITS:
        raise ValueError(f"{name} holds counts whose sums may pass 63 bits")
    return array.astype(np.int64, copy=False)
