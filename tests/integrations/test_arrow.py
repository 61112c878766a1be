"""Columns of any library are scored as the lists of their texts are, and refused by row."""

import ctypes
import doctest
import functools
import gc
import os
import pickle
import random
import subprocess
import sys
import tracemalloc
from itertools import chain, pairwise
from pathlib import Path

import pytest

import chrf
from chrf.core import state
from chrf.core.accumulator import Accumulator
from chrf.integrations import arrow
from chrf.kernel import columns as kernel_columns

FOLDER = Path(__file__).parent  # where the source folder does not hide the installed package

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow", reason="most columns of these tests are made by pyarrow")

LONG = "abc def " * 1500  # past the 8192 code points that the kernel codes
SYMBOLS = "".join(map(chr, range(0x4E00, 0x4E00 + 700)))  # more than codes are for
HYPOTHESES = ["the cat sat", "", "日本語 テキスト", "a 😀 b", "\0x", "no", LONG, SYMBOLS, "end."]
REFERENCES = ["the cat sits", "x", "日本 テキスト", "a 😀", "\0y", "", LONG[3:], SYMBOLS[9:], "end"]
GROUPS = [[text, f"{text} and more"][: 1 + i % 2] for i, text in enumerate(REFERENCES)]
OPTIONS = [{}, {"word_order": 2}, {"lowercase": True, "rule": "sacrebleu"}, {"whitespace": True}]
STRINGS = [pa.string(), pa.large_string(), pa.string_view()]
INDICES = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64()]


def dictionary(texts, index=None, values=None):
    names = sorted({text for text in texts if text is not None})
    numbers = [None if text is None else names.index(text) for text in texts]
    return pa.DictionaryArray.from_arrays(
        pa.array(numbers, index or pa.int32()), pa.array(names, values or pa.string())
    )


def chunked(texts, type_=None):
    return pa.chunked_array([texts[:2], [], texts[2:5], texts[5:]], type_ or pa.string())


def sliced(texts, type_=None):
    return pa.array([None, "before", *texts, "after", None], type_ or pa.string())[2:-2]


class Exports:
    """Another library's column, with either half of the interface alone."""

    def __init__(self, array):
        if isinstance(array, pa.ChunkedArray):
            self.__arrow_c_stream__ = array.__arrow_c_stream__
        else:
            self.__arrow_c_array__ = array.__arrow_c_array__


def polars(texts, *arguments, **keywords):
    pl = pytest.importorskip("polars", reason="the columns are polars'")
    return pl.Series(texts, *arguments, **keywords)


def polars_chunked(texts):
    pl = pytest.importorskip("polars", reason="the columns are polars'")
    series = pl.concat([pl.Series(texts[:3]), pl.Series(texts[3:])], rechunk=False)
    assert series.n_chunks() == 2
    return series


def polars_categorical(texts):
    return polars(texts).cast(sys.modules["polars"].Categorical)


def pandas(texts, dtype=None, index=None):
    pd = pytest.importorskip("pandas", minversion="3", reason="Arrow columns of pandas 3")
    return pd.Series(texts, dtype=dtype, index=index)


def pandas_numbered(texts):
    return pandas(texts, index=range(len(texts), 0, -1))


