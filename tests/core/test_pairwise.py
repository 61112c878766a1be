"""Every pair: each cell is the score of its pair, and nothing is computed twice."""

import doctest
import gzip
import math
import random
import re
import sys
import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chrf
from chrf.core import exact, options
from chrf.core.mbr import mbr
from chrf.core.pairwise import pairwise
from chrf.kernel import reference, text
from chrf.kernel.pairs import Pairs

MODULE = sys.modules["chrf.core.pairwise"]
DOCS = (Path(__file__).parents[2] / "docs" / "pairwise.md").read_text(encoding="utf-8")
SPACES = "".join(sorted(text.WHITESPACE))

ALPHABETS = [
    st.sampled_from("ab "),
    st.sampled_from("aAbB.,( \u3000\x1c"),
    st.sampled_from("\0aé☃😀\ud800\udfff\u0130ß"),
    st.characters(),
]
TEXTS = st.one_of([st.text(alphabet, max_size=20) for alphabet in ALPHABETS])
SIDES = st.lists(TEXTS, max_size=5)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "beta": st.one_of(st.integers(1, 5), st.fractions("1/9", 9), st.just(10**40)),
        "char_order": st.integers(1, 10),
        "word_order": st.integers(0, 4),
        "lowercase": st.booleans(),
        "whitespace": st.booleans(),
        "averaging": st.sampled_from(options.AVERAGINGS),
        "rule": st.sampled_from(options.RULES),
    },
)


def twin_row(hypothesis, reference_text, checked):
    """The counts of one pair, counted in plain Python."""
    sides = [hypothesis, reference_text]
    if checked.lowercase:
        sides = text.lower_all(sides)
    orders = checked.char_order, checked.word_order
    flat = reference.count(sides[:1], sides[1:], 0, 1, *orders, checked.whitespace)
    return list(zip(flat[0::3], flat[1::3], flat[2::3], strict=True))


def check_cells(hypotheses, references, **keywords):
    """The counts of all cells are the kernel's, their scores the nearest doubles."""
    scores, counts = pairwise(hypotheses, references, counts=True, **keywords)
    assert scores.shape == (len(hypotheses), len(references))
    for i, hypothesis in enumerate(hypotheses):
        row = [hypothesis] * len(references)
        assert (counts[i] == chrf.counts(row, references, **keywords)).all()
        assert (scores[i] == chrf.segment_scores(row, references, **keywords)).all()
    return scores


# --- every cell ----------------------------------------------------------------------------------


@given(hypotheses=SIDES, references=SIDES, keywords=OPTIONS)
def test_every_cell_is_the_score_of_its_pair(hypotheses, references, keywords):
    checked = chrf.Options(**keywords)
    scores, counts = pairwise(hypotheses, references, counts=True, **keywords)
    assert scores.shape == (len(hypotheses), len(references))
    assert counts.shape == (*scores.shape, checked.order_count, 3)
    for i, hypothesis in enumerate(hypotheses):
        for j, reference_text in enumerate(references):
            score = chrf.corpus_score([hypothesis], [reference_text], **keywords)
            assert scores[i, j] == float(score)
            assert counts[i, j].tolist() == [list(row) for row in score.counts]
            twin = twin_row(hypothesis, reference_text, checked)
            assert score.fraction == exact.score(twin, checked)
            if checked.rule == "all":
                assert counts[i, j].tolist() == [list(row) for row in twin]


@pytest.mark.parametrize("references", [1, 15, 16, 17, 100, 700])
@pytest.mark.parametrize("word_order", [0, 2])
def test_rare_and_common_ngrams(references, word_order):
    source = random.Random(references)
    words = ["".join(source.choices("abcdefgh", k=source.randint(1, 6))) for _ in range(40)]

    def sentence():
        return " ".join(source.choices(words, k=source.randint(0, 12))) + source.choice(".!? ")

    check_cells(
        [sentence() for _ in range(6)],
        [sentence() for _ in range(references)],
        word_order=word_order,
    )


def test_counts_around_what_a_byte_holds():
    lengths = [1, 254, 255, 256, 257, 510, 511, 1000, 70_000]
    texts = ["a" * n + "b" * (n % 7) for n in lengths]
    check_cells(texts, texts)
    check_cells([" ".join(t) for t in texts[:-1]], [" ".join(t) for t in texts[:-1]], word_order=4)
    references = ["ab" * 128] * 40 + ["ab" * 127] * 40 + ["ab" * 129]
    check_cells(["ab" * 500, "ba" * 128], references)


