"""`chrf_ci` and `chrf_permutation_test`, against evaluatio, sacreBLEU and the definitions."""

import json
import random
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import sacrebleu
from corpora import (
    BETTER,
    CORPORA,
    REFERENCES,
    SINGLE_PRECISION,
    WMT23,
    WORSE,
    random_corpus,
    random_metric,
    read_columns,
    rows_of,
    sentence_differences,
    sign_flip_p,
)

import chrf
from chrf.sacrebleu import CHRF
from chrf.stats import ConfidenceInterval, chrf_ci, chrf_permutation_test


@pytest.fixture(scope="session")
def evaluatio():
    reason = "evaluatio 0.5.2 is not installed"
    return pytest.importorskip("evaluatio.metrics.chrf", reason=reason)


def test_chrf_ci_is_a_record():
    interval = chrf_ci(rows_of(REFERENCES), WORSE)
    assert interval == ConfidenceInterval(interval.score, interval.lower, interval.upper)
    assert interval.mean == interval.score == float(chrf.corpus_score(WORSE, REFERENCES))
    assert interval.lower < interval.score < interval.upper
    assert str(interval).startswith("58.180210 [")
    assert json.loads(json.dumps(interval.to_dict()))["score"] == interval.score


@pytest.mark.parametrize("pair", WMT23)
def test_chrf_ci_equals_evaluatio_on_wmt23(wmt23, evaluatio, pair):
    columns = read_columns(wmt23, pair, step=3)
    references = rows_of(columns.pop("refA"))
    systems = sorted(columns)
    for number, options in enumerate([{}, {"word_order": 2, "lowercase": True}]):
        hypotheses = columns[systems[number]]
        theirs = evaluatio.chrf_ci(
            references, hypotheses, 100, 0.1, sacrebleu.CHRF(**options), seed=number
        )
        ours = chrf_ci(references, hypotheses, 100, 0.1, sacrebleu.CHRF(**options), seed=number)
        assert ours.score == pytest.approx(theirs.mean, rel=1e-14)
        assert ours.lower == pytest.approx(theirs.lower, rel=SINGLE_PRECISION)
        assert ours.upper == pytest.approx(theirs.upper, rel=SINGLE_PRECISION)


def test_chrf_ci_equals_evaluatio_on_random_corpora(evaluatio):
    source = random.Random("chrf_ci")
    for seed in range(CORPORA):
        [hypotheses], rows = random_corpus(
            source, source.randint(1, 9), references=source.choice([1, 1, 2, 3])
        )
        options = random_metric(source)
        alpha = source.choice([0.05, 0.1, 0.32])
        theirs = evaluatio.chrf_ci(rows, hypotheses, 20, alpha, sacrebleu.CHRF(**options), seed)
        metric = source.choice([CHRF, sacrebleu.CHRF])(**options)
        ours = chrf_ci(rows, hypotheses, 20, alpha, metric, seed, references_are="rows")
        close = {"rel": SINGLE_PRECISION, "abs": 1e-12}
        assert ours.score == pytest.approx(theirs.mean, rel=1e-13, abs=1e-15)
        assert ours.lower == pytest.approx(theirs.lower, **close)
        assert ours.upper == pytest.approx(theirs.upper, **close)


def test_chrf_ci_bounds_are_exact_scores():
    """Of 41 resamples, numbers 1 and 39 in order leave out one in 40 either way."""
    generator = np.random.default_rng(5)
    indices = np.array([generator.integers(0, 4, size=41) for _ in range(4)]).T
    scores = sorted(
        chrf.corpus_score([WORSE[i] for i in row], [REFERENCES[i] for i in row]).fraction
        for row in indices.tolist()
    )
    interval = chrf_ci(rows_of(REFERENCES), WORSE, 41, 0.05, seed=5)
    assert (interval.lower, interval.upper) == (float(scores[1]), float(scores[39]))


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
def test_columns_are_read_as_lists(library):
    """Columns of lists are rows; several columns are whole sets."""
    module = pytest.importorskip(library, reason=f"{library} is not needed by the package")
    column = module.array if library == "pyarrow" else module.Series
    texts = column(WORSE), column(BETTER)
    rows = rows_of(REFERENCES)
    expected = chrf_ci(rows, WORSE, 100, seed=5)
    assert chrf_ci(column(rows), texts[0], 100, seed=5) == expected
    assert chrf_ci([column(REFERENCES)], texts[0], 100, seed=5, references_are="sets") == expected
    p = chrf_permutation_test(column(rows), *texts, 100, seed=5)
    assert p == chrf_permutation_test(rows, WORSE, BETTER, 100, seed=5)


