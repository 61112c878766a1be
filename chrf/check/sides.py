"""Rules about a hypothesis beside its references: one thing written with two characters.

A finding needs a difference both ways: the hypothesis has a mark that no reference has, and a
reference has one that the hypothesis has not. A mark that is only missing is no finding:
translations leave out and add quotation marks and dashes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from chrf.check import properties
from chrf.check.rule import Place, Rule, code_points

# What is typed for an apostrophe. There is no property for it: quotation marks, primes, accents
# and modifier letters that are found between two letters.
APOSTROPHE = r"'`\u00B4\u02B9\u02BB\u02BC\u05F3\u2018\u2019\u201B\u2032\uFF07"
# Quotation marks that are apostrophes as well, unless they begin a word.
SINGLE_QUOTATION_MARK = r"'\u2018-\u201B\uFF07"

APOSTROPHES = Rule(
    id="apostrophes",
    summary="other apostrophes than the reference",
    finds="Between two letters or digits the hypothesis has one kind of apostrophe (U+0027) and the"
    " reference another (U+2019, U+02BC, a grave accent, ...).",
    why="They are different characters: every n-gram over the apostrophe is lost.",
    example=("don't", "don’t"),
    fix="Write one kind on both sides, if your comparison allows it; never change one side alone.",
)
QUOTATION_MARKS = Rule(
    id="quotation-marks",
    summary="other quotation marks than the reference",
    finds="The hypothesis has one kind of quotation mark (Quotation_Mark) and the reference"
    " another. Single ones count where they begin a word; at its end they may be apostrophes.",
    why="They are different characters. Some systems write ASCII marks in every language.",
    example=('"cat"', "“cat”"),
    fix="Write one kind on both sides, if your comparison allows it; otherwise know that this is"
    " part of the difference between systems.",
)
DASHES = Rule(
    id="dashes",
    summary="other dashes than the reference",
    finds="Where the reference has one kind of hyphen or dash (Dash), the hypothesis has another;"
    " those inside words and those between them are compared separately.",
    why="They are different characters. chrF++ splits U+002D off the end of a word, and no other"
    " dash.",
    example=("1990-95", "1990–95"),
    fix="Write one kind on both sides, if your comparison allows it.",
)
DIGITS = Rule(
    id="digits",
    summary="other digits than the reference",
    finds="The hypothesis has digits of one script and the reference digits of another: ASCII,"
    " Arabic-Indic, Persian, Devanagari, full-width, ... A finding names each by its digit 0.",
    why="Equal numbers have no digit in common.",
    example=("in 2023", "in ٢٠٢٣"),
    fix="Write numbers in the digits of the reference.",
)
COMPATIBILITY_FORMS = Rule(
    id="compatibility-forms",
    summary="other compatibility forms than the reference",
    finds="One side has a character that normalisation form KC replaces, and the other side has"
    " what it is replaced by: full-width letters and punctuation, ligatures, the ellipsis as one"
    " character, half-width katakana, Thai SARA AM.",
    why="NFC keeps them apart, and nothing is normalised: the two spellings have no n-gram in"
    " common. Segments of Chinese and Japanese often mix full-width and ASCII punctuation.",
    example=("ﬁne", "fine"),
    fix='Apply one form to both sides: `unicodedata.normalize("NFKC", text)`, if you mean to'
    " compare without these differences.",
)
SIDE_RULES = (APOSTROPHES, QUOTATION_MARKS, DASHES, DIGITS, COMPATIBILITY_FORMS)

# The class comes first and the neighbours after it: searching for one character is fast.
_CONTEXTS = (
    (APOSTROPHES, re.compile(rf"[{APOSTROPHE}](?<=\w.)(?=\w)", re.DOTALL)),
    (
        QUOTATION_MARKS,
        re.compile(
            rf"[{properties.QUOTATION_MARK}]"
            rf"(?:(?<![{SINGLE_QUOTATION_MARK}])|(?<!\w.)(?=\w))",
            re.DOTALL,
        ),
    ),
    (DASHES, re.compile(rf"[{properties.DASH}](?<=\w.)(?=\w)", re.DOTALL)),
    (DASHES, re.compile(rf"[{properties.DASH}](?:(?<!\w.)|(?!\w))", re.DOTALL)),
    (DIGITS, re.compile(r"\d")),
)
_CLASSES = (
    (APOSTROPHES, re.compile(f"[{APOSTROPHE}]")),
    (QUOTATION_MARKS, re.compile(f"[{properties.QUOTATION_MARK}]")),
    (DASHES, re.compile(f"[{properties.DASH}]")),
    (DIGITS, re.compile(r"(?![0-9])\d")),  # ASCII digits differ from others only
)


@dataclass(frozen=True)
class Side:
    """One column: its rows, its characters, and of each row those that the rules compare."""

    texts: Sequence[str]
    alphabet: frozenset[str]
    marks: list[frozenset[str]]

    @classmethod
    def read(cls, texts: Sequence[str]) -> Side:
        """Return the column `texts` with the marks of its rows."""
        alphabet = frozenset("".join(texts))
        marks = frozenset(filter(rules_of, alphabet))
        return cls(texts, alphabet, list(map(marks.intersection, texts)))


def check_sides(hypotheses: Sequence[str], *references: Sequence[str]) -> Iterator[Place]:
    """Yield what the rules about two sides find in a system's column.

    Parameters
    ----------
    hypotheses : sequence of str
        The rows of the system.
    *references : sequence of str
        The columns of references, one or more, each with a row for each hypothesis.

    Yields
    ------
    Place
        The rule, the row (from 0), and of each side what the other has not.

    Examples
    --------
    >>> [(place.rule.id, place.found) for place in check_sides(["don't"], ["don’t"])]
    [('apostrophes', ('U+0027 for U+2019',))]
    """
    yield from compare(Side.read(hypotheses), [Side.read(texts) for texts in references])


def compare(hypotheses: Side, references: Sequence[Side]) -> Iterator[Place]:
    """Yield what the rules about two sides find, row by row."""
    marks_of_references = [side.marks for side in references]
    for row, (hypothesis, marks, *others) in enumerate(
        zip(hypotheses.texts, hypotheses.marks, *marks_of_references, strict=True)
    ):
        different = marks.symmetric_difference(frozenset().union(*others))
        if different:
            texts = [side.texts[row] for side in references]
            for rule, found in _differences(hypothesis, texts, different).items():
                yield Place(rule, row, found)


def _differences(
    hypothesis: str, references: Sequence[str], different: AbstractSet[str]
) -> dict[Rule, tuple[str, ...]]:
    """Return what each rule finds in one row, whose sides differ by the marks `different`."""
    concerned = {rule for character in different for rule in rules_of(character)}
    found: dict[Rule, tuple[str, ...]] = {}
    for rule, pattern in _CONTEXTS:
        if rule in concerned:
            pair = _both_ways(rule, _all(pattern, [hypothesis]), _all(pattern, references))
            if pair:
                found[rule] = (*found.get(rule, ()), pair)
    if COMPATIBILITY_FORMS in concerned:
        forms = tuple(_forms(hypothesis, references, different))
        if forms:
            found[COMPATIBILITY_FORMS] = forms
    return found


@lru_cache(maxsize=1 << 16)
def rules_of(character: str) -> tuple[Rule, ...]:
    """Return the rules about two sides that may have something to say about `character`."""
    rules = tuple(rule for rule, members in _CLASSES if members.match(character))
    if not rules and is_compatibility_form(character):
        return (COMPATIBILITY_FORMS,)
    return rules


def is_compatibility_form(character: str) -> bool:
    """Return whether NFKC replaces `character` where NFC does not, by something that is counted."""
    return (
        unicodedata.is_normalized("NFC", character)
        and not unicodedata.is_normalized("NFKC", character)
        and _without_marks(unicodedata.normalize("NFKC", character)).strip() != ""
    )


def _all(pattern: re.Pattern[str], texts: Sequence[str]) -> set[str]:
    return {character for text in texts for character in pattern.findall(text)}


def _both_ways(rule: Rule, hypothesis: set[str], references: set[str]) -> str | None:
    """Return what each side has and the other has not, if both have something."""
    if rule is DIGITS:  # of every script its 0
        hypothesis, references = map(_zeros, (hypothesis, references))
    extra, missing = sorted(hypothesis - references), sorted(references - hypothesis)
    if not extra or not missing:
        return None
    return f"{' '.join(code_points(extra))} for {' '.join(code_points(missing))}"


def _zeros(digits: AbstractSet[str]) -> set[str]:
    return {chr(ord(digit) - unicodedata.decimal(digit)) for digit in digits}


def _forms(
    hypothesis: str, references: Sequence[str], different: AbstractSet[str]
) -> Iterator[str]:
    """Yield the compatibility forms for which the other side has what replaces them."""
    bare_hypothesis, *bare_references = map(_without_marks, (hypothesis, *references))
    for character in sorted(different):
        if COMPATIBILITY_FORMS not in rules_of(character):
            continue
        # Tone marks may stand between the parts of what replaces a letter.
        normal = _without_marks(unicodedata.normalize("NFKC", character))
        here = bare_hypothesis.count(normal)
        there = max(reference.count(normal) for reference in bare_references)
        # More often than on the side of the form: not every 2 replaces a superscript.
        if there > here if character in hypothesis else here > there:
            yield from code_points(character)


def _without_marks(text: str) -> str:
    return "".join(character for character in text if not unicodedata.combining(character))
