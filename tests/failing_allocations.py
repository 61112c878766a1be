"""Calls of every compiled function while allocations fail: a script that test_allocations.py runs.

``python failing_allocations.py NAME`` lets every allocation of Python fail from the n-th on, for
every n that the call reaches, and then the n-th alone. The call must raise MemoryError or return
what it returns otherwise. A crash ends the process. Printed is how many allocations it reached.
"""

from __future__ import annotations

import gc
import sys
from array import array
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from typing import Any

from chrf.core import doubles, summing
from chrf.files import quoting, splitting
from chrf.kernel import columns, pairs, prepared
from chrf.kernel import count as kernel
from chrf.kernel.simd import short
from chrf.service import reader

Call = Callable[[], Any]

# For every way of counting; and numbers and lists that Python makes anew.
CJK = [chr(0x4E00 + i) for i in range(400)]
TEXTS = ["the cat sat on the mat, " * 30, "ab" * 300, "".join(CJK), "\U0001f600 x"]
OTHERS = ["a cat sat on that mat! " * 30, "ba" * 290, "".join(CJK[::-1]), "\U0001f600 y"]
ORDERS = 6, 2, False
LARGE = array("q", [10**6 + i for i in range(18 * 500)])
ROWS = b"".join(b"%d\t\xc3\xa9 %d\t\n" % (i, i) for i in range(400))
QUOTED = b"".join(b'"%d ""\xc3\xa9"""\t"%d\n"\t\n' % (i, i) for i in range(400))
JSON = (
    '{"a": ["x", 1.5, 12345678901, true, "\\u00e9", [[], {}]], "b": {"c": {}, "d": 1}, "e": -1e3}'
)

# --- what the calls need, made while nothing fails ------------------------------------------------


class Arrow:
    """An object with the Arrow interface, whose capsule pyarrow made before."""

    def __init__(self, made: Any, method: str = "__arrow_c_array__"):
        capsule = getattr(made, method)()
        setattr(self, method, lambda: capsule)


def arrow(values: list[Any]) -> Arrow:
    import pyarrow as pa

    return Arrow(pa.array(values))


def stream() -> Arrow:
    import pyarrow as pa

    return Arrow(pa.chunked_array([TEXTS, OTHERS]), "__arrow_c_stream__")


def table() -> Arrow:
    import pyarrow as pa

    return Arrow(pa.table({"a": [1], "b": [2]}), "__arrow_c_stream__")


def column(values: list[Any]) -> columns.Column:
    return columns.Column("texts", arrow(values), True)


def many() -> columns.Column:
    return column([f"text {i}" for i in range(400)])


def lists() -> columns.Column:
    return column([[str(i), "x"] for i in range(400)])


def fields(texts: list[str]) -> tuple[bytes, array[int]]:
    encoded = [text.encode() for text in texts]
    ends = list(accumulate(map(len, encoded)))
    spans = array("q")
    for end, text in zip(ends, encoded, strict=True):
        spans.extend((end - len(text), end))
    return b"".join(encoded), spans


def symbols(texts: list[str]) -> tuple[array[int], array[int]]:
    joined = array("I", map(ord, "".join(texts) + "\0"))
    return joined, array("q", accumulate(map(len, texts), initial=0))


def two_sides() -> pairs.Pairs:
    made = pairs.Pairs()
    made.add_orders(symbols(TEXTS), symbols(OTHERS), 3)
    return made


def zeros(*shape: int) -> memoryview:
    size = 8
    for n in shape:
        size *= n
    return memoryview(bytearray(size)).cast("q", list(shape))


# --- the calls -----------------------------------------------------------------------------------
# No generators: CPython 3.12 and 3.13 crash where they cannot make one.


