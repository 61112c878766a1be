"""`compare_sets` against NumPy's own draws, full enumeration, SciPy and `paired_permutation`."""

import random
from itertools import chain, product

import numpy as np
import pytest
from corpora import BETTER, FEW_SEGMENTS, REFERENCES, WORSE, random_corpus

import chrf
from chrf.core import exact
from chrf.stats import (
    MeanScore,
    average_ci,
    bootstrap_ci,
    compare_sets,
    estimates,
    paired_bootstrap,
    paired_permutation,
)
from chrf.stats.design import Design

pytestmark = [FEW_SEGMENTS, pytest.mark.filterwarnings("ignore:intervals are too narrow")]


def random_sets(source, least=2, most=5):
    """Two sets or three: systems and references of each."""
    sets = {}
    for name in ("en-cs", "en-de", "ja-en")[: source.choice([2, 3])]:
        (one, two), rows = random_corpus(source, source.randint(least, most), systems=2)
        sets[name] = {"one": one, "two": two}, [row[0] for row in rows]
    return sets


def score_of(texts, average):
    """The exact average of some sets: hypotheses and references of each."""
    if average == "micro":
        return chrf.corpus_score(
            *(list(chain(*columns)) for columns in zip(*texts, strict=True))
        ).fraction
    scores = [chrf.corpus_score(*columns).fraction for columns in texts]
    return sum(scores) / len(scores)


def resamples_of(sets, iterations, seed):
    """Rows of every set, drawn within it by NumPy's own generators: [resamples][sets][rows]."""
    drawn = []
    for k, (_, references) in enumerate(sets.values()):
        key = (k,) if k else ()
        generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
        shape = iterations, len(references)
        drawn.append(generator.choice(len(references), size=shape).tolist())
    return list(zip(*drawn, strict=True))


def resampled(sets, system, resamples, average):
    return [
        score_of(
            [
                ([systems[system][i] for i in rows], [references[i] for i in rows])
                for (systems, references), rows in zip(sets.values(), drawn, strict=True)
            ],
            average,
        )
        for drawn in resamples
    ]


def swapped(sets, swaps, average):
    """The difference of the averages after the swaps, of which there is one for each segment."""
    swaps = iter(swaps)
    a, b = [], []
    for systems, references in sets.values():
        pairs = [
            (y, x) if next(swaps) else (x, y)
            for x, y in zip(systems["one"], systems["two"], strict=True)
        ]
        a.append(([x for x, _ in pairs], references))
        b.append(([y for _, y in pairs], references))
    return score_of(a, average) - score_of(b, average)


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_bootstrap_within_each_set(average):
    source = random.Random(average)
    for seed in range(15):
        sets = random_sets(source)
        resamples = resamples_of(sets, 30, seed)
        one, two = (resampled(sets, name, resamples, average) for name in ("one", "two"))
        differences = [a - b for a, b in zip(one, two, strict=True)]
        result = compare_sets(
            sets, average=average, test="bootstrap", iterations=30, seed=seed, distribution=True
        )
        pair = result["one", "two"]
        assert pair.difference == swapped(sets, [0] * 100, average)
        extreme = sum(abs(d - pair.difference) >= abs(pair.difference) for d in differences)
        assert (pair.extreme, pair.iterations) == (extreme, 30)
        assert (pair.bounds.lower, pair.bounds.upper) == (min(differences), max(differences))
        assert pair.distribution == pytest.approx([float(d) for d in differences], abs=1e-12)
        for system in result.systems:
            values = one if system.name == "one" else two
            assert (system.bounds.lower, system.bounds.upper) == (min(values), max(values))
        segments = sum(len(references) for _, references in sets.values())
        assert f"|sets:{len(sets)}|average:{average}|segments:{segments}|" in pair.signature
        assert pair.sacrebleu_p_value is None  # sacreBLEU has no several sets


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_permutation_over_all_sets(average):
    source = random.Random(f"swaps {average}")
    for seed in range(15):
        sets = random_sets(source, 2, 3)
        segments = sum(len(references) for _, references in sets.values())
        two_tailed = source.random() < 0.6
        every = [swapped(sets, swaps, average) for swaps in product([0, 1], repeat=segments)]
        observed = every[0]
        extreme = sum(abs(d) >= abs(observed) if two_tailed else d >= observed for d in every)
        [pair] = compare_sets(sets, average=average, two_tailed=two_tailed).pairs
        assert pair.method == "exact permutation"
        assert pair.p_value == extreme / len(every)

        kept = np.random.default_rng(seed).integers(2, size=(20, segments), dtype=bool)
        some = [swapped(sets, ~row, average) for row in kept]
        count = sum(abs(d) >= abs(observed) if two_tailed else d >= observed for d in some)
        [pair] = compare_sets(
            sets, average=average, two_tailed=two_tailed, iterations=20, exact_budget=0, seed=seed,
            distribution=True,
        ).pairs  # fmt: skip
        assert pair.distribution == pytest.approx([float(d) for d in some], abs=1e-12)
        assert (pair.extreme, pair.iterations) == (count, 20)


