"""`compare_runs`: against its definition from text, SciPy's t distribution, and simulation."""

import math
import random
import statistics
from fractions import Fraction

import numpy as np
import pytest
from corpora import BETTER, REFERENCES, WORSE, random_corpus, resampled

import chrf
from chrf.stats import compare_runs, paired_permutation, student


def several_runs(source, segments=12, runs=(3, 2, 4)):
    """Systems of unequal numbers of runs."""
    hypotheses, rows = random_corpus(source, segments, sum(runs))
    given = iter(hypotheses)
    return {f"s{i}": [next(given) for _ in range(n)] for i, n in enumerate(runs)}, rows


def test_deviations_are_multevals():
    """Over runs: of their scores. Over segments: of every run's resamples, then the average."""
    source = random.Random("runs")
    for seed in range(8):
        systems, rows = several_runs(source)
        result = compare_runs(systems, rows, iterations=25, seed=seed)
        assert [system.name for system in result.systems] == list(systems)
        for system in result.systems:
            runs = systems[system.name]
            scores = [chrf.corpus_score(texts, rows).fraction for texts in runs]
            assert tuple(score.fraction for score in system.scores) == tuple(scores)
            assert system.mean == sum(scores) / len(scores)
            assert system.runs_deviation == pytest.approx(
                math.sqrt(statistics.variance(scores)), rel=1e-12
            )
            over_segments = [
                math.sqrt(statistics.variance(resampled(texts, rows, 25, seed))) for texts in runs
            ]
            assert system.segments_deviation == pytest.approx(
                sum(over_segments) / len(runs), rel=1e-9
            )


def test_differences_equal_their_definition():
    student_t = pytest.importorskip("scipy.stats").t
    source = random.Random("differences of runs")
    for seed in range(6):
        systems, rows = several_runs(source)
        result = compare_runs(systems, rows, iterations=20, seed=seed, alpha=0.1)
        drawn = {
            name: [resampled(texts, rows, 20, seed) for texts in runs]
            for name, runs in systems.items()
        }
        assert [(p.first, p.second) for p in result.pairs] == [
            ("s0", "s1"),
            ("s0", "s2"),
            ("s1", "s2"),
        ]
        for pair in result.pairs:
            one, two = (
                next(s for s in result.systems if s.name == name)
                for name in (pair.first, pair.second)
            )
            assert pair.difference == one.mean - two.mean
            means = [
                [sum(of_run) / len(of_run) for of_run in zip(*drawn[s.name], strict=True)]
                for s in (one, two)
            ]
            segments = statistics.variance([a - b for a, b in zip(*means, strict=True)])
            assert pair.segments_error == pytest.approx(math.sqrt(segments), rel=1e-9)
            parts = [(float(segments), len(rows) - 1)]
            for s in (one, two):
                variance = statistics.variance([score.fraction for score in s.scores])
                parts.append((float(variance) / len(s.scores), len(s.scores) - 1))
            total = sum(part for part, _ in parts)
            freedom = total**2 / sum(part**2 / degrees for part, degrees in parts)
            assert pair.runs_error == pytest.approx(math.sqrt(total - parts[0][0]), rel=1e-9)
            assert pair.standard_error == pytest.approx(math.sqrt(total), rel=1e-9)
            assert pair.degrees_of_freedom == pytest.approx(freedom, rel=1e-9)
            t = abs(float(pair.difference)) / math.sqrt(total)
            assert pair.p_value == pytest.approx(2 * student_t.sf(t, freedom), rel=1e-6)
            half = student_t.isf(0.05, freedom) * math.sqrt(total)
            assert pair.lower == pytest.approx(float(pair.difference) - half, rel=1e-6, abs=1e-9)
            assert pair.upper == pytest.approx(float(pair.difference) + half, rel=1e-6, abs=1e-9)
            assert (pair.p_value <= 0.1) == (not pair.lower < 0 < pair.upper)
        p_values = sorted(pair.p_value for pair in result.pairs)
        smallest = min(result.pairs, key=lambda pair: pair.p_value)
        assert smallest.adjusted_p_value == min(1, 3 * p_values[0])
        alone = compare_runs(systems, rows, iterations=20, seed=seed, alpha=0.1, adjust="none")
        assert [p.adjusted_p_value for p in alone.pairs] == [p.p_value for p in result.pairs]


def test_students_distribution_equals_scipys():
    theirs = pytest.importorskip("scipy.stats").t
    source = random.Random("t")
    for place in range(2000):
        freedom = source.choice([1, 2, 2.5, 3, 30, 200, 10 ** source.uniform(0, 3.3)])
        t = source.choice([-1, 1]) * 10 ** source.uniform(-6, 2)
        p = student.two_tailed_p(t, freedom)
        assert p == pytest.approx(2 * theirs.sf(abs(t), freedom), rel=1e-9, abs=1e-300)
        if place % 10:
            continue
        alpha = 10 ** source.uniform(-5, -0.1)
        assert student.quantile(alpha, freedom) == pytest.approx(
            theirs.isf(alpha / 2, freedom), rel=1e-8
        )
    assert student.two_tailed_p(0, 5) == 1
    assert 1e100 < student.quantile(1e-310, 3) < 1e110
    assert 0 < student.two_tailed_p(1e300, 3) < 1e-300
    assert student.two_tailed_p(1, 1e9) == student.two_tailed_p(1, 2000)


