"""What comes out of any source of pairs: the sum of its counts, its scores, or its counts."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING

from chrf.core import exact
from chrf.core.blocks import Block, Counts, Totals
from chrf.core.options import Options
from chrf.core.source import PairSource
from chrf.core.threads import checked_threads, in_blocks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def totals(source: PairSource, options: Options, threads: int = 1) -> Totals:
    """Count a source in `threads` threads and add up."""
    blocks = blocks_of(source, options, threads)
    total = next(blocks).totals()
    for block in blocks:
        total.add(block.totals())
    return total


def scores(source: PairSource, options: Options, threads: int = 1) -> NDArray[np.float64]:
    """Count a source and score each segment: the doubles nearest to the exact scores, 0 to 100."""
    import numpy as np

    doubles = array("d")
    for block in blocks_of(source, options, threads):
        doubles += exact.nearest_doubles(block.flat, options)
    return np.frombuffer(doubles, dtype=np.float64)


def counts(source: PairSource, options: Options, threads: int = 1) -> Counts:
    """Count a source: an array [segments, orders, 3] under the rule of the options."""
    return _joined([block.counts(options.rule) for block in blocks_of(source, options, threads)])


def counts_and_totals(
    source: PairSource, options: Options, threads: int = 1
) -> tuple[Counts, Totals]:
    """Return what `counts` and `totals` return, of texts that are counted once."""
    total = Totals.of_nothing(options)
    parts = []
    for block in blocks_of(source, options, threads):
        parts.append(block.counts(options.rule))
        total.add(block.totals())
    return _joined(parts), total


def blocks_of(source: PairSource, options: Options, threads: int) -> Iterator[Block]:
    """Count a source block by block; there is at least one block, which may be empty."""
    threads = checked_threads(threads)
    for start, stop in in_blocks(len(source), threads):
        yield source.count(start, stop, options, threads)


def _joined(parts: list[Counts]) -> Counts:
    import numpy as np

    return parts[0] if len(parts) == 1 else np.concatenate(parts)
