"""Arguments that no public function passes on: an exception, where nothing else guards the memory.

The compiled functions check no index, and divide without a look at the divisor.
"""

from array import array

import numpy as np
import pytest

from chrf.core import summing
from chrf.files import splitting
from chrf.kernel import columns as kernel_columns
from chrf.kernel.columns import Column
from chrf.kernel.pairs import Pairs
from chrf.kernel.prepared import PreparedReferences

LEAST, MOST = -(2**63), 2**63 - 1

# --- orders --------------------------------------------------------------------------------------

ORDERS = [(-1, 0), (0, -1), (-3, 3), (15, 0), (11, 4), (2**31 - 1, 1), (2**31 - 1, 2**31 - 1)]


def message(char_order, word_order):
    return (
        f"^char_order is {char_order} and word_order {word_order}; "
        "there can be 0 to 14 orders in all$"
    )


@pytest.mark.parametrize("orders", ORDERS)
def test_orders_that_do_not_exist(engine, orders):
    with pytest.raises(ValueError, match=message(*orders)):
        engine.count(["a"], ["a"], 0, 1, *orders, False)
    spans = array("q", [0, 1])
    with pytest.raises(ValueError, match=message(*orders)):
        engine.module.count_fields(b"a", spans, b"a", spans, *orders, False)


@pytest.mark.parametrize("orders", ORDERS)
def test_orders_that_do_not_exist_of_references_and_columns(orders):
    with pytest.raises(ValueError, match=message(*orders)):
        PreparedReferences(["a"], *orders, False)
    pa = pytest.importorskip("pyarrow")
    column = Column("texts", pa.array(["a"]), False)
    with pytest.raises(ValueError, match=message(*orders)):
        kernel_columns.count(column, column, 0, 1, *orders, False)


@pytest.mark.parametrize("orders", [LEAST, -1, 0, 15, 2**62, MOST])
def test_orders_of_sums(engine, orders):
    with pytest.raises(ValueError, match=f"^0 counts do not make rows of {orders} orders$"):
        engine.module.add_up(array("q"), orders)


# --- positions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("start", "stop"), [(LEAST, MOST), (MOST, LEAST), (0, MOST), (MOST, MOST)])
def test_positions_at_the_ends_of_64_bits(engine, start, stop):
    with pytest.raises(ValueError, match="must be positions"):
        engine.count(["a"], ["a"], start, stop, 6, 0, False)
    with pytest.raises(ValueError, match="must be positions"):
        PreparedReferences(["a"], 6, 0, False).count(["a"], start, stop, 0)
    with pytest.raises(ValueError, match="must be positions"):
        PreparedReferences(["a"], 6, 0, False).count(["a"], 0, 1, stop)
    with pytest.raises(ValueError, match="must be positions"):
        Pairs().count_mean(start, stop, np.zeros((0, 0, 3), np.int64))
    pa = pytest.importorskip("pyarrow")
    column = Column("texts", pa.array(["a"]), False)
    with pytest.raises(ValueError, match="must be rows of texts"):
        kernel_columns.count(column, column, start, stop, 6, 0, False)
    with pytest.raises(ValueError, match="must be rows of texts"):
        column.strings(start, stop)


# --- columns -------------------------------------------------------------------------------------


def test_no_columns_beside_each_other():
    with pytest.raises(ValueError, match=r"^references has no columns$"):
        kernel_columns.beside("references", [])


@pytest.mark.parametrize("wrong", [None, "abc", []])
def test_what_is_no_column(wrong):
    pa = pytest.importorskip("pyarrow")
    column = Column("a", pa.array(["x"]), False)
    for given in ([wrong], [column, wrong]):
        with pytest.raises(TypeError):
            kernel_columns.beside("references", given)


def test_columns_stay_alive_when_their_list_is_emptied():
    pa = pytest.importorskip("pyarrow")
    given = [Column("a", pa.array(["x" * 1000] * 100), False) for _ in range(2)]
    beside = kernel_columns.beside("references", given)
    given.clear()
    assert beside.strings(0, 100) == ["x" * 1000] * 200


# --- pairs ---------------------------------------------------------------------------------------


def side(symbols, starts):
    return np.array(symbols, np.uint32), np.array(starts, np.int64)


GOOD = side([1, 2, 1, 0], [0, 2, 3])


@pytest.mark.parametrize("wrong", [(), (GOOD[0],), (*GOOD, GOOD[1])], ids=len)
def test_a_side_of_pairs_has_two_buffers(wrong):
    for sides in ((wrong, GOOD), (GOOD, wrong)):
        with pytest.raises(ValueError, match="unpack"):
            Pairs().add_orders(*sides, 2)


def test_a_side_of_pairs_has_no_none():
    for wrong in ((None, GOOD[1]), (GOOD[0], None)):
        with pytest.raises(TypeError, match=r"^references must be two buffers, of symbols and"):
            Pairs().add_orders(GOOD, wrong, 2)


@pytest.mark.parametrize(
    ("starts", "said"),
    [
        ([], "has no symbols or no starts"),
        ([-1, 2], "do not begin and end among its symbols"),
        ([0, 4], "do not begin and end among its symbols"),
        ([0, 2**29], "do not begin and end among its symbols"),
        ([0, -1], r"\[0\] ends before it begins"),
        ([0, 3, 2], r"\[1\] ends before it begins"),
        ([0, MOST, 2], r"\[1\] ends before it begins"),
    ],
)
def test_starts_of_pairs(starts, said):
    wrong = side([1, 2, 1, 0], starts)
    for sides, name in (((wrong, GOOD), "hypotheses"), ((GOOD, wrong), "references")):
        with pytest.raises(ValueError, match=name + ".*" + said):
            Pairs().add_orders(*sides, 2)


@pytest.mark.parametrize("orders", [LEAST, -1, 0, 15, MOST])
def test_orders_of_pairs(orders):
    with pytest.raises(ValueError, match=r"^there can be 1 to 14 orders in all$"):
        Pairs().add_orders(GOOD, GOOD, orders)


# --- sums, rows ----------------------------------------------------------------------------------


@pytest.mark.parametrize("stride", [LEAST, -1, 75, 2**62, MOST])
def test_strides_of_subsets(stride):
    words, sums = np.ones((8, 6), np.int64), np.zeros((5, 6), np.int64)
    with pytest.raises(ValueError, match=r"^40 bytes are not 5 subsets of 8 rows$"):
        summing.add_subsets(words, np.zeros(40, np.uint8), stride, sums)
    assert not sums.any()


def test_the_largest_stride_of_subsets():
    words, sums = np.ones((8, 6), np.int64), np.zeros((5, 6), np.int64)
    summing.add_subsets(words, np.full(42, 255, np.uint8), 74, sums)  # 4 * 74 + 8 bits in 38 bytes
    assert (sums == 8).all()


@pytest.mark.parametrize("width", [LEAST, -1, 0, 2**31, 2**62, MOST])
def test_widths_of_rows(width):
    with pytest.raises(ValueError, match=rf"^a table has 1 to 2147483647 columns, not {width}$"):
        splitting.split_rows(b"a\tb", width, [])