def test_many_segments_of_a_set_begin_inside_a_byte():
    """The second set begins at each place of a byte, and swaps take several blocks."""
    source = random.Random("bytes")
    for before in range(2, 11):
        (a, b), rows = random_corpus(source, before, systems=2)
        (c, d), more = random_corpus(source, 20, systems=2)
        sets = {
            "first": ({"one": a, "two": b}, [row[0] for row in rows]),
            "second": ({"one": c, "two": d}, [row[0] for row in more]),
        }
        kept = np.random.default_rng(1).integers(2, size=(2100, before + 20), dtype=bool)
        [pair] = compare_sets(
            sets, iterations=2100, exact_budget=0, seed=1, distribution=True, interval_iterations=0
        ).pairs
        for place in (0, 7, 2047, 2048, 2099):
            expected = float(swapped(sets, ~kept[place], "macro"))
            assert pair.distribution[place] == pytest.approx(expected, abs=1e-12)


def test_one_set_is_an_ordinary_test():
    systems = {"A": BETTER, "B": WORSE}
    for average in ("macro", "micro"):
        for test, ordinary in (
            ("permutation", paired_permutation),
            ("bootstrap", paired_bootstrap),
        ):
            found = compare_sets(
                {"en-cs": (systems, REFERENCES)}, average=average, test=test, interval_method="bca"
            )
            expected = ordinary(systems, REFERENCES, interval_method="bca")
            assert found.pairs[0].p_value == expected.pairs[0].p_value
            assert found.pairs[0].bounds == expected.pairs[0].bounds
            assert [s.bounds for s in found.systems] == [s.bounds for s in expected.systems]
            assert [float(s.score) for s in found.systems] == [
                float(s.score) for s in expected.systems
            ]


