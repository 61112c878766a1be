"""What the contracts promise, as data: plain JSON values, ready for ``json.dumps``.

The ranges here belong to version 1.0.0 of the contracts. They stay as they are when the library's
own options grow, so they are not taken from ``chrf.core.options``.
"""

from __future__ import annotations

from typing import Any

_FRACTION = r"^(0|[1-9][0-9]*)/[1-9][0-9]*$"
_SCORE = r"^(100\.000000|[0-9]{1,2}\.[0-9]{6})$"


def _limits() -> dict[str, Any]:
    return {"max_segments": 256, "max_text_bytes": 65536}


def _integer(minimum: int, maximum: int | None = None) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer", "minimum": minimum}
    return schema if maximum is None else {**schema, "maximum": maximum}


def _text(pattern: str) -> dict[str, Any]:
    return {"type": "string", "pattern": pattern}


def _segments(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "minItems": 1, "maxItems": 256, "items": items}


def _object(
    properties: dict[str, dict[str, Any]], required: list[str] | None = None
) -> dict[str, Any]:
    """A schema of exactly these properties, all of them required unless `required` says less."""
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": list(properties) if required is None else required,
    }


def _texts() -> dict[str, dict[str, Any]]:
    return {
        "hypotheses": _segments({"type": "string"}),
        "references": _segments({"type": "string"}),
    }


def _compute_input() -> dict[str, Any]:
    options = {"beta": _integer(1, 16), "lowercase": {"type": "boolean"}}
    return _object({**_texts(), **options}, required=list(_texts()))


