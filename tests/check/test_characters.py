"""Rules about the characters of one column."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chrf.check.block import RULES
from chrf.check.characters import CHARACTER_RULES, check_column
from chrf.kernel.text import WHITESPACE

# The six code points and three marks that were found before there were classes.
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\u180e\u00ad"
OLD = ["not NFC", "byte-order mark", "zero-width character", "carriage return"]


def points(*spans):
    return [chr(point) for first, last in spans for point in range(first, last + 1)]


CLASSES = {
    "byte-order-mark": ["\ufeff"],
    "zero-width-character": list(ZERO_WIDTH),
    "direction-mark": points((0x61C, 0x61C), (0x200E, 0x200F), (0x202A, 0x202E), (0x2066, 0x2069)),
    "variation-selector": points(
        (0x180B, 0x180D), (0x180F, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF)
    ),
    "invisible-character": points(
        (0x34F, 0x34F),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x2061, 0x2065),
        (0x206A, 0x206F),
        (0x3164, 0x3164),
        (0xFFA0, 0xFFA0),
        (0xFFF0, 0xFFF8),
        (0x1BCA0, 0x1BCA3),
        (0x1D173, 0x1D17A),
        (0xE0000, 0xE0001),
        (0xE0020, 0xE007F),
    ),
    "annotation-character": points((0xFFF9, 0xFFFB)),
    "replacement-character": ["\ufffd"],
    "carriage-return": ["\r"],
    "control-character": points((0, 8), (0xB, 0xC), (0xE, 0x1F), (0x7F, 0x9F)),
    "noncharacter": points((0xFDD0, 0xFDEF), (0xFFFE, 0xFFFF), (0x10FFFE, 0x10FFFF)),
    "private-use": points((0xE000, 0xE000), (0xF8FF, 0xF8FF), (0xF0000, 0xF0000)),
    "surrogate": ["\ud800", "\udfff"],
}


def found(text, **options):
    return [place.rule.id for place in check_column([text], **options)]


@pytest.mark.parametrize("rule", CLASSES)
def test_every_code_point_of_a_class(rule):
    for character in CLASSES[rule]:
        (place,) = check_column(["plain", f"a{character}b"])
        expected = (rule, 1, (f"U+{ord(character):04X}",))
        assert (place.rule.id, place.row, place.found) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The cat’s “hat” – 20 % off…\tand\nmore",
        "Příliš žluťoučký kůň úpěl ďábelské ódy",
        "Ăn quả nhớ kẻ trồng cây",
        "Съешь же ещё этих мягких французских булок",
        "Καλημέρα κόσμε",
        "السَّلامُ عليكم، ٢٠٢٣",
        "שָׁלוֹם עוֹלָם",
        "नमस्ते दुनिया १२३",
        "ฉันกินข้าวน้ำ",
        "សួស្តីពិភពលោក",
        "မင်္ဂလာပါ ကမ္ဘာ",
        "敏捷的棕色狐狸，跳过了「懒狗」。",
        "ﾊﾝｶｸとカタカナ、ＡＢＣ",
        "안녕하세요 세계",
        "👍🏽🇺🇦 😀",
        "\u0600\u06dd\u070f\u08e2",  # format characters that are shown
    ],
)
def test_sound_text(text):
    assert found(unicodedata.normalize("NFC", text)) == []


def test_persian_needs_joiners_and_is_told_of_them():
    assert found("می\u200cخواهم") == ["zero-width-character"]


def test_every_rule_once_a_row_in_the_order_of_rows():
    places = list(check_column(["\u200f\u200e\u200f", "a", "\u200eb\ufe0f"]))
    assert [(place.rule.id, place.row, place.found) for place in places] == [
        ("direction-mark", 0, ("U+200F", "U+200E")),
        ("direction-mark", 2, ("U+200E",)),
        ("variation-selector", 2, ("U+FE0F",)),
    ]


@pytest.mark.parametrize(
    ("text", "characters"),
    [
        ("cafe\u0301", ("U+0301",)),
        ("\u212b", ("U+212B",)),
        ("\u1112\u1161\u11ab", ("U+1112", "U+1161", "U+11AB")),
        ("q\u0307\u0323", ()),  # only their order changes
    ],
)
def test_not_nfc(text, characters):
    (place,) = check_column([text])
    assert (place.rule.id, place.found) == ("not-nfc", characters)


def test_rows_do_not_compose_with_each_other():
    assert found("e") == []
    assert list(check_column(["e", "\u0301"])) == []


@pytest.mark.parametrize("text", ["  a", "a ", "a  b", " ", "a \tb"])
def test_doubled_spaces_matter_where_whitespace_is_kept(text):
    assert found(text) == []
    assert "doubled-space" in found(text, whitespace=True)


@pytest.mark.parametrize("space", sorted(WHITESPACE - {" "}))
def test_unusual_spaces_matter_where_whitespace_is_kept(space):
    damaged = {"\r": ["carriage-return"]}.get(space, ["control-character"])
    as_ever = [] if space in "\t\n" or unicodedata.category(space) != "Cc" else damaged
    nfc = ["not-nfc"] if space in "\u2000\u2001" else []
    assert found(f"a{space}b") == nfc + as_ever
    assert found(f"a{space}b", whitespace=True) == nfc + (as_ever or ["unusual-space"])


@given(st.text(st.characters()))
@example("\ud83d\ude00")
@example("\x85")
def test_what_was_found_before_is_found_under_the_same_names(text):
    expected = []
    if not unicodedata.is_normalized("NFC", text):
        expected.append("not NFC")
    if "\ufeff" in text:
        expected.append("byte-order mark")
    if set(ZERO_WIDTH) & set(text):
        expected.append("zero-width character")
    if "\r" in text:
        expected.append("carriage return")
    summaries = [place.rule.summary for place in check_column([text])]
    assert sorted(name for name in summaries if name in OLD) == sorted(expected)


@given(st.lists(st.text(st.characters() | st.sampled_from("\u200f\r\n \u0301e")), max_size=4))
def test_rows_are_found_as_if_alone(texts):
    together = list(check_column(texts, whitespace=True))
    alone = [
        place._replace(row=row)
        for row, text in enumerate(texts)
        for place in check_column([text], whitespace=True)
    ]
    assert sorted(together, key=key) == sorted(alone, key=key)
    assert list(check_column(texts, whitespace=True, alphabet=set("".join(texts)))) == together


def key(place):
    return place.row, list(RULES).index(place.rule.id)


def test_every_rule_finds_something_in_its_example():
    for rule in CHARACTER_RULES:
        assert rule.id in found(rule.example[0], whitespace=rule.whitespace)
