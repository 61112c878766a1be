"""The command line of ``python -m chrf.batch``: its options, in the groups of its help."""

from __future__ import annotations

import argparse
import contextlib
import re
from dataclasses import fields
from fractions import Fraction

from chrf.cli import beside, labels, runs
from chrf.cli.command import OptionalNumber, Parser, add_output_options
from chrf.cli.statistics import CI_METHODS
from chrf.core.draws import (
    ADJUST,
    ALPHA,
    CORRECTIONS,
    INTERVAL_DRAWS,
    SEED,
    SEED_VARIABLE,
    TEST_DRAWS,
)
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
    numbers = parser.add_argument_group("statistics")
    add_intervals(numbers)
    add_tests(numbers)
    add_decisions(numbers)
    beside.add_options(numbers)
    runs.add_options(numbers)
    labels.add_options(numbers)
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


def add_intervals(group: argparse._ArgumentGroup) -> None:
    """Add the flags of intervals, sacreBLEU's spelling included."""
    group.add_argument(
        "--ci",
        "-ci",
        "--confidence",
        action=OptionalNumber,
        nargs="?",
        type=int,
        const=INTERVAL_DRAWS,
        metavar="N",
        dest="ci",
        help="bootstrap interval of every score, from N resamples (default: %(const)s)",
    )
    group.add_argument(
        "--confidence-n",
        "-cin",
        type=int,
        metavar="N",
        help="the N of --ci, for sacreBLEU's command lines",
    )
    group.add_argument(
        "--ci-method",
        choices=CI_METHODS,
        help=f"how --ci and --paired make intervals (default: {CI_METHODS[0]})",
    )


def add_tests(group: argparse._ArgumentGroup) -> None:
    """Add the flags of paired tests, sacreBLEU's spelling included."""
    tests = group.add_mutually_exclusive_group()
    tests.add_argument(
        "--paired", choices=tuple(TEST_DRAWS), help="test every system against the baseline"
    )
    for kind, name, initials in (("bootstrap", "bs", "pbs"), ("permutation", "ar", "par")):
        tests.add_argument(
            f"--paired-{name}",
            f"-{initials}",
            action="store_const",
            const=kind,
            dest="paired",
            help=f"--paired {kind}",
        )
        group.add_argument(
            f"--paired-{name}-n",
            f"-{initials}n",
            type=int,
            metavar="N",
            help=f"{'resamples' if kind == 'bootstrap' else 'permutations'} of --paired {kind} "
            f"(default: {TEST_DRAWS[kind]}, or more for many pairs)",
        )


def add_decisions(group: argparse._ArgumentGroup) -> None:
    """Add the flags that say what is compared, and how it is decided."""
    group.add_argument(
        "--baseline",
        metavar="NAME",
        help="system that --paired compares the others with (default: the first)",
    )
    group.add_argument("--all-pairs", action="store_true", help="show the test of every pair")
    group.add_argument(
        "--correction",
        choices=tuple(CORRECTIONS),
        help=f"of p-values for the number of all pairs (default: {ADJUST})",
    )
    group.add_argument(
        "--one-tailed",
        action="store_true",
        default=None,
        help="of two systems: is the other one better than the baseline?",
    )
    group.add_argument(
        "--exact-budget",
        type=int,
        metavar="N",
        help="go through all permutations if they are at most N (default: as many as are drawn)",
    )
    group.add_argument(
        "--seed",
        metavar="S",
        help="seed of resamples and permutations; none for a fresh one "
        f"(default: ${SEED_VARIABLE}, or {SEED})",
    )
    group.add_argument(
        "--alpha",
        type=float,
        metavar="A",
        help=f"significance level; intervals are at 1 - A (default: {ALPHA})",
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
        help="report invisible characters and unlike marks that cost points (docs/check.md); "
        "scores never change",
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
    raise argparse.ArgumentTypeError(
        f"{text!r} is not a positive number such as 2, 1.5 or 3/2, in digits"
    )