def message(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what the function returns, or the error that it raises.

    The frame is made before. CPython 3.11 to 3.13 lose an exception where they cannot make the one
    that it leaves, and raise SystemError.
    """
    sys._getframe()
    try:
        return function(*arguments)
    except (TypeError, ValueError) as error:
        return str(error)


def with_sums(function: Callable[..., Any], *arguments: Any, sums: memoryview) -> Call:
    """Return a call that returns what it wrote into the sums; they are new for every call."""

    def call() -> list[Any]:
        function(*arguments, sums)
        return sums.tolist()

    return call


def new_columns() -> Call:
    sources = [arrow(TEXTS), arrow([TEXTS, OTHERS]), stream(), table(), arrow([1]), arrow([None])]
    sources += [arrow([["a", None]]), arrow([[None]])]

    def call() -> list[Any]:
        made = [message(columns.Column, "texts", source, True, True) for source in sources]
        return [column if isinstance(column, str) else len(column) for column in made]

    return call


def counted_columns() -> Call:
    sides = column(TEXTS), columns.beside("r", [column(OTHERS), column(TEXTS)])
    return lambda: columns.count(*sides, 0, 4, *ORDERS, 2)


def beside() -> Call:
    holes = columns.Column("texts", arrow([None, "text"] * 200), False, True)
    given = [many(), many(), holes]
    return lambda: columns.beside("r", given).strings(0, 400)


def new_references() -> Any:
    return prepared.PreparedReferences(OTHERS, *ORDERS).count(TEXTS, 0, 4, 0)


def new_pairs() -> Call:
    sides = symbols(TEXTS), symbols(OTHERS)
    return lambda: pairs.Pairs().add_orders(*sides, 3)


def read_json() -> Call:
    wrong = ["[1,]", '{"a": 1, "a": 2}', "NaN", '{"a" 1}', "\ufeff1", "[1] 2", '"\\x"']

    def call() -> list[Any]:
        read = [reader.read_json(JSON, 3)]
        for text in wrong:
            read.append(message(reader.read_json, text, 3))
        return read

    return call


COLUMNS = "chrf.kernel.columns."
COUNT = "chrf.kernel.count."
PAIRS = "chrf.kernel.pairs.Pairs."
PREPARED = "chrf.kernel.prepared.PreparedReferences."
SPLITTING = "chrf.files.splitting."
QUOTING = "chrf.files.quoting."
CALLS: dict[str, Callable[[], Call]] = {
    COUNT + "all_strings": lambda: partial(kernel.all_strings, TEXTS),
    COUNT + "count": lambda: partial(kernel.count, TEXTS, OTHERS, 0, 4, *ORDERS, 2),
    COUNT + "count_fields": lambda: partial(
        kernel.count_fields, *fields(TEXTS), *fields(OTHERS), *ORDERS
    ),
    COUNT + "add_up": lambda: partial(kernel.add_up, LARGE, 6),
    COLUMNS + "Column.__init__": new_columns,
    COLUMNS + "Column.__len__": lambda: partial(len, many()),
    COLUMNS + "Column.side": lambda: partial(getattr, many(), "side"),
    COLUMNS + "Column.text_count": lambda: partial(getattr, many(), "text_count"),
    COLUMNS + "Column.grouped": lambda: partial(getattr, lists(), "grouped"),
    COLUMNS + "Column.squares": lambda: lists().squares,
    COLUMNS + "Column.group_starts": lambda: partial(lists().group_starts, 0, 400),
    COLUMNS + "Column.strings": lambda: partial(many().strings, 0, 400),
    COLUMNS + "beside": beside,
    COLUMNS + "count": counted_columns,
    PREPARED + "__new__": lambda: new_references,
    PREPARED + "count": lambda: partial(
        prepared.PreparedReferences(OTHERS, *ORDERS).count, TEXTS, 0, 4, 0, 2
    ),
    PAIRS + "add_orders": new_pairs,
    PAIRS + "count": lambda: with_sums(two_sides().count, 0, 4, sums=zeros(4, 4, 3, 3)),
    PAIRS + "count_mean": lambda: with_sums(two_sides().count_mean, 0, 4, sums=zeros(4, 3, 3)),
    # Counts past the filter: each row is listed.
    "chrf.core.doubles.nearest": lambda: partial(
        doubles.nearest, array("q", [2**40] * 18 * 400), 6, (0.8, 0.0, 0.2, 0.0), False
    ),
    "chrf.core.summing.add_drawn": lambda: with_sums(
        summing.add_drawn,
        memoryview(LARGE).cast("B").cast("q", [1500, 6]),
        memoryview(array("q", [0, 1499, 700, 1])).cast("B").cast("q", [2, 2]),
        sums=zeros(2, 6),
    ),
    "chrf.core.summing.add_subsets": lambda: with_sums(
        summing.add_subsets,
        memoryview(LARGE).cast("B").cast("q", [1500, 6]),
        bytes(range(256)) * 2,
        700,
        sums=zeros(4, 6),
    ),
    SPLITTING + "split_rows": lambda: partial(splitting.split_rows, ROWS, 3, [0, 1] * 9),
    SPLITTING + "split_lines": lambda: partial(splitting.split_lines, ROWS),
    SPLITTING + "is_utf8": lambda: partial(splitting.is_utf8, ROWS),
    SPLITTING + "blank_fields": lambda: partial(splitting.blank_fields, *fields([" "] * 400)),
    SPLITTING + "quoted_fields": lambda: partial(splitting.quoted_fields, *fields(['""""'] * 400)),
    QUOTING + "whole_records": lambda: partial(quoting.whole_records, QUOTED, False),
    QUOTING + "first_record": lambda: partial(quoting.first_record, QUOTED),
    QUOTING + "split_records": lambda: partial(quoting.split_records, QUOTED, 3, [0, 1]),
    "chrf.kernel.simd.short.available": lambda: short.available,
    "chrf.kernel.simd.short.in_use": lambda: short.in_use,
    "chrf.kernel.simd.short.longest": lambda: short.longest,
    "chrf.kernel.simd.short.use": lambda: partial(short.use, short.in_use()),
    "chrf.service.reader.count_values": lambda: partial(reader.count_values, JSON.encode()),
    "chrf.service.reader.read_json": read_json,
}

# --- failures ------------------------------------------------------------------------------------


def attempt(call: Call, start: int, stop: int) -> tuple[Any, bool]:
    """Call while allocations fail; return the result, and whether one would fail after it."""
    import _testcapi

    failing = False
    _testcapi.set_nomemory(start, stop)
    try:
        try:
            result = call()
        except MemoryError:
            result = MemoryError
        try:
            bytes(5000)
        except MemoryError:
            failing = True
    finally:
        _testcapi.remove_mem_hooks()
    # What was freed twice is handed out twice.
    numbers = [10**6 + i for i in range(1000)], [float(i) for i in range(1000)]
    texts = [str(i) * 3 for i in range(1000)]
    assert sum(numbers[0]) == 1000499500
    assert sum(numbers[1]) == 499500
    assert sum(map(len, texts)) == 8670
    return result, failing


def main(name: str) -> None:
    """Inject failures until the call reaches none."""
    prepare = CALLS[name]
    expected = prepare()()
    again = prepare()()
    assert again == expected
    gc.disable()
    reached, failing = -1, True
    while failing:
        reached += 1
        result, failing = attempt(prepare(), reached, 0)
        assert result is MemoryError or result == expected, (reached, 0, result)
    assert result == expected
    for n in range(reached):
        result, _ = attempt(prepare(), n, n + 1)
        assert result is MemoryError or result == expected, (n, n + 1, result)
    print(reached)


if __name__ == "__main__":
    main(sys.argv[1])
