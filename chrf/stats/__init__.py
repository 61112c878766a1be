"""Intervals and significance tests: every resample is a sum of integer counts.

`chrf_ci` and `chrf_permutation_test` have the interface of the package evaluatio. `bootstrap_ci`,
`paired_bootstrap` and `paired_permutation` are about the corpus score, the number that people
publish, and take text as `chrf.corpus_score` does. ``docs/statistics.md`` says what is computed.
"""

from chrf.stats.functions import (
    bootstrap_ci,
    chrf_ci,
    chrf_permutation_test,
    paired_bootstrap,
    paired_permutation,
)
from chrf.stats.records import (
    BootstrapInterval,
    Bounds,
    Comparison,
    Comparisons,
    ConfidenceInterval,
    System,
)

__all__ = [
    "BootstrapInterval",
    "Bounds",
    "Comparison",
    "Comparisons",
    "ConfidenceInterval",
    "System",
    "bootstrap_ci",
    "chrf_ci",
    "chrf_permutation_test",
    "paired_bootstrap",
    "paired_permutation",
]
