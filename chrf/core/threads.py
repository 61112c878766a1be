"""Work shared over threads, in blocks and in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from chrf.core.checks import checked_int

S = TypeVar("S")
T = TypeVar("T")

LARGEST_BLOCK = 4096  # segments counted by one thread in one call of the kernel
MOST_BLOCKS = 16  # that are counted at once by as many threads
MOST_THREADS = 1024


def checked_threads(threads: object) -> int:
    """Return the number of threads, an integer of at least 1; above MOST_THREADS, that."""
    if type(threads) is int and 0 < threads <= MOST_THREADS:
        return threads
    return min(checked_int("threads", threads, 1), MOST_THREADS)


def in_blocks(total: int, threads: int) -> Iterable[tuple[int, int]]:
    """Return where each block of `total` segments starts and stops; without any, one empty block.

    The threads take turns within a block, so there is more in one the more threads there are.
    """
    if total <= LARGEST_BLOCK:
        return ((0, total),)
    size = LARGEST_BLOCK * min(threads, MOST_BLOCKS)
    return ((start, min(start + size, total)) for start in range(0, total, size))


def in_order(work: Callable[[S], T], items: Iterable[S], threads: int) -> Iterator[T]:
    """Map `work` over `items` in threads, taking few items ahead: a stream stays a stream.

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
