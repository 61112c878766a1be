"""Columns of any library are scored as the lists of their texts are, and refused by row."""

import functools
import random
import sys
from itertools import chain, pairwise
from pathlib import Path

import pytest

import chrf
from chrf.integrations.arrow import score_column

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
        scores = chrf.segment_scores(hypotheses, references, **options)
        assert (type(scores), scores.dtype) == (np.ndarray, np.float64)
        wanted = chrf.segment_scores(HYPOTHESES, REFERENCES, **options).tolist()
        assert scores.tolist() == wanted
        assert [*score_column(hypotheses, references, **options)] == wanted or (
            score_column(hypotheses, references, **options).to_pylist() == wanted
        )
        score = chrf.corpus_score(hypotheses, references, **options)
        assert score == chrf.corpus_score(HYPOTHESES, REFERENCES, **options)


@pytest.mark.parametrize("layout", GROUPED)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_lists_hold_several_references(layout, options):
    hypotheses, references = pa.array(HYPOTHESES), GROUPED[layout](GROUPS)
    scores = chrf.segment_scores(hypotheses, references, **options)
    assert scores.tolist() == chrf.segment_scores(HYPOTHESES, GROUPS, **options).tolist()
    score = chrf.corpus_score(hypotheses, references, **options)
    assert score == chrf.corpus_score(HYPOTHESES, GROUPS, **options)


def test_lists_of_a_fixed_size():
    references = pa.array([["x", "y"], ["the cat", "a cat"]], pa.list_(pa.string(), 2))
    for part, hypotheses in ((references, ["x", "a cat"]), (references[1:], ["a cat"])):
        score = chrf.corpus_score(pa.array(hypotheses), part)
        assert score == chrf.corpus_score(hypotheses, part.to_pylist())
        assert score.reference_count == 2


def test_relations_of_duckdb():
    duckdb = pytest.importorskip("duckdb", reason="the relations are DuckDB's")
    with duckdb.connect() as connection:
        connection.execute("create table t (h text, r text, n text[])")
        rows = [list(row) for row in zip(HYPOTHESES, REFERENCES, GROUPS, strict=True)]
        connection.executemany("insert into t values (?, ?, ?)", rows)
        table = connection.table("t")
        scores = chrf.segment_scores(table.select("h"), table.select("r"))
        assert isinstance(scores, np.ndarray)
        assert scores.tolist() == chrf.segment_scores(HYPOTHESES, REFERENCES).tolist()
        score = chrf.corpus_score(table.select("h"), table.select("n"))
        assert score == chrf.corpus_score(HYPOTHESES, GROUPS)
        with pytest.raises(TypeError, match=r"hypotheses is a table of 3 columns \(h, r, n\); ch"):
            chrf.corpus_score(table, table.select("r"))


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
        scores = chrf.segment_scores(*columns, threads=threads, word_order=2)
        assert [*scores] == [*chrf.segment_scores(hypotheses, references, word_order=2)]
        groups = [[text() for _ in range(rng.randrange(1, 4))] for _ in range(9000)]
        score = chrf.corpus_score(columns[0], cut(groups, pa.list_(type_)), threads=threads)
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
        found = r"(null|missing \(pandas.NA\)|NoneType), not a string(; .* on both sides)?"
        with pytest.raises(TypeError, match=rf"^{side}\[{row}\] is {found}$"):
            chrf.segment_scores(*columns)


def test_rows_of_nulls_are_counted_over_all_chunks():
    texts = pa.array(["a"] * 6)
    nulls = pa.chunked_array([["a", "b"], [], ["c", "d"], ["e", None]])
    with pytest.raises(TypeError, match=r"hypotheses\[5\] is null"):
        chrf.corpus_score(nulls, texts)
    lists = pa.chunked_array([[["a"], ["b"]], [["c"], [None, None]], [["e"], ["f"]]])
    none = r"references\[3\] has no reference: every one is null; a segment needs at least one"
    with pytest.raises(ValueError, match=none):
        chrf.corpus_score(texts, lists)
    lists = pa.chunked_array([[["a"], ["b"]], [["c"], None], [["e"], ["f"]]])
    with pytest.raises(ValueError, match=r"references\[3\] is null; a segment needs at least one"):
        chrf.corpus_score(texts, lists)
    lists = pa.chunked_array([[["a"], ["b"]], [["c"], ["d"]], [[], ["f"]]])
    with pytest.raises(ValueError, match=r"references\[4\] is empty; a segment needs at least"):
        chrf.corpus_score(texts, lists)


HOLEY = [["a cat", None], [None, "it rains"], ["x", None, "y"], [None, None, "the cat"]]
SYSTEM = ["a cat", "it rained", "xy", "the dog"]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
@pytest.mark.parametrize("options", [{}, {"lowercase": True}, {"word_order": 2}], ids=str)
def test_a_null_in_a_list_is_no_reference(kind, options):
    """As None in lists: nulls are left out, wherever they stand and whatever reads the column."""
    wanted = chrf.corpus_score(SYSTEM, HOLEY, **options)
    assert wanted.reference_count is None
    column = pa.array(HOLEY, pa.list_(kind))
    chunks = pa.chunked_array([column[:1], column[1:3], column[3:]])
    for references in column, chunks, column.cast(pa.large_list(kind)):
        assert chrf.corpus_score(pa.array(SYSTEM), references, **options) == wanted
        assert chrf.corpus_score(SYSTEM, references, **options) == wanted
        scorer = chrf.Scorer(references, **options)
        assert scorer.corpus_score(SYSTEM) == scorer.corpus_score(pa.array(SYSTEM)) == wanted
        found = chrf.counts(pa.array(SYSTEM), references, **options)
        assert found.tolist() == chrf.counts(SYSTEM, HOLEY, **options).tolist()


def test_a_null_in_lists_of_other_layouts_is_no_reference():
    wanted = chrf.corpus_score(["ab", "cd"], [["ab"], ["ce"]])
    assert wanted.reference_count == 1
    groups = [["ab", None], [None, "ce"]]
    fixed = pa.array(groups, pa.list_(pa.string(), 2))
    coded = pa.ListArray.from_arrays(
        [0, 2, 4], pa.array(["ab", None, None, "ce"]).dictionary_encode()
    )
    polars = pytest.importorskip("polars").Series(groups)
    for references in fixed, coded, polars:
        assert chrf.corpus_score(pa.array(["ab", "cd"]), references) == wanted
        assert chrf.corpus_score(["ab", "cd"], references) == wanted


def test_a_null_in_the_lists_of_pairs_of_all_is_refused():
    groups = pa.array([["a", None]])
    for left, right in (([["a"]], groups), (groups, [["a"]])):
        with pytest.raises(TypeError, match=r"\[0\]\[1\] is null, not a string"):
            chrf.pairwise(left, right)


@pytest.mark.parametrize("nulls", [pa.nulls(2), pa.nulls(2).dictionary_encode()], ids=str)
def test_a_column_of_nulls(nulls):
    with pytest.raises(TypeError, match=r"hypotheses\[0\] is null"):
        chrf.corpus_score(nulls, pa.array(["a", "b"]))


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
        chrf.segment_scores(column, pa.array(["x"]))


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
        chrf.segment_scores(pa.array(["x"]), column)


@pytest.mark.parametrize("function", [chrf.corpus_score, chrf.segment_scores])
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
