"""Scores go back as a column of the library they came from; batches go through engines as sums."""

import doctest
import functools
import importlib.util
import os
import pickle
import subprocess
import sys
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


def pandas(texts, dtype=None, index=None):
    pd = pytest.importorskip("pandas", minversion="3", reason="Arrow columns of pandas 3")
    return pd.Series(texts, dtype=dtype, index=index)


def test_the_column_comes_from_the_library_of_the_hypotheses():
    hypotheses, references = ["a cat", "b"], ["a dog", "b"]
    wanted = chrf.segment_scores(hypotheses, references, word_order=2).tolist()

    def scores(column):
        return arrow.score_column(column, pa.array(references), word_order=2)

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


@pytest.mark.parametrize("form", [list, tuple, iter, dict.fromkeys])
def test_names_of_references_come_in_any_iterable(form):
    batch = pa.record_batch({"h": ["a cat", "b"], "r": ["a", "b"], "s": ["cat", "c"]})
    row = arrow.stats_batch(batch, "h", form(["r", "s"]))
    assert row.equals(arrow.stats_batch(batch, "h", ["r", "s"]))


def test_a_null_in_one_of_several_columns_is_no_reference():
    rows = [("a cat", "a cat", None), ("rain", "", "rains"), ("b", None, "c"), ("d", "e", "d")]
    left, first, second = map(list, zip(*rows, strict=True))
    groups = [[text for text in row[1:] if text is not None] for row in rows]
    for options in {}, {"lowercase": True}:
        wanted = chrf.corpus_score(left, groups, **options)
        batch = pa.record_batch({"h": left, "r": first, "s": second, "n": pa.nulls(4, pa.string())})
        for names in ["r", "s"], ["r", "n", "s"]:
            assert arrow.stats_score(
                arrow.stats_batch(batch, "h", names, **options), **options
            ) == (wanted)
    with pytest.raises(ValueError, match="r and n: row 0 has no reference: every one is null; a s"):
        arrow.stats_batch(batch[2:], "h", ["r", "n"])
    with pytest.raises(TypeError, match=r"r\[2\] is null, not a string"):
        arrow.stats_batch(batch, "h", "r")
    with pytest.raises(TypeError, match=r"s\[0\] is null, not a string"):
        arrow.stats_batch(batch, "s", ["r", "s"])


def test_a_column_with_rows_without_a_text_is_only_for_beside():
    texts = kernel_columns.Column("h", pa.array(["a"]), False)
    holes = kernel_columns.Column("r", pa.array([None], pa.string()), False, True)
    with pytest.raises(ValueError, match="r may have rows without a text"):
        kernel_columns.count(texts, holes, 0, 1, 6, 0, False)
    with pytest.raises(ValueError, match="r may have rows without a text"):
        holes.strings(0, 1)


def test_what_stats_refuse():
    batch = pa.record_batch({"h": ["a"], "r": ["a"], "n": [None], "l": [["a"]]})
    with pytest.raises(KeyError):
        arrow.stats_batch(batch, "h", "x")
    with pytest.raises(TypeError, match=r"n\[0\] is null"):
        arrow.stats_batch(batch, "h", "n")
    with pytest.raises(TypeError, match="l is a column of list of string, not of strings"):
        arrow.stats_batch(batch, "h", ["r", "l"])
    for none in (
        [],
        (),
        iter([]),
        (name for name in batch.schema.names if name > "z"),
        np.array([]),
    ):
        with pytest.raises(ValueError, match="references is empty"):
            arrow.stats_batch(batch, "h", none)
    row = arrow.stats_batch(batch, "h", "r")
    with pytest.raises(ValueError, match="no sum of state vectors with these options"):
        arrow.stats_score(row, beta=3)
    with pytest.raises(ValueError, match="0 columns 'word1_hypothesis_ngrams_low'"):
        arrow.stats_score(row, word_order=2)
    empty = arrow.stats_batch(batch[:0], "h", "r")
    with pytest.raises(ValueError, match="there are no segments"):
        arrow.stats_score(empty)
    with pytest.raises(ValueError, match="r has no columns"):
        kernel_columns.beside("r", [])
    with pytest.raises(TypeError, match="a column of r is None"):
        kernel_columns.beside("r", [None])
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


