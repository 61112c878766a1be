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
from chrf.cli.results import Averaged, Gathered, judge
from chrf.cli.settings import ONE_SYSTEM, Settings, read_settings
from chrf.core import checks, exact
from chrf.core.blocks import Totals
from chrf.core.forms.fields import FieldPairs
from chrf.core.threads import in_order
from chrf.files.aligned import open_aligned
from chrf.files.labels import read_labels, row_labels
from chrf.files.lines import Chunk, Progress
from chrf.files.marks import Marks, blank_rows, find_marks, left_out
from chrf.files.names import InputError, file_name
from chrf.files.output import named, one_line, whole_file
from chrf.files.rows import NamedColumn, RowBlock, RowReader
from chrf.files.table import NotATable, open_table
from chrf.report.notes import (
    blank_note,
    header_note,
    quoting_note,
    resolution_notes,
    rule_note,
    standing_notes,
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
    found: list[tuple[NamedColumn, Finding]]  # by --check-text
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
    labels: dict[str, list[str]]  # of the rows, by what they are the labels of
    tied: list[list[bool]]  # of each system's segments; empty unless they are split into sets


def run(settings: Settings) -> None:
    """Score every file, then print: nothing is printed of a run that fails."""
    results: list[Result] = []
    averaged = Averaged(settings) if settings.statistics.labels.average else None
    with tempfile.SpooledTemporaryFile(SPOOL_BYTES, "w+", encoding="ascii", newline="\n") as spool:
        with (
            optional_file(settings.segments, "file\tline\tsystem\tscore\n") as segments,
            optional_file(settings.statistics.beside.p_matrix) as p_matrix,
            progress_bar(settings) as progress,
        ):
            job = Job(settings, segments, spool if settings.sentence_level else None, [], [])
            marks = Marks()
            for reader in open_readers(settings, progress):
                if job.sentences and len(reader.systems) + len(results) > 1:
                    raise InputError(f"{reader.systems[-1].file}:1: {ONE_SYSTEM}")
                gathered, more = count_reader(reader, job)
                marks += more
                if settings.statistics.labels.document_file:
                    gathered.labels["documents"] = document_labels(
                        reader, gathered.totals[0], settings, progress
                    )
                if averaged:
                    results += averaged.add(reader, gathered)
                else:
                    results += judge(reader, gathered, settings)
            if averaged:
                results += averaged.results()
            write_p_matrix(p_matrix, results)
        report_text(job, results)
        job.notes.append(quoting_note(marks))
        job.notes.append(blank_note(marks, settings.missing_reference))
        job.notes.append(rule_note(results, settings.layout))
        job.notes.extend([*standing_notes(results), *resolution_notes(results)])
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
    found = [result for result in results if result.standing.compared]
    if stream is not None and found and found[0].standing.compared:
        from chrf.report.tsv import matrix_lines

        names = [result.system for result in found]
        stream.writelines(f"{line}\n" for line in matrix_lines(found[0].standing.compared, names))


def open_readers(settings: Settings, progress: Progress) -> Iterator[RowReader]:
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
                settings.statistics.labels.columns,
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


def count_reader(reader: RowReader, job: Job) -> tuple[Gathered, Marks]:
    """Return the totals of each system, its segments' counts where the job keeps them, and marks.

    Segment scores and findings go where the job sends them.
    """
    flats = [array("q") for _ in reader.systems]
    totals = [Totals.of_nothing(job.settings.options) for _ in reader.systems]
    columns = reader.systems + reader.references
    systems = [one_line(system.name) for system in reader.systems]
    files = [one_line(system.file) for system in reader.systems]
    found: Findings = {}
    marks = Marks()
    job.notes.append(header_note(columns[0].file, reader.first_row))
    labels: dict[str, list[str]] = {kind: [] for kind, _ in reader.labels}
    tied: list[list[bool]] = [[] for _ in reader.systems] if "by" in labels else []

    def work(chunks: list[Chunk]) -> Counted:
        return count_rows(reader, reader.parse(chunks), job)

    for counted in in_order(work, reader.chunks, job.settings.threads):
        for total, more in zip(totals, counted.totals, strict=True):
            total.add(more)
        for flat, part in zip(flats, counted.flats, strict=job.keeps_counts):
            flat.extend(part)
        marks += counted.marks
        for ties, more_ties in zip(tied, counted.tied, strict=True):
            ties.extend(more_ties)
        for kind, more_labels in counted.labels.items():
            labels[kind] += more_labels
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
    return Gathered(totals, flats, tied, labels), marks


def document_labels(
    reader: RowReader, totals: Totals, settings: Settings, progress: Progress
) -> list[str]:
    """Read the file of documents; InputError where it has another number of lines."""
    path = settings.statistics.labels.document_file
    assert path is not None
    labels = read_labels(path, progress)
    if len(labels) != totals.segments:
        line = min(len(labels), totals.segments) + 1
        raise InputError(
            f"{file_name(path)}:{line}: the file has {checks.counted(len(labels), 'lines')}, but "
            f"{reader.systems[0].file} has {checks.counted(totals.segments, 'segments')}"
        )
    return labels


def count_rows(reader: RowReader, block: RowBlock, job: Job) -> Counted:
    """Count a block of rows for every system."""
    options, system_count = job.settings.options, len(reader.systems)
    text_count = system_count + len(reader.references)
    references, labelling = block.columns[system_count:text_count], block.columns[text_count:]
    texts_only = block._replace(columns=block.columns[:text_count])
    blanks = blank_rows(texts_only)
    missing = job.settings.missing_reference
    skipped = left_out(texts_only, reader.references, blanks[system_count:], missing)
    totals, scores, flats, tied = [], [], [], []
    split = any(kind == "by" for kind, _ in reader.labels)
    for hypotheses in block.columns[:system_count]:
        pairs = FieldPairs(hypotheses, references, skipped)
        counted = pairs.count(0, len(pairs), options)
        totals.append(counted.totals())
        if split:
            tied.append(counted.tied or [False] * len(pairs))
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

        texts = [fields.texts() for fields in texts_only.columns]
        found = {
            key: replace(finding, first=block.lines[finding.first])
            for key, finding in check_block(texts, system_count, 0, options.whitespace).items()
        }
    columns = reader.systems + reader.references
    marks = find_marks(texts_only, columns, system_count, blanks, reader.quotes_are_text)
    labels = {
        kind: list(
            row_labels(
                [reader.label_columns[i] for i in places],
                [labelling[i] for i in places],
                block.lines,
            )
        )
        for kind, places in reader.labels
    }
    return Counted(block, totals, flats, scores, found, marks, labels, tied)


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
