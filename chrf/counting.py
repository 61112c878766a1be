"""Shares the work over threads, calls the kernel, chooses references, adds up."""

from __future__ import annotations

from _thread import LockType, allocate_lock, start_new_thread
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from chrf import _kernel, exact
from chrf.options import Options, Rule, shown, whole_number
from chrf.segments import Segments, check_strings
from chrf.text import lower_all

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chrf.rows import Fields

    Counts = NDArray[np.int64]

S = TypeVar("S")
T = TypeVar("T")
LARGEST_BLOCK = 4096  # segments counted in one call of the kernel
SMALLEST_SHARE = 64  # segments; fewer are not worth another thread


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
        sums, left_out, short = _kernel.add_up(self.flat, self.order_count)
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
        left_out = self.left_out if rule == "sacrebleu" else None
        hypothesis = self.counts[0::3]
        if left_out is not None:
            hypothesis = [a - b for a, b in zip(hypothesis, left_out, strict=True)]
        return tuple(zip(hypothesis, self.counts[1::3], self.counts[2::3], strict=True))


def count_blocks(
    segments: Segments, options: Options, threads: int, finish: Callable[[Block], T]
) -> Iterator[T]:
    """Count the segments block by block, `threads` at a time.

    Yields
    ------
    What `finish` makes of each block, in the order of the segments. The division into blocks
    depends on the number of threads; counts and their sums do not.
    """
    threads = checked_threads(threads)
    n = len(segments)
    if n <= LARGEST_BLOCK:
        # One block, within which the threads take turns: so they seldom wait for each other.
        sharing = min(threads, -(-n // SMALLEST_SHARE))
        return iter((finish(count_block(segments, options, 0, n, sharing)),))
    size = min(LARGEST_BLOCK, -(-n // (4 * threads)))

    def work(start: int) -> T:
        return finish(count_block(segments, options, start, min(start + size, n)))

    starts = range(0, n, size)
    return map(work, starts) if threads == 1 else iter(_spread(work, starts, threads))


def _spread(work: Callable[[S], T], items: Sequence[S], threads: int) -> list[T]:
    """`map` over threads, of which the calling one is the first, so that fewer have to start."""
    results: dict[int, T] = {}
    failures: dict[int, BaseException] = {}
    turns = iter(range(len(items)))
    lock = allocate_lock()

    def run() -> None:
        while not failures:
            with lock:
                turn = next(turns, None)
            if turn is None:
                return
            try:
                results[turn] = work(items[turn])
            except BaseException as error:
                failures[turn] = error

    _together(run, min(threads, len(items)))
    if failures:  # turns are begun in order, so the first failure does not depend on chance
        raise failures[min(failures)]
    return [results[turn] for turn in range(len(items))]


def _together(work: Callable[[], None], threads: int) -> None:
    """Call `work` in so many threads, of which this is one, and raise what it raises in any."""
    failures: list[BaseException] = []

    def help_out(done: LockType) -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)
        finally:
            done.release()

    helpers = []
    for _ in range(threads - 1):
        done = allocate_lock()
        done.acquire()
        # Not a `Thread`, whose start waits until it runs: that would be a tenth of a short call.
        start_new_thread(help_out, (done,))
        helpers.append(done)
    try:
        work()
    finally:
        for done in helpers:
            done.acquire()
    if failures:
        raise failures[0]


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
    """The number of threads, an integer of at least 1."""
    if type(threads) is int and threads > 0:
        return threads
    allowed = "it must be an integer of at least 1"
    number = whole_number(threads)
    if number is None:
        raise TypeError(f"threads is {shown(threads)}; {allowed}")
    if number < 1:
        raise ValueError(f"threads is {shown(threads)}; {allowed}")
    return number


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
    run = None if threads == 1 else partial(_together, threads=threads)
    if segments.starts is None:
        if segments.prepared:
            flat = segments.prepared.count(segments.hypotheses, start, stop, start, run)
        else:
            flat = _count(segments.hypotheses, segments.references, start, stop, options, run)
        return Block(flat, options.order_count)
    check_strings("hypotheses", segments.hypotheses, start, stop)
    starts = segments.starts[start : stop + 1]
    hypotheses: list[str] = []
    for hypothesis, (a, b) in zip(segments.hypotheses[start:stop], pairwise(starts), strict=True):
        hypotheses += [hypothesis] * (b - a)
    if segments.prepared:
        flat = segments.prepared.count(hypotheses, 0, len(hypotheses), starts[0], run)
    else:
        references = segments.references[starts[0] : starts[-1]]
        flat = _count(hypotheses, references, 0, len(references), options, run)
    best, tied = best_references(flat, [s - starts[0] for s in starts], options)
    return Block(best, options.order_count, tied)


def count_fields(hypotheses: Fields, references: list[Fields], options: Options) -> Block:
    """Count segments of UTF-8 without making strings of them, each against its best reference.

    `options` must not ask for lower case, which only strings have.
    """
    flats = [
        _kernel.count_fields(
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
    run: Callable[[Callable[[], None]], None] | None,
) -> array[int]:
    if options.lowercase:
        check_strings("hypotheses", hypotheses, start, stop)
        check_strings("references", references, start, stop)
        hypotheses = lower_all(hypotheses[start:stop])
        references = lower_all(references[start:stop])
        start, stop = 0, len(hypotheses)
    return _kernel.count(
        hypotheses,
        references,
        start,
        stop,
        options.char_order,
        options.word_order,
        options.whitespace,
        run,
    )


def best_references(
    flat: array[int], starts: list[int], options: Options
) -> tuple[array[int], int]:
    """The counts of each segment's best reference (the first on a tie), and how many tied.

    Nearest doubles order scores correctly wherever they differ; where they are equal and the
    counts are not, the exact fractions decide.
    """
    width = 3 * options.order_count
    scores = exact.nearest_doubles(flat, options)
    best = array("q")
    tied = 0
    for a, b in pairwise(starts):
        top = max(scores[a:b])
        rows = [flat[i * width : (i + 1) * width] for i in range(a, b) if scores[i] == top]
        if any(row != rows[0] for row in rows[1:]):
            fractions = [exact.score(exact.triples(row), options) for row in rows]
            rows = [row for row, f in zip(rows, fractions, strict=True) if f == max(fractions)]
        best += rows[0]
        tied += len(rows) > 1
    return best, tied
