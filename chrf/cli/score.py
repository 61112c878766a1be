"""``python -m chrf.batch``: scores files of hypotheses and references."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from shutil import copyfileobj
from typing import IO

from chrf.cli import statistics as batch_stats
from chrf.cli.arguments import ONE_SYSTEM, check_usage, make_parser
from chrf.cli.command import layout, printing, run_command, say
from chrf.cli.statistics import Standing
from chrf.core import exact
from chrf.core.blocks import Totals
from chrf.core.fields import FieldPairs
from chrf.core.options import RULES, Options
from chrf.core.score import from_totals
from chrf.core.threads import in_order
from chrf.files import table as rows
from chrf.files.output import named, one_line, whole_file
from chrf.files.table import Chunk, Column, InputError, Progress, RowBlock, Source, as_utf8
from chrf.kernel.text import findings
from chrf.report.render import Result, render, rule_note

SPOOL_BYTES = 1 << 23  # segment scores for standard output wait in memory up to this size


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    words = batch_stats.with_numbers(sys.argv[1:] if arguments is None else arguments)
    return run_command(make_parser(), words, check_usage, run)


@dataclass
class Job:
    """What is done with every row, and where it goes."""

    options: Options
    threads: int
    width: int
    segments: IO[str] | None = None  # --segments: file, line, system, score
    sentences: IO[str] | None = None  # --sentence-level: score
    check_text: bool = False
    keep: bool = False  # the counts of every segment, for intervals and tests
    # What --check-text found: number of segments and the line of the first.
    found: dict[tuple[Column, str], tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Counted:
    """What a worker makes of a block of rows."""

    block: RowBlock
    totals: list[Totals]  # of each system
    flats: list[array[int]]  # the counts of each system's segments; empty unless kept
    scores: list[list[str]]  # of each system's segments; empty unless asked for
    found: list[tuple[int, int, str]]  # column, line, finding


def run(settings: argparse.Namespace) -> None:
    """Score every file, then print: nothing is printed of a run that fails."""
    options = settings.options
    results: list[Result] = []
    with tempfile.SpooledTemporaryFile(SPOOL_BYTES, "w+", encoding="ascii", newline="\n") as spool:
        with contextlib.ExitStack() as stack:
            job = Job(
                options,
                settings.threads,
                settings.width,
                check_text=settings.check_text,
                keep=batch_stats.wanted(settings),
            )
            if settings.sentence_level:
                job.sentences = spool
            if settings.segments is not None:
                job.segments = stack.enter_context(whole_file(settings.segments))
                job.segments.write("file\tline\tsystem\tscore\n")
            progress = stack.enter_context(progress_bar(settings))
            for source in open_sources(settings, progress):
                if job.sentences and len(source.systems) + len(results) > 1:
                    raise InputError(f"{source.systems[-1].file}:1: {ONE_SYSTEM}")
                totals, flats = score_source(source, job)
                judged = [
                    judge(system, total, options)
                    for system, total in zip(source.systems, totals, strict=True)
                ]
                if job.keep:
                    scores = [result.score for result in judged]
                    standings = batch_stats.standings(source, flats, scores, settings)
                    judged = list(map(with_standing, judged, standings))
                results += judged
        report_text(job, results)
        note = None if settings.quiet else rule_note(results, layout(settings))
        if note:
            say(note)
        with printing():
            if job.sentences:
                spool.seek(0)
                copyfileobj(spool, sys.stdout)
            else:
                sys.stdout.write(render(results, layout(settings)))


def open_sources(settings: argparse.Namespace, progress: Progress) -> Iterator[Source]:
    """The sources that the command line names, each opened when its turn comes."""
    if settings.reference_file is not None:
        yield rows.open_aligned(settings.files, settings.reference_file, progress)
        return
    for path in settings.files:
        yield rows.open_table(
            path,
            _column_list(settings.hypothesis),
            _column_list(settings.reference),
            settings.header,
            progress,
        )


def with_standing(result: Result, standing: Standing) -> Result:
    """The result with what the statistics say."""
    return replace(result, standing=standing)


def score_source(source: Source, job: Job) -> tuple[list[Totals], list[array[int]]]:
    """The totals of each system, and its segments' counts where the job keeps them.

    Segment scores and findings go where the job sends them.
    """
    flats = [array("q") for _ in source.systems]
    totals = [Totals.of_nothing(job.options) for _ in source.systems]
    columns = source.systems + source.references
    systems = [one_line(system.name) for system in source.systems]
    files = [one_line(system.file) for system in source.systems]

    def work(chunks: list[Chunk]) -> Counted:
        return count_rows(source.parse(chunks), len(source.systems), job)

    for counted in in_order(work, source.chunks, job.threads):
        for total, more in zip(totals, counted.totals, strict=True):
            total.add(more)
        for flat, part in zip(flats, counted.flats, strict=job.keep):
            flat.extend(part)
        for column, line, finding in counted.found:
            number, first = job.found.get((columns[column], finding), (0, line))
            job.found[columns[column], finding] = (number + 1, first)
        if job.sentences:
            with named("<temporary file>"):
                job.sentences.writelines(f"{score}\n" for score in counted.scores[0])
        if job.segments:
            first = counted.block.first_line
            job.segments.writelines(
                f"{file}\t{line}\t{system}\t{score}\n"
                for line, row in enumerate(zip(*counted.scores, strict=True), first)
                for file, system, score in zip(files, systems, row, strict=True)
            )
    return totals, flats


def judge(system: Column, total: Totals, options: Options) -> Result:
    """The system's score, and what the other rule makes of the same counts."""
    other = replace(options, rule=next(rule for rule in RULES if rule != options.rule))
    return Result(
        file=system.file,
        system=system.name,
        score=from_totals(total, options),
        other=from_totals(total, other),
        short=total.short,
    )


