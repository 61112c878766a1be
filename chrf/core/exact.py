"""Counts -> exact fractions, correctly rounded decimals, nearest doubles."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from chrf.core import doubles
from chrf.core.options import Options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Triples: TypeAlias = Sequence[tuple[int, int, int]]  # of each order
Flat: TypeAlias = "array[int] | NDArray[np.int64]"  # of one dimension: rows of counts, end to end


def means(counts: Triples) -> tuple[Fraction, Fraction, int]:
    """Return average precision, average recall and the number of effective orders.

    An order is effective where both sides have an n-gram of it. With none, both means are 0.
    """
    effective = [(h, r, m) for h, r, m in counts if h and r]
    if not effective:
        return Fraction(0), Fraction(0), 0
    precision = sum((Fraction(m, h) for h, _, m in effective), Fraction(0))
    recall = sum((Fraction(m, r) for _, r, m in effective), Fraction(0))
    return precision / len(effective), recall / len(effective), len(effective)


def f_score(precision: Fraction, recall: Fraction, beta: int | Fraction) -> Fraction:
    """Return the F-beta of Popovic (2015), equation 1; 0 where nothing matches."""
    if precision == 0 or recall == 0:
        return Fraction(0)
    weight = Fraction(beta) ** 2
    return (1 + weight) * precision * recall / (weight * precision + recall)


def score(counts: Triples, options: Options) -> Fraction:
    """Return the exact score of summed counts, 0 to 100.

    >>> score([(2, 2, 1), (1, 1, 0)], Options(char_order=2, beta=3))
    Fraction(25, 1)
    """
    if options.averaging == "precision_recall":
        precision, recall, _ = means(counts)
        return 100 * f_score(precision, recall, options.beta)
    per_order = (
        f_score(Fraction(m, h), Fraction(m, r), options.beta) for h, r, m in counts if h and r
    )
    return 100 * sum(per_order, Fraction(0)) / len(counts)


def sum_fractions(values: Sequence[Fraction]) -> Fraction:
    """Add up by halves, so that large denominators meet as late as they can."""
    if len(values) < 3:
        return sum(values, Fraction(0))
    middle = len(values) // 2
    return sum_fractions(values[:middle]) + sum_fractions(values[middle:])


def decimal_text(value: Fraction, places: int = 6) -> str:
    """Write the exact value in decimals, ties to even.

    >>> decimal_text(Fraction(1, 8), 2), decimal_text(Fraction(3, 8), 2)
    ('0.12', '0.38')
    """
    # round() of a Fraction to an int is exact, ties to even.
    digits = str(round(abs(value) * 10**places)).rjust(places + 1, "0")
    sign = "-" if value < 0 and digits.strip("0") else ""
    if places == 0:
        return sign + digits
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def to_decimal(value: Fraction, places: int) -> Decimal:
    """Round the exact value to `places` decimals, ties to even."""
    return Decimal(decimal_text(value, places))


def fraction_text(value: Fraction) -> str:
    """Write a fraction as ``n/d``, reduced, as the contracts do (``0/1``, ``100/1``)."""
    return f"{value.numerator}/{value.denominator}"


def triples(flat: Sequence[int]) -> Triples:
    """Return a flat row of counts as one triple for each order."""
    return list(zip(flat[0::3], flat[1::3], flat[2::3], strict=True))


def nearest_double(counts: Triples, options: Options) -> float:
    """Return the double nearest to `score`, in a tenth of its time."""
    try:
        flat = array("q", chain.from_iterable(counts))
    except OverflowError:
        return float(score(counts, options))
    return nearest_doubles(flat, options)[0]


def nearest_doubles(flat: Flat, options: Options) -> array[float]:
    """Return the double nearest to the exact score of each row of counts."""
    values, open_rows = doubles.nearest(
        flat, options.order_count, options.weights, options.averaging == "per_order_f"
    )
    width = 3 * options.order_count
    for row in open_rows:
        counts = triples([int(n) for n in flat[row * width : (row + 1) * width]])
        values[row] = float(score(counts, options))
    return values


def row_scores(counts: NDArray[np.int64], options: Options) -> NDArray[np.float64]:
    """Return the double nearest to the exact score of each row of counts [rows, orders, 3]."""
    import numpy as np

    return np.frombuffer(nearest_doubles(counts.reshape(-1), options), dtype=np.float64)


def row_decimals(
    flat: Flat, scores: Iterable[float], options: Options, places: int = 6
) -> list[str]:
    """Write the exact score of each row, rounded to `places` decimals, ties to even.

    `flat` are the rows' counts, `scores` their nearest doubles. One differs from the exact value by
    at most 2^-47 (half a unit in the last place below 128), so its decimals are the exact value's
    unless it lies that near to the middle between two of them; those few are rounded exactly. The
    margin holds up to 8 decimals; of more, every one is computed exactly.
    """
    texts = []
    unit = 10.0**places
    filtered = places <= 8
    width = 3 * options.order_count
    for row, value in enumerate(scores):
        scaled = value * unit
        if not filtered or abs(scaled - int(scaled) - 0.5) < 1e-5:
            counts = triples([int(n) for n in flat[row * width : (row + 1) * width]])
            texts.append(decimal_text(score(counts, options), places))
        else:
            texts.append(f"{value:.{places}f}")
    return texts
