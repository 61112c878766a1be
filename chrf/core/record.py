"""Scores and options in JSON, read back: every value is checked, none is believed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from chrf.core.checks import shown
from chrf.core.exact import fraction_text
from chrf.core.options import NAMES, Options
from chrf.core.score import Score


def read_score(values: Mapping[str, Any]) -> Score:
    """Return the score that `Score.to_dict` wrote. Keys that it does not write are not read.

    Raises
    ------
    TypeError, ValueError
        A key is missing, or a value is impossible or not the one that follows, here, from the
        counts and options: another version or another Unicode than that of the signature.

    Examples
    --------
    >>> from chrf import corpus_score
    >>> score = corpus_score(["the cat sat"], ["the cat sits"])
    >>> read_score(score.to_dict()) == score
    True
    """
    try:
        score = Score(
            counts=_read_orders(values["orders"]),
            options=read_options({**values, "whitespace": values["include_whitespace"]}),
            segment_count=values["segment_count"],
            reference_count=values["reference_count"],
            tied_segments=values["tied_segments"],
        )
        check_score(score)
        written = score.to_dict()
        _check_signature(values["signature"], score)
        del written["signature"]
        for given, right in zip(values["orders"], written.pop("orders"), strict=True):
            _check_equal(given, right, f"{right['type']} order {right['n']}: ")
        _check_equal(values, written)
    except KeyError as error:
        raise ValueError(f"{error} is missing") from None
    return score


def options_dict(options: Options) -> dict[str, Any]:
    """Return the options ready for ``json.dumps``, beta as an integer or ``n/d``."""
    values = {name: getattr(options, name) for name in NAMES}
    if isinstance(options.beta, Fraction):
        values["beta"] = fraction_text(options.beta)
    return values


def read_options(values: Mapping[str, Any]) -> Options:
    """Return the options that `options_dict` wrote; a missing one is a KeyError."""
    known = {name: values[name] for name in NAMES}
    beta = known["beta"]
    if isinstance(beta, str) and re.fullmatch("[0-9]{1,1000}/[1-9][0-9]{0,999}", beta):
        known["beta"] = Fraction(beta)
    return Options(**known)


def check_unicode(options: Options, version: object) -> None:
    """Raise a ValueError where texts were lower-cased by another Unicode than the one here."""
    if version != unicode_of(options):
        raise ValueError(
            f"the lower case is of Unicode {shown(version)}; here it is of {unicode_of(options)!r}"
        )


def unicode_of(options: Options) -> str | None:
    """Return the version of Unicode that lower-cases here; None where the options do not."""
    return unicodedata.unidata_version if options.lowercase else None


def check_score(score: Score) -> None:
    """Raise an error for sums that no texts have.

    Raises
    ------
    TypeError, ValueError
        The message names the value.
    """
    if len(score.counts) != score.options.order_count:
        raise ValueError(
            f"there are {len(score.counts)} orders of counts; "
            f"the options make it {score.options.order_count}"
        )
    for order, row in enumerate(score.counts):
        for value in row:
            _check_integer(f"a count of orders[{order}]", value, 0)
        if row[2] > min(row):
            raise ValueError(f"orders[{order}] has more matches than n-grams: {shown(row)}")
    _check_integer("segment_count", score.segment_count, 1)
    if score.reference_count is not None:
        _check_integer("reference_count", score.reference_count, 1)
    _check_integer("tied_segments", score.tied_segments, 0)
    if score.tied_segments > (0 if score.reference_count == 1 else score.segment_count):
        raise ValueError(
            f"tied_segments is {shown(score.tied_segments)} of {shown(score.segment_count)} "
            f"segments with {shown(score.reference_count)} references"
        )


def _read_orders(values: object) -> tuple[tuple[int, int, int], ...]:
    if not isinstance(values, list) or not all(isinstance(order, dict) for order in values):
        raise TypeError("orders is not a list of dictionaries")
    names = ("hypothesis_ngrams", "reference_ngrams", "matching_ngrams")
    return tuple((order[names[0]], order[names[1]], order[names[2]]) for order in values)


def _check_integer(name: str, value: object, smallest: int) -> None:
    if type(value) is not int:
        raise TypeError(f"{name} is {shown(value)}; it must be an integer")
    if value < smallest:
        raise ValueError(f"{name} is {shown(value)}; it must be at least {smallest}")


def _check_equal(given: Mapping[str, Any], right: Mapping[str, Any], where: str = "") -> None:
    for key, value in right.items():
        if given[key] != value:
            raise ValueError(
                f"{where}{key} is {shown(given[key])}, but {shown(value)} follows from the counts"
            )


def _check_signature(given: object, score: Score) -> None:
    """Raise a ValueError for a signature that is neither the long nor the short one."""
    rights = [
        score.options.signature(score.reference_count, score.segment_count, short=short)
        for short in (False, True)
    ]
    if given in rights:
        return
    parts = (given if isinstance(given, str) else shown(given)).split("|")
    right = max((text.split("|") for text in rights), key=lambda text: len({*text} & {*parts}))
    theirs = ", ".join(part for part in parts if part not in right)
    ours = ", ".join(part for part in right if part not in parts)
    raise ValueError(f"the signature says {theirs or 'no more'}; here it is {ours or 'shorter'}")
