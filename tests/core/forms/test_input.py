"""What the public functions take, and what they refuse: the side, the position and what it was."""

import re
from collections import OrderedDict, deque, namedtuple
from fractions import Fraction

import numpy as np
import pytest

HYPOTHESES, REFERENCES = ["ab", "abcd"], ["ab", "abcx"]
FUNCTIONS = ["corpus_score", "segment_scores", "counts"]


@pytest.fixture(params=FUNCTIONS)
def function(request, engine):
    return getattr(engine, request.param)


def refused(error, message):
    return pytest.raises(error, match=f"^{re.escape(message)}$")


# --- taken ---------------------------------------------------------------------------------------

Pair = namedtuple("Pair", ["first", "second"])


class Text(str):
    __slots__ = ()


class Sequence:
    """Iterable as old classes are, through __getitem__ alone."""

    def __init__(self, values):
        self.values = values

    def __getitem__(self, index):
        return self.values[index]


TAKEN = {
    "list": list,
    "tuple": tuple,
    "named tuple": lambda values: Pair(*values),
    "generator": lambda values: (value for value in values),
    "iterator": iter,
    "map": lambda values: map(str, values),
    "deque": deque,
    "values of a dict": lambda values: dict(enumerate(values)).values(),
    "__getitem__": Sequence,
    "numpy strings": np.array,
    "numpy objects": lambda values: np.array(values, dtype=object),
    "numpy column": lambda values: np.array([values, values]).T[:, 0],
    "str subclass": lambda values: [Text(value) for value in values],
    "numpy str": lambda values: [np.str_(value) for value in values],
}


@pytest.mark.parametrize("kind", TAKEN)
def test_iterables_of_strings(function, kind):
    expected = function(HYPOTHESES, REFERENCES)
    for hypotheses, references in (
        (TAKEN[kind](HYPOTHESES), REFERENCES),
        (HYPOTHESES, TAKEN[kind](REFERENCES)),
        (TAKEN[kind](HYPOTHESES), TAKEN[kind](REFERENCES)),
    ):
        assert np.array_equal(function(hypotheses, references), expected)