def test_long_texts_and_large_alphabets():
    source = random.Random(1)
    alphabet = [chr(c) for c in (*range(0x4E00, 0x5200), *range(0x1F600, 0x1F640), 0x10FFFF)]
    long = ["".join(source.choices("abcd ", k=n)) for n in (8191, 8192, 8193, 20_000)]
    wide = ["".join(source.choices(alphabet, k=n)) for n in (253, 254, 400, 3000)]
    check_cells([*long, *wide, ""], ["", *wide, *long], word_order=2)


@pytest.mark.parametrize("whitespace", [False, True])
def test_every_whitespace_character(whitespace):
    texts = [f"a{space}b{space}" for space in SPACES]
    scores = check_cells(texts, ["a b ", "ab"], whitespace=whitespace, word_order=1)
    assert whitespace or (scores[:, 0] == 100).all()


def test_not_symmetric_and_the_hypotheses_are_the_rows():
    scores = pairwise(["abcde", "ab"], ["abcde", "ab"])
    assert scores[0, 1] == float(chrf.corpus_score(["abcde"], ["ab"]))
    assert scores[1, 0] == float(chrf.corpus_score(["ab"], ["abcde"]))
    assert scores[0, 1] != scores[1, 0]


def test_wmt23(wmt23):
    lines = gzip.decompress((wmt23 / "en-zh.tsv.gz").read_bytes()).decode("utf-8").split("\n")
    table = [line.split("\t") for line in lines[1:400]]
    check_cells([row[1] for row in table[::50]], [row[0] for row in table])
    candidates = table[7][1:]
    check_cells(candidates, candidates, word_order=2, lowercase=True)


@given(hypotheses=SIDES, references=SIDES, keywords=OPTIONS)
def test_threads_do_not_matter(hypotheses, references, keywords):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MODULE, "PAIRS_AT_ONCE", 2)
        patch.setattr(MODULE, "FEWEST_PAIRS", 1)
        many = pairwise(hypotheses, references, counts=True, threads=3, **keywords)
    one = pairwise(hypotheses, references, counts=True, **keywords)
    assert all((a == b).all() for a, b in zip(many, one, strict=True))


def test_each_text_is_prepared_once(monkeypatch):
    seen = []
    monkeypatch.setattr(MODULE, "PAIRS_AT_ONCE", 4)
    monkeypatch.setattr(MODULE, "lower_all", lambda texts: seen.extend(texts) or list(texts))
    pairwise(["a", "b"] * 20, ["c", "d"] * 20, lowercase=True, threads=2)
    assert Counter(seen) == dict.fromkeys("abcd", 20)
    seen.clear()
    mbr(["a", "b"], lowercase=True)
    assert seen == ["a", "b"]


def test_memory_is_little_more_than_the_matrix():
    source = random.Random(3)
    texts = ["".join(source.choices("abcdefghij ", k=20)) for _ in range(1500)]
    tracemalloc.start()
    try:
        scores = pairwise(texts, texts)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < scores.nbytes + 30_000_000  # the counts of all cells would take 324 MB


# --- batches and what is refused -----------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
def test_batch(threads):
    hypotheses = [["abc", "abd"], ["x", ""], ["abc def", "abc"]]
    references = [["abc"], ["x y"], ["def"]]
    scores, counts = pairwise(hypotheses, references, counts=True, threads=threads, word_order=1)
    assert scores.shape == (3, 2, 1)
    assert counts.shape == (3, 2, 1, 7, 3)
    for i in range(3):
        single = pairwise(hypotheses[i], references[i], counts=True, word_order=1)
        assert (scores[i] == single[0]).all()
        assert (counts[i] == single[1]).all()


def test_batches_that_are_not_one():
    with pytest.raises(ValueError, match=r"hypotheses has 1 list but references has 2;"):
        pairwise([["a"]], [["a"], ["b"]])
    with pytest.raises(ValueError, match=r"hypotheses has 0 lists but references has 1;"):
        pairwise([], [["a"]])
    message = (
        r"hypotheses\[1\] and references\[1\] make a matrix of 1 x 2, but hypotheses\[0\] and "
        r"references\[0\] one of 2 x 1; call pairwise once for each"
    )
    with pytest.raises(ValueError, match=message):
        pairwise([["h", "h"], ["h"]], [["r"], ["r", "r"]])
    with pytest.raises(TypeError, match="hypotheses holds lists but references holds strings"):
        pairwise([["a"]], ["a"])
    with pytest.raises(TypeError, match=r"hypotheses\[0\] is a single str"):
        pairwise(["a", ["b"]], [["a"], ["b"]])


