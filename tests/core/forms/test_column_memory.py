"""Columns whose buffers lie, capsules that were emptied, and whose memory it is."""

import ctypes
import gc
import os
import tracemalloc

import pytest

import chrf
from chrf.kernel import columns as kernel_columns

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow", reason="the columns of these tests are made by pyarrow")


def broken(layout, numbers, data=b"", children=None):
    """An array that is broken after pyarrow has looked at it."""
    memory = np.zeros_like(numbers)
    length = len(numbers) // 4 if layout == pa.string_view() else len(numbers) - 1
    buffers = [None, pa.py_buffer(memory)] + ([] if children else [pa.py_buffer(data)])
    column = pa.Array.from_buffers(layout, length, buffers, children=children)
    memory[:] = numbers
    return column


def offsets(*numbers, dtype=np.int32):
    return np.array(numbers, dtype)


@pytest.mark.parametrize(
    "data", [b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"]
)
@pytest.mark.parametrize("layout", ["string", "string_view"])
def test_text_that_is_not_utf8_is_refused(data, layout):
    good, length = b"fine", len(data)
    if layout == "string":
        column = broken(pa.string(), offsets(0, 4, 4 + length), good + data)
    else:
        column = pa.array([good, data], pa.binary_view())
        column = pa.Array.from_buffers(pa.string_view(), 2, column.buffers())
    with pytest.raises(ValueError, match=r"^references\[1\] is not valid UTF-8$"):
        chrf.corpus_score(pa.array(["a", "b"]), column)


def test_a_character_cut_by_an_offset_is_refused():
    column = broken(pa.string(), offsets(0, 1, 2), "é".encode())
    with pytest.raises(ValueError, match=r"^references\[0\] is not valid UTF-8$"):
        chrf.corpus_score(pa.array(["a", "b"]), column)


@pytest.mark.parametrize(
    "column",
    [
        broken(pa.string(), offsets(0, 3, 1), b"abc"),
        broken(pa.large_string(), offsets(0, 0, -1, dtype=np.int64), b"abc"),
        broken(pa.string(), offsets(-1, -1), b"abc"),
        *(
            # Length, prefix, buffer, offset of each view.
            broken(pa.string_view(), offsets(0, 0, 0, 0, *view), b"x" * 20)
            for view in (
                (-1, 0, 0, 0),
                (13, 0, 1, 0),
                (13, 0, -1, 0),
                (13, 0, 0, 8),
                (13, 0, 0, -1),
            )
        ),
        pa.DictionaryArray.from_arrays(pa.array([0, 1]), ["a"], safe=False),
        pa.DictionaryArray.from_arrays(pa.array([0, -1]), ["a"], safe=False),
        pa.DictionaryArray.from_arrays(pa.array([0, 255], pa.uint8()), ["a"], safe=False),
    ],
    ids=range(11),
)
def test_what_lies_outside_of_the_buffers_is_refused(column):
    with pytest.raises(ValueError, match=r"^hypotheses\[[01]\] lies outside of its Arrow buffers$"):
        chrf.corpus_score(column, pa.array(["a", "b"]))


def test_lists_that_lie_outside_are_refused():
    for numbers in (offsets(0, 1, 9), offsets(0, 2, 1)):
        column = broken(pa.list_(pa.string()), numbers, children=[pa.array(["a", "b"])])
        with pytest.raises(ValueError, match=r"^references\[1\] lies outside"):
            chrf.corpus_score(pa.array(["a", "b"]), column)


class Given:
    """Gives the same capsules every time, as nothing should."""

    def __init__(self, name, capsules):
        setattr(self, name, lambda: capsules)


def test_capsules_are_emptied_once():
    array, chunks = pa.array(["a"]), pa.chunked_array([["a"]])
    for given, message in (
        (Given("__arrow_c_array__", array.__arrow_c_array__()), "the Arrow array of hypotheses"),
        (Given("__arrow_c_stream__", chunks.__arrow_c_stream__()), "the Arrow stream of hypo"),
    ):
        assert str(chrf.corpus_score(given, array)) == "100.000000"
        with pytest.raises(ValueError, match=f"{message}.*was read before"):
            chrf.corpus_score(given, array)
    wrong = Given("__arrow_c_stream__", array.__arrow_c_array__()[1])
    with pytest.raises(ValueError, match="PyCapsule"):
        chrf.corpus_score(wrong, array)
    reader = pa.RecordBatchReader.from_batches(
        pa.schema({"t": pa.string()}), [pa.record_batch({"t": ["a"]})]
    )
    assert str(chrf.corpus_score(reader, array)) == "100.000000"


def test_a_stream_that_fails_says_why():
    def batches():
        yield pa.record_batch({"t": ["a"]})
        raise ValueError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"t": pa.string()}), batches())
    with pytest.raises(OSError, match=r"the Arrow stream of hypotheses failed: .*the disk is gone"):
        chrf.corpus_score(reader, pa.array(["a"]))


