"""`Accumulator`: the same fraction however rows are divided and merged, and repeats known by id."""

import doctest
import json
import pickle
import re
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chrf
from chrf.core.accumulator import Accumulator
from chrf.core.scorer import Scorer

ROOT = Path(__file__).parents[2]

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


@pytest.mark.parametrize("rule", RULES)
def test_shards_are_merged_not_averaged(rule):
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


def test_padding_duplicates_are_refused_or_dropped():
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
def test_the_score_does_not_depend_on_the_number_of_processes(world):
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


def test_a_blank_epoch_scores_zero():
    accumulator = filled(["", " "], ["the cat", "a dog"])
    assert float(accumulator.compute()) == 0.0
    accumulator.reset()
    accumulator.update(HYPOTHESES[:2], REFERENCES[:2])
    assert float(accumulator.compute()) > 0.0


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


BAD = {
    "None last": (["a", None], ["a", "b"], TypeError, "hypotheses[1] is NoneType, not a string"),
    "NaN": (
        ["a", "b"],
        ["a", float("nan")],
        TypeError,
        "references[1] is missing (NaN), not a string",
    ),
    "bytes": ([b"a", "b"], ["a", "b"], TypeError, "hypotheses[0] is bytes, not a string"),
    "shorter": (["a"], ["a", "b"], ValueError, "hypotheses has 1 item but references has 2"),
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
    with refused(ValueError, "ids has 1 item but hypotheses has 0"):
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


def test_examples_of_the_documentation(monkeypatch):
    monkeypatch.setattr(chrf, "Accumulator", Accumulator, raising=False)
    monkeypatch.setattr(chrf, "Scorer", Scorer, raising=False)
    text = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "training.md", None, 0)
    results = doctest.DocTestRunner().run(test)
    assert results.attempted >= 10
    assert results.failed == 0