LAYOUTS = {
    **{str(type_): functools.partial(pa.array, type=type_) for type_ in STRINGS},
    **{f"sliced {t}": functools.partial(sliced, type_=t) for t in STRINGS},
    **{f"chunked {t}": functools.partial(chunked, type_=t) for t in STRINGS},
    **{f"dictionary by {t}": functools.partial(dictionary, index=t) for t in INDICES},
    **{f"dictionary of {t}": functools.partial(dictionary, values=t) for t in STRINGS},
    "sliced dictionary": lambda texts: dictionary(["", *texts, "z"])[1:-1],
    "table": lambda texts: pa.table({"text": chunked(texts)}),
    "record batch": lambda texts: pa.record_batch({"text": texts}),
    "sliced batch": lambda texts: pa.record_batch({"text": ["", *texts, ""]})[1:-1],
    "struct": lambda texts: pa.StructArray.from_arrays([sliced(["", *texts])], ["text"])[1:],
    "array interface": lambda texts: Exports(pa.array(texts)),
    "stream interface": lambda texts: Exports(chunked(texts)),
    "polars": polars,
    "polars sliced": lambda texts: polars(["", *texts, ""])[1:-1],
    "polars chunked": polars_chunked,
    "polars categorical": polars_categorical,
    "polars frame": lambda texts: polars(texts).to_frame(),
    "pandas": pandas,
    "pandas index": pandas_numbered,
    "pandas object": lambda texts: pandas(texts, dtype=object),
    "pandas python strings": lambda texts: pandas(texts, dtype="string[python]"),
    "pandas categorical": lambda texts: pandas(texts, dtype="category"),
    "pandas frame": lambda texts: pandas(texts).to_frame("text"),
    "pandas frame index": lambda texts: pandas_numbered(texts).to_frame("text"),
    "list": list,
}
GROUPED = {
    **{f"list of {t}": functools.partial(pa.array, type=pa.list_(t)) for t in STRINGS},
    "large list": functools.partial(pa.array, type=pa.large_list(pa.large_string())),
    "sliced list": lambda groups: pa.array([None, ["x", "y"], *groups, [None], []])[2:-2],
    "chunked list": lambda groups: pa.chunked_array([groups[:4], groups[4:]]),
    "list of dictionary": lambda groups: pa.ListArray.from_arrays(
        np.cumsum([0, *map(len, groups)]), dictionary(list(chain(*groups)))
    ),
    "polars list": polars,
    "polars list chunked": polars_chunked,
    "pandas list": pandas,
    "lists": list,
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_scored_as_its_list(layout):
    hypotheses, references = LAYOUTS[layout](HYPOTHESES), LAYOUTS[layout](REFERENCES)
    for options in OPTIONS:
        scores = arrow.segment_scores(hypotheses, references, **options)
        assert [*scores] == [*chrf.segment_scores(HYPOTHESES, REFERENCES, **options)] or (
            scores.to_pylist() == chrf.segment_scores(HYPOTHESES, REFERENCES, **options).tolist()
        )
        score = arrow.corpus_score(hypotheses, references, **options)
        assert score == chrf.corpus_score(HYPOTHESES, REFERENCES, **options)


@pytest.mark.parametrize("layout", GROUPED)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_lists_hold_several_references(layout, options):
    hypotheses, references = pa.array(HYPOTHESES), GROUPED[layout](GROUPS)
    scores = arrow.segment_scores(hypotheses, references, **options)
    assert scores.to_pylist() == chrf.segment_scores(HYPOTHESES, GROUPS, **options).tolist()
    score = arrow.corpus_score(hypotheses, references, **options)
    assert score == chrf.corpus_score(HYPOTHESES, GROUPS, **options)


def test_lists_of_a_fixed_size():
    references = pa.array([["x", "y"], ["the cat", "a cat"]], pa.list_(pa.string(), 2))
    for part, hypotheses in ((references, ["x", "a cat"]), (references[1:], ["a cat"])):
        score = arrow.corpus_score(pa.array(hypotheses), part)
        assert score == chrf.corpus_score(hypotheses, part.to_pylist())
        assert score.reference_count == 2


def test_relations_of_duckdb():
    duckdb = pytest.importorskip("duckdb", reason="the relations are DuckDB's")
    with duckdb.connect() as connection:
        connection.execute("create table t (h text, r text, n text[])")
        rows = [list(row) for row in zip(HYPOTHESES, REFERENCES, GROUPS, strict=True)]
        connection.executemany("insert into t values (?, ?, ?)", rows)
        table = connection.table("t")
        scores = arrow.segment_scores(table.select("h"), table.select("r"))
        assert isinstance(scores, np.ndarray)
        assert scores.tolist() == chrf.segment_scores(HYPOTHESES, REFERENCES).tolist()
        score = arrow.corpus_score(table.select("h"), table.select("n"))
        assert score == chrf.corpus_score(HYPOTHESES, GROUPS)
        with pytest.raises(TypeError, match=r"hypotheses is a table of 3 columns \(h, r, n\); ch"):
            arrow.corpus_score(table, table.select("r"))


def test_the_column_comes_from_the_library_of_the_hypotheses():
    hypotheses, references = ["a cat", "b"], ["a dog", "b"]
    wanted = chrf.segment_scores(hypotheses, references, word_order=2).tolist()

    def scores(column):
        return arrow.segment_scores(column, pa.array(references), word_order=2)

    assert scores(pa.array(hypotheses)).equals(pa.array(wanted))
    assert scores(pa.chunked_array([hypotheses])).equals(pa.array(wanted))
    series = scores(polars(hypotheses))
    assert series.equals(polars(wanted))
    assert series.name == "chrF2++"
    for dtype in (None, object):
        texts = pandas(hypotheses, dtype=dtype, index=["x", "y"])
        for column in (texts, texts.to_frame("text")):
            series = scores(column)
            assert series.equals(pandas(wanted, index=["x", "y"]))
            assert series.name == "chrF2++"
    assert type(scores(hypotheses)) is np.ndarray
    assert type(scores(Exports(pa.array(hypotheses)))) is np.ndarray


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_random_columns_in_random_chunks(threads):
    rng = random.Random(threads)
    alphabets = ["ab ", "abcdefgh .,", "äß\u00a0é", "日本語 中文", "😀\0 x"]

    def text():
        return "".join(rng.choices(rng.choice(alphabets), k=rng.randrange(40)))

    def cut(items, type_):
        places = sorted(rng.choices(range(len(items) + 1), k=4))
        bounds = [0, *places, len(items)]
        chunks = [items[a:b] for a, b in pairwise(bounds)]
        return pa.chunked_array(chunks, type_)

    for type_ in STRINGS:
        hypotheses = [text() for _ in range(9000)]
        references = [text() for _ in range(9000)]
        columns = cut(hypotheses, type_), cut(references, type_)
        scores = arrow.segment_scores(*columns, threads=threads, word_order=2)
        assert scores.to_pylist() == [*chrf.segment_scores(hypotheses, references, word_order=2)]
        groups = [[text() for _ in range(rng.randrange(1, 4))] for _ in range(9000)]
        score = arrow.corpus_score(columns[0], cut(groups, pa.list_(type_)), threads=threads)
        assert score == chrf.corpus_score(hypotheses, groups)


NULLS = {
    **{str(t): functools.partial(pa.array, type=t) for t in STRINGS},
    **{f"sliced {t}": functools.partial(sliced, type_=t) for t in STRINGS},
    "dictionary": dictionary,
    "struct": lambda texts: pa.StructArray.from_arrays(
        [pa.array(texts)], ["text"], mask=pa.array([text is None for text in texts])
    ),
    "struct alone": lambda texts: pa.StructArray.from_arrays(
        [pa.array([text or "" for text in texts])],
        ["text"],
        mask=pa.array([text is None for text in texts]),
    ),
    "polars": polars,
    "pandas": pandas,
    "pandas object": lambda texts: pandas(texts, dtype=object),
    "pandas python strings": lambda texts: pandas(texts, dtype="string[python]"),
}


@pytest.mark.parametrize("layout", NULLS)
@pytest.mark.parametrize("row", [0, 7, 8, 63, 99])
def test_a_null_is_refused_with_its_row(layout, row):
    texts = ["text"] * 100
    holey = NULLS[layout]([None if i == row else text for i, text in enumerate(texts)])
    for side, columns in (
        ("hypotheses", (holey, pa.array(texts))),
        ("references", (pa.array(texts), holey)),
    ):
        with pytest.raises(
            TypeError, match=rf"^{side}\[{row}\] is (null|NoneType|NAType), not a string$"
        ):
            arrow.segment_scores(*columns)


def test_rows_of_nulls_are_counted_over_all_chunks():
    texts = pa.array(["a"] * 6)
    nulls = pa.chunked_array([["a", "b"], [], ["c", "d"], ["e", None]])
    with pytest.raises(TypeError, match=r"hypotheses\[5\] is null"):
        arrow.corpus_score(nulls, texts)
    lists = pa.chunked_array([[["a"], ["b"]], [["c"], ["d", None]], [["e"], ["f"]]])
    with pytest.raises(TypeError, match=r"references\[3\]\[1\] is null, not a string"):
        arrow.corpus_score(texts, lists)
    lists = pa.chunked_array([[["a"], ["b"]], [["c"], None], [["e"], ["f"]]])
    with pytest.raises(TypeError, match=r"references\[3\] is null, not a list of strings"):
        arrow.corpus_score(texts, lists)
    lists = pa.chunked_array([[["a"], ["b"]], [["c"], ["d"]], [[], ["f"]]])
    with pytest.raises(ValueError, match=r"references\[4\] is empty; a segment needs at least"):
        arrow.corpus_score(texts, lists)


@pytest.mark.parametrize("nulls", [pa.nulls(2), pa.nulls(2).dictionary_encode()], ids=str)
def test_a_column_of_nulls(nulls):
    with pytest.raises(TypeError, match=r"hypotheses\[0\] is null"):
        arrow.corpus_score(nulls, pa.array(["a", "b"]))


@pytest.mark.parametrize(
    ("column", "found"),
    [
        (pa.array([1, 2]), "int64"),
        (pa.array([1.5]), "float64"),
        (pa.array([b"x"]), "binary"),
        (pa.array([b"x"], pa.large_binary()), "large binary"),
        (pa.array([True]), "bool"),
        (pa.array([["x"]]), "list of string"),
        (pa.array([1]).dictionary_encode(), "dictionary of int64"),
        (pa.array([1], pa.timestamp("s")), "Arrow type 'tss:'"),
        (pa.RunEndEncodedArray.from_arrays([1], ["x"]), r"Arrow type '\+r'"),
    ],
    ids=str,
)
def test_a_column_of_another_type_is_named(column, found):
    with pytest.raises(TypeError, match=f"^hypotheses is a column of {found}, not of strings$"):
        arrow.segment_scores(column, pa.array(["x"]))


@pytest.mark.parametrize(
    ("column", "found"),
    [
        (pa.array([[1]]), "list of int64"),
        (pa.array([[["x"]]]), "list of list of string"),
        (pa.array([["x"]], pa.list_view(pa.string())), "list view of string"),
    ],
    ids=str,
)
def test_a_column_of_other_lists_is_named(column, found):
    message = f"^references is a column of {found}, not of strings or of lists of strings$"
    with pytest.raises(TypeError, match=message):
        arrow.segment_scores(pa.array(["x"]), column)


@pytest.mark.parametrize("function", [arrow.corpus_score, arrow.segment_scores])
def test_lengths_options_and_threads(function):
    two, three, none = pa.array(["a", "b"]), pa.array(["a", "b", "c"]), pa.array([], pa.string())
    with pytest.raises(ValueError, match="hypotheses has 2 rows but references has 3"):
        function(two, three)
    with pytest.raises(ValueError, match="there are no segments"):
        function(none, none)
    with pytest.raises(ValueError, match="there are no segments"):
        function(pa.chunked_array([], pa.string()), none)
    with pytest.raises(TypeError, match="unknown option 'order'"):
        function(two, two, order=2)
    with pytest.raises(ValueError, match="threads is 0"):
        function(two, two, threads=0)
    with pytest.raises(TypeError, match=r"hypotheses is a table of 2 columns \(h, r\)"):
        function(pa.table({"h": two, "r": two}), two)


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
        arrow.corpus_score(pa.array(["a", "b"]), column)


def test_a_character_cut_by_an_offset_is_refused():
    column = broken(pa.string(), offsets(0, 1, 2), "é".encode())
    with pytest.raises(ValueError, match=r"^references\[0\] is not valid UTF-8$"):
        arrow.corpus_score(pa.array(["a", "b"]), column)


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
        arrow.corpus_score(column, pa.array(["a", "b"]))


def test_lists_that_lie_outside_are_refused():
    for numbers in (offsets(0, 1, 9), offsets(0, 2, 1)):
        column = broken(pa.list_(pa.string()), numbers, children=[pa.array(["a", "b"])])
        with pytest.raises(ValueError, match=r"^references\[1\] lies outside"):
            arrow.corpus_score(pa.array(["a", "b"]), column)


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
        assert str(arrow.corpus_score(given, array)) == "100.000000"
        with pytest.raises(ValueError, match=f"{message}.*was read before"):
            arrow.corpus_score(given, array)
    wrong = Given("__arrow_c_stream__", array.__arrow_c_array__()[1])
    with pytest.raises(ValueError, match="PyCapsule"):
        arrow.corpus_score(wrong, array)
    reader = pa.RecordBatchReader.from_batches(
        pa.schema({"t": pa.string()}), [pa.record_batch({"t": ["a"]})]
    )
    assert str(arrow.corpus_score(reader, array)) == "100.000000"


def test_a_stream_that_fails_says_why():
    def batches():
        yield pa.record_batch({"t": ["a"]})
        raise ValueError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"t": pa.string()}), batches())
    with pytest.raises(OSError, match=r"the Arrow stream of hypotheses failed: .*the disk is gone"):
        arrow.corpus_score(reader, pa.array(["a"]))


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
        arrow.corpus_score(texts, lists)
        with pytest.raises(TypeError, match="null"):
            arrow.corpus_score(pa.array([text] * 20000 + [None]), texts)
        with pytest.raises(ValueError, match="rows"):
            arrow.corpus_score(pa.array([text] * 20000), texts[1:])
        arrow.corpus_score(pa.array([text] * 20000, pa.string_view()), texts.cast("string"))

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
            arrow.corpus_score(column, column, threads=threads)
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