def count_rows(block: RowBlock, system_count: int, job: Job) -> Counted:
    """Count a block of rows for every system."""
    references = block.columns[system_count:]
    totals, scores, flats = [], [], []
    for hypotheses in block.columns[:system_count]:
        pairs = FieldPairs(hypotheses, references)
        counted = pairs.count(0, len(pairs), job.options)
        totals.append(counted.totals())
        if job.keep:
            flats.append(counted.flat)
        if job.segments or job.sentences:
            doubles = exact.nearest_doubles(counted.flat, job.options)
            scores.append(exact.row_decimals(counted.flat, doubles, job.options, job.width))
    found = []
    if job.check_text:
        found = [
            (column, line, finding)
            for column, fields in enumerate(block.columns)
            for line, text in enumerate(fields.texts(), block.first_line)
            for finding in findings(text)
        ]
    return Counted(block, totals, flats, scores, found)


def report_text(job: Job, results: Sequence[Result]) -> None:
    """What --check-text found, on standard error."""
    if not job.check_text:
        return
    for (column, finding), (number, first) in job.found.items():
        where = f"{column.file}:{first}: {column.label}{': ' if column.label else ''}"
        say(f"{where}{finding} in {number} segment{'s' * (number > 1)}, here first")
    if not job.found:
        total = sum(result.score.segment_count for result in results)
        say(f"check-text: nothing found in {total} segment{'s' * (total > 1)}")


@contextlib.contextmanager
def progress_bar(settings: argparse.Namespace) -> Iterator[Progress]:
    """A bar of bytes read, for long runs on a terminal."""
    if settings.quiet or not sys.stderr or not sys.stderr.isatty():
        yield lambda _: None
        return
    try:
        from tqdm import tqdm
    except ImportError:  # an extra
        yield lambda _: None
        return
    total = input_bytes(settings)
    with tqdm(total=total, unit="B", unit_scale=True, delay=1, leave=False, file=sys.stderr) as bar:
        yield bar.update


def input_bytes(settings: argparse.Namespace) -> int | None:
    """How many bytes there are to read, if that is known: not of compressed files and pipes."""
    paths = settings.files + (settings.reference_file or [])
    if any(path.endswith(".gz") or not os.path.isfile(path) for path in paths):
        return None
    return sum(map(os.path.getsize, paths))


def _column_list(values: list[str] | None) -> list[str]:
    return [as_utf8(column) for value in values or [] for column in value.split(",")]
