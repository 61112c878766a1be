"""The number of resamples or permutations and their seed, checked before NumPy is imported."""

from __future__ import annotations

from chrf.core.checks import checked_int

SEED = 12345  # sacreBLEU's, where none is given
SEED_VARIABLE = "SACREBLEU_SEED"  # of the environment: read by command lines and sacreBLEU's class
MOST_DRAWS = 10**15  # resamples or permutations: more than any memory holds


def checked_seed(seed: object) -> int:
    """Return the seed, an integer of at least 0 of any size; a fresh one for None."""
    if seed is None:
        import secrets

        return secrets.randbits(64)
    return checked_int("seed", seed, 0)


def checked_iterations(name: str, value: object, least: int = 1) -> int:
    """Return the number of draws that the argument `name` gives, `least` to MOST_DRAWS."""
    return checked_int(name, value, least, MOST_DRAWS)
