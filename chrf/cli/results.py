"""From the counts of a table to the results that are printed: each table, or sets and average."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from chrf.cli.settings import Settings
from chrf.cli.statistics import StatisticsSettings, read_systems, standings
from chrf.core.blocks import Block, Totals
from chrf.core.options import RULES, Options
from chrf.core.score import Score, from_totals
from chrf.files.names import InputError
from chrf.files.rows import RowReader
from chrf.report.results import Result

if TYPE_CHECKING:
    from chrf.stats.systems import SystemCounts


class Gathered(NamedTuple):
    """What the rows of a table, or some of them, come to.

    Attributes
    ----------
    totals : list of Totals
        Of each system.
    flats : list of array.array
        The counts of each system's segments; empty unless they are kept.
    tied : list of lists of bool
        Whether references of a segment tie, for each system; empty unless tables are split.
    labels : dict of str to list of str
        Of the rows, by what they are the labels of.
    """

    totals: list[Totals]
    flats: list[array[int]]
    tied: list[list[bool]]
    labels: dict[str, list[str]]


def judge(reader: RowReader, gathered: Gathered, settings: Settings) -> list[Result]:
    """Return the results of a table, with its systems' standings if they are wanted."""
    results = scored(reader, reader.systems[0].file, gathered.totals, settings.options)
    if not settings.statistics.wanted:
        return results
    systems = _systems(reader, results, gathered)
    return _placed(results, systems, settings.statistics, settings.threads)


class Averaged:
    """The sets of a run, and the average over them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._sets: dict[str, list[Result]] = {}
        self._systems: dict[str, list[SystemCounts]] = {}

    def add(self, reader: RowReader, gathered: Gathered) -> list[Result]:
        """Return the results of the sets of a table: by its labels, or one."""
        settings = self._settings
        alone = settings.statistics._replace(paired=None)
        results: list[Result] = []
        for name, part in _split(reader, gathered):
            if name in self._sets:
                raise InputError(f"{name}:1: the same set twice cannot be averaged")
            found = scored(reader, name, part.totals, settings.options)
            systems = _systems(reader, found, part)
            self._sets[name], self._systems[name] = found, systems
            results += _placed(found, systems, alone, settings.threads)
        return results

    def results(self) -> list[Result]:
        """Return the average of every system, with its standing."""
        from chrf.stats.sets import average_systems

        average = self._settings.statistics.labels.average
        assert average is not None
        try:
            systems = average_systems(self._systems, average)
            others = average_systems(
                {
                    name: [
                        replace(system, score=result.other)
                        for system, result in zip(self._systems[name], results, strict=True)
                    ]
                    for name, results in self._sets.items()
                },
                average,
            )
        except ValueError as error:
            raise InputError(f"{self._settings.files[0]}:1: {error}") from None
        results = [
            Result(
                file=f"{average} average",
                system=system.name,
                score=system.score,
                other=other.score,
                short=sum(
                    result.short
                    for found in self._sets.values()
                    for result in found
                    if result.system == system.name
                ),
                average=average,
            )
            for system, other in zip(systems, others, strict=True)
        ]
        return _placed(results, systems, self._settings.statistics, self._settings.threads)


def scored(
    reader: RowReader, name: str, totals: Sequence[Totals], options: Options
) -> list[Result]:
    """Return the score of each system under both rules; `name` is that of the file or the set."""
    other = replace(options, rule=next(rule for rule in RULES if rule != options.rule))
    return [
        Result(
            file=name if name != reader.systems[0].file else system.file,
            system=system.name,
            score=from_totals(total, options),
            other=from_totals(total, other),
            short=total.short,
        )
        for system, total in zip(reader.systems, totals, strict=True)
    ]


def _systems(
    reader: RowReader, results: Sequence[Result], gathered: Gathered
) -> list[SystemCounts]:
    scores = [result.score for result in results if isinstance(result.score, Score)]
    file, set_name = reader.systems[0].file, results[0].file
    names = [system.name for system in reader.systems]
    try:
        return read_systems(names, gathered.flats, scores, gathered.labels)
    except ValueError as error:
        where = f"{file}:1: " + (f"{set_name}: " if set_name != file else "")
        raise InputError(f"{where}{error}") from None


def _placed(
    results: Sequence[Result],
    systems: Sequence[SystemCounts],
    settings: StatisticsSettings,
    threads: int,
) -> list[Result]:
    placed = standings(results[0].file, systems, settings, threads)
    return [
        replace(result, standing=standing) for result, standing in zip(results, placed, strict=True)
    ]


def _split(reader: RowReader, gathered: Gathered) -> Iterator[tuple[str, Gathered]]:
    """Yield the rows of each set; those of the whole table where there are no labels of sets."""
    if "by" not in gathered.labels:
        yield reader.systems[0].file, gathered
        return
    import numpy as np

    marks = gathered.labels["by"]
    counts = [
        np.frombuffer(flat, dtype=np.int64).reshape(len(marks), -1) for flat in gathered.flats
    ]
    rows_of: dict[str, list[int]] = {}
    for row, name in enumerate(marks):
        rows_of.setdefault(name, []).append(row)
    for name, rows in rows_of.items():
        flats = [array("q", part[rows].tobytes()) for part in counts]
        tied = [[ties[row] for row in rows] for ties in gathered.tied]
        totals = [
            _totals(flat, part[0].size // 3, ties, len(reader.references))
            for flat, part, ties in zip(flats, counts, tied, strict=True)
        ]
        labels = {
            kind: [values[row] for row in rows]
            for kind, values in gathered.labels.items()
            if kind != "by"
        }
        yield name, Gathered(totals, flats, tied, labels)


def _totals(flat: array[int], orders: int, tied: Sequence[bool], references: int) -> Totals:
    """Return what some rows come to, all of which have so many references."""
    totals = Block(flat, orders).totals()
    totals.tied = sum(tied)
    totals.references = totals.segments * references
    totals.reference_squares = totals.segments * references**2
    return totals
