"""Exact and fast chrF and chrF++ for machine translation evaluation."""

try:
    from chrf import _double, _kernel, _pairs, _resample, _rows  # noqa: F401
except ImportError as error:
    raise ImportError(
        "chrf's compiled kernels cannot be imported: install the package (pip install .), and "
        "run from outside its source folder unless it was installed with pip install -e ."
    ) from error

from chrf.accumulator import Accumulator
from chrf.contract import InvalidInput
from chrf.options import VERSION as __version__
from chrf.options import Options
from chrf.pairwise import Choice, mbr, pairwise
from chrf.score import Order, Score, corpus_score, counts, segment_scores
from chrf.scorer import Scorer

__all__ = [
    "Accumulator",
    "Choice",
    "InvalidInput",
    "Options",
    "Order",
    "Score",
    "Scorer",
    "__version__",
    "corpus_score",
    "counts",
    "mbr",
    "pairwise",
    "segment_scores",
]
