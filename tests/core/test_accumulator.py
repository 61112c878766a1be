"""`Accumulator`: the same fraction however rows are divided, merged, stored, sent and shared."""

import copy
import doctest
import functools
import json
import multiprocessing
import os
import pickle
import re
import signal
import sys
import sysconfig
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import permutations
from operator import methodcaller
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chrf
from chrf.core import accumulator as accumulator_module
from chrf.core import record, state
from chrf.core.accumulator import Accumulator
from chrf.core.scorer import Scorer

ROOT = Path(__file__).parents[2]

# Entry 8 of the field reports, and its fraction under both rules.
HYPOTHESES = ["the cat", "a dog ran home", "it rained"]
REFERENCES = ["the cat sat", "a dog ran home", "it rains today"]
WHOLE = Fraction(196996819423925, 2987290743138)
SEVERAL = [["the cat sat", "the cat"], ["a dog"], ["it rains", "it rained", "it rained"]]

RULES = ("all", "sacrebleu")
DIFFERENT = {
    "beta": (3, "beta (2 and 3)"),
    "char_order": (5, "char_order (6 and 5)"),
    "word_order": (2, "word_order (0 and 2)"),
    "lowercase": (True, "lowercase (False and True)"),
    "whitespace": (True, "whitespace (False and True)"),
    "averaging": ("per_order_f", "averaging (precision_recall and per_order_f)"),
    "rule": ("sacrebleu", "rule (all and sacrebleu)"),
}


def filled(hypotheses=HYPOTHESES, references=REFERENCES, ids=None, **keywords):
    result = Accumulator(**keywords)
    result.update(hypotheses, references, ids)
    return result


def refused(error, message):
    return pytest.raises(error, match=re.escape(message))


# --- field reports ---------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_entry_71_shards_are_merged_not_averaged(rule):
    shards = [filled(HYPOTHESES[:2], REFERENCES[:2], rule=rule)]
    shards.append(filled(HYPOTHESES[2:], REFERENCES[2:], rule=rule))
    for order in permutations(shards):
        for parts in (order, [pickle.loads(pickle.dumps(shard)) for shard in order]):
            merged = Accumulator(rule=rule)
            for part in parts:
                merged.merge(part)
            assert merged == sum(parts) == parts[0] + parts[1]
            assert merged.compute().fraction == WHOLE
            assert str(merged.compute()) == "65.944977"
            assert merged.compute() == chrf.corpus_score(HYPOTHESES, REFERENCES, rule=rule)
    mean = sum(shard.compute().fraction for shard in shards) / 2
    assert format(float(mean), ".6f") == "60.829738"


def test_entry_72_padding_duplicates():
    padded = filled([*HYPOTHESES, HYPOTHESES[0]], [*REFERENCES, REFERENCES[0]])
    assert padded.segment_count == 4
    score = padded.compute()
    assert score.fraction == Fraction(1641905740197255850, 25681414895619351)
    assert str(score) == "63.933617"

    ids = [0, 1, 2, 0]
    texts = [HYPOTHESES[i] for i in ids], [REFERENCES[i] for i in ids]
    with refused(ValueError, "ids[3] is 0, which was counted before"):
        filled(*texts, ids)
    dropping = filled(*texts, ids, on_repeat="drop")
    assert dropping.compute().fraction == WHOLE
    assert (dropping.segment_count, dropping.dropped_count) == (3, 1)


