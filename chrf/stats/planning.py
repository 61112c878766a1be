"""How many segments show how small a difference."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from chrf.core.checks import checked_int, shown
from chrf.core.draws import ALPHA, SEED
from chrf.core.options import OptionKeywords, Options
from chrf.stats.beside import POWER, Power
from chrf.stats.comparisons import pairs_of
from chrf.stats.input import items_of, read_labels, read_systems
from chrf.stats.settings import PairedSettings
from chrf.stats.systems import drawn_by
from chrf.stats.tests import powers_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from chrf.core.source import References
    from chrf.stats.design import Labels
    from chrf.stats.input import Systems

OWN = (
    "segments",
    "difference",
    "power",
    "alpha",
    "two_tailed",
    "tests",
    "documents",
    "strata",
    "threads",
)


def power(
    systems: Systems,
    references: References | None = None,
    *,
    segments: int | Iterable[int] | None = None,
    difference: float | Fraction | None = None,
    power: float = POWER,
    alpha: float = ALPHA,
    two_tailed: bool = True,
    tests: int = 1,
    documents: Labels | None = None,
    strata: Labels | None = None,
    threads: int = 1,
    **options: Unpack[OptionKeywords],
) -> Power:
    """Return the smallest difference that so many segments show, and how many a difference needs.

    The standard error of the difference of the two systems comes from the jackknife. On n segments
    instead of N it is ``sqrt(N / n)`` times as large, and differences follow the normal
    distribution.

    Parameters
    ----------
    systems, references
        As for `paired_permutation`, but two systems. How many segments are needed depends on how
        differently they err: take systems like those that are to be compared.
    segments : int or iterable of int, optional
        Sizes of test sets to show. By default that of this one.
    difference : float or Fraction, optional
        A true difference in points, first less second. By default the observed one.
    power : float
        The probability with which a difference is to be found, more than `alpha`.
    alpha, two_tailed
        Of the test.
    tests : int
        How many pairs the correction counts; `alpha` is divided by it, as at Holm's first step.
    documents, strata
        As for `bootstrap_ci`. With documents, `segments` and what is returned count these.
    threads, **options
        As for `bootstrap_ci`.

    Returns
    -------
    Power

    Raises
    ------
    TypeError, ValueError
        What `paired_permutation` raises; other than two systems; systems that do not differ, or
        less than two segments, of which there is no standard error; numbers out of range.

    Examples
    --------
    >>> references = ["the cat sat", "a red fox", "it rains", "we eat", "go home", "good day"]
    >>> systems = {"A": [r[1:] for r in references], "B": [r[2:] for r in references]}
    >>> found = power(systems, references, segments=[6, 24], difference=5)
    >>> print(found)
    6 segments show 12.72 points with power 0.8, and 5.00 points with power 0.20
    24 segments show 6.36 points with power 0.8, and 5.00 points with power 0.60
    39 segments show 5.00 points with power 0.8
    >>> found.segments_needed
    39
    """
    checked = Options.from_keywords(dict(options), OWN)
    settings = PairedSettings.checked(1, alpha, SEED, threads, two_tailed=two_tailed, power=power)
    tests = checked_int("tests", tests, 1)
    sizes = None if segments is None else _sizes(segments)
    asked = None if difference is None else _checked_difference(difference)
    among = read_labels("documents", documents), read_labels("strata", strata)
    read = read_systems(systems, references, checked, settings.draws.threads)
    if len(read) != 2:
        raise ValueError(f"power is of two systems, not of {len(read)}")
    pairs = pairs_of(drawn_by(read, *among), settings)
    if len(read[0].counts) < 2:
        raise ValueError("there is one segment; a standard error needs at least two")
    [found] = powers_of(pairs, settings.power or power, settings)
    if found is None:
        raise ValueError("the difference of the systems is the same without each of the segments")
    return replace(
        found,
        tests=tests,
        sizes=found.sizes if sizes is None else sizes,
        difference=found.difference if asked is None else asked,
    )


def _sizes(segments: Any) -> tuple[int, ...]:
    """Return numbers of segments, of at least 2 each."""
    if np.ndim(segments) == 0 and not hasattr(segments, "__iter__"):
        return (checked_int("segments", segments, 2),)
    given = items_of("segments", segments, "integers")
    return tuple(checked_int(f"segments[{i}]", number, 2) for i, number in enumerate(given))


def _checked_difference(difference: Any) -> Fraction:
    """Return a difference of two scores as it is written."""
    allowed = "it must be a number from -100 to 100, not 0"
    if isinstance(difference, bool) or not isinstance(
        difference, (int, float, Fraction, np.number)
    ):
        raise TypeError(f"difference is {shown(difference)}; {allowed}")
    if not -100 <= difference <= 100 or not difference:
        raise ValueError(f"difference is {shown(difference)}; {allowed}")
    if isinstance(difference, Fraction):
        return difference
    return Fraction(repr(float(difference)))