def test_counts_and_text_are_one():
    source = random.Random("counts")
    sets = random_sets(source, 4, 6)
    counted = {
        name: {system: chrf.counts(texts, references) for system, texts in systems.items()}
        for name, (systems, references) in sets.items()
    }
    labels = {name: [i % 3 for i in range(len(refs))] for name, (_, refs) in sets.items()}
    for average in ("macro", "micro"):
        settings = {"average": average, "documents": labels}
        assert compare_sets(counted, **settings) == compare_sets(sets, **settings)


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_documents_and_strata_of_sets(average):
    """Documents are of one set, whatever they are called, and are drawn within their stratum."""
    source = random.Random("labels")
    (a, b), rows = random_corpus(source, 6, systems=2)
    (c, d), more = random_corpus(source, 5, systems=2)
    sets = {
        "first": ({"one": a, "two": b}, [row[0] for row in rows]),
        "second": ({"one": c, "two": d}, [row[0] for row in more]),
    }
    documents = {"first": [1, 2, 1, 2, 3, 4], "second": [1, 1, 2, 2, 3]}
    strata = {"first": ["x", "y", "x", "y", "x", "y"], "second": ["x"] * 5}
    generators = [
        np.random.default_rng(np.random.SeedSequence(8, spawn_key=(k,) if k else ()))
        for k in range(3)
    ]
    groups = [[[0, 2], [4]], [[1, 3], [5]], [[0, 1], [2, 3], [4]]]
    draws = [
        generator.choice(len(group), size=(25, len(group)))
        for generator, group in zip(generators, groups, strict=True)
    ]
    resamples = []
    for x, y, z in zip(*draws, strict=True):
        first = [i for j in x for i in groups[0][j]] + [i for j in y for i in groups[1][j]]
        resamples.append((first, [i for j in z for i in groups[2][j]]))
    one, two = (resampled(sets, name, resamples, average) for name in ("one", "two"))
    differences = [p - q for p, q in zip(one, two, strict=True)]
    result = compare_sets(
        sets, average=average, documents=documents, strata=strata, interval_iterations=25, seed=8
    )
    pair = result["one", "two"]
    assert (pair.bounds.lower, pair.bounds.upper) == (min(differences), max(differences))
    assert f"|sets:2|average:{average}|strata:3|docs:7|segments:11|" in pair.signature
    assert pair.iterations == 1 << 7


def test_bca_of_several_sets_equals_scipy():
    scipy_stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
    source = random.Random("bca")
    for sizes in ((4, 9), (20, 6, 11)):
        counts = []
        for size in sizes:
            [hypotheses], rows = random_corpus(source, size)
            counts.append(chrf.counts(hypotheses, rows))

        def statistic(*indices, axis=-1, counts=counts):
            scores = 0
            for part, drawn in zip(counts, indices, strict=True):
                rows = np.moveaxis(np.asarray(drawn, dtype=np.int64), axis, -1)
                sums = part[rows].sum(axis=rows.ndim - 1)
                values = exact.row_scores(sums.reshape(-1, *part.shape[1:]), chrf.Options())
                scores = scores + values.reshape(sums.shape[:-2])
            return scores / len(counts)

        places = [np.arange(size) for size in sizes]
        known = scipy_stats.bootstrap(
            places, statistic, n_resamples=499, vectorized=True, method="BCa", random_state=1
        )
        ends = known.confidence_interval
        joined = np.concatenate(counts)
        design = Design(sizes)
        low, high = estimates.bca_levels(
            float(statistic(*places)),
            known.bootstrap_distribution,
            estimates.jackknife(joined, chrf.Options(), design),
            0.05,
            design,
        )
        levels = np.percentile(known.bootstrap_distribution, [100 * low, 100 * (1 - high)])
        assert levels.tolist() == pytest.approx([ends.low, ends.high], rel=1e-9)


def test_leaving_out_of_one_set_leaves_the_others():
    counts = chrf.counts(WORSE + BETTER[:3], REFERENCES + REFERENCES[:3])
    found = estimates.jackknife(counts, chrf.Options(), Design((4, 3)))
    other = chrf.corpus_score(BETTER[:3], REFERENCES[:3]).fraction
    for i in range(4):
        texts = [t[:i] + t[i + 1 :] for t in (WORSE, REFERENCES)]
        expected = (chrf.corpus_score(*texts).fraction + other) / 2
        assert found[i] == pytest.approx(float(expected), abs=1e-12)


def test_ties_of_means_are_exact():
    """The systems change sides between two equal sets: no difference, in every permutation."""
    sets = {
        "first": ({"A": BETTER, "B": WORSE}, REFERENCES),
        "second": ({"A": WORSE, "B": BETTER}, REFERENCES),
    }
    for test in ("permutation", "bootstrap"):
        [pair] = compare_sets(sets, test=test).pairs
        assert (pair.difference, pair.p_value) == (0, 1.0)


