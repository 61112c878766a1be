"""The candidate of the best expected utility: minimum Bayes risk decoding."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from chrf.core import exact
from chrf.core.blocks import Counts
from chrf.core.checks import shown
from chrf.core.options import OptionKeywords, Options
from chrf.core.pairwise import fill_scores, prepare, read_list
from chrf.core.source import Hypotheses
from chrf.core.threads import checked_threads

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from chrf.core.pairwise import Scores

Mode = Literal["mean", "aggregate"]

MODES: tuple[Mode, ...] = ("mean", "aggregate")

# A mean of nearest doubles, whose sum is rounded once, has a relative error below 2^-51.
# Two of them that are this far apart are in the right order.
MARGIN = 2.0**-48


@dataclass(frozen=True, eq=False)
class Choice:
    """The candidate of the best expected utility; see `mbr`.

    Attributes
    ----------
    index : int
        Its position: the first of those that share the best utility, compared exactly.
    utilities : numpy.ndarray of float64, shape [candidates]
        Expected utility of every candidate, 0 to 100; higher is better.
    scores : numpy.ndarray of float64, shape [candidates, references], or None
        The matrix that `pairwise` makes; None in the mode "aggregate", which has none.
    counts : numpy.ndarray of int64, shape [references, orders, 3] or [1, orders, 3]
        Counts of the chosen candidate with every reference, before the rule is applied; in the
        mode "aggregate" with all of them added up.
    mode : {"mean", "aggregate"}
    reference_count : int
    options : Options
    """

    index: int
    utilities: Scores
    scores: Scores | None
    counts: Counts
    mode: Mode
    reference_count: int
    options: Options

    @property
    def fraction(self) -> Fraction:
        """The exact expected utility of the chosen candidate."""
        fractions = [exact.score(row, self.options) for row in self.counts.tolist()]
        return exact.sum_fractions(fractions) / len(fractions)

    @property
    def signature(self) -> str:
        """What was computed: the mode and the number of references, then chrF's signature."""
        return f"mbr:{self.mode}|references:{self.reference_count}|{self.options.signature(1)}"

    def __repr__(self) -> str:
        utility = float(self.utilities[self.index])
        return f"<candidate {self.index} of {len(self.utilities)}: {utility} {self.signature}>"


def mbr(
    candidates: Hypotheses,
    references: Hypotheses | None = None,
    *,
    mode: Mode = "mean",
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> Choice:
    """Choose the candidate of the best expected utility: minimum Bayes risk decoding with chrF.

    Parameters
    ----------
    candidates : iterable of str, or column
        At least one.
    references : iterable of str, or column, optional
        Pseudo-references, at least one. By default the candidates themselves, so that each is
        also compared with itself.
    mode : {"mean", "aggregate"}
        "mean": a candidate's utility is the mean of its scores against every reference.
        "aggregate": its score against one reference whose n-gram counts are the mean of those of
        all references (Vamvas & Sennrich 2024), which takes linear time. It is neither the mean
        of the scores nor a score with several references.
    threads : int
        Worker threads. The result does not depend on it.
    **options
        See `chrf.Options`.

    Returns
    -------
    Choice
        The index of the best candidate, the first on a tie, which is decided exactly, and the
        utilities of all. In the mode "mean" they have a relative error below 2^-51; in the mode
        "aggregate" each is the double nearest to the exact value.

    Raises
    ------
    TypeError, ValueError
        What `pairwise` raises; no candidates, no references, or a mode that is not one.

    Examples
    --------
    >>> choice = mbr(["abc", "abd", "abc"])
    >>> choice.index, choice.fraction
    (0, Fraction(2150, 27))
    >>> choice.utilities.round(6)
    array([79.62963 , 59.259259, 79.62963 ])
    >>> mbr(["ab"], ["ab", "b"]).fraction, mbr(["ab"], ["ab", "b"], mode="aggregate").fraction
    (Fraction(275, 3), Fraction(625, 7))
    """
    import numpy as np

    checked = Options.from_keywords(dict(options), ("mode", "threads"))
    threads = checked_threads(threads)
    if mode not in MODES:
        raise ValueError(f"mode is {shown(mode)}; it must be 'mean' or 'aggregate'")
    left = read_list("candidates", candidates, least=1)
    right = left if references is None else read_list("references", references, least=1)
    pairs = prepare(left, right, checked)
    scores = None
    if mode == "mean":
        scores = np.empty((len(left), len(right)))
        fill_scores(pairs, checked, threads, scores, None)
        utilities = np.array([math.fsum(row.tolist()) / len(right) for row in scores])
    else:
        means = np.empty((len(left), checked.order_count, 3), np.int64)
        pairs.count_mean(0, len(left), means)
        utilities = exact.row_scores(means, checked)

    def counts_of(i: int) -> Counts:
        shape = (1, len(right)) if mode == "mean" else (1,)
        counts: Counts = np.empty((*shape, checked.order_count, 3), np.int64)
        (pairs.count if mode == "mean" else pairs.count_mean)(i, i + 1, counts)
        return counts.reshape(-1, checked.order_count, 3)

    index, counts = _best_candidate(left, utilities, counts_of, checked)
    return Choice(index, utilities, scores, counts, mode, len(right), checked)


def _best_candidate(
    texts: list[str], utilities: Scores, counts_of: Callable[[int], Counts], options: Options
) -> tuple[int, Counts]:
    """Return the first position of the best utility, and its counts.

    Doubles decide where they are far enough apart, exact fractions between the others.
    """
    import numpy as np

    top = utilities.max()
    first, *others = map(int, np.flatnonzero(utilities >= top - top * MARGIN))
    best, best_counts = first, counts_of(first)
    seen = {texts[first]}
    for i in others if top > 0 else []:
        if texts[i] not in seen:
            seen.add(texts[i])
            counts = counts_of(i)
            if _exceeds(counts, best_counts, options):
                best, best_counts = i, counts
    return best, best_counts


def _exceeds(counts: Counts, other: Counts, options: Options) -> bool:
    """Return whether the sum of the exact scores of all rows is larger than the other's.

    Rows that both have need no fractions.
    """
    difference = Counter(map(tuple, counts.reshape(len(counts), -1).tolist()))
    difference.subtract(map(tuple, other.reshape(len(other), -1).tolist()))
    fractions = (n * exact.score(exact.triples(row), options) for row, n in difference.items() if n)
    return exact.sum_fractions(list(fractions)) > 0
