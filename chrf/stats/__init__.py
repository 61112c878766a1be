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

``settings`` are checked before anything is read, ``design`` is what is drawn together (documents,
strata), ``sets`` joins test sets, ``resolution`` is what too few resamples cannot show, and
``records`` are what all of them return. ``beside`` is what a comparison may hold beside p
(equivalence, power), ``planning`` is power for test sets to come, and ``runs`` are of systems that
were trained several times. Resamples are made in `chrf.core.resampling`.
"""

from chrf.core.mean import MeanScore
from chrf.stats.beside import Equivalence, Power
from chrf.stats.corpus import bootstrap_ci, paired_bootstrap, paired_permutation
from chrf.stats.evaluatio import ConfidenceInterval, chrf_ci, chrf_permutation_test
from chrf.stats.planning import power
from chrf.stats.records import (
    BootstrapInterval,
    Bounds,
    Comparison,
    Comparisons,
    System,
)
from chrf.stats.run_records import RunsComparison, RunsComparisons, SystemRuns
from chrf.stats.runs import compare_runs
from chrf.stats.sets import average_ci, compare_sets

__all__ = [
    "BootstrapInterval",
    "Bounds",
    "Comparison",
    "Comparisons",
    "ConfidenceInterval",
    "Equivalence",
    "MeanScore",
    "Power",
    "RunsComparison",
    "RunsComparisons",
    "System",
    "SystemRuns",
    "average_ci",
    "bootstrap_ci",
    "chrf_ci",
    "chrf_permutation_test",
    "compare_runs",
    "compare_sets",
    "paired_bootstrap",
    "paired_permutation",
    "power",
]
