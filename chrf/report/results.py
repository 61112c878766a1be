"""What is shown of a system: its score, and what the statistics say of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chrf.core.mean import MeanScore
from chrf.core.score import Score

if TYPE_CHECKING:
    from chrf.stats.records import BootstrapInterval, Comparison, Comparisons
    from chrf.stats.run_records import RunsComparison, RunsComparisons, SystemRuns

# What samples are called in results, by their keys in signatures.
SAMPLE = {"sets": "sets", "average": "average", "strata": "strata", "docs": "documents"}


@dataclass(frozen=True)
class RunsStanding:
    """What the statistics say of a training run of a system.

    Attributes
    ----------
    system, baseline : str
    compared : RunsComparisons
    """

    system: str
    baseline: str
    compared: RunsComparisons

    @property
    def summary(self) -> SystemRuns:
        """The runs of the system together."""
        return next(s for s in self.compared.systems if s.name == self.system)

    @property
    def against(self) -> RunsComparison | None:
        """The comparison with the baseline; None for the baseline itself."""
        if self.system == self.baseline:
            return None
        return self.compared[self.system, self.baseline]


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
    note : str or None
        What is to be said of all systems of the file.
    sample : tuple of (str, int or str)
        How many documents, strata and sets there are.
    runs : RunsStanding or None
        Where the system is a training run of another.
    """

    interval: BootstrapInterval | None = None
    against: Comparison | None = None
    rank: tuple[int, int] | None = None
    cluster: int | None = None
    pairs: tuple[Comparison, ...] = ()
    compared: Comparisons | None = None
    note: str | None = None
    sample: tuple[tuple[str, int | str], ...] = ()
    runs: RunsStanding | None = None


@dataclass(frozen=True)
class Result:
    """The score of one system on one file or set, or the average over several.

    Attributes
    ----------
    file, system : str
    score : Score or MeanScore
    other : Score or MeanScore
        Of the same counts under the other rule.
    short : int
        Segments with a reference too short for an n-gram order of the hypothesis.
    standing : Standing
        Empty without intervals and tests.
    average : {"macro", "micro"} or None
    """

    file: str
    system: str
    score: Score | MeanScore
    other: Score | MeanScore
    short: int
    standing: Standing = field(default_factory=Standing)
    average: str | None = None


def full_name(result: Result, results: Sequence[Result]) -> str:
    """Return the name of a system, with its file where there are several."""
    if result.system == result.file or not several_files(results):
        return result.system
    return f"{result.system} in {result.file}"


def several_files(results: Sequence[Result]) -> bool:
    """Tell whether the results are of more than one file."""
    return len({result.file for result in results}) > 1


def score_signature(score: Score | MeanScore, short: bool) -> str:
    """Return the signature of a score, with sacreBLEU's one-letter keys if it is to be `short`."""
    sample = score.sample if isinstance(score, MeanScore) else None
    return score.options.signature(
        score.reference_count, score.segment_count, short=short, sample=sample
    )


def signatures(results: Sequence[Result], short: bool) -> list[str]:
    """Return how the scores were made, once each."""
    return list(dict.fromkeys(score_signature(result.score, short) for result in results))


def statistics_signatures(results: Sequence[Result]) -> list[str]:
    """Return how the intervals and tests were made, once each."""
    made: dict[str, None] = {}
    for standing in (result.standing for result in results):
        compared = standing.runs.compared if standing.runs else None
        records = [standing.interval, standing.against, *standing.pairs, compared]
        made.update(dict.fromkeys(record.signature for record in records if record))
    return list(made)


def legends(results: Sequence[Result]) -> list[str]:
    """Return what p-values, ranks and clusters are of, and what the tests can find, once each."""
    lines: dict[str, None] = {}
    tests: dict[int, list[Standing]] = {}
    for standing in (result.standing for result in results):
        if standing.compared:
            lines[standing.compared.legend] = None
            tests.setdefault(id(standing.compared), []).append(standing)
        if standing.runs:
            lines[standing.runs.compared.legend] = None
    lines.update(dict.fromkeys(filter(None, map(_power_line, tests.values()))))
    return list(lines)


def _power_line(standings: Sequence[Standing]) -> str | None:
    """Say in one line what a test can find of the pairs that are shown."""
    pairs = [pair for standing in standings for pair in standing.pairs]
    shown = pairs or [standing.against for standing in standings if standing.against]
    powers = [pair.power for pair in shown if pair.power]
    if not powers:
        return None
    level = f"{powers[0].alpha}{f'/{powers[0].tests}' if powers[0].tests > 1 else ''}"
    found = _range(sorted(power.smallest_difference() for power in powers), ".2f")
    line = (
        f"power {powers[0].power} at alpha {level}: {powers[0].segments} {powers[0].unit} show "
        f"differences from {found} points on"
    )
    needed = sorted(n for power in powers if (n := power.segments_needed) is not None)
    if not needed:
        return line
    return f"{line}; those found need {_range(needed, 'd')} {powers[0].unit}"


def _range(ascending: Sequence[float], form: str) -> str:
    """Return the ends of a range, once where they are written alike."""
    return " to ".join(dict.fromkeys(format(end, form) for end in (ascending[0], ascending[-1])))
