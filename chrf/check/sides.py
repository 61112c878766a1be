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
    fix="Write one kind on both sides, if your comparison allows it; never on one side of a published"
    " test set.",
)
QUOTATION_MARKS = Rule(
    id="quotation-marks",
    summary="other quotation marks than the reference",
    finds="The hypothesis has one kind of quotation mark (Quotation_Mark) and the reference another."
    " Single ones count where they begin a word; at its end they may be apostrophes.",
    why="They are different characters. Some systems write ASCII quotation marks in every language.",
    example=('"cat"', "“cat”"),
    fix="Write one kind on both sides, if your comparison allows it; otherwise know that this is part"
    " of the difference between systems.",
)
DASHES = Rule(
    id="dashes",
    summary="other dashes than the reference",
    finds="Where the reference has one kind of hyphen or dash (Dash), the hypothesis has another;"
    " those inside words and those between them are looked at apart.",
    why="They are different characters. In chrF++ U+002D is split off a word and other dashes are"
    " not.",
    example=("1990-95", "1990–95"),
    fix="Write one kind on both sides, if your comparison allows it.",
)
DIGITS = Rule(
    id="digits",
    summary="other digits than the reference",
    finds="The hypothesis has digits of one script and the reference digits of another: ASCII,"
    " Arabic-Indic, Persian, Devanagari, full-width, ...",
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
_APOSTROPHE = re.compile(rf"[{APOSTROPHE}](?<=\w.)(?=\w)", re.DOTALL)
_QUOTATION_MARK = re.compile(
    rf"[{properties.QUOTATION_MARK}](?:(?<![{SINGLE_QUOTATION_MARK}])|(?<!\w.)(?=\w))", re.DOTALL
)
_INNER_DASH = re.compile(rf"[{properties.DASH}](?<=\w.)(?=\w)", re.DOTALL)
_OUTER_DASH = re.compile(rf"[{properties.DASH}](?:(?<!\w.)|(?!\w))", re.DOTALL)
_CONTEXTS = (
    (APOSTROPHES, _APOSTROPHE),
    (QUOTATION_MARKS, _QUOTATION_MARK),
    (DASHES, _INNER_DASH),
    (DASHES, _OUTER_DASH),
)
_DIGIT = re.compile(r"\d")
_MARK = re.compile(rf"[{APOSTROPHE}{properties.QUOTATION_MARK}{properties.DASH}]")
_HIDDEN = re.compile(rf"[{properties.DEFAULT_IGNORABLE}]")


@dataclass(frozen=True)
class Side:
    """One column, and of each of its rows the characters that the rules may compare."""

    texts: Sequence[str]
    marks: list[frozenset[str]]

    @classmethod
    def read(cls, texts: Sequence[str]) -> Side:
        """Return the column `texts` with the marks of its rows."""
        alphabet = filter(is_mark, set().union(*texts))
        characters = "".join(sorted(alphabet))
        if not characters:
            return cls(texts, [frozenset()] * len(texts))
        marks = re.compile(f"[{re.escape(characters)}]")
        return cls(texts, [frozenset(marks.findall(text)) for text in texts])


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
    for row, marks in enumerate(hypotheses.marks):
        others = [side.marks[row] for side in references]
        if all(marks == other for other in others):
            continue
        hypothesis = hypotheses.texts[row]
        texts = [side.texts[row] for side in references]
        found: dict[Rule, tuple[str, ...]] = {}
        for rule, pattern in _CONTEXTS:
            pair = _both_ways(_all(pattern, [hypothesis]), _all(pattern, texts))
            if pair:
                found[rule] = (*found.get(rule, ()), pair)
        different = marks.symmetric_difference(frozenset().union(*others))
        if any(map(str.isdecimal, different)):
            pair = _both_ways(_zeros([hypothesis]), _zeros(texts))
            if pair:
                found[DIGITS] = (pair,)
        forms = tuple(_forms(hypothesis, texts, different))
        if forms:
            found[COMPATIBILITY_FORMS] = forms
        for rule, what in found.items():
            yield Place(rule, row, what)


@lru_cache(maxsize=1 << 16)
def is_mark(character: str) -> bool:
    """Return whether a rule about two sides may have something to say about `character`."""
    if _MARK.match(character):
        return True
    if character.isascii():
        return False
    return character.isdecimal() or is_compatibility_form(character)


@lru_cache(maxsize=1 << 16)
def is_compatibility_form(character: str) -> bool:
    """Return whether NFKC replaces `character` where NFC does not, by something that is counted."""
    return (
        unicodedata.is_normalized("NFC", character)
        and not unicodedata.is_normalized("NFKC", character)
        and not character.isspace()
        and not character.isdecimal()
        and not _MARK.match(character)
        and not _HIDDEN.match(character)
    )


def _all(pattern: re.Pattern[str], texts: Sequence[str]) -> set[str]:
    return {character for text in texts for character in pattern.findall(text)}


def _zeros(texts: Sequence[str]) -> set[str]:
    """Return the digit 0 of every script whose digits the texts have."""
    digits = _all(_DIGIT, texts)
    return {chr(ord(digit) - unicodedata.decimal(digit)) for digit in digits}


def _both_ways(hypothesis: AbstractSet[str], references: AbstractSet[str]) -> str | None:
    """Return what each side has and the other has not, if both have something."""
    extra, missing = sorted(hypothesis - references), sorted(references - hypothesis)
    if not extra or not missing:
        return None
    return f"{' '.join(code_points(extra))} for {' '.join(code_points(missing))}"


def _forms(
    hypothesis: str, references: Sequence[str], different: AbstractSet[str]
) -> Iterator[str]:
    """Yield the compatibility forms for which the other side has what replaces them."""
    for character in sorted(filter(is_compatibility_form, different)):
        normal = _without_marks(unicodedata.normalize("NFKC", character))
        if character in hypothesis:
            own, others = [hypothesis], references
        else:
            own, others = [text for text in references if character in text], [hypothesis]
        # It must be there more often than on the side of the form: a 2 is no superscript.
        least = min(_without_marks(text).count(normal) for text in own)
        if max(_without_marks(text).count(normal) for text in others) > least:
            yield from code_points(character)


def _without_marks(text: str) -> str:
    """Return `text` without the marks that may stand between the parts of a letter (tone marks)."""
    if text.isascii():
        return text
    return "".join(character for character in text if not unicodedata.combining(character))
