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
from chrf.core import checks, exact
from chrf.core.blocks import Totals
from chrf.core.forms.fields import FieldPairs
from chrf.core.options import RULES
from chrf.core.score import from_totals
from chrf.core.threads import in_order
from chrf.files.aligned import open_aligned
from chrf.files.lines import Chunk, Progress
from chrf.files.marks import Marks, blank_rows, find_marks, left_out
from chrf.files.names import InputError, file_name
from chrf.files.output import named, one_line, whole_file
from chrf.files.rows import Column, RowBlock, Source
from chrf.files.table import NotATable, open_table
from chrf.report.notes import (
    blank_note,
    header_note,
    quoting_note,
    resolution_notes,
    rule_note,
)
from chrf.report.render import render
from chrf.report.results import Result

if TYPE_CHECKING:
    from chrf.check.block import Findings
    from chrf.check.rule import Finding

NAMED = 4  # files that a message lists
SPOOL_BYTES = 1 << 23  # segment scores for standard output wait in memory up to this size


def main(arguments: Sequence[str] | None = None, prog: str = "python -m chrf.batch") -> int:
    """Run the command line, which calls itself `prog`; return its exit status."""
    return run_command(make_parser(prog), arguments, read_settings, run)


class Job(NamedTuple):
    """What is done with every row, and where it goes."""

    settings: Settings
    segments: IO[str] | None  # --segments: file, line, system, score
    sentences: IO[str] | None  # --sentence-level: score
    found: list[tuple[Column, Finding]]  # by --check-text
    notes: list[str | None]

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
    marks: Marks


def run(settings: Settings) -> None:
    """Score every file, then print: nothing is printed of a run that fails."""
    results: list[Result] = []
    with tempfile.SpooledTemporaryFile(SPOOL_BYTES, "w+", encoding="ascii", newline="\n") as spool:
        with segments_file(settings.segments) as segments, progress_bar(settings) as progress:
            job = Job(settings, segments, spool if settings.sentence_level else None, [], [])
            marks = Marks()
            for source in open_sources(settings, progress):
                if job.sentences and len(source.systems) + len(results) > 1:
                    raise InputError(f"{source.systems[-1].file}:1: {ONE_SYSTEM}")
                totals, flats, more = count_source(source, job)
                marks += more
                results += judge(source, totals, flats, settings)
        report_text(job, results)
        job.notes.append(quoting_note(marks))
        job.notes.append(blank_note(marks, settings.missing_reference))
        job.notes.append(rule_note(results, settings.layout))
        job.notes.extend(resolution_notes(results))
        for note in job.notes:
            if note and not settings.quiet:
                say(note)
        with printing():
            if job.sentences:
                spool.seek(0)
                copyfileobj(spool, sys.stdout)
            else:
                sys.stdout.write(render(results, settings.layout))


@contextlib.contextmanager
def segments_file(path: str | None) -> Iterator[IO[str] | None]:
    """Open the file of segment scores, if there is to be one, and write its header."""
    if path is None:
        yield None
        return
    with whole_file(path) as stream:
        stream.write("file\tline\tsystem\tscore\n")
        yield stream


def open_sources(settings: Settings, progress: Progress) -> Iterator[Source]:
    """Yield the sources that the command line names, each opened when its turn comes."""
    if settings.reference_files:
        yield open_aligned(settings.files, settings.reference_files, progress)
        return
    for path in settings.files:
        try:
            yield open_table(
                path,
                settings.hypotheses,
                settings.references,
                settings.header,
                progress,
                settings.quoting,
            )
        except NotATable as error:
            raise InputError(f"{error}; {_as_plain_text(settings.files)}") from None


def _as_plain_text(files: Sequence[str]) -> str:
    """Return how files are scored that are plain text: the last is the reference, unless named."""
    names = [checks.cut(file_name(path)) for path in files]
    if len(names) == 1:
        return "to score plain text, give its reference with --reference-file"
    reference = next((name for name in names if "ref" in os.path.basename(name)), names[-1])
    names.remove(reference)
    return f"to score plain text, say --reference-file {reference} {' '.join(names[:NAMED])}"


def count_source(source: Source, job: Job) -> tuple[list[Totals], list[array[int]], Marks]:
    """Return the totals of each system, its segments' counts where the job keeps them, and marks.

    Segment scores and findings go where the job sends them.
    """
    flats = [array("q") for _ in source.systems]
    totals = [Totals.of_nothing(job.settings.options) for _ in source.systems]
    columns = source.systems + source.references
    systems = [one_line(system.name) for system in source.systems]
    files = [one_line(system.file) for system in source.systems]
    found: Findings = {}
    marks = Marks()
    job.notes.append(header_note(columns[0].file, source.first_row))

    def work(chunks: list[Chunk]) -> Counted:
        return count_rows(source, source.parse(chunks), job)

    for counted in in_order(work, source.chunks, job.settings.threads):
        for total, more in zip(totals, counted.totals, strict=True):
            total.add(more)
        for flat, part in zip(flats, counted.flats, strict=job.keeps_counts):
            flat.extend(part)
        marks += counted.marks
        if counted.found:
            from chrf.check.block import merge

            found = merge(found, counted.found)
        if job.sentences:
            with named("<temporary file>"):
                job.sentences.writelines(f"{score}\n" for score in counted.scores[0])
        if job.segments:
            rows = zip(*counted.scores, strict=True)
            job.segments.writelines(
                f"{file}\t{line}\t{system}\t{score}\n"
                for line, row in zip(counted.block.lines, rows, strict=True)
                for file, system, score in zip(files, systems, row, strict=True)
            )
    job.found.extend((columns[column], finding) for (column, _), finding in found.items())
    return totals, flats, marks


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


def count_rows(source: Source, block: RowBlock, job: Job) -> Counted:
    """Count a block of rows for every system."""
    options, system_count = job.settings.options, len(source.systems)
    references = block.columns[system_count:]
    blanks = blank_rows(block)
    missing = job.settings.missing_reference
    skipped = left_out(block, source.references, blanks[system_count:], missing)
    totals, scores, flats = [], [], []
    for hypotheses in block.columns[:system_count]:
        pairs = FieldPairs(hypotheses, references, skipped)
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
        found = {
            key: replace(finding, first=block.lines[finding.first])
            for key, finding in check_block(texts, system_count, 0, options.whitespace).items()
        }
    columns = source.systems + source.references
    marks = find_marks(block, columns, system_count, blanks, source.quotes_are_text)
    return Counted(block, totals, flats, scores, found, marks)


def report_text(job: Job, results: Sequence[Result]) -> None:
    """Say what --check-text found, on standard error."""
    if not job.settings.check_text:
        return
    for column, finding in job.found:
        where = f"{column.file}:{finding.first}: {column.label}{': ' if column.label else ''}"
        say(f"{where}{finding}")
    if not job.found:
        total = sum(result.score.segment_count for result in results)
        say(f"check-text: nothing found in {checks.counted(total, 'segments')}")


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
