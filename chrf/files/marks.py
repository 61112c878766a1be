"""Fields of a block of rows that are seldom meant as they stand: blank, or quoted as in CSV."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from chrf.core.checks import cut, shown
from chrf.files import splitting
from chrf.files.names import InputError
from chrf.files.rows import Column, RowBlock

MISSING = ("empty", "skip", "error")  # what a blank reference is


@dataclass(frozen=True)
class Spots:
    """How often something was found, and where first."""

    count: int = 0
    first: str = ""  # file:line, and the column in brackets

    def __add__(self, later: Spots) -> Spots:
        """Return the spots of two parts of the input, the earlier part on the left."""
        return Spots(self.count + later.count, self.first or later.first)


@dataclass(frozen=True)
class Marks:
    """What was found in the columns that are read.

    Attributes
    ----------
    quoted : Spots
        Rows with a field that looks as if CSV had quoted it.
    hypotheses, references : Spots
        Blank fields: empty, or all whitespace.
    """

    quoted: Spots = field(default_factory=Spots)
    hypotheses: Spots = field(default_factory=Spots)
    references: Spots = field(default_factory=Spots)

    def __add__(self, later: Marks) -> Marks:
        """Return the marks of two parts of the input, the earlier part on the left."""
        return Marks(
            self.quoted + later.quoted,
            self.hypotheses + later.hypotheses,
            self.references + later.references,
        )


def blank_rows(block: RowBlock) -> list[array[int]]:
    """Return the rows of the block, from 0, in which each column is blank."""
    return [splitting.blank_fields(fields.data, fields.spans) for fields in block.columns]


def find_marks(
    block: RowBlock,
    columns: Sequence[Column],
    system_count: int,
    blanks: Sequence[array[int]],
    quotes: bool,
) -> Marks:
    """Return the marks of a block; those of CSV quoting if `quotes` says so.

    Parameters
    ----------
    block : RowBlock
    columns : sequence of Column
        Those of the block.
    system_count : int
        The number of columns that are systems, before the references.
    blanks : sequence of array
        What `blank_rows` returns.
    quotes : bool
    """

    def spots(rows: Sequence[Iterable[int]], start: int = 0) -> Spots:
        places = [(row, column) for column, found in enumerate(rows, start) for row in found]
        if not places:
            return Spots()
        row, column = min(places)
        return Spots(len(places), place(columns[column], block.lines[row]))

    quoted = Spots()
    if quotes:
        found = [splitting.quoted_fields(fields.data, fields.spans) for fields in block.columns]
        quoted = Spots(len(set().union(*found)), spots(found).first)
    return Marks(
        quoted, spots(blanks[:system_count]), spots(blanks[system_count:], start=system_count)
    )


def place(column: Column, line: int) -> str:
    """Return where a field is, for a message."""
    return f"{column.file}:{line}" + (f" ({cut(column.label)})" if column.label else "")


def left_out(
    block: RowBlock, references: Sequence[Column], blanks: Sequence[array[int]], missing: str
) -> list[frozenset[int]]:
    """Return the rows in which each reference is left out.

    Parameters
    ----------
    block : RowBlock
    references : sequence of Column
    blanks : sequence of array
        The rows in which each of them is blank.
    missing : {"empty", "skip", "error"}
        Whether a blank reference counts, is left out, or is an error.

    Raises
    ------
    InputError
        A blank reference, or a segment without a reference that is not blank.
    """
    if missing == "empty" or not any(blanks):
        return [frozenset() for _ in blanks]
    if missing == "error":
        row, column = min((row, column) for column, rows in enumerate(blanks) for row in rows)
        raise InputError(
            f"{_where(references[column], block.lines[row])} is blank; --missing-reference skip "
            "leaves it out, --missing-reference empty counts it"
        )
    rows = [frozenset(found) for found in blanks]
    without = frozenset.intersection(*rows)
    if without:
        row = min(without)
        where = f"{references[0].file}:{block.lines[row]}"
        raise InputError(
            f"{where}: the segment has no reference: {'every one' if len(rows) > 1 else 'it'} is "
            "blank; delete the segment, or count it with --missing-reference empty"
        )
    return rows


def _where(column: Column, line: int) -> str:
    return f"{column.file}:{line}: the reference{f' {shown(column.label)}' if column.label else ''}"
