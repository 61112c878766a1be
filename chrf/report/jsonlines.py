"""Results as JSON, one object a line, from which nothing is missing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from chrf.report.layout import Layout
from chrf.report.results import SAMPLE, Result, RunsStanding, score_signature

COUNTED = ("orders", "effective_order_count", "average_precision", "average_recall")


def lines(results: Sequence[Result], layout: Layout) -> list[str]:
    """Return an object for each result; what the library's `to_dict` says, and where it is from."""
    return [_object(result, layout) for result in results]


def _object(result: Result, layout: Layout) -> str:
    record = {"file": result.file, "system": result.system, **result.score.to_dict()}
    if result.average:  # without what could be merged with the sets
        record = {name: value for name, value in record.items() if name not in COUNTED}
    record["signature"] = score_signature(result.score, layout.short)
    standing = result.standing
    record.update((SAMPLE[key], value) for key, value in standing.sample)
    if standing.interval:
        record["interval"] = standing.interval.to_dict()
    if standing.rank:
        record["rank"], record["cluster"] = list(standing.rank), standing.cluster
        record["against_baseline"] = standing.against.to_dict() if standing.against else None
    if standing.compared:
        record["unresolved"] = standing.compared.unresolved
    if standing.runs:
        record["runs"] = _runs(standing.runs)
    if standing.pairs:
        record["pairs"] = [pair.to_dict() for pair in standing.pairs]
    return json.dumps(record)


def _runs(standing: RunsStanding) -> dict[str, Any]:
    """Return what is said of all runs of the system that a run is of."""
    compared, against = standing.compared, standing.against
    return {
        **standing.summary.to_dict(),
        "against_baseline": against.to_dict() if against else None,
        "iterations": compared.iterations,
        "seed": compared.seed,
        "signature": compared.signature,
    }
