"""`Options`, one frozen record of all that changes a score: defaults, checks and names."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import Any, Literal, TypedDict

from chrf.core.checks import checked_int, shown, whole_number

VERSION = "0.1.0"

# The keys of a signature, and what sacreBLEU's short form makes of them.
SHORT = {
    "nrefs": "#",
    "bs": "bs",
    "ar": "ar",
    "perm": "perm",
    "seed": "rs",
    "case": "c",
    "eff": "e",
    "nc": "nc",
    "nw": "nw",
    "space": "s",
    "beta": "b",
    "averaging": "a",
    "rule": "r",
    "unicode": "u",
    "segments": "n",
    "version": "v",
}

MAX_CHAR_ORDER = 10
MAX_WORD_ORDER = 4
LONGEST_BETA = 100  # digits; then every fraction can be written

# What other libraries call an option, and what it is here.
USUAL_NAMES = {
    "nc": "char_order",
    "n_char_order": "char_order",
    "nw": "word_order",
    "n_word_order": "word_order",
    "lc": "lowercase",
    "case": "lowercase",
    "remove_whitespace": "whitespace=True, to keep it",
    "eps_smoothing": "averaging='per_order_f'",
    "n_bootstrap": "iterations",
    "n_resamples": "iterations",
    "n_samples": "iterations",
    "confidence": "alpha",
    "n_jobs": "threads",
}

Averaging = Literal["precision_recall", "per_order_f"]
Rule = Literal["all", "sacrebleu"]
AVERAGINGS: tuple[Averaging, ...] = ("precision_recall", "per_order_f")
RULES: tuple[Rule, ...] = ("all", "sacrebleu")


class OptionKeywords(TypedDict, total=False):
    """The keyword options of every public function, for type checkers."""

    beta: int | Fraction
    char_order: int
    word_order: int
    lowercase: bool
    whitespace: bool
    averaging: Averaging
    rule: Rule


@dataclass(frozen=True, kw_only=True)
class Options:
    """Everything that changes a score, checked once.

    Parameters
    ----------
    beta : int or Fraction
        Weight of recall against precision: an integer of at least 1 or a positive
        ``fractions.Fraction``. 2 gives chrF2, the default of Popovic (2017) and of sacreBLEU.
    char_order : int
        Longest character n-gram, 0 to 10.
    word_order : int
        Longest word n-gram, 0 to 4: 0 is chrF, 1 chrF+, 2 chrF++. Not 0 together with char_order.
    lowercase : bool
        Lower-case both texts first (``str.lower`` on the whole segment).
    whitespace : bool
        Keep whitespace inside character n-grams.
    averaging : {"precision_recall", "per_order_f"}
        F of the averaged precision and recall, or the mean of the F of every order.
    rule : {"all", "sacrebleu"}
        Whether the hypothesis n-grams of an order that the segment's reference lacks are counted
        ("all") or left out of the corpus sum ("sacrebleu").

    Raises
    ------
    TypeError, ValueError
        The message names the option, the value and what is allowed.
    """

    beta: int | Fraction = 2
    char_order: int = 6
    word_order: int = 0
    lowercase: bool = False
    whitespace: bool = False
    averaging: Averaging = "precision_recall"
    rule: Rule = "all"

    def __post_init__(self) -> None:
        object.__setattr__(self, "beta", _checked_beta(self.beta))
        for name, largest in (("char_order", MAX_CHAR_ORDER), ("word_order", MAX_WORD_ORDER)):
            object.__setattr__(self, name, checked_int(name, getattr(self, name), 0, largest))
        if self.char_order == 0 and self.word_order == 0:
            raise ValueError("char_order and word_order are both 0; at least one must be positive")
        for name in ("lowercase", "whitespace"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise TypeError(f"{name} is {shown(value)}; it must be True or False")
        for name, choices in (("averaging", AVERAGINGS), ("rule", RULES)):
            object.__setattr__(self, name, _checked_choice(name, getattr(self, name), choices))

    @classmethod
    def from_keywords(cls, keywords: dict[str, Any], own: Sequence[str] = ("threads",)) -> Options:
        """Return the options that `keywords` of a public function name; unknown: a TypeError.

        `own` are the function's other keywords, which the message names too.
        """
        if not keywords:
            return DEFAULT
        for name in keywords:
            if name not in NAMES:
                raise TypeError(_unknown(name, own))
        try:
            return _known(**keywords)
        except TypeError:  # a value without a hash is refused with a better message
            return cls(**keywords)

    @property
    def order_count(self) -> int:
        """The number of n-gram orders: character orders first, then word orders."""
        return self.char_order + self.word_order

    @property
    def weights(self) -> tuple[float, float, float, float]:
        """The weights of precision and of recall in F, two doubles each (`chrf.core.doubles`)."""
        return _weights(self.beta)

    @property
    def beta_text(self) -> str:
        """The shortest exact form of beta: ``2``, ``1.5``, or ``1/3`` where no decimal is exact."""
        return shortest_text(self.beta)

    @property
    def name(self) -> str:
        """The name the field gives this variant: chrF2, chrF3, chrF2+, chrF2++."""
        return f"chrF{self.beta_text}{'+' * self.word_order}"

    def signature(
        self,
        reference_count: int | None,
        segment_count: int | None = None,
        *,
        short: bool = False,
        extra: Mapping[str, int | str] | None = None,
    ) -> str:
        """Return what was computed, in sacreBLEU's form.

        Parameters
        ----------
        reference_count : int or None
            References per segment; None where it varies.
        segment_count : int, optional
            Left out of the signature where it is None.
        short : bool
            sacreBLEU's one-letter keys.
        extra : mapping of str to int or str, optional
            Parts about resamples or permutations, which stand after the references.
        """
        parts: dict[str, object] = {
            "nrefs": "var" if reference_count is None else reference_count,
            **(extra or {}),
            "case": "lc" if self.lowercase else "mixed",
            # An order without n-grams counts as zero in the mean of per-order F.
            "eff": "yes" if self.averaging == "precision_recall" else "no",
            "nc": self.char_order,
            "nw": self.word_order,
            "space": "yes" if self.whitespace else "no",
            "beta": self.beta_text,
        }
        if self.averaging != "precision_recall":
            parts["averaging"] = self.averaging
        parts["rule"] = self.rule
        if self.lowercase:
            parts["unicode"] = unicodedata.unidata_version
        if segment_count is not None:
            parts["segments"] = segment_count
        parts["version"] = f"chrf-{VERSION}"
        return "|".join(f"{SHORT[key] if short else key}:{value}" for key, value in parts.items())


@lru_cache(256, typed=True)
def _known(**keywords: Any) -> Options:
    """Return options that were checked before: a training loop gives the same in every call."""
    return Options(**keywords)


def difference(options: Options, other: Options) -> str:
    """Name the options that differ, with both values; empty where none does.

    >>> difference(Options(), Options(word_order=2, beta=Fraction(1, 2)))
    'beta (2 and 1/2), word_order (0 and 2)'
    """
    both = [(name, getattr(options, name), getattr(other, name)) for name in NAMES]
    return ", ".join(f"{name} ({a} and {b})" for name, a, b in both if a != b)


def check_same(options: Options, other: Options) -> None:
    """Raise a ValueError that names the options in which two differ, if they do."""
    if different := difference(options, other):
        raise ValueError(f"the options differ: {different}")


@lru_cache(64)
def _weights(beta: int | Fraction) -> tuple[float, float, float, float]:
    weight = 1 / (1 + Fraction(beta) ** 2)
    (a, b), (c, d) = _two_doubles(1 - weight), _two_doubles(weight)
    return a, b, c, d


def _two_doubles(value: Fraction) -> tuple[float, float]:
    """Return the double nearest to the value, and the one nearest to what is left."""
    high = float(value)
    return high, float(value - Fraction(high))


def shortest_text(value: int | Fraction) -> str:
    """Write a rational as an exact decimal where it has one, else as ``n/d``.

    >>> shortest_text(2), shortest_text(Fraction(3, 2)), shortest_text(Fraction(1, 3))
    ('2', '1.5', '1/3')
    """
    value = Fraction(value)
    denominator, twos, fives = value.denominator, 0, 0
    while denominator % 2 == 0:
        denominator, twos = denominator // 2, twos + 1
    while denominator % 5 == 0:
        denominator, fives = denominator // 5, fives + 1
    if denominator != 1:
        return f"{value.numerator}/{value.denominator}"
    places = max(twos, fives)
    if places == 0:
        return str(value.numerator)
    digits = str(value.numerator * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def _checked_beta(value: object) -> int | Fraction:
    allowed = "it must be an integer of at least 1 or a positive fractions.Fraction"
    number = value if isinstance(value, Fraction) else whole_number(value)
    if number is None:
        raise TypeError(f"beta is {shown(value)}; {allowed}{_exact_beta(value)}")
    if max(map(abs, number.as_integer_ratio())) >= 10**LONGEST_BETA:
        raise ValueError(f"beta has more than {LONGEST_BETA} digits; {allowed}")
    if number <= 0:
        raise ValueError(f"beta is {number}; {allowed}")
    return int(number) if number.denominator == 1 else number


def _exact_beta(value: object) -> str:
    """Return the advice to write a float as the number that it stands for."""
    if not isinstance(value, float) or not isfinite(value) or value <= 0:
        return ""
    if value.is_integer():
        return f": write {value:.0f}" if value < 10**6 else ""
    return f": write Fraction('{float(value)!r}')"


def _unknown(name: str, own: Sequence[str]) -> str:
    """Return the message for an unknown option of a function that has `own` keywords as well."""
    from difflib import get_close_matches

    known = [*own, *NAMES]
    meant = USUAL_NAMES.get(name) or next(iter(get_close_matches(name[:80], known, 1)), "")
    if meant.partition("=")[0] not in known:
        meant = ""
    advice = f"did you mean {meant}? The" if meant else "the"
    return f"unknown option {shown(name)}; {advice} options are {', '.join(known)}"


def _checked_choice(name: str, value: object, choices: tuple[str, ...]) -> str:
    allowed = f"it must be {' or '.join(repr(choice) for choice in choices)}"
    if not isinstance(value, str):
        raise TypeError(f"{name} is {shown(value)}; {allowed}")
    if value not in choices:
        raise ValueError(f"{name} is {shown(value)}; {allowed}")
    return str.__str__(value)


DEFAULT = Options()  # checked once, for the callers that count in microseconds
NAMES = tuple(field.name for field in fields(Options))
