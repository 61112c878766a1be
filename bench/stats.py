"""Intervals and tests beside evaluatio and sacreBLEU, in one process and run: ``make bench``.

One thread each, text to result. Every result is checked before anything is timed; rounds are
interleaved and each contender's best round counts.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cases
import chrf
from chrf import stats
from chrf.core.draws import SEED
from timing import best

PAIR, FIRST, SECOND = "en-cs", "CUNI-Transformer", "ONLINE-Y"
ROW = "{:58} {:>9} {:>11} {:>11} {:>8}"


@dataclass(frozen=True)
class Texts:
    """Two systems and their references."""

    name: str
    first: list[str]
    second: list[str]
    references: list[str]

    @property
    def rows(self) -> list[list[str]]:
        """The references as evaluatio takes them."""
        return [[text] for text in self.references]


@dataclass(frozen=True)
class Race:
    """The same question to us and to a peer; `check` raises where the answers differ."""

    name: str
    ours: Callable[[], Any]
    peer: str
    theirs: Callable[[], Any]
    check: Callable[[Any, Any], None]

    def row(self, ours: float, theirs: float) -> str:
        """A line of the table, from the seconds of both."""
        times = f"{theirs / ours:.1f}"
        return ROW.format(
            self.name, self.peer, f"{1000 * theirs:,.0f} ms", f"{1000 * ours:.1f} ms", times
        )


def load() -> Texts:
    """WMT23 en-cs, or generated texts where it is not at hand."""
    path = cases.WMT23 / f"{PAIR}.tsv.gz"
    if path.is_file():
        return Texts(f"wmt23 {PAIR}", *cases._read_columns(path, FIRST, SECOND, "refA"))
    case = cases.load("eight references")
    references, second = ([group[i] for group in case.groups] for i in (0, 1))
    return Texts(case.name, case.hypotheses, second, references)


def races(texts: Texts) -> list[Race]:
    """All the questions whose peer is installed."""
    return [*evaluatio_races(texts), *sacrebleu_races(texts)]


def evaluatio_races(texts: Texts) -> list[Race]:
    """What evaluatio computes as well; nothing where it is not installed."""
    evaluatio = _imported("evaluatio.metrics.chrf")
    if not evaluatio:
        return []
    rows, sets = texts.rows, [texts.references]
    return [
        Race(
            "chrf_ci, 1,000 resamples",
            lambda: stats.chrf_ci(rows, texts.first),
            "evaluatio",
            lambda: evaluatio.chrf_ci(rows, texts.first, 1000, 0.05),
            same_interval,
        ),
        Race(
            "chrf_permutation_test, 10,000 permutations",
            lambda: stats.chrf_permutation_test(sets, texts.first, texts.second, seed=1),
            "evaluatio",
            # Its code wants rows, whatever it says.
            lambda: evaluatio.chrf_permutation_test(rows, texts.first, texts.second, 10000),
            similar_p_value,
        ),
    ]


def sacrebleu_races(texts: Texts) -> list[Race]:
    """What sacreBLEU computes as well; nothing where it is not installed."""
    sacrebleu = _imported("sacrebleu")
    if not sacrebleu:
        return []
    sets = [texts.references]
    significance = importlib.import_module("sacrebleu.significance")
    systems = {"first": texts.first, "second": texts.second}

    def paired_test(kind: str) -> float:
        metrics = {"chrF": sacrebleu.CHRF()}
        _, results = significance.PairedTest(list(systems.items()), metrics, sets, kind)()
        p_value: float = results["chrF2"][1].p_value
        return p_value

    return [
        Race(
            "paired_bootstrap, 1,000 resamples",
            lambda: (
                stats.paired_bootstrap(systems, texts.references, rule="sacrebleu")
                .pairs[0]
                .sacrebleu_p_value
            ),
            "sacreBLEU",
            lambda: paired_test("bs"),
            same_p_value,
        ),
        Race(
            "paired_permutation, 10,000 swaps",
            lambda: permutation_p_value(systems, texts, interval_iterations=0),
            "sacreBLEU",
            lambda: paired_test("ar"),
            same_p_value,
        ),
        Race(
            "the same, with intervals that sacreBLEU does not give",
            lambda: permutation_p_value(systems, texts),
            "sacreBLEU",
            lambda: paired_test("ar"),
            same_p_value,
        ),
        Race(
            "bootstrap_ci, 1,000 resamples",
            lambda: stats.bootstrap_ci(texts.first, texts.references, rule="sacrebleu"),
            "sacreBLEU",
            lambda: sacrebleu.CHRF().corpus_score(texts.first, sets, n_bootstrap=1000),
            same_mean,
        ),
    ]


def permutation_p_value(systems: dict[str, list[str]], texts: Texts, **settings: Any) -> float:
    """The p-value of swaps of corpus scores."""
    result = stats.paired_permutation(systems, texts.references, rule="sacrebleu", **settings)
    return result.pairs[0].p_value


def same_interval(ours: Any, theirs: Any) -> None:
    """Equal but for the rounding of 32-bit floats."""
    for name in ("mean", "lower", "upper"):
        a, b = getattr(ours, name), getattr(theirs, name)
        _require(math.isclose(a, b, rel_tol=1e-5), ours, theirs)


def similar_p_value(ours: float, theirs: float) -> None:
    """Within five standard errors: the two draw permutations of their own."""
    error = math.sqrt(2 * ours * (1 - ours) / 10_000) + 1e-4
    _require(abs(ours - theirs) < 5 * error, ours, theirs)


def same_p_value(ours: float, theirs: float) -> None:
    """Equal: the draws are the same."""
    _require(ours == theirs, ours, theirs)


def same_mean(ours: Any, theirs: Any) -> None:
    """Equal but for the rounding of 32-bit floats."""
    _require(math.isclose(ours.mean, theirs._mean, rel_tol=1e-5), ours, theirs)


def _require(same: bool, ours: object, theirs: object) -> None:
    if not same:
        raise AssertionError(f"{theirs} where chrf has {ours}")


def _imported(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    arguments = parser.parse_args()
    os.environ["SACREBLEU_SEED"] = str(SEED)
    texts = load()
    contests = races(texts)
    for race in contests:
        race.check(race.ours(), race.theirs())
    runs = {"plain": lambda: chrf.corpus_score(texts.first, texts.references)}
    for race in contests:
        runs |= {f"ours, {race.name}": race.ours, f"theirs, {race.name}": race.theirs}
    seconds = best(runs, arguments.rounds)
    print(f"{texts.name}, {len(texts.references):,} segments, chrF2, one thread")
    print(ROW.format("", "peer", "peer", "chrf", "times"))
    for race in contests:
        print(race.row(seconds[f"ours, {race.name}"], seconds[f"theirs, {race.name}"]))
    print(f"For comparison, the score alone: {1000 * seconds['plain']:.1f} ms.")
    for package in ("evaluatio", "sacrebleu", "numpy"):
        try:
            print(package, importlib.metadata.version(package))
        except importlib.metadata.PackageNotFoundError:
            print(package, "absent")


if __name__ == "__main__":
    main()
