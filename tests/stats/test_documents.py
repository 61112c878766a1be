"""`documents=` and `strata=`, against text that is scored again and full enumeration."""

import random
import warnings
from fractions import Fraction
from itertools import chain, product

import numpy as np
import pytest
from corpora import (
    BETTER,
    FEW_SEGMENTS,
    REFERENCES,
    WORSE,
    random_corpus,
    sentence_differences,
    sign_flip_p,
)

import chrf
from chrf.stats import (
    average_ci,
    bootstrap_ci,
    chrf_ci,
    chrf_permutation_test,
    compare_sets,
    paired_bootstrap,
    paired_permutation,
)
from chrf.stats.design import Design
from chrf.stats.estimates import jackknife

pytestmark = [FEW_SEGMENTS, pytest.mark.filterwarnings("ignore:intervals are too narrow")]


def members(labels):
    """The segments of each label, in the order in which labels first come up."""
    found = {}
    for i, label in enumerate(labels):
        found.setdefault(label, []).append(i)
    return list(found.values())


def score_of(rows, hypotheses, references, rule="all"):
    """The exact score of some segments, from their text."""
    rows = list(rows)
    texts = [[column[i] for i in rows] for column in (hypotheses, references)]
    return chrf.corpus_score(*texts, rule=rule).fraction


def random_labels(source, segments, number):
    """Labels that are not consecutive, at least two of them."""
    labels = [source.randrange(number) for _ in range(segments - 2)] + [0, 1]
    source.shuffle(labels)
    return labels


def drawn(strata, iterations, seed, groups):
    """Resamples of documents within strata, by NumPy's own generators: lists of segments."""
    columns = []
    for k, places in enumerate(strata):
        key = (k,) if k else ()
        generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
        rows = generator.choice(len(places), size=(iterations, len(places))).tolist()
        columns.append([[i for j in row for i in groups[places[j]]] for row in rows])
    return [list(chain(*parts)) for parts in zip(*columns, strict=True)]


def test_two_documents():
    """Resamples are {A, A}, {A, B} twice and {B, B}: the bounds are the scores of A and of B."""
    hypotheses, references = (
        ["the cat sat", "a dog", "it rains"],
        ["the cat sits", "a dog", "it rained"],
    )
    one, two = (score_of(rows, hypotheses, references) for rows in ([0, 1], [2]))
    interval = bootstrap_ci(hypotheses, references, documents=["x", "x", "y"])
    assert [interval.bounds.lower, interval.bounds.upper] == sorted([one, two])
    assert interval.score == chrf.corpus_score(hypotheses, references)
    assert "|docs:2|segments:3|" in interval.signature
    shares = [
        np.mean(
            bootstrap_ci(
                hypotheses, references, documents=[7, 7, 2], iterations=20000, distribution=True
            ).distribution
            == float(value)
        )
        for value in (one, two, interval.score.fraction)
    ]
    assert shares == pytest.approx([0.25, 0.25, 0.5], abs=0.02)


def test_the_score_of_a_document_is_a_bound():
    hypotheses = ["the cat", "a dog ran home", "it rained"]
    references = ["the cat sat", "a dog ran home", "it rains today"]
    interval = bootstrap_ci(hypotheses, references, documents=[0, 0, 1])
    assert str(interval) == "65.944977 [39.318843, 82.340633]"


def test_resamples_are_of_whole_documents():
    source = random.Random("documents")
    for seed in range(25):
        segments = source.randint(4, 12)
        [hypotheses], rows = random_corpus(source, segments)
        references = [row[0] for row in rows]
        labels = random_labels(source, segments, 5)
        groups = members(labels)
        strata = [list(range(len(groups)))]
        expected = [
            score_of(row, hypotheses, references) for row in drawn(strata, 40, seed, groups)
        ]
        interval = bootstrap_ci(
            hypotheses, references, documents=labels, iterations=40, seed=seed, distribution=True
        )
        assert interval.distribution.tolist() == [float(score) for score in expected]
        ordered = sorted(expected)
        assert (interval.bounds.lower, interval.bounds.upper) == (ordered[1], ordered[-2])
        counts = chrf.counts(hypotheses, references)
        assert interval == bootstrap_ci(counts, documents=labels, iterations=40, seed=seed)


def test_leave_one_document_out():
    source = random.Random("jackknife")
    [hypotheses], rows = random_corpus(source, 12)
    references = [row[0] for row in rows]
    groups = members(random_labels(source, 12, 4))
    counts = chrf.counts(hypotheses, references)
    documents = np.array([counts[group].sum(axis=0) for group in groups])
    expected = [
        float(score_of(sorted(set(range(12)) - set(group)), hypotheses, references))
        for group in groups
    ]
    assert jackknife(documents, chrf.Options(), Design()).tolist() == expected


