"""`Scorer`: references prepared once, and the same numbers as the functions give."""

import copy
import multiprocessing
import os
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chrf
from chrf.core.scorer import Scorer

METHODS = ("corpus_score", "segment_scores", "counts")
HYPOTHESES = ["the cat", "a Dog ran home", "İT rained ΣΑΣ"]
REFERENCES = ["the cat sat", "a dog ran home", "it Rains today ΣΑΣ"]
SEVERAL = [["the cat sat", "the cat"], ["A dog"], ["it rains", "it rained", "it rained"]]
KEYWORDS = [
    {},
    {"lowercase": True},
    {"word_order": 2, "rule": "sacrebleu", "beta": Fraction(1, 2)},
    {"averaging": "per_order_f", "whitespace": True, "lowercase": True, "threads": 2},
]


def same(result, expected):
    if isinstance(expected, chrf.Score):
        assert result == expected
        assert result.fraction == expected.fraction
    else:
        assert result.dtype == expected.dtype
        assert result.shape == expected.shape
        assert result.tobytes() == expected.tobytes()


@pytest.mark.parametrize("keywords", KEYWORDS)
@pytest.mark.parametrize("references", [REFERENCES, SEVERAL, [[text] for text in REFERENCES]])
@pytest.mark.parametrize("method", METHODS)
def test_same_numbers(method, references, keywords):
    scorer = Scorer(references, **keywords)
    function = getattr(chrf, method)
    for hypotheses in (HYPOTHESES, ["", "x", " "], REFERENCES):
        same(getattr(scorer, method)(hypotheses), function(hypotheses, references, **keywords))


texts = st.text(st.sampled_from("ab .ΣσİÉ\U0001f44d\ud800"), max_size=9)


@given(
    st.lists(st.tuples(texts, texts, st.lists(texts, min_size=1, max_size=3)), min_size=1),
    st.booleans(),
    st.sampled_from(KEYWORDS),
)
def test_same_numbers_for_any_text(rows, several, keywords):
    one, other, references = map(list, zip(*rows, strict=True))
    if not several:
        references = [group[0] for group in references]
    scorer = Scorer(references, **keywords)
    for hypotheses in (one, other):
        for method in METHODS:
            same(
                getattr(scorer, method)(hypotheses),
                getattr(chrf, method)(hypotheses, references, **keywords),
            )


def test_more_segments_than_a_block_and_more_threads():
    hypotheses = [f"the cat {i} sat" for i in range(9000)]
    references = [f"the cat {i % 7} sits" for i in range(9000)]
    for threads in (1, 4):
        scorer = Scorer(references, threads=threads)
        for method in METHODS:
            same(getattr(scorer, method)(hypotheses), getattr(chrf, method)(hypotheses, references))


@pytest.mark.parametrize("kind", [iter, tuple, np.array, lambda texts: (text for text in texts)])
def test_iterables_are_taken_once(kind):
    scorer = Scorer(kind(REFERENCES))
    for _ in range(2):
        same(scorer.corpus_score(kind(HYPOTHESES)), chrf.corpus_score(HYPOTHESES, REFERENCES))
    grouped = Scorer(iter(group) for group in SEVERAL)
    for _ in range(2):
        same(grouped.corpus_score(HYPOTHESES), chrf.corpus_score(HYPOTHESES, SEVERAL))


@pytest.mark.parametrize("references", [REFERENCES, SEVERAL])
def test_later_changes_of_the_lists_change_nothing(references):
    mine = copy.deepcopy(references)
    scorer = Scorer(mine, lowercase=True)
    mine[0] = ["other"] if isinstance(mine[0], list) else "other"
    mine.pop()
    same(scorer.corpus_score(HYPOTHESES), chrf.corpus_score(HYPOTHESES, references, lowercase=True))


def message_of(call):
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    return type(caught.value), str(caught.value)


BAD_HYPOTHESES = [
    ["a", "b", None],
    [b"a", "b", "c"],
    ["a", "b", float("nan")],
    ["a", "b"],
    [*"abcd"],
    [],
    "abc",
    {"a", "b", "c"},
    None,
]
BAD_REFERENCES = [
    ["a", "b", None],
    ["a", b"b", "c"],
    "abc",
    5,
    {"a", "b", "c"},
    [["a"], ["b"], []],
    [["a"], "b", ["c"]],
    [["a"], ["b"], ["c", 3]],
    [["a"], ["b"], None],
]


@pytest.mark.parametrize("hypotheses", BAD_HYPOTHESES)
@pytest.mark.parametrize("references", [REFERENCES, SEVERAL])
@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_the_same_hypotheses_are_refused(method, hypotheses, references, lowercase):
    scorer = Scorer(references, lowercase=lowercase)
    function = getattr(chrf, method)
    assert message_of(lambda: getattr(scorer, method)(hypotheses)) == message_of(
        lambda: function(hypotheses, references, lowercase=lowercase)
    )
    same(
        scorer.corpus_score(HYPOTHESES),
        Scorer(references, lowercase=lowercase).corpus_score(HYPOTHESES),
    )


