"""`paired_bootstrap` and `paired_permutation` of a pair, against the definitions and sacreBLEU."""

import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sacrebleu
from corpora import (
    BETTER,
    CORPORA,
    FEW_SEGMENTS,
    REFERENCES,
    WMT23,
    WORSE,
    random_corpus,
    read_columns,
    resampled,
    sentence_differences,
)
from sacrebleu.significance import PairedTest

import chrf
from chrf import Options
from chrf.core import exact
from chrf.stats import bootstrap_ci, chrf_permutation_test, paired_bootstrap, paired_permutation

pytestmark = FEW_SEGMENTS


def test_sentence_means_are_another_statistic():
    """The signs of the two differences are opposite."""
    references = ["a", "the quick brown fox jumps over the lazy dog"]
    systems = {"B": ["b", "the quick brown fox jumped over a lazy dog"], "A": ["a", "zzzz"]}
    pair = paired_permutation(systems, references)["B", "A"]
    expected = Fraction(22421468690667625, 308295539984784) - Fraction(250, 149)
    assert pair.difference == expected
    assert exact.decimal_text(pair.difference) == "71.049339"
    assert sum(sentence_differences(systems["B"], systems["A"], references)) < 0
    assert chrf.corpus_score(systems["A"], references).fraction == Fraction(250, 149)


def test_exact_p_value_of_a_small_sample():
    systems = {"A": BETTER, "B": WORSE}
    result = paired_permutation(systems, REFERENCES)
    pair = result["A", "B"]
    # "hello their" and "hallo there" have the same counts: 8 swaps stand for 16.
    assert (pair.method, pair.iterations, pair.extreme) == ("exact permutation", 8, 2)
    assert brute_force_p(BETTER, WORSE, REFERENCES) == 0.25
    assert pair.p_value == 0.25
    assert [str(system.score) for system in result.systems] == ["86.919729", "58.180210"]
    sampled = paired_permutation(systems, REFERENCES, iterations=2000, exact_budget=0)["A", "B"]
    assert sampled.method == "approximate randomization"
    assert 0.21 <= sampled.p_value <= 0.29
    one_tailed = paired_permutation(systems, REFERENCES, two_tailed=False)["A", "B"]
    assert one_tailed.p_value == 0.125


def brute_force_p(first, second, references, *, two_tailed=True, **options):
    """The p-value over all swaps, from text and by fractions."""

    def difference(swaps):
        a = [y if s else x for x, y, s in zip(first, second, swaps, strict=True)]
        b = [x if s else y for x, y, s in zip(first, second, swaps, strict=True)]
        scores = [chrf.corpus_score(texts, references, **options).fraction for texts in (a, b)]
        return scores[0] - scores[1]

    swaps = list(product([False, True], repeat=len(references)))
    observed = difference(swaps[0])
    if two_tailed:
        return sum(abs(difference(s)) >= abs(observed) for s in swaps) / len(swaps)
    return sum(difference(s) >= observed for s in swaps) / len(swaps)


def test_exact_enumeration_equals_brute_force():
    source = random.Random("enumeration")
    for _ in range(60):
        (first, second), rows = random_corpus(
            source, source.randint(1, 5), 2, references=source.choice([1, 2])
        )
        two_tailed = source.random() < 0.6
        options = {"char_order": source.choice([1, 6]), "word_order": source.choice([0, 2])}
        if source.random() < 0.3:
            second = second[:-1] + first[-1:]
        [pair] = paired_permutation(
            [first, second], rows, two_tailed=two_tailed, interval_iterations=0, **options
        ).pairs
        assert pair.method == "exact permutation"
        expected = brute_force_p(first, second, rows, two_tailed=two_tailed, **options)
        assert pair.p_value == expected


def test_only_segments_that_differ_are_permuted():
    hypotheses = [f"segment {i}" for i in range(100)]
    references = [f"segments {i}" for i in range(100)]
    other = [*hypotheses[:-3], "se", "seg", "x"]
    [pair] = paired_permutation([hypotheses, other], references, exact_budget=8).pairs
    assert (pair.method, pair.iterations, pair.p_value) == ("exact permutation", 8, 0.25)
    [pair] = paired_permutation([hypotheses, other], references, exact_budget=7).pairs
    assert pair.method == "approximate randomization"
    assert pair.iterations == 10000
    assert pair.p_value == pytest.approx(0.25, abs=0.02)