def test_every_segment_a_document_is_no_document():
    source = random.Random("single")
    (one, two), rows = random_corpus(source, 9, systems=2)
    references = [row[0] for row in rows]
    labels = [f"document {i}" for i in range(9)]
    plain = bootstrap_ci(one, references, method="bca").to_dict()
    by_document = bootstrap_ci(one, references, method="bca", documents=labels).to_dict()
    assert by_document.pop("signature") == plain.pop("signature").replace(
        "|segments:9|", "|docs:9|segments:9|"
    )
    assert by_document == plain
    for test in (paired_bootstrap, paired_permutation):
        expected = test([one, two], references).pairs[0]
        found = test([one, two], references, documents=labels).pairs[0]
        assert (found.p_value, found.bounds) == (expected.p_value, expected.bounds)
        assert found.sacrebleu_p_value is None  # sacreBLEU has no documents
    assert chrf_ci(rows, one, documents=labels) == chrf_ci(rows, one)
    assert chrf_permutation_test([references], one, two, seed=1) == chrf_permutation_test(
        [references], one, two, seed=1, documents=labels
    )


def swapped(first, second, references, groups, swaps):
    """The difference after the documents that `swaps` names have changed sides."""
    a, b = list(first), list(second)
    for group, swap in zip(groups, swaps, strict=True):
        for i in group if swap else ():
            a[i], b[i] = second[i], first[i]
    scores = [chrf.corpus_score(texts, references).fraction for texts in (a, b)]
    return scores[0] - scores[1]


def test_whole_documents_change_sides():
    """All 2^documents permutations, by fractions of scores of texts."""
    source = random.Random("swaps")
    for _ in range(40):
        segments = source.randint(3, 10)
        (first, second), rows = random_corpus(source, segments, systems=2)
        references = [row[0] for row in rows]
        labels = random_labels(source, segments, 4)
        groups = members(labels)
        two_tailed = source.random() < 0.6
        texts = first, second, references
        every = [swapped(*texts, groups, swaps) for swaps in product([0, 1], repeat=len(groups))]
        extreme = sum(abs(d) >= abs(every[0]) if two_tailed else d >= every[0] for d in every)
        [pair] = paired_permutation(
            [first, second], references, documents=labels, two_tailed=two_tailed
        ).pairs
        assert pair.method == "exact permutation"
        assert pair.p_value == extreme / len(every)

        kept = np.random.default_rng(3).integers(2, size=(20, len(groups)), dtype=bool)
        some = [swapped(*texts, groups, ~row) for row in kept]
        count = sum(abs(d) >= abs(every[0]) if two_tailed else d >= every[0] for d in some)
        [pair] = paired_permutation(
            [first, second], references, documents=labels, two_tailed=two_tailed, seed=3,
            iterations=20, exact_budget=0, distribution=True,
        ).pairs  # fmt: skip
        assert pair.distribution == pytest.approx([float(d) for d in some], abs=1e-12)
        assert (pair.extreme, pair.iterations) == (count, 20)


def test_paired_bootstrap_of_documents():
    source = random.Random("paired")
    for seed in range(20):
        segments = source.randint(4, 10)
        (first, second), rows = random_corpus(source, segments, systems=2)
        references = [row[0] for row in rows]
        labels = random_labels(source, segments, 4)
        groups = members(labels)
        resamples = drawn([list(range(len(groups)))], 30, seed, groups)
        differences = [
            score_of(row, first, references) - score_of(row, second, references)
            for row in resamples
        ]
        observed = score_of(range(segments), first, references)
        observed -= score_of(range(segments), second, references)
        extreme = sum(abs(d - observed) >= abs(observed) for d in differences)
        [pair] = paired_bootstrap(
            [first, second], references, documents=labels, iterations=30, seed=seed
        ).pairs
        assert (pair.difference, pair.extreme) == (observed, extreme)
        assert pair.bounds.lower == sorted(differences)[0]


def test_evaluatio_functions_by_document():
    source = random.Random("evaluatio")
    for seed in range(20):
        segments = source.randint(4, 10)
        (first, second), rows = random_corpus(source, segments, systems=2)
        references = [row[0] for row in rows]
        labels = random_labels(source, segments, 4)
        groups = members(labels)
        places = np.random.default_rng(seed).integers(0, len(groups), size=(len(groups), 30))
        scores = [
            float(score_of(chain(*(groups[j] for j in row)), first, references, "sacrebleu"))
            for row in places.T.tolist()
        ]
        interval = chrf_ci(rows, first, iterations=30, seed=seed, documents=labels)
        ends = np.percentile(scores, [2.5, 97.5])
        assert [interval.lower, interval.upper] == pytest.approx(ends.tolist(), abs=1e-9)

        sums = sentence_differences(first, second, rows)
        by_document = [sum((sums[i] for i in group), Fraction(0)) for group in groups]
        flips = np.random.default_rng(seed).integers(2, size=(30, len(groups)), dtype=bool)
        for two_tailed in (True, False):
            found = chrf_permutation_test(
                [references], first, second, 30, two_tailed, seed=seed, documents=labels
            )
            assert found == float(sign_flip_p(by_document, flips, two_tailed=two_tailed))


