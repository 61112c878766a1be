"""Which of a segment's references is used: the one with the highest score, the first on a tie."""

from __future__ import annotations

from array import array
from itertools import pairwise

from chrf.core import exact
from chrf.core.blocks import Block
from chrf.core.options import Options


def best_references(flat: array[int], starts: list[int] | None, options: Options) -> Block:
    """Choose each segment's best reference.

    Nearest doubles order scores correctly wherever they differ; where they are equal and the
    counts are not, the exact fractions decide.

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
        row, several = a + group.index(top), False
        if group.count(top) > 1:
            row, several = _first_best([i for i in range(a, b) if scores[i] == top], flat, options)
        best += flat[row * width : (row + 1) * width]
        tied.append(several)
    return Block(best, options.order_count, starts, tied)


def _first_best(rows: list[int], flat: array[int], options: Options) -> tuple[int, bool]:
    """Return the first row whose exact score is the highest, and whether another is as high."""
    width = 3 * options.order_count
    counts = [flat[row * width : (row + 1) * width] for row in rows]
    if all(row == counts[0] for row in counts):
        return rows[0], True
    fractions = [exact.score(exact.triples(row), options) for row in counts]
    top = max(fractions)
    return rows[fractions.index(top)], fractions.count(top) > 1
