"""``python -m chrf.batch``: scores files of hypotheses and references."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from shutil import copyfileobj
from typing import IO, TYPE_CHECKING, NamedTuple

from chrf.cli.arguments import make_parser
from chrf.cli.command import printing, run_command, say
from chrf.cli.settings import ONE_SYSTEM, Settings, read_settings
from chrf.cli.statistics import standings
from chrf.core import exact
from chrf.core.blocks import Totals
from chrf.core.forms.fields import FieldPairs
from chrf.core.options import RULES
from chrf.core.score import from_totals
from chrf.core.threads import in_order
from chrf.files.aligned import open_aligned
from chrf.files.lines import Chunk, Progress
from chrf.files.names import InputError
from chrf.files.output import named, one_line, whole_file
from chrf.files.rows import Column, RowBlock, Source
from chrf.files.table import open_table
from chrf.report.notes import resolution_notes, rule_note
from chrf.report.render import render
from chrf.report.results import Result

if TYPE_CHECKING:
    from chrf.check.block import Findings
    from chrf.check.rule import Finding

SPOOL_BYTES = 1 << 23  # segment scores for standard output wait in memory up to this size


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    return run_command(make_parser(), arguments, read_settings, run)


class Job(NamedTuple):
    """What is done with every row, and where it goes."""

    settings: Settings
    segments: IO[str] | None  # --segments: file, line, system, score
    sentences: IO[str] | None  # --sentence-level: score
    found: list[tuple[Column, Finding]]  # by --check-text

    @property
    def keeps_counts(self) -> bool:
        """Whether the counts of every segment are kept, for intervals and tests."""
        return self.settings.statistics.wanted


class Counted(NamedTuple):
    """What a worker makes of a block of rows."""

    block: RowBlock
    totals: list[Totals]  # of each system
    flats: list[array[int]]  # the counts of each system's segments; empty unless kept
    scores: list[list[str]]  # of each system's segments; empty unless asked for
    found: Findings  # by --check-text, in the columns of the block


def run(settings: Settings) -> None:
    """Score every file, then print: nothing is printed of a run that fails."""
    results: list[Result] = []
    with tempfile.SpooledTemporaryFile(SPOOL_BYTES, "w+", encoding="ascii", newline="\n") as spool:
        with (
            optional_file(settings.segments, "file\tline\tsystem\tscore\n") as segments,
            optional_file(settings.statistics.beside.p_matrix) as p_matrix,
            progress_bar(settings) as progress,
        ):
            job = Job(settings, segments, spool if settings.sentence_level else None, [])
            for source in open_sources(settings, progress):
                if job.sentences and len(source.systems) + len(results) > 1:
                    raise InputError(f"{source.systems[-1].file}:1: {ONE_SYSTEM}")
                totals, flats = count_source(source, job)
                results += judge(source, totals, flats, settings)
            write_p_matrix(p_matrix, results)
        report_text(job, results)
        if not settings.quiet:
            for note in (rule_note(results, settings.layout), *resolution_notes(results)):
                if note:
                    say(note)
        with printing():
            if job.sentences:
                spool.seek(0)
                copyfileobj(spool, sys.stdout)
            else:
                sys.stdout.write(render(results, settings.layout))


@contextlib.contextmanager
def optional_file(path: str | None, header: str = "") -> Iterator[IO[str] | None]:
    """Open a file for writing, if there is to be one, and write its header."""
    if path is None:
        yield None
        return
    with whole_file(path) as stream:
        stream.write(header)
        yield stream


def write_p_matrix(stream: IO[str] | None, results: Sequence[Result]) -> None:
    """Write the one-tailed p-values of all pairs of the one table, if they are asked for."""
    found = (result.standing.compared for result in results)
    if stream is not None and (compared := next(filter(None, found), None)):
        from chrf.report.tsv import matrix_lines

        stream.writelines(f"{line}\n" for line in matrix_lines(compared))


def open_sources(settings: Settings, progress: Progress) -> Iterator[Source]:
    """Yield the sources that the command line names, each opened when its turn comes."""
    if settings.reference_files:
        yield open_aligned(settings.files, settings.reference_files, progress)
        return
    for path in settings.files:
        yield open_table(path, settings.hypotheses, settings.references, settings.header, progress)


def count_source(source: Source, job: Job) -> tuple[list[Totals], list[array[int]]]:
    """Return the totals of each system, and its segments' counts where the job keeps them.

    Segment scores and findings go where the job sends them.
    """
    flats = [array("q") for _ in source.systems]
    totals = [Totals.of_nothing(job.settings.options) for _ in source.systems]
    columns = source.systems + source.references
    systems = [one_line(system.name) for system in source.systems]
    files = [one_line(system.file) for system in source.systems]
    found: Findings = {}

    def work(chunks: list[Chunk]) -> Counted:
        return count_rows(source.parse(chunks), len(source.systems), job)

    for counted in in_order(work, source.chunks, job.settings.threads):
        for total, more in zip(totals, counted.totals, strict=True):
            total.add(more)
        for flat, part in zip(flats, counted.flats, strict=job.keeps_counts):
            flat.extend(part)
        if counted.found:
            from chrf.check.block import merge

            found = merge(found, counted.found)
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
    job.found.extend((columns[column], finding) for (column, _), finding in found.items())
    return totals, flats


def judge(
    source: Source, totals: list[Totals], flats: list[array[int]], settings: Settings
) -> list[Result]:
    """Return the score of each system under both rules, with its standing if that is wanted."""
    options = settings.options
    other = replace(options, rule=next(rule for rule in RULES if rule != options.rule))
    results = [
        Result(
            file=system.file,
            system=system.name,
            score=from_totals(total, options),
            other=from_totals(total, other),
            short=total.short,
        )
        for system, total in zip(source.systems, totals, strict=True)
    ]
    if not settings.statistics.wanted:
        return results
    scores = [result.score for result in results]
    placed = standings(source, flats, scores, settings.statistics, settings.threads)
    return [
        replace(result, standing=standing) for result, standing in zip(results, placed, strict=True)
    ]


def count_rows(block: RowBlock, system_count: int, job: Job) -> Counted:
    """Count a block of rows for every system."""
    options = job.settings.options
    references = block.columns[system_count:]
    totals, scores, flats = [], [], []
    for hypotheses in block.columns[:system_count]:
        pairs = FieldPairs(hypotheses, references)
        counted = pairs.count(0, len(pairs), options)
        totals.append(counted.totals())
        if job.keeps_counts:
            flats.append(counted.flat)
        if job.segments or job.sentences:
            doubles = exact.nearest_doubles(counted.flat, options)
            scores.append(
                exact.row_decimals(counted.flat, doubles, options, job.settings.layout.width)
            )
    found: Findings = {}
    if job.settings.check_text:
        from chrf.check.block import check_block

        texts = [fields.texts() for fields in block.columns]
        found = check_block(texts, system_count, block.first_line, options.whitespace)
    return Counted(block, totals, flats, scores, found)


def report_text(job: Job, results: Sequence[Result]) -> None:
    """Say what --check-text found, on standard error."""
    if not job.settings.check_text:
        return
    for column, finding in job.found:
        where = f"{column.file}:{finding.first}: {column.label}{': ' if column.label else ''}"
        say(f"{where}{finding}")
    if not job.found:
        total = sum(result.score.segment_count for result in results)
        say(f"check-text: nothing found in {total} segment{'s' * (total > 1)}")


@contextlib.contextmanager
def progress_bar(settings: Settings) -> Iterator[Progress]:
    """Show a bar of bytes read, for long runs on a terminal."""
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


def input_bytes(settings: Settings) -> int | None:
    """Count the bytes to read; None for compressed files and pipes, of which it is not known."""
    paths = settings.inputs
    if any(path.endswith(".gz") or not os.path.isfile(path) for path in paths):
        return None
    return sum(map(os.path.getsize, paths))