def object_array(values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


NESTED = {
    "lists": lambda groups: groups,
    "tuples": lambda groups: tuple(map(tuple, groups)),
    "generators": lambda groups: ((text for text in group) for group in groups),
    "zip of streams": lambda groups: zip(*zip(*groups, strict=True), strict=True),
    "arrays": lambda groups: [np.array(group) for group in groups],
    "array of two dimensions": np.array,
    "object array of lists": object_array,
    "lists and tuples": lambda groups: [groups[0], tuple(groups[1])],
}


@pytest.mark.parametrize("kind", NESTED)
def test_lists_of_references(engine, kind):
    groups = [["xx", "ab"], ["abcx", "yyyy"]]
    counts = engine.counts(HYPOTHESES, NESTED[kind](groups))
    assert (counts == engine.counts(HYPOTHESES, REFERENCES)).all()
    scores = engine.segment_scores(HYPOTHESES, NESTED[kind](groups))
    assert (scores == engine.segment_scores(HYPOTHESES, REFERENCES)).all()
    score = engine.corpus_score(HYPOTHESES, NESTED[kind](groups))
    assert score.counts == engine.corpus_score(HYPOTHESES, REFERENCES).counts
    assert score.reference_count == 2


def test_lists_of_one_reference_are_single_references(function):
    single = function(HYPOTHESES, [[text] for text in REFERENCES])
    assert np.array_equal(single, function(HYPOTHESES, REFERENCES))


def test_references_may_differ_in_number(engine):
    score = engine.corpus_score(HYPOTHESES, [["ab"], ["zz", "abcx", "abcd"]])
    assert score.fraction == 100
    assert score.reference_count is None


def test_pandas_series_are_read_by_position(function):
    pandas = pytest.importorskip("pandas", reason="pandas is not needed by the package")
    expected = function(HYPOTHESES, REFERENCES)
    for dtype in (object, "str", "string", "category"):
        hypotheses = pandas.Series(HYPOTHESES, index=[7, 3], dtype=dtype)
        references = pandas.Series(REFERENCES, index=[1, 0], dtype=dtype)
        assert np.array_equal(function(hypotheses, references), expected)
        assert np.array_equal(function(hypotheses, tuple(REFERENCES)), expected)
        assert np.array_equal(
            function(hypotheses[::-1], references[::-1]),
            function(HYPOTHESES[::-1], REFERENCES[::-1]),
        )


def test_a_pandas_series_with_a_row_called_columns(function):
    pandas = pytest.importorskip("pandas", reason="pandas is not needed by the package")
    expected = function(HYPOTHESES, REFERENCES)
    hypotheses = pandas.Series(HYPOTHESES, index=["rows", "columns"], dtype=object)
    references = pandas.Series(REFERENCES, index=["columns", "rows"], dtype=object)
    assert np.array_equal(function(hypotheses, references), expected)


def test_what_is_given_is_taken_once(function):
    class Once:
        def __init__(self, values):
            self.values = iter(values)
            self.taken = 0

        def __iter__(self):
            self.taken += 1
            return self.values

    sides = Once(HYPOTHESES), Once(REFERENCES)
    assert np.array_equal(function(*sides), function(HYPOTHESES, REFERENCES))
    assert [side.taken for side in sides] == [1, 1]
    groups = [Once(["xx", "ab"]), Once(["abcx"])]
    function(HYPOTHESES, groups)
    assert [group.taken for group in groups] == [1, 1]


def test_what_is_given_is_not_changed(function):
    hypotheses, references = ["A b", "C"], [["A b", "x"], ["c"]]
    function(hypotheses, references, lowercase=True)
    assert (hypotheses, references) == (["A b", "C"], [["A b", "x"], ["c"]])


def test_results_belong_to_the_caller(engine):
    for rule in ("all", "sacrebleu"):
        counts = engine.counts(HYPOTHESES, REFERENCES, rule=rule)
        counts[:] = 0
    scores = engine.segment_scores(HYPOTHESES, REFERENCES)
    scores[:] = 0
    assert engine.counts(HYPOTHESES, REFERENCES).sum() > 0


# --- a string, or something else, where a list was meant -----------------------------------------

ONE_SIDE = "give a list of strings"
OR_LISTS = "give a list of strings, or of lists of strings"

CONTAINERS = [
    ("ab", "a single str"),
    ("", "a single str"),
    (Text("ab"), "a single Text"),
    (b"ab", "a single bytes"),
    (bytearray(b"ab"), "a single bytearray"),
    ({"ab", "abcd"}, "a set, which has no order"),
    (frozenset(["ab"]), "a frozenset, which has no order"),
    ({"ab": 1}, "a dict, which has no order"),
    (OrderedDict(a="ab"), "a OrderedDict, which has no order"),
    ({"ab": 1}.keys(), "a dict_keys, which has no order"),
    (np.array("ab"), "a ndarray of 0 dimensions"),
    (np.array([[["ab"]]]), "a ndarray of 3 dimensions"),
]


@pytest.mark.parametrize(
    ("value", "what"),
    CONTAINERS,
    ids=[f"{type(row[0]).__name__} {i}" for i, row in enumerate(CONTAINERS)],
)
def test_not_a_list(function, value, what):
    with refused(TypeError, f"hypotheses is {what}; {ONE_SIDE}"):
        function(value, REFERENCES)
    with refused(TypeError, f"references is {what}; {OR_LISTS}"):
        function(HYPOTHESES, value)


@pytest.mark.parametrize("value", [None, 5, 2.5, float("nan"), object, object()])
def test_not_iterable(function, value):
    found = type(value).__name__
    with refused(TypeError, f"hypotheses is {found}; {ONE_SIDE}"):
        function(value, REFERENCES)
    with refused(TypeError, f"references is {found}; {OR_LISTS}"):
        function(HYPOTHESES, value)


def test_both_sides_are_strings(function):
    with refused(TypeError, f"hypotheses is a single str; {ONE_SIDE}"):
        function("hi there", "hi there")


def test_hypotheses_in_two_dimensions(function):
    with refused(TypeError, f"hypotheses is a ndarray of 2 dimensions; {ONE_SIDE}"):
        function(np.array([HYPOTHESES]), REFERENCES)


def test_data_frames(function):
    pandas = pytest.importorskip("pandas", reason="pandas is not needed by the package")
    frame = pandas.DataFrame({"text": HYPOTHESES, "id": [1, 2]})
    found = (
        "is a table of 2 columns (text, id); choose one by its name, as in table['name'] or "
        "relation.select('name')"
    )
    with refused(TypeError, f"hypotheses {found}"):
        function(frame, REFERENCES)
    with refused(TypeError, f"references {found}"):
        function(HYPOTHESES, frame)
    with refused(TypeError, f"hypotheses is a DataFrame without columns; {ONE_SIDE}"):
        function(pandas.DataFrame(), REFERENCES)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_table_of_one_column_is_its_column(function, library):
    module = pytest.importorskip(library, reason=f"{library} is not needed by the package")
    make = module.table if library == "pyarrow" else module.DataFrame
    sides = make({"text": HYPOTHESES}), make({"text": REFERENCES})
    expected = function(HYPOTHESES, REFERENCES)
    for hypotheses, references in (sides, (sides[0], REFERENCES), (HYPOTHESES, sides[1])):
        assert np.array_equal(function(hypotheses, references), expected)


def test_errors_inside_an_iterable_are_not_swallowed(function):
    def broken():
        yield "ab"
        raise TypeError("the file is closed")

    for sides in ((broken(), REFERENCES), (HYPOTHESES, broken())):
        with refused(TypeError, "the file is closed"):
            function(*sides)


# --- something else where a string was meant -----------------------------------------------------

FOR_NONE = "; give '' for an empty hypothesis, or leave the segment out on both sides"
FOR_WORDS = "; of words, join them: ' '.join(words)"
FOR_NO_REFERENCE = "; each segment needs a reference: leave this one out on both sides"
STRANGERS = [None, float("nan"), b"ab", 5, 2.5, bytearray(b"ab"), object(), True]


@pytest.mark.parametrize("keywords", [{}, {"lowercase": True}], ids=["mixed", "lowercase"])
@pytest.mark.parametrize("stranger", STRANGERS, ids=lambda value: type(value).__name__)
def test_not_a_string(function, stranger, keywords):
    found = "missing (NaN)" if stranger != stranger else type(stranger).__name__  # noqa: PLR0124
    left, right = (FOR_NONE, FOR_NO_REFERENCE) if stranger is None else ("", "")
    texts = ["a"] * 5
    with refused(TypeError, f"hypotheses[5] is {found}, not a string{left}"):
        function([*texts, stranger], [*texts, "a"], **keywords)
    with refused(TypeError, f"references[5] is {found}, not a string{right}"):
        function([*texts, "a"], [*texts, stranger], **keywords)
    nested = [["a", "b"]] * 5
    with refused(TypeError, f"hypotheses[5] is {found}, not a string{left}"):
        function([*texts, stranger], [*nested, ["a"]], **keywords)
    if stranger is None:  # no reference
        return
    with refused(TypeError, f"references[5][2] is {found}, not a string"):
        function([*texts, "a"], [*nested, ["a", "b", stranger]], **keywords)


def test_the_position_holds_past_the_first_block(function):
    """Positions are those of the caller's lists, whatever is counted in one call of the kernel."""
    texts = ["a"] * 4100
    for threads in (1, 4):
        with refused(TypeError, f"hypotheses[4100] is NoneType, not a string{FOR_NONE}"):
            function([*texts, None], [*texts, "a"], threads=threads)
        with refused(TypeError, "references[4100] is missing (NaN), not a string"):
            function([*texts, "a"], [*texts, float("nan")], threads=threads)
        with refused(TypeError, "hypotheses[4100] is float, not a string"):
            function([*texts, 0.5], ["a", 1, *texts[:-1]], threads=threads)
        with refused(TypeError, "hypotheses[4100] is int, not a string"):
            function([*texts, 0], [["a"]] * 4101, threads=threads)
        with refused(TypeError, "hypotheses[4100] is int, not a string"):
            function([*texts, 0], [*texts, "a"], threads=threads, lowercase=True)


def test_missing_values_of_pandas(function):
    pandas = pytest.importorskip("pandas", minversion="3", reason="its strings are NaN, not None")
    rows = ((object, "NoneType"), ("str", "missing (NaN)"), ("string", "missing (pandas.NA)"))
    for dtype, found in rows:
        column = pandas.Series(["a", None], dtype=dtype)
        left, right = (FOR_NONE, FOR_NO_REFERENCE) if dtype is object else ("", "")
        with refused(TypeError, f"hypotheses[1] is {found}, not a string{left}"):
            function(column, ["a", "a"])
        with refused(TypeError, f"references[1] is {found}, not a string{right}"):
            function(["a", "a"], column)
    with refused(TypeError, "references[1][1] is missing (pandas.NA), not a string"):
        function(["a", "a"], [["a"], ["a", pandas.NA]])


def test_a_list_of_hypotheses_in_the_list(function):
    with refused(TypeError, f"hypotheses[1] is list, not a string{FOR_WORDS}"):
        function(["a", ["b"]], ["a", "b"])


def test_numbers_in_an_array(function):
    with pytest.raises(TypeError, match=r"^hypotheses\[0\] is int64, not a string$"):
        function(np.array([1, 2]), REFERENCES)


# --- lists of references -------------------------------------------------------------------------


@pytest.mark.parametrize("references", [["a", ["b"]], [["a"], "b"]])
def test_strings_and_lists_mixed(function, references):
    position = 0 if isinstance(references[0], str) else 1
    with refused(
        TypeError,
        f"references[{position}] is a string, but others are lists; give one string per "
        "hypothesis, or one list of strings per hypothesis",
    ):
        function(["a", "b"], references)


def test_an_empty_list_of_references(function):
    message = "is empty; a segment needs at least one reference"
    with refused(ValueError, f"references[1] {message}"):
        function(["a", "b"], [["a"], []])
    with refused(ValueError, f"references[0] {message}"):
        function(["a"], [[]])


@pytest.mark.parametrize("none", [list, tuple, np.array, iter], ids=lambda make: make.__name__)
def test_none_in_a_list_is_no_reference(function, none):
    given = [none(["x", None]), none([None, "abcx", None])]
    assert np.array_equal(function(HYPOTHESES, given), function(HYPOTHESES, [["x"], ["abcx"]]))


def test_none_does_not_count_as_a_reference(engine):
    score = engine.corpus_score(HYPOTHESES, [["ab", None], ["abcx", None]])
    assert score == engine.corpus_score(HYPOTHESES, REFERENCES)
    assert engine.corpus_score(HYPOTHESES, [["ab", None], ["abcx", ""]]).reference_count is None


def test_a_segment_without_a_reference(function):
    message = "every item is None; a segment needs at least one reference"
    with refused(ValueError, f"references[1] has no reference: {message}"):
        function(["a", "b"], [["a"], [None, None]])
    with refused(ValueError, "references[1] is None; a segment needs at least one reference"):
        function(["a", "b"], [["a"], None])
    with refused(TypeError, "references[0][2] is int, not a string"):
        function(["a"], [["a", None, 3]])


@pytest.mark.parametrize(
    ("group", "what"),
    [
        ({"a", "b"}, "a set, which has no order; give a list of strings"),
        ({"a": "b"}, "a dict, which has no order; give a list of strings"),
        (b"ab", "a single bytes; give a list of strings"),
        (float("nan"), "float; give a list of strings"),
        (5, "int; give a list of strings"),
    ],
)
def test_not_a_list_of_references(function, group, what):
    with refused(TypeError, f"references[1] is {what}"):
        function(["a", "b"], [["a"], group])


def test_references_nested_too_deep(function):
    with refused(TypeError, f"references[0][0] is list, not a string{FOR_WORDS}"):
        function(["a"], [[["a"]]])


# --- lengths -------------------------------------------------------------------------------------


def unequal(hypotheses, references):
    return (
        f"hypotheses has {hypotheses} item{'' if hypotheses == 1 else 's'} but references has "
        f"{references}; "
        "each hypothesis needs its own"
    )


@pytest.mark.parametrize(("hypotheses", "references"), [(2, 1), (1, 2), (0, 1), (1, 0), (5, 3)])
def test_unequal_lengths(function, hypotheses, references):
    with refused(ValueError, unequal(hypotheses, references)):
        function(["a"] * hypotheses, ["a"] * references)
    with refused(ValueError, unequal(hypotheses, references)):
        function(iter(["a"] * hypotheses), iter(["a"] * references))


def transposed(sets, strings):
    return (
        f". The references look transposed: one set of {strings} strings after another, {sets} in "
        "all. Give one list per hypothesis: list(zip(*references))"
    )


@pytest.mark.parametrize("kind", [list, tuple, np.array], ids=["list", "tuple", "array"])
def test_transposed_references(function, kind):
    hypotheses, references = ["a", "b", "c"], [["a", "b", "c"], ["x", "y", "z"]]
    with refused(ValueError, unequal(3, 2) + transposed(2, 3)):
        function(hypotheses, [kind(stream) for stream in references])
    with refused(ValueError, unequal(3, 1) + transposed(1, 3)):
        function(hypotheses, [kind(references[0])])
    # As the message says.
    function(hypotheses, list(zip(*references, strict=True)))


def test_unequal_lists_of_references_are_not_called_transposed(function):
    with refused(ValueError, unequal(3, 2)):
        function(["a", "b", "c"], [["a"], ["b", "c"]])
    with refused(ValueError, unequal(3, 2)):
        function(["a", "b", "c"], [np.array("a"), iter(["b", "c", "d"])])


@pytest.mark.parametrize("empty", [[], (), iter([]), np.array([], dtype=str)])
def test_no_segments(function, empty):
    with refused(ValueError, "there are no segments: hypotheses and references are empty"):
        function(empty, [])


# --- threads -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("threads", "error", "shown"),
    [
        (0, ValueError, "0"),
        (-1, ValueError, "-1"),
        (True, TypeError, "True"),
        (2.0, TypeError, "2.0"),
        ("2", TypeError, "'2'"),
        (np.array([2]), TypeError, "array([2])"),
        (None, TypeError, "None"),
    ],
)
def test_threads_refused(function, threads, error, shown):
    with refused(error, f"threads is {shown}; it must be an integer of at least 1"):
        function(["a"], ["a"], threads=threads)


