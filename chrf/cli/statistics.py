"""Intervals and tests of ``python -m chrf.batch``: what is asked for, and what it comes to."""

from __future__ import annotations

import argparse
import os
import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from chrf.cli import beside
from chrf.cli.beside import BesideSettings
from chrf.cli.labels import LabelSettings, read_label_settings
from chrf.cli.runs import read_pattern, run_standings
from chrf.core.checks import checked_int, cut, listed, meant, shown
from chrf.core.draws import (
    ADJUST,
    ALPHA,
    INTERVAL_DRAWS,
    MOST_DRAWS,
    SEED,
    SEED_VARIABLE,
    checked_seed,
)
from chrf.core.score import Score
from chrf.files.names import InputError, as_utf8
from chrf.report.layout import Layout
from chrf.report.results import Standing

if TYPE_CHECKING:
    from chrf.stats.records import BootstrapInterval, Comparisons
    from chrf.stats.settings import PairedSettings
    from chrf.stats.systems import SystemCounts

CI_METHODS = ("percentile", "bca")


class StatisticsSettings(NamedTuple):
    """Which intervals and tests are asked for.

    Attributes
    ----------
    ci : int or None
        Resamples of the interval of every score.
    paired : {"bootstrap", "permutation"} or None
    iterations : int or None
        Resamples or permutations of that test; None for as many as the pairs need.
    ci_method : {"percentile", "bca"}
        Of the intervals of scores and of differences.
    one_tailed : bool
        Ask whether the other of two systems is better than the baseline.
    exact_budget : int or None
        The most permutations to go through one by one.
    correction : {"holm", "bh", "none"}
    baseline : str or None
        The first system, if it is None.
    all_pairs : bool
    alpha : float
    seed : int or None
        None where no numbers are drawn.
    beside : BesideSettings
        What else the paired test is to say.
    labels : LabelSettings
    runs : str or None
        The pattern whose group names the system that a column is a training run of.
    """

    ci: int | None
    paired: str | None
    iterations: int | None
    ci_method: str
    one_tailed: bool
    exact_budget: int | None
    correction: str
    baseline: str | None
    all_pairs: bool
    alpha: float
    seed: int | None
    beside: BesideSettings
    labels: LabelSettings
    runs: str | None

    @property
    def wanted(self) -> bool:
        """Whether the counts of every segment are to be kept."""
        return bool(self.flags)

    @property
    def flags(self) -> list[str]:
        """The options that ask for them."""
        runs = ["--runs"] * (self.runs is not None)
        return runs + ["--ci"] * (self.ci is not None) + ["--paired"] * (self.paired is not None)


def read_statistics(parsed: argparse.Namespace, layout: Layout) -> StatisticsSettings:
    """Return what is to be computed; ValueError for what cannot be, or not be shown."""
    paired = parsed.paired or ("permutation" if parsed.all_pairs else None)
    runs = read_pattern(parsed, paired)
    wanted = parsed.ci is not None or paired is not None or runs is not None
    _check_companions(parsed, paired, wanted)
    _check_draws(parsed)
    alpha = ALPHA if parsed.alpha is None else parsed.alpha
    if not 0 < alpha / 2 < alpha < 1:  # half of it is left out at either end
        raise ValueError(f"--alpha is {alpha}; it must lie between 0 and 1")
    if layout.format == "tsv" and layout.orders and wanted:
        raise ValueError(
            "--format tsv is one table, without room for --orders beside --ci or --paired"
        )
    return StatisticsSettings(
        ci=parsed.ci if parsed.confidence_n is None else parsed.confidence_n,
        paired=paired,
        iterations=parsed.paired_bs_n or parsed.paired_ar_n,
        ci_method=parsed.ci_method or CI_METHODS[0],
        one_tailed=bool(parsed.one_tailed),
        exact_budget=parsed.exact_budget,
        correction=parsed.correction or ADJUST,
        baseline=parsed.baseline,
        all_pairs=parsed.all_pairs,
        alpha=alpha,
        seed=checked_seed(_seed(parsed.seed)) if wanted else None,
        beside=beside.read_beside(parsed, alpha),
        labels=read_label_settings(parsed, wanted),
        runs=runs,
    )


