"""Power, equivalence and runs where documents, strata or sets are drawn."""

import math
import random

import numpy as np
import pytest
from corpora import random_corpus

import chrf
from chrf.core import exact
from chrf.stats import compare_runs, compare_sets, paired_bootstrap, paired_permutation, power

DOCUMENTS = [i // 3 for i in range(75)]
STRATA = ["news" if i < 30 else "speech" for i in range(75)]


def corpus(seed="design", systems=2):
    hypotheses, rows = random_corpus(random.Random(seed), 75, systems)
    counts = {f"s{i}": chrf.counts(texts, rows) for i, texts in enumerate(hypotheses)}
    documents = {
        name: table.reshape(25, 3, *table.shape[1:]).sum(axis=1) for name, table in counts.items()
    }
    return counts, documents


def score(counts):
    return float(exact.score(counts.sum(axis=0).tolist(), chrf.Options()))


def test_documents_are_the_rows():
    """As if their counts had been added up before."""
    counts, documents = corpus()
    found = power(counts, documents=DOCUMENTS, segments=[25, 100])
    summed = power(documents, segments=[25, 100])
    assert (found.segments, found.unit) == (25, "documents")
    assert found.standard_error == summed.standard_error
    assert str(found) == str(summed).replace("segments", "documents")
    assert found.to_dict()["unit"] == "documents"
    for test in (paired_bootstrap, paired_permutation):
        settings = {"within": 20, "power": 0.8}
        [pair] = test(counts, documents=DOCUMENTS, **settings).pairs
        [expected] = test(documents, **settings).pairs
        assert pair.equivalence == expected.equivalence
        assert pair.power.standard_error == found.standard_error
        assert pair.power.unit == "documents"
        assert pair.one_tailed == expected.one_tailed
    counts, documents = corpus(systems=5)
    runs = [{"A": list(c.values())[:2], "B": list(c.values())[2:]} for c in (counts, documents)]
    by_documents = compare_runs(runs[0], documents=DOCUMENTS, iterations=50)
    assert by_documents.pairs == compare_runs(runs[1], iterations=50).pairs
    assert "|docs:25|" in by_documents.signature


def test_the_standard_error_is_that_within_strata():
    counts, _ = corpus()
    found = power(counts, strata=STRATA).standard_error
    one, two = counts.values()
    variance = 0
    for rows in (range(30), range(30, 75)):
        left_out = [
            score(np.delete(one, i, axis=0)) - score(np.delete(two, i, axis=0)) for i in rows
        ]
        n = len(rows)
        variance += (n - 1) / n * sum((d - sum(left_out) / n) ** 2 for d in left_out)
    assert found == pytest.approx(math.sqrt(variance), rel=1e-9)


@pytest.mark.parametrize("test", ["bootstrap", "permutation"])
def test_the_average_of_sets(test):
    """The variance of a mean of independent sets is the sum of theirs over their number squared."""
    sets = {name: corpus(name)[0] for name in ("x", "y", "z")}
    result = compare_sets(sets, test=test, within=30, power=0.8, iterations=500)
    [pair] = result.pairs
    errors = [power(systems).standard_error for systems in sets.values()]
    expected = math.sqrt(sum(error**2 for error in errors)) / 3
    assert pair.power.standard_error == pytest.approx(expected, rel=1e-9)
    assert pair.power.segments == 225
    assert pair.equivalence.p_value == 1 / (pair.equivalence.iterations + 1)
    near = float(abs(pair.difference))
    tight = compare_sets(sets, test=test, within=near, iterations=500).pairs[0].equivalence
    assert 0.2 < tight.p_value < 0.8


def test_few_documents_are_a_warning():
    counts, _ = corpus(systems=4)
    systems = {"A": list(counts.values())[:2], "B": list(counts.values())[2:]}
    with pytest.warns(UserWarning, match="documents are few, and there are only 5") as caught:
        compare_runs(systems, documents=[i // 15 for i in range(75)], iterations=20)
    assert caught[0].filename == __file__