HELD = """
import importlib, sys, threading
import numpy, chrf
from chrf.integrations import arrow

held, others = sys.argv[1], sys.argv[2:]
modules = {name: importlib.import_module(name) for name in others}
reached, released = threading.Event(), threading.Event()


def hold(event, arguments):  # a finder would hold the lock of all imports
    if event == "import" and arguments[0].startswith(f"{held}."):
        if threading.current_thread() is thread:
            reached.set()
            released.wait(60)


sys.addaudithook(hold)
thread = threading.Thread(target=importlib.import_module, args=[held], daemon=True)
thread.start()
assert reached.wait(60)
assert held in sys.modules and not hasattr(sys.modules[held], "Series")
texts, others = ["a cat", "b"], {}
if "pyarrow" in modules:
    pa = modules["pyarrow"]
    column = pa.py_buffer(b"a catb"), pa.py_buffer(numpy.array([0, 5, 6], numpy.int32))
    others["pyarrow"] = pa.Array.from_buffers(pa.string(), 2, [None, *column[::-1]])
if "polars" in modules:
    others["polars"] = modules["polars"].Series(texts)
for column in (texts, *others.values()):
    assert chrf.segment_scores(column, column).tolist() == [100, 100]
    assert chrf.segment_scores(column, texts).tolist() == [100, 100]
    assert chrf.Scorer(column).corpus_score(column).fraction == 100
    scores = arrow.score_column(column, column)
    assert type(scores).__module__.split(".")[0] in (*modules, "numpy"), type(scores)
    assert getattr(scores, 'to_list', getattr(scores, 'tolist', None))() == [100, 100]
if "pyarrow" in modules:
    batch = pa.record_batch([others["pyarrow"]] * 2, ["h", "r"])
    assert arrow.stats_batch(batch, "h", "r").num_rows == 1
assert not released.is_set() and thread.is_alive()
released.set()
thread.join()
"""


@pytest.mark.parametrize(
    ("held", "others"),
    [
        ("pandas", ["pyarrow", "polars"]),
        ("polars", ["pyarrow"]),
        ("pyarrow", ["polars"]),
        ("torch", ["pyarrow", "polars"]),
    ],
)
def test_another_thread_may_be_importing_a_library(held, others, tmp_path):
    """The modules of a package are held back until columns of other libraries are scored."""
    for library in others:
        pytest.importorskip(library, reason=f"its columns are scored while {held} is imported")
    if importlib.util.find_spec(held) is None:  # what it holds does not matter, when it comes does
        (tmp_path / held).mkdir()
        (tmp_path / held / "__init__.py").write_text(f"from {held} import late\n")
        (tmp_path / held / "late.py").touch()
    subprocess.run(
        [sys.executable, "-c", HELD, held, *others],
        check=True,
        cwd=FOLDER,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        timeout=90,
    )


def test_arrays_are_made_without_pandas():
    script = (
        "import sys, numpy, pyarrow as pa; from chrf.integrations import arrow; "
        "ends = pa.py_buffer(numpy.array([0, 1], numpy.int32)); "
        "text = pa.Array.from_buffers(pa.string(), 1, [None, ends, pa.py_buffer(b'x')]); "
        "row = arrow.stats_batch(pa.RecordBatch.from_arrays([text, text], ['h', 'r']), 'h', 'r'); "
        "print(arrow.score_column(text, text).to_pylist(), 'pandas' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, cwd=FOLDER
    )
    assert done.stdout.strip() == b"[100.0] False"


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_a_class_derived_from_a_series_is_one(library):
    module = pytest.importorskip(library, reason=f"the columns are {library}'s")
    derived = type("Texts", (module.Series,), {})
    assert type(arrow.score_column(derived(["a", "b"]), ["a", "b"])) is module.Series


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_pyarrow_is_not_needed_for_the_columns_of_others(library):
    pytest.importorskip(library, reason=f"the columns are {library}'s")
    script = (
        "import sys; sys.modules['pyarrow'] = None; "
        f"import chrf; from chrf.integrations import arrow; import {library}; "
        f"texts = {library}.Series(['a cat', 'b']); "
        "print(arrow.score_column(texts, texts).to_list(), chrf.corpus_score(texts, texts))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, cwd=FOLDER
    )
    assert done.stdout.strip() == b"[100.0, 100.0] 100.000000"


def test_the_page_on_columns():
    for library in ("polars", "pandas"):
        pytest.importorskip(library, reason="the page shows its columns")
    page = Path(__file__).parents[2] / "docs" / "columns.md"
    results = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert results.attempted >= 15
    assert results.failed == 0
