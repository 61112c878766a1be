"""Rules about the characters of one column: what is invisible, damaged or not composed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from chrf.check import properties
from chrf.check.rule import Place, Rule, code_points
from chrf.kernel.text import WHITESPACE

NOT_NFC = Rule(
    id="not-nfc",
    summary="not NFC",
    finds="Text that Unicode normalisation form C would change: an accent as a combining mark of"
    " its own, Hangul as single letters, singletons such as the angstrom sign.",
    why="Nothing is normalised before counting, so the two spellings of one letter have no n-gram"
    " in common.",
    example=("cafe\u0301", "caf\u00e9"),
    fix='Normalise both sides: `unicodedata.normalize("NFC", text)`.',
    names=False,
)
DOUBLED_SPACE = Rule(
    id="doubled-space",
    summary="leading, trailing or doubled whitespace",
    finds="Whitespace at the start or the end of a segment, or two whitespace characters in a row."
    " Checked only with `whitespace=True`.",
    why="With `whitespace=True` each of these characters is in n-grams. Without it whitespace is"
    " removed, words are split at runs of it, and neither chrF nor chrF++ changes.",
    example=("the  cat", "the cat"),
    fix='Join the words with single spaces: `" ".join(text.split())`.',
    whitespace=True,
    names=False,
)
# A character belongs to the first rule whose class has it.
CLASS_RULES = (
    Rule(
        id="byte-order-mark",
        summary="byte-order mark",
        finds="U+FEFF, the mark that some programs write at the start of a file, and that stays"
        " when files are joined.",
        why="It is no whitespace: it is counted as a character, and it sticks to the first word.",
        example=("\ufeffcat", "cat"),
        fix="Read files as `utf-8-sig`, or remove the character.",
        characters=r"\uFEFF",
        names=False,
    ),
    Rule(
        id="zero-width-character",
        summary="zero-width character",
        finds="Zero-width space, joiner and non-joiner, word joiner, Mongolian vowel separator and"
        " soft hyphen (U+200B to U+200D, U+2060, U+180E, U+00AD).",
        why="None of them is whitespace: each is counted as a character. Persian and many Indic"
        " texts need U+200C and U+200D; there, both sides should write them alike.",
        example=("cat\u200b", "cat"),
        fix="Remove U+200B, U+2060 and U+00AD on both sides; keep joiners where the language needs"
        " them.",
        characters=r"\u00AD\u180E\u200B-\u200D\u2060",
        names=False,
    ),
    Rule(
        id="direction-mark",
        summary="direction mark",
        finds="Characters that set the direction of text (Bidi_Control): U+061C, U+200E, U+200F,"
        " U+202A to U+202E, U+2066 to U+2069.",
        why="They are invisible, and each is counted as a character. Editors add them to Arabic,"
        " Hebrew, Sindhi or Pashto text; systems seldom do.",
        example=("\u202bسلام\u202c", "سلام"),
        fix="Remove them on both sides.",
        characters=properties.BIDI_CONTROL,
    ),
    Rule(
        id="variation-selector",
        summary="variation selector",
        finds="Characters that choose the look of the one before (Variation_Selector): U+FE00 to"
        " U+FE0F, U+E0100 to U+E01EF, and the Mongolian U+180B to U+180D and U+180F.",
        why="Each is counted as a character. Emoji come with and without U+FE0F, often both in one"
        " data set.",
        example=("\u2764\ufe0f", "\u2764"),
        fix="Remove them on both sides, or keep them on both.",
        characters=properties.VARIATION_SELECTOR,
    ),
    Rule(
        id="invisible-character",
        summary="invisible character",
        finds="Every other character that is not shown (Default_Ignorable_Code_Point): the"
        " combining grapheme joiner U+034F, Hangul fillers, invisible operators, tags (U+E0020 to"
        " U+E007F) and more.",
        why="Each is counted as a character, and nobody sees it. Tags can carry hidden text.",
        example=("c\u034fat", "cat"),
        fix="Remove them. Only flags such as that of Scotland are made of tags; keep those alike on"
        " both sides.",
        characters=properties.DEFAULT_IGNORABLE,
    ),
    Rule(
        id="annotation-character",
        summary="annotation character",
        finds="The interlinear annotation characters U+FFF9 to U+FFFB.",
        why="They stand for markup that was lost: the annotation is now counted as text.",
        example=("\ufff9cat\ufffa猫\ufffb", "cat"),
        fix="Remove them together with the annotation.",
        characters=properties.ANNOTATION,
    ),
    Rule(
        id="replacement-character",
        summary="replacement character",
        finds="U+FFFD, which a decoder writes where bytes were not valid.",
        why="The text was damaged before it came here, and what stood there is lost. Models whose"
        " byte tokens are decoded one by one give such text.",
        example=("a\ufffdb", "ab"),
        fix="Decode the original again with the right encoding, or the tokens all at once.",
        characters=r"\uFFFD",
    ),
    Rule(
        id="carriage-return",
        summary="carriage return",
        finds="U+000D: half of a Windows line ending, or a line break inside a segment.",
        why="It is whitespace, so it costs nothing unless whitespace is kept; but it shows that the"
        " file was not split into lines as its writer meant.",
        example=("cat\r", "cat"),
        fix=r'Write files with "\n"; remove the character.',
        characters=r"\r",
        names=False,
    ),
    Rule(
        id="control-character",
        summary="control character",
        finds="NUL and the other controls (general category Cc) except tab, line feed and carriage"
        " return.",
        why="They are not shown, and those that are no whitespace are counted. NUL everywhere is"
        " UTF-16 read as something else; U+0080 to U+009F are mostly Windows-1252 read as Latin-1:"
        " quotation marks, dashes and ellipses that were lost.",
        example=("a\x00b", "ab"),
        fix="Decode the original again with the right encoding.",
        characters=properties.CONTROL,
    ),
    Rule(
        id="noncharacter",
        summary="noncharacter",
        finds="Code points that are never characters: U+FDD0 to U+FDEF, and the last two of every"
        " plane, such as U+FFFF.",
        why="No text has them: a program used them as a mark of its own, or read binary data.",
        example=("cat\ufdd0", "cat"),
        fix="Find the step that put them there, and remove them.",
        characters=properties.NONCHARACTER,
    ),
    Rule(
        id="private-use",
        summary="private-use character",
        finds="Characters without a public meaning (general category Co), such as U+E000.",
        why="Only one font or one vendor knows them: symbols of Word or PDF files, logos, letters"
        " of old encodings. The other side hardly ever has the same.",
        example=("\uf0b7 cat", "• cat"),
        fix="Replace them with the characters that they stand for.",
        characters=properties.PRIVATE_USE,
    ),
    Rule(
        id="surrogate",
        summary="lone surrogate",
        finds="Half of a UTF-16 pair (general category Cs). A file of UTF-8 cannot hold one; a"
        " string in Python or JSON can.",
        why="It is counted as a character, and the text cannot be written as UTF-8.",
        example=("cat\ud83d", "cat"),
        fix="Decode the original again; halves were cut apart or escaped one by one.",
        characters=properties.SURROGATE,
    ),
    Rule(
        id="unusual-space",
        summary="whitespace other than a space",
        finds="No-break, ideographic, thin and other spaces, tabs, line feeds and line separators."
        " Checked only with `whitespace=True`.",
        why="With `whitespace=True` they are other characters than a space. Without it all of them"
        " are removed and all of them split words, so neither chrF nor chrF++ changes.",
        example=("the\u00a0cat", "the cat"),
        fix='Join the words with single spaces: `" ".join(text.split())`.',
        characters="".join(sorted(WHITESPACE - {" "})),
        whitespace=True,
    ),
)
CHARACTER_RULES = (NOT_NFC, *CLASS_RULES, DOUBLED_SPACE)

_CLASSES = [(rule, re.compile(f"[{rule.characters}]")) for rule in CLASS_RULES]
_PLAIN = frozenset(map(chr, range(0x20, 0x7F)))


def check_column(
    texts: Sequence[str], whitespace: bool = False, alphabet: AbstractSet[str] | None = None
) -> Iterator[Place]:
    r"""Yield what the rules about characters find in the texts of one column.

    Parameters
    ----------
    texts : sequence of str
        The rows of the column.
    whitespace : bool
        Whether whitespace is kept when the texts are counted: two more rules matter then.
    alphabet : set of str, optional
        The characters of the texts, where the caller has them already.

    Yields
    ------
    Place
        The rule, the row (from 0) and the code points, rule by rule, rows in order.

    Examples
    --------
    >>> [(place.rule.id, place.row, place.found) for place in check_column(["a", "\u200fb"])]
    [('direction-mark', 1, ('U+200F',))]
    """
    everything = "\n".join(texts)
    # Whether any text is not composed: a line feed composes with nothing.
    if not everything.isascii() and not unicodedata.is_normalized("NFC", everything):
        for row, text in enumerate(texts):
            if not unicodedata.is_normalized("NFC", text):
                yield Place(NOT_NFC, row, code_points(_decomposed(text)))
    yield from _of_classes(texts, set(everything) if alphabet is None else alphabet, whitespace)
    if whitespace:
        for row, text in enumerate(texts):
            words = text.split()
            if len(text) > sum(map(len, words)) + max(len(words) - 1, 0):
                yield Place(DOUBLED_SPACE, row, ())


def _of_classes(
    texts: Sequence[str], alphabet: AbstractSet[str], whitespace: bool
) -> Iterator[Place]:
    """Yield what the rules that have a class of characters find."""
    present: dict[Rule, set[str]] = {}
    for character in alphabet - _PLAIN:
        rule = rule_of(character, whitespace)
        if rule:
            present.setdefault(rule, set()).add(character)
    for rule, members in _CLASSES:
        if rule in present:
            for row, text in enumerate(texts):
                found = filter(present[rule].__contains__, dict.fromkeys(members.findall(text)))
                characters = code_points(found)
                if characters:
                    yield Place(rule, row, characters)


@lru_cache(maxsize=1 << 16)
def rule_of(character: str, whitespace: bool) -> Rule | None:
    """Return the rule that finds `character`, if one does."""
    for rule, members in _CLASSES:
        if members.match(character) and (whitespace or not rule.whitespace):
            # Tab and line feed are controls that text is made of.
            if rule.id == "control-character" and character in "\t\n":
                continue
            return rule
    return None


def _decomposed(text: str) -> list[str]:
    """Return the characters of `text` that composing it removes (none where it reorders)."""
    removed = set(text).difference(unicodedata.normalize("NFC", text))
    return sorted(character for character in removed if not character.isascii())
