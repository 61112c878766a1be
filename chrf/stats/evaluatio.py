"""The interface of the package evaluatio: `chrf_ci` and `chrf_permutation_test`.

`MetricCounter` reads the options of a metric of either package; `read_rows` and `read_sets` read
the two shapes of references that evaluatio has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np

from chrf.core import exact, resampling
from chrf.core.blocks import Counts
from chrf.core.checks import counted, shown
from chrf.core.forms.columns import as_strings
from chrf.core.forms.segments import check_strings
from chrf.core.options import Options
from chrf.core.resampling import Draws
from chrf.sacrebleu.formula import f_scores
from chrf.sacrebleu.metric import CHRF
from chrf.stats.deciding import MeanDifference, Scored
from chrf.stats.input import items_of
from chrf.stats.records import ConfidenceInterval

Shape: TypeAlias = Literal["rows", "sets"]


class Metric(Protocol):
    """What is read of a metric: the options of ``chrf.sacrebleu.CHRF`` and ``sacrebleu.CHRF``."""

    char_order: int
    word_order: int
    beta: Any
    lowercase: bool
    whitespace: bool
    eps_smoothing: bool


@dataclass(frozen=True)
class MetricCounter:
    """Counts and scores with a metric's options: exactly, or in sacreBLEU's doubles.

    Attributes
    ----------
    engine : CHRF
        Counts as sacreBLEU does.
    options : Options or None
        None where scores are sacreBLEU's doubles: with a float beta, one that is not positive, or
        smoothing.
    """

    engine: CHRF
    options: Options | None

    @classmethod
    def of(cls, chrf: Metric | None) -> MetricCounter:
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
        """Count each segment against its best reference for sacreBLEU: [segments, orders, 3]."""
        streams = list(zip(*rows, strict=True))
        counts = self.engine._extract_corpus_statistics(hypotheses, streams)
        return counts.reshape(len(rows), self.engine.order, 3)

    def scored(self, counts: Counts) -> Scored:
        """Score rows of counts [rows, orders, 3]."""
        if self.options is not None:
            return Scored(counts, exact.row_scores(counts, self.options), self.options)
        flat = counts.reshape(len(counts), -1)
        return Scored(counts, f_scores(flat, self.engine.beta, self.engine.eps_smoothing), None)


def chrf_ci(
    references: Iterable[Iterable[str]],
    hypotheses: Iterable[str],
    iterations: int = 1000,
    alpha: float = 0.05,
    chrf: Metric | None = None,
    seed: int = 0,
    *,
    references_are: Shape | None = None,
) -> ConfidenceInterval:
    """Return the percentile bootstrap interval of a corpus score, drawn as evaluatio draws it.

    Parameters
    ----------
    references : iterable of iterables of str
        One row of reference strings for each hypothesis; all rows are equally long.
    hypotheses : iterable of str
        One for each segment.
    iterations : int
        The number of resamples.
    alpha : float
        The interval holds ``1 - alpha`` of the resamples.
    chrf : chrf.sacrebleu.CHRF or sacrebleu.CHRF, optional
        The metric whose options are used; by default chrF2 with sacreBLEU's defaults.
    seed : int
        The seed of the NumPy generator, any non-negative integer.
    references_are : {"rows", "sets"}, optional
        What `references` are: one row for each hypothesis, or whole sets of references. By default
        rows. A table of as many sets as hypotheses can be read both ways and needs to be told.

    Returns
    -------
    ConfidenceInterval
        `score`, `lower` and `upper`, 0 to 100. With the same seed evaluatio draws the same
        resamples; its bounds differ by the rounding of its 32-bit floats.

    Raises
    ------
    TypeError
        A string where a list was meant, an item that is not a string, a seed that is no integer.
    ValueError
        No segments, rows of unequal lengths, not one row for each hypothesis, a table that may be
        rows or sets, a negative seed.

    Examples
    --------
    >>> chrf_ci([["the cat sat"]], ["the cat sat"])
    ConfidenceInterval(score=100.0, lower=100.0, upper=100.0)
    """
    metric = MetricCounter.of(chrf)
    if seed is None:
        raise TypeError("seed is None; it must be an integer of at least 0")
    draws = Draws.checked(iterations, alpha, seed)
    texts = read_texts("hypotheses", hypotheses)
    counts = metric.counts(texts, read_rows(references, len(texts), references_are))
    sums = resampling.resample_sums_by_place(counts, draws.iterations, draws.generator())
    percentages = [100 * draws.alpha / 2, 100 * (1 - draws.alpha / 2)]
    lower, upper = np.percentile(metric.scored(sums).scores, percentages).tolist()
    [score] = metric.scored(counts.sum(axis=0, keepdims=True)).scores.tolist()
    return ConfidenceInterval(score, lower, upper)


def chrf_permutation_test(
    references: Iterable[Iterable[str]],
    hypotheses1: Iterable[str],
    hypotheses2: Iterable[str],
    iterations: int = 10000,
    two_tailed: bool = True,
    chrf: Metric | None = None,
    seed: int | None = None,
    *,
    references_are: Shape | None = None,
) -> float:
    """Return the p-value of evaluatio's paired permutation test of mean sentence scores.

    Parameters
    ----------
    references : iterable of iterables of str
        Whole sets of references, each with one string for each hypothesis. One row of references
        for each hypothesis is accepted too, where it cannot be whole sets.
    hypotheses1, hypotheses2 : iterable of str
        The hypotheses of the two systems.
    iterations : int
        The number of random permutations.
    two_tailed : bool
        True asks whether the systems differ, False whether system 1 is better.
    chrf : chrf.sacrebleu.CHRF or sacrebleu.CHRF, optional
        The metric whose options are used; by default chrF2 with sacreBLEU's defaults.
    seed : int, optional
        Any non-negative integer. Each call draws a fresh one by default.
    references_are : {"rows", "sets"}, optional
        What `references` are: one row for each hypothesis, or whole sets of references. By default
        sets, or rows where the shape fits nothing else. A table of as many sets as hypotheses can
        be read both ways and needs to be told.

    Returns
    -------
    float
        ``(count + 1) / (iterations + 1)``, where `count` is the number of permutations whose
        difference of means is at least as extreme as the observed one. Equality is exact.

    Raises
    ------
    TypeError
        A string where a list was meant, an item that is not a string, a seed that is no integer.
    ValueError
        No segments, lengths that fit neither shape of references or both, a negative seed.

    Notes
    -----
    The mean of sentence scores is not the corpus score, and the two may even disagree on which
    system is better: see `paired_permutation`.

    Examples
    --------
    >>> references = [["the cat sat", "a dog ran"]]
    >>> chrf_permutation_test(references, ["the cat sat", "a dog"], ["the cat sat", "a dog"])
    1.0
    """
    metric = MetricCounter.of(chrf)
    draws = Draws.checked(iterations, 0.5, seed)
    if not isinstance(two_tailed, bool):
        raise TypeError(f"two_tailed is {shown(two_tailed)}; it must be True or False")
    first = read_texts("hypotheses1", hypotheses1)
    second = read_texts("hypotheses2", hypotheses2)
    if len(first) != len(second):
        raise ValueError(
            f"hypotheses1 has {counted(len(first), 'items')} but hypotheses2 has {len(second)}"
        )
    rows = read_sets(references, len(first), references_are)
    difference = MeanDifference(
        *(metric.scored(metric.counts(texts, rows)) for texts in (first, second))
    )
    count = sum(
        int(difference.at_least_as_extreme(subsets, two_tailed=two_tailed).sum())
        for subsets in resampling.random_subsets(len(first), draws.iterations, draws.generator())
    )
    return (count + 1) / (draws.iterations + 1)


def read_texts(name: str, texts: Iterable[str]) -> list[str]:
    """Return the strings of an iterable, at least one, in a list of our own."""
    items = items_of(name, as_strings(name, texts), "strings")
    check_strings(name, items)
    if not items:
        raise ValueError(f"there are no segments: {name} is empty")
    return items


def read_rows(
    references: Iterable[Iterable[str]], segments: int, shape: Shape | None
) -> list[list[str]]:
    """Read references given as one row for each segment, or in the `shape` named."""
    if shape == "sets":
        return read_sets(references, segments, shape)
    rows = _read_table(references, segments, shape)
    if len(rows) != segments:
        message = f"hypotheses has {counted(segments, 'items')} but references has "
        message += counted(len(rows), "rows")
        if len(rows[0]) == segments:
            message += (
                "; the references look transposed: give one row for each hypothesis, not one list "
                "for each set of references: list(zip(*references)), or references_are='sets'"
            )
        raise ValueError(message)
    return rows


def read_sets(
    references: Iterable[Iterable[str]], segments: int, shape: Shape | None
) -> list[list[str]]:
    """Read references given as whole sets, or as rows where they cannot be sets; return rows."""
    table = _read_table(references, segments, shape)
    if shape != "rows" and len(table[0]) == segments:
        return [list(row) for row in zip(*table, strict=True)]
    if shape != "sets" and len(table) == segments:
        return table
    raise ValueError(
        f"references has {counted(len(table), 'lists')} of {counted(len(table[0]), 'strings')}; "
        f"for {segments} hypotheses give whole sets, lists of {segments} strings each (or "
        f"{segments} rows, one for each hypothesis)"
    )


def _read_table(
    references: Iterable[Iterable[str]], segments: int, shape: Shape | None
) -> list[list[str]]:
    """Read lists of strings, all of them equally long and not empty; raise for an open `shape`."""
    if shape not in (None, "rows", "sets"):
        raise ValueError(f"references_are is {shown(shape)}; it must be 'rows' or 'sets'")
    table = [
        list(row)
        if type(row) is list
        else items_of(f"references[{i}]", as_strings(f"references[{i}]", row), "strings")
        for i, row in enumerate(
            items_of("references", as_strings("references", references, lists=True))
        )
    ]
    if not table:
        raise ValueError("references is empty")
    for i, row in enumerate(table):
        if len(row) != len(table[0]):
            raise ValueError(
                f"references[{i}] has {counted(len(row), 'items')} but references[0] has "
                f"{len(table[0])}; all must be equally long"
            )
    if not table[0]:
        raise ValueError("references[0] is empty")
    for i, row in enumerate(table):
        check_strings(f"references[{i}]", row)
    square = len(table) == len(table[0]) == segments
    if shape is None and square and table != [list(row) for row in zip(*table, strict=True)]:
        raise ValueError(
            f"references has {segments} lists of {segments} strings for {segments} hypotheses: "
            "pass references_are='rows' for one list for each hypothesis, or 'sets' for one for "
            "each set of references"
        )
    return table
