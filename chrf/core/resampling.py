"""Which segments each resample holds, and the exact sums of their counts.

Draws come from one NumPy generator in a fixed order, block by block; only the adding up is shared
over threads, so that no result depends on their number. The order is the one in which evaluatio
and sacreBLEU draw, and a test compares them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from chrf.core import summing
from chrf.core.blocks import Counts
from chrf.core.checks import shown
from chrf.core.draws import ALPHA, checked_iterations, checked_seed, level_text
from chrf.core.threads import checked_threads, in_order

INDICES_AT_ONCE = 1 << 17  # drawn indices in memory: 1 MB, which a cache holds
BITS_AT_ONCE = 1 << 27  # of random subsets: 16 MB
SUBSETS_AT_ONCE = 2048  # their sums stay in the cache
WORD_BITS = 63  # of an int64, without the sign
MOST_LISTED = 30  # segments of which all subsets are ever listed


def checked_alpha(alpha: object) -> float:
    """Return one minus the level of an interval, or the level of a test: between 0 and 1."""
    allowed = "it must be a number between 0 and 1"
    if isinstance(alpha, (bool, np.bool_)) or not isinstance(alpha, (float, Fraction, np.floating)):
        raise TypeError(f"alpha is {shown(alpha)}; {allowed}")
    number = float(alpha)
    if not 0 < number / 2 < number < 1:  # half of it is left out at either end
        raise ValueError(f"alpha is {number}; {allowed}")
    return number


@dataclass(frozen=True)
class Draws:
    """The checked settings that all draws share."""

    iterations: int
    alpha: float
    seed: int
    threads: int

    @classmethod
    def checked(cls, iterations: int, alpha: float, seed: int | None, threads: int = 1) -> Draws:
        """Check the settings; a seed of None stands for a fresh one."""
        iterations = checked_iterations("iterations", iterations)
        number = checked_seed(seed)
        return cls(iterations, checked_alpha(alpha), number, checked_threads(threads))

    @property
    def level(self) -> str | None:
        """The level of intervals in per cent, as signatures have it: None for 95."""
        return None if self.alpha == ALPHA else level_text(self.alpha)

    def generator(self) -> np.random.Generator:
        """Return a generator that begins at the seed; each kind of draws has one of its own."""
        return np.random.default_rng(self.seed)


@dataclass(frozen=True)
class Packed:
    """Rows of counts as words of 64 bits, several counts in each where they are small.

    Each count has a bit field as wide as the largest sum that can come up. A sum of rows is then
    a sum of words: no field overflows, so none carries into the next.
    """

    words: NDArray[np.int64]
    columns: int
    bits: int  # of a field

    @classmethod
    def pack(cls, rows: Counts, largest_sum: int, lanes: int) -> Packed:
        """Pack rows [rows, columns] whose sums reach `largest_sum` into a multiple of `lanes`."""
        bits = max(1, largest_sum.bit_length())
        fields = WORD_BITS // bits
        columns = rows.shape[1]
        width = -(-columns // (fields * lanes)) * lanes
        words = np.zeros((len(rows), width), dtype=np.int64)
        for column in range(columns):
            place, field = divmod(column, fields)
            words[:, place] |= rows[:, column] << (bits * field)
        return cls(words, columns, bits)

    def unpack(self, sums: NDArray[np.int64]) -> Counts:
        """Return the counts [rows, columns] that sums of words hold."""
        fields = WORD_BITS // self.bits
        mask = (1 << self.bits) - 1
        counts = np.empty((len(sums), self.columns), dtype=np.int64)
        for column in range(self.columns):
            counts[:, column] = (
                sums[:, column // fields] >> (self.bits * (column % fields))
            ) & mask
        return counts


def pack_for_draws(counts: Counts) -> Packed:
    """Pack counts [segments, orders, 3] for resamples that draw each segment once on average."""
    rows = _flat(counts)
    return Packed.pack(rows, len(rows) * int(rows.max()), summing.LANE_COUNT)


def pack_for_subsets(counts: Counts) -> Packed:
    """Pack counts [segments, orders, 3] for subsets of the segments."""
    rows = _flat(counts)
    return Packed.pack(rows, int(rows.sum(axis=0).max(initial=0)), lanes=1)


def _flat(counts: Counts) -> Counts:
    return counts.reshape(len(counts), counts.shape[1] * counts.shape[2])


def resample_sums(
    systems: Sequence[Counts], iterations: int, generator: np.random.Generator, threads: int = 1
) -> list[Counts]:
    """Sum the counts of bootstrap resamples, the same ones of each system: [iterations, orders, 3].

    A resample is one row of ``generator.choice(segments, size=(iterations, segments))``, as
    sacreBLEU draws.
    """
    segments = len(systems[0])
    packed = [pack_for_draws(counts) for counts in systems]
    results = [np.empty((iterations, *counts.shape[1:]), dtype=np.int64) for counts in systems]
    at_once = max(1, INDICES_AT_ONCE // segments)

    def draw() -> Iterator[tuple[int, NDArray[np.int64]]]:
        for start in range(0, iterations, at_once):
            shape = min(at_once, iterations - start), segments
            yield start, generator.integers(0, segments, size=shape)

    def add(block: tuple[int, NDArray[np.int64]]) -> None:
        start, indices = block
        for table, result in zip(packed, results, strict=True):
            sums = np.zeros((len(indices), table.words.shape[1]), dtype=np.int64)
            summing.add_drawn(table.words, indices, sums)
            part = result[start : start + len(indices)]
            part[:] = table.unpack(sums).reshape(part.shape)

    for _ in in_order(add, draw(), threads):
        pass
    return results


def resample_sums_by_place(
    counts: Counts, iterations: int, generator: np.random.Generator
) -> Counts:
    """Sum the counts of bootstrap resamples drawn as evaluatio draws: [iterations, orders, 3].

    The first segment of every resample comes first, then the second of every one: for each of the
    segments a call of ``generator.integers(0, segments, size=iterations)``.
    """
    segments = len(counts)
    packed = pack_for_draws(counts)
    sums = np.zeros((iterations, packed.words.shape[1]), dtype=np.int64)
    at_once = max(1, INDICES_AT_ONCE // iterations)
    for start in range(0, segments, at_once):
        places = min(at_once, segments - start)
        indices = generator.integers(0, segments, size=(places, iterations))
        summing.add_drawn(packed.words, indices.T, sums)
    return packed.unpack(sums).reshape(iterations, *counts.shape[1:])


@dataclass(frozen=True)
class Subsets:
    """Some subsets of the first `size` numbers: i is in subset s where bit s * stride + i is set.

    Bits are counted from the lowest of each byte; `bits` has four bytes more than they need.
    """

    bits: NDArray[np.uint8]
    count: int
    size: int
    stride: int

    def add_up(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add up the rows [size, width] that each subset holds."""
        sums = np.zeros((self.count, words.shape[1]), dtype=np.int64)
        summing.add_subsets(words, self.bits, self.stride, sums)
        return sums

    def sums(self, packed: Packed, orders: int) -> Counts:
        """Add up the counts that each subset holds: [subsets, orders, 3]."""
        return packed.unpack(self.add_up(packed.words)).reshape(self.count, orders, 3)

    def members(self, subset: int) -> NDArray[np.bool_]:
        """Return which numbers one subset holds."""
        first = subset * self.stride
        part = self.bits[first // 8 : (first + self.size + 7) // 8]
        bits = np.unpackbits(part, bitorder="little")[first % 8 : first % 8 + self.size]
        return bits.astype(np.bool_)


def random_subsets(size: int, iterations: int, generator: np.random.Generator) -> Iterator[Subsets]:
    """Draw random subsets in blocks: those of ``integers(2, size=(iterations, size), dtype=bool)``.

    That call, which is sacreBLEU's, reads 32 bits at a time from the generator, lowest first.
    Blocks of a multiple of 32 subsets read the same bits, none of them twice or in vain.
    """
    at_once = min(SUBSETS_AT_ONCE, max(1, BITS_AT_ONCE // (32 * size)) * 32)
    for start in range(0, iterations, at_once):
        count = min(at_once, iterations - start)
        drawn = generator.integers(0, 1 << 32, size=-(-count * size // 32), dtype=np.uint32)
        bits = np.append(drawn.astype("<u4", copy=False), np.uint32(0)).view(np.uint8)
        yield Subsets(bits, count, size, size)


def all_subsets(size: int) -> Iterator[Subsets]:
    """List all 2^size subsets in blocks, the empty one first and the full one last."""
    at_once = min(SUBSETS_AT_ONCE, 1 << size)
    for start in range(0, 1 << size, at_once):
        numbers = np.arange(start, start + at_once + 1, dtype="<u4")
        yield Subsets(numbers.view(np.uint8), at_once, size, 32)
