"""The loop that compares: contenders in turns, so that what slows the machine slows them all.

Two files take other times, which no call of a contender has: ``pipeline.py`` processor time inside
of one command, for the kernel's share of it; ``loopback.py`` the latencies of many clients at once,
for percentiles, and how long a killed worker is away.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping


def interleaved(
    runs: Mapping[str, Callable[[], object]], rounds: int, seconds: float = 0
) -> dict[str, list[float]]:
    """Return the seconds of a call of each run, one number for each round.

    In a round every run has its turn, in which it is called until `seconds` have passed, once at
    least; its number is the mean of these calls. The smallest number of a run is the one to show.
    """
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            calls = 0
            begin = now = time.perf_counter()
            while not calls or now < begin + seconds:
                run()
                calls += 1
                now = time.perf_counter()
            found[name].append((now - begin) / calls)
    return found


def best(
    runs: Mapping[str, Callable[[], object]], rounds: int, seconds: float = 0
) -> dict[str, float]:
    """Return the smallest number of each run of `interleaved`."""
    return {name: min(found) for name, found in interleaved(runs, rounds, seconds).items()}
