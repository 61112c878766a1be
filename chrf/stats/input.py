"""Text for the statistics: checked, in the right shape, and counted once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from chrf.core import counting, exact
from chrf.core.blocks import Counts
from chrf.core.checks import shown
from chrf.core.options import Options
from chrf.core.score import Score, from_totals
from chrf.core.segments import check_strings, read_segments
from chrf.core.source import PairSource
from chrf.sacrebleu.metric import CHRF
from chrf.sacrebleu.score import f_scores
from chrf.stats.deciding import Scored

if TYPE_CHECKING:
    from chrf.core.source import References

    Systems = Mapping[str, Iterable[str]] | Iterable[Iterable[str]]


class Metric(Protocol):
    """What is read of a metric: the options of ``chrf.sacrebleu.CHRF`` and ``sacrebleu.CHRF``."""

    char_order: int
    word_order: int
    beta: Any
    lowercase: bool
    whitespace: bool
    eps_smoothing: bool


@dataclass(frozen=True)
class Scorer:
    """A metric's options at work: exactly where they are rational, else in sacreBLEU's doubles.

    Attributes
    ----------
    engine : CHRF
        Counts as sacreBLEU does.
    options : Options or None
        None with a float beta, one that is not positive, or smoothing.
    """

    engine: CHRF
    options: Options | None

    @classmethod
    def of(cls, chrf: Metric | None) -> Scorer:
        """Read a metric's options, whichever package it is from."""
        if chrf is None:
            engine = CHRF()
        else:
            try:
                engine = CHRF(
                    char_order=chrf.char_order,
                    word_order=chrf.word_order,
                    beta=chrf.beta,
                    lowercase=bool(chrf.lowercase),
                    whitespace=bool(chrf.whitespace),
                    eps_smoothing=bool(chrf.eps_smoothing),
                )
            except AttributeError:
                raise TypeError(
                    f"chrf is {shown(chrf)}; it must be a CHRF of sacrebleu or of chrf.sacrebleu"
                ) from None
        beta = engine.beta
        if engine.eps_smoothing or isinstance(beta, float) or beta <= 0:
            return cls(engine, None)
        options = Options(
            beta=beta, char_order=engine.char_order, word_order=engine.word_order, rule="sacrebleu"
        )
        return cls(engine, options)

    def counts(self, hypotheses: list[str], rows: list[list[str]]) -> Counts:
        """Counts [segments, orders, 3], against the references that sacreBLEU takes for best."""
        streams = list(zip(*rows, strict=True))
        counts = self.engine._extract_corpus_statistics(hypotheses, streams)
        return counts.reshape(len(rows), self.engine.order, 3)

    def scored(self, counts: Counts) -> Scored:
        """Score rows of counts [rows, orders, 3]."""
        if self.options is not None:
            return Scored(counts, exact.row_scores(counts, self.options), self.options)
        flat = counts.reshape(len(counts), -1)
        return Scored(counts, f_scores(flat, self.engine.beta, self.engine.eps_smoothing), None)


def read_texts(name: str, texts: Iterable[str]) -> list[str]:
    """The strings of an iterable, at least one, in a list of our own."""
    items = _items(name, texts, "strings")
    check_strings(name, items)
    if not items:
        raise ValueError(f"there are no segments: {name} is empty")
    return items


def read_rows(references: Iterable[Iterable[str]], segments: int) -> list[list[str]]:
    """References given as one row for each segment."""
    rows = _read_table(references)
    if len(rows) != segments:
        message = f"hypotheses has {segments} items but references has {len(rows)} rows"
        if len(rows[0]) == segments:
            message += (
                "; the references look transposed: give one row for each hypothesis, not one list "
                "for each set of references: list(zip(*references))"
            )
        raise ValueError(message)
    return rows


def read_sets(references: Iterable[Iterable[str]], segments: int) -> list[list[str]]:
    """References given as whole sets, or as rows where they cannot be sets: as rows."""
    table = _read_table(references)
    if len(table[0]) == segments:
        return [list(row) for row in zip(*table, strict=True)]
    if len(table) == segments:
        return table
    raise ValueError(
        f"references has {len(table)} lists of {len(table[0])} strings; for {segments} hypotheses "
        f"give whole sets, lists of {segments} strings each (or {segments} rows, one for each "
        "hypothesis)"
    )


def count(source: PairSource, options: Options, threads: int) -> tuple[Counts, Score]:
    """Count each segment under the rule, and score the sum."""
    counts, totals = counting.counts_and_totals(source, options, threads)
    return counts, from_totals(totals, options)


def count_systems(
    systems: Systems, references: References, options: Options, threads: int
) -> tuple[dict[str, Counts], dict[str, Score]]:
    """Counts and score of each system by its name; the references are taken once."""
    shared: Any = references
    counts, scores = {}, {}
    for name, hypotheses in _named(systems):
        try:
            segments = read_segments(hypotheses, shared)
            counts[name], scores[name] = count(segments, options, threads)
        except (TypeError, ValueError) as error:
            if type(error) not in (TypeError, ValueError):  # of the caller's own iterable
                raise
            raise type(error)(f"{name}: {error}") from None
        if shared is references:
            shared = segments.references
            if segments.starts is not None:
                starts = segments.starts
                shared = [shared[a:b] for a, b in pairwise(starts)]
    return counts, scores


def _named(systems: Any) -> list[tuple[str, Any]]:
    """The systems with their names."""
    if isinstance(systems, Mapping) or hasattr(systems, "items"):  # a pandas DataFrame has items
        named = list(systems.items())
        for name, _ in named:
            if not isinstance(name, str):
                raise TypeError(f"systems has the name {shown(name)}; a name is a string")
        if len(dict(named)) != len(named):
            raise ValueError("systems has two of the same name")
        return named
    return [(f"system {i + 1}", texts) for i, texts in enumerate(_items("systems", systems))]


def _read_table(references: Iterable[Iterable[str]]) -> list[list[str]]:
    """Lists of strings, all of them equally long and not empty."""
    table = [
        list(row) if type(row) is list else _items(f"references[{i}]", row, "strings")
        for i, row in enumerate(_items("references", references))
    ]
    if not table:
        raise ValueError("references is empty")
    for i, row in enumerate(table):
        if len(row) != len(table[0]):
            raise ValueError(
                f"references[{i}] has {len(row)} items but references[0] has {len(table[0])}; "
                "all must be equally long"
            )
    if not table[0]:
        raise ValueError("references[0] is empty")
    for i, row in enumerate(table):
        check_strings(f"references[{i}]", row)
    return table


def _items(name: str, values: Any, items: str = "lists of strings") -> list[Any]:
    if isinstance(values, (str, bytes, bytearray, Mapping, set, frozenset)):
        raise TypeError(f"{name} is a {type(values).__name__}; give a list of {items}")
    try:
        return list(values)
    except TypeError:
        if hasattr(values, "__iter__"):
            raise
        raise TypeError(f"{name} is {type(values).__name__}; give a list of {items}") from None
