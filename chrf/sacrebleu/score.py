"""sacreBLEU's score: its name, its interval and its texts."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from typing import Any, Protocol

from chrf.sacrebleu.formula import Beta


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
        """Return the score as one line of text or as JSON.

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
        """Take mean and half the 95 % interval from the scores of resamples.

        Parameters
        ----------
        scores : sequence of CHRFScore
        """
        self.set_interval([float(item.score) for item in scores])

    def set_interval(self, scores: list[float]) -> None:
        """Take mean and half the 95 % interval from bare numbers.

        Parameters
        ----------
        scores : list of float
            The scores of resamples.
        """
        scores = sorted(scores)
        left_out = len(scores) // 40  # at either end
        self._ci = 0.5 * (scores[-left_out - 1] - scores[left_out])
        self._mean = statistics.mean(scores)

    def __repr__(self) -> str:
        return self.format()
