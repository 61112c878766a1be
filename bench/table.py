"""chrf beside its plain-Python twin and its peers, in one process and run: ``make bench``.

Every result is checked before anything is timed. Rounds are interleaved (every contender once,
then every contender again) and each contender's best round counts.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
from pathlib import Path
from typing import Any

import cases
from cases import Case
from contenders import CONTENDERS, RATIOS, Run
from timing import interleaved

SAMPLE = 20_000  # code points on which a slow contender runs
GROUPS = "{:45}  {:-^37}  {:-^28}  {:-^32}"
COLUMNS = (
    "{:20} {:>8} {:>7} {:>7}  {:>9} {:>9} {:>7} {:>9}  {:>9} {:>9} {:>8}  {:>6} {:>9} {:>8} {:>6}"
)


def measure(case: Case, word_order: int, rounds: int, seconds: float) -> dict[str, Any]:
    """One row of the table. A round of one contender takes `seconds` or one call."""
    runs: dict[str, Run] = {}
    worth: dict[str, float] = {}  # segments of the whole case in a call
    shown: dict[str, float | str] = {}
    for contender in CONTENDERS:
        shown[contender.name] = "-" if contender.present else "absent"
        part = case
        if contender.sampled:
            part = case.sample(max(20, int(SAMPLE / case.code_points)))
        run = contender.prepare(part, word_order) if contender.present else None
        if run is not None:
            contender.check(part, word_order, run())
            runs[contender.name] = run
            worth[contender.name] = len(part) * part.code_points / case.code_points
    found = interleaved(runs, rounds, seconds)
    rates = {name: worth[name] / min(found[name]) for name in runs}
    score = runs["chrf"]()
    return {
        "case": case.name,
        "metric": score.name,
        "segments": len(case),
        "code_points": case.code_points,
        "score": str(score),
        "segments_per_second": {**shown, **rates},
        "ratios": {
            peer: rates[ours] / rates[peer] if peer in rates else shown[peer]
            for peer, ours in RATIOS.items()
        },
        "seconds_per_call": found,
    }


def heading(metric: str) -> str:
    """Two lines above the rows of one metric."""
    groups = ("corpus score, segments/s", "segment scores, segments/s", "chrf is faster, times")
    names = ["chrf" if c.name == "segments" else c.name for c in CONTENDERS]
    first = GROUPS.format("", *(f" {group} " for group in groups))
    return f"{first}\n{COLUMNS.format('case', 'segments', 'length', metric, *names, *RATIOS)}"


def row_text(row: dict[str, Any]) -> str:
    """One line of the table."""
    rates = [r if isinstance(r, str) else f"{r:,.0f}" for r in row["segments_per_second"].values()]
    ratios = [r if isinstance(r, str) else f"{r:.1f}" for r in row["ratios"].values()]
    length, score = f"{row['code_points']:.1f}", f"{float(row['score']):.2f}"
    return COLUMNS.format(row["case"], row["segments"], length, score, *rates, *ratios)


def environment() -> dict[str, str]:
    """Versions and the machine."""
    packages = ("chrf", "numpy", "sacrebleu", "fastchrf", "nltk")
    found = {"python": f"{platform.python_version()} ({platform.python_compiler()})"}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "absent"
    found["system"] = f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs"
    found["cpu"] = _cpu_model()
    found["fastchrf threads"] = os.environ["RAYON_NUM_THREADS"]
    return found


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or "unknown CPU"


def footer(rounds: int, found: dict[str, str]) -> str:
    """How to read the numbers, and where they come from."""
    return "\n".join(
        [
            "length: mean code points of a segment, hypothesis and references together.",
            f"Best of {rounds} interleaved rounds, each result checked first. One thread each but "
            f"for '2 threads' (fastchrf: {found['fastchrf threads']}).",
            f"twin and NLTK run on about {SAMPLE:,} code points of a case, scaled by length. "
            "-: that peer has no word n-grams, or no several references.",
            "Other work on the machine moves every rate by tens of percent: "
            "only the ratios of one run say anything.",
            *cases.notes(),
            ", ".join(f"{name} {value}" for name, value in found.items()),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and segments")
    parser.add_argument("--case", metavar="NAME", help="only this case (default: every case)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the results here")
    arguments = parser.parse_args()
    rounds, seconds = (3, 0.02) if arguments.quick else (7, 0.1)
    names = cases.names()
    if arguments.case is not None:
        if arguments.case not in names:
            parser.error(f"there is no case {arguments.case!r}; the cases are {', '.join(names)}")
        names = [arguments.case]
    rows = []
    for word_order, metric in ((0, "chrF2"), (2, "chrF2++")):
        chosen = names
        if word_order and arguments.case is None:
            chosen = [name for name in names if name.startswith(("sentence", "wmt23 en-cs"))]
        print(heading(metric))
        for name in chosen:
            case = cases.load(name)
            if arguments.quick:
                case = case.sample(500)
            rows.append(measure(case, word_order, rounds, seconds))
            print(row_text(rows[-1]), flush=True)
        print()
    found = environment()
    print(footer(rounds, found))
    if arguments.json is not None:
        results = {"environment": found, "rounds": rounds, "notes": cases.notes(), "rows": rows}
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