def test_strata_keep_their_sizes():
    source = random.Random("strata")
    for seed in range(25):
        domains = source.sample(["news"] * 5 + ["chat"] * 4 + ["law"] * 3, 12)
        (first, second), rows = random_corpus(source, 12, systems=2)
        references = [row[0] for row in rows]
        strata = members(domains)
        resamples = drawn(strata, 30, seed, [[i] for i in range(12)])
        expected = [
            [score_of(row, texts, references) for row in resamples] for texts in (first, second)
        ]
        result = paired_bootstrap(
            {"a": first, "b": second}, references, strata=domains, iterations=30, seed=seed
        )
        pair = result["a", "b"]
        assert pair.signature.endswith("|strata:3|segments:12|version:chrf-0.1.0")
        differences = [a - b for a, b in zip(*expected, strict=True)]
        assert pair.bounds.lower == min(differences)
        extreme = sum(abs(d - pair.difference) >= abs(pair.difference) for d in differences)
        assert pair.extreme == extreme
        interval = bootstrap_ci(first, references, strata=domains, iterations=30, seed=seed)
        assert (interval.bounds.lower, interval.bounds.upper) == (
            min(expected[0]),
            max(expected[0]),
        )
        # A permutation test swaps within segments: strata say nothing about it.
        tests = [
            paired_permutation([first, second], references, seed=seed, **more)
            for more in ({}, {"strata": domains})
        ]
        assert tests[0].pairs[0].p_value == tests[1].pairs[0].p_value


def test_documents_within_strata():
    source = random.Random("both")
    [hypotheses], rows = random_corpus(source, 12)
    references = [row[0] for row in rows]
    documents = [3, 3, 1, 1, 1, 4, 4, 4, 9, 9, 8, 8]
    domains = ["news"] * 2 + ["chat"] * 6 + ["news"] * 2 + ["chat"] * 2
    groups = members(documents)
    resamples = drawn([[0, 3], [1, 2, 4]], 40, 5, groups)
    expected = sorted(score_of(row, hypotheses, references) for row in resamples)
    interval = bootstrap_ci(
        hypotheses, references, documents=documents, strata=domains, iterations=40, seed=5
    )
    assert (interval.bounds.lower, interval.bounds.upper) == (expected[1], expected[-2])
    assert "|strata:2|docs:5|segments:12|" in interval.signature


def test_fewer_resamples_of_strata_are_the_first_of_more():
    settings = {"strata": ["a", "a", "b", "b"], "distribution": True, "seed": 4}
    few = bootstrap_ci(WORSE, REFERENCES, iterations=50, **settings)
    many = bootstrap_ci(WORSE, REFERENCES, iterations=500, **settings)
    assert (many.distribution[:50] == few.distribution).all()


def test_labels_of_any_kind():
    expected = bootstrap_ci(WORSE, REFERENCES, documents=["a", "b", "a", "c"])
    for labels in (
        [5, 0, 5, 1],
        (label for label in "xyxz"),
        np.array(["a", "b", "a", "c"]),
        np.array([1, 2, 1, 3], dtype=np.uint8),
    ):
        assert bootstrap_ci(WORSE, REFERENCES, documents=labels) == expected
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    labels = pandas.Series(["a", "b", "a", "c"], index=[9, 3, 1, 0])
    assert bootstrap_ci(WORSE, REFERENCES, documents=labels) == expected


