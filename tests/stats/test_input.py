"""What the functions on corpus scores take, text or counts, and what they raise for."""

import json
from fractions import Fraction

import numpy as np
import pytest
from corpora import BETTER, FEW_SEGMENTS, REFERENCES, WORSE, rows_of

import chrf
from chrf.stats import (
    bootstrap_ci,
    chrf_ci,
    chrf_permutation_test,
    paired_bootstrap,
    paired_permutation,
)

pytestmark = FEW_SEGMENTS


def test_iterables_are_taken_once():
    expected = chrf_ci(rows_of(REFERENCES), WORSE)
    assert chrf_ci((iter([r]) for r in REFERENCES), iter(WORSE)) == expected
    assert chrf_ci(np.array(rows_of(REFERENCES)), np.array(WORSE)) == expected
    systems = {"A": BETTER, "B": WORSE}
    references = [(r, "x") for r in REFERENCES]
    result = paired_bootstrap(systems, references, iterations=50)
    lazily = paired_bootstrap(
        {name: iter(texts) for name, texts in systems.items()},
        (iter(group) for group in references),
        iterations=50,
    )
    assert lazily == result
    unnamed = paired_bootstrap([BETTER, WORSE], references, iterations=50)
    assert unnamed.pairs[0].first == "system 1"
    assert unnamed.pairs[0].p_value == result.pairs[0].p_value


def test_options_move_the_tests_on_corpus_scores():
    plain, other = (
        (
            bootstrap_ci(WORSE, REFERENCES, **options),
            paired_bootstrap([BETTER, WORSE], REFERENCES, **options).pairs[0],
            paired_permutation([BETTER, WORSE], REFERENCES, **options).pairs[0],
        )
        for options in ({}, {"word_order": 2, "beta": Fraction(1, 2)})
    )
    assert other[0].score == chrf.corpus_score(WORSE, REFERENCES, word_order=2, beta=Fraction(1, 2))
    assert plain[0].bounds != other[0].bounds
    assert plain[1].bounds != other[1].bounds
    assert plain[2].difference != other[2].difference
    for record in other:
        assert "nw:2|space:no|beta:0.5|" in record.signature


def test_tests_refuse():
    references = ["a", "b"]
    for function in (paired_bootstrap, paired_permutation):
        with pytest.raises(
            ValueError, match="there is one system; a paired test needs at least two"
        ):
            function([["a", "b"]], references)
        with pytest.raises(ValueError, match="B: hypotheses has 1 item but references has 2"):
            function({"A": ["a", "b"], "B": ["a"]}, references)
        with pytest.raises(TypeError, match=r"B: hypotheses\[1\] is NoneType"):
            function({"A": ["a", "b"], "B": ["a", None]}, references)
        with pytest.raises(TypeError, match="system 1: hypotheses is a single str"):
            function(["a", "b"], references)
        with pytest.raises(TypeError, match="systems is a str"):
            function("ab", references)
        with pytest.raises(TypeError, match="systems has the name 1"):
            function({1: ["a", "b"], 2: ["a", "b"]}, references)
        with pytest.raises(ValueError, match="no segments"):
            function({"A": [], "B": []}, [])
        with pytest.raises(ValueError, match="one-tailed test is of two systems, not of 3"):
            function([references] * 3, references, two_tailed=False)
        with pytest.raises(TypeError, match="two_tailed is 1"):
            function([references] * 2, references, two_tailed=1)
        with pytest.raises(TypeError, match="unknown option 'bta'"):
            function([references] * 2, references, bta=2)
    with pytest.raises(ValueError, match="no segments"):
        bootstrap_ci([], [])
    with pytest.raises(ValueError, match="method is 'bcd'"):
        bootstrap_ci(["a"], ["a"], method="bcd")
    with pytest.raises(ValueError, match="exact_budget"):
        paired_permutation([references] * 2, references, exact_budget=-1)


def test_what_an_iterable_raises_is_raised(tmp_path):
    (tmp_path / "bad").write_bytes(b"a\nb\n\xff\n")
    for function in (paired_bootstrap, paired_permutation):
        with (tmp_path / "bad").open(encoding="utf-8") as file, pytest.raises(UnicodeDecodeError):
            function({"A": ["a"], "B": file}, ["a"])
        with pytest.raises(json.JSONDecodeError):
            function({"A": ["a"], "B": map(json.loads, ["x"])}, ["a"])


