"""Exact and fast chrF and chrF++ for machine translation evaluation."""

from chrf.options import VERSION as __version__
from chrf.options import Options
from chrf.score import Order, Score, corpus_score, counts, segment_scores

__all__ = [
    "Options",
    "Order",
    "Score",
    "__version__",
    "corpus_score",
    "counts",
    "segment_scores",
]