def pool_of_runs(source, segments, runs):
    """Counts of runs of one way of training, some of which turned out better than others."""
    words = [*"abcdefghijk", "the", "cat", "dog", "fox", "mat", "house", "rain"]
    references = [" ".join(source.choices(words, k=8)) for _ in range(segments)]
    pool = []
    for _ in range(runs):
        rate = source.uniform(0.2, 0.3)
        texts = [
            " ".join(source.choice(words) if source.random() < rate else w for w in line.split())
            for line in references
        ]
        pool.append(chrf.counts(texts, references))
    return pool


def test_runs_of_one_system_seldom_differ():
    """Three runs against three of the same system, on new segments; seeded, so always the same.

    A test of one run against one takes the luck of a run for a difference of the systems.
    """
    source = random.Random("type I error")
    pool = pool_of_runs(source, 600, 40)
    generator = np.random.default_rng(7)
    ours = single = 0
    for _ in range(200):
        segments = generator.integers(0, 600, size=200)
        chosen = [pool[i][segments] for i in generator.permutation(40)[:6]]
        [pair] = compare_runs({"A": chosen[:3], "B": chosen[3:]}, iterations=50).pairs
        ours += pair.significant
        [one] = paired_permutation(
            {"A": chosen[0], "B": chosen[3]}, iterations=199, interval_iterations=0
        ).pairs
        single += one.significant
    assert ours / 200 <= 0.11  # 0.058 of 1,000 sets
    assert single / 200 >= 0.38  # 0.48 of 1,000 sets


def test_printed_and_as_a_dictionary():
    source = random.Random("printed")
    systems, rows = several_runs(source, runs=(2, 2))
    result = compare_runs(systems, rows, iterations=30, seed=3)
    one, two = result.systems
    [pair] = result.pairs
    lines = str(result).splitlines()
    assert lines[0] == (
        f"s0: {float(one):.6f} (mean of 2 runs; standard deviation {one.runs_deviation:.2f} over "
        f"runs, {one.segments_deviation:.2f} over segments)"
    )
    assert lines[2].startswith(f"s0 - s1 = {float(pair):.6f}, 95% [{pair.lower:.2f}, ")
    assert len(lines) == 3
    assert result.signature.startswith("nrefs:1|bs:30|seed:3|")
    record = result.to_dict()
    assert (record["iterations"], record["seed"]) == (30, 3)
    assert record["systems"][1]["runs_deviation"] == two.runs_deviation
    assert record["systems"][1]["scores"] == [str(score) for score in two.scores]
    assert Fraction(record["pairs"][0]["difference_fraction"]) == pair.difference
    assert record["pairs"][0]["p_value"] == pair.p_value
    three, rows = several_runs(source)
    assert str(compare_runs(three, rows)).endswith("\nadjusted p: Holm over all 3 pairs")
    assert compare_runs({"A": three["s0"]}, rows).pairs == ()
    counts = {name: [chrf.counts(r, rows) for r in runs] for name, runs in three.items()}
    assert compare_runs(counts) == compare_runs({n: iter(r) for n, r in counts.items()})
    assert compare_runs(counts).pairs == compare_runs(three, rows, threads=2).pairs


@pytest.mark.parametrize(
    ("systems", "references", "error", "message"),
    [
        ([[BETTER, WORSE]], REFERENCES, TypeError, "systems is list; give a mapping of each"),
        ({"A": [BETTER]}, REFERENCES, ValueError, "A has 1 run; a variance over runs needs at le"),
        ({"A": []}, REFERENCES, ValueError, "A has 0 runs; a variance over runs needs"),
        ({}, REFERENCES, ValueError, "there are no systems"),
        ({"A": BETTER}, REFERENCES, TypeError, "A, run 1: hypotheses is a single str"),
        ({"A": "text"}, REFERENCES, TypeError, "A is a str; give a list of runs, each a list"),
        ({"A": 3}, REFERENCES, TypeError, "A is int; give a list of runs"),
        (
            {"A": [BETTER, WORSE[:3]]},
            REFERENCES,
            ValueError,
            "A, run 2: hypotheses has 3 items but references has 4",
        ),
        ({"A": [["a"], ["b"]]}, ["a"], ValueError, "there is one segment; a variance needs at"),
        (
            {"A": [BETTER, BETTER], "B": [BETTER, BETTER]},
            REFERENCES,
            ValueError,
            "A and B differ alike in all runs and segments; nothing varies",
        ),
        ({1: [BETTER, WORSE]}, REFERENCES, TypeError, "systems has the name 1; a name is a string"),
    ],
)
def test_what_cannot_be_compared(systems, references, error, message):
    with pytest.raises(error, match=f"^{message}"):
        compare_runs(systems, references)


def test_counts_of_unequal_lengths():
    counts = chrf.counts(BETTER, REFERENCES)
    with pytest.raises(ValueError, match="A, run 1 has 4 segments but B, run 2 has 3"):
        compare_runs({"A": [counts, counts], "B": [counts, counts[:3]]})
    for settings, message in (
        ({"iterations": 0}, "iterations is 0"),
        ({"alpha": 1.0}, "alpha is 1.0"),
        ({"adjust": "x"}, "adjust is 'x'"),
    ):
        with pytest.raises(ValueError, match=message):
            compare_runs({"A": [counts, counts]}, **settings)