def test_labels_of_arrow():
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    expected = bootstrap_ci(WORSE, REFERENCES, documents=["a", "b", "a", "c"])
    labels = arrow.chunked_array([["a", "b"], ["a", "c"]])
    assert bootstrap_ci(WORSE, REFERENCES, documents=labels) == expected


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        (["a", "b", "c"], ValueError, "documents has 3 labels but .* has 4 segments"),
        (["a", "b", "c", "d", "e"], ValueError, "documents has 5 labels but .* has 4 segments"),
        ([], ValueError, "documents has 0 labels but .* has 4 segments"),
        (["a", "b", " \t", "d"], ValueError, r"documents\[2\] is ' \\t', a blank label"),
        (["a", "", "c", "d"], ValueError, r"documents\[1\] is '', a blank label"),
        (["a", "b", "c", None], TypeError, r"documents\[3\] is None; a label is a string or an i"),
        ([1, 2.0, 3, 4], TypeError, r"documents\[1\] is 2.0; a label is a string or an integer"),
        ([1, True, 3, 4], TypeError, r"documents\[1\] is True; a label"),
        ([1, 2, "1", 4], TypeError, r"documents\[2\] is '1' but documents\[0\] is 1; labels are"),
        ("abcd", TypeError, "documents is a str; give a list of labels"),
        ({"a": 1}, TypeError, "documents is a dict; give a list of labels"),
        (4, TypeError, "documents is int; give a list of labels"),
        (["a"] * 4, ValueError, "documents has one label for all segments, 'a': nothing can be"),
    ],
)
def test_labels_that_are_wrong(labels, error, message):
    systems = {"a": BETTER, "b": WORSE}
    counts = {name: chrf.counts(texts, REFERENCES) for name, texts in systems.items()}
    rows = [[text] for text in REFERENCES]
    for call in (
        lambda: bootstrap_ci(WORSE, REFERENCES, documents=labels),
        lambda: paired_bootstrap(counts, documents=labels),
        lambda: paired_permutation(systems, REFERENCES, documents=labels),
        lambda: chrf_ci(rows, WORSE, documents=labels),
        lambda: chrf_permutation_test([REFERENCES], BETTER, WORSE, documents=labels),
    ):
        with pytest.raises(error, match=message):
            call()


def test_strata_that_are_wrong():
    with pytest.raises(ValueError, match="strata has 'b' for one segment only, within which"):
        bootstrap_ci(WORSE, REFERENCES, strata=["a", "a", "a", "b"])
    with pytest.raises(ValueError, match="strata has 'b' for one document only"):
        bootstrap_ci(WORSE, REFERENCES, strata=["a", "a", "b", "b"], documents=[1, 2, 3, 3])
    with pytest.raises(ValueError, match="documents has 2 in two of strata: 'a' and 'b'"):
        bootstrap_ci(WORSE, REFERENCES, strata=["a", "a", "b", "b"], documents=[1, 2, 2, 3])
    with pytest.raises(ValueError, match=r"strata has 2 labels but .* has 4 segments"):
        bootstrap_ci(WORSE, REFERENCES, strata=["a", "a"])


def test_documents_whose_sums_pass_63_bits():
    counts = np.zeros((6, 6, 3), dtype=np.int64)
    counts[..., :2] = 1 << 60
    with pytest.raises(ValueError, match="counts summed by documents may pass 63 bits"):
        bootstrap_ci(counts, documents=[1, 1, 1, 2, 3, 4])
    assert bootstrap_ci(counts).score.fraction == 0


@pytest.mark.filterwarnings("error")
def test_few_documents_are_said():
    references = [f"segment {i}" for i in range(40)]
    first = [text[1:] for text in references]
    second = [text[3:] for text in references]
    few, enough = [i % 19 for i in range(40)], [i % 20 for i in range(40)]
    message = "intervals are too narrow where documents are few, and there are only 19"
    rows = [[text] for text in references]
    for call in (
        lambda labels: bootstrap_ci(first, references, documents=labels),
        lambda labels: paired_bootstrap([first, second], references, documents=labels),
        lambda labels: paired_permutation([first, second], references, documents=labels),
        lambda labels: chrf_ci(rows, first, documents=labels),
        lambda labels: average_ci({"x": (first, references)}, documents={"x": labels}),
        lambda labels: compare_sets(
            {"x": ({"a": first, "b": second}, references)}, documents={"x": labels}
        ),
    ):
        call(enough)
        with pytest.warns(UserWarning, match=message) as caught:
            call(few)
        assert caught[0].filename == __file__
    paired_permutation([first, second], references, documents=few, interval_iterations=0)


def test_documents_too_few_for_any_difference():
    references = [f"segment {i}" for i in range(40)]
    systems = [[text[n:] for text in references] for n in (1, 3)]
    labels = [i % 4 for i in range(40)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = paired_permutation(systems, references, documents=labels)
    assert result.pairs[0].p_value == 0.125
    assert result.unresolved == (
        "no pair can be significant at alpha 0.05: the systems differ in at most 4 documents, and "
        "no permutation test of them has a p-value below 0.125"
    )


def test_few_rows_of_each_stratum_are_said():
    texts = [f"the {i} cat" for i in range(40)]
    references = [f"the {i} hat" for i in range(40)]
    enough = [i % 4 for i in range(40)]
    bootstrap_ci(texts, references, iterations=20, strata=enough)
    message = "^intervals are too narrow .* there are only 40 in 5 strata or sets$"
    with pytest.warns(UserWarning, match=message):
        bootstrap_ci(texts, references, iterations=20, strata=[i % 5 for i in range(40)])
