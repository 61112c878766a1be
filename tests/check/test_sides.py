"""Rules about a hypothesis beside its references."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chrf.check.sides import SIDE_RULES, check_sides

MARKS = st.text(st.characters() | st.sampled_from("'’ʼ`\"“”„«»-–—2٢२…．ﬁａ a\u0e33\u0e4d\u0e32"))


def found(hypothesis, *references):
    places = check_sides([hypothesis], *([reference] for reference in references))
    return [(place.rule.id, *place.found) for place in places]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("don't", "don’t", [("apostrophes", "U+0027 for U+2019")]),
        ("м`ята", "мʼята", [("apostrophes", "U+0060 for U+02BC")]),
        ("don't 'x'", "don’t 'x'", [("apostrophes", "U+0027 for U+2019")]),
        ('"a"', "«a»", [("quotation-marks", "U+0022 for U+00AB U+00BB")]),
        ("'a'", '"a"', [("quotation-marks", "U+0027 for U+0022")]),
        ("「a」", "“a”", [("quotation-marks", "U+300C U+300D for U+201C U+201D")]),
        ("10-12", "10–12", [("dashes", "U+002D for U+2013")]),
        ("yes - no", "yes — no", [("dashes", "U+002D for U+2014")]),
        (
            "1-2 - 3",
            "1–2 — 3",
            [("dashes", "U+002D for U+2013", "U+002D for U+2014")],
        ),
        ("-5", "−5", [("dashes", "U+002D for U+2212")]),
        ("in 2023", "in ٢٠٢٣", [("digits", "U+0030 for U+0660")]),
        ("۲", "٢", [("digits", "U+06F0 for U+0660")]),
        ("２", "2", [("digits", "U+FF10 for U+0030")]),
        ("ﬁne", "fine", [("compatibility-forms", "U+FB01")]),
        ("fine", "ﬁne", [("compatibility-forms", "U+FB01")]),
        ("ＡＢ", "AB", [("compatibility-forms", "U+FF21", "U+FF22")]),
        ("你好，", "你好,", [("compatibility-forms", "U+FF0C")]),
        ("so…", "so...", [("compatibility-forms", "U+2026")]),
        ("\ufefb", "\u0644\u0627", [("compatibility-forms", "U+FEFB")]),
        ("10 m²", "10 m2", [("compatibility-forms", "U+00B2")]),
        # SARA AM: one code point or two, a tone mark between them or before.
        ("\u0e19\u0e49\u0e33", "\u0e19\u0e4d\u0e49\u0e32", [("compatibility-forms", "U+0E33")]),
        ("\u0e19\u0e49\u0e4d\u0e32", "\u0e19\u0e49\u0e33", [("compatibility-forms", "U+0E33")]),
    ],
)
def test_one_thing_in_two_ways(hypothesis, reference, expected):
    assert found(hypothesis, reference) == expected


@pytest.mark.parametrize(
    ("hypothesis", "reference"),
    [
        ("", ""),
        ("don't", "do not"),
        ("a", "“a”"),  # left out
        ("players' cup", "“players” cup"),  # an apostrophe at the end of a word
        ("well-known", "yes – no"),  # a hyphen in a word, a dash between words
        ("a-b", "a-b – c"),
        ("2 and ٢", "2"),
        ("10 m² in 2020", "10 m in 2020"),  # the 2 was there anyway
        ("10 m²", "10 square metres"),
        ("你好，世界", "你好世界"),
        ("a\u00a0b\u3000c", "a b c"),  # whitespace: removed, or a rule of its own
        ("a\u00adb\u3164", "ab"),
        ("a\u00a8", "a b"),  # replaced by a space with a mark
    ],
)
def test_what_is_no_finding(hypothesis, reference):
    assert found(hypothesis, reference) == []


@pytest.mark.parametrize("pair", [("don't", "don’t"), ("so…", "so..."), ("2", "٢")])
def test_a_mark_that_any_reference_has_is_no_difference(pair):
    for hypothesis in pair:
        assert found(hypothesis, *pair) == []
        assert found(hypothesis, *reversed(pair)) == []


def test_rows_in_order():
    places = check_sides(["a", "don't", '"a" 1-2'], ["a", "don’t", "“a” 1–2"])
    assert [(place.row, place.rule.id) for place in places] == [
        (1, "apostrophes"),
        (2, "quotation-marks"),
        (2, "dashes"),
    ]


def test_columns_of_different_length():
    with pytest.raises(ValueError, match="zip"):
        list(check_sides(["a", "b"], ["a"]))


@given(MARKS, MARKS, MARKS)
def test_any_text(hypothesis, first, second):
    """Nothing fails; a side has no difference from itself; more references, fewer findings."""
    assert found(hypothesis, hypothesis) == []
    assert found(hypothesis, first, hypothesis) == []
    one = {rule for rule, *_ in found(hypothesis, first)}
    assert {rule for rule, *_ in found(hypothesis, first, first)} == one
    found(hypothesis, first, second)


@given(MARKS, MARKS)
def test_the_sides_may_change_places(hypothesis, reference):
    there = {rule for rule, *_ in found(hypothesis, reference)}
    assert {rule for rule, *_ in found(reference, hypothesis)} == there


def test_every_rule_finds_its_example_and_nothing_else():
    for rule in SIDE_RULES:
        (place,) = found(*rule.example)
        assert place[0] == rule.id
        assert found(rule.example[1], rule.example[1]) == []


def test_nfkc_takes_compatibility_forms_away():
    hypothesis, reference = SIDE_RULES[-1].example
    assert unicodedata.normalize("NFKC", hypothesis) == reference
