"""Exact and fast chrF and chrF++ for machine translation evaluation.

``chrf.contract`` with `InvalidInput`, ``chrf.stats``, ``chrf.sacrebleu`` and ``chrf.integrations``
are imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

try:
    import chrf.core.doubles
    import chrf.core.summing
    import chrf.files.splitting
    import chrf.kernel.columns
    import chrf.kernel.count
    import chrf.kernel.pairs
    import chrf.kernel.prepared
    import chrf.kernel.simd.short  # noqa: F401
except ImportError as error:
    from chrf.kernel.unbuilt import why_not

    # With the name, `python -m chrf.batch` says it in a line.
    raise ImportError(why_not(error, __file__), name=__name__) from None

from chrf.core.accumulator import Accumulator
from chrf.core.mbr import Choice, mbr
from chrf.core.options import VERSION as __version__
from chrf.core.options import Options
from chrf.core.pairwise import pairwise
from chrf.core.score import Order, Score, corpus_score, counts, segment_scores
from chrf.core.scorer import Scorer

if TYPE_CHECKING:
    from chrf import contract, integrations, sacrebleu, stats
    from chrf.contract import InvalidInput

__all__ = [
    "Accumulator",
    "Choice",
    "InvalidInput",
    "Options",
    "Order",
    "Score",
    "Scorer",
    "__version__",
    "contract",
    "corpus_score",
    "counts",
    "integrations",
    "mbr",
    "pairwise",
    "sacrebleu",
    "segment_scores",
    "stats",
]

_LATE = ("InvalidInput", "contract", "integrations", "sacrebleu", "stats")  # imported when used


def __getattr__(name: str) -> Any:
    if name == "InvalidInput":
        return import_module("chrf.contract").InvalidInput
    if name in _LATE:
        return import_module(f"chrf.{name}")
    raise AttributeError(f"module 'chrf' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE})
