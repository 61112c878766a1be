"""Which of a segment's references is used: the one with the highest score, the first on a tie."""

from __future__ import annotations

from array import array
from itertools import pairwise

from chrf.core import exact
from chrf.core.blocks import Block
from chrf.core.options import Options


def best_references(flat: array[int], starts: list[int] | None, options: Options) -> Block:
    """Choose each segment's best reference.

    Nearest doubles order scores correctly wherever they differ. Where they are equal and the counts
    are not, the exact fractions decide, unless they are 0: no other score is as near to 0.

    Parameters
    ----------
    flat : array.array of type "q"
        The counts of each segment with each of its references, in order.
    starts : list of int, or None
        The references of segment i are those from ``starts[i]`` up to ``starts[i + 1]``, counted
        from ``starts[0]`` on. None: each segment has one.
    options : Options
    """
    width = 3 * options.order_count
    if starts is None:
        return Block(flat, options.order_count)
    scores = exact.nearest_doubles(flat, options).tolist()
    best = array("q")
    tied = []
    for a, b in pairwise([start - starts[0] for start in starts]):
        group = scores[a:b]
        top = max(group)
        row, several = a + group.index(top), group.count(top) > 1
        if several and top > 0:
            row, several = _first_best([i for i in range(a, b) if scores[i] == top], flat, options)
        best += flat[row * width : (row + 1) * width]
        tied.append(several)
    return Block(best, options.order_count, starts, tied)


def _first_best(rows: list[int], flat: array[int], options: Options) -> tuple[int, bool]:
    """Return the first row whose exact score is the highest, and whether another is as high."""
    width = 3 * options.order_count
    alike: dict[bytes, list[int]] = {}
    for row in rows:
        alike.setdefault(flat[row * width : (row + 1) * width].tobytes(), []).append(row)
    if len(alike) == 1:
        return rows[0], True
    groups = [*alike.values()]
    fractions = []
    for first, *_ in groups:
        counts = exact.triples(flat[first * width : (first + 1) * width])
        fractions.append(exact.score(counts, options))
    top = max(fractions)
    best = [group for group, score in zip(groups, fractions, strict=True) if score == top]
    return best[0][0], sum(map(len, best)) > 1