def test_random_swaps_equal_brute_force():
    """Approximate randomisation with the generator's own swaps, ties exactly."""
    source = random.Random("swaps")
    for seed in range(100):
        (first, second), rows = random_corpus(source, source.randint(1, 8), systems=2)
        result = paired_permutation(
            [first, second], rows, iterations=20, exact_budget=0, seed=seed, distribution=True
        )
        counts = [chrf.counts(texts, rows) for texts in (first, second)]
        kept = np.random.default_rng(seed).integers(2, size=(20, len(rows)), dtype=bool)
        extreme = 0
        for row, found in zip(kept, result.pairs[0].distribution, strict=True):
            stay = row[:, None, None]
            a, b = (
                exact.score(np.where(stay, x, y).sum(axis=0).tolist(), Options())
                for x, y in (counts, counts[::-1])
            )
            assert found == float(a) - float(b)
            extreme += abs(a - b) >= abs(result.pairs[0].difference)
        assert result.pairs[0].p_value == (extreme + 1) / 21


def test_paired_bootstrap_equals_its_definition():
    source = random.Random("paired bootstrap")
    for seed in range(100):
        (first, second), rows = random_corpus(source, source.randint(1, 6), systems=2)
        two_tailed = source.random() < 0.7
        [pair] = paired_bootstrap(
            [first, second], rows, iterations=20, seed=seed, alpha=0.2, two_tailed=two_tailed
        ).pairs
        a, b = (resampled(texts, rows, 20, seed) for texts in (first, second))
        observed = pair.difference
        differences = [x - y for x, y in zip(a, b, strict=True)]
        if two_tailed:
            extreme = sum(abs(d - observed) >= abs(observed) for d in differences)
        else:
            extreme = sum(d - observed >= observed for d in differences)
        assert (pair.extreme, pair.p_value) == (extreme, (extreme + 1) / 21)
        ordered = sorted(differences)
        assert float(pair.bounds.lower) == pytest.approx(float(ordered[2]), abs=1e-12)
        assert float(pair.bounds.upper) == pytest.approx(float(ordered[17]), abs=1e-12)
        assert pair.bounds.lower in differences
        assert pair.bounds.upper in differences


def their_p_values(systems, references, kind, draws, **options):
    """sacreBLEU's p-values of each system against the first."""
    test = PairedTest(
        list(systems.items()), {"chrF": sacrebleu.CHRF(**options)}, [references], kind, draws
    )
    _, results = test()
    [name] = [key for key in results if key != "System"]
    return [result.p_value for result in results[name][1:]]


@pytest.mark.parametrize("pair", WMT23)
def test_p_values_equal_sacrebleus_on_wmt23(wmt23, pair, monkeypatch):
    seed = 12345 + WMT23.index(pair)
    monkeypatch.setenv("SACREBLEU_SEED", str(seed))
    columns = read_columns(wmt23, pair, step=3)
    references = columns.pop("refA")
    # Neighbours in the ranking, so that p-values are not all the smallest possible.
    ranked = sorted(columns, key=lambda name: chrf.corpus_score(columns[name], references).fraction)
    systems = {name: columns[name] for name in ranked[3:6]}
    names = list(systems)
    theirs = their_p_values(systems, references, "bs", 200)
    ours = paired_bootstrap(systems, references, iterations=200, seed=seed, rule="sacrebleu")
    assert [ours[names[0], other].sacrebleu_p_value for other in names[1:]] == theirs
    theirs = their_p_values(systems, references, "ar", 300)
    ours = paired_permutation(systems, references, iterations=300, seed=seed, rule="sacrebleu")
    assert [ours[names[0], other].p_value for other in names[1:]] == theirs


