"""All pairs of several systems: shared draws, adjusted p-values, ranks, records."""

import json
import random
from fractions import Fraction
from itertools import combinations

import pytest
from corpora import BETTER, FEW_SEGMENTS, REFERENCES, WORSE, read_columns

from chrf.stats import bootstrap_ci, estimates, paired_bootstrap, paired_permutation

pytestmark = FEW_SEGMENTS


def test_all_pairs_share_their_draws():
    """Three tests of three systems, each as if it had been made alone."""
    systems = {"A": BETTER, "B": WORSE, "C": REFERENCES[::-1]}
    for function, settings in (
        (paired_permutation, {"exact_budget": 0, "iterations": 300}),
        (paired_permutation, {}),
        (paired_bootstrap, {"iterations": 300}),
    ):
        together = function(systems, REFERENCES, **settings)
        assert [(p.first, p.second) for p in together.pairs] == [("A", "B"), ("A", "C"), ("B", "C")]
        for a, b in combinations(systems, 2):
            alone = function({a: systems[a], b: systems[b]}, REFERENCES, **settings)[a, b]
            both = together[a, b]
            assert (alone.p_value, alone.bounds) == (both.p_value, both.bounds)
            assert both.adjusted_p_value >= alone.adjusted_p_value == alone.p_value


def test_a_pair_has_the_interval_that_it_has_alone():
    """Also where its permutations are listed and those of another pair are drawn."""
    references = [f"{chr(97 + i)} common line {i}" for i in range(20)]
    systems = {
        "A": references,
        "B": ["changed"] * 3 + references[3:],
        "C": [line[i % 5 :] + "x" for i, line in enumerate(references)],
    }
    together = paired_permutation(systems, references)
    methods = {pair.method for pair in together.pairs}
    assert methods == {"exact permutation", "approximate randomization"}
    for pair in together.pairs:
        names = pair.first, pair.second
        alone = paired_permutation({name: systems[name] for name in names}, references)
        assert alone[names].bounds == pair.bounds
        assert alone[names].signature == pair.signature
    for system in together.systems:
        assert system.bounds == bootstrap_ci(systems[system.name], references).bounds


def test_holm_equals_statsmodels():
    multitest = pytest.importorskip(
        "statsmodels.stats.multitest", reason="statsmodels is not installed"
    )
    source = random.Random("holm")
    for size in range(1, 30):
        p_values = [source.choice([source.random() ** 3, 0.01, 0.5]) for _ in range(size)]
        theirs = multitest.multipletests(p_values, method="holm")[1]
        assert estimates.holm(p_values) == pytest.approx(theirs.tolist(), rel=1e-12)


def test_ranks_and_clusters():
    names = ["a", "b", "c", "d", "e"]
    better = {("a", x) for x in "cde"} | {("b", x) for x in "cde"} | {("c", "e")}
    assert estimates.ranking(names, better) == [
        ((1, 2), 1),
        ((1, 2), 1),
        ((3, 4), 2),
        ((3, 5), 2),
        ((4, 5), 2),
    ]
    assert estimates.ranking(names, set()) == [((1, 5), 1)] * 5
    everything = set(combinations(names, 2))
    assert estimates.ranking(names, everything) == [((n, n), n) for n in range(1, 6)]


def test_table_of_wmt23(wmt23):
    columns = read_columns(wmt23, "en-cs")
    references = columns.pop("refA")
    names = ["ONLINE-W", "GTCOM_Peter", "NLLB_Greedy", "CUNI-DocTransformer", "ONLINE-B"]
    systems = {name: columns[name] for name in names}
    result = paired_permutation(systems, references, iterations=1000)
    assert result.clusters == (
        ("ONLINE-W",),
        ("ONLINE-B",),
        ("GTCOM_Peter", "CUNI-DocTransformer"),
        ("NLLB_Greedy",),
    )
    assert [system.rank for system in result.systems] == [(1, 1), (2, 2), (3, 4), (3, 4), (5, 5)]
    assert not result["GTCOM_Peter", "CUNI-DocTransformer"].significant
    top = result.systems[0]
    alone = bootstrap_ci(systems["ONLINE-W"], references, iterations=1000, seed=12345)
    assert top.score == alone.score
    assert top.standard_deviation == pytest.approx(alone.standard_deviation, rel=0.2)
    record = json.loads(json.dumps(result.to_dict()))
    assert record["clusters"] == [list(cluster) for cluster in result.clusters]
    assert record["systems"][0]["score"] == str(top.score)
    assert len(record["pairs"]) == 10
    text = str(result)
    assert text.startswith("ONLINE-W             76.260857  [")
    assert "GTCOM_Peter - CUNI-DocTransformer = 0.222261 [" in text


def test_comparison_record():
    result = paired_bootstrap({"A": BETTER, "B": WORSE}, REFERENCES, iterations=100, seed=3)
    pair = result["A", "B"]
    assert float(pair) == float(pair.difference)
    assert pair.distribution is None
    assert str(pair).startswith("A - B = 28.739519 [")
    assert "|bs:100|seed:3|" in pair.signature
    record = json.loads(json.dumps(pair.to_dict()))
    assert record["difference"] == "28.739519"
    assert Fraction(record["difference_fraction"]) == pair.difference
    assert record["p_value"] == pair.p_value > 0
    with pytest.raises(KeyError):
        result["A", "C"]
    exactly = paired_permutation([BETTER, WORSE], REFERENCES, iterations=100).pairs[0]
    assert "|perm:8|bs:1000|seed:12345|" in exactly.signature
    sampled = paired_permutation(
        [BETTER, WORSE], REFERENCES, iterations=100, exact_budget=0, interval_iterations=0
    )
    assert "|ar:100|seed:12345|" in sampled.pairs[0].signature
    assert sampled.pairs[0].bounds is sampled.systems[0].bounds is None
    assert sampled.pairs[0].lower is sampled.pairs[0].upper is None
    assert "lower" not in sampled.to_dict()["pairs"][0]
    one_tailed = paired_bootstrap([BETTER, WORSE], REFERENCES, two_tailed=False)
    assert one_tailed.pairs[0].sacrebleu_p_value is None
    with pytest.raises(ValueError, match="one-tailed"):
        one_tailed.pairs[0].swapped()


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
def test_columns_of_a_table_are_systems(library):
    module = pytest.importorskip(library, reason=f"{library} is not needed by the package")
    systems = {"better": BETTER, "worse": WORSE}
    table = module.table(systems) if library == "pyarrow" else module.DataFrame(systems)
    found = paired_bootstrap(table, REFERENCES, iterations=100)
    assert found == paired_bootstrap(systems, REFERENCES, iterations=100)
    assert [system.name for system in found.systems] == ["better", "worse"]