def _check_companions(parsed: argparse.Namespace, paired: str | None, wanted: bool) -> None:
    """Raise ValueError for an option without the one that it says more of."""
    for flag, value, others, given in (
        ("--confidence-n", parsed.confidence_n, "--ci", parsed.ci is not None),
        ("--paired-bs-n", parsed.paired_bs_n, "--paired-bs", paired == "bootstrap"),
        ("--paired-ar-n", parsed.paired_ar_n, "--paired-ar", paired == "permutation"),
        ("--exact-budget", parsed.exact_budget, "--paired-ar", paired == "permutation"),
        ("--baseline", parsed.baseline, "--paired", bool(paired or parsed.runs)),
        ("--correction", parsed.correction, "--paired", bool(paired or parsed.runs)),
        ("--one-tailed", parsed.one_tailed, "--paired", paired is not None),
        ("--ci-method", parsed.ci_method, "--ci or --paired", wanted),
        ("--seed", parsed.seed, "--ci or --paired", wanted),
        ("--alpha", parsed.alpha, "--ci or --paired", wanted),
        *beside.companions(parsed, paired is not None),
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
        if number is not None:
            checked_int(flag, number, 1, MOST_DRAWS)
    if parsed.exact_budget is not None:
        checked_int("--exact-budget", parsed.exact_budget, 0, MOST_DRAWS)
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
        raise ValueError(
            f"{name} is {shown(text)}; it must be an integer of at least 0, or none for a fresh one"
        )
    return int(text)


def standings(
    file: str, systems: Sequence[SystemCounts], settings: StatisticsSettings, threads: int
) -> list[Standing]:
    """Compute what is asked for of each of the systems of a file, or of the average of sets."""
    from chrf.stats.design import too_narrow

    design, names = systems[0].design, [system.name for system in systems]
    few = too_narrow(design, len(systems[0].counts)) if settings.wanted else None
    result = [Standing(note=few, sample=design.sample) for _ in systems]
    if settings.ci:
        result = [
            replace(standing, interval=interval)
            for standing, interval in zip(
                result, _intervals(systems, settings, threads), strict=True
            )
        ]
    if settings.runs is not None:
        found = run_standings(
            file, systems, settings.runs, settings.baseline, _runs_settings(settings, threads)
        )
        return [replace(one, runs=runs) for one, runs in zip(result, found, strict=True)]
    if not settings.paired:
        return result
    baseline = _baseline(file, names, settings.baseline)
    if settings.one_tailed:
        if len(systems) > 2:
            raise InputError(f"{file}:1: --one-tailed is for two systems, not for {len(systems)}")
        systems = sorted(systems, key=lambda system: system.name == baseline)
    compared = _compare(systems, settings, threads)
    placed = {system.name: system for system in compared.systems}
    return [
        replace(
            standing,
            compared=compared,
            against=None if name == baseline else compared[name, baseline],
            rank=placed[name].rank,
            cluster=placed[name].cluster,
            pairs=tuple(pair for pair in compared.pairs if pair.first == name)
            if settings.all_pairs
            else (),
        )
        for name, standing in zip(names, result, strict=True)
    ]


def read_systems(
    names: Sequence[str],
    flats: Sequence[array[int]],
    scores: Sequence[Score],
    labels: Mapping[str, Sequence[str]],
) -> list[SystemCounts]:
    """Return what the statistics know of systems; ValueError for labels that do not do."""
    import numpy as np

    from chrf.core.blocks import apply_rule
    from chrf.stats.design import Partition
    from chrf.stats.systems import SystemCounts, drawn_by

    systems = []
    for name, flat, score in zip(names, flats, scores, strict=True):
        counts = np.frombuffer(flat, dtype=np.int64).reshape(-1, score.options.order_count, 3)
        systems.append(SystemCounts(name, apply_rule(counts, score.rule), score))
    documents, strata = (
        Partition.of(kind, labels[kind]) if kind in labels else None
        for kind in ("documents", "strata")
    )
    return drawn_by(systems, documents, strata)


def _intervals(
    systems: Sequence[SystemCounts], settings: StatisticsSettings, threads: int
) -> list[BootstrapInterval]:
    from chrf.core.resampling import Draws
    from chrf.stats.intervals import bootstrap_interval

    assert settings.ci is not None
    draws = Draws.checked(settings.ci, settings.alpha, settings.seed, threads)
    return [bootstrap_interval(system, draws, method=settings.ci_method) for system in systems]


def _runs_settings(settings: StatisticsSettings, threads: int) -> PairedSettings:
    from chrf.stats.settings import PairedSettings

    drawn = settings.ci or INTERVAL_DRAWS, settings.alpha, settings.seed, threads
    return PairedSettings.checked(*drawn, adjust=settings.correction)


def _compare(
    systems: Sequence[SystemCounts], settings: StatisticsSettings, threads: int
) -> Comparisons:
    """Test all pairs; their intervals are those of --ci, if it was given."""
    from chrf.stats.settings import PairedSettings, PermutationSettings
    from chrf.stats.tests import bootstrap_test, permutation_test

    drawn = settings.iterations, settings.alpha, settings.seed, threads
    shared: dict[str, Any] = {
        "two_tailed": not settings.one_tailed,
        "adjust": settings.correction,
        "interval_method": settings.ci_method,
        "within": settings.beside.within,
        "power": settings.beside.power,
    }
    if settings.paired == "bootstrap":
        return bootstrap_test(
            systems, PairedSettings.checked(*drawn, interval_iterations=settings.ci, **shared)
        )
    return permutation_test(
        systems,
        PermutationSettings.checked(
            *drawn,
            interval_iterations=settings.ci or INTERVAL_DRAWS,
            exact_budget=settings.exact_budget,
            **shared,
        ),
    )


def _baseline(file: str, names: Sequence[str], name: str | None) -> str:
    """Return the name of the baseline among the systems."""
    if len(names) < 2:
        raise InputError(f"{file}:1: a paired test needs at least two systems")
    for system in names:
        if names.count(system) > 1:
            raise InputError(f"{cut(system)}: the same system twice cannot be compared")
    if name is None:
        return names[0]
    name = as_utf8(name)
    if name not in names:
        close = meant(name, names)
        the = " The" if close else "; the"
        raise InputError(
            f"{file}:1: no system {shown(name)}{close}{the} systems are {listed(names)}"
        )
    return name