def test_shapes():
    assert pairwise([], ["a"]).shape == (0, 1)
    assert pairwise(["a"], []).shape == (1, 0)
    assert pairwise([], []).shape == (0, 0)
    assert pairwise([[]], [["a"]]).shape == (1, 0, 1)
    assert pairwise([["a"], ["b"]], [[], []], counts=True)[1].shape == (2, 1, 0, 6, 3)
    assert pairwise(["", "a"], ["", "a"]).tolist() == [[0, 0], [0, 100]]
    for sides in (("ab", ["a", "b"]), (["a", "b"], "ab"), ([["a"]], ["ab"]), (["a"], [b"a"])):
        with pytest.raises(TypeError):
            pairwise(*sides)


@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        (["a", None], ["a"], r"hypotheses\[1\] is NoneType, not a string"),
        (["a"], ["a", float("nan")], r"references\[1\] is missing \(NaN\), not a string"),
        ([["a"], [None]], [["a"], ["b"]], r"hypotheses\[1\]\[0\] is NoneType, not a string"),
        ([["a"], ["b"]], [["a"], ["b", 1]], r"references\[1\]\[1\] is int, not a string"),
        ([["a"], None], [["a"], ["b"]], r"hypotheses\[1\] is NoneType; give a list of strings"),
        ({"a"}, ["a"], "hypotheses is a set, which has no order"),
        (3, ["a"], "hypotheses is int; give a list of strings"),
    ],
)
def test_the_side_and_the_index_are_named(hypotheses, references, message):
    with pytest.raises(TypeError, match=message):
        pairwise(hypotheses, references)


def test_options_and_threads_are_checked():
    with pytest.raises(ValueError, match="beta is 0"):
        pairwise(["a"], ["a"], beta=0)
    with pytest.raises(ValueError, match="threads is 0"):
        pairwise(["a"], ["a"], threads=0)
    with pytest.raises(TypeError, match="unknown option 'remove_whitespace'"):
        pairwise(["a"], ["a"], remove_whitespace=True)


def test_any_iterable_is_taken_once():
    expected = pairwise(["abc", "abd"], ["abc"])
    for make in (tuple, iter, np.array, lambda texts: (t for t in texts)):
        assert (pairwise(make(["abc", "abd"]), make(["abc"])) == expected).all()
        nested = pairwise(make([make(["abc", "abd"])]), make([make(["abc"])]))
        assert (nested == expected[None]).all()
        assert mbr(make(["abc", "abd"]), make(["abc"])).index == 0


def test_subclasses_of_str_are_strings():
    """Whatever length and equality they claim to have."""

    class Text(str):
        __slots__ = ()

        def __len__(self):
            return 10**7

        def __eq__(self, other):
            return True

        __hash__ = None

    texts = ["abcdef", "abcxyz", "abc"]
    for keywords in ({}, {"whitespace": True, "word_order": 2}, {"lowercase": True}):
        made = [Text(text) for text in texts]
        assert (pairwise(made, made, **keywords) == pairwise(texts, texts, **keywords)).all()
        assert mbr(made, made[1:], **keywords).index == mbr(texts, texts[1:], **keywords).index


def test_the_kernel_checks_what_it_is_given():
    symbols = np.zeros(4, np.uint32), np.array([0, 1, 3])
    pairs = Pairs()
    pairs.add_orders(symbols, symbols, 2)
    counts = np.zeros((1, 2, 2, 3), np.int64)
    pairs.count(1, 2, counts)
    assert counts.tolist() == [[[[2, 1, 1], [1, 0, 0]], [[2, 2, 2], [1, 1, 1]]]]
    for start, stop in ((-1, 0), (2, 3), (1, 0), (0, 2)):
        with pytest.raises(ValueError, match=r"start and stop|counts has the shape"):
            pairs.count(start, stop, counts)
        with pytest.raises(ValueError, match=r"start and stop|counts has the shape"):
            pairs.count_mean(start, stop, counts[:, 0].copy())
    with pytest.raises(ValueError, match="1 to 14 orders"):
        pairs.add_orders(symbols, symbols, 13)
    with pytest.raises(ValueError, match="same number of texts"):
        pairs.add_orders(symbols, (symbols[0], np.array([0, 1])), 1)
    with pytest.raises(ValueError, match="references has 1073741824 code points or words"):
        pairs.add_orders(symbols, (symbols[0], np.array([0, 2**30])), 1)


