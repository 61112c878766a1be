"""Intervals and tests of ``python -m chrf.batch``: their flags, and what is made of the counts."""

from __future__ import annotations

import argparse
import os
import re
from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from chrf.cli.command import OptionalNumber
from chrf.core.draws import MOST_DRAWS, SEED, SEED_VARIABLE
from chrf.core.score import Score
from chrf.files.names import InputError, as_utf8
from chrf.files.rows import Source
from chrf.report.layout import Layout
from chrf.report.results import Standing

if TYPE_CHECKING:
    from chrf.stats.records import Comparison, Comparisons

INTERVAL_DRAWS = 1000
DRAWS = {"bootstrap": 1000, "permutation": 10000}
ALPHA = 0.05


class StatisticsSettings(NamedTuple):
    """Which intervals and tests are asked for.

    Attributes
    ----------
    ci : int or None
        Resamples of the interval of every score.
    paired : {"bootstrap", "permutation"} or None
    paired_bs_n, paired_ar_n : int
        Resamples or permutations of that test.
    baseline : str or None
        The first system, if it is None.
    all_pairs : bool
    alpha : float
    seed : int or None
        None asks for a fresh one.
    """

    ci: int | None
    paired: str | None
    paired_bs_n: int
    paired_ar_n: int
    baseline: str | None
    all_pairs: bool
    alpha: float
    seed: int | None

    @property
    def wanted(self) -> bool:
        """Whether the counts of every segment are to be kept."""
        return self.ci is not None or self.paired is not None


def add_options(group: argparse._ArgumentGroup) -> None:
    """Add the flags, sacreBLEU's spelling included."""
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
    group.add_argument("--confidence-n", "-cin", type=int, metavar="N", help="the same N")
    tests = group.add_mutually_exclusive_group()
    tests.add_argument(
        "--paired", choices=tuple(DRAWS), help="test every system against the baseline"
    )
    for kind, name, short in (("bootstrap", "bs", "pbs"), ("permutation", "ar", "par")):
        tests.add_argument(
            f"--paired-{name}",
            f"-{short}",
            action="store_const",
            const=kind,
            dest="paired",
            help=f"--paired {kind}",
        )
        group.add_argument(
            f"--paired-{name}-n",
            f"-{short}n",
            type=int,
            metavar="N",
            help=f"draws of that test (default: {DRAWS[kind]})",
        )
    group.add_argument("--baseline", metavar="NAME", help="default: the first system")
    group.add_argument("--all-pairs", action="store_true", help="test all pairs of systems")
    group.add_argument(
        "--seed", metavar="S", help=f"of all draws (default: ${SEED_VARIABLE}, or {SEED})"
    )
    group.add_argument("--alpha", type=float, help=f"level (default: {ALPHA})")


def read_statistics(parsed: argparse.Namespace, layout: Layout) -> StatisticsSettings:
    """Return what is to be computed; ValueError for what cannot be, or not be shown."""
    paired = parsed.paired or ("permutation" if parsed.all_pairs else None)
    wanted = parsed.ci is not None or paired is not None
    _check_companions(parsed, paired, wanted)
    _check_draws(parsed)
    alpha = ALPHA if parsed.alpha is None else parsed.alpha
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is {alpha}; it must lie between 0 and 1")
    tables = (layout.orders and wanted) or (parsed.all_pairs and parsed.ci)
    if layout.format == "tsv" and tables:
        raise ValueError(
            "--format tsv is one table, without room for --orders beside --ci or --paired, or for "
            "--ci beside --all-pairs"
        )
    return StatisticsSettings(
        ci=parsed.ci if parsed.confidence_n is None else parsed.confidence_n,
        paired=paired,
        paired_bs_n=parsed.paired_bs_n or DRAWS["bootstrap"],
        paired_ar_n=parsed.paired_ar_n or DRAWS["permutation"],
        baseline=parsed.baseline,
        all_pairs=parsed.all_pairs,
        alpha=alpha,
        seed=_seed(parsed.seed) if wanted else None,
    )


def _check_companions(parsed: argparse.Namespace, paired: str | None, wanted: bool) -> None:
    """Raise ValueError for an option without the one that it says more of."""
    for flag, value, others, given in (
        ("--confidence-n", parsed.confidence_n, "--ci", parsed.ci is not None),
        ("--paired-bs-n", parsed.paired_bs_n, "--paired-bs", paired == "bootstrap"),
        ("--paired-ar-n", parsed.paired_ar_n, "--paired-ar", paired == "permutation"),
        ("--baseline", parsed.baseline, "--paired", paired is not None),
        ("--seed", parsed.seed, "--ci or --paired", wanted),
        ("--alpha", parsed.alpha, "--ci or --paired", wanted),
    ):
        if value is not None and not given:
            raise ValueError(f"{flag} goes with {others}")


