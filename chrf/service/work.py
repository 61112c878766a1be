"""Work beside the event loop: one call at a time, and a queue whose length is bounded.

Two threads would not be faster, since most of a call holds the interpreter's lock. They would take
the memory of two calls, and the event loop would wait for either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from chrf.service.errors import RequestError

T = TypeVar("T")

# A call with more text than this is run in a thread, so that the others need not wait; a smaller
# one takes a millisecond at most, and the way to a thread and back costs more than it saves.
INLINE_BYTES = 8192
MOST_WAITING = 512  # calls; their bodies are bounded in `chrf.service.body`


class WorkQueue:
    """Runs the calls of one process."""

    def __init__(self, most_waiting: int = MOST_WAITING) -> None:
        import anyio

        self.limiter = anyio.CapacityLimiter(1)
        self.most_waiting = most_waiting
        self.count = 0  # calls that run or wait

    async def run(self, call: Callable[[], T], size: int) -> T:
        """Run a call: at once if its `size` in bytes is small, else in its turn.

        Raises
        ------
        RequestError
            Too many calls are waiting.
        """
        import anyio.to_thread

        if size <= INLINE_BYTES:
            return call()
        if self.count > self.most_waiting:
            raise overloaded()
        self.count += 1
        try:
            return await anyio.to_thread.run_sync(call, limiter=self.limiter)
        finally:
            self.count -= 1


def overloaded() -> RequestError:
    """Return the error of a request that comes when there is too much to do."""
    return RequestError("overloaded", "too many requests are waiting; try again in a second")
