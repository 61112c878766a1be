"""Shares the work over threads, calls the kernel, chooses references, adds up."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from chrf.core import exact
from chrf.core.options import Options, Rule, shown, whole_number
from chrf.core.segments import Segments
from chrf.kernel import count as kernel
from chrf.kernel.text import lower_all

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chrf.files.table import Fields

    Counts = NDArray[np.int64]

S = TypeVar("S")
T = TypeVar("T")
LARGEST_BLOCK = 4096  # segments counted by one thread in one call of the kernel
MOST_BLOCKS = 16  # that are counted at once by as many threads
MOST_THREADS = 1024


@dataclass(slots=True)
class Block:
    """Counts of consecutive segments under rule "all", as the kernel returns them."""

    flat: array[int]  # for each segment and order three numbers
    order_count: int
    tied: int = 0  # segments in which two references share the highest score

    @property
    def counts(self) -> Counts:
        """The counts as an array [segments, orders, 3]."""
        import numpy as np

        counts: Counts = np.frombuffer(self.flat, dtype=np.int64)
        return counts.reshape(-1, self.order_count, 3)

    def totals(self) -> Totals:
        """What the block adds to a corpus."""
        sums, left_out, short = kernel.add_up(self.flat, self.order_count)
        segments = len(self.flat) // (3 * self.order_count)
        return Totals(sums, segments, self.tied, left_out if short else None, short)


@dataclass
class Totals:
    """The sum of any number of blocks, in Python's integers."""

    counts: list[int]  # flat: three for each order, under rule "all"
    segments: int = 0
    tied: int = 0
    left_out: list[int] | None = None  # per order, hypothesis n-grams that "sacrebleu" leaves out
    short: int = 0  # segments that have such n-grams

    def add(self, other: Totals) -> None:
        """Add another sum to this one."""
        self.counts = [a + b for a, b in zip(self.counts, other.counts, strict=True)]
        self.segments += other.segments
        self.tied += other.tied
        self.short += other.short
        if other.left_out is not None:
            mine = self.left_out or [0] * len(other.left_out)
            self.left_out = [a + b for a, b in zip(mine, other.left_out, strict=True)]

    def under(self, rule: Rule) -> tuple[tuple[int, int, int], ...]:
        """The summed counts of each order under the rule."""
        hypothesis = self.counts[0::3]
        if rule == "sacrebleu" and self.left_out is not None:
            hypothesis = [a - b for a, b in zip(hypothesis, self.left_out, strict=True)]
        return tuple(zip(hypothesis, self.counts[1::3], self.counts[2::3], strict=True))


def total_of(parts: Iterator[Totals]) -> Totals:
    """The sum of one or more."""
    total = next(parts)
    for part in parts:
        total.add(part)
    return total


def count_blocks(
    segments: Segments, options: Options, threads: int, finish: Callable[[Block], T]
) -> Iterator[T]:
    """What `finish` makes of each block of the segments; see `in_blocks`."""

    threads = checked_threads(threads)

    def work(start: int, stop: int) -> T:
        return finish(count_block(segments, options, start, stop, threads))

    return in_blocks(len(segments), threads, work)


def in_blocks(segments: int, threads: int, work: Callable[[int, int], T]) -> Iterator[T]:
    """What `work` makes of each block of so many segments, in their order.

    The threads take turns within a block, so there is more in one the more threads there are;
    counts and their sums do not depend on the division.
    """
    if segments <= LARGEST_BLOCK:
        return iter((work(0, segments),))
    size = LARGEST_BLOCK * min(threads, MOST_BLOCKS)
    starts = range(0, segments, size)
    return (work(start, min(start + size, segments)) for start in starts)


def in_order(work: Callable[[S], T], items: Iterable[S], threads: int) -> Iterator[T]:
    """`map` over threads, taking few items ahead, so that a stream stays a stream.

    What fails first in the order of the items is raised, were it the taking of the next item.
    """
    if threads == 1:
        yield from map(work, items)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    waiting: deque[Future[T]] = deque()
    failure: Exception | None = None
    remaining = iter(items)
    with ThreadPoolExecutor(threads) as pool:
        try:
            while True:
                try:
                    item = next(remaining)
                except StopIteration:
                    break
                except Exception as error:
                    failure = error
                    break
                waiting.append(pool.submit(work, item))
                if len(waiting) > 2 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
    if failure:
        raise failure


