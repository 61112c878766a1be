"""How many instructions the kernel executes on fixed inputs: ``make instructions``.

Counted by valgrind's callgrind, which no load on the machine disturbs, inside of the kernel's call
only. The numbers in ``instructions.json`` are checked by CI with a band of 5%: a change that costs
more must write them anew (``--update``) and say why. They hold for one compiler and kind of
processor, which stand in the file; for another there is nothing to compare with, and it says so.
Short texts are matched in vectors of AVX2, unless CHRF_SIMD says otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import cases

STORED = Path(__file__).with_suffix(".json")
BAND = 0.05
# name -> case, number of segments, word order
INPUTS = {
    "sentences, chrF2": ("sentence czech", 200, 0),
    "sentences, chrF2++": ("sentence czech", 200, 2),
    "paragraphs, chrF2": ("paragraph german", 40, 0),
    "long and degenerate, chrF2": ("repeated ab", 20, 0),
}
WARM_UP, MEASURED = 1, 3  # calls; their difference leaves out what only the first call does


def main() -> int:
    """Measure and compare, or store."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="store the numbers")
    parser.add_argument("--run", metavar="NAME", help="count one input, so often")
    parser.add_argument("--calls", type=int, default=1)
    settings = parser.parse_args()
    if settings.run:
        run(settings.run, settings.calls)
        return 0
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    built = compiler()
    known = stored.get(built, {})
    found = {name: measure(name) for name in INPUTS}
    print(f"instructions a code point, {built}")
    failed = False
    for name, number in found.items():
        old = known.get(name)
        change = "not stored" if old is None else f"stored {old:.2f}, {number / old - 1:+.1%}"
        print(f"{name:28} {number:8.2f}  {change}")
        failed |= old is not None and number > old * (1 + BAND)
    if settings.update:
        stored[built] = {name: round(number, 2) for name, number in found.items()}
        STORED.write_text(json.dumps(stored, indent=2) + "\n")
        return 0
    if not known:
        print("there are no stored numbers for this compiler and processor: nothing compared")
    if failed:
        print(f"more than {BAND:.0%} above the stored numbers", file=sys.stderr)
    return int(failed)


def measure(name: str) -> float:
    """Instructions of one call, for each code point."""
    hypotheses, references, _ = load(name)
    code_points = sum(map(len, hypotheses + references))
    more = instructions(name, WARM_UP + MEASURED) - instructions(name, WARM_UP)
    return more / MEASURED / code_points


def instructions(name: str, calls: int) -> int:
    """Instructions of a whole process that makes so many calls."""
    with tempfile.TemporaryDirectory() as folder:
        return callgrind(name, calls, Path(folder, "out"))


def callgrind(name: str, calls: int, out: Path) -> int:
    """Count the instructions of such a process, and write where they went."""
    # One width of vectors: valgrind knows nothing wider.
    environment = {"CHRF_SIMD": "v3", **os.environ, "PYTHONHASHSEED": "0"}
    command = [
        *("valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"),
        *(sys.executable, __file__, "--run", name, "--calls", str(calls)),
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])  # type: ignore[index]


def run(name: str, calls: int) -> None:
    """What is counted."""
    from chrf.kernel import count as kernel
    from chrf.kernel import seed

    seed.SEED = 0x123456789ABCDEF  # the number of probes of a table depends on it
    hypotheses, references, word_order = load(name)
    for _ in range(calls):
        kernel.count(hypotheses, references, 0, len(hypotheses), 6, word_order, False)


def load(name: str) -> tuple[list[str], list[str], int]:
    """Hypotheses, references and word order of an input."""
    case_name, segments, word_order = INPUTS[name]
    case = cases.load(case_name)
    references = [group[0] for group in case.groups]
    return case.hypotheses[:segments], references[:segments], word_order


def compiler() -> str:
    """The compiler's and the processor's kind, on which the numbers depend."""
    version = platform.python_compiler().split(".")[0]
    return f"{version}, {platform.machine()}"


if __name__ == "__main__":
    sys.exit(main())
