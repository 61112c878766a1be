"""``python -m chrf.merge``: adds the JSON results of separate runs into the score of the whole."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chrf.cli.command import (
    Parser,
    add_output_options,
    printing,
    read_layout,
    run_command,
    say,
)
from chrf.core.checks import counted, cut, shown
from chrf.core.options import VERSION, difference
from chrf.core.record import read_score
from chrf.core.score import Score
from chrf.files.lines import read_chunks
from chrf.files.names import STANDARD_INPUT, InputError, file_name
from chrf.files.output import named
from chrf.report.jsonlines import check_doubles
from chrf.report.layout import Layout
from chrf.report.render import render
from chrf.report.results import Result

MERGED = "<merged>"
NOTED = 5  # names that a note lists

EPILOG = """A PART holds what one or more runs of python -m chrf.batch --format json printed; a name
that ends in .gz is decompressed. What is printed with --format json can be merged again. Exit
status: 0; 1 for results that cannot be added; 2 for wrong usage."""


class MergeSettings(NamedTuple):
    """The command line, with every default settled."""

    files: list[str]
    by: str
    on_repeat: str
    layout: Layout
    quiet: bool


@dataclass(frozen=True)
class Part:
    """One result that is added to others."""

    where: str  # file:line it was read from
    run: int  # which PART that was
    file: str
    system: str
    score: Score

    @property
    def unnamed(self) -> bool:
        """Whether the system is called after the file that was scored, for want of a name."""
        return self.system == self.file


def main(arguments: Sequence[str] | None = None, prog: str = "python -m chrf.merge") -> int:
    """Run the command line; return its exit status."""
    return run_command(make_parser(prog), arguments, read_merge_settings, run)


def make_parser(prog: str) -> Parser:
    """Return the parser of the command line; ``chrf.batch`` shows scores by the same options."""
    parser = Parser(
        prog=prog,
        description="Adds results of separate runs into the score of the whole, exactly.",
        epilog=EPILOG,
        allow_abbrev=False,
    )
    parser.add_argument("files", nargs="*", metavar="PART.json", help="'-' or none: standard input")
    parser.add_argument("-V", "--version", action="version", version=f"chrf {VERSION}")
    parser.add_argument(
        "--by",
        choices=("system", "position", "none"),
        default="system",
        help="what is added up: results of the same system (default), the first results of all "
        "PARTs, the second results, and so on, or all results",
    )
    parser.add_argument(
        "--on-repeat",
        choices=("refuse", "drop", "add"),
        default="refuse",
        help="what is done with a result of the same file, system and counts as another "
        "(default: %(default)s)",
    )
    add_output_options(parser.add_argument_group("output"))
    return parser


def read_merge_settings(parsed: argparse.Namespace) -> MergeSettings:
    """Check the command line before anything is read; ValueError for what cannot be done."""
    files = parsed.files or [STANDARD_INPUT]
    seen = set()
    for path in files:
        with named(file_name(path)):  # in a folder that is gone nothing has a real name
            real = path if path == STANDARD_INPUT else os.path.realpath(path)
        if real in seen:
            raise ValueError(f"{shown(file_name(path))} is given twice")
        seen.add(real)
    return MergeSettings(files, parsed.by, parsed.on_repeat, read_layout(parsed), parsed.quiet)


def run(settings: MergeSettings) -> None:
    """Read all parts, add them up, then print: nothing is printed of a run that fails."""
    parts = [part for i, path in enumerate(settings.files) for part in read_parts(i, path)]
    check_options(parts)
    kept = without_repeats(parts, settings.on_repeat)
    groups = grouped(kept, settings.by)
    if settings.by != "none":
        check_lengths(groups)
    if not settings.quiet:
        for note in notes(groups, len(parts) - len(kept)):
            say(note)
    try:
        text = render([added(*group) for group in groups], settings.layout)
    except ValueError as error:  # numbers of more digits than Python prints
        raise InputError(f"{parts[0].where}: {error}") from None
    with printing():
        sys.stdout.write(text)


def read_parts(run: int, path: str) -> list[Part]:
    """Read the results in a file, one a line; InputError where there are none."""
    name = file_name(path)
    parts = []
    for chunk in list(read_chunks(path, lambda _: None)):
        lines = chunk.data.removesuffix(b"\n").split(b"\n")
        for line, text in enumerate(lines, chunk.first_line):
            parts.append(read_part(f"{name}:{line}", run, name, text))
    if not parts:
        raise InputError(f"{name}:1: the file is empty; the run that should fill it failed")
    return parts


def read_part(where: str, run: int, name: str, text: bytes) -> Part:
    """Read the result in a line.

    Raises
    ------
    InputError
        It is no result, or its values contradict each other.
    """
    try:
        values = json.loads(text.decode())
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise InputError(f"{where}: no JSON object; merge what --format json prints")
    file, system = values.get("file", name), values.get("system", name)
    if not isinstance(file, str) or not isinstance(system, str):
        raise InputError(f"{where}: file and system must be strings")
    try:
        score = read_score(values)
        check_doubles(values, score)
        return Part(where, run, file, system, score)
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: {error}") from None


def check_options(parts: Sequence[Part]) -> None:
    """Raise InputError, which names them, for results under different options."""
    first = parts[0]
    for part in parts:
        if different := difference(part.score.options, first.score.options):
            raise InputError(
                f"{part.where}: the options differ from those of {first.where}: {different}"
            )


def without_repeats(parts: Sequence[Part], on_repeat: str) -> list[Part]:
    """Leave out the parts that are there already, or raise InputError, as `on_repeat` says."""
    seen: dict[tuple[str, str, Score], Part] = {}
    kept = []
    for part in parts:
        first = seen.setdefault((part.file, part.system, part.score), part)
        # What was piped in has no name to know it by.
        if first is part or on_repeat == "add" or part.file == file_name(STANDARD_INPUT):
            kept.append(part)
        elif on_repeat == "refuse":
            raise InputError(
                f"{part.where}: the same result as at {first.where}; "
                "--on-repeat drop leaves it out, --on-repeat add counts it again"
            )
    return kept


def grouped(parts: Sequence[Part], by: str) -> list[tuple[str, list[Part]]]:
    """Group what is to be added up, each group under the name of its system."""
    if by == "none":
        names = {part.system for part in parts}
        return [(names.pop() if len(names) == 1 else MERGED, [*parts])]
    runs: dict[int, list[Part]] = {}
    systems: dict[str, list[Part]] = {}
    for part in parts:
        runs.setdefault(part.run, []).append(part)
        systems.setdefault(part.system, []).append(part)
    first, *others = runs.values()
    if by == "position":
        for other in others:
            if len(other) != len(first):
                raise InputError(
                    f"{other[-1].where}: {counted(len(other), 'results')} here, but {len(first)} "
                    f"up to {first[-1].where}"
                )
        return [(row[0].system, [*row]) for row in zip(first, *others, strict=True)]
    unnamed = all(part.unnamed for part in parts)
    if unnamed and len(parts) == len(runs) and len(systems) > 1:
        return [(MERGED, [*parts])]
    check_systems(parts)
    if unnamed and len(parts) == len(systems) > 1:
        raise InputError(
            f"{parts[1].where}: no two results are of the same system, so there is nothing to "
            "add; --by none adds all as parts of one system"
        )
    return list(systems.items())


def check_systems(parts: Sequence[Part]) -> None:
    """Raise InputError for a system without a result where others have one."""
    places: dict[tuple[int, str], dict[str, Part]] = {}
    first_of: dict[str, Part] = {}
    for part in parts:
        first_of.setdefault(part.system, part)
        place = (part.run, "" if part.unnamed else part.file)
        places.setdefault(place, {})[part.system] = part
    for systems in places.values():
        for system, other in first_of.items():
            if system not in systems:
                here = next(iter(systems.values()))
                raise InputError(
                    f"{here.where}: {cut(here.file)} has no result of system {shown(system)} here, "
                    f"but {other.where} is one; --by says what else belongs together"
                )


def check_lengths(groups: Sequence[tuple[str, list[Part]]]) -> None:
    """Raise InputError for systems of different numbers of segments: something is missing."""
    totals = [sum(part.score.segment_count for part in parts) for _, parts in groups]
    for (name, parts), number in zip(groups, totals, strict=True):
        if number != totals[0]:
            raise InputError(
                f"{parts[0].where}: system {shown(name)} has {counted(number, 'segments')} in "
                f"all, but {shown(groups[0][0])} has {totals[0]}"
            )


def notes(groups: Sequence[tuple[str, list[Part]]], dropped: int) -> Iterator[str]:
    """Yield what was done that the user may not have meant."""
    if dropped:
        were = "were" if dropped > 1 else "was"
        yield f"note: {counted(dropped, 'repeated results')} {were} left out"
    for name, parts in groups:
        files = [part.file for part in parts]
        if name == MERGED and set(files) != {MERGED}:
            more = f", and {len(files) - NOTED} more" if len(files) > NOTED else ""
            yield f"note: added as one system: {', '.join(map(cut, files[:NOTED]))}{more}"


def added(system: str, parts: Sequence[Part]) -> Result:
    """Return the score of all parts together."""
    scores = [part.score for part in parts]
    files = {part.file for part in parts}
    references = {score.reference_count for score in scores}
    counts = [
        (sum(h), sum(r), sum(m))
        for h, r, m in (
            zip(*order, strict=True) for order in zip(*(s.counts for s in scores), strict=True)
        )
    ]
    score = Score(
        counts=tuple(counts),
        options=scores[0].options,
        segment_count=sum(score.segment_count for score in scores),
        reference_count=references.pop() if len(references) == 1 else None,
        tied_segments=sum(score.tied_segments for score in scores),
    )
    file = files.pop() if len(files) == 1 else MERGED
    return Result(file=file, system=system, score=score, other=score, short=0)
