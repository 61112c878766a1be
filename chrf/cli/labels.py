"""Which labels of rows the statistics of ``python -m chrf.batch`` go by: documents and strata."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from chrf.files.names import as_utf8

AVERAGES = ("macro", "micro")


class LabelSettings(NamedTuple):
    """Where labels stand.

    Attributes
    ----------
    documents, strata : list of str
        Columns of a table, by name or position.
    by : list of str
        Columns that say which set a row is of.
    document_file : str or None
        A label in each line.
    average : {"macro", "micro"} or None
        Over the sets, or over the files.
    """

    documents: list[str]
    strata: list[str]
    by: list[str]
    document_file: str | None
    average: str | None

    @property
    def columns(self) -> dict[str, list[str]]:
        """The columns by what they are the labels of."""
        wanted = {"documents": self.documents, "strata": self.strata, "by": self.by}
        return {kind: columns for kind, columns in wanted.items() if columns}

    @property
    def files(self) -> list[str]:
        """The files of labels."""
        return [self.document_file] if self.document_file else []


def add_options(group: argparse._ArgumentGroup) -> None:
    """Add the flags."""
    documents = group.add_mutually_exclusive_group()
    documents.add_argument(
        "--documents",
        metavar="COL[,COL...]",
        help="the document of each row: draw and swap whole documents",
    )
    documents.add_argument(
        "--document-file", metavar="FILE", help="the same from a file with a line for each segment"
    )
    group.add_argument(
        "--strata", metavar="COL[,COL...]", help="such as domains: keep their sizes in resamples"
    )
    group.add_argument(
        "--average",
        choices=AVERAGES,
        help="test the average over all FILEs: of their scores, or one score of all segments",
    )
    group.add_argument(
        "--by", metavar="COL[,COL...]", help="with --average: the set that each row of FILE is of"
    )


def read_label_settings(parsed: argparse.Namespace, wanted: bool) -> LabelSettings:
    """Return where labels stand; ValueError for what cannot be done."""
    for flag, value in (
        ("--documents", parsed.documents),
        ("--document-file", parsed.document_file),
        ("--strata", parsed.strata),
        ("--average", parsed.average),
        ("--by", parsed.by),
    ):
        if value is not None and not wanted:
            raise ValueError(f"{flag} goes with --ci or --paired")
        if value is not None and parsed.reference_file and flag != "--document-file":
            raise ValueError(f"{flag} goes with tables, not with --reference-file")
        if value == "":
            raise ValueError(f"{flag} is empty")
    if parsed.document_file and not parsed.reference_file and len(parsed.files) > 1:
        raise ValueError("--document-file goes with one table")
    if parsed.by and not parsed.average:
        raise ValueError("--by goes with --average")
    if parsed.by and len(parsed.files) > 1:
        raise ValueError("--by goes with one FILE")
    if parsed.average and not parsed.by and len(parsed.files) < 2:
        raise ValueError("--average goes with several FILEs, or with --by")
    if parsed.average and parsed.orders:
        raise ValueError("--average has no --orders")
    return LabelSettings(
        documents=column_names(parsed.documents),
        strata=column_names(parsed.strata),
        by=column_names(parsed.by),
        document_file=parsed.document_file,
        average=parsed.average,
    )


def column_names(value: str | None) -> list[str]:
    """Return the columns that an option names, with commas between them."""
    return [as_utf8(column) for column in value.split(",")] if value else []
