"""Results as JSON, one object a line, from which nothing is missing.

Exact values are strings, as the contracts write them. Beside each stands the nearest double, a
number for programs that compare and plot, under a name that ends in ``_double``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from chrf.core.checks import shown
from chrf.core.score import Score
from chrf.report.layout import Layout
from chrf.report.results import Result, score_signature

# What is written as an exact fraction under its own name; others are under NAME_fraction.
_FRACTIONS = ("precision", "recall", "f_score", "average_precision", "average_recall")


def lines(results: Sequence[Result], layout: Layout) -> list[str]:
    """Return an object for each result; what the library's `to_dict` says, and where it is from."""
    return [_object(result, layout) for result in results]


def check_doubles(values: Mapping[str, Any], score: Score) -> None:
    """Raise ValueError for a double in a result read back that is not the nearest to its value.

    Parameters
    ----------
    values : mapping
        Read back as `score`; its doubles may be absent, as in older results.
    score : Score
    """
    right = _with_doubles(score.to_dict())
    _check(values, right, "")
    for given, order in zip(values["orders"], right["orders"], strict=True):
        _check(given, order, f"{order['type']} order {order['n']}: ")


def _check(values: Mapping[str, Any], right: Mapping[str, Any], where: str) -> None:
    for key, value in right.items():
        if key.endswith("_double") and key in values:
            given = values[key]
            if type(given) is bool or given != value:
                raise ValueError(f"{where}{key} is {shown(given)}, but {value} is nearest")


def _object(result: Result, layout: Layout) -> str:
    record = {"file": result.file, "system": result.system, **result.score.to_dict()}
    record["signature"] = score_signature(result.score, layout.short)
    standing = result.standing
    if standing.interval:
        record["interval"] = standing.interval.to_dict()
    if standing.rank:
        record["rank"], record["cluster"] = list(standing.rank), standing.cluster
        record["against_baseline"] = standing.against.to_dict() if standing.against else None
    if standing.compared:
        record["unresolved"] = standing.compared.unresolved
    if standing.pairs:
        record["pairs"] = [pair.to_dict() for pair in standing.pairs]
    return json.dumps(_with_doubles(record))


def _with_doubles(record: Any) -> Any:
    """Return a record, and those within it, with the nearest double after every exact value."""
    if isinstance(record, list):
        return [_with_doubles(item) for item in record]
    if not isinstance(record, dict):
        return record
    made = {}
    for key, value in record.items():
        made[key] = _with_doubles(value)
        name = key.removesuffix("_fraction")
        if name != key or key in _FRACTIONS:
            made[f"{name}_double"] = None if value is None else float(Fraction(value))
    return made
