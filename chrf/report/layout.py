"""What the user asked to see of the scores."""

from __future__ import annotations

from typing import NamedTuple

FORMATS = ("text", "json", "tsv", "latex")
DEFAULT_WIDTH = 6


class Layout(NamedTuple):
    """What the user asked to see.

    Attributes
    ----------
    format : str
        One of `FORMATS`.
    width : int
        Decimals; JSON always has 6, and the fraction.
    orders, fractions : bool
        Whether the breakdown by n-gram order, and exact fractions, are shown too.
    short : bool
        Whether signatures have one-letter keys.
    score_only : bool
        Whether one number for each system is all that is shown.
    """

    format: str = "text"
    width: int = DEFAULT_WIDTH
    orders: bool = False
    fractions: bool = False
    short: bool = False
    score_only: bool = False
