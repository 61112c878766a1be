"""Every public function takes every form of text, and the numbers are the same to the last bit."""

import functools

import pytest

import chrf
from chrf.core.forms.columns import ColumnPairs
from chrf.core.forms.segments import Segments
from chrf.core.source import read_pairs

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow", reason="columns are made by pyarrow")

HYPOTHESES = ["the cat sat", "A dog ran", "日本語 テキスト", "it rained", "it rained"]
REFERENCES = ["the cat sits", "a dog ran home", "日本 テキスト", "", "it rained"]
GROUPS = [["the cat", "the cat sits"], ["a dog"], ["日本", "x", "x"], ["it", "it"], ["it rained"]]
EQUAL_GROUPS = [[text, "the cat sat"] for text in REFERENCES]


def library(name, texts, **keywords):
    return pytest.importorskip(name, reason=f"the columns are of {name}").Series(texts, **keywords)


FORMS = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "numpy": np.array,
    "pandas": functools.partial(library, "pandas"),
    "pandas objects": functools.partial(library, "pandas", dtype=object),
    "polars": functools.partial(library, "polars"),
    "pyarrow": pa.array,
    "pyarrow chunked": lambda texts: pa.chunked_array([texts[:2], texts[2:]]),
    "pyarrow dictionary": lambda texts: pa.array(texts).dictionary_encode(),
}
LISTS = {
    "lists": list,
    "tuples": lambda groups: tuple(map(tuple, groups)),
    "arrays": lambda groups: [np.array(group) for group in groups],
    "pandas lists": functools.partial(library, "pandas"),
    "polars lists": functools.partial(library, "polars"),
    "pyarrow lists": pa.array,
    "pyarrow chunked lists": lambda groups: pa.chunked_array([groups[:3], groups[3:]]),
}


def accumulated(hypotheses, references, ids=None, **options):
    accumulator = chrf.Accumulator(**options)
    accumulator.update(hypotheses, references, ids)
    return accumulator.compute(), accumulator.state_dict()


def scored(method, hypotheses, references, **options):
    return getattr(chrf.Scorer(references, **options), method)(hypotheses)


FUNCTIONS = {
    "corpus_score": chrf.corpus_score,
    "segment_scores": chrf.segment_scores,
    "counts": chrf.counts,
    "Accumulator.update": accumulated,
    "Accumulator.update with ids": functools.partial(accumulated, ids=range(len(HYPOTHESES))),
    "Scorer.corpus_score": functools.partial(scored, "corpus_score"),
    "Scorer.segment_scores": functools.partial(scored, "segment_scores"),
    "Scorer.counts": functools.partial(scored, "counts"),
}
OPTIONS = [{}, {"word_order": 2, "lowercase": True, "rule": "sacrebleu"}]


def same(result, expected):
    if isinstance(expected, np.ndarray):
        assert (type(result), result.dtype) == (np.ndarray, expected.dtype)
        assert result.shape == expected.shape
        assert result.tobytes() == expected.tobytes()
    else:
        assert result == expected


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("left", FORMS)
def test_one_reference(function, left):
    call = FUNCTIONS[function]
    for options in OPTIONS:
        expected = call(HYPOTHESES, REFERENCES, **options)
        for right in FORMS.values():
            same(call(FORMS[left](HYPOTHESES), right(REFERENCES), **options), expected)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("right", LISTS)
def test_lists_of_references(function, right):
    call = FUNCTIONS[function]
    for groups in (GROUPS, EQUAL_GROUPS):
        expected = call(HYPOTHESES, groups, rule="sacrebleu")
        for left in FORMS.values():
            result = call(left(HYPOTHESES), LISTS[right](groups), rule="sacrebleu")
            same(result, expected)


@pytest.mark.parametrize("left", FORMS)
def test_pairs_of_all(left):
    expected = chrf.pairwise(HYPOTHESES, REFERENCES)
    choice = chrf.mbr(HYPOTHESES, REFERENCES)
    for right in FORMS.values():
        same(chrf.pairwise(FORMS[left](HYPOTHESES), right(REFERENCES)), expected)
        chosen = chrf.mbr(FORMS[left](HYPOTHESES), right(REFERENCES))
        assert (chosen.index, chosen.fraction) == (choice.index, choice.fraction)


def test_fractions_are_those_of_the_lists():
    expected = chrf.corpus_score(HYPOTHESES, REFERENCES)
    for name, form in FORMS.items():
        score = chrf.corpus_score(form(HYPOTHESES), form(REFERENCES))
        assert score.fraction == expected.fraction, name


def test_two_columns_are_read_in_place_and_anything_else_as_lists():
    for left, right, kind in (
        (pa.array, pa.chunked_array, ColumnPairs),
        (pa.array, list, Segments),
        (tuple, pa.array, Segments),
        (list, list, Segments),
    ):
        second = right([REFERENCES]) if right is pa.chunked_array else right(REFERENCES)
        assert type(read_pairs(left(HYPOTHESES), second)) is kind


def test_a_null_beside_a_list_is_refused_with_its_row():
    column = pa.array(["a", None])
    with pytest.raises(TypeError, match=r"^hypotheses\[1\] is null, not a string$"):
        chrf.corpus_score(column, ["a", "b"])
    with pytest.raises(TypeError, match=r"^references\[1\] is null, not a string"):
        chrf.corpus_score(["a", "b"], column)
    with pytest.raises(TypeError, match=r"^references\[1\] is null, not a string"):
        chrf.Scorer(column)
    with pytest.raises(TypeError, match=r"^hypotheses\[1\] is null, not a string$"):
        chrf.Scorer(["a", "b"]).counts(column)
    accumulator = chrf.Accumulator()
    with pytest.raises(TypeError, match=r"^hypotheses\[1\] is null, not a string$"):
        accumulator.update(column, pa.array(["a", "b"]))
    assert accumulator == chrf.Accumulator()


def test_an_empty_batch_of_columns_adds_nothing():
    accumulator = chrf.Accumulator()
    accumulator.update(pa.array([], pa.string()), pa.array([], pa.string()))
    accumulator.update(pa.array([], pa.string()), [], [])
    assert accumulator == chrf.Accumulator()
    with pytest.raises(ValueError, match="there are no segments"):
        chrf.Scorer(pa.array([], pa.string()))
    with pytest.raises(ValueError, match="hypotheses has 2 rows but references has 1"):
        accumulator.update(pa.array(["a", "b"]), pa.array(["a"]))


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_a_frame_of_one_column_is_its_column(name):
    series = library(name, HYPOTHESES)
    frame = series.to_frame("text")
    assert chrf.corpus_score(frame, series).fraction == 100
    assert chrf.corpus_score(frame, HYPOTHESES).fraction == 100
    assert chrf.corpus_score(HYPOTHESES, frame).fraction == 100