def test_mean_score():
    sets = {"first": ({"A": BETTER, "B": WORSE}, REFERENCES)}
    sets["second"] = {"B": REFERENCES[1:], "A": WORSE[1:]}, REFERENCES[1:]
    result = compare_sets(sets)
    scores = [chrf.corpus_score(BETTER, REFERENCES), chrf.corpus_score(WORSE[1:], REFERENCES[1:])]
    by_name = {system.name: system.score for system in result.systems}
    mean = by_name["A"]
    assert isinstance(mean, MeanScore)
    assert mean.scores == (("first", scores[0]), ("second", scores[1]))
    assert mean.fraction == (scores[0].fraction + scores[1].fraction) / 2
    assert float(mean) == float(mean.fraction)
    assert f"{mean:.2f}" == exact.decimal_text(mean.fraction, 2)
    assert f"{mean} {mean:>12s}" == f"{exact.decimal_text(mean.fraction)} {mean!s:>12}"
    assert (mean.segment_count, mean.reference_count, mean.tied_segments) == (7, 1, 0)
    assert mean.to_dict()["set_scores"] == {"first": str(scores[0]), "second": str(scores[1])}
    assert mean.signature == (
        "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|beta:2|rule:all|sets:2|average:macro|"
        f"segments:7|version:chrf-{chrf.__version__}"
    )
    pooled = compare_sets(sets, average="micro").systems[0].score
    texts = [*REFERENCES[1:]], REFERENCES[1:]
    expected = chrf.corpus_score(WORSE + texts[0], REFERENCES + texts[1])
    assert expected in [system.score for system in compare_sets(sets, average="micro").systems]
    assert pooled.signature == expected.signature


def test_ranks_are_over_all_sets():
    """No set by itself can tell the systems apart."""
    references = [f"segment number {i}" for i in range(4)]
    systems = {"A": [text[1:] for text in references], "B": [text[3:] for text in references]}
    alone = paired_permutation(systems, references)
    assert alone.clusters == (("A", "B"),)
    both = compare_sets({"x": (systems, references), "y": (systems, references)})
    assert both.clusters == (("A",), ("B",))


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_interval_of_one_system(average):
    """It is that of `compare_sets`, and of `bootstrap_ci` where there is one set."""
    source = random.Random(f"one {average}")
    sets = random_sets(source, 4, 6)
    labels = {name: [i % 3 for i in range(len(refs))] for name, (_, refs) in sets.items()}
    one = {name: (systems["one"], references) for name, (systems, references) in sets.items()}
    for method in ("percentile", "bca"):
        settings = {"average": average, "documents": labels, "seed": 3}
        compared = compare_sets(sets, interval_method=method, **settings)
        [expected] = [system for system in compared.systems if system.name == "one"]
        found = average_ci(one, method=method, **settings)
        assert (found.score, found.bounds) == (expected.score, expected.bounds)
        assert (found.mean, found.standard_deviation) == (
            expected.mean,
            expected.standard_deviation,
        )
        counts = {name: chrf.counts(*texts) for name, texts in one.items()}
        assert average_ci(counts, method=method, **settings) == found
        alone = average_ci({"set": (WORSE, REFERENCES)}, average=average, method=method)
        assert alone.bounds == bootstrap_ci(WORSE, REFERENCES, method=method).bounds
        assert alone.to_dict()["score"] == str(chrf.corpus_score(WORSE, REFERENCES))
    values = resampled(sets, "one", resamples_of(sets, 30, 5), average)
    found = average_ci(one, average=average, iterations=30, seed=5, distribution=True)
    assert (found.bounds.lower, found.bounds.upper) == (min(values), max(values))
    assert found.distribution == pytest.approx([float(value) for value in values], abs=1e-12)


