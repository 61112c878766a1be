"""``python -m chrf.batch`` beside sacreBLEU's command line, as whole processes.

Both score the same sentences; sacreBLEU a part of them, and its time is scaled after the time of
its start (a file of two rows) is taken off. Then one process is looked at from inside: how much of
its time the kernel has. Prints the memory and the start-up of both, too.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import cases
from timing import best


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--part", type=int, default=20_000, help="rows for sacreBLEU")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--inside", nargs=2, metavar=("TSV", "THREADS"), help=argparse.SUPPRESS)
    settings = parser.parse_args()
    if settings.inside:
        inside(settings.inside[0], int(settings.inside[1]))
        return
    name = "wmt23 en-cs ONLINE-A"
    case = cases.load(name if name in cases.names() else "sentence czech")
    pairs = list(zip(case.hypotheses, (group[0] for group in case.groups), strict=True))
    with tempfile.TemporaryDirectory() as folder:
        whole, part, two = (Path(folder, n) for n in ("whole.tsv", "part.tsv", "two.tsv"))
        for path, rows in ((whole, settings.rows), (part, settings.part), (two, 2)):
            with path.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines("\t".join(pairs[i % len(pairs)]) + "\n" for i in range(rows))
            for column, suffix in ((0, ".hyp"), (1, ".ref")):
                with path.with_suffix(suffix).open("w", encoding="utf-8", newline="\n") as file:
                    file.writelines(pairs[i % len(pairs)][column] + "\n" for i in range(rows))
        report(settings, case.name, whole, part, two)


def report(settings: argparse.Namespace, name: str, whole: Path, part: Path, two: Path) -> None:
    """Run everything, check the scores, print the figures."""
    rule = ["--rule", "sacrebleu", "--score-only", "--quiet", "--width", "9"]
    ours = [sys.executable, "-m", "chrf.batch", *rule]
    theirs = [sys.executable, "-m", "sacrebleu", "-m", "chrf", "-b", "-w", "9"]

    def sacrebleu(path: Path) -> list[str]:
        return [*theirs, str(path.with_suffix(".ref")), "-i", str(path.with_suffix(".hyp"))]

    score = output([*ours, str(part)])
    if score != output(sacrebleu(part)):
        raise AssertionError(f"{score} is not what sacreBLEU prints")
    commands = {
        "chrf, 1 thread": [*ours, "--threads", "1", str(whole)],
        "chrf, 2 threads": [*ours, "--threads", "2", str(whole)],
        "chrf, 2 rows": [*ours, str(two)],
        "chrf --help": [sys.executable, "-m", "chrf.batch", "--help"],
        "sacreBLEU, part": sacrebleu(part),
        "sacreBLEU, 2 rows": sacrebleu(two),
        "sacreBLEU --help": [sys.executable, "-m", "sacrebleu", "--help"],
    }
    runs = {label: partial(run, command) for label, command in commands.items()}
    seconds = best(runs, settings.rounds)
    row = (seconds["sacreBLEU, part"] - seconds["sacreBLEU, 2 rows"]) / settings.part
    print(f"{settings.rows:,} rows of {name}, best of {settings.rounds} interleaved rounds")
    for label, value in seconds.items():
        print(f"  {label:20} {value:8.3f} s")
    print(f"  sacreBLEU: {row * 1e3:.3f} ms a row, {row * settings.rows:.1f} s for all")
    for threads in (1, 2):
        label = f"chrf, {threads} thread{'s' * (threads > 1)}"
        ratio = row * settings.rows / (seconds[label] - seconds["chrf, 2 rows"])
        print(f"  {label}: {ratio:.0f} times as fast, start-up of both taken off")
    for threads in (1, 2):
        command = [sys.executable, __file__, "--inside", str(whole), str(threads)]
        print("  " + output(command))


def inside(path: str, threads: int) -> None:
    """One process: the kernel's share of its time, and its memory."""
    from chrf.cli import score as batch
    from chrf.core import fields
    from chrf.kernel import count as kernel

    spent = []

    class Timed:
        """The kernel, with a clock."""

        @staticmethod
        def count_fields(*arguments: object) -> object:
            begin = time.thread_time()
            counts = kernel.count_fields(*arguments)  # type: ignore[arg-type]
            spent.append(time.thread_time() - begin)
            return counts

    fields.kernel = Timed  # type: ignore[assignment]
    begin = time.process_time()
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        sys.stdout = nowhere
        batch.main([path, "--quiet", "--threads", str(threads)])
        sys.stdout = sys.__stdout__
    whole = time.process_time() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{threads} thread{'s' * (threads > 1)}: {whole:.2f} s of processor time, "
        f"{sum(spent) / whole:.0%} of it in the kernel; {memory} MB resident"
    )


def output(command: list[str]) -> str:
    """What a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def run(command: list[str]) -> None:
    """Wait for a whole process."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
