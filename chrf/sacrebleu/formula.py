"""sacreBLEU's formula: its operations on doubles one by one, for a row of counts or for many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from chrf.core.checks import shown, whole_number

EPSILON = 1e-16  # sacreBLEU's precision and recall of an order without n-grams
FEW = 32  # rows that are scored faster one by one than as arrays

Beta = int | float | Fraction


def checked_beta(value: object) -> Beta:
    """Return a beta that sacreBLEU can compute with: 0 is one, and -2 computes as 2."""
    allowed = "it must be an int, a float or a fractions.Fraction"
    number: Beta | None = whole_number(value)
    if number is None and isinstance(value, float):
        number = float(value)  # numpy's float64 is one
    if number is None and isinstance(value, Fraction):
        number = value
    if number is None:
        raise TypeError(f"beta is {shown(value)}; {allowed}")
    try:
        finite = all(map(math.isfinite, weights(number)))
    except OverflowError:
        finite = False
    if not finite:
        raise ValueError(f"beta is {shown(number)}; its square must be a finite double")
    return number


def weights(beta: Beta) -> tuple[float, float]:
    """Return the square of beta, and one more than that.

    The sum is made in the arithmetic of beta and rounded once, as where sacreBLEU multiplies it.
    """
    square = beta**2
    return float(square), float(1 + square)


def f_score(counts: Sequence[float], beta: Beta, eps_smoothing: bool) -> float:
    """Score summed `counts`, three for each order, as sacreBLEU does."""
    square, more = weights(beta)
    total = precision = recall = 0.0
    effective = 0
    for n_hyp, n_ref, n_match in zip(counts[0::3], counts[1::3], counts[2::3], strict=True):
        p = n_match / n_hyp if n_hyp > 0 else EPSILON
        r = n_match / n_ref if n_ref > 0 else EPSILON
        if eps_smoothing:
            below = square * p + r
            total += more * p * r / below if below > 0 else EPSILON
        elif n_hyp > 0 and n_ref > 0:
            precision += p
            recall += r
            effective += 1
    if eps_smoothing:
        return 100 * total / (len(counts) // 3)
    if precision + recall == 0:
        return 0.0
    precision /= effective
    recall /= effective
    return 100 * (more * precision * recall / (square * precision + recall))


def f_scores(counts: NDArray[np.int64], beta: Beta, eps_smoothing: bool) -> NDArray[np.float64]:
    """Score each row of `counts` [rows, 3 * orders] as `f_score` does, to the last bit.

    Each operation of `f_score` is one on arrays here; numpy rounds each result as Python does.
    """
    if len(counts) <= FEW:
        return np.array([f_score(row, beta, eps_smoothing) for row in counts.tolist()])
    square, more = weights(beta)
    columns = np.ascontiguousarray(counts.T, dtype=np.float64)
    total, precision, recall, effective = np.zeros((4, len(counts)))
    for n_hyp, n_ref, n_match in zip(columns[0::3], columns[1::3], columns[2::3], strict=True):
        p = _divide(n_match, n_hyp, EPSILON)
        r = _divide(n_match, n_ref, EPSILON)
        if eps_smoothing:
            total += _divide(more * p * r, square * p + r, EPSILON)
        else:
            both = (n_hyp > 0) & (n_ref > 0)
            precision += np.where(both, p, 0.0)
            recall += np.where(both, r, 0.0)
            effective += both
    if eps_smoothing:
        smoothed: NDArray[np.float64] = 100 * total / (len(columns) // 3)
        return smoothed
    precision = _divide(precision, effective, 0.0)
    recall = _divide(recall, effective, 0.0)
    return 100 * _divide(more * precision * recall, square * precision + recall, 0.0)


def _divide(
    above: NDArray[np.float64], below: NDArray[np.float64], otherwise: float
) -> NDArray[np.float64]:
    """Return the quotients where the divisor is positive, and `otherwise` elsewhere."""
    result = np.full(len(above), otherwise)
    np.divide(above, below, out=result, where=below > 0)
    return result
