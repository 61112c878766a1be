"""The command line of ``python -m chrf.batch``: its options, read and checked."""

from __future__ import annotations

import argparse
import os
import re
from dataclasses import fields
from fractions import Fraction

from chrf import counting, rows
from chrf.options import AVERAGINGS, RULES, VERSION, Options
from chrf.report import DEFAULT_WIDTH, FORMATS


def make_parser() -> argparse.ArgumentParser:
    """The command line's options. Those of `Options` have its names and take its defaults."""
    parser = argparse.ArgumentParser(
        prog="python -m chrf.batch",
        description="Exact chrF and chrF++ of systems in tab-separated or line-aligned files.",
        allow_abbrev=False,
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="'-' or none: standard input")
    parser.add_argument("-V", "--version", action="version", version=f"chrf {VERSION}")

    group = parser.add_argument_group("input")
    columns = "columns by 1-based position or, with --header, by name"
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
        help="FILEs are plain text, aligned by line with these references",
    )

    default = argparse.SUPPRESS
    group = parser.add_argument_group("metric")
    group.add_argument("--beta", "--chrf-beta", type=beta_value, default=default, metavar="B")
    group.add_argument(
        "--char-order", "-cc", "--chrf-char-order", type=int, default=default, metavar="N"
    )
    group.add_argument(
        "--word-order",
        "-cw",
        "--chrf-word-order",
        type=int,
        default=default,
        metavar="N",
        help="2 for chrF++",
    )
    group.add_argument("--lowercase", "--chrf-lowercase", action="store_true", default=default)
    group.add_argument("--whitespace", "--chrf-whitespace", action="store_true", default=default)
    group.add_argument("--averaging", choices=AVERAGINGS, default=default)
    group.add_argument("--rule", choices=RULES, default=default)

    group = parser.add_argument_group("output")
    group.add_argument("--format", "-f", choices=FORMATS)
    group.add_argument(
        "--width", "-w", type=int, default=DEFAULT_WIDTH, metavar="N", help="decimals shown"
    )
    group.add_argument("--score-only", "-b", action="store_true", help="one number per system")
    group.add_argument(
        "--sentence-level", "-sl", action="store_true", help="one number per segment, no more"
    )
    group.add_argument("--segments", metavar="OUT.tsv", help="write the score of every segment")
    group.add_argument("--orders", action="store_true", help="the breakdown by n-gram order")
    group.add_argument("--fractions", action="store_true", help="exact fractions too")
    group.add_argument("--short", "-sh", action="store_true", help="short signature")
    group.add_argument("--check-text", action="store_true", help="report suspicious text")
    group.add_argument("--quiet", "-q", action="store_true", help="no notes, no progress bar")
    group.add_argument(
        "--threads", "-j", type=int, metavar="N", help="default: the CPUs this process may use"
    )
    return parser


def beta_value(text: str) -> Fraction:
    """beta as it is written: an integer, a decimal or ``n/d``, exactly."""
    if not re.fullmatch(r"[0-9]{1,18}(\.[0-9]{1,18})?|[0-9]{1,18}/[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number such as 2, 1.5 or 3/2")
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise argparse.ArgumentTypeError(f"{text!r} divides by zero") from None


def read_options(settings: argparse.Namespace) -> Options:
    """The `Options` that the command line asks for."""
    names = {option.name for option in fields(Options)}
    return Options(**{key: value for key, value in vars(settings).items() if key in names})


def check_usage(settings: argparse.Namespace) -> None:
    """Refuse what cannot be done, before anything is read; settle the defaults that depend."""
    settings.files = settings.files or [rows.STANDARD_INPUT]
    settings.threads = (
        available_cpus() if settings.threads is None else counting.checked_threads(settings.threads)
    )
    plain = settings.reference_file is not None
    if plain and (settings.header or settings.hypothesis or settings.reference):
        raise ValueError("--reference-file goes with plain text, which has no columns")
    inputs = settings.files + (settings.reference_file or [])
    if inputs.count(rows.STANDARD_INPUT) > 1:
        raise ValueError("standard input can be read only once")
    if not 0 <= settings.width <= 100:
        raise ValueError(f"width is {settings.width}; it must be an integer from 0 to 100")
    more = settings.format not in (None, "text") or settings.orders or settings.fractions
    if settings.sentence_level and more:
        raise ValueError("--sentence-level prints one number per segment and nothing else")
    if settings.score_only and more:
        raise ValueError("--score-only prints one number per system and nothing else")
    out = settings.segments
    if out is not None and os.path.isfile(out):
        for path in filter(os.path.isfile, inputs):
            if os.path.samefile(path, out):
                raise ValueError(f"--segments would overwrite the input {path}")


def available_cpus() -> int:
    """The CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