def test_chrf_ci_refuses():
    rows = [["a", "b"], ["c", "d"], ["e", "f"]]
    with pytest.raises(ValueError, match=r"3 items but references has 2 rows; .* transposed"):
        chrf_ci([["a", "b", "c"], ["d", "e", "f"]], ["a", "b", "c"])
    with pytest.raises(ValueError, match=r"2 items but references has 3 rows$"):
        chrf_ci([["a"], ["b"], ["c"]], ["a", "b"])
    with pytest.raises(ValueError, match=r"references\[1\] has 1 item but references\[0\] has 2"):
        chrf_ci([["a", "b"], ["c"]], ["a", "b"])
    with pytest.raises(ValueError, match="hypotheses is empty"):
        chrf_ci([], [])
    with pytest.raises(ValueError, match="references is empty"):
        chrf_ci([], ["a"])
    with pytest.raises(ValueError, match=r"references\[0\] is empty"):
        chrf_ci([[]], ["a"])
    for references, hypotheses, message in [
        (["a", "b"], ["a", "b"], r"references\[0\] is a str"),
        ("ab", ["a", "b"], "references is a str"),
        (rows, "abc", "hypotheses is a str"),
        (rows, ["a", "b", None], r"hypotheses\[2\] is NoneType"),
        (rows, ["a", "b", b"c"], r"hypotheses\[2\] is bytes"),
        (
            [["a", "b"], ["c", "d"], ["e", float("nan")]],
            ["a"] * 3,
            r"references\[2\]\[1\] is missing \(NaN\)",
        ),
        (rows, 5, "hypotheses is int"),
        ([["a"], 5], ["a", "b"], r"references\[1\] is int"),
    ]:
        with pytest.raises(TypeError, match=message):
            chrf_ci(references, hypotheses)
    with pytest.raises(TypeError, match="chrf is 'chrF'; it must be a CHRF"):
        chrf_ci(rows, ["a"] * 3, chrf="chrF")
    for alpha in (0.0, 1.0, -0.1, float("nan")):
        with pytest.raises(ValueError, match="alpha"):
            chrf_ci(rows, ["a"] * 3, alpha=alpha)
    for alpha in (True, "0.05", 1, None):
        with pytest.raises(TypeError, match="alpha"):
            chrf_ci(rows, ["a"] * 3, alpha=alpha)


def test_permutation_p_value_is_the_definition_on_random_corpora():
    """Every p-value exactly, ties and all, for the generator's own flips."""
    source = random.Random("permutation")
    ties = 0
    for seed in range(CORPORA):
        (first, second), rows = random_corpus(source, source.randint(1, 8), systems=2)
        if source.random() < 0.2:
            second = first[::-1]
        sets = [list(column) for column in zip(*rows, strict=True)]
        two_tailed = source.random() < 0.7
        p = chrf_permutation_test(sets, first, second, 15, two_tailed, seed=seed)
        flips = np.random.default_rng(seed).integers(2, size=(15, len(first)), dtype=bool).tolist()
        differences = sentence_differences(first, second, rows)
        ties += sum(differences) == 0
        expected = sign_flip_p(differences, flips, two_tailed=two_tailed)
        assert p == expected.numerator / expected.denominator
    assert ties > 0


