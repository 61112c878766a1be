"""Every hypothesis against every reference, and the candidate of the best expected utility."""

from __future__ import annotations

import math
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, overload

from chrf.core import counting, exact
from chrf.core.options import OptionKeywords, Options, shown
from chrf.core.segments import as_list, check_strings, has_lists
from chrf.kernel.pairs import Pairs
from chrf.kernel.text import lower_all, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    Texts = Iterable[str] | Iterable[Iterable[str]]
    Counts = NDArray[np.int64]
    Scores = NDArray[np.float64]
    Symbols = tuple[NDArray[np.uint32], NDArray[np.int64]]

Mode = Literal["mean", "aggregate"]

MODES: tuple[Mode, ...] = ("mean", "aggregate")
PAIRS_AT_ONCE = 8192  # their counts stay in the cache
FEWEST_PAIRS = 1024  # that are worth another thread's while
UTF_32 = f"utf-32-{sys.byteorder[0]}e"

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
        return _total(fractions) / len(fractions)

    @property
    def signature(self) -> str:
        """What was computed: the mode and the number of references, then chrF's signature."""
        return f"mbr:{self.mode}|references:{self.reference_count}|{self.options.signature(1)}"

    def __repr__(self) -> str:
        utility = float(self.utilities[self.index])
        return f"<candidate {self.index} of {len(self.utilities)}: {utility} {self.signature}>"


