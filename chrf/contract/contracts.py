"""The contracts as data: plain JSON values, ready for ``json.dumps``."""

from __future__ import annotations

from typing import Any

from chrf.contract import examples, schemas

_WHITESPACE = (
    "U+0009-U+000D, U+001C-U+001F, U+0020, U+0085, U+00A0, U+1680, U+2000-U+200A, U+2028, U+2029, "
    "U+202F, U+205F, U+3000"
)
_INPUT_RULES = (
    "A number is an integer when its value is one, however it is written: 2.0 is 2. true and false "
    "are not numbers, and an option that is null is an error, not taken as left out. The input is "
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

_COMPUTE: dict[str, Any] = {
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
    "limits": {"max_segments": 256, "max_text_bytes": 65536},
    "input_schema": schemas.compute_input(),
    "output_schema": schemas.compute_output(),
    "examples": examples.compute(),
}

_PLUS_PLUS: dict[str, Any] = {
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
    "limits": {"max_segments": 256, "max_text_bytes": 65536},
    "input_schema": schemas.compute_input(),
    "output_schema": schemas.plus_plus_output(),
    "examples": examples.plus_plus(),
}

_COMPONENTS: dict[str, Any] = {
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
    "limits": {"max_segments": 256, "max_text_bytes": 65536},
    "input_schema": schemas.components_input(),
    "output_schema": schemas.components_output(),
    "examples": examples.components(),
}

CONTRACTS: dict[str, dict[str, Any]] = {
    contract["id"]: contract for contract in (_COMPUTE, _PLUS_PLUS, _COMPONENTS)
}