def _check_draws(parsed: argparse.Namespace) -> None:
    """Raise ValueError for a number of resamples or permutations that is out of range."""
    for flag, number in (
        ("--ci", parsed.ci),
        ("--confidence-n", parsed.confidence_n),
        ("--paired-bs-n", parsed.paired_bs_n),
        ("--paired-ar-n", parsed.paired_ar_n),
    ):
        if number is not None and not 1 <= number <= MOST_DRAWS:
            raise ValueError(f"{flag} is {number}; it must be an integer from 1 to {MOST_DRAWS}")
    if parsed.confidence_n not in (None, parsed.ci) and parsed.ci != INTERVAL_DRAWS:
        raise ValueError("--ci and --confidence-n give two numbers")


def _seed(given: str | None) -> int | None:
    """Return the seed of the flag or of sacreBLEU's variable; "None" asks for a fresh one."""
    name, text = "--seed", given
    if text is None:
        name, text = SEED_VARIABLE, os.environ.get(SEED_VARIABLE, str(SEED))
    if text.lower() == "none":
        return None
    if not re.fullmatch("[0-9]{1,1000}", text):
        raise ValueError(f"{name} is {text!r}; it must be an integer of at least 0, or None")
    return int(text)


def standings(
    source: Source,
    flats: Sequence[array[int]],
    scores: Sequence[Score],
    settings: StatisticsSettings,
    threads: int,
) -> list[Standing]:
    """Compute what is asked for of each system of a source, from the counts of its segments."""
    import numpy as np

    from chrf.core.blocks import apply_rule
    from chrf.core.resampling import Draws
    from chrf.stats.comparisons import PairedSettings
    from chrf.stats.intervals import bootstrap_interval
    from chrf.stats.systems import SystemCounts
    from chrf.stats.tests import PermutationSettings, bootstrap_test, permutation_test

    options = scores[0].options
    names = [system.name for system in source.systems]
    systems = []
    for name, flat, score in zip(names, flats, scores, strict=True):
        counts = np.frombuffer(flat, dtype=np.int64).reshape(-1, options.order_count, 3)
        systems.append(SystemCounts(name, apply_rule(counts, options.rule), score))

    def draws(iterations: int) -> Draws:
        return Draws.checked(iterations, settings.alpha, settings.seed, threads)

    result = [Standing() for _ in systems]
    if settings.ci:
        result = [Standing(bootstrap_interval(system, draws(settings.ci))) for system in systems]
    if not settings.paired:
        return result
    baseline = _baseline(source, settings.baseline)
    if settings.paired == "bootstrap":
        compared = bootstrap_test(systems, PairedSettings(draws(settings.paired_bs_n)))
    else:
        compared = permutation_test(systems, PermutationSettings(draws(settings.paired_ar_n)))
    against = _against(compared, names, names[baseline])
    placed = {system.name: system for system in compared.systems}
    return [
        replace(
            standing,
            against=against.get(name),
            rank=placed[name].rank,
            cluster=placed[name].cluster,
            pairs=tuple(pair for pair in compared.pairs if pair.first == name)
            if settings.all_pairs
            else (),
        )
        for name, standing in zip(names, result, strict=True)
    ]


def _baseline(source: Source, name: str | None) -> int:
    """Return the position of the baseline among the systems."""
    names = [system.name for system in source.systems]
    file = source.systems[0].file
    if len(names) < 2:
        raise InputError(f"{file}:1: a paired test needs at least two systems")
    for system in names:
        if names.count(system) > 1:
            raise InputError(f"{system}:1: the same system twice cannot be compared")
    if name is None:
        return 0
    name = as_utf8(name)
    if name not in names:
        raise InputError(f"{file}:1: no system {name!r}; the systems are {', '.join(names)}")
    return names.index(name)


def _against(compared: Comparisons, names: Sequence[str], baseline: str) -> dict[str, Comparison]:
    """Compare every other system with the baseline, adjusted for these tests alone."""
    from chrf.stats.estimates import holm

    others = [name for name in names if name != baseline]
    pairs = [compared[name, baseline] for name in others]
    adjusted = holm([pair.p_value for pair in pairs])
    return {
        name: replace(pair, adjusted_p_value=p)
        for name, pair, p in zip(others, pairs, adjusted, strict=True)
    }
