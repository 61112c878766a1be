"""How often intervals hold the true score, and how often tests reject what is true.

The segments of one corpus stand for everything that could be translated; the score of them all is
the true one. Test sets are drawn from them with replacement. An interval of 95 % should hold the
true score for 95 % of the test sets. For the tests, two systems exchange each segment of a test set
with probability 1/2, so that neither is better, and a p-value of at most 0.05 should come up for at
most 5 % of the test sets.

That is the ordinary case. ``--data`` has three that are not: segments of very unequal lengths,
segments that come in whole documents, and two systems with the same score on everything of which
one is a little better mostly and worthless sometimes.

Nothing here is timed, and all of it depends on the seed alone.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import chrf
from chrf.core import exact, resampling
from chrf.stats.deciding import MeanDifference, Scored
from stats import load

OPTIONS = chrf.Options()
LEVELS = (0.05, 0.01)
DOCUMENT = 10  # neighbouring segments
SHAPE = 1.5  # of a Pareto distribution, which has no variance
WORTHLESS = 0.07  # of the segments
Counts = NDArray[np.int64]
KINDS = ("exchange", "lengths", "documents", "skewed")


class Data(NamedTuple):
    """Two systems on everything that could be translated, and how test sets come from it."""

    first: Counts
    second: Counts
    together: int = 1  # segments that are drawn, and exchanged, together
    exchanged: bool = True

    def rows(self, size: int, generator: np.random.Generator) -> NDArray[np.int64]:
        """The segments of a test set."""
        blocks = generator.integers(0, len(self.first) // self.together, size=size // self.together)
        return (blocks[:, None] * self.together + np.arange(self.together)).ravel()

    def test_set(self, size: int, generator: np.random.Generator) -> tuple[Counts, Counts]:
        """Both systems on a test set, neither better than the other."""
        rows = self.rows(size, generator)
        a, b = self.first[rows], self.second[rows]
        if not self.exchanged:
            return a, b
        blocks = generator.integers(0, 2, size=size // self.together, dtype=bool)
        turned = blocks.repeat(self.together)[:, None, None]
        return np.where(turned, b, a), np.where(turned, a, b)


def make_data(kind: str, first: Counts, second: Counts) -> Data:
    """Make one of the four kinds of data."""
    generator = np.random.default_rng([1, 1])
    if kind == "documents":
        return Data(first, second, together=DOCUMENT)
    if kind == "lengths":  # a segment is repeated
        times = np.ceil(generator.pareto(SHAPE, size=len(first))).astype(np.int64)[:, None, None]
        return Data(first * times, second * times)
    if kind == "skewed":
        a, b = first.copy(), first.copy()
        a[generator.random(len(a)) < WORTHLESS, :, 2] = 0
        truth = exact.score(a.sum(axis=0).tolist(), OPTIONS)
        low, high = 0, 1 << 20  # the share of its matches that makes the other equally good
        while high - low > 1:
            middle = (low + high) // 2
            b[..., 2] = first[..., 2] * middle >> 20
            better = exact.score(b.sum(axis=0).tolist(), OPTIONS) > truth
            low, high = (low, middle) if better else (middle, high)
        return Data(a, b, exchanged=False)
    return Data(first, second)


def coverage(data: Data, size: int, trials: int, draws: int) -> Iterator[str]:
    """The share of test sets whose interval misses the true score, below and above."""
    population = data.first
    truth = exact.score(population.sum(axis=0).tolist(), OPTIONS)
    generator = np.random.default_rng([1, size])  # not that of a test
    misses = {"percentile": [0, 0], "bca": [0, 0]}
    widths = dict.fromkeys(misses, 0.0)
    for seed in range(trials):
        sample = population[data.rows(size, generator)]
        for method, (below, above) in misses.items():
            bounds = chrf.stats.bootstrap_ci(
                sample, iterations=draws, method=method, seed=seed
            ).bounds
            misses[method] = [below + (truth < bounds.lower), above + (truth > bounds.upper)]
            widths[method] += float(bounds.upper - bounds.lower) / trials
    for method, (below, above) in misses.items():
        held = 1 - (below + above) / trials
        yield (
            f"{size:>6} {method:12} {held:8.1%} ±{_margin(held, trials):.1%} "
            f"{below / trials:8.1%} {above / trials:8.1%} {widths[method]:8.2f}"
        )


def rejections(data: Data, size: int, trials: int, draws: int) -> Iterator[str]:
    """The share of test sets, of systems that are equally good, with a p-value of so little."""
    generator = np.random.default_rng([1, size])  # not that of a test
    p_values: dict[str, list[float]] = {}
    for seed in range(trials):
        a, b = data.test_set(size, generator)
        for name, p in _p_values(a, b, draws, seed).items():
            p_values.setdefault(name, []).append(p)
    for name, values in p_values.items():
        shares = [sum(p <= level for p in values) / trials for level in LEVELS]
        texts = [f"{share:8.1%} ±{_margin(share, trials):.1%}" for share in shares]
        yield f"{size:>6} {name:32} {' '.join(texts)}"


def _p_values(a: Counts, b: Counts, draws: int, seed: int) -> dict[str, float]:
    systems = {"a": a, "b": b}
    [permutation] = chrf.stats.paired_permutation(
        systems, iterations=draws, interval_iterations=0, seed=seed
    ).pairs
    [bootstrap] = chrf.stats.paired_bootstrap(systems, iterations=draws, seed=seed).pairs
    means = MeanDifference(Scored.of(a, OPTIONS), Scored.of(b, OPTIONS))
    blocks = resampling.random_subsets(len(a), draws, np.random.default_rng(seed))
    extreme = sum(int(means.at_least_as_extreme(s, two_tailed=True).sum()) for s in blocks)
    assert bootstrap.sacrebleu_p_value is not None
    return {
        "paired_permutation": permutation.p_value,
        "paired_bootstrap": bootstrap.p_value,
        "paired bootstrap of sacreBLEU": bootstrap.sacrebleu_p_value,
        "chrf_permutation_test": (extreme + 1) / (draws + 1),
    }


def family(populations: dict[str, Counts], trials: int, draws: int) -> str:
    """How often any of the pairs of some equal systems is called significant after Holm."""
    generator = np.random.default_rng([1, 0])
    names = list(populations)
    size, errors, raw = 200, 0, 0
    for seed in range(trials):
        rows = generator.integers(0, len(populations[names[0]]), size=size)
        order = generator.permuted(np.tile(np.arange(len(names)), (size, 1)), axis=1)
        stacked = np.stack([populations[name][rows] for name in names])
        systems = {name: stacked[order[:, i], np.arange(size)] for i, name in enumerate(names)}
        result = chrf.stats.paired_permutation(
            systems, iterations=draws, interval_iterations=0, seed=seed
        )
        errors += any(pair.significant for pair in result.pairs)
        raw += any(pair.p_value <= pair.alpha for pair in result.pairs)
    return (
        f"{size:>6} segments, {len(names)} equal systems, {len(result.pairs)} pairs: some pair "
        f"significant {errors / trials:.1%} ±{_margin(errors / trials, trials):.1%}, "
        f"without Holm {raw / trials:.1%}"
    )


def _margin(share: float, trials: int) -> float:
    """Half a 95 % interval of a share."""
    return 1.96 * math.sqrt(share * (1 - share) / trials)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--trials", type=int, default=2000, metavar="N", help="test sets")
    parser.add_argument("--draws", type=int, default=1000, metavar="N", help="of each test")
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 50, 200, 1000], metavar="N")
    parser.add_argument("--data", nargs="+", choices=KINDS, default=["exchange"])
    arguments = parser.parse_args()
    trials, draws = arguments.trials, arguments.draws
    texts = load()
    first, second = (
        chrf.counts(hypotheses, texts.references) for hypotheses in (texts.first, texts.second)
    )
    print(f"{texts.name}, {len(first):,} segments; {trials:,} test sets, {draws:,} draws each")
    for kind in arguments.data:
        data = make_data(kind, first, second)
        print(f"\n{kind}: size interval     holds the truth   below    above    width")
        for size in arguments.sizes:
            for line in coverage(data, size, trials, draws):
                print(line, flush=True)
        print("\n  size test, of equal systems              p <= 0.05      p <= 0.01")
        for size in arguments.sizes:
            for line in rejections(data, size, trials, draws):
                print(line, flush=True)
    if "exchange" in arguments.data:
        print()
        # The references as a third system: exchangeable with the others all the same.
        perfect = chrf.counts(texts.references, texts.references)
        print(family({"a": first, "b": second, "c": perfect}, trials, draws))


if __name__ == "__main__":
    main()
