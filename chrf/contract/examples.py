"""The examples of the contracts: inputs, and their outputs to the last digit."""

from __future__ import annotations

from typing import Any


def compute() -> list[dict[str, Any]]:
    """Make the examples of chrf-compute."""
    return [
        _compute_example(
            {
                "hypotheses": [
                    "The relationship between cats and dogs is not exactly friendly.",
                    "a good bookshop is just a genteel black hole that knows how to read.",
                ],
                "references": [
                    "The relationship between dogs and cats is not exactly friendly.",
                    "A good bookshop is just a genteel Black Hole that knows how to read.",
                ],
            },
            ("84.642149", "7116866012380/84081820977", ["84.411311", "84.867055"]),
        ),
        _compute_example(
            {"hypotheses": ["aa"], "references": ["ab"], "beta": 3},
            ("25.000000", "25/1", ["25.000000"]),
        ),
    ]


def plus_plus() -> list[dict[str, Any]]:
    """Make the examples of chrf-plus-plus-compute."""
    return [
        _compute_example(
            {
                "hypotheses": ["It rains (again).", "aa"],
                "references": ["It is raining (again)!", "ab"],
                "lowercase": True,
            },
            ("34.517475", "17647400444825/511259894616", ["36.143654", "16.666667"]),
            hypothesis_tokens=[["it", "rains", "(again)", "."], ["aa"]],
            reference_tokens=[["it", "is", "raining", "(again)", "!"], ["ab"]],
        ),
    ]


def components() -> list[dict[str, Any]]:
    """Make the examples of chrf-components."""
    return [
        {
            "input": {"hypotheses": ["aa"], "references": ["ab"], "beta": 3},
            "output": {
                "char_order": 6,
                "word_order": 0,
                "beta": 3,
                "lowercase": False,
                "include_whitespace": False,
                "averaging": "precision_recall",
                "segment_count": 1,
                "orders": [
                    _example_order(1, (2, 2, 1), True, "1/2"),
                    _example_order(2, (1, 1, 0), True, "0/1"),
                    *(_example_order(n, (0, 0, 0), False, None) for n in (3, 4, 5, 6)),
                ],
                "effective_order_count": 2,
                "average_precision": "1/4",
                "average_recall": "1/4",
                "score": "25.000000",
                "score_fraction": "25/1",
            },
        }
    ]


def _compute_example(
    input: dict[str, Any], scores: tuple[str, str, list[str]], **tokens: list[list[str]]
) -> dict[str, Any]:
    """Make an example of chrf-compute or, with tokens, of chrf-plus-plus-compute."""
    output = {
        "metric": "chrF++" if tokens else "chrF",
        "char_order": 6,
        "word_order": 2 if tokens else 0,
        "beta": input.get("beta", 2),
        "lowercase": input.get("lowercase", False),
        "segment_count": len(input["hypotheses"]),
        "score": scores[0],
        "score_fraction": scores[1],
        "segment_scores": scores[2],
        **tokens,
    }
    return {"input": input, "output": output}


def _example_order(
    n: int, counts: tuple[int, int, int], effective: bool, ratio: str | None
) -> dict[str, Any]:
    """Make a character order of the example, in which precision, recall and F are equal."""
    return {
        "type": "char",
        "n": n,
        "hypothesis_ngrams": counts[0],
        "reference_ngrams": counts[1],
        "matching_ngrams": counts[2],
        "effective": effective,
        "precision": ratio,
        "recall": ratio,
        "f_score": ratio,
    }
