"""What paired tests of ``python -m chrf.batch`` say beside p: the flags and their checks."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import NamedTuple

from chrf.cli.command import OptionalNumber

POWER = 0.8


class BesideSettings(NamedTuple):
    """What else is asked for of a paired test.

    Attributes
    ----------
    within : float or None
        A margin in points: is the difference smaller?
    power : float or None
        What the test can find with this probability.
    p_matrix : str or None
        The file that the one-tailed p-values of all pairs are written to.
    """

    within: float | None = None
    power: float | None = None
    p_matrix: str | None = None


def add_options(group: argparse._ArgumentGroup) -> None:
    """Add the flags."""
    group.add_argument(
        "--within",
        type=float,
        metavar="D",
        help="with --paired: also test whether systems differ by less than D points",
    )
    group.add_argument(
        "--power",
        action=OptionalNumber,
        nargs="?",
        type=float,
        const=POWER,
        metavar="P",
        help="with --paired: which difference is found with probability P (default: %(const)s), "
        "and how many segments the differences need",
    )
    group.add_argument(
        "--p-matrix",
        metavar="OUT.tsv",
        help="with --paired: write the one-tailed p of every pair, for soft pairwise accuracy; "
        "the file appears whole or not at all",
    )


def companions(parsed: argparse.Namespace, paired: bool) -> Iterable[tuple[str, object, str, bool]]:
    """Return each flag with its value, what it goes with, and whether that was given."""
    for flag, value in (
        ("--within", parsed.within),
        ("--power", parsed.power),
        ("--p-matrix", parsed.p_matrix),
    ):
        yield flag, value, "--paired", paired


def read_beside(parsed: argparse.Namespace, alpha: float) -> BesideSettings:
    """Return what is asked for; ValueError for numbers out of range and for two tables."""
    tables = 1 if parsed.reference_file or parsed.average else len(parsed.files)
    if parsed.p_matrix is not None and tables > 1:
        raise ValueError("--p-matrix is of one table")
    if parsed.within is not None or parsed.power is not None:
        from chrf.stats.beside import checked_power, checked_within

        if parsed.within is not None:
            checked_within(parsed.within)
        if parsed.power is not None:
            checked_power(parsed.power, alpha)
    return BesideSettings(parsed.within, parsed.power, parsed.p_matrix)
