"""Whether so many draws, or so few segments, can show any difference at all.

The smallest p-value of B draws is 1 / (B + 1). Of n segments that may be swapped it is 2 / 2^n, or
1 / 2^n with one tail, however many permutations are drawn. A correction multiplies the smallest of
m p-values by m.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from chrf.core.draws import MOST_DRAWS, needed_draws, p_value_text, safe_draws
from chrf.stats.settings import PairedSettings

NOUNS = {"bootstrap": "resamples", "permutation": "permutations"}


def unresolved(
    differing: Sequence[int], least: Sequence[float], settings: PairedSettings
) -> str | None:
    """Return in a sentence why no pair, or no single one, can be significant; None where it can.

    Parameters
    ----------
    differing : sequence of int
        Of each pair the number of segments in which the systems differ.
    least : sequence of float
        Of each pair the smallest p-value that its test can have.
    settings : PairedSettings
    """
    alpha, tests = settings.draws.alpha, settings.tests(len(differing))
    segments = max(differing)
    if not segments:  # equal systems: their p-value of 1 misleads nobody
        return None
    swapped = min(1.0, math.ldexp(1 + settings.two_tailed, -segments))
    if tests * swapped > alpha:
        return _few_segments(segments, swapped, tests, settings)
    if tests * min(least) > alpha:
        return _few_draws(min(least), tests, settings)
    return None


def _few_segments(segments: int, p_value: float, tests: int, settings: PairedSettings) -> str:
    found = f"the systems differ in at most {segments} segment{'s' * (segments > 1)}"
    limit = f"no permutation test of them has a p-value below {p_value:.6g}"
    limit += _after_correction(p_value, tests, settings)
    if settings.kind == "bootstrap":
        return f"{found}, too few for a paired bootstrap: {limit}"
    return f"{_impossible(p_value, tests, settings)}: {found}, and {limit}"


def _few_draws(p_value: float, tests: int, settings: PairedSettings) -> str:
    number, alpha = settings.draws.iterations, settings.draws.alpha
    smallest = p_value_text(p_value, number)
    needed, safe = needed_draws(tests, alpha), safe_draws(tests, alpha)
    enough = f"at least {needed} are needed, better {safe}"
    if safe > MOST_DRAWS:
        enough = "so many as it takes cannot be drawn"
    return (
        f"{_impossible(p_value, tests, settings)}: {number} {NOUNS[settings.kind]} give no p-value "
        f"below {smallest}{_after_correction(p_value, tests, settings)}; {enough}"
    )


def _impossible(p_value: float, tests: int, settings: PairedSettings) -> str:
    alpha = settings.draws.alpha
    if settings.adjust == "bh" and p_value <= alpha:  # enough of the smallest adjust one another
        together = math.ceil(tests * p_value / alpha)
        return f"fewer than {together} of {tests} pairs cannot be significant at alpha {alpha}"
    return f"no pair can be significant at alpha {alpha}"


def _after_correction(p_value: float, tests: int, settings: PairedSettings) -> str:
    if tests == 1 or settings.adjust == "bh":
        return ""
    return f", {min(1.0, tests * p_value):.4g} after Holm's correction for {tests} pairs"
