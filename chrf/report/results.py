"""What is shown of a system: its score, and what the statistics say of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chrf.core.score import Score

if TYPE_CHECKING:
    from chrf.stats.records import BootstrapInterval, Comparison, Comparisons


@dataclass(frozen=True)
class Standing:
    """What the statistics say of one system.

    Attributes
    ----------
    interval : BootstrapInterval or None
    against : Comparison or None
        With the baseline; None for the baseline itself.
    rank : tuple of (int, int) or None
    cluster : int or None
    pairs : tuple of Comparison
        With every system after it, if all pairs were asked for.
    compared : Comparisons or None
        The test that the system took part in.
    """

    interval: BootstrapInterval | None = None
    against: Comparison | None = None
    rank: tuple[int, int] | None = None
    cluster: int | None = None
    pairs: tuple[Comparison, ...] = ()
    compared: Comparisons | None = None


@dataclass(frozen=True)
class Result:
    """The score of one system on one file.

    Attributes
    ----------
    file, system : str
    score : Score
    other : Score
        Of the same counts under the other rule.
    short : int
        Segments with a reference too short for an n-gram order of the hypothesis.
    standing : Standing
        Empty without intervals and tests.
    """

    file: str
    system: str
    score: Score
    other: Score
    short: int
    standing: Standing = field(default_factory=Standing)


def full_name(result: Result, results: Sequence[Result]) -> str:
    """Return the name of a system, with its file where there are several."""
    if result.system == result.file or not several_files(results):
        return result.system
    return f"{result.system} in {result.file}"


def several_files(results: Sequence[Result]) -> bool:
    """Tell whether the results are of more than one file."""
    return len({result.file for result in results}) > 1


def score_signature(score: Score, short: bool) -> str:
    """Return the signature of a score, with sacreBLEU's one-letter keys if it is to be `short`."""
    return score.options.signature(score.reference_count, score.segment_count, short=short)


def signatures(results: Sequence[Result], short: bool) -> list[str]:
    """Return how the scores were made, once each."""
    return list(dict.fromkeys(score_signature(result.score, short) for result in results))


def statistics_signatures(results: Sequence[Result]) -> list[str]:
    """Return how the intervals and tests were made, once each."""
    made: dict[str, None] = {}
    for standing in (result.standing for result in results):
        records = [standing.interval, standing.against, *standing.pairs]
        made.update(dict.fromkeys(record.signature for record in records if record))
    return list(made)


def legends(results: Sequence[Result]) -> list[str]:
    """Return what p-values, ranks and clusters are of, once each."""
    return list(dict.fromkeys(r.standing.compared.legend for r in results if r.standing.compared))
