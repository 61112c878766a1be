"""The library's result, `Score`, and the functions that make it from text."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Rational, Real
from typing import TYPE_CHECKING, Any, Literal

from chrf.core import counting, exact
from chrf.core.blocks import Counts, Totals
from chrf.core.options import OptionKeywords, Options, Rule, difference
from chrf.core.source import Hypotheses, References, read_pairs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack


@dataclass(frozen=True)
class Order:
    """One n-gram order of a `Score`: its summed counts and what follows from them.

    Attributes
    ----------
    type : {"char", "word"}
    n : int
    hypothesis_ngrams, reference_ngrams, matching_ngrams : int
    beta : int or Fraction
    """

    type: Literal["char", "word"]
    n: int
    hypothesis_ngrams: int
    reference_ngrams: int
    matching_ngrams: int
    beta: int | Fraction

    @property
    def effective(self) -> bool:
        """Whether both sides have an n-gram of this order."""
        return self.hypothesis_ngrams > 0 and self.reference_ngrams > 0

    @property
    def precision(self) -> Fraction | None:
        """Matching over hypothesis n-grams, 0 to 1; None without hypothesis n-grams."""
        if not self.hypothesis_ngrams:
            return None
        return Fraction(self.matching_ngrams, self.hypothesis_ngrams)

    @property
    def recall(self) -> Fraction | None:
        """Matching over reference n-grams, 0 to 1; None without reference n-grams."""
        if not self.reference_ngrams:
            return None
        return Fraction(self.matching_ngrams, self.reference_ngrams)

    @property
    def f_score(self) -> Fraction | None:
        """F-beta of precision and recall, 0 to 1; None where the order is not effective."""
        if self.precision is None or self.recall is None:
            return None
        return exact.f_score(self.precision, self.recall, self.beta)

    def to_dict(self) -> dict[str, Any]:
        """Return the order as the chrf-components contract writes it."""
        return {
            "type": self.type,
            "n": self.n,
            "hypothesis_ngrams": self.hypothesis_ngrams,
            "reference_ngrams": self.reference_ngrams,
            "matching_ngrams": self.matching_ngrams,
            "effective": self.effective,
            "precision": _text_or_none(self.precision),
            "recall": _text_or_none(self.recall),
            "f_score": _text_or_none(self.f_score),
        }


@dataclass(frozen=True)
class Score:
    """The exact score of a corpus, and everything it follows from.

    ``str()`` gives six decimals of the exact value, ties to even; ``float()`` the nearest double;
    ``format(score, ".2f")`` any number of decimals of the exact value. Higher is better, 0 to 100.

    Attributes
    ----------
    counts : tuple of (int, int, int)
        Per order, characters first: hypothesis n-grams, reference n-grams, clipped matches, summed
        over the segments under `rule`.
    options : Options
    segment_count : int
    reference_count : int or None
        References per segment; None where it varies.
    tied_segments : int
        Segments in which two or more references share the highest score (the first is used).

    Notes
    -----
    ``<``, ``<=``, ``>`` and ``>=`` compare exact values, with numbers and with scores of the same
    options; scores of other options raise a ValueError. Beside a number, ``==`` asks for the exact
    value as well; two scores are equal if all five attributes are, so that equal values may stand
    in scores that are not equal: compare their `fraction`. ``a - b`` is an exact Fraction.
    ``round(score)`` gives an int, ``round(score, 2)`` a float: both round the exact value, ties to
    even.

    Examples
    --------
    >>> import chrf
    >>> references = ["the cat sat", "it rains"]
    >>> a = chrf.corpus_score(["the cat sits", "it rained"], references)
    >>> b = chrf.corpus_score(["a cat", "it rains"], references)
    >>> a > b, a > 68, round(a, 2), max(a, b) is a
    (True, True, 68.04, True)
    """

    counts: tuple[tuple[int, int, int], ...]
    options: Options
    segment_count: int
    reference_count: int | None = 1
    tied_segments: int = 0

    @cached_property
    def fraction(self) -> Fraction:
        """The exact score, reduced, 0 to 100."""
        return exact.score(self.counts, self.options)

    @property
    def score(self) -> float:
        """The double nearest to the exact score, as ``float()`` gives it."""
        return float(self)

    @property
    def orders(self) -> tuple[Order, ...]:
        """The breakdown: character orders 1 to char_order, then word orders 1 to word_order."""
        chars, beta = self.options.char_order, self.options.beta
        kinds: list[tuple[Literal["char", "word"], int]]
        kinds = [("char", n + 1) for n in range(chars)]
        kinds += [("word", n + 1) for n in range(self.options.word_order)]
        return tuple(
            Order(kind, n, *row, beta) for (kind, n), row in zip(kinds, self.counts, strict=True)
        )

    @property
    def average_precision(self) -> Fraction:
        """Mean precision over the effective orders, 0 to 1."""
        return self._means[0]

    @property
    def average_recall(self) -> Fraction:
        """Mean recall over the effective orders, 0 to 1."""
        return self._means[1]

    @property
    def effective_order_count(self) -> int:
        """Number of orders of which both sides have an n-gram."""
        return self._means[2]

    @cached_property
    def _means(self) -> tuple[Fraction, Fraction, int]:
        return exact.means(self.counts)

    @property
    def name(self) -> str:
        """The variant's name: chrF2, chrF2++."""
        return self.options.name

    @property
    def rule(self) -> Rule:
        """How segments were added up: "all" or "sacrebleu"."""
        return self.options.rule

    @property
    def signature(self) -> str:
        """What was computed, in sacreBLEU's form."""
        return self.options.signature(self.reference_count, self.segment_count)

    def __float__(self) -> float:
        return exact.nearest_double(self.counts, self.options)

    def __round__(self, places: int | None = None) -> int | float:
        """Round the exact value, ties to even: to an int or, given `places`, to a float."""
        if places is None:
            return round(self.fraction)
        places = operator.index(places)  # beyond 1100, as below -3, nothing changes
        return float(round(self.fraction, max(-3, min(places, 1100))))

    def __eq__(self, other: object) -> bool:
        """Return whether two scores hold the same, or the exact value is the number `other`."""
        if isinstance(other, Score):
            return _all_fields(self) == _all_fields(other)
        number = _as_number(other)
        return NotImplemented if number is None else self.fraction == number

    def __hash__(self) -> int:
        return hash(self.fraction)

    def __lt__(self, other: Score | Real | float) -> bool:
        return self._compared(other, operator.lt)

    def __le__(self, other: Score | Real | float) -> bool:
        return self._compared(other, operator.le)

    def __gt__(self, other: Score | Real | float) -> bool:
        return self._compared(other, operator.gt)

    def __ge__(self, other: Score | Real | float) -> bool:
        return self._compared(other, operator.ge)

    def __sub__(self, other: Score | Real | float) -> Fraction:
        """Return the exact difference; a float where `other` is one."""
        number = self._comparable(other)
        return NotImplemented if number is None else self.fraction - number

    def __rsub__(self, other: Real | float) -> Fraction:
        number = self._comparable(other)
        return NotImplemented if number is None else number - self.fraction

    def _compared(self, other: object, compare: Callable[[Any, Any], bool]) -> bool:
        number = self._comparable(other)
        return NotImplemented if number is None else compare(self.fraction, number)

    def _comparable(self, other: object) -> Any:
        """Return the exact value of `other`, None where it has none; raise for other options."""
        if not isinstance(other, Score):
            return _as_number(other)
        if differing := difference(self.options, other.options):
            raise ValueError(f"scores of different options cannot be compared: {differing}")
        return other.fraction

    def __str__(self) -> str:
        return exact.decimal_text(self.fraction)

    def __repr__(self) -> str:
        return f"<{self.name} {self} {self.signature}>"

    def __format__(self, spec: str) -> str:
        """Write exact decimals for a `spec` that ends in ``f``; else format `str` or `float`."""
        return exact.formatted(self.fraction, spec)

    def to_dict(self) -> dict[str, Any]:
        """Return everything, ready for ``json.dumps``, under the contracts' names."""
        options, beta = self.options, self.options.beta
        return {
            "metric": self.name,
            "char_order": options.char_order,
            "word_order": options.word_order,
            "beta": beta if isinstance(beta, int) else exact.fraction_text(beta),
            "lowercase": options.lowercase,
            "include_whitespace": options.whitespace,
            "averaging": options.averaging,
            "rule": options.rule,
            "segment_count": self.segment_count,
            "reference_count": self.reference_count,
            "tied_segments": self.tied_segments,
            "orders": [order.to_dict() for order in self.orders],
            "effective_order_count": self.effective_order_count,
            "average_precision": exact.fraction_text(self.average_precision),
            "average_recall": exact.fraction_text(self.average_recall),
            "score": str(self),
            "score_fraction": exact.fraction_text(self.fraction),
            "signature": self.signature,
        }


