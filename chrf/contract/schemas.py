"""JSON schemas of the inputs and outputs.

The ranges belong to version 1.0.0 of the contracts. They stay as they are when the library's own
options grow, so they are not taken from ``chrf.core.options``. Each call makes a new value, so that
the contracts share nothing.
"""

from __future__ import annotations

from typing import Any

_FRACTION = r"^(0|[1-9][0-9]*)/[1-9][0-9]*$"
_SCORE = r"^(100\.000000|[0-9]{1,2}\.[0-9]{6})$"


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
    """Make a schema of exactly `properties`, all of them required unless `required` is given."""
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


def _ratio() -> dict[str, Any]:
    return {"type": ["string", "null"], "pattern": _FRACTION}


def _component_options() -> dict[str, dict[str, Any]]:
    return {
        "char_order": _integer(0, 10),
        "word_order": _integer(0, 4),
        "beta": _integer(1, 16),
        "lowercase": {"type": "boolean"},
        "include_whitespace": {"type": "boolean"},
        "averaging": {"type": "string", "enum": ["precision_recall", "per_order_f"]},
    }


def compute_input() -> dict[str, Any]:
    """Make the input schema of chrf-compute and chrf-plus-plus-compute."""
    options = {"beta": _integer(1, 16), "lowercase": {"type": "boolean"}}
    return _object({**_texts(), **options}, required=list(_texts()))


def compute_output() -> dict[str, Any]:
    """Make the output schema of chrf-compute."""
    return _compute_output("chrF", 0, {})


def plus_plus_output() -> dict[str, Any]:
    """Make the output schema of chrf-plus-plus-compute: that of chrf-compute, and tokens."""
    tokens = {
        name: _segments({"type": "array", "items": {"type": "string", "minLength": 1}})
        for name in ("hypothesis_tokens", "reference_tokens")
    }
    return _compute_output("chrF++", 2, tokens)


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


def components_input() -> dict[str, Any]:
    """Make the input schema of chrf-components."""
    return _object({**_texts(), **_component_options()}, required=list(_texts()))


def components_output() -> dict[str, Any]:
    """Make the output schema of chrf-components."""
    return _object(
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
    )


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
