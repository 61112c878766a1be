"""`Accumulator`: pickles, copies, state dictionaries and vectors, and sums past 2^63."""

import copy
import json
import pickle
import re
from fractions import Fraction

import numpy as np
import pytest

from chrf.core import record
from chrf.core.accumulator import Accumulator

HYPOTHESES = ["the cat", "a dog ran home", "it rained"]
REFERENCES = ["the cat sat", "a dog ran home", "it rains today"]
WHOLE = Fraction(196996819423925, 2987290743138)
SEVERAL = [["the cat sat", "the cat"], ["a dog"], ["it rains", "it rained", "it rained"]]


def filled(hypotheses=HYPOTHESES, references=REFERENCES, ids=None, **keywords):
    result = Accumulator(**keywords)
    result.update(hypotheses, references, ids)
    return result


def refused(error, message):
    return pytest.raises(error, match=re.escape(message))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("ids", [None, [0, "one", 2]])
def test_a_pickle_counts_on_by_itself(protocol, ids):
    original = filled(HYPOTHESES, SEVERAL, ids, beta=Fraction(3, 2), lowercase=True, threads=2)
    again = pickle.loads(pickle.dumps(original, protocol))
    assert again == original
    assert again.compute() == original.compute()
    original.reset()
    assert again.segment_count == 3
    if ids:
        with refused(ValueError, "ids[0] is 'one', which was counted before"):
            again.update(["a"], ["a"], ["one"])


@pytest.mark.parametrize("ids", [None, [0, 1, 2]])
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_share_nothing(copied, ids):
    original = filled(ids=ids)
    again = copied(original)
    assert again == original
    again.update(["a"], ["b"], ids and [3])
    assert again.segment_count == 4
    assert original == filled(ids=ids)


def enormous(factor, **keywords):
    """An accumulator of the three rows, each counted so many times."""
    state = filled(**keywords).state_dict()
    state["counts"] = [[value * factor for value in row] for row in state["counts"]]
    for key in ("segment_count", "reference_total", "reference_squares"):
        state[key] *= factor
    result = Accumulator(**keywords)
    result.load_state_dict(state)
    return result


def test_sums_past_2_63_are_exact():
    accumulator = enormous(2**61)
    assert accumulator.compute().fraction == WHOLE
    accumulator.update(["the cat"], ["the cat sat"])
    total = accumulator + enormous(2**61)
    assert total.segment_count == 6 * 2**61 + 1
    counts = [
        [a * 2**62 + b for a, b in zip(whole, first, strict=True)]
        for whole, first in zip(
            filled().counts.tolist(),
            filled(["the cat"], ["the cat sat"]).counts.tolist(),
            strict=True,
        )
    ]
    assert [list(row) for row in total.compute().counts] == counts
    assert Accumulator.__add__(total, Accumulator()) == pickle.loads(pickle.dumps(total))


def test_what_int64_cannot_hold_is_an_overflow_error():
    accumulator = enormous(2**61)
    before = accumulator.state_dict()
    for export in (lambda: accumulator.counts, accumulator.state_vector):
        with refused(OverflowError, "int64 holds at most 9223372036854775807"):
            export()
    assert accumulator.state_dict() == before
    assert accumulator.compute().fraction == WHOLE