@pytest.mark.parametrize("references", BAD_REFERENCES)
@pytest.mark.parametrize("lowercase", [False, True])
def test_the_same_references_are_refused_at_once(references, lowercase):
    assert message_of(lambda: Scorer(references, lowercase=lowercase)) == message_of(
        lambda: chrf.corpus_score(["a", "b", "c"], references, lowercase=lowercase)
    )


def test_transposed_references_are_named():
    transposed = [list("abcd"), list("abcd")]
    expected = message_of(lambda: chrf.corpus_score(list("abcd"), transposed))
    assert "look transposed" in expected[1]
    assert message_of(lambda: Scorer(transposed).corpus_score(list("abcd"))) == expected


def test_no_references_are_refused():
    with pytest.raises(ValueError, match="there are no segments"):
        Scorer([])


def test_options_are_checked():
    for keywords in ({"beta": True}, {"threads": 0}, {"order": 6}):
        with pytest.raises((TypeError, ValueError), match=next(iter(keywords))):
            Scorer(REFERENCES, **keywords)
    assert Scorer(REFERENCES, word_order=2).options == chrf.Options(word_order=2)


@pytest.mark.parametrize("references", [REFERENCES, SEVERAL])
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_and_copies(references, protocol):
    scorer = Scorer(references, lowercase=True, threads=2)
    expected = scorer.corpus_score(HYPOTHESES)
    for again in (
        pickle.loads(pickle.dumps(scorer, protocol)),
        copy.copy(scorer),
        copy.deepcopy(scorer),
    ):
        assert again.corpus_score(HYPOTHESES) == expected
        same(again.segment_scores(HYPOTHESES), scorer.segment_scores(HYPOTHESES))


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_worker_processes(method):
    scorer = Scorer(SEVERAL, word_order=2)
    systems = [HYPOTHESES, ["a", "b", "c"], [*reversed(HYPOTHESES)]]
    with multiprocessing.get_context(method).Pool(2) as pool:
        scores = pool.map(scorer.corpus_score, systems)
    assert scores == [chrf.corpus_score(system, SEVERAL, word_order=2) for system in systems]


@pytest.mark.parametrize("threads", [1, 2])
def test_eight_threads_share_a_scorer(threads):
    """8 threads, 8 systems, 100 rounds, one scorer: each as when it is alone."""
    references = [f"{REFERENCES[i % 3]} {i}" for i in range(100)]
    systems = [[f"{HYPOTHESES[(i + k) % 3]} {i + k}" for i in range(100)] for k in range(8)]
    scorer = Scorer(references, word_order=2, lowercase=True, threads=threads)
    serial = [chrf.corpus_score(s, references, word_order=2, lowercase=True) for s in systems]
    assert len({score.fraction for score in serial}) == 8
    start = threading.Barrier(8)

    def work(k):
        start.wait()
        return [scorer.corpus_score(systems[k]) for _ in range(100 // threads)]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(work, range(8)))
    finally:
        sys.setswitchinterval(interval)
    for scores, expected in zip(results, serial, strict=True):
        assert set(scores) == {expected}


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
@pytest.mark.skipif(os.environ.get("CHRF_SANITIZE") == "1", reason="sanitizers keep freed memory")
def test_memory_is_flat():
    def resident():
        with open("/proc/self/statm") as stream:
            return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    scorer = Scorer(["the quick brown fox jumps over the lazy dog"], lowercase=True)
    before = 0
    for i in range(100_000):
        if i == 10_000:
            before = resident()
        scorer.segment_scores([f"the quick brown fox jumps over the lazy dog {i}"])
    assert resident() - before < 2_000_000


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_columns_beside_a_column_lists_beside_it_and_copies(method, several):
    """Read in place, made into strings, or pickled: the same numbers."""
    pa = pytest.importorskip("pyarrow", reason="the columns are pyarrow's")
    references = SEVERAL if several else REFERENCES
    table = pa.table({"reference": references})  # whose reader gives its rows once
    scorer = Scorer(table.to_reader(), word_order=2)
    expected = getattr(Scorer(references, word_order=2), method)(HYPOTHESES)
    for made in (scorer, copy.copy(scorer), pickle.loads(pickle.dumps(scorer))):
        for hypotheses in (pa.array(HYPOTHESES), HYPOTHESES):
            assert np.array_equal(getattr(made, method)(hypotheses), expected)
    with pytest.raises(ValueError, match=r"^hypotheses has 2 rows but references has 3"):
        getattr(scorer, method)(pa.array(["a", "b"]))