def test_p_values_equal_sacrebleus_on_random_corpora(monkeypatch):
    """Where there are no ties; sacreBLEU counts only those that its rounding makes larger."""
    source = random.Random("sacreBLEU")
    settled = 0
    for seed in range(1, CORPORA // 4):
        monkeypatch.setenv("SACREBLEU_SEED", str(seed))
        (first, second), rows = random_corpus(source, source.randint(6, 14), systems=2)
        references = [row[0] for row in rows]
        systems = {"A": first, "B": second}
        options = {"word_order": source.choice([0, 2]), "beta": source.choice([1, 2, 3])}
        settings = {"seed": seed, "iterations": 40, "rule": "sacrebleu", "distribution": True}
        [theirs] = their_p_values(systems, references, "ar", 40, **options)
        [ours] = paired_permutation(
            systems, references, exact_budget=0, **settings, **options
        ).pairs
        sizes, observed = np.abs(ours.distribution), abs(float(ours))
        strictly = ((sizes > observed + 1e-9).sum() + 1) / 41
        assert strictly <= theirs <= ours.p_value
        settled += strictly == ours.p_value
        [theirs] = their_p_values(systems, references, "bs", 40, **options)
        [ours] = paired_bootstrap(systems, references, **settings, **options).pairs
        sizes = np.abs(ours.distribution)
        low, high = (
            ((sizes - sizes.mean() > abs(float(ours)) + noise).sum() + 1) / 41
            for noise in (1e-4, -1e-4)  # their scores are of 32-bit floats
        )
        assert low <= theirs <= high
        assert low <= ours.sacrebleu_p_value <= high
        settled += low == high
    assert settled > 0.8 * 2 * (CORPORA // 4 - 1)


def test_comparison_is_symmetric():
    systems = {"A": BETTER, "B": WORSE}
    turned = {"B": WORSE, "A": BETTER}
    for function, settings in (
        (paired_permutation, {"exact_budget": 0, "iterations": 200}),
        (paired_permutation, {}),
        (paired_bootstrap, {"iterations": 200}),
    ):
        one = function(systems, REFERENCES, distribution=True, **settings)
        two = function(turned, REFERENCES, distribution=True, **settings)
        assert one["A", "B"].p_value == one["B", "A"].p_value == two["B", "A"].p_value
        assert one.systems == two.systems
        swapped = one["B", "A"]
        assert swapped.difference == -one["A", "B"].difference
        assert swapped.lower == -one["A", "B"].upper
        # The percentile bounds leave as many draws out at either end.
        assert swapped == two["B", "A"]
        assert (swapped.distribution == two["B", "A"].distribution).all()


def test_several_references():
    """Each system has its own best reference, and so its own reference counts."""
    references = [["the cat sat", "a feline"], ["one", "one two three"], ["x y", "y"]]
    first, second = ["the cat", "one two", "x"], ["feline", "one", "y"]
    result = paired_permutation([first, second], references)
    assert result.pairs[0].p_value == brute_force_p_of_counts(first, second, references)
    assert result.systems[0].score.reference_count == 2
    assert result.pairs[0].signature.startswith("nrefs:2|")
    tied = bootstrap_ci(["a"], [["a", "a"]], iterations=5)
    assert tied.score.tied_segments == 1


def brute_force_p_of_counts(first, second, references):
    counts = [chrf.counts(texts, references) for texts in (first, second)]
    differences = []
    for swaps in product([False, True], repeat=len(references)):
        stay = np.array(swaps)[:, None, None]
        a, b = (
            exact.score(np.where(stay, x, y).sum(axis=0).tolist(), Options())
            for x, y in (counts, counts[::-1])
        )
        differences.append(abs(a - b))
    return sum(d >= differences[0] for d in differences) / len(differences)


def test_a_system_compared_with_itself():
    for p in (
        chrf_permutation_test([REFERENCES], WORSE, WORSE),
        chrf_permutation_test([REFERENCES], WORSE, WORSE, two_tailed=False),
        paired_permutation([WORSE, WORSE], REFERENCES).pairs[0].p_value,
        paired_permutation([WORSE, WORSE], REFERENCES, exact_budget=0).pairs[0].p_value,
        paired_bootstrap([WORSE, WORSE], REFERENCES).pairs[0].p_value,
        paired_bootstrap([WORSE, WORSE], REFERENCES).pairs[0].sacrebleu_p_value,
    ):
        assert type(p) is float
        assert p == 1


def test_a_p_value_is_never_0():
    n = 40
    systems = {"A": ["the cat sat"] * n, "B": ["x"] * n}
    references = ["the cat sat"] * n
    permutation = paired_permutation(systems, references, iterations=99).pairs[0]
    assert (permutation.extreme, permutation.p_value) == (0, 0.01)
    assert paired_bootstrap(systems, references, iterations=99).pairs[0].p_value == 0.01
    p = chrf_permutation_test([references], systems["A"], systems["B"], 99, seed=1)
    assert p == 0.01


@pytest.mark.parametrize("largest", [2**20, 2**33, 2**50])
def test_large_counts(largest):
    """Past the range of fields in a word, and of the filter of nearest doubles."""
    generator = np.random.default_rng(1)
    rows = np.sort(generator.integers(1, largest, size=(2, 12, 1, 3)))[..., ::-1]
    options = Options(char_order=1)
    systems = {"A": rows[0], "B": rows[1]}
    result = paired_bootstrap(systems, char_order=1, iterations=50, distribution=True)
    indices = np.random.default_rng(12345).choice(12, size=(50, 12))
    for draw, difference in zip(indices, result.pairs[0].distribution, strict=True):
        a, b = (exact.score(c[draw].sum(axis=0).tolist(), options) for c in rows)
        assert difference == float(a) - float(b)
    swapped = paired_permutation(systems, char_order=1, iterations=100, exact_budget=0)
    assert swapped.pairs[0].method == "approximate randomization"