def checked_threads(threads: object) -> int:
    """The number of threads, an integer of at least 1; more than MOST_THREADS are never used."""
    if type(threads) is int and 0 < threads <= MOST_THREADS:
        return threads
    allowed = "it must be an integer of at least 1"
    number = whole_number(threads)
    if number is None:
        raise TypeError(f"threads is {shown(threads)}; {allowed}")
    if number < 1:
        raise ValueError(f"threads is {shown(threads)}; {allowed}")
    return min(number, MOST_THREADS)


def apply_rule(counts: Counts, rule: Rule) -> Counts:
    """The counts as they enter a corpus sum under the rule.

    "sacrebleu" leaves out the hypothesis n-grams of an order that the segment's reference lacks,
    as sacreBLEU and chrF++.py do.
    """
    if rule == "all":
        return counts
    counts = counts.copy()
    counts[:, :, 0] *= counts[:, :, 1] > 0
    return counts


def count_block(
    segments: Segments, options: Options, start: int, stop: int, threads: int = 1
) -> Block:
    """Count segments `start` up to `stop`, each against its best reference."""
    if segments.starts is None:
        if segments.prepared:
            flat = segments.prepared.count(segments.hypotheses, start, stop, start, threads)
        else:
            flat = _count(segments.hypotheses, segments.references, start, stop, options, threads)
        return Block(flat, options.order_count)
    starts = segments.starts[start : stop + 1]
    hypotheses: list[str] = []
    for hypothesis, (a, b) in zip(segments.hypotheses[start:stop], pairwise(starts), strict=True):
        hypotheses += [hypothesis] * (b - a)
    if segments.prepared:
        flat = segments.prepared.count(hypotheses, 0, len(hypotheses), starts[0], threads)
    else:
        references = segments.references[starts[0] : starts[-1]]
        flat = _count(hypotheses, references, 0, len(references), options, threads)
    best, tied = best_references(flat, [s - starts[0] for s in starts], options)
    return Block(best, options.order_count, tied)


def count_fields(hypotheses: Fields, references: list[Fields], options: Options) -> Block:
    """Count segments of UTF-8 without making strings of them, each against its best reference.

    `options` must not ask for lower case, which only strings have.
    """
    flats = [
        kernel.count_fields(
            hypotheses.data,
            hypotheses.spans,
            column.data,
            column.spans,
            options.char_order,
            options.word_order,
            options.whitespace,
        )
        for column in references
    ]
    if len(flats) == 1:
        return Block(flats[0], options.order_count)
    width = 3 * options.order_count
    flat = array("q")
    for i in range(0, len(flats[0]), width):
        for counts in flats:
            flat += counts[i : i + width]
    starts = list(range(0, len(flat) // width + 1, len(flats)))
    best, tied = best_references(flat, starts, options)
    return Block(best, options.order_count, tied)


def _count(
    hypotheses: list[str],
    references: list[str],
    start: int,
    stop: int,
    options: Options,
    threads: int,
) -> array[int]:
    if options.lowercase:
        hypotheses = lower_all(hypotheses[start:stop])
        references = lower_all(references[start:stop])
        start, stop = 0, len(hypotheses)
    return kernel.count(
        hypotheses,
        references,
        start,
        stop,
        options.char_order,
        options.word_order,
        options.whitespace,
        threads,
    )


def best_references(
    flat: array[int], starts: list[int], options: Options
) -> tuple[array[int], int]:
    """The counts of each segment's best reference (the first on a tie), and how many tied.

    Nearest doubles order scores correctly wherever they differ; where they are equal and the
    counts are not, the exact fractions decide.
    """
    width = 3 * options.order_count
    scores = exact.nearest_doubles(flat, options).tolist()
    best = array("q")
    tied = 0
    for a, b in pairwise(starts):
        group = scores[a:b]
        top = max(group)
        row = a + group.index(top)
        if group.count(top) > 1:
            row, several = _first_best([i for i in range(a, b) if scores[i] == top], flat, options)
            tied += several
        best += flat[row * width : (row + 1) * width]
    return best, tied


def _first_best(rows: list[int], flat: array[int], options: Options) -> tuple[int, bool]:
    """The first row whose exact score is the highest, and whether another one's is as high."""
    width = 3 * options.order_count
    counts = [flat[row * width : (row + 1) * width] for row in rows]
    if all(row == counts[0] for row in counts):
        return rows[0], True
    fractions = [exact.score(exact.triples(row), options) for row in counts]
    top = max(fractions)
    return rows[fractions.index(top)], fractions.count(top) > 1