@pytest.mark.parametrize(
    ("sets", "error", "message"),
    [
        ({}, ValueError, "there are no sets"),
        ([1], TypeError, "sets is list; give a mapping of names to sets"),
        ({"x": (["a"], ["b"])}, ValueError, "the set 'x' has one segment only"),
        ({"x": (["a", "b"], ["b"])}, ValueError, "x: hypotheses: hypotheses has 2 items"),
        ({"x": ["a", "b"]}, TypeError, "x: references is missing: hypotheses is list"),
    ],
)
def test_sets_of_one_system_that_are_wrong(sets, error, message):
    with pytest.raises(error, match=message):
        average_ci(sets)


ORDINARY = {"A": BETTER, "B": WORSE}, REFERENCES


@pytest.mark.parametrize(
    ("sets", "more", "error", "message"),
    [
        ({}, {}, ValueError, "there are no sets"),
        ([ORDINARY], {}, TypeError, "sets is list; give a mapping of names to sets"),
        ({1: ORDINARY}, {}, TypeError, "sets has the name 1; a name is a string"),
        ({"x": [1, 2]}, {}, TypeError, r"x is list; a set is a pair \(systems, references\), or"),
        ({"x": (*ORDINARY, 1)}, {}, TypeError, "x is a tuple of 3; a set is a pair"),
        ({"x": ORDINARY}, {"average": "mean"}, ValueError, "average is 'mean'; it must be 'macro'"),
        ({"x": ORDINARY}, {"test": "t"}, ValueError, "test is 't'; it must be 'bootstrap' or"),
        (
            {"x": ORDINARY},
            {"test": "bootstrap", "exact_budget": 1},
            ValueError,
            "exact_budget goes with test='permutation'",
        ),
        (
            {"x": ORDINARY, "y": ({"A": BETTER, "C": WORSE}, REFERENCES)},
            {},
            ValueError,
            "y has no system 'B', which x has; all sets have the same systems",
        ),
        (
            {"x": ORDINARY, "y": ({"A": BETTER, "B": WORSE, "C": WORSE}, REFERENCES)},
            {},
            ValueError,
            "x has no system 'C', which y has",
        ),
        (
            {"x": ORDINARY, "y": ({"A": ["a"], "B": ["b"]}, ["c"])},
            {},
            ValueError,
            "the set 'y' has one segment only, within which nothing can be resampled",
        ),
        (
            {"x": ORDINARY, "y": ({"A": BETTER[:2], "B": WORSE}, REFERENCES)},
            {},
            ValueError,
            "y: A: hypotheses has 2 items but references has 4",
        ),
        ({"x": ({"A": BETTER}, REFERENCES)}, {}, ValueError, "there is one system; a paired"),
        ({"x": ORDINARY}, {"documents": [1]}, TypeError, "documents is list; give a mapping of"),
        ({"x": ORDINARY}, {"documents": {}}, ValueError, "documents has no labels for the set 'x'"),
        (
            {"x": ORDINARY},
            {"strata": {"x": [1, 1, 2, 2], "z": [1]}},
            ValueError,
            "strata has labels for 'z', which is no set",
        ),
        (
            {"x": ORDINARY},
            {"documents": {"x": [1, 1, None, 2]}},
            TypeError,
            r"documents\['x'\]\[2\] is None; a label is",
        ),
        (
            {"x": ORDINARY},
            {"documents": {"x": [1, 1, 2]}},
            ValueError,
            r"documents\['x'\] has 3 labels but A has 4 segments",
        ),
        ({"x": ORDINARY}, {"word_order": 9}, ValueError, "word_order is 9"),
        ({"x": ORDINARY}, {"wordorder": 2}, TypeError, "unknown option 'wordorder'"),
    ],
)
def test_sets_that_are_wrong(sets, more, error, message):
    with pytest.raises(error, match=message):
        compare_sets(sets, **more)


def test_sets_whose_sums_pass_63_bits():
    counts = np.zeros((2, 6, 3), dtype=np.int64)
    counts[..., :2] = 1 << 61
    sets = {name: {"A": counts, "B": counts} for name in ("x", "y")}
    with pytest.raises(ValueError, match="A holds counts whose sums may pass 63 bits"):
        compare_sets(sets, average="micro")
