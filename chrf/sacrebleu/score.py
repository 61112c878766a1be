"""sacreBLEU's score and signature: its texts, and its operations on doubles one by one."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chrf.core.checks import shown, whole_number
from chrf.core.options import VERSION

COMPATIBLE_VERSION = "2.6.0"  # the sacreBLEU whose numbers and texts these are

EPSILON = 1e-16  # sacreBLEU's precision and recall of an order without n-grams
FEW = 32  # rows that are scored faster one by one than as arrays

Beta = int | float | Fraction


class _Scored(Protocol):
    @property
    def score(self) -> float: ...


class CHRFScore:
    """A score with its name, printed as sacreBLEU prints it.

    Parameters
    ----------
    score : float
        0 to 100.
    char_order, word_order : int
    beta : int, float or Fraction

    Attributes
    ----------
    name : str
        ``chrF2``, ``chrF2++``; ``chrF1.5`` where beta is 1.5.
    """

    def __init__(self, score: float, char_order: int, word_order: int, beta: Beta) -> None:
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order
        self.name = f"chrF{beta}{'+' * word_order}"
        self.score = score
        self._mean = -1.0  # below zero: no resamples were scored
        self._ci = -1.0
        self._verbose = ""

    def format(
        self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False
    ) -> str:
        """The score as one line of text or as JSON.

        Parameters
        ----------
        width : int
            Decimals.
        score_only : bool
            Leave out name and signature, and ignore `is_json`.
        signature : str
            Text of the metric's signature.
        is_json : bool
            JSON, with a key for each part of the signature.

        Notes
        -----
        The interval is printed wherever there is one; sacreBLEU leaves it out if its mean is 0.
        """
        text = f"{self.score:.{width}f}"
        record: dict[str, Any] = {"name": self.name, "score": float(text), "signature": signature}
        if self._mean >= 0:
            mean, half = f"{self._mean:.{width}f}", f"{self._ci:.{width}f}"
            interval = f"μ = {mean} ± {half}"
            text = f"{text} ({interval})"
            record["confidence_mean"] = float(mean)
            record["confidence_var"] = float(half)
            record["confidence"] = interval
        if score_only:
            return text
        if self._verbose:
            text = f"{text} {self._verbose}"
            record["verbose_score"] = self._verbose
        if is_json:
            for part in signature.split("|") if signature else ():
                key, _, value = part.partition(":")
                record[key] = value
            return json.dumps(record, indent=1, ensure_ascii=False)
        return f"{self.name}|{signature} = {text}" if signature else f"{self.name} = {text}"

    def estimate_ci(self, scores: Sequence[_Scored]) -> None:
        """Take mean and half the 95 % interval from the scores of resamples."""
        self.set_interval([float(item.score) for item in scores])

    def set_interval(self, scores: list[float]) -> None:
        """`estimate_ci` for bare numbers."""
        scores = sorted(scores)
        left_out = len(scores) // 40  # at either end
        self._ci = 0.5 * (scores[-left_out - 1] - scores[left_out])
        self._mean = statistics.mean(scores)

    def __repr__(self) -> str:
        return self.format()


class CHRFSignature:
    """What was computed, in sacreBLEU's words.

    Parameters
    ----------
    args : mapping
        The attributes of a `CHRF`.

    Attributes
    ----------
    info : dict
        The parts by name. Those that are None are not printed.
    engine : str
        What computed the score in truth, ``chrf-0.1.0``; never printed. ``version`` is the
        sacreBLEU to which the score is equal.

    Raises
    ------
    ValueError
        The metric has seen no references yet.
    """

    def __init__(self, args: Mapping[str, Any]) -> None:
        if "num_refs" not in args:
            raise ValueError("the number of references is not known before a score is computed")
        self.engine = f"chrf-{VERSION}"
        self.info: dict[str, Any] = {
            "version": COMPATIBLE_VERSION,
            "nrefs": "var" if args["num_refs"] == -1 else args["num_refs"],
            "bs": args.get("n_bootstrap"),
            "ar": None,
            "seed": args.get("seed"),
            "test": args.get("test_set"),
            "lang": args.get("langpair"),
            "origlang": args.get("origlang"),
            "subset": args.get("subset"),
            "case": "lc" if args["lowercase"] else "mixed",
            "eff": "no" if args["eps_smoothing"] else "yes",
            "nc": args["char_order"],
            "nw": args["word_order"],
            "space": "yes" if args["whitespace"] else "no",
        }
        names = "version:v nrefs:# test:t lang:l subset:S origlang:o seed:rs case:c eff:e space:s"
        self._short = dict(name.split(":") for name in names.split())

    def update(self, key: str, value: object) -> None:
        """Set one part."""
        self.info[key] = value

    def format(self, short: bool = False) -> str:
        """The signature as text; `short` takes the one-letter names."""
        parts = []
        for key in (*(key for key in self.info if key != "version"), "version"):
            value = self.info[key]
            if isinstance(value, bool):
                value = "yes" if value else "no"
            if value is not None:
                parts.append(f"{self._short.get(key, key) if short else key}:{value}")
        return "|".join(parts)

    def __repr__(self) -> str:
        return self.format()


def checked_beta(value: object) -> Beta:
    """A beta that sacreBLEU can compute with; it takes 0, and takes -2 for 2."""
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
    """The two numbers that the formula makes of beta: its square, and one more than that.

    The sum is made in the arithmetic of beta and rounded once, as where sacreBLEU multiplies it.
    """
    square = beta**2
    return float(square), float(1 + square)


def f_score(counts: Sequence[float], beta: Beta, eps_smoothing: bool) -> float:
    """sacreBLEU's score of summed counts, three for each order."""
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
    """`f_score` of each row of counts [rows, 3 * orders], to the last bit.

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
    """The quotients where the divisor is positive, else another number."""
    result = np.full(len(above), otherwise)
    np.divide(above, below, out=result, where=below > 0)
    return result
