"""The contracts: results, with their exact fractions."""

import json

import pytest

from chrf.contract import CONTRACTS

EXAMPLES = [(id, example) for id in CONTRACTS for example in CONTRACTS[id]["examples"]]


def pair(**options):
    return {"hypotheses": ["aa"], "references": ["ab"], **options}


@pytest.mark.parametrize(("contract", "example"), EXAMPLES)
def test_examples(run, contract, example):
    output = run(contract, example["input"])
    assert output == example["output"]
    assert json.dumps(output) == json.dumps(example["output"])  # order of keys, 2 and not 2.0


def test_the_examples_are_those_of_the_seeds():
    first, second = CONTRACTS["chrf-compute"]["examples"]
    assert first["output"]["score_fraction"] == "7116866012380/84081820977"
    assert first["output"]["segment_scores"] == ["84.411311", "84.867055"]
    assert second["input"] == {"hypotheses": ["aa"], "references": ["ab"], "beta": 3}
    assert second["output"]["score_fraction"] == "25/1"
    (only,) = CONTRACTS["chrf-components"]["examples"]
    assert only["input"] == second["input"]
    assert [order["f_score"] for order in only["output"]["orders"]] == ["1/2", "0/1"] + [None] * 4
    assert only["output"]["average_precision"] == only["output"]["average_recall"] == "1/4"


def test_components_with_everything_set(run):
    output = run(
        "chrf-components",
        {
            "averaging": "per_order_f",
            "include_whitespace": True,
            "lowercase": True,
            "beta": 1,
            "word_order": 1,
            "char_order": 1,
            "references": ["A b."],
            "hypotheses": ["a c"],
        },
    )
    # Characters a, space, c against a, space, b, full stop; words a, c against a, b, full stop.
    expected = {
        "char_order": 1,
        "word_order": 1,
        "beta": 1,
        "lowercase": True,
        "include_whitespace": True,
        "averaging": "per_order_f",
        "segment_count": 1,
        "orders": [
            {
                "type": "char",
                "n": 1,
                "hypothesis_ngrams": 3,
                "reference_ngrams": 4,
                "matching_ngrams": 2,
                "effective": True,
                "precision": "2/3",
                "recall": "1/2",
                "f_score": "4/7",
            },
            {
                "type": "word",
                "n": 1,
                "hypothesis_ngrams": 2,
                "reference_ngrams": 3,
                "matching_ngrams": 1,
                "effective": True,
                "precision": "1/2",
                "recall": "1/3",
                "f_score": "2/5",
            },
        ],
        "effective_order_count": 2,
        "average_precision": "7/12",
        "average_recall": "5/12",
        "score": "48.571429",
        "score_fraction": "340/7",
    }
    assert json.dumps(output) == json.dumps(expected)


def test_the_ends_of_the_scale(run):
    assert run("chrf-compute", pair(references=["aa"]))["score_fraction"] == "100/1"
    for hypothesis in ("x", "", " \n"):
        output = run("chrf-compute", pair(hypotheses=[hypothesis]))
        assert (output["score"], output["score_fraction"]) == ("0.000000", "0/1")
        assert output["segment_scores"] == ["0.000000"]
    output = run("chrf-components", pair(hypotheses=[""], references=["a"], char_order=1))
    (order,) = output["orders"]
    assert (order["precision"], order["recall"], order["f_score"]) == (None, "0/1", None)
    assert output["effective_order_count"] == 0
    assert output["average_precision"] == output["average_recall"] == "0/1"


def test_every_hypothesis_ngram_counts(run):
    noise = {
        "hypotheses": ["hello there", "noise noise noise"],
        "references": ["hello there", ""],
    }
    for name in ("chrf-compute", "chrf-components"):
        assert run(name, noise)["score_fraction"] == "144760250/1938127"
    # The two word orders: 2 of 5 and 1 of 3 match; the reference side matches whole.
    assert run("chrf-plus-plus-compute", noise)["score_fraction"] == "144322250/1934623"


@pytest.mark.parametrize(
    ("matches", "score", "fraction"),
    [
        (1, "0.195312", "25/128"),  # 0.1953125: a tie, and 2 is even
        (3, "0.585938", "75/128"),  # 0.5859375: a tie, and 7 is not
        (512, "100.000000", "100/1"),
    ],
)
def test_six_decimals_tie_to_even(run, matches, score, fraction):
    same_letters, rest = "a" * matches, 512 - matches
    texts = {
        "hypotheses": [same_letters + "b" * rest],
        "references": [same_letters + "c" * rest],
    }
    output = run("chrf-components", {**texts, "char_order": 1, "beta": 1})
    assert (output["score"], output["score_fraction"]) == (score, fraction)


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        ("ABC", "abc"),
        ("\u0391\u03a3", "\u03b1\u03c2"),  # a final sigma
        ("\u0391 \u03a3", "\u03b1 \u03c3"),  # not final: whitespace goes after lower-casing
        ("\u0130", "i\u0307"),  # one code point becomes two
    ],
)
def test_lowercase_maps_the_whole_text(run, contract, upper, lower):
    texts = {"hypotheses": [upper], "references": [lower]}
    assert run(contract, {**texts, "lowercase": True})["score"] == "100.000000"
    assert run(contract, {**texts, "lowercase": False})["score"] != "100.000000"
    assert run(contract, texts) == run(contract, {**texts, "lowercase": False})
