"""What an accumulator holds, and its two portable forms: a dictionary and a vector."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from chrf.core import counting
from chrf.core.options import Options, shown, whole_number
from chrf.core.record import (
    NAMES,
    check_same,
    check_score,
    check_unicode,
    options_dict,
    read_options,
    unicode_of,
)
from chrf.core.score import Score
from chrf.core.segments import Segments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Flat: three counts of each order under the rule of the options, then those of TAIL. The sum of the
# squares of the segments' numbers of references tells of any sum whether they are all equal.
Sums = tuple[int, ...]
TAIL = ("segment_count", "tied_segments", "reference_total", "reference_squares")
RowId = int | str

LAYOUT = 1  # of the dictionary
KEYS = ("layout", "options", "unicode", "counts", *TAIL, "dropped_count", "rows")
LIMB = 1 << 32
LARGEST = (1 << 63) - 1
LARGEST_OF_ROW = (1 << 31) - 1


class State(NamedTuple):
    """Everything that changes in an accumulator."""

    sums: Sums
    rows: dict[RowId, bytes]  # id -> the row's counts, whether references tied, their number
    dropped: int


def empty(options: Options) -> State:
    """The state before anything is counted."""
    return State((0,) * (3 * options.order_count + len(TAIL)), {}, 0)


def count_sums(segments: Segments, options: Options, threads: int) -> Sums:
    """What the segments add up to."""
    blocks = counting.count_blocks(segments, options, threads, counting.Block.totals)
    totals = counting.total_of(blocks)
    counts = chain.from_iterable(totals.under(options.rule))
    if segments.starts is None:
        return (*counts, totals.segments, 0, totals.segments, totals.segments)
    numbers = [b - a for a, b in pairwise(segments.starts)]
    squares = sum(number**2 for number in numbers)
    return (*counts, totals.segments, totals.tied, sum(numbers), squares)


def count_rows(segments: Segments, options: Options, threads: int) -> list[bytes]:
    """What is held of each segment that has an id."""
    rows = []

    def finish(block: counting.Block) -> tuple[counting.Counts, int]:
        return counting.apply_rule(block.counts, options.rule), block.tied

    if segments.starts is None:
        for counts, _ in counting.count_blocks(segments, options, threads, finish):
            rows += [_pack([*row, 0, 1]) for row in counts.reshape(len(counts), -1).tolist()]
        return rows
    for i, (a, b) in enumerate(pairwise(segments.starts)):
        # A block knows only how many of its segments have tied references: it is of one here.
        counts, tied = finish(counting.count_block(segments, options, i, i + 1))
        rows.append(_pack([*counts.ravel().tolist(), tied, b - a]))
    return rows


def sum_rows(rows: Collection[bytes], options: Options) -> Sums:
    """What the rows add up to."""
    import numpy as np

    table = np.frombuffer(b"".join(rows), "<i4").reshape(len(rows), 3 * options.order_count + 2)
    *counts, tied, references = table.sum(axis=0, dtype=np.int64).tolist()
    squares = sum(number**2 for number in table[:, -1].tolist())
    return (*counts, len(rows), tied, references, squares)


def score_of(sums: Sums, options: Options) -> Score:
    """The score of the sums."""
    segments, tied, references, squares = sums[-4:]
    equal = segments * squares == references**2  # else it is more (Cauchy and Schwarz)
    return Score(
        counts=tuple(zip(sums[0:-4:3], sums[1:-4:3], sums[2:-4:3], strict=True)),
        options=options,
        segment_count=segments,
        reference_count=references // max(segments, 1) if equal else None,
        tied_segments=tied,
    )


def read_ids(ids: Iterable[RowId], length: int) -> list[RowId]:
    """The ids of so many rows as plain int and str."""
    if isinstance(ids, (str, bytes, Mapping, AbstractSet)) or not hasattr(ids, "__iter__"):
        raise TypeError(
            f"ids is {type(ids).__name__}; give a list with one int or str for each row"
        )
    names: list[RowId] = []
    for i, value in enumerate(ids):
        name = str(value) if isinstance(value, str) else whole_number(value)
        if name is None:
            raise TypeError(f"ids[{i}] is {shown(value)}; it must be an int or a str")
        names.append(name)
    if len(names) != length:
        raise ValueError(f"ids has {len(names)} items but hypotheses has {length}")
    return names


def to_int64(values: Sequence[int]) -> NDArray[np.int64]:
    """The values as an int64 array, or an OverflowError."""
    import numpy as np

    if max(values) > LARGEST:
        raise OverflowError(f"a sum is {max(values)}; int64 holds at most {LARGEST}")
    return np.array(values, dtype=np.int64)


def to_vector(sums: Sums, options: Options) -> NDArray[np.int64]:
    """The sums as a vector, such that the sum of vectors is the vector of the sum.

    It holds 1 (of how many vectors is this the sum?), a mark of the options, and the sums: first
    the lower 32 bits of each, then the upper, so that 2^31 vectors add up without overflow.
    """
    import numpy as np

    values = to_int64((1, _mark(options), *sums))
    return np.concatenate([values % LIMB, values // LIMB])


def from_vector(vector: Sequence[int] | NDArray[np.int64], options: Options) -> State:
    """The state that a vector, or a sum of several, stands for."""
    import numpy as np

    array = np.asarray(vector)
    length = 2 * (2 + len(empty(options).sums))
    if array.dtype.kind not in "iu":
        raise TypeError(f"the vector is of {array.dtype}; it must be of int64")
    if array.shape != (length,):
        raise ValueError(f"the vector has the shape {array.shape}; it must be ({length},)")
    low, high = array.reshape(2, -1).tolist()
    number, mark, *sums = [a + LIMB * b for a, b in zip(low, high, strict=True)]
    fits = number <= LIMB // 2 and mark == number * _mark(options)
    if min(low + high) < 0 or not fits or (any(sums) and not number):
        raise ValueError("the vector is no sum of state vectors with these options")
    _check(tuple(sums), options)
    return State(tuple(sums), {}, 0)


def to_dict(state: State, options: Options) -> dict[str, Any]:
    """The state in lists, strings and integers."""
    sums = state.sums
    return {
        "layout": LAYOUT,
        "options": options_dict(options),
        "unicode": unicode_of(options),
        "counts": [list(sums[i : i + 3]) for i in range(0, len(sums) - 4, 3)],
        **dict(zip(TAIL, sums[-4:], strict=True)),
        "dropped_count": state.dropped,
        "rows": [
            [name, *struct.unpack(f"<{len(row) // 4}i", row)] for name, row in state.rows.items()
        ],
    }


def from_dict(values: Mapping[str, Any], options: Options) -> State:
    """The state that `to_dict` wrote, every value checked."""
    _check_keys("the state", values, KEYS)
    if values["layout"] != LAYOUT:
        raise ValueError(f"layout is {shown(values['layout'])}; this version reads {LAYOUT}")
    _check_keys("options", values["options"], NAMES)
    check_same(options, read_options(values["options"]))
    check_unicode(options, values["unicode"])
    for name in ("counts", "rows"):
        if not isinstance(values[name], list):
            raise TypeError(f"{name} is {type(values[name]).__name__}, not a list")
    counts = [_integers("counts", row, 3) for row in values["counts"]]
    tail = [_integers(name, [values[name]], 1)[0] for name in TAIL]
    (dropped,) = _integers("dropped_count", [values["dropped_count"]], 1)
    sums = (*chain.from_iterable(counts), *tail)
    _check(sums, options)
    rows = _read_rows(values["rows"], options)
    if rows and sum_rows(rows.values(), options) != sums:
        raise ValueError("the rows do not add up to the counts")
    if dropped and not rows:
        raise ValueError(f"dropped_count is {dropped}, but there are no rows with ids")
    return State(sums, rows, dropped)


def _read_rows(values: list[Any], options: Options) -> dict[RowId, bytes]:
    rows = {}
    for i, row in enumerate(values):
        if not isinstance(row, list) or not row:
            raise TypeError(f"rows[{i}] is {shown(row)}; it must be a list of an id and integers")
        (name,) = read_ids(row[:1], 1)
        numbers = _integers(f"row {name!r}", row[1:], 3 * options.order_count + 2)
        *counts, tied, references = numbers
        _check((*counts, 1, tied, references, references**2), options)
        if name in rows or max(numbers) > LARGEST_OF_ROW:
            raise ValueError(
                f"row {name!r} is there twice, or has more n-grams than a row can have"
            )
        rows[name] = _pack(numbers)
    return rows


def _check(sums: Sums, options: Options) -> None:
    """Refuse integers that are not the sums of any texts."""
    segments, _, references, squares = sums[-4:]
    if len(sums) != len(empty(options).sums):
        raise ValueError(f"there are {(len(sums) - 4) // 3} orders, not {options.order_count}")
    if not segments:
        if any(sums):
            raise ValueError("there are counts, but no segments")
        return
    check_score(score_of(sums, options))
    if not segments <= references <= squares or segments * squares < references**2:
        raise ValueError(
            f"{segments} segments cannot have {references} references, squares {squares}"
        )


def _check_keys(name: str, values: object, keys: Sequence[str]) -> None:
    if not isinstance(values, Mapping):
        raise TypeError(f"{name} is {type(values).__name__}, not a dictionary")
    if wrong := [*values.keys() ^ set(keys)]:
        what = "is missing from" if wrong[0] in keys else "does not belong to"
        raise ValueError(f"{shown(wrong[0])} {what} {name}")


def _integers(name: str, values: object, length: int) -> list[int]:
    if (
        not isinstance(values, list)
        or len(values) != length
        or any(type(value) is not int or value < 0 for value in values)
    ):
        raise ValueError(f"{name}: {shown(values)} should be {length} integers of at least 0")
    return values


def _pack(numbers: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}i", *numbers)  # a segment has less than 2^30 code points


def _mark(options: Options) -> int:
    return zlib.crc32(f"{options!r} {unicode_of(options)}".encode())
