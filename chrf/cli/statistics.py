"""Intervals and tests of ``python -m chrf.batch``: their flags, and what is made of the counts."""

from __future__ import annotations

import argparse
import os
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from chrf.core.draws import MOST_DRAWS
from chrf.core.options import Options
from chrf.core.score import Score
from chrf.files.table import InputError, Source, as_utf8

if TYPE_CHECKING:
    from chrf.stats.records import BootstrapInterval, Comparison, Comparisons

INTERVAL_DRAWS = 1000
DRAWS = {"bootstrap": 1000, "permutation": 10000}
SEED_VARIABLE = "SACREBLEU_SEED"
SEED = 12345  # sacreBLEU's
ALPHA = 0.05
# The flags after which a number may stand; without one they take the default.
INTERVAL_FLAGS = ("--ci", "-ci", "--confidence")


@dataclass(frozen=True)
class Standing:
    """What the statistics say of one system.

    Attributes
    ----------
    interval : BootstrapInterval or None
    against : Comparison or None
        With the baseline; None for the baseline itself.
    rank : tuple of (int, int) or None
    cluster : int or None
    pairs : tuple of Comparison
        With every system after it, if all pairs were asked for.
    """

    interval: BootstrapInterval | None = None
    against: Comparison | None = None
    rank: tuple[int, int] | None = None
    cluster: int | None = None
    pairs: tuple[Comparison, ...] = ()


def add_options(group: argparse._ArgumentGroup) -> None:
    """The flags, sacreBLEU's spelling included."""
    group.add_argument(
        *INTERVAL_FLAGS,
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


def with_numbers(arguments: Sequence[str]) -> list[str]:
    """The command line, in which --ci takes the next word only where that is a number."""
    words = list(arguments)
    flags = words.index("--") if "--" in words else len(words)
    for i, word in enumerate(words[:flags]):
        follows = i + 1 < len(words) and words[i + 1].isdecimal()
        if word in INTERVAL_FLAGS and not follows:
            words[i] = f"--ci={INTERVAL_DRAWS}"
    return words


def check_options(settings: argparse.Namespace) -> None:
    """Refuse what cannot be tested; settle the numbers and the seed."""
    if settings.all_pairs and not settings.paired:
        settings.paired = "permutation"
    goes_with = {
        "--confidence-n": (settings.confidence_n, "--ci", settings.ci),
        "--paired-bs-n": (settings.paired_bs_n, "--paired-bs", settings.paired == "bootstrap"),
        "--paired-ar-n": (settings.paired_ar_n, "--paired-ar", settings.paired == "permutation"),
        "--baseline": (settings.baseline, "--paired", settings.paired),
        "--seed": (settings.seed, "--ci or --paired", wanted(settings)),
        "--alpha": (settings.alpha, "--ci or --paired", wanted(settings)),
    }
    for flag, (value, others, given) in goes_with.items():
        if value is not None and not given:
            raise ValueError(f"{flag} goes with {others}")
    for flag in ("--ci", "--confidence-n", "--paired-bs-n", "--paired-ar-n"):
        number = getattr(settings, flag[2:].replace("-", "_"))
        if number is not None and not 1 <= number <= MOST_DRAWS:
            raise ValueError(f"{flag} is {number}; it must be an integer from 1 to {MOST_DRAWS}")
    if settings.confidence_n is not None:
        if settings.ci not in (INTERVAL_DRAWS, settings.confidence_n):
            raise ValueError("--ci and --confidence-n give two numbers")
        settings.ci = settings.confidence_n
    settings.paired_bs_n = settings.paired_bs_n or DRAWS["bootstrap"]
    settings.paired_ar_n = settings.paired_ar_n or DRAWS["permutation"]
    settings.alpha = ALPHA if settings.alpha is None else settings.alpha
    if not 0 < settings.alpha < 1:
        raise ValueError(f"alpha is {settings.alpha}; it must lie between 0 and 1")
    if settings.format == "tsv" and (
        (settings.orders and wanted(settings)) or (settings.all_pairs and settings.ci)
    ):
        raise ValueError(
            "--format tsv is one table, without room for --orders beside --ci or --paired, or for "
            "--ci beside --all-pairs"
        )
    if settings.score_only and wanted(settings):
        raise ValueError("--score-only prints one number per system and nothing else")
    if settings.sentence_level and wanted(settings):
        raise ValueError("--sentence-level prints one number per segment and nothing else")
    if wanted(settings):
        settings.seed = _seed(settings.seed)


def _seed(given: str | None) -> int | None:
    """The seed of the flag or of sacreBLEU's variable, whose "None" asks for a fresh one."""
    name, text = "--seed", given
    if text is None:
        name, text = SEED_VARIABLE, os.environ.get(SEED_VARIABLE, str(SEED))
    if text.lower() == "none":
        return None
    if not re.fullmatch("[0-9]{1,1000}", text):
        raise ValueError(f"{name} is {text!r}; it must be an integer of at least 0, or None")
    return int(text)


def wanted(settings: argparse.Namespace) -> bool:
    """Whether the counts of every segment are to be kept."""
    return settings.ci is not None or settings.paired is not None


def standings(
    source: Source,
    flats: Sequence[array[int]],
    scores: Sequence[Score],
    settings: argparse.Namespace,
) -> list[Standing]:
    """What was asked for of each system of a source, from the counts of its segments."""
    import numpy as np

    from chrf.core.blocks import apply_rule
    from chrf.core.resampling import Draws
    from chrf.stats.comparisons import PairedSettings
    from chrf.stats.intervals import bootstrap_interval
    from chrf.stats.systems import SystemCounts
    from chrf.stats.tests import PermutationSettings, bootstrap_test, permutation_test

    options: Options = settings.options
    names = [system.name for system in source.systems]
    systems = []
    for name, flat, score in zip(names, flats, scores, strict=True):
        counts = np.frombuffer(flat, dtype=np.int64).reshape(-1, options.order_count, 3)
        systems.append(SystemCounts(name, apply_rule(counts, options.rule), score))

    def draws(iterations: int) -> Draws:
        return Draws.checked(iterations, settings.alpha, settings.seed, settings.threads)

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
    """The position of the baseline among the systems."""
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
    """Every other system's comparison with the baseline, adjusted for these tests alone."""
    from chrf.stats.estimates import holm

    others = [name for name in names if name != baseline]
    pairs = [compared[name, baseline] for name in others]
    adjusted = holm([pair.p_value for pair in pairs])
    return {
        name: replace(pair, adjusted_p_value=p)
        for name, pair, p in zip(others, pairs, adjusted, strict=True)
    }