def test_a_column_is_read_once():
    column = kernel_columns.Column("texts", pa.array(["a", "é"]), False)
    assert (column.side, len(column), column.text_count, column.squares()) == ("texts", 2, 2, 2)
    assert column.strings(1, 2) == ["é"]
    with pytest.raises(TypeError, match="once"):
        column.__init__("texts", pa.array(["a"]), False)
    for a, b in ((-1, 1), (0, 3), (2, 1)):
        with pytest.raises(ValueError, match="must be rows of texts"):
            column.strings(a, b)
        with pytest.raises(ValueError, match="must be rows of texts"):
            kernel_columns.count(column, column, a, b, 6, 0, False)
    groups = kernel_columns.Column("groups", pa.array([["a"]]), True)
    with pytest.raises(ValueError, match="a hypothesis is one text"):
        kernel_columns.count(groups, groups, 0, 1, 6, 0, False)


@pytest.mark.skipif("CHRF_SANITIZE" in os.environ, reason="a sanitizer keeps freed memory")
def test_memory_is_given_back():
    text = "x" * 50
    used = pa.total_allocated_bytes()

    def everything():
        texts = pa.array([text] * 20000)
        lists = pa.array([[text, text]] * 20000)
        chrf.corpus_score(texts, lists)
        with pytest.raises(TypeError, match="null"):
            chrf.corpus_score(pa.array([text] * 20000 + [None]), texts)
        with pytest.raises(ValueError, match="rows"):
            chrf.corpus_score(pa.array([text] * 20000), texts[1:])
        chrf.corpus_score(pa.array([text] * 20000, pa.string_view()), texts.cast("string"))

    def resident():
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    if not os.path.exists("/proc/self/statm"):
        pytest.skip("the system does not tell how much memory is resident")
    for _ in range(3):
        everything()
    before = resident()
    for _ in range(12):
        everything()
    assert resident() - before < 4e6  # a leaked column of pointers would be 5.8e6, a chunk 1e6
    assert pa.total_allocated_bytes() == used


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_make_no_python_objects(threads):
    def peak(rows):
        column = pa.array(["some text"] * rows)
        tracemalloc.start()
        try:
            chrf.corpus_score(column, column, threads=threads)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(100_000)
    assert peak(200_000) < peak(50_000) + 300_000  # strings of 100,000 rows would take 5.8e6


def test_texts_are_read_where_they_stand():
    """A text changed under a column that was read is another text."""
    buffer = ctypes.create_string_buffer(b"abcabc", 6)
    data = pa.foreign_buffer(ctypes.addressof(buffer), 6, buffer)
    text = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(offsets(0, 6)), data])
    column = kernel_columns.Column("texts", text, False)
    assert column.strings(0, 1) == ["abcabc"]
    buffer[0] = b"x"
    assert column.strings(0, 1) == ["xbcabc"]