def test_threads_taken(function):
    expected = function(HYPOTHESES, REFERENCES)
    for threads in (1, np.int64(2), 100, 10**30):
        assert np.array_equal(function(HYPOTHESES, REFERENCES, threads=threads), expected)


# --- results -------------------------------------------------------------------------------------


def test_shapes_and_types(engine):
    counts = engine.counts(HYPOTHESES, REFERENCES, word_order=2)
    assert (counts.shape, counts.dtype) == ((2, 8, 3), np.int64)
    scores = engine.segment_scores(HYPOTHESES, REFERENCES, word_order=2)
    assert (scores.shape, scores.dtype) == ((2,), np.float64)


def test_counts_add_up_to_the_corpus(engine):
    hypotheses = ["hello there", "noise noise noise", "abc", ""]
    references = ["hello there", "", "abcd", "x"]
    for rule in ("all", "sacrebleu"):
        rows = engine.counts(hypotheses, references, word_order=2, rule=rule)
        score = engine.corpus_score(hypotheses, references, word_order=2, rule=rule)
        assert rows.sum(axis=0).tolist() == [list(row) for row in score.counts]


def test_the_two_rules(engine):
    texts = ["hello there", "noise noise noise"], ["hello there", ""]
    assert engine.corpus_score(*texts).fraction == Fraction(144760250, 1938127)
    assert engine.corpus_score(*texts, rule="sacrebleu").fraction == 100
    for rule in ("all", "sacrebleu"):
        assert engine.segment_scores(*texts, rule=rule).tolist() == [100.0, 0.0]


def test_segment_scores_are_the_corpus_scores_of_one_segment(engine):
    hypotheses, references = ["the cat", "a dog", "ü", ""], ["the cat sat", "a dog", "u", "x"]
    for keywords in ({}, {"word_order": 2, "beta": 3}, {"averaging": "per_order_f"}):
        scores = engine.segment_scores(hypotheses, references, **keywords)
        assert scores.tolist() == [
            float(engine.corpus_score([h], [r], **keywords))
            for h, r in zip(hypotheses, references, strict=True)
        ]