@pytest.mark.parametrize("world", range(1, 9))
def test_entry_72_the_score_does_not_depend_on_the_number_of_processes(world):
    rows = list(range(7))
    hypotheses = [f"{HYPOTHESES[i % 3]} {'x' * i}" for i in rows]
    references = [f"{REFERENCES[i % 3]} {'y' * (i % 4)}x" for i in rows]
    total = -(-len(rows) // world) * world
    padded = (rows + rows)[:total]  # as torch's DistributedSampler pads
    shards = []
    for rank in range(world):
        mine = padded[rank:total:world]
        shard = Accumulator(on_repeat="drop")
        for i in mine:
            shard.update([hypotheses[i]], [references[i]], [i])
        shards.append(pickle.loads(pickle.dumps(shard)))
    for merged in (sum(shards), sum(reversed(shards))):
        assert merged.compute() == chrf.corpus_score(hypotheses, references)
        assert merged.segment_count == 7
        assert merged.dropped_count == total - 7


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("ids", [None, [0, "one", 2]])
def test_entry_73_pickle(protocol, ids):
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
def test_entry_73_copies_share_nothing(copied, ids):
    original = filled(ids=ids)
    again = copied(original)
    assert again == original
    again.update(["a"], ["b"], ids and [3])
    assert again.segment_count == 4
    assert original == filled(ids=ids)


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_entry_73_worker_processes(method):
    shards = [filled(HYPOTHESES[:2], REFERENCES[:2]), filled(HYPOTHESES[2:], REFERENCES[2:])]
    with multiprocessing.get_context(method).Pool(2) as pool:
        scores = pool.map(methodcaller("compute"), shards)
        (merged,) = pool.map(sum, [shards])
    assert scores == [shard.compute() for shard in shards]
    assert merged.compute().fraction == WHOLE


def resident():
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
@pytest.mark.skipif(os.environ.get("CHRF_SANITIZE") == "1", reason="sanitizers keep freed memory")
@pytest.mark.parametrize("call", ["corpus_score", "update"])
def test_entry_74_memory_is_flat_over_200_000_calls(call):
    function = {"corpus_score": chrf.corpus_score, "update": Accumulator().update}[call]
    filler = "the quick brown fox jumps over the lazy dog " * 2
    before = 0
    for i in range(200_000):
        if i == 20_000:
            before = resident()
        function([f"{filler}{i}"], [f"{i} {filler}"])
    assert resident() - before < 2_000_000


@pytest.fixture
def hasty_threads():
    """Threads that give way to each other as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("hasty_threads")
def test_entry_76_threads_sharing_one_accumulator():
    batches = [([f"{HYPOTHESES[i % 3]} {i}"], [f"{REFERENCES[i % 3]} {i}"]) for i in range(800)]
    for ids in (False, True):
        shared = Accumulator()
        start = threading.Barrier(8)

        def work(k, shared=shared, ids=ids, start=start):
            start.wait()
            for i in range(k, 800, 8):
                shared.update(*batches[i], [i] if ids else None)
                assert shared.compute().segment_count <= 800

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        assert shared.compute() == chrf.corpus_score(
            [h for (h,), _ in batches], [r for _, (r,) in batches]
        )


def test_entry_78_a_blank_epoch_scores_zero():
    accumulator = filled(["", " "], ["the cat", "a dog"])
    assert float(accumulator.compute()) == 0.0
    accumulator.reset()
    accumulator.update(HYPOTHESES[:2], REFERENCES[:2])
    assert float(accumulator.compute()) > 0.0


# --- any division of any rows ----------------------------------------------------------------

texts = st.text(st.sampled_from("ab .\U0001f44dÉ"), max_size=8)
rows = st.tuples(texts, st.lists(texts, min_size=1, max_size=3))
options = st.fixed_dictionaries(
    {},
    optional={
        "beta": st.sampled_from([1, 3, Fraction(1, 2)]),
        "char_order": st.integers(1, 7),
        "word_order": st.integers(0, 2),
        "lowercase": st.booleans(),
        "whitespace": st.booleans(),
        "averaging": st.sampled_from(["precision_recall", "per_order_f"]),
        "rule": st.sampled_from(RULES),
    },
)


@given(st.lists(rows, min_size=1, max_size=12), options, st.data())
def test_any_division_gives_the_score_of_one_call(rows, options, data):
    if data.draw(st.booleans(), label="one reference each"):
        rows = [(hypothesis, references[0]) for hypothesis, references in rows]
    with_ids = data.draw(st.booleans(), label="ids")
    places = data.draw(
        st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)), label="shards"
    )
    shards = []
    for shard in data.draw(st.permutations(range(4))):
        part = Accumulator(threads=2, **options)
        mine = [i for i, place in enumerate(places) if place == shard]
        part.update(
            [rows[i][0] for i in mine], [rows[i][1] for i in mine], mine if with_ids else None
        )
        shards.append(part)
    whole = sum(shards)
    hypotheses, references = zip(*rows, strict=True)
    expected = chrf.corpus_score(hypotheses, references, **options)
    assert whole.compute() == expected
    assert whole.compute().fraction == expected.fraction
    assert whole.counts.tolist() == chrf.counts(hypotheses, references, **options).sum(0).tolist()
    assert sum(shard.counts for shard in shards).tolist() == whole.counts.tolist()
    stored = Accumulator(**options)
    stored.load_state_dict(json.loads(json.dumps(whole.state_dict())))
    assert stored == whole
    if not with_ids:
        reduced = Accumulator(**options)
        reduced.load_state_vector(sum(shard.state_vector() for shard in shards))
        assert reduced == whole


@pytest.mark.parametrize(
    ("references", "count"),
    [
        ([["a"], ["b"]], 1),
        ([["a", "b"], ["b", "c"]], 2),
        ([["a", "b"], ["b"]], None),
        ([["a"], ["b", "c", "d"]], None),  # two in the mean
    ],
)
def test_reference_count_of_a_sum(references, count):
    parts = [filled([text], [group]) for text, group in zip("ab", references, strict=True)]
    assert sum(parts).compute().reference_count == count
    assert sum(parts).compute() == chrf.corpus_score(["a", "b"], references)
    assert (sum(parts) + Accumulator()).compute().reference_count == count


def test_tied_segments_are_summed():
    for ids in (None, [4, 5, 6]):
        parts = filled(HYPOTHESES, SEVERAL, ids) + filled(["x"], [["x", "x"]], ids and [7])
        assert parts.compute().tied_segments == 2
        assert parts.compute() == chrf.corpus_score([*HYPOTHESES, "x"], [*SEVERAL, ["x", "x"]])


# --- update, compute, reset ------------------------------------------------------------------

BAD = {
    "None last": (["a", None], ["a", "b"], TypeError, "hypotheses[1] is NoneType, not a string"),
    "NaN": (["a", "b"], ["a", float("nan")], TypeError, "references[1] is float, not a string"),
    "bytes": ([b"a", "b"], ["a", "b"], TypeError, "hypotheses[0] is bytes, not a string"),
    "shorter": (["a"], ["a", "b"], ValueError, "hypotheses has 1 items but references has 2"),
    "no hypotheses": ([], ["a"], ValueError, "hypotheses has 0 items but references has 1"),
    "a string": ("ab", ["a", "b"], TypeError, "hypotheses is a single str"),
    "transposed": (list("abc"), [list("abc"), list("abc")], ValueError, "look transposed"),
    "no references": (["a", "b"], [["a"], []], ValueError, "references[1] is empty"),
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("ids", [False, True])
def test_a_bad_batch_leaves_everything_as_it_was(kind, ids):
    hypotheses, references, error, message = BAD[kind]
    for keywords in ({}, {"lowercase": True}, {"threads": 2}):
        accumulator = filled(ids=[10, 11, 12] if ids else None, **keywords)
        before = accumulator.state_dict()
        with refused(error, message):
            accumulator.update(hypotheses, references, range(len(hypotheses)) if ids else None)
        assert accumulator.state_dict() == before


@pytest.mark.parametrize("empty", [list, tuple, lambda: iter(()), lambda: np.array([])])
def test_an_empty_batch_adds_nothing(empty):
    accumulator = filled()
    accumulator.update(empty(), empty())
    assert accumulator == filled()
    with refused(ValueError, "ids has 1 items but hypotheses has 0"):
        accumulator.update(empty(), empty(), [1])


def test_of_nothing_there_is_no_score():
    accumulator = Accumulator()
    for _ in range(2):
        with refused(ValueError, "there are no segments"):
            accumulator.compute()
        accumulator.update(HYPOTHESES, REFERENCES)
        accumulator.reset()
    assert accumulator == Accumulator()
    assert accumulator.counts.tolist() == [[0, 0, 0]] * 6


def test_reset_forgets_ids():
    accumulator = filled(["a", "a"], ["a", "a"], [1, 1], on_repeat="drop")
    accumulator.reset()
    assert accumulator.dropped_count == 0
    accumulator.update(["a"], ["a"], [1])
    assert (accumulator.segment_count, accumulator.dropped_count) == (1, 0)


def test_compute_changes_nothing():
    accumulator = filled(HYPOTHESES[:2], REFERENCES[:2])
    first = accumulator.compute()
    accumulator.update(HYPOTHESES[2:], REFERENCES[2:])
    assert accumulator.compute().fraction == WHOLE
    assert first == chrf.corpus_score(HYPOTHESES[:2], REFERENCES[:2])


def test_counts_are_a_new_int64_array():
    accumulator = filled(word_order=2)
    counts = accumulator.counts
    assert counts.dtype == np.int64
    assert counts.shape == (8, 3)
    counts += 1
    assert accumulator == filled(word_order=2)


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({"order": 6}, TypeError, "unknown option 'order'"),
        ({"beta": 0}, ValueError, "beta is 0"),
        ({"threads": 0}, ValueError, "threads is 0"),
        ({"on_repeat": "warn"}, ValueError, "on_repeat is 'warn'; it must be 'refuse' or 'drop'"),
    ],
)
def test_construction_is_checked(keywords, error, message):
    with refused(error, message):
        Accumulator(**keywords)


# --- merging ---------------------------------------------------------------------------------


@pytest.mark.parametrize("option", DIFFERENT)
def test_different_options_do_not_merge(option):
    value, message = DIFFERENT[option]
    ours, theirs = filled(), filled(**{option: value})
    for merge in (ours.merge, ours.__add__, lambda other: sum([ours, other])):
        with refused(ValueError, f"the options differ: {message}"):
            merge(theirs)
    with refused(ValueError, f"the options differ: {message}"):
        ours.load_state_dict(theirs.state_dict())
    with pytest.raises(ValueError, match=r"shape|no sum of state vectors"):
        ours.load_state_vector(theirs.state_vector())
    assert ours == filled()
    assert ours != theirs


def test_all_differences_are_named():
    with refused(ValueError, "beta (2 and 1/2), word_order (0 and 1), rule (all and sacrebleu)"):
        Accumulator().merge(Accumulator(beta=Fraction(1, 2), word_order=1, rule="sacrebleu"))


def test_only_accumulators_merge():
    with refused(TypeError, "an Accumulator cannot be merged with Score"):
        Accumulator().merge(filled().compute())
    for other in (None, 1, 0.0, False, [0]):
        with pytest.raises(TypeError):
            Accumulator() + other
        with pytest.raises(TypeError):
            other + Accumulator()
        assert Accumulator() != other
    with pytest.raises(TypeError):
        hash(Accumulator())


def test_a_sum_is_new():
    one, other = filled(HYPOTHESES[:1], REFERENCES[:1]), filled(HYPOTHESES[1:], REFERENCES[1:])
    total = one + other
    assert total.compute().fraction == WHOLE
    assert sum([one]) == one
    assert sum([one]) is not one
    total.merge(total)
    assert total.segment_count == 6
    assert (one.segment_count, other.segment_count) == (1, 2)


def test_repr_says_what_was_counted():
    assert repr(filled(word_order=2)) == (
        "<Accumulator chrF2++ nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|beta:2|rule:all|"
        f"segments:3|version:chrf-{chrf.__version__}>"
    )
    assert "segments:0" in repr(Accumulator())


# --- ids -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ids",
    [[7, 8, 9], ("a", "b", "c"), range(3), np.arange(3), iter("abc"), np.array(["x", "y", "z"])],
)
def test_ids_of_many_kinds(ids):
    accumulator = filled(ids=ids)
    assert accumulator.compute().fraction == WHOLE
    assert all(type(row[0]) in (int, str) for row in accumulator.state_dict()["rows"])


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ([1, 2], ValueError, "ids has 2 items but hypotheses has 3"),
        ([1, 2, 2.0], TypeError, "ids[2] is 2.0; it must be an int or a str"),
        ([1, 2, True], TypeError, "ids[2] is True; it must be an int or a str"),
        ([1, 2, None], TypeError, "ids[2] is None"),
        ([1, 2, (3,)], TypeError, "ids[2] is (3,)"),
        ("abc", TypeError, "ids is str; give a list"),
        ({1, 2, 3}, TypeError, "ids is set; give a list"),
        ({1: 1, 2: 2, 3: 3}, TypeError, "ids is dict; give a list"),
        (3, TypeError, "ids is int; give a list"),
        ([1, 2, 1], ValueError, "ids[2] is 1, which was counted before"),
    ],
)
def test_ids_are_checked(ids, error, message):
    accumulator = Accumulator()
    with refused(error, message):
        accumulator.update(HYPOTHESES, REFERENCES, ids)
    assert accumulator == Accumulator()


def test_the_first_of_repeated_rows_counts():
    accumulator = filled(ids=[0, 1, 2], on_repeat="drop")
    accumulator.update(["x", "y", "z"], ["x", "y", "zz"], [2, 3, 3])
    assert (accumulator.segment_count, accumulator.dropped_count) == (4, 2)
    assert accumulator.compute() == chrf.corpus_score([*HYPOTHESES, "y"], [*REFERENCES, "y"])


def test_a_number_and_its_digits_are_two_ids():
    assert filled(["a", "b"], ["a", "b"], [1, "1"]).segment_count == 2


@pytest.mark.parametrize("references", [REFERENCES, SEVERAL])
def test_merging_refuses_or_drops_rows_that_both_have(references):
    one = filled(HYPOTHESES[:2], references[:2], [0, 1])
    other = filled(HYPOTHESES[1:], references[1:], [1, 2])
    with refused(ValueError, "row id 1 was counted in both accumulators"):
        one + other
    assert one == filled(HYPOTHESES[:2], references[:2], [0, 1])
    dropping = Accumulator(on_repeat="drop") + one + other
    assert dropping.compute() == chrf.corpus_score(HYPOTHESES, references)
    assert dropping.dropped_count == 1
    assert (Accumulator(on_repeat="drop") + dropping + other).dropped_count == 3
    with refused(ValueError, "was counted in both"):
        one.merge(one)


def test_rows_with_and_without_ids_do_not_mix():
    plain, marked = filled(), filled(ids=[0, 1, 2])
    for change in (lambda: plain.update(["a"], ["a"], [5]), lambda: plain.merge(marked)):
        with refused(ValueError, "these rows have ids, but those counted before have none"):
            change()
    for change in (lambda: marked.update(["a"], ["a"]), lambda: marked.merge(plain)):
        with refused(ValueError, "these rows have no ids, but those counted before have"):
            change()
    assert (plain, marked) == (filled(), filled(ids=[0, 1, 2]))
    assert sum([Accumulator(), marked, Accumulator()]) == marked
    with refused(ValueError, "the rows have ids"):
        marked.state_vector()


# --- sums past 2^63 --------------------------------------------------------------------------


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


# --- states ----------------------------------------------------------------------------------


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


# --- threads and forks -----------------------------------------------------------------------


@pytest.mark.usefixtures("hasty_threads")
def test_copies_while_others_count():
    accumulator = Accumulator(on_repeat="drop")
    stop = threading.Event()

    def count():
        i = 0
        while not stop.is_set():
            accumulator.update(["ab"], ["ac"], [i % 500])
            i += 1

    with ThreadPoolExecutor(1) as pool:
        counting = pool.submit(count)
        try:
            for _ in range(200):
                for again in (copy.deepcopy(accumulator), accumulator + Accumulator()):
                    if again.segment_count:
                        assert str(again.compute()) == str(filled(["ab"], ["ac"]).compute())
                    assert len(again.state_dict()["rows"]) == again.segment_count
        finally:
            stop.set()
        counting.result()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_while_others_count_does_not_hang():
    accumulator = Accumulator()
    stop = threading.Event()

    def count():
        while not stop.is_set():
            accumulator.merge(accumulator)
            accumulator.reset()

    threads = [threading.Thread(target=count) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(60):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of the fork, since 3.12
                child = os.fork()
            if child == 0:
                signal.alarm(20)
                accumulator.update(["a"], ["b"])
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="not free-threaded")
def test_free_threaded_builds_stay_free_threaded():
    assert not sys._is_gil_enabled()


def test_one_lock_is_held_shortly():
    """A batch is counted before the lock is taken."""
    accumulator = Accumulator()
    with accumulator_module._lock:
        thread = threading.Thread(target=accumulator.update, args=(HYPOTHESES, REFERENCES))
        thread.start()
        time.sleep(0.05)
        assert accumulator.segment_count == 0
        Scorer(REFERENCES).corpus_score(HYPOTHESES)
    thread.join()
    assert accumulator.compute().fraction == WHOLE


def test_a_signal_handler_may_come_in_between(monkeypatch):
    """One that reads sees what was there before; what one counts is not lost."""
    for ids in (None, ["a", "b"]):
        accumulator, seen = Accumulator(), []
        accumulator.update(["ab"], ["ac"], ids and ["first"])

        def handler(accumulator=accumulator, seen=seen, ids=ids):
            if not seen:
                seen.append(accumulator.state_dict())
                accumulator.update(["xyz"], ["xyy"], ids and ["handler"])

        def interrupted(*arguments, function, handler=handler):
            handler()
            return function(*arguments)

        before = accumulator.state_dict()
        with monkeypatch.context() as patch:
            for module, name in ((state, "add"), (state, "sum_rows")):
                function = getattr(module, name)
                patch.setattr(module, name, functools.partial(interrupted, function=function))
            accumulator.update(["the cat", "dog"], ["the hat", "dig"], ids)
        assert seen == [before]
        assert accumulator.segment_count == 4
        expected = chrf.corpus_score(
            ["ab", "xyz", "the cat", "dog"], ["ac", "xyy", "the hat", "dig"]
        )
        assert accumulator.compute() == expected


# --- documentation ---------------------------------------------------------------------------


def test_examples_of_the_documentation(monkeypatch):
    monkeypatch.setattr(chrf, "Accumulator", Accumulator, raising=False)
    monkeypatch.setattr(chrf, "Scorer", Scorer, raising=False)
    text = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "training.md", None, 0)
    results = doctest.DocTestRunner().run(test)
    assert results.attempted >= 10
    assert results.failed == 0