BATCHES = [slice(0, 4), slice(4, 4), slice(4, 9)]


def frame(library, columns):
    if library == "polars":
        return pytest.importorskip("polars", reason="the frames are polars'").DataFrame(columns)
    if library == "pandas":
        return pytest.importorskip(
            "pandas", minversion="3", reason="Arrow frames of pandas 3"
        ).DataFrame(columns)
    return getattr(pa, library)(columns)


@pytest.mark.parametrize("library", ["record_batch", "table", "polars", "pandas"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_batches_add_up_to_the_score(library, options):
    several = {"hypothesis": HYPOTHESES, "reference": REFERENCES, "lists": GROUPS}
    stats = {name: [] for name in ("reference", "lists", "both")}
    for part in BATCHES:
        # An empty batch knows its types by what it was cut from.
        batch = frame(library, several)[part]
        for name, rows in stats.items():
            references = ["reference", "hypothesis"] if name == "both" else name
            rows.append(arrow.stats_batch(batch, references=references, **options))
    pairs = [list(pair) for pair in zip(REFERENCES, HYPOTHESES, strict=True)]
    for name, references in (("reference", REFERENCES), ("lists", GROUPS), ("both", pairs)):
        assert {(row.num_rows, *map(str, row.schema.types)) for row in stats[name]} == {
            (1, *["int64"] * stats[name][0].num_columns)
        }
        wanted = chrf.corpus_score(HYPOTHESES, references, **options)
        table = pa.Table.from_batches(stats[name])
        assert arrow.stats_score(table, **options) == wanted
        summed = {column: [sum(table[column].to_pylist())] for column in table.column_names}
        assert arrow.stats_score(pa.table(summed), **options) == wanted


def test_rows_are_the_vectors_of_accumulators():
    batch = pa.record_batch({"h": HYPOTHESES, "r": REFERENCES})
    row = arrow.stats_batch(batch, "h", "r", word_order=2)
    accumulator = Accumulator(word_order=2)
    accumulator.update(HYPOTHESES, REFERENCES)
    assert [column[0].as_py() for column in row] == accumulator.state_vector().tolist()
    assert row.column_names[2] == "char1_hypothesis_ngrams_low"
    assert row.column_names[-1] == f"{state.TAIL[-1]}_high"


def test_what_stats_refuse():
    batch = pa.record_batch({"h": ["a"], "r": ["a"], "n": [None], "l": [["a"]]})
    with pytest.raises(KeyError):
        arrow.stats_batch(batch, "h", "x")
    with pytest.raises(TypeError, match=r"n\[0\] is null"):
        arrow.stats_batch(batch, "h", "n")
    with pytest.raises(TypeError, match="l is a column of list of string, not of strings"):
        arrow.stats_batch(batch, "h", ["r", "l"])
    with pytest.raises(ValueError, match="references is empty"):
        arrow.stats_batch(batch, "h", [])
    row = arrow.stats_batch(batch, "h", "r")
    with pytest.raises(ValueError, match="no sum of state vectors with these options"):
        arrow.stats_score(row, beta=3)
    with pytest.raises(ValueError, match="0 columns 'word1_hypothesis_ngrams_low'"):
        arrow.stats_score(row, word_order=2)
    empty = arrow.stats_batch(batch[:0], "h", "r")
    with pytest.raises(ValueError, match="there are no segments"):
        arrow.stats_score(empty)
    with pytest.raises(ValueError, match="must have one text in each of equally many rows"):
        kernel_columns.beside(
            "r", [kernel_columns.Column("r", pa.array(texts), False) for texts in ("a", "bc")]
        )


def test_functions_pickle_by_name_and_importing_starts_nothing():
    work = functools.partial(arrow.stats_batch, hypotheses="h", references="r", beta=3)
    batch = pa.record_batch({"h": ["a"], "r": ["b"]})
    assert pickle.loads(pickle.dumps(work))(batch).equals(work(batch))
    script = (
        "import sys, threading, chrf.integrations.arrow; print(threading.active_count(), "
        "[m for m in ('numpy', 'pyarrow', 'polars', 'pandas', 'duckdb') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, cwd=FOLDER
    )
    assert done.stdout.split() == [b"1", b"[]"]


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_pyarrow_is_not_needed_for_the_columns_of_others(library):
    pytest.importorskip(library, reason=f"the columns are {library}'s")
    script = (
        "import sys; sys.modules['pyarrow'] = None; "
        f"from chrf.integrations import arrow; import {library}; "
        f"texts = {library}.Series(['a cat', 'b']); "
        "print(arrow.segment_scores(texts, texts).to_list())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, cwd=FOLDER
    )
    assert done.stdout.strip() == b"[100.0, 100.0]"


def test_the_page_on_columns():
    for library in ("polars", "pandas"):
        pytest.importorskip(library, reason="the page shows its columns")
    page = Path(__file__).parents[2] / "docs" / "columns.md"
    results = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert results.attempted >= 15
    assert results.failed == 0
