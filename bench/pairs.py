"""All pairs and reference aggregation beside fastchrf, on the same inputs and threads.

    python bench/pairs.py            1 and 2 threads, about two minutes
    python bench/pairs.py --quick    128 texts instead of 512, and fewer rounds

Every result is checked before anything is timed. Rounds are interleaved (both contenders, then both
again) and each contender's best round counts. fastchrf takes its number of threads from the
environment once, so each number has a process of its own.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from typing import Any

import fastchrf
import numpy as np

import cases
import chrf
from chrf.core.mbr import mbr
from chrf.core.pairwise import pairwise
from timing import best

TEXTS = 512
PREFERRED = [f"wmt23 {pair} {cases.WMT23_SYSTEM}" for pair in ("en-cs", "ja-en", "en-zh")]
INSTEAD = ["sentence czech", "sentence german", "sentence chinese"]
THREADS = (1, 2)
ROUND = 0.2  # seconds of a contender in a round, or one call
ACCURACY = 1e-4  # of a score from 0 to 100 in 32 bits
OVERFLOWING = (1e155, math.inf, math.nan)  # betas whose square is no double
COLUMNS = "{:22} {:>7} {:>12} {:>8} {:>9} {:>7} {:>9} {:>8} {:>9} {:>7}"
HEADING = ("case", "threads", "matrices", "pairs ms", "fastchrf", "times", "us/pair")
HEADING_2 = ("mbr ms", "fastchrf", "times")

Batch = list[list[str]]


def read_case(name: str, texts: int) -> tuple[Batch, Batch]:
    """One matrix of `texts` different hypotheses and as many different references."""
    case = cases.load(name)
    pairs: dict[str, str] = {}
    used = set()
    for hypothesis, group in zip(case.hypotheses, case.groups, strict=True):
        if hypothesis not in pairs and group[0] not in used:
            pairs[hypothesis] = group[0]
            used.add(group[0])
    return [list(pairs)[:texts]], [list(pairs.values())[:texts]]


def read_candidates(lists: int) -> tuple[Batch, Batch]:
    """Many small matrices: eight texts that say the same, each against all."""
    groups = cases.load("eight references").groups[:lists]
    return groups, groups


def ours(hypotheses: Batch, references: Batch, threads: int) -> np.ndarray:
    return pairwise(hypotheses, references, threads=threads)


def our_aggregate(hypotheses: Batch, references: Batch, threads: int) -> list[np.ndarray]:
    return [
        mbr(candidates, given, mode="aggregate", threads=threads).utilities
        for candidates, given in zip(hypotheses, references, strict=True)
    ]


def check(name: str, found: Any, expected: Any) -> str:
    """Equal to the accuracy of 32 bits where the peer has a number."""
    peer = np.array(expected)
    number = ~np.isnan(peer)
    largest = float(np.abs(np.array(found) - peer)[number].max())
    if np.isnan(found).any() or largest > ACCURACY:
        raise AssertionError(f"{name}: a difference of {largest}")
    return f"{name}: largest difference {largest:.1e}, {np.count_nonzero(~number)} NaN in fastchrf"


def check_cells(hypotheses: Batch, references: Batch, scores: np.ndarray) -> None:
    """Some rows cell by cell: the double nearest to the exact score."""
    left, right = hypotheses[0], references[0]
    for i in range(0, len(left), max(1, len(left) // 3)):
        exact = [float(chrf.corpus_score([left[i]], [text])) for text in right]
        if scores[0, i].tolist() != exact:
            raise AssertionError(f"row {i} is not that of corpus_score")


def check_where_fastchrf_fails() -> None:
    """The known cases in which fastchrf gives NaN: chrf refuses such a beta."""
    for function in (fastchrf.pairwise_chrf, fastchrf.aggregate_chrf):
        for beta in OVERFLOWING:
            if not np.isnan(function([["abc"]], [["abd"]], beta=beta)).all():
                raise AssertionError(f"{function.__name__} has a number for beta {beta}")


def measure(name: str, batch: tuple[Batch, Batch], threads: int, rounds: int) -> list[str]:
    """Print one line of the table; return what the checks found."""
    scores = ours(*batch, threads)
    check_cells(*batch, scores)
    notes = [
        check(f"{name}, pairs", scores, fastchrf.pairwise_chrf(*batch)),
        check(
            f"{name}, aggregate", our_aggregate(*batch, threads), fastchrf.aggregate_chrf(*batch)
        ),
    ]
    runs = {
        "pairs": lambda: ours(*batch, threads),
        "pairs of fastchrf": lambda: fastchrf.pairwise_chrf(*batch),
        "mbr": lambda: our_aggregate(*batch, threads),
        "mbr of fastchrf": lambda: fastchrf.aggregate_chrf(*batch),
    }
    seconds = list(best(runs, rounds, ROUND).values())
    pairs, aggregate = seconds[:2], seconds[2:]
    shape = " x ".join(map(str, scores.shape))
    figures = [
        *(f"{1e3 * cost:.1f}" for cost in pairs),
        f"{pairs[1] / pairs[0]:.1f}",
        f"{1e6 * pairs[0] / scores.size:.3f}",
        *(f"{1e3 * cost:.1f}" for cost in aggregate),
        f"{aggregate[1] / aggregate[0]:.1f}",
    ]
    print(
        COLUMNS.format(name.removesuffix(f" {cases.WMT23_SYSTEM}"), threads, shape, *figures),
        flush=True,
    )
    return notes


def run(threads: int, quick: bool) -> None:
    """The table for one number of threads, in this process."""
    check_where_fastchrf_fails()
    texts, lists, rounds = (128, 50, 2) if quick else (TEXTS, 200, 4)
    names = PREFERRED if set(PREFERRED) <= set(cases.names()) else INSTEAD
    notes = []
    for name in names:
        notes += measure(name, read_case(name, texts), threads, rounds)
    notes += measure("8 candidates", read_candidates(lists), threads, rounds)
    if threads == THREADS[0]:
        print("\n".join(["", *notes, ""]), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer texts and rounds")
    parser.add_argument("--threads", type=int, metavar="N", help="only this number of threads")
    arguments = parser.parse_args()
    if arguments.threads is not None and "RAYON_NUM_THREADS" in os.environ:
        run(arguments.threads, arguments.quick)
        return
    print(COLUMNS.format(*HEADING, *HEADING_2), flush=True)
    for threads in THREADS if arguments.threads is None else (arguments.threads,):
        command = [sys.executable, __file__, "--threads", str(threads)]
        command += ["--quick"] if arguments.quick else []
        subprocess.run(command, check=True, env={**os.environ, "RAYON_NUM_THREADS": str(threads)})
    print(
        "\nmatrices: batch x hypotheses x references. ms: a call in the best round. "
        "mbr: mbr(mode='aggregate') against aggregate_chrf.\n"
        "fastchrf gives NaN where the square of beta overflows a double; chrf refuses it.\n"
        f"chrf {chrf.__version__}, fastchrf {version('fastchrf')}, numpy {np.__version__}, "
        f"Python {platform.python_version()}, {os.cpu_count()} CPUs"
    )


if __name__ == "__main__":
    main()