@overload
def pairwise(
    hypotheses: Texts,
    references: Texts,
    *,
    counts: Literal[False] = False,
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> Scores: ...


@overload
def pairwise(
    hypotheses: Texts,
    references: Texts,
    *,
    counts: Literal[True],
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> tuple[Scores, Counts]: ...


def pairwise(
    hypotheses: Texts,
    references: Texts,
    *,
    counts: bool = False,
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> Scores | tuple[Scores, Counts]:
    """The score of each hypothesis against each reference. Each text is prepared once.

    Parameters
    ----------
    hypotheses, references : iterable of str, or of lists of str
        Of any lengths. Lists of lists make a batch: every list of hypotheses goes with its list
        of references, and all make matrices of the same shape.
    counts : bool
        Return the counts too.
    threads : int
        Worker threads. The result does not depend on it.
    **options
        See `chrf.Options`.

    Returns
    -------
    scores : numpy.ndarray of float64, shape [hypotheses, references]
        ``M[i, j]`` is hypothesis i against reference j (chrF is not symmetric): the double nearest
        to the exact ``corpus_score([hypotheses[i]], [references[j]])``. Of a batch, [batch,
        hypotheses, references].
    counts : numpy.ndarray of int64, shape [hypotheses, references, orders, 3]
        Only if asked for; as `chrf.counts` has them.

    Raises
    ------
    TypeError
        A string where a list was meant; an item that is not a string (side and position named).
    ValueError
        A batch of unequal lengths or shapes.

    Examples
    --------
    >>> hypotheses = ["The cat sat on the mat.", "The cat sat on the hat."]
    >>> references = ["The cat sat on the mat.", "The fat cat sat on the mat."]
    >>> pairwise(hypotheses, references).round(6)
    array([[100.      ,  74.631904],
           [ 79.653735,  57.152875]])
    """
    import numpy as np

    checked = Options.from_keywords(dict(options))
    threads = counting.checked_threads(threads)
    batch, batched = _read_batch(hypotheses, references)
    shapes = [(len(left), len(right)) for left, right in batch]
    for i, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise ValueError(
                f"hypotheses[{i}] and references[{i}] make a matrix of {shape[0]} x {shape[1]}, "
                f"but hypotheses[0] and references[0] one of {shapes[0][0]} x {shapes[0][1]}; "
                "call pairwise once for each"
            )
    full_shape = (len(batch), *(shapes[0] if shapes else (0, 0)))
    scores = np.empty(full_shape)
    kept = np.empty((*full_shape, checked.order_count, 3), np.int64) if counts else None

    within = threads if len(batch) == 1 else 1

    def fill(start: int, stop: int) -> None:
        for i in range(start, stop):
            pairs = _prepare(*batch[i], checked)
            _fill(pairs, checked, within, scores[i], None if kept is None else kept[i])

    _run(fill, len(batch), -(-len(batch) // (4 * threads)), threads)
    if not batched:
        scores, kept = scores[0], None if kept is None else kept[0]
    return scores if kept is None else (scores, kept)


def mbr(
    candidates: Iterable[str],
    references: Iterable[str] | None = None,
    *,
    mode: Mode = "mean",
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> Choice:
    """The candidate of the best expected utility: minimum Bayes risk decoding with chrF.

    Parameters
    ----------
    candidates : iterable of str
        At least one.
    references : iterable of str, optional
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
        What `pairwise` refuses; no candidates, no references, or a mode that is not one.

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

    checked = Options.from_keywords(dict(options))
    threads = counting.checked_threads(threads)
    if mode not in MODES:
        raise ValueError(f"mode is {shown(mode)}; it must be 'mean' or 'aggregate'")
    left = _read_list("candidates", candidates, at_least=1)
    right = left if references is None else _read_list("references", references, at_least=1)
    pairs = _prepare(left, right, checked)
    scores = None
    if mode == "mean":
        scores = np.empty((len(left), len(right)))
        _fill(pairs, checked, threads, scores, None)
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

    index, counts = _first_best(left, utilities, counts_of, checked)
    return Choice(index, utilities, scores, counts, mode, len(right), checked)


# --- input --------------------------------------------------------------------------------------


def _read_batch(
    hypotheses: Iterable[Any], references: Iterable[Any]
) -> tuple[list[tuple[list[str], list[str]]], bool]:
    """Pairs of lists of strings, and whether there may be any number of them."""
    left = as_list("hypotheses", hypotheses, nested=True)
    right = as_list("references", references, nested=True)
    nested = has_lists(left), has_lists(right)
    if not any(nested):
        return [(_read_list("hypotheses", left), _read_list("references", right))], False
    if left and right and not all(nested):
        raise TypeError(
            f"hypotheses holds {'lists' if nested[0] else 'strings'} but references holds "
            f"{'lists' if nested[1] else 'strings'}; give lists on both sides or on neither"
        )
    if len(left) != len(right):
        raise ValueError(
            f"hypotheses has {len(left)} lists but references has {len(right)}; "
            "each list of hypotheses needs its own references"
        )
    return [
        (_read_list(f"hypotheses[{i}]", a), _read_list(f"references[{i}]", b))
        for i, (a, b) in enumerate(zip(left, right, strict=True))
    ], True


def _read_list(name: str, values: Iterable[Any], at_least: int = 0) -> list[str]:
    texts = as_list(name, values)
    check_strings(name, texts)
    if len(texts) < at_least:
        raise ValueError(f"there are no {name}; give at least one")
    return list(map(str.__str__, texts))  # a subclass may have a length or a hash of its own


def _prepare(hypotheses: list[str], references: list[str], options: Options) -> Pairs:
    """Lower-case, remove whitespace and split words, once for each text."""
    numbers: dict[str, int] = {}
    sides = [hypotheses] if references is hypotheses else [hypotheses, references]
    if options.lowercase:
        sides = [lower_all(side) for side in sides]
    pairs = Pairs()
    if options.char_order:
        symbols = [_characters(side, options.whitespace) for side in sides]
        pairs.add_orders(symbols[0], symbols[-1], options.char_order)
    if options.word_order:
        symbols = [_words(side, numbers) for side in sides]
        pairs.add_orders(symbols[0], symbols[-1], options.word_order)
    return pairs


def _characters(texts: list[str], whitespace: bool) -> Symbols:
    """The code points of all texts and one more, and where each text starts."""
    import numpy as np

    kept = texts if whitespace else ["".join(str.split(text)) for text in texts]
    joined = "".join([*kept, "\0"]).encode(UTF_32, "surrogatepass")
    return np.frombuffer(joined, np.uint32), np.cumsum([0, *map(len, kept)], dtype=np.int64)


def _words(texts: list[str], numbers: dict[str, int]) -> Symbols:
    """The numbers of the words of all texts and one more, and where each text starts."""
    import numpy as np

    known: dict[str, list[int]] = {}
    symbols: list[int] = []
    starts = [0]
    for text in texts:
        for piece in str.split(text):
            if piece not in known:
                known[piece] = [numbers.setdefault(word, len(numbers)) for word in words(piece)]
            symbols += known[piece]
        starts.append(len(symbols))
    return np.array([*symbols, 0], np.uint32), np.array(starts, np.int64)


# --- scores -------------------------------------------------------------------------------------


def _fill(
    pairs: Pairs, options: Options, threads: int, scores: Scores, counts: Counts | None
) -> None:
    """Count and score a matrix, so many rows at a time that memory stays small."""
    import numpy as np

    height, width = scores.shape
    if not height or not width:
        return
    rows = max(1, PAIRS_AT_ONCE // width)
    if threads > 1:
        rows = min(rows, max(1, FEWEST_PAIRS // width, -(-height // (4 * threads))))

    def fill(start: int, stop: int) -> None:
        block = np.empty((stop - start, width, options.order_count, 3), np.int64)
        pairs.count(start, stop, block)
        flat = block.reshape(-1, options.order_count, 3)
        scores[start:stop] = exact.row_scores(flat, options).reshape(stop - start, width)
        if counts is not None:
            counts[start:stop] = counting.apply_rule(flat, options.rule).reshape(block.shape)

    _run(fill, height, rows, threads)


def _run(work: Callable[[int, int], None], total: int, size: int, threads: int) -> None:
    """Call `work` for the ranges of at most so many that make the total, over threads."""
    ranges = [(start, min(start + size, total)) for start in range(0, total, size)]
    runs = counting.in_order(lambda ends: work(*ends), ranges, threads if len(ranges) > 1 else 1)
    deque(runs, maxlen=0)


def _first_best(
    texts: list[str], utilities: Scores, counts_of: Callable[[int], Counts], options: Options
) -> tuple[int, Counts]:
    """The first position of the best utility, and its counts.

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
    """Whether the sum of the exact scores of all rows is larger than the other's.

    Rows that both have need no fractions.
    """
    difference = Counter(map(tuple, counts.reshape(len(counts), -1).tolist()))
    difference.subtract(map(tuple, other.reshape(len(other), -1).tolist()))
    fractions = (
        n * exact.score(list(zip(row[0::3], row[1::3], row[2::3], strict=True)), options)
        for row, n in difference.items()
        if n
    )
    return _total(list(fractions)) > 0


def _total(values: list[Fraction]) -> Fraction:
    """The sum, by halves: denominators then grow as late as they can."""
    if len(values) < 3:
        return sum(values, Fraction(0))
    middle = len(values) // 2
    return _total(values[:middle]) + _total(values[middle:])
