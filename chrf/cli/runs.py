"""Which systems of ``python -m chrf.batch`` are training runs of one: the flag --runs."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from chrf.core.checks import cut, listed, meant, shown
from chrf.files.names import InputError, as_utf8
from chrf.report.results import RunsStanding

if TYPE_CHECKING:
    from chrf.stats.settings import PairedSettings
    from chrf.stats.systems import SystemCounts


def add_options(group: argparse._ArgumentGroup) -> None:
    """Add the flag."""
    group.add_argument(
        "--runs",
        metavar="PATTERN",
        help="columns, or FILEs, are training runs of the systems that the group of this regular "
        "expression names, such as '(.+)-seed[0-9]+': spread over runs, and tests of the systems",
    )


def read_pattern(parsed: argparse.Namespace, paired: str | None) -> str | None:
    """Return the pattern; ValueError where it does not name systems, or goes with another test."""
    pattern: str | None = parsed.runs
    if pattern is None:
        return None
    if paired or parsed.average:
        raise ValueError("--runs goes without --paired and --average")
    try:
        groups = re.compile(as_utf8(pattern)).groups
    except re.error as error:
        raise ValueError(
            f"--runs is {shown(pattern)}, which is no regular expression: {cut(str(error))}"
        ) from None
    if groups != 1:
        raise ValueError(f"--runs is {shown(pattern)}; it must have one group, the system's name")
    return as_utf8(pattern)


def run_standings(
    file: str,
    runs: Sequence[SystemCounts],
    pattern: str,
    baseline: str | None,
    settings: PairedSettings,
) -> list[RunsStanding]:
    """Compare the systems that some columns are runs of; return what is said of each column."""
    from chrf.stats.runs import compare_counts

    groups: dict[str, list[SystemCounts]] = {}
    names = []
    for run in runs:
        found = re.fullmatch(pattern, run.name)
        if found is None or not found[1]:
            how = "does not match" if found is None else "finds no name in"
            raise InputError(f"{file}:1: --runs {shown(pattern)} {how} {shown(run.name)}")
        names.append(found[1])
        groups.setdefault(found[1], []).append(run)
    baseline = names[0] if baseline is None else as_utf8(baseline)
    if baseline not in groups:
        close = meant(baseline, [*groups])
        the = " The" if close else "; the"
        raise InputError(
            f"{file}:1: no system {shown(baseline)}{close}{the} systems are {listed([*groups])}"
        )
    try:
        compared = compare_counts(groups, settings)
    except ValueError as error:
        raise InputError(f"{file}:1: {error}") from None
    return [RunsStanding(name, baseline, compared) for name in names]