def test_permutation_test_agrees_with_evaluatio(wmt23, evaluatio):
    """Two random samples of the same permutations: p-values within five standard errors."""
    columns = read_columns(wmt23, "en-de")
    sets, n = [columns.pop("refA")], 3000
    names = sorted(columns)
    close = 0
    for first, second in pairwise(names):
        for two_tailed in (True, False):
            texts = columns[first][:60], columns[second][:60]
            ours = chrf_permutation_test([sets[0][:60]], *texts, n, two_tailed, seed=1)
            rows = rows_of(sets[0][:60])  # what evaluatio's code takes, whatever it says
            theirs = evaluatio.chrf_permutation_test(rows, *texts, n, two_tailed)
            error = (2 * ours * (1 - ours) / n) ** 0.5 + 1 / n
            assert abs(ours - theirs) <= 5 * error
            close += 0.01 < ours < 0.99
    assert close > 5


def test_permutation_test_obeys_smoothing():
    metric = CHRF(eps_smoothing=True)
    differences = sentence_differences(BETTER, WORSE, rows_of(REFERENCES), metric)
    flips = np.random.default_rng(3).integers(2, size=(50, 4), dtype=bool).tolist()
    p = chrf_permutation_test([REFERENCES], BETTER, WORSE, 50, chrf=metric, seed=3)
    assert p == float(sign_flip_p(differences, flips))


def test_shapes_of_references():
    sets = [["a b c", "d e f", "g h i"], ["a b", "d e", "g h"]]
    rows = [list(row) for row in zip(*sets, strict=True)]
    texts = ["a c", "d", "g h i"], ["a b", "d e f", "i"]
    p = chrf_permutation_test(sets, *texts, 100, seed=1)
    assert chrf_permutation_test(rows, *texts, 100, seed=1) == p
    # As many sets as hypotheses: they are named.
    square = [*sets, ["c", "f", "x"]]
    transposed = [list(row) for row in zip(*square, strict=True)]
    ours = [Fraction(0)] * 3
    for i in range(3):
        group = [s[i] for s in square]
        ours[i] = sentence_differences([texts[0][i]], [texts[1][i]], [group])[0]
    flips = np.random.default_rng(1).integers(2, size=(100, 3), dtype=bool).tolist()
    p = chrf_permutation_test(square, *texts, 100, seed=1, references_are="sets")
    assert p == float(sign_flip_p(ours, flips))
    assert chrf_permutation_test(transposed, *texts, 100, seed=1, references_are="rows") == p
    assert chrf_permutation_test(transposed, *texts, 100, seed=1, references_are="sets") != p
    # evaluatio's own code loses a sentence of this example.
    one_set = [["the cat sat", "a dog ran"]]
    texts = ["the cat sat", "a dog ran"], ["a cat sat", "the dog ran"]
    differences = sentence_differences(*texts, rows_of(one_set[0]))
    assert all(differences)
    flips = np.random.default_rng(1).integers(2, size=(100, 2), dtype=bool).tolist()
    p = chrf_permutation_test(one_set, *texts, 100, seed=1)
    assert p == float(sign_flip_p(differences, flips))


SQUARE = [["the cat", "a cat"], ["a dog", "the dog ran"]]
TURNED = [["the cat", "a dog"], ["a cat", "the dog ran"]]


def test_a_square_of_references_is_ambiguous():
    texts, others = ["the cat", "a dog ran"], ["a cat sat", "dogs"]
    calls = (
        lambda table, **shape: chrf_ci(table, texts, 50, **shape),
        lambda table, **shape: chrf_permutation_test(table, texts, others, 50, seed=1, **shape),
    )
    message = (
        "references has 2 lists of 2 strings for 2 hypotheses: pass references_are='rows' for one "
        "list for each hypothesis, or 'sets' for one for each set of references"
    )
    for call in calls:
        with pytest.raises(ValueError, match=f"^{message}$"):
            call(SQUARE)
        with pytest.raises(
            ValueError, match="references_are is 'columns'; it must be 'rows' or 's"
        ):
            call(SQUARE, references_are="columns")
        assert call(SQUARE, references_are="rows") == call(TURNED, references_are="sets")
        assert call(SQUARE, references_are="sets") == call(TURNED, references_are="rows")
    interval = chrf_ci(SQUARE, texts, 50, references_are="rows")
    assert interval.score == CHRF().corpus_score(texts, TURNED).score
    assert interval != chrf_ci(SQUARE, texts, 50, references_are="sets")


