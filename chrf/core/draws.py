"""How many resamples or permutations there are, and their seed, before NumPy is imported.

Beside their checks stands what is written of them: p-values, levels, corrections.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

from chrf.core.checks import checked_int

SEED = 12345  # sacreBLEU's, where none is given
SEED_VARIABLE = "SACREBLEU_SEED"  # of the environment: read by command lines and sacreBLEU's class
MOST_DRAWS = 10**15  # resamples or permutations: more than any memory holds

INTERVAL_DRAWS = 1000
TEST_DRAWS = {"bootstrap": 1000, "permutation": 10000}
MOST_RAISED = 200_000  # by default, however many pairs there are: time and memory are finite

ALPHA = 0.05
ADJUST = "holm"
CORRECTIONS = {"holm": "Holm", "bh": "Benjamini and Hochberg", "none": "none"}


def checked_seed(seed: object) -> int:
    """Return the seed, an integer of at least 0 of any size; a fresh one for None."""
    if seed is None:
        import secrets

        return secrets.randbits(64)
    return checked_int("seed", seed, 0)


def checked_iterations(name: str, value: object, least: int = 1) -> int:
    """Return the number of draws that the argument `name` gives, `least` to MOST_DRAWS."""
    return checked_int(name, value, least, MOST_DRAWS)


def needed_draws(tests: int, alpha: float) -> int:
    """Return the draws with which one of so many corrected tests can be significant."""
    return math.ceil(tests / Fraction(repr(alpha)))


def safe_draws(tests: int, alpha: float) -> int:
    """Return ten times the draws that are needed, before rounding."""
    return needed_draws(10 * tests, alpha)


def default_draws(kind: str, tests: int, alpha: float) -> int:
    """Return how many draws a test of this kind makes where their number was not given."""
    return max(TEST_DRAWS[kind], min(safe_draws(tests, alpha), MOST_RAISED))


def p_value_text(p_value: float, draws: int) -> str:
    """Return a p-value with the digits that so many draws resolve, at least four; never as 0.

    >>> p_value_text(1 / 1001, 1000), p_value_text(1 / 20001, 20000)
    ('0.0010', '0.00005')
    """
    return f"{p_value:.{max(4, len(str(draws - 1)))}f}"


def correction_text(adjust: str, pairs: int) -> str:
    """Say after whom p-values are adjusted, and for which tests.

    >>> correction_text("holm", 105), correction_text("none", 105)
    ('Holm over all 105 pairs', 'no correction')
    """
    if pairs == 1:
        return "one pair"
    return f"{CORRECTIONS[adjust]} over all {pairs} pairs" if adjust != "none" else "no correction"


def level_text(alpha: float) -> str:
    """Return the level of an interval in per cent, exactly.

    >>> level_text(0.05), level_text(0.001)
    ('95', '99.9')
    """
    outside = 100 * Decimal(repr(alpha))
    if alpha < 1e-9:  # as many nines say nothing
        return f"100-{outside.normalize()}"
    with localcontext() as context:
        context.prec = 50  # at most 17 digits of a double, after at most 9 zeros
        return f"{(100 - outside).normalize():f}"
