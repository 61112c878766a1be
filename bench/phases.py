"""Where the kernel's instructions go, function by function: ``make phases``.

Counted by valgrind's callgrind in a kernel that was built with CHRF_PROFILE=1: optimised as ever,
with the lines of the sources as debugging information, so that what the compiler has inlined
is still told apart. Prints instructions a code point of the inputs of ``instructions.py``.
"""

from __future__ import annotations

import bisect
import functools
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

import instructions

LEAST = 0.01  # share of the whole below which a function is not shown
FOLDER = Path(__file__).parents[1] / "chrf/kernel"
SOURCES = [*FOLDER.glob("**/*.pxd"), *FOLDER.glob("simd/*.h"), *FOLDER.glob("simd/*.pyx")]
KERNEL = {path.name: path for path in SOURCES}
BEGIN = re.compile(r"(?:cdef|TARGET|static) .*?(\w+)\(")  # of a function


def main() -> int:
    """Print a table for each input."""
    for name in instructions.INPUTS:
        hypotheses, references, _ = instructions.load(name)
        code_points = sum(map(len, hypotheses + references))
        costs = Counter(profile(name, 1 + instructions.MEASURED))
        costs.subtract(profile(name, 1))
        total = sum(costs.values())
        if not total:
            print("the kernel has no lines: build with CHRF_PROFILE=1", file=sys.stderr)
            return 1
        scale = instructions.MEASURED * code_points
        print(f"{name}: {total / scale:.1f} instructions a code point")
        for (source, function), cost in costs.most_common():
            if cost >= LEAST * total:
                print(f"  {source:16} {function:24} {cost / scale:7.1f} {cost / total:5.0%}")
    return 0


def profile(name: str, calls: int) -> Counter[tuple[str, str]]:
    """Instructions of each function of the kernel in a process that makes so many calls."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        instructions.callgrind(name, calls, out)
        lines = by_line(out.read_text())
    costs: Counter[tuple[str, str]] = Counter()
    for (path, line), cost in lines.items():
        source = Path(path).name
        if source in KERNEL:
            costs[source, function_at(source, line)] += cost
    return costs


def by_line(text: str) -> Counter[tuple[str, int]]:
    """Cost of each line of source in a file of callgrind's (its manual has the format)."""
    costs: Counter[tuple[str, int]] = Counter()
    files: dict[str, str] = {}
    file, line, after_call = "", 0, False
    for record in text.splitlines():
        if found := re.match(r"(fl|fi|fe|cfi|cfl)=\((\d+)\)(?: (.*))?", record):
            kind, number, path = found.groups()
            if path:
                files[number] = path
            if kind.startswith("f"):
                file = files[number]
        elif record.startswith("calls="):
            after_call = True  # the next line has what the callee costs, which is counted there
        elif found := re.fullmatch(r"([+-]?)(\d+|\*) (\d+)", record):
            sign, place, cost = found.groups()
            if place != "*":
                line = {"": 0, "+": line, "-": line}[sign] + int(sign + place)
            if not after_call:
                costs[file, line] += int(cost)
            after_call = False
    return costs


def function_at(source: str, line: int) -> str:
    """The function of a source in which a line is."""
    starts, names = functions(source)
    return names[bisect.bisect(starts, line) - 1]


@functools.cache
def functions(source: str) -> tuple[list[int], list[str]]:
    """The lines at which the functions of a source begin, and their names."""
    starts, names = [0], ["?"]
    for number, content in enumerate(KERNEL[source].read_text().splitlines(), 1):
        if found := BEGIN.match(content):
            starts.append(number)
            names.append(found[1])
    return starts, names


if __name__ == "__main__":
    sys.exit(main())