def test_a_sum_of_vectors_is_exact_past_2_63():
    vectors = [enormous(2**57).state_vector() for _ in range(128)]
    reduced = Accumulator()
    reduced.load_state_vector(np.add.reduce(vectors))
    assert reduced == enormous(2**64)
    assert reduced.compute().fraction == WHOLE
    largest = enormous((2**63 - 1) // max(max(row) for row in filled().counts.tolist()))
    assert largest.counts.max() <= 2**63 - 1
    reduced.load_state_vector(sum([largest.state_vector()] * 1000))
    assert reduced.compute().fraction == WHOLE
    assert reduced.segment_count == 1000 * largest.segment_count


def test_state_dict_is_plain_and_complete():
    state = filled(
        HYPOTHESES, SEVERAL, [5, "six", 7], beta=Fraction(1, 3), char_order=2
    ).state_dict()
    assert json.loads(json.dumps(state)) == state
    assert state["options"] == {
        "beta": "1/3",
        "char_order": 2,
        "word_order": 0,
        "lowercase": False,
        "whitespace": False,
        "averaging": "precision_recall",
        "rule": "all",
    }
    assert state["segment_count"] == 3
    assert state["reference_total"] == 6
    assert state["reference_squares"] == 14
    assert [row[0] for row in state["rows"]] == [5, "six", 7]


def changed(state, *path_and_value):
    """A copy of the state with another value at a path; `del` removes it."""
    *path, last, value = path_and_value
    state = copy.deepcopy(state)
    place = state
    for key in path:
        place = place[key]
    if value is del_:
        del place[last]
    else:
        place[last] = value
    return state


del_ = object()

WRONG = [
    (("counts", del_), ValueError, "'counts' is missing from the state"),
    (("extra", 1), ValueError, "'extra' does not belong to the state"),
    (("layout", 2), ValueError, "layout is 2; this version reads 1"),
    (("options", "beta", del_), ValueError, "'beta' is missing from options"),
    (("options", "order", 1), ValueError, "'order' does not belong to options"),
    (("options", "beta", 2.0), TypeError, "beta is 2.0"),
    (("options", "beta", "2/0"), TypeError, "beta is '2/0'"),
    (("options", []), TypeError, "options is list, not a dictionary"),
    (("unicode", "1.1"), ValueError, "the lower case is of Unicode '1.1'"),
    (("counts", 0, 0, -1), ValueError, "should be 3 integers of at least 0"),
    (("counts", 0, 0, 1.0), ValueError, "should be 3 integers"),
    (("counts", 0, 0, True), ValueError, "should be 3 integers"),
    (("counts", 0, [1, 1]), ValueError, "should be 3 integers"),
    (("counts", 0, 2, 10**6), ValueError, "orders[0] has more matches than n-grams"),
    (("counts", 0, del_), ValueError, "there are 5 orders, not 6"),
    (("counts", {}), TypeError, "counts is dict, not a list"),
    (("segment_count", 0), ValueError, "there are counts, but no segments"),
    (("segment_count", 4), ValueError, "4 segments cannot have 3 references"),
    (("segment_count", "3"), ValueError, "segment_count: ['3'] should be 1 integers"),
    (("tied_segments", 1), ValueError, "tied_segments is 1"),
    (("reference_total", 2), ValueError, "cannot have 2 references"),
    (("reference_squares", 2), ValueError, "squares 2"),
    (("dropped_count", 1), ValueError, "dropped_count is 1, but there are no rows with ids"),
]
WRONG_ROWS = [
    (("rows", 0, del_), ValueError, "the rows do not add up to the counts"),
    (("rows", 0, 0, 1), ValueError, "row 1 is there twice"),
    (("rows", 0, 0, 1.5), TypeError, "ids[0] is 1.5"),
    (("rows", 0, 1, 10**6), ValueError, "the rows do not add up to the counts"),
    (("rows", 0, 1, 2**40), ValueError, "more n-grams than a row can have"),
    (("rows", 0, 3, 10**6), ValueError, "orders[0] has more matches than n-grams"),
    (("rows", 0, [0]), ValueError, "row 0: [] should be 20 integers"),
    (("rows", 0, []), TypeError, "rows[0] is []"),
    (("rows", 0, 5), TypeError, "rows[0] is 5"),
    (("rows", None), TypeError, "rows is NoneType, not a list"),
    (("dropped_count", -1), ValueError, "dropped_count: [-1] should be 1 integers"),
]


@pytest.mark.parametrize(
    ("ids", "change", "error", "message"),
    [(None, *wrong) for wrong in WRONG] + [([0, 1, 2], *wrong) for wrong in WRONG_ROWS],
)
def test_a_wrong_state_is_refused(ids, change, error, message):
    state = filled(ids=ids).state_dict()
    accumulator = filled(["x"], ["y"], ids and ["x"])
    with refused(error, message):
        accumulator.load_state_dict(changed(state, *change))
    assert accumulator == filled(["x"], ["y"], ids and ["x"])
    accumulator.load_state_dict(state)
    assert accumulator == filled(ids=ids)


@pytest.mark.parametrize(("squares", "possible"), [(7, False), (9, True)])
def test_numbers_of_references_are_possible(squares, possible):
    """5 references for 3 segments are 1 + 2 + 2, with squares 9, or 1 + 1 + 3, with more."""
    state = filled().state_dict() | {"reference_total": 5, "reference_squares": squares}
    accumulator = Accumulator()
    if possible:
        accumulator.load_state_dict(state)
        assert accumulator.compute().reference_count is None
    else:
        with refused(ValueError, "3 segments cannot have 5 references, squares 7"):
            accumulator.load_state_dict(state)


def test_an_empty_state_is_a_state():
    for load, values in (
        ("load_state_dict", Accumulator().state_dict()),
        ("load_state_vector", Accumulator().state_vector()),
        ("load_state_vector", np.zeros(48, dtype=np.int64)),
    ):
        accumulator = filled()
        getattr(accumulator, load)(values)
        assert accumulator == Accumulator()


@pytest.mark.parametrize("value", [None, [], "state", 1])
def test_a_state_is_a_dictionary(value):
    with pytest.raises(TypeError, match="the state is"):
        Accumulator().load_state_dict(value)


def test_texts_lower_cased_by_another_unicode_do_not_mix(monkeypatch):
    accumulator = filled(lowercase=True)
    state, pickled = accumulator.state_dict(), pickle.dumps(accumulator)
    mixed = filled()
    plain = mixed.state_dict(), pickle.dumps(mixed)
    monkeypatch.setattr(record.unicodedata, "unidata_version", "99.0.0")
    with refused(ValueError, f"Unicode {state['unicode']!r}; here it is of '99.0.0'"):
        accumulator.load_state_dict(state)
    with refused(ValueError, f"Unicode {state['unicode']!r}; here it is of '99.0.0'"):
        pickle.loads(pickled)
    mixed.load_state_dict(plain[0])
    assert pickle.loads(plain[1]) == mixed


def test_state_vector_is_int64_of_a_fixed_length():
    for accumulator in (Accumulator(), filled(), enormous(2**40)):
        vector = accumulator.state_vector()
        assert vector.dtype == np.int64
        assert vector.shape == (48,)


def edited(i, value):
    def edit(vector):
        vector[i] = value
        return vector

    return edit


@pytest.mark.parametrize(
    ("edit", "error", "message"),
    [
        (lambda v: v.astype(np.float64), TypeError, "the vector is of float64"),
        (lambda v: v.astype(np.float32), TypeError, "the vector is of float32"),
        (lambda v: v > 0, TypeError, "the vector is of bool"),
        (lambda v: v[:-1], ValueError, "shape (47,); it must be (48,)"),
        (lambda v: v[None], ValueError, "shape (1, 48)"),
        (lambda v: -v, ValueError, "no sum of state vectors"),
        (lambda v: v // 2, ValueError, "no sum of state vectors"),
        (lambda v: v * (2**31 + 1), ValueError, "no sum of state vectors"),
        (edited(0, 0), ValueError, "no sum of state vectors"),
        (edited(0, 2), ValueError, "no sum of state vectors"),
        (edited(1, 0), ValueError, "no sum of state vectors"),
        (edited(4, 10**9), ValueError, "more matches than n-grams"),
        (edited(20, 0), ValueError, "there are counts, but no segments"),
        (edited(22, 1), ValueError, "cannot have 1 references"),
    ],
)
def test_a_wrong_vector_is_refused(edit, error, message):
    accumulator = filled(["x"], ["y"])
    with refused(error, message):
        accumulator.load_state_vector(edit(filled().state_vector()))
    assert accumulator == filled(["x"], ["y"])


def test_a_vector_of_any_integers_is_read():
    vector = filled().state_vector()
    for form in (vector.tolist(), vector.astype(np.uint64), vector.astype(">i8")):
        accumulator = Accumulator()
        accumulator.load_state_vector(form)
        assert accumulator == filled()