def _compute_output(
    metric: str, word_order: int, tokens: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    return _object(
        {
            "metric": {"type": "string", "const": metric},
            "char_order": {"type": "integer", "const": 6},
            "word_order": {"type": "integer", "const": word_order},
            "beta": _integer(1, 16),
            "lowercase": {"type": "boolean"},
            "segment_count": _integer(1, 256),
            "score": _text(_SCORE),
            "score_fraction": _text(_FRACTION),
            "segment_scores": _segments(_text(_SCORE)),
            **tokens,
        }
    )


def _component_options() -> dict[str, dict[str, Any]]:
    return {
        "char_order": _integer(0, 10),
        "word_order": _integer(0, 4),
        "beta": _integer(1, 16),
        "lowercase": {"type": "boolean"},
        "include_whitespace": {"type": "boolean"},
        "averaging": {"type": "string", "enum": ["precision_recall", "per_order_f"]},
    }


def _ratio() -> dict[str, Any]:
    return {"type": ["string", "null"], "pattern": _FRACTION}


def _order() -> dict[str, Any]:
    return _object(
        {
            "type": {"type": "string", "enum": ["char", "word"]},
            "n": _integer(1, 10),
            "hypothesis_ngrams": _integer(0),
            "reference_ngrams": _integer(0),
            "matching_ngrams": _integer(0),
            "effective": {"type": "boolean"},
            "precision": _ratio(),
            "recall": _ratio(),
            "f_score": _ratio(),
        }
    )


_WHITESPACE = (
    "U+0009-U+000D, U+001C-U+001F, U+0020, U+0085, U+00A0, U+1680, U+2000-U+200A, U+2028, U+2029, "
    "U+202F, U+205F, U+3000"
)
_INPUT_RULES = (
    "A number is an integer when its value is one, however it is written: 2.0 is 2. true and false "
    "are not numbers, and an option that is null is refused, not taken as left out. The input is "
    "only read."
)
_FIRST_CHECKS = (
    "The first check that fails decides the error, in this order: the input is a plain object; "
    "no unknown key; no missing key; hypotheses, then references (an array, 256 segments or fewer, "
    "one or more, each a string); as many hypotheses as references; 65536 bytes of UTF-8 or fewer "
    "in all texts together, a lone surrogate taken as 3; no lone surrogate; "
)
_CLIPPED = (
    "Matches are clipped: each distinct n-gram of the reference contributes the smaller of its two "
    "counts. Only orders of which both sides have an n-gram enter the means (sacreBLEU's effective "
    "order). The score is 0 when there is no such order or nothing matches."
)
_SUMMED = (
    "The corpus score is that of the counts summed over all segments, every n-gram of every "
    "hypothesis included. segment_scores treats each segment as a corpus of its own, in input "
    "order."
)
_ROUNDED = (
    "score and segment_scores are the exact values rounded to six decimals, a tie to the even "
    "digit. score_fraction is the exact value in lowest terms, from 0/1 to 100/1."
)
_WORDS = (
    "the text is split on runs of the same whitespace, and from a word of two code points or more "
    "one ASCII punctuation mark is split off, the last code point if it is one, else the first."
)
_LOWERCASE = (
    "lowercase defaults to false. With true, each whole text is first mapped by the runtime's "
    "Unicode default full lower-casing, as String.prototype.toLowerCase does."
)


def _compute() -> dict[str, Any]:
    return {
        "id": "chrf-compute",
        "version": "1.0.0",
        "description": (
            "Exact chrF of translations against their references: the character 6-gram F-score of "
            "Popovic (2015), for the whole corpus and for each segment."
        ),
        "supported_operations": [
            "score machine translation output against one reference per segment with chrF2",
            "corpus-level chrF over aligned hypotheses and references",
            "the chrF of every segment by itself",
            "chrF with another weight of recall, such as chrF3 (beta 3)",
            "the score as an exact reduced fraction, free of floating-point error",
        ],
        "unsupported_operations": [
            "word n-grams, as in chrF+ and chrF++ (chrf-plus-plus-compute; chrf-components has "
            "word_order)",
            "several references per segment",
            "the mean of per-order F-scores (chrf-components with averaging per_order_f)",
            "other metrics: BLEU, TER, METEOR, learned metrics",
            "Unicode normalization, detokenization, rules for single languages",
        ],
        "semantics": [
            "The score is 100 (1 + b^2) P R / (b^2 P + R), equation 1 of Popovic (2015): P and R "
            "are the arithmetic means of character n-gram precision and recall over the orders "
            "1 to 6, b is beta. It lies between 0 and 100.",
            "An n-gram is a run of Unicode code points of one text from which all whitespace has "
            f"been removed, that is {_WHITESPACE} (what Python's str.split() splits on). Every "
            "other code point stays, U+200B and U+FEFF too. Nothing is normalized: a composed and "
            "a decomposed spelling are different texts.",
            _CLIPPED,
            _SUMMED,
            f"beta defaults to 2, which gives chrF2. {_LOWERCASE}",
            _ROUNDED,
            _INPUT_RULES,
            _FIRST_CHECKS + "beta; lowercase.",
        ],
        "limits": _limits(),
        "input_schema": _compute_input(),
        "output_schema": _compute_output("chrF", 0, {}),
        "examples": [
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
        ],
    }


def _plus_plus() -> dict[str, Any]:
    tokens = {
        name: _segments({"type": "array", "items": {"type": "string", "minLength": 1}})
        for name in ("hypothesis_tokens", "reference_tokens")
    }
    return {
        "id": "chrf-plus-plus-compute",
        "version": "1.0.0",
        "description": (
            "Exact chrF++ of translations against their references (character 6-grams and word "
            "1-2-grams, Popovic 2017), for the whole corpus and for each segment, with the word "
            "tokens it scored. This contract is the chrf project's own."
        ),
        "supported_operations": [
            "score machine translation output against one reference per segment with chrF++",
            "chrF++ of aligned hypotheses and references, over the corpus and segment by segment",
            "the word tokens of both sides, as they were scored",
            "the score as an exact reduced fraction, free of floating-point error",
        ],
        "unsupported_operations": [
            "chrF without words (chrf-compute), other orders (chrf-components)",
            "several references per segment",
            "the mean of per-order F-scores (chrf-components with averaging per_order_f)",
            "other metrics: BLEU, TER, METEOR, learned metrics",
            "Unicode normalization, detokenization, rules for single languages",
        ],
        "semantics": [
            "Written by the chrf project after its contract chrf-compute: another service may "
            "have a tool of this name with another contract.",
            "The score is 100 (1 + b^2) P R / (b^2 P + R): P and R are the arithmetic means of "
            "n-gram precision and recall over eight orders, characters 1 to 6 and words 1 to 2 "
            "(Popovic 2017), b is beta. It lies between 0 and 100.",
            "A character n-gram is a run of Unicode code points of one text from which all "
            f"whitespace has been removed, that is {_WHITESPACE}. Nothing is normalized.",
            f"A word n-gram is a run of tokens as chrF++.py makes them: {_WORDS}",
            "hypothesis_tokens and reference_tokens list the tokens of each segment in input "
            "order, lower-cased if that was asked; a segment without words has an empty list.",
            _CLIPPED,
            _SUMMED,
            f"beta defaults to 2, which gives chrF2++. {_LOWERCASE}",
            _ROUNDED,
            _INPUT_RULES,
            _FIRST_CHECKS + "beta; lowercase.",
        ],
        "limits": _limits(),
        "input_schema": _compute_input(),
        "output_schema": _compute_output("chrF++", 2, tokens),
        "examples": [
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
        ],
    }


def _components() -> dict[str, Any]:
    return {
        "id": "chrf-components",
        "version": "1.0.0",
        "description": (
            "What a chrF, chrF+ or chrF++ score is made of: counts, precision, recall and F-score "
            "of every n-gram order, for orders and averaging of your choice."
        ),
        "supported_operations": [
            "precision, recall and F-score of each n-gram order of a chrF score",
            "counts of character and word n-grams and of their matches",
            "chrF with any character order up to 10 and word order up to 4, such as chrF++",
            "chrF that keeps whitespace as a character",
            "the mean of per-order F-scores, as chrF++.py averages, in exact arithmetic",
            "find the n-gram orders that lower a score",
        ],
        "unsupported_operations": [
            "several references per segment",
            "the 1e-16 that sacreBLEU's eps_smoothing gives to orders without matches",
            "a beta that is not an integer",
            "other metrics such as BLEU and TER",
            "Unicode normalization, rules for single languages",
        ],
        "semantics": [
            "orders lists the character orders 1 to char_order (default 6), then the word orders "
            "1 to word_order (default 0); the two cannot both be 0. Counts are sums over all "
            "segments. matching_ngrams is clipped: each distinct n-gram of a reference contributes "
            "the smaller of its two counts.",
            "A character n-gram is a run of Unicode code points. By default all whitespace is "
            f"removed first, that is {_WHITESPACE}; include_whitespace true keeps it. Nothing is "
            "normalized.",
            f"A word n-gram is a run of tokens as chrF++.py makes them: {_WORDS}",
            "precision is matches over hypothesis n-grams, recall matches over reference n-grams, "
            "f_score (1 + b^2) P R / (b^2 P + R) of the two with b = beta, 0/1 when nothing "
            "matches, all from 0 to 1. Each is null where a side it needs has no n-gram; an order "
            "is effective where both sides have one.",
            "average_precision and average_recall are arithmetic means over the effective orders, "
            "0/1 when there are none. With averaging precision_recall (the default) the score is "
            "100 times their F-score (Popovic 2015, 2017); with per_order_f it is 100 times the "
            "mean of f_score over all orders, null counting as 0 (chrF++.py).",
            f"beta defaults to 2. {_LOWERCASE}",
            "score is the exact value rounded to six decimals, a tie to the even digit. Every "
            "fraction is exact and in lowest terms.",
            _INPUT_RULES,
            _FIRST_CHECKS
            + "char_order; word_order, and then that the two are not both 0; beta; lowercase; "
            "include_whitespace; averaging.",
        ],
        "limits": _limits(),
        "input_schema": _object(
            {**_texts(), **_component_options()}, required=["hypotheses", "references"]
        ),
        "output_schema": _object(
            {
                **_component_options(),
                "segment_count": _integer(1, 256),
                "orders": {"type": "array", "minItems": 1, "maxItems": 14, "items": _order()},
                "effective_order_count": _integer(0, 14),
                "average_precision": _text(_FRACTION),
                "average_recall": _text(_FRACTION),
                "score": _text(_SCORE),
                "score_fraction": _text(_FRACTION),
            }
        ),
        "examples": [
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
        ],
    }


def _compute_example(
    input: dict[str, Any], scores: tuple[str, str, list[str]], **tokens: list[list[str]]
) -> dict[str, Any]:
    """An example of chrf-compute or, with tokens, of chrf-plus-plus-compute."""
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
    """A character order of the example, in which precision, recall and F are equal."""
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


CONTRACTS: dict[str, dict[str, Any]] = {
    contract["id"]: contract for contract in (_compute(), _plus_plus(), _components())
}