def test_counts_are_checked():
    counts = chrf.counts(WORSE, REFERENCES)
    with pytest.raises(ValueError, match=r"shape \[4, 6, 3\]; with these options .* of 8 orders"):
        bootstrap_ci(counts, word_order=2)
    with pytest.raises(TypeError, match="float64; counts are integers"):
        bootstrap_ci(counts.astype(float))
    with pytest.raises(ValueError, match="counts has no segments"):
        bootstrap_ci(counts[:0])
    with pytest.raises(ValueError, match="negative"):
        bootstrap_ci(-counts)
    for side in (0, 1):
        more = counts.copy()
        more[-1, -1, side] = more[-1, -1, 2] - 1
        with pytest.raises(ValueError, match="counts holds more matches than n-grams"):
            bootstrap_ci(more)
    with pytest.raises(ValueError, match="pass 63 bits"):
        bootstrap_ci(np.full_like(counts, 2**61))
    with pytest.raises(ValueError, match="A has 4 segments but B has 3"):
        paired_bootstrap({"A": counts, "B": counts[:3]})
    assert bootstrap_ci(counts.astype(np.uint16)) == bootstrap_ci(WORSE, REFERENCES)
    assert bootstrap_ci(counts.tolist()) == bootstrap_ci(WORSE, REFERENCES)


@pytest.mark.parametrize(
    "options", [{}, {"rule": "sacrebleu", "word_order": 2}, {"averaging": "per_order_f"}], ids=str
)
def test_counts_give_what_their_text_gives(options):
    systems = {"A": BETTER, "B": WORSE, "C": ["the cat", "", "it", "hello there"]}
    counts = {name: chrf.counts(texts, REFERENCES, **options) for name, texts in systems.items()}
    for method in ("percentile", "bca"):
        settings = {"method": method, "seed": 5, **options}
        assert bootstrap_ci(counts["A"], **settings) == bootstrap_ci(BETTER, REFERENCES, **settings)
    for function in (paired_bootstrap, paired_permutation):
        expected = function(systems, REFERENCES, iterations=99, **options)
        assert function(counts, iterations=99, **options) == expected
        unnamed = function(list(counts.values()), iterations=99, **options)
        assert [pair.p_value for pair in unnamed.pairs] == [p.p_value for p in expected.pairs]


def test_text_and_counts_are_not_mixed_up():
    """What is missing, or too much, is named with what to do about it."""
    counts = chrf.counts(WORSE, REFERENCES)
    with pytest.raises(TypeError, match=r"hypotheses holds counts, .* leave references out"):
        bootstrap_ci(counts, REFERENCES)
    for texts, kind in ((WORSE, "list"), (iter(WORSE), "list_iterator"), ([["a"], []], "list")):
        message = (
            f"references is missing: hypotheses is {kind}; give references with text, or leave"
        )
        with pytest.raises(TypeError, match=message):
            bootstrap_ci(texts)
    for function in (paired_bootstrap, paired_permutation):
        with pytest.raises(TypeError, match=r"B holds counts, .* leave references out"):
            function({"A": BETTER, "B": counts}, REFERENCES)
        with pytest.raises(TypeError, match="references is missing: A is list; give references"):
            function({"A": BETTER, "B": counts})
        with pytest.raises(TypeError, match="references is missing: system 1 is list"):
            function([BETTER, WORSE])


@pytest.mark.parametrize(
    "iterations", [0, -1, True, 2.0, None, "10"], ids=lambda value: f"iterations {value!r}"
)
def test_iterations_are_checked(iterations):
    error = ValueError if type(iterations) is int else TypeError
    rows = rows_of(REFERENCES)
    for call in (
        lambda: chrf_ci(rows, WORSE, iterations),
        lambda: chrf_permutation_test([REFERENCES], WORSE, BETTER, iterations),
        lambda: bootstrap_ci(WORSE, REFERENCES, iterations=iterations),
    ):
        with pytest.raises(error, match="iterations"):
            call()
    for function, name, also in (
        (paired_bootstrap, "iterations", [None]),
        (paired_bootstrap, "interval_iterations", [None, 0]),
        (paired_permutation, "iterations", [None]),
        (paired_permutation, "interval_iterations", [0]),
        (paired_permutation, "exact_budget", [None, 0]),
    ):
        if type(iterations) is bool or iterations not in also:
            with pytest.raises(error, match=f"^{name} is"):
                function([WORSE, BETTER], REFERENCES, **{name: iterations})


def test_a_stream_of_references_is_read_once_for_all_systems():
    """An Arrow reader gives its rows once; every system after the first had none."""
    pa = pytest.importorskip("pyarrow", reason="the references are a stream of pyarrow")
    table = pa.table({"reference": REFERENCES})
    for systems in (
        {"A": pa.array(BETTER), "B": pa.array(WORSE)},
        {"A": pa.array(BETTER), "B": WORSE},
    ):
        result = paired_bootstrap(systems, table.to_reader(), iterations=50)
        assert result == paired_bootstrap({"A": BETTER, "B": WORSE}, REFERENCES, iterations=50)
