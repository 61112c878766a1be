"""What an accumulator holds, and its two portable forms: a dictionary and a vector."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, pairwise
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

from chrf.core import counting, exact
from chrf.core.blocks import references_each
from chrf.core.checks import counted, shown, whole_number
from chrf.core.options import NAMES, Options, check_same
from chrf.core.record import (
    check_score,
    check_unicode,
    options_dict,
    read_options,
    unicode_of,
)
from chrf.core.score import Score
from chrf.core.source import PairSource

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RowId = int | str

LAYOUT = 1  # of the dictionary
TAIL = ("segment_count", "tied_segments", "reference_total", "reference_squares")
KEYS = ("layout", "options", "unicode", "counts", *TAIL, "dropped_count", "rows")
LIMB = 1 << 32
LARGEST = (1 << 63) - 1
LARGEST_OF_ROW = (1 << 31) - 1


class Sums(NamedTuple):
    """What any number of segments add up to, under the rule of the options.

    Attributes
    ----------
    counts : tuple of int
        Three for each order.
    segments, tied, references : int
    reference_squares : int
        The sum of the squares of the segments' numbers of references, which tells of any sum
        whether those are all equal.
    """

    counts: tuple[int, ...]
    segments: int = 0
    tied: int = 0
    references: int = 0
    reference_squares: int = 0

    @classmethod
    def of_nothing(cls, options: Options) -> Sums:
        """Return the sums of no segments."""
        return cls((0,) * (3 * options.order_count))

    @classmethod
    def from_flat(cls, values: Sequence[int]) -> Sums:
        """Return the sums that `flat` laid out."""
        *counts, segments, tied, references, squares = values
        return cls(tuple(counts), segments, tied, references, squares)

    def flat(self) -> tuple[int, ...]:
        """Return the counts, then the other fields, as integers one after another."""
        return (*self.counts, *self[1:])

    def __add__(self, other: Sums) -> Sums:  # type: ignore[override]  # a tuple would append
        """Return the sums of the segments of both."""
        counts = tuple(map(add, self.counts, other.counts))
        return Sums(counts, *map(add, self[1:], other[1:]))


class State(NamedTuple):
    """Everything that changes in an accumulator."""

    sums: Sums
    rows: dict[RowId, bytes]  # id -> the row's counts, whether references tied, their number
    dropped: int

    @classmethod
    def empty(cls, options: Options) -> State:
        """Return the state before anything is counted."""
        return cls(Sums.of_nothing(options), {}, 0)


def count_sums(source: PairSource, options: Options, threads: int) -> Sums:
    """Count a source and add up."""
    totals = counting.totals(source, options, threads)
    return Sums(
        tuple(chain.from_iterable(totals.under(options.rule))),
        totals.segments,
        totals.tied,
        totals.references,
        totals.reference_squares,
    )


def count_rows(source: PairSource, options: Options, threads: int) -> list[bytes]:
    """Count a source, and pack what is held of each segment that has an id."""
    rows = []
    for block in counting.blocks_of(source, options, threads):
        counts = block.counts(options.rule).reshape(-1, 3 * options.order_count).tolist()
        tied = block.tied or [False] * len(counts)
        starts = block.starts or range(len(counts) + 1)
        numbers = [b - a for a, b in pairwise(starts)]
        rows += [_pack([*row, *more]) for row, *more in zip(counts, tied, numbers, strict=True)]
    return rows


def sum_rows(rows: Collection[bytes], options: Options) -> Sums:
    """Add up rows that `count_rows` packed."""
    import numpy as np

    table = np.frombuffer(b"".join(rows), "<i4").reshape(len(rows), 3 * options.order_count + 2)
    *counts, tied, references = table.sum(axis=0, dtype=np.int64).tolist()
    squares = sum(number**2 for number in table[:, -1].tolist())
    return Sums(tuple(counts), len(rows), tied, references, squares)


def score_of(sums: Sums, options: Options) -> Score:
    """Return the score of the sums."""
    return Score(
        counts=tuple(exact.triples(sums.counts)),
        options=options,
        segment_count=sums.segments,
        reference_count=references_each(sums.segments, sums.references, sums.reference_squares),
        tied_segments=sums.tied,
    )


def read_ids(ids: Iterable[RowId], length: int) -> list[RowId]:
    """Return the ids of `length` rows as plain int and str."""
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
        raise ValueError(f"ids has {counted(len(names), 'items')} but hypotheses has {length}")
    return names


def to_int64(values: Sequence[int]) -> NDArray[np.int64]:
    """Return the values as an int64 array; raise an OverflowError where one does not fit."""
    import numpy as np

    if max(values) > LARGEST:
        raise OverflowError(f"a sum is {max(values)}; int64 holds at most {LARGEST}")
    return np.array(values, dtype=np.int64)


def to_vector(sums: Sums, options: Options) -> NDArray[np.int64]:
    """Return the sums as a vector, such that the sum of vectors is the vector of the sum.

    It holds 1 (which counts the vectors of a sum), a mark of the options, and the sums: first the
    lower 32 bits of each, then the upper, so that 2^31 vectors add up without overflow.
    """
    import numpy as np

    values = to_int64((1, _mark(options), *sums.flat()))
    return np.concatenate([values % LIMB, values // LIMB])


def from_vector(vector: Sequence[int] | NDArray[np.int64], options: Options) -> State:
    """Return the state that a vector, or a sum of several, stands for."""
    import numpy as np

    array = np.asarray(vector)
    length = 2 * (2 + 3 * options.order_count + len(TAIL))
    if array.dtype.kind not in "iu":
        raise TypeError(f"the vector is of {array.dtype}; it must be of int64")
    if array.shape != (length,):
        raise ValueError(f"the vector has the shape {array.shape}; it must be ({length},)")
    low, high = array.reshape(2, -1).tolist()
    number, mark, *values = [a + LIMB * b for a, b in zip(low, high, strict=True)]
    fits = number <= LIMB // 2 and mark == number * _mark(options)
    if min(low + high) < 0 or not fits or (any(values) and not number):
        raise ValueError("the vector is no sum of state vectors with these options")
    sums = Sums.from_flat(values)
    _check(sums, options)
    return State(sums, {}, 0)


def to_dict(state: State, options: Options) -> dict[str, Any]:
    """Return the state in lists, strings and integers."""
    sums = state.sums
    return {
        "layout": LAYOUT,
        "options": options_dict(options),
        "unicode": unicode_of(options),
        "counts": [*map(list, exact.triples(sums.counts))],
        **dict(zip(TAIL, sums[1:], strict=True)),
        "dropped_count": state.dropped,
        "rows": [
            [name, *struct.unpack(f"<{len(row) // 4}i", row)] for name, row in state.rows.items()
        ],
    }


def from_dict(values: Mapping[str, Any], options: Options) -> State:
    """Return the state that `to_dict` wrote, every value checked."""
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
    sums = Sums.from_flat([*chain.from_iterable(counts), *tail])
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
        numbers = _integers(f"row {shown(name)}", row[1:], 3 * options.order_count + 2)
        *counts, tied, references = numbers
        _check(Sums(tuple(counts), 1, tied, references, references**2), options)
        if name in rows or max(numbers) > LARGEST_OF_ROW:
            raise ValueError(
                f"row {shown(name)} is there twice, or has more n-grams than a row can have"
            )
        rows[name] = _pack(numbers)
    return rows


def _check(sums: Sums, options: Options) -> None:
    """Raise an error for integers that are not the sums of any texts."""
    counts, segments, _, references, squares = sums
    if len(counts) != 3 * options.order_count:
        raise ValueError(f"there are {len(counts) // 3} orders, not {options.order_count}")
    if not segments:
        if sums != Sums.of_nothing(options):
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