def test_a_square_that_reads_the_same_both_ways():
    assert chrf_ci([["a"]], ["a"]).score == 100
    assert chrf_permutation_test([["a"]], ["a"], ["b"], seed=1) == 1
    symmetric = [["the cat", "a dog"], ["a dog", "the dog ran"]]
    assert chrf_ci(symmetric, ["the cat", "a dog"]).score == 100


def test_the_shape_named_must_fit():
    sets, rows = [["a", "b", "c"], ["d", "e", "f"]], [["a", "d"], ["b", "e"], ["c", "f"]]
    texts = ["a", "b", "c"]
    assert chrf_ci(sets, texts, references_are="sets") == chrf_ci(rows, texts)
    for call in (chrf_ci, lambda *given, **shape: chrf_permutation_test(*given, texts, **shape)):
        with pytest.raises(ValueError, match="references"):
            call(rows, texts, references_are="sets")
        with pytest.raises(ValueError, match="references"):
            call(sets, texts, references_are="rows")


def test_permutation_test_refuses():
    texts = ["a", "b", "c"], ["a", "b", "d"]
    message = "references has 2 lists of 2 strings; for 3 hypotheses give whole sets, lists of 3"
    with pytest.raises(ValueError, match=message):
        chrf_permutation_test([["a", "b"], ["c", "d"]], *texts)
    with pytest.raises(ValueError, match="hypotheses1 has 3 items but hypotheses2 has 2"):
        chrf_permutation_test([["a", "b", "c"]], texts[0], ["a", "b"])
    with pytest.raises(ValueError, match=r"references\[1\] has 2 items"):
        chrf_permutation_test([["a", "b", "c"], ["a", "b"]], *texts)
    with pytest.raises(ValueError, match="hypotheses1 is empty"):
        chrf_permutation_test([[]], [], [])
    with pytest.raises(TypeError, match="two_tailed"):
        chrf_permutation_test([["a", "b", "c"]], *texts, two_tailed=1)
    with pytest.raises(TypeError, match=r"references\[0\] is a str"):
        chrf_permutation_test(["a", "b", "c"], *texts)


@pytest.mark.parametrize("package", [sacrebleu.CHRF, CHRF])
@pytest.mark.parametrize(
    "options",
    [
        {"word_order": 2},
        {"char_order": 2},
        {"beta": 1},
        {"beta": 0.5},
        {"lowercase": True},
        {"whitespace": True},
        {"eps_smoothing": True},
    ],
)
def test_every_option_moves_all_three(package, options):
    """Score, interval and test obey the same options."""
    references = ["The cat sat here", "A dog", "it rains", "yes", "we like the sun"]
    first = ["the cat sits here", "A dog ran", "it rain", "y", "we like sun"]
    second = ["The cat", "a dig", "It rains", "yes yes", "w e like the sun"]
    metric = package(**options)
    plain, other = (chrf_ci(rows_of(references), first, 50, chrf=m) for m in (None, metric))
    assert other.score == pytest.approx(metric.corpus_score(first, [references]).score, rel=1e-14)
    assert plain.score != other.score
    assert (plain.lower, plain.upper) != (other.lower, other.upper)
    p_values = [
        chrf_permutation_test([references], first, second, 500, chrf=m, seed=1)
        for m in (None, metric)
    ]
    differences = [
        Fraction(metric.sentence_score(a, [r]).score)
        - Fraction(metric.sentence_score(b, [r]).score)
        for a, b, r in zip(first, second, references, strict=True)
    ]
    flips = np.random.default_rng(1).integers(2, size=(500, 5), dtype=bool).tolist()
    assert p_values[1] == pytest.approx(float(sign_flip_p(differences, flips)), abs=0.05)