def test_200_texts_against_200():
    source = random.Random(66)
    letters = "abcdefghijklmnopqrstuvwxyz "
    hypotheses, references = (
        ["".join(source.choices(letters, k=100)) for _ in range(200)] for _ in range(2)
    )
    check_cells(hypotheses, references)


def test_the_matrix_can_be_kept(tmp_path):
    texts = ["abcd", "abdd", "xyz", "a b"]
    scores = pairwise(texts, texts)
    assert scores.flags.writeable
    assert scores.flags.c_contiguous
    expected = [[str(chrf.corpus_score([h], [r])) for r in texts] for h in texts]
    np.save(tmp_path / "scores.npy", scores)
    loaded = np.load(tmp_path / "scores.npy")
    assert (loaded == scores).all()
    assert [[f"{value:.6f}" for value in row] for row in loaded] == expected
    np.savetxt(tmp_path / "scores.tsv", scores, fmt="%.6f", delimiter="\t")
    lines = (tmp_path / "scores.tsv").read_text().splitlines()
    assert [line.split("\t") for line in lines] == expected
    np.savetxt(tmp_path / "all.tsv", scores, fmt="%.17g", delimiter="\t")
    assert (np.loadtxt(tmp_path / "all.tsv", delimiter="\t") == scores).all()


# --- peers and documentation ---------------------------------------------------------------------


@given(data=st.data())
def test_fastchrf_agrees(data):
    fastchrf = pytest.importorskip("fastchrf", reason="fastchrf is not installed")
    letters = st.text(st.sampled_from("abc \u3000é😀"), max_size=12)
    sides = [data.draw(st.lists(letters, min_size=1, max_size=4)) for _ in range(2)]
    order, beta = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 4))
    keep = data.draw(st.booleans())
    ours = {"char_order": order, "beta": beta, "whitespace": keep}
    theirs = {"char_order": order, "beta": float(beta), "remove_whitespace": not keep}
    (matrix,) = fastchrf.pairwise_chrf([sides[0]], [sides[1]], **theirs)
    np.testing.assert_allclose(pairwise(*sides, **ours), matrix, atol=1e-9)
    (aggregate,) = fastchrf.aggregate_chrf([sides[0]], [sides[1]], **theirs)
    utilities = mbr(*sides, mode="aggregate", **ours).utilities
    np.testing.assert_allclose(utilities, aggregate, atol=1e-9)


def test_where_fastchrf_is_not_a_number():
    fastchrf = pytest.importorskip("fastchrf", reason="fastchrf is not installed")
    for function in (fastchrf.pairwise_chrf, fastchrf.aggregate_chrf):
        for beta in (1e155, math.inf, math.nan):  # its square is larger than any double
            assert np.isnan(function([["abc"]], [["abd"]], beta=beta)).all()
        assert np.isfinite(function([["abc"]], [["abd"]], beta=1e154)).all()
    for value in (10**155, math.inf, math.nan):
        with pytest.raises((TypeError, ValueError), match="beta"):
            pairwise(["abc"], ["abd"], beta=value)


BLOCKS = re.findall(r"^```python\n(.*?)^```", DOCS, re.DOTALL | re.MULTILINE)


def test_the_examples_of_the_documentation():
    examples = "\n".join(block for block in BLOCKS if ">>>" in block)
    test = doctest.DocTestParser().get_doctest(examples, {}, "pairwise.md", "pairwise.md", 0)
    results = doctest.DocTestRunner().run(test)
    assert results.attempted >= 8
    assert results.failed == 0


def test_the_mbrs_example_of_the_documentation():
    pytest.importorskip("mbrs", reason="mbrs is not installed")
    (block,) = [block for block in BLOCKS if "mbrs" in block]
    exec(compile(block, "pairwise.md", "exec"), {"__name__": "pairwise.md"})
