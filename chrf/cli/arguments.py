"""The command line of ``python -m chrf.batch``: its options, in the groups of its help."""

from __future__ import annotations

import argparse
import contextlib
import re
from dataclasses import fields
from fractions import Fraction

from chrf.cli import statistics
from chrf.cli.command import Parser, add_output_options
from chrf.core.options import AVERAGINGS, RULES, VERSION, Options
from chrf.files.marks import MISSING
from chrf.files.table import QUOTINGS
from chrf.kernel.simd import short

USAGE = """%(prog)s [option ...] [FILE ...]
       %(prog)s [option ...] --reference-file REF.txt [HYP.txt ...]"""

EPILOG = """A row ends at a line feed (or CRLF) and is split at tabs; quotes are text, but with
--quoting csv. FILEs whose name ends in .gz are decompressed. Exit status: 0; 1 for input that
cannot be scored or output that cannot be written; 2 for wrong usage."""

EXACT_NUMBER = r"[0-9]{0,18}\.[0-9]{1,18}|[0-9]{1,18}(/[0-9]{1,18})?"


def make_parser(prog: str = "python -m chrf.batch") -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        prog=prog,
        usage=USAGE,
        description="Exact chrF and chrF++ of systems in tab-separated or line-aligned files.",
        epilog=EPILOG,
        allow_abbrev=False,
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="'-' or none: standard input")
    version = f"chrf {VERSION} (vectors: {short.in_use()})"
    parser.add_argument("-V", "--version", action="version", version=version)
    add_input(parser.add_argument_group("input"))
    add_metric(parser.add_argument_group("metric"))
    statistics.add_options(parser.add_argument_group("statistics"))
    add_output(parser.add_argument_group("output"))
    return parser


def add_input(group: argparse._ArgumentGroup) -> None:
    """Add the options that say what is read, and which columns of it."""
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
    group.add_argument(
        "--quoting",
        choices=QUOTINGS,
        default=QUOTINGS[0],
        help="csv: fields of a table may be in quotes, as pandas and csv write them "
        "(default: %(default)s, quotes are text)",
    )
    group.add_argument(
        "--missing-reference",
        choices=MISSING,
        default=MISSING[0],
        help="a blank reference counts as an empty one, is left out, or is an error "
        "(default: %(default)s)",
    )


def add_metric(group: argparse._ArgumentGroup) -> None:
    """Add the fields of `Options`, under their names and sacreBLEU's."""
    default = argparse.SUPPRESS  # then `Options` has the only default
    built_in = {option.name: f"(default: {option.default})" for option in fields(Options)}
    group.add_argument(
        *("--char-order", "-cc", "--chrf-char-order"),
        type=int,
        default=default,
        metavar="N",
        help=f"longest character n-gram {built_in['char_order']}",
    )
    group.add_argument(
        *("--word-order", "-cw", "--chrf-word-order"),
        type=int,
        default=default,
        metavar="N",
        help=f"longest word n-gram; 2 for chrF++ {built_in['word_order']}",
    )
    group.add_argument(
        *("--beta", "--chrf-beta"),
        type=beta_value,
        default=default,
        metavar="B",
        help=f"weight of recall, such as 2, 0.5 or 1/3, taken exactly {built_in['beta']}",
    )
    group.add_argument(
        *("--lowercase", "--chrf-lowercase"),
        action="store_true",
        default=default,
        help="lower-case both texts",
    )
    group.add_argument(
        *("--whitespace", "--chrf-whitespace"),
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


def add_output(group: argparse._ArgumentGroup) -> None:
    """Add the options that say what is written, and how many threads compute it."""
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
        help="report characters that cost points unseen (docs/check.md); scores never change",
    )
    group.add_argument(
        "--threads",
        "-j",
        type=int,
        metavar="N",
        help="threads that count (default: the CPUs this process may use)",
    )


def beta_value(text: str) -> Fraction:
    """Return beta exactly as it is written: an integer, a decimal or ``n/d``."""
    with contextlib.suppress(ZeroDivisionError):
        if re.fullmatch(EXACT_NUMBER, text) and Fraction(text) > 0:
            return Fraction(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a positive number such as 2, 1.5 or 3/2")
