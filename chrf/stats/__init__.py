"""Intervals and significance tests: every resample is a sum of integer counts, scored exactly.

`bootstrap_ci`, `paired_bootstrap` and `paired_permutation` are about the corpus score, the number
that people publish, and take text or counts. `chrf_ci` and `chrf_permutation_test` have the
interface of the package evaluatio. ``docs/statistics.md`` says what is computed::

    chrf.stats.bootstrap_ci ...                the command line
      corpus ---> input: text or counts             |
        |           +----> systems: SystemCounts <--+
        +--------------------> intervals, tests <---+
                                    |
    chrf.stats.chrf_ci ...          v
      evaluatio -----------> deciding: exact comparisons   estimates: what is read off resamples

``settings`` are checked before anything is read, ``resolution`` is what too few draws cannot show,
and ``records`` are what all of them return. The draws themselves are in `chrf.core.resampling`.
"""

from chrf.stats.corpus import bootstrap_ci, paired_bootstrap, paired_permutation
from chrf.stats.evaluatio import chrf_ci, chrf_permutation_test
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
