"""Every hypothesis against every reference."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from chrf.core import exact
from chrf.core.blocks import Counts, apply_rule
from chrf.core.checks import counted
from chrf.core.forms.columns import as_strings
from chrf.core.forms.segments import as_list, check_strings, has_lists
from chrf.core.options import OptionKeywords, Options
from chrf.core.source import References
from chrf.core.threads import checked_threads, in_order
from chrf.kernel.pairs import Pairs
from chrf.kernel.text import lower_all, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack


Scores: TypeAlias = "NDArray[np.float64]"
SymbolBuffers: TypeAlias = "tuple[NDArray[np.uint32], NDArray[np.int64]]"

PAIRS_AT_ONCE = 8192  # their counts stay in the cache
FEWEST_PAIRS = 1024  # that are worth another thread's while
UTF_32 = f"utf-32-{sys.byteorder[0]}e"


@overload
def pairwise(
    hypotheses: References,
    references: References,
    *,
    counts: Literal[False] = False,
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> Scores: ...


@overload
def pairwise(
    hypotheses: References,
    references: References,
    *,
    counts: Literal[True],
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> tuple[Scores, Counts]: ...


def pairwise(
    hypotheses: References,
    references: References,
    *,
    counts: bool = False,
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> Scores | tuple[Scores, Counts]:
    """Score each hypothesis against each reference. Each text is prepared once.

    Parameters
    ----------
    hypotheses, references : iterable of str or of lists of str, or column
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
    threads = checked_threads(threads)
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
            pairs = prepare(*batch[i], checked)
            fill_scores(pairs, checked, within, scores[i], None if kept is None else kept[i])

    _run(fill, len(batch), -(-len(batch) // (4 * threads)), threads)
    if not batched:
        scores, kept = scores[0], None if kept is None else kept[0]
    return scores if kept is None else (scores, kept)


def _read_batch(hypotheses: Any, references: Any) -> tuple[list[tuple[list[str], list[str]]], bool]:
    """Return pairs of lists of strings, and whether there may be any number of them."""
    left = as_list("hypotheses", as_strings("hypotheses", hypotheses, lists=True), nested=True)
    right = as_list("references", as_strings("references", references, lists=True), nested=True)
    nested = has_lists(left), has_lists(right)
    if not any(nested):
        return [(read_list("hypotheses", left), read_list("references", right))], False
    if left and right and not all(nested):
        raise TypeError(
            f"hypotheses holds {'lists' if nested[0] else 'strings'} but references holds "
            f"{'lists' if nested[1] else 'strings'}; give lists on both sides or on neither"
        )
    if len(left) != len(right):
        raise ValueError(
            f"hypotheses has {counted(len(left), 'lists')} but references has {len(right)}; "
            "each list of hypotheses needs its own references"
        )
    return [
        (read_list(f"hypotheses[{i}]", a), read_list(f"references[{i}]", b))
        for i, (a, b) in enumerate(zip(left, right, strict=True))
    ], True


def read_list(name: str, values: Any, least: int = 0) -> list[str]:
    """Check texts of which there must be `least` or more, and return them as plain strings."""
    texts = as_list(name, as_strings(name, values))
    check_strings(name, texts)
    if len(texts) < least:
        raise ValueError(f"there are no {name}; give at least one")
    return list(map(str.__str__, texts))  # a subclass may have a length or a hash of its own


def prepare(hypotheses: list[str], references: list[str], options: Options) -> Pairs:
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


def _characters(texts: list[str], whitespace: bool) -> SymbolBuffers:
    """Return the code points of all texts and one more, and where each text starts."""
    import numpy as np

    kept = texts if whitespace else ["".join(str.split(text)) for text in texts]
    joined = "".join([*kept, "\0"]).encode(UTF_32, "surrogatepass")
    return np.frombuffer(joined, np.uint32), np.cumsum([0, *map(len, kept)], dtype=np.int64)


def _words(texts: list[str], numbers: dict[str, int]) -> SymbolBuffers:
    """Return the numbers of the words of all texts and one more, and where each text starts."""
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


def fill_scores(
    pairs: Pairs, options: Options, threads: int, scores: Scores, counts: Counts | None
) -> None:
    """Count and score a matrix, a few rows at a time so that memory stays small."""
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
            counts[start:stop] = apply_rule(flat, options.rule).reshape(block.shape)

    _run(fill, height, rows, threads)


def _run(work: Callable[[int, int], None], total: int, size: int, threads: int) -> None:
    """Call `work` for the ranges of at most `size` that make the total, over threads."""
    ranges = [(start, min(start + size, total)) for start in range(0, total, size)]
    runs = in_order(lambda ends: work(*ends), ranges, threads if len(ranges) > 1 else 1)
    deque(runs, maxlen=0)