def corpus_score(
    hypotheses: Hypotheses,
    references: References,
    *,
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> Score:
    """Score a corpus exactly: n-gram counts are summed over the segments, then scored.

    Parameters
    ----------
    hypotheses : iterable of str, or column
        One per segment. Any iterable is taken once; a pandas Series is read by position. A column
        is any object with the Arrow PyCapsule interface: a pyarrow Array or ChunkedArray, a polars
        or pandas Series, a DuckDB relation or a table of one column.
    references : iterable of str or of lists of str, or column
        One string per hypothesis, or one list of strings per hypothesis: then the reference with
        the highest segment score is used, the first on a tie; None (null) in a list stands for no
        reference. Two columns are read where they stand in memory; beside anything else, a column
        is read as a list.
    threads : int
        Worker threads. The result does not depend on it.
    **options
        See `chrf.Options`.

    Returns
    -------
    Score

    Raises
    ------
    TypeError
        A string where a list was meant; an item that is not a string (side and position named);
        a null as a row of a column, or a column of another type.
    ValueError
        No segments, unequal lengths, transposed references, a segment without a reference; text in
        a column that is not valid UTF-8.

    Examples
    --------
    >>> import chrf
    >>> score = chrf.corpus_score(["the cat sat"], ["the cat sits"], word_order=2)
    >>> print(score, score.fraction)
    60.394099 661603825/10954776
    """
    checked = Options.from_keywords(dict(options))
    return from_totals(
        counting.totals(read_pairs(hypotheses, references), checked, threads), checked
    )


def from_totals(totals: Totals, options: Options) -> Score:
    """Return the score of summed counts under the rule of the options."""
    return Score(
        counts=totals.under(options.rule),
        options=options,
        segment_count=totals.segments,
        reference_count=totals.reference_count,
        tied_segments=totals.tied,
    )


def segment_scores(
    hypotheses: Hypotheses,
    references: References,
    *,
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> NDArray[np.float64]:
    """Score each segment by itself, 0 to 100, in input order.

    Raises what `corpus_score` raises. Averaging these scores does not give the corpus score.

    Parameters
    ----------
    hypotheses, references, threads, **options
        As for `corpus_score`.

    Returns
    -------
    numpy.ndarray of float64, shape [segments]
        Each the double nearest to the exact score.
    """
    checked = Options.from_keywords(dict(options))
    return counting.scores(read_pairs(hypotheses, references), checked, threads)


def counts(
    hypotheses: Hypotheses,
    references: References,
    *,
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> Counts:
    """Count each segment under the rule; `corpus_score` scores the sum, and raises for the same.

    Parameters
    ----------
    hypotheses, references, threads, **options
        As for `corpus_score`.

    Returns
    -------
    numpy.ndarray of int64, shape [segments, orders, 3]
        Orders: characters, then words. The three: hypothesis n-grams, reference n-grams, clipped
        matches. With several references per segment, those of the best one.
    """
    checked = Options.from_keywords(dict(options))
    return counting.counts(read_pairs(hypotheses, references), checked, threads)


_all_fields = operator.attrgetter(
    "counts", "options", "segment_count", "reference_count", "tied_segments"
)


def _as_number(value: object) -> Any:
    """Return a number that Fractions compare with exactly; None where `value` is none."""
    if isinstance(value, (Rational, float)):
        return value
    return float(value) if isinstance(value, Real) else None


def _text_or_none(value: Fraction | None) -> str | None:
    return None if value is None else exact.fraction_text(value)
