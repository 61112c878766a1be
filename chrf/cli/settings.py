"""What ``python -m chrf.batch`` is to do: its command line, checked once and then never changed."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from typing import NamedTuple

from chrf.cli.command import check_alone, more_than_numbers, read_layout
from chrf.cli.statistics import StatisticsSettings, read_statistics
from chrf.core.checks import checked_int, cut
from chrf.core.options import NAMES, Options
from chrf.core.threads import checked_threads
from chrf.files.names import STANDARD_INPUT, as_utf8, file_name
from chrf.report.layout import Layout

ONE_SYSTEM = "--sentence-level takes one system; --segments writes the scores of several"


class Settings(NamedTuple):
    """The command line, with every default settled.

    Attributes
    ----------
    files : list of str
        Paths; ``-`` is standard input.
    reference_files : list of str
        Plain text, aligned by line with `files`. Without any, `files` are tables.
    hypotheses, references : list of str
        Columns of a table, by name or position.
    header : bool
        Whether the first row of a table names the columns.
    quoting : {"none", "csv"}
        What quotes are in a table.
    missing_reference : {"empty", "skip", "error"}
        What a blank reference is.
    options : Options
    statistics : StatisticsSettings
    layout : Layout
    sentence_level : bool
        Whether the scores of the segments are printed, and nothing else.
    segments : str or None
        The file that the scores of the segments are written to.
    check_text : bool
    threads : int
    quiet : bool
    """

    files: list[str]
    reference_files: list[str]
    hypotheses: list[str]
    references: list[str]
    header: bool
    quoting: str
    missing_reference: str
    options: Options
    statistics: StatisticsSettings
    layout: Layout
    sentence_level: bool
    segments: str | None
    check_text: bool
    threads: int
    quiet: bool

    @property
    def inputs(self) -> list[str]:
        """Every file that is read."""
        return self.files + self.reference_files


def read_settings(parsed: argparse.Namespace) -> Settings:
    """Check the command line before anything is read; ValueError for what cannot be done."""
    options = read_options(parsed)
    threads = read_threads(parsed.threads)
    reference_files = parsed.reference_file or []
    if reference_files and (parsed.header or parsed.hypothesis or parsed.reference):
        raise ValueError("--reference-file goes with plain text, which has no columns")
    if reference_files and parsed.quoting != "none":
        raise ValueError("--reference-file goes with plain text, in which quotes are text")
    files = parsed.files or [STANDARD_INPUT]
    if (files + reference_files).count(STANDARD_INPUT) > 1:
        raise ValueError("standard input can be read only once")
    layout = read_layout(parsed)
    settings = Settings(
        files=files,
        reference_files=reference_files,
        hypotheses=_columns(parsed.hypothesis),
        references=_columns(parsed.reference),
        header=parsed.header,
        quoting=parsed.quoting,
        missing_reference=parsed.missing_reference,
        options=options,
        statistics=read_statistics(parsed, layout),
        layout=layout,
        sentence_level=parsed.sentence_level,
        segments=parsed.segments,
        check_text=parsed.check_text,
        threads=threads,
        quiet=parsed.quiet,
    )
    if layout.score_only:
        check_alone("--score-only", "system", settings.statistics.flags)
    if settings.sentence_level:
        _check_sentence_level(settings)
    if settings.segments is not None:
        _check_segments(settings.segments, settings.inputs)
    return settings


def read_options(parsed: argparse.Namespace) -> Options:
    """Return the `Options` that the command line asks for; a ValueError names the flags."""
    try:
        return Options(**{key: value for key, value in vars(parsed).items() if key in NAMES})
    except ValueError as error:
        names = "|".join(NAMES)
        flags = re.sub(rf"\b({names})\b", lambda found: _flag(found[0]), str(error))
        raise ValueError(flags) from None


def read_threads(asked: int | None) -> int:
    """Return the number of threads: the CPUs, or fewer if fewer are asked for."""
    cpus = available_cpus()
    if asked is not None:
        checked_int("--threads", asked, 1)
    # More threads than CPUs would hold more rows in memory and gain nothing.
    return checked_threads(cpus if asked is None else min(asked, cpus))


def available_cpus() -> int:
    """Count the CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _columns(values: list[str] | None) -> list[str]:
    return [as_utf8(column) for value in values or [] for column in value.split(",")]


def _check_sentence_level(settings: Settings) -> None:
    """Raise ValueError for what has no room beside the scores of one system's segments."""
    others = [*more_than_numbers(settings.layout), *settings.statistics.flags]
    check_alone("--sentence-level", "segment", others)
    if len(settings.files) > 1:
        raise ValueError(ONE_SYSTEM)


def _check_segments(out: str, inputs: list[str]) -> None:
    """Raise ValueError if the file for the segment scores is something else already."""
    if out in ("", STANDARD_INPUT):
        raise ValueError("--segments needs the name of a file; --sentence-level prints")
    if not os.path.isfile(out):
        return
    for path in filter(os.path.isfile, inputs):
        if os.path.samefile(path, out):
            raise ValueError(f"--segments would overwrite the input {cut(file_name(path))}")
    streams = [sys.stdout, *([sys.stdin] if STANDARD_INPUT in inputs else [])]
    for stream in filter(None, streams):
        with contextlib.suppress(OSError):  # not a file
            if os.path.samestat(os.fstat(stream.fileno()), os.stat(out)):
                raise ValueError(f"--segments would overwrite {stream.name}")
