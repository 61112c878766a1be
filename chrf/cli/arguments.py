"""The command line of ``python -m chrf.batch``: its options, read and checked."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from dataclasses import fields
from fractions import Fraction

from chrf.cli import statistics as batch_stats
from chrf.cli.command import Parser, add_output_options, check_output_options, shows_more
from chrf.core.options import AVERAGINGS, RULES, VERSION, Options
from chrf.core.threads import checked_threads
from chrf.files import table as rows

USAGE = """%(prog)s [option ...] [FILE ...]
       %(prog)s [option ...] --reference-file REF.txt [HYP.txt ...]"""

EPILOG = """A row ends at a line feed (or CRLF) and is split at tabs; quotes are text. FILEs whose
name ends in .gz are decompressed. Exit status: 0; 1 for input that cannot be scored or output that
cannot be written; 2 for wrong usage."""

ONE_SYSTEM = "--sentence-level takes one system; --segments writes the scores of several"
EXACT_NUMBER = r"[0-9]{0,18}\.[0-9]{1,18}|[0-9]{1,18}(/[0-9]{1,18})?"


def make_parser() -> Parser:
    """The command line's options. Those of `Options` have its names and take its defaults."""
    parser = Parser(
        prog="python -m chrf.batch",
        usage=USAGE,
        description="Exact chrF and chrF++ of systems in tab-separated or line-aligned files.",
        epilog=EPILOG,
        allow_abbrev=False,
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="'-' or none: standard input")
    parser.add_argument("-V", "--version", action="version", version=f"chrf {VERSION}")

    group = parser.add_argument_group("input")
    columns = "1-based positions or, with --header, names"
    group.add_argument(
        "--hypothesis", metavar="COL[,COL...]", action="append", help=f"{columns} (default: 1)"
    )
    group.add_argument(
        "--reference",
        metavar="COL[,COL...]",
        action="append",
        help=f"{columns} (default: 2); several are the references of one segment",
    )
    group.add_argument(
        "--header",
        action="store_true",
        help="the first row names the columns; with --reference alone all others are systems",
    )
    group.add_argument(
        "--reference-file",
        metavar="REF.txt",
        action="append",
        help="FILEs are plain text, aligned by line with this; repeat for several references",
    )

    group = parser.add_argument_group("metric")
    default = argparse.SUPPRESS
    built_in = {option.name: f"(default: {option.default})" for option in fields(Options)}
    group.add_argument(
        "--char-order",
        "-cc",
        "--chrf-char-order",
        type=int,
        default=default,
        metavar="N",
        help=f"longest character n-gram {built_in['char_order']}",
    )
    group.add_argument(
        "--word-order",
        "-cw",
        "--chrf-word-order",
        type=int,
        default=default,
        metavar="N",
        help=f"longest word n-gram; 2 for chrF++ {built_in['word_order']}",
    )
    group.add_argument(
        "--beta",
        "--chrf-beta",
        type=beta_value,
        default=default,
        metavar="B",
        help=f"weight of recall, such as 2, 0.5 or 1/3, taken exactly {built_in['beta']}",
    )
    group.add_argument(
        "--lowercase",
        "--chrf-lowercase",
        action="store_true",
        default=default,
        help="lower-case both texts",
    )
    group.add_argument(
        "--whitespace",
        "--chrf-whitespace",
        action="store_true",
        default=default,
        help="keep whitespace in character n-grams",
    )
    group.add_argument(
        "--averaging",
        choices=AVERAGINGS,
        default=default,
        help=f"F of the mean precision and recall, or mean of the F of every order "
        f"{built_in['averaging']}",
    )
    group.add_argument(
        "--rule",
        choices=RULES,
        default=default,
        help="count all hypothesis n-grams or, as sacreBLEU does, leave out those of orders that "
        f"the segment's reference is too short for {built_in['rule']}",
    )

    batch_stats.add_options(parser.add_argument_group("statistics"))

    group = parser.add_argument_group("output")
    add_output_options(group)
    group.add_argument(
        "--sentence-level", "-sl", action="store_true", help="one number per segment, no more"
    )
    group.add_argument(
        "--segments",
        metavar="OUT.tsv",
        help="write the score of every segment and system; the file appears whole or not at all",
    )
    group.add_argument(
        "--check-text",
        action="store_true",
        help="report text that is not NFC, byte-order marks, zero-width characters, lone carriage "
        "returns; scores never change",
    )
    group.add_argument(
        "--threads", "-j", type=int, metavar="N", help="default: the CPUs this process may use"
    )
    return parser


def beta_value(text: str) -> Fraction:
    """beta as it is written: an integer, a decimal or ``n/d``, exactly."""
    with contextlib.suppress(ZeroDivisionError):
        if re.fullmatch(EXACT_NUMBER, text) and Fraction(text) > 0:
            return Fraction(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a positive number such as 2, 1.5 or 3/2")


def read_options(settings: argparse.Namespace) -> Options:
    """The `Options` that the command line asks for."""
    names = {option.name for option in fields(Options)}
    return Options(**{key: value for key, value in vars(settings).items() if key in names})


def check_usage(settings: argparse.Namespace) -> None:
    """Refuse what cannot be done, before anything is read; settle the defaults that depend."""
    settings.options = read_options(settings)
    settings.files = settings.files or [rows.STANDARD_INPUT]
    cpus = available_cpus()
    # More threads than CPUs would hold more rows in memory and gain nothing.
    settings.threads = cpus if settings.threads is None else min(settings.threads, cpus)
    checked_threads(settings.threads)
    plain = settings.reference_file is not None
    if plain and (settings.header or settings.hypothesis or settings.reference):
        raise ValueError("--reference-file goes with plain text, which has no columns")
    inputs = settings.files + (settings.reference_file or [])
    if inputs.count(rows.STANDARD_INPUT) > 1:
        raise ValueError("standard input can be read only once")
    check_output_options(settings)
    batch_stats.check_options(settings)
    if settings.sentence_level and shows_more(settings):
        raise ValueError("--sentence-level prints one number per segment and nothing else")
    if settings.sentence_level and len(settings.files) > 1:
        raise ValueError(ONE_SYSTEM)
    if settings.segments is not None:
        _check_segments(settings.segments, inputs)


def _check_segments(out: str, inputs: list[str]) -> None:
    """Refuse a file for the segment scores that is something else already."""
    if out in ("", rows.STANDARD_INPUT):
        raise ValueError("--segments needs the name of a file; --sentence-level prints")
    if not os.path.isfile(out):
        return
    for path in filter(os.path.isfile, inputs):
        if os.path.samefile(path, out):
            raise ValueError(f"--segments would overwrite the input {path}")
    streams = [sys.stdout, *([sys.stdin] if rows.STANDARD_INPUT in inputs else [])]
    for stream in filter(None, streams):
        with contextlib.suppress(OSError):  # not a file
            if os.path.samestat(os.fstat(stream.fileno()), os.stat(out)):
                raise ValueError(f"--segments would overwrite {stream.name}")


def available_cpus() -> int:
    """The CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
