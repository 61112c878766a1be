"""What users of chrF met in public, entry by entry of the field reports (scoring and API).

Each expected fraction was derived from the definition with ``fractions.Fraction``, independently
of the package. Where no rule is named, both rules give the same value and both are run.
"""

import inspect
import json
import re
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chrf
from chrf.kernel.text import words

RULES = ("all", "sacrebleu")
PLUS_PLUS = {"word_order": 2}


@dataclass(frozen=True)
class Case:
    """One corpus, and its score under the rules."""

    id: str  # the number of the entry first
    hypotheses: list
    references: list
    fraction: Fraction
    decimals: str
    keywords: dict = field(default_factory=dict)
    rules: tuple = RULES


def case(name, hypotheses, references, fraction, decimals, *, rules=RULES, **keywords):
    return Case(name, hypotheses, references, Fraction(fraction), decimals, keywords, rules)


BLANKS = ["A B C", "B C D", "C D E"]
THREE = (
    ["the cat", "a dog ran home", "it rained"],
    ["the cat sat", "a dog ran home", "it rains today"],
)
SPACES = [
    *map(chr, range(0x09, 0x0E)),
    *map(chr, range(0x1C, 0x21)),
    *"\x85\xa0\u1680",
    *map(chr, range(0x2000, 0x200B)),
    *"\u2028\u2029\u202f\u205f\u3000",
]
THUMB = "\U0001f44d"

CASES = [
    # 1: F of the averaged P and R, or the average of the F of every order.
    case(
        "1",
        ["Das ist das Haus von Thomas und Samuel"],
        ["Das ist das Haus von Tom and Sam"],
        "148754799473150/1983896727759",
        "74.981120",
    ),
    case(
        "1-several-references",
        ["the cat is on the mat"],
        [["there is a cat on the mat", "a cat is on the mat"]],
        "48233897985725/557734265088",
        "86.481862",
        **PLUS_PLUS,
    ),
    # 2: orders that are not there are not counted (and are, in the mean of per-order F).
    case("2-one-character", ["a"], ["a"], 100, "100.000000"),
    case("2-two-characters", ["aa"], ["ab"], 25, "25.000000"),
    case("2-two-segments", ["a", "b"], ["a", "c"], 50, "50.000000"),
    case("2-long-and-short", ["hi there"], ["h"], "500/11", "45.454545"),
    case("2-f-1", ["a"], ["a"], "50/3", "16.666667", averaging="per_order_f"),
    case("2-f-2", ["aa"], ["ab"], "25/3", "8.333333", averaging="per_order_f"),
    case("2-f-3", ["a", "b"], ["a", "c"], "25/3", "8.333333", averaging="per_order_f"),
    case("2-f-4", ["hi there"], ["h"], "250/33", "7.575758", averaging="per_order_f"),
    # 3: empty hypotheses in the corpus.
    case("3-first-blank", ["", *BLANKS[1:]], BLANKS, "500/7", "71.428571"),
    case("3-second-blank", [BLANKS[0], "", BLANKS[2]], BLANKS, "500/7", "71.428571"),
    case("3-third-blank", [*BLANKS[:2], ""], BLANKS, "500/7", "71.428571"),
    case("3-two-blank", ["", BLANKS[1], ""], BLANKS, "500/13", "38.461538"),
    case("3-all-blank", ["", "", ""], BLANKS, 0, "0.000000"),
    # 4: empty and blank references.
    case("4-empty", ["abc"], [""], 0, "0.000000"),
    case("4-both-empty", [""], [""], 0, "0.000000"),
    case("4-all", ["hello", "x"], ["hello", " \t"], "7250/73", "99.315068", rules=("all",)),
    case("4-sacrebleu", ["hello", "x"], ["hello", " \t"], 100, "100.000000", rules=("sacrebleu",)),
    # 5: output longer than a very short reference.
    case(
        "5-all",
        ["hello", "abcdefghijk"],
        ["hello", "abc"],
        "166625/2383",
        "69.922367",
        rules=("all",),
    ),
    case(
        "5-sacrebleu",
        ["hello", "abcdefghijk"],
        ["hello", "abc"],
        "34250/379",
        "90.369393",
        rules=("sacrebleu",),
    ),
    # 6: a segment without a match keeps its reference n-grams.
    case(
        "6-chrF",
        ["the cat is on the mat", "zzz qqq"],
        ["the cat is on the mat", "hello there everyone"],
        "1544717745875/30403045064",
        "50.807994",
    ),
    case(
        "6-chrF++",
        ["the cat is on the mat", "zzz qqq"],
        ["the cat is on the mat", "hello there everyone"],
        "27580321726375/491867765088",
        "56.072635",
        **PLUS_PLUS,
    ),
    # 7: a segment without a match does not count the one before again.
    case("7", ["abcdef", "zzz"], ["abcdef", "yyy"], "5440/63", "86.349206"),
    case("7-swapped", ["zzz", "abcdef"], ["yyy", "abcdef"], "5440/63", "86.349206"),
    # 8: the corpus score is not a mean of scores.
    case("8", *THREE, "196996819423925/2987290743138", "65.944977"),
    # 9: beta.
    case("9-beta-1", ["ab"], ["abcd"], "1000/17", "58.823529", beta=1),
    case("9-beta-2", ["ab"], ["abcd"], "2500/53", "47.169811"),
    case("9-beta-3", ["ab"], ["abcd"], "5000/113", "44.247788", beta=3),
    # 10: chrF is not chrF++.
    case("10-chrF", ["a b c"], ["abc"], 100, "100.000000"),
    case("10-chrF++", ["a b c"], ["abc"], 75, "75.000000", **PLUS_PLUS),
    # 11: one ASCII mark off the end of a word, or else off its start.
    case("11-brackets", ["(hi)"], ["( hi )"], "4875/67", "72.761194", **PLUS_PLUS),
    case("11-dots", ["wait..."], ["wait ..."], "30875/388", "79.574742", **PLUS_PLUS),
    case("11-quotes", ['"Yes."'], ['" Yes. "'], "40625/516", "78.730620", **PLUS_PLUS),
    case("11-only-marks", ["!!"], ["! !"], 100, "100.000000", **PLUS_PLUS),
    # 12: only ASCII punctuation is split off.
    case("12-chinese-chrF", ["你好，世界。"], ["你好， 世界 。"], 100, "100.000000"),
    case("12-chinese", ["你好，世界。"], ["你好， 世界 。"], "600/7", "85.714286", **PLUS_PLUS),
    case("12-curly-quotes", ["“hi”"], ["“ hi ”"], 80, "80.000000", **PLUS_PLUS),
    # 14: whitespace is what str.split() splits on.
    *(
        case(f"14-U+{ord(space):04X}", [f"a{space}b"], ["ab"], 100, "100.000000")
        for space in SPACES
    ),
    case("14-hello", ["hello world"], ["hello\xa0world"], 100, "100.000000", **PLUS_PLUS),
    # 15: zero-width characters are not whitespace.
    *(
        case(f"15-U+{ord(c):04X}", [f"a{c}b"], ["ab"], "500/11", "45.454545")
        for c in "\u180e\u200b\u200c\u200d\u2060\ufeff\u00ad"
    ),
    case("15-persian", ["می خواهم"], ["می\u200cخواهم"], "1879150/39831", "47.178077"),
    # 16: no Unicode normalisation.
    case("16-accent", ["caf\u00e9"], ["cafe\u0301"], "123625/3276", "37.736569"),
    case("16-devanagari", ["\u0958"], ["\u0915\u093c"], 0, "0.000000"),
    case("16-hangul", ["\ud55c"], ["\u1112\u1161\u11ab"], 0, "0.000000"),
    case("16-ligature", ["\ufefb"], ["\u0644\u0627"], 0, "0.000000"),
    # 17: an astral code point counts once.
    case("17-letters", ["\U0001d4b3\U0001d4b4"], ["\U0001d4b3\U0001d4b5"], 25, "25.000000"),
    case("17-flags", ["\U0001f1e9\U0001f1ea"], ["\U0001f1e9\U0001f1f0"], 25, "25.000000"),
    case("17-skin-tone", [THUMB + "\U0001f3fd"], [THUMB], "250/3", "83.333333"),
    case("17-couple", ["\U0001f468\u200d\U0001f469"], ["\U0001f468"], "500/7", "71.428571"),
    # 18: lone surrogates are code points.
    case("18-lone", ["a\ud800b"], ["ab"], "500/11", "45.454545"),
    case("18-pair", ["\ud83d\ude00"], ["\U0001f600"], 0, "0.000000"),
    # 19: no n-gram crosses from one segment to the next.
    case(
        "19-boundaries",
        ["abcdef", "ghijkl"],
        ["abcdefg", "hijklm"],
        "439830025/6267489",
        "70.176433",
    ),
    case("19-paired", ["ab", "cd"], ["cd", "ab"], 0, "0.000000"),
    # 20: matches are clipped.
    case(
        "20-the",
        ["the the the the the the the"],
        ["the cat is on the mat"],
        "13073950/918603",
        "14.232427",
    ),
    case("20-one-letter", ["a" * 100000], ["a b c"], "125/75009", "0.001666"),
    # 21: the fraction of one sentence overflows 64 bits.
    case(
        "21",
        [" Die    Beziehung zwischen  Obama und Netanjahu ist nicht gerade  freundlich. "],
        ["Das Verhältnis zwischen Obama und Netanyahu ist nicht gerade freundschaftlich."],
        "11936373720190013047/184151793264330550",
        "64.818124",
    ),
    # 24: lower-casing, which is not case-folding.
    case("24-off", ["ABC"], ["abc"], 0, "0.000000"),
    case("24-on", ["ABC"], ["abc"], 100, "100.000000", lowercase=True),
    case("24-sharp-s", ["STRASSE"], ["straße"], "36975/1021", "36.214496", lowercase=True),
    case("24-kelvin", ["\u212a"], ["k"], 100, "100.000000", lowercase=True),
    # 26: references are chosen from, never joined.
    case(
        "26",
        ["hello world"],
        [["completely different text here", "hello world"]],
        100,
        "100.000000",
    ),
    # 28: one list of references per segment.
    case(
        "28-sacrebleu",
        ["same text", "wrong one", "also wrong"],
        [["same text"], ["other ref"], ["third ref"]],
        "3592434625/100778844",
        "35.646714",
    ),
    case(
        "28-lighteval",
        ["GOOD", "PRED2"],
        [["GOOD"], ["REF2"]],
        "5938550/101091",
        "58.744596",
        **PLUS_PLUS,
    ),
    # 36: the scale is 0 to 100.
    case("36", ["aa"], ["ab"], 25, "25.000000"),
]


@pytest.mark.parametrize(
    ("case", "rule"),
    [
        pytest.param(case, rule, id=f"entry-{case.id}-{rule}")
        for case in CASES
        for rule in case.rules
    ],
)
def test_entry(engine, case, rule):
    keywords = {**case.keywords, "rule": rule}
    score = engine.corpus_score(case.hypotheses, case.references, **keywords)
    assert score.fraction == case.fraction
    assert str(score) == case.decimals
    assert score.segment_count == len(case.hypotheses)
    assert f"rule:{rule}" in score.signature.split("|")
    rows = engine.counts(case.hypotheses, case.references, **keywords)
    assert rows.sum(axis=0).tolist() == [list(row) for row in score.counts]
    scores = engine.segment_scores(case.hypotheses, case.references, **keywords)
    if len(scores) == 1:
        assert scores.tolist() == [float(case.fraction)]


def test_entry_ids_are_different():
    ids = [case.id for case in CASES]
    assert len(set(ids)) == len(ids)


def test_entry_1_the_other_averaging(engine):
    """The value that chrF++.py and NLTK give; sacreBLEU's, with eps smoothing, is 74.977698."""
    texts = ["Das ist das Haus von Thomas und Samuel"], ["Das ist das Haus von Tom and Sam"]
    score = engine.corpus_score(*texts, averaging="per_order_f")
    assert str(score) == "74.977698"
    assert "averaging:per_order_f" in score.signature.split("|")


@pytest.mark.parametrize("rule", RULES)
def test_entry_4_blank_references_are_empty_ones(engine, rule):
    def score(blank):
        return engine.corpus_score(["hello", "x y"], ["hello", blank], rule=rule, word_order=2)

    empty = score("")
    for blank in ["".join(SPACES), "  \t", *SPACES]:
        assert score(blank) == empty


SIX = st.text(st.sampled_from("abcdef"), max_size=12)


@given(
    segments=st.lists(st.tuples(SIX, SIX), min_size=1, max_size=4),
    index=st.integers(0, 3),
    rule=st.sampled_from(RULES),
)
def test_entry_6_nothing_in_common_never_raises_the_score(engine, segments, index, rule):
    hypotheses, references = map(list, zip(*segments, strict=True))
    before = engine.corpus_score(hypotheses, references, rule=rule)
    index %= len(segments)
    hypotheses[index] = "z" * len(hypotheses[index])
    assert engine.corpus_score(hypotheses, references, rule=rule).fraction <= before.fraction


def test_entry_8_means_are_other_quantities(engine):
    scores = engine.segment_scores(*THREE)
    assert f"{scores.mean():.6f}" == "65.029951"
    chunks = [
        engine.corpus_score(THREE[0][a:b], THREE[1][a:b]).fraction for a, b in pairwise([0, 2, 3])
    ]
    assert chrf.core.exact.decimal_text(sum(chunks) / 2) == "60.829738"
    assert str(engine.corpus_score(*THREE)) == "65.944977"


@pytest.mark.parametrize(
    ("keywords", "name"),
    [({}, "chrF2"), ({"beta": 3}, "chrF3"), (PLUS_PLUS, "chrF2++"), ({"beta": 1}, "chrF1")],
)
def test_entry_9_and_10_the_variant_is_named(engine, keywords, name):
    score = engine.corpus_score(["a b c"], ["abc"], **keywords)
    assert score.name == name
    record = score.to_dict()
    assert record["metric"] == name
    assert record["char_order"] == 6
    assert record["word_order"] == keywords.get("word_order", 0)
    assert record["beta"] == keywords.get("beta", 2)
    assert record["lowercase"] is False
    assert repr(score).startswith(f"<{name} ")


def test_entry_11_tokens():
    assert words("(hi)") == ["(hi", ")"]
    assert words('"Yes."') == ['"Yes.', '"']
    assert words("wait...") == ["wait..", "."]
    assert words("(hi !! ! a. .a") == ["(", "hi", "!", "!", "!", "a", ".", ".", "a"]


def test_entry_14_there_are_29_whitespace_code_points(engine):
    assert len(set(SPACES)) == 29
    for space in SPACES:
        counts = engine.counts([f"a{space}b"], ["a b"], word_order=2)
        assert counts[0, 6:].tolist() == [[2, 2, 2], [1, 1, 1]]
        kept = engine.counts([f"a{space}b"], ["ab"], whitespace=True)
        assert kept[0, 0].tolist() == [3, 2, 2]


def test_entry_18_surrogates_from_json(engine):
    lone = json.loads('"\\ud83d"')
    assert engine.corpus_score([lone], [lone], word_order=2, lowercase=True).fraction == 100
    for refused in (
        lambda: engine.corpus_score([lone, None], [lone, lone]),
        lambda: engine.corpus_score(lone, [lone]),
        lambda: engine.corpus_score([lone], [lone], rule=lone),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            refused()
        assert str(caught.value).encode("utf-8")


def test_entry_19_concatenated_it_would_be_another_score(engine):
    assert str(engine.corpus_score(["abcdefghijkl"], ["abcdefghijklm"])) == "92.013298"


def test_entry_20_not_quite_100(engine):
    score = engine.corpus_score(["a" * 100000], ["a" * 99999])
    precision = sum(Fraction(99999 - n, 100000 - n) for n in range(6)) / 6
    assert score.fraction == 100 * 5 * precision / (4 * precision + 1)
    assert str(score) == "99.999800"


def test_entry_24_lower_casing_reaches_every_function(engine):
    assert engine.segment_scores(["ABC"], ["abc"], lowercase=True).tolist() == [100.0]
    counts = engine.counts(["ABC"], ["abc"], lowercase=True)
    assert counts[0, :3].tolist() == [[3, 3, 3], [2, 2, 2], [1, 1, 1]]
    assert "case:lc" in engine.corpus_score(["ABC"], ["abc"], lowercase=True).signature


def test_entry_26_the_best_reference_the_first_on_a_tie(engine):
    score = engine.corpus_score(["ab", "xy"], [["cd", "cde"], ["yy", "zx", "xz"]])
    # The first segment matches nothing: its first reference, of two characters, is used. In the
    # second, all three match in one character.
    assert score.counts[:2] == ((4, 4, 1), (2, 2, 0))
    assert score.tied_segments == 2
    tied = engine.corpus_score(["ab"], [["abcd", "abce"]])
    assert (tied.fraction, tied.tied_segments) == (Fraction(2500, 53), 1)


def test_entry_28_references_by_stream_are_refused(engine):
    hypotheses = ["same text", "wrong one", "also wrong"]
    with pytest.raises(ValueError, match=r"transposed.*list\(zip\(\*references\)\)"):
        engine.corpus_score(hypotheses, [["same text", "other ref", "third ref"]])


@pytest.mark.parametrize("sides", [(["a", "zz"], ["a"]), (["a"], ["a", "b"])])
def test_entry_29_nothing_is_cut_by_zip(engine, sides):
    hypotheses, references = map(len, sides)
    with pytest.raises(ValueError, match=rf"\b{hypotheses}\b.*\b{references}\b"):
        engine.corpus_score(*sides)


@pytest.mark.parametrize(
    ("sides", "name"),
    [
        (("hw", ["h", "w"]), "hypotheses"),
        ((["h", "w"], "hw"), "references"),
        (("hi there", "hi there"), "hypotheses"),
    ],
)
def test_entry_31_a_string_is_not_a_list(engine, sides, name):
    with pytest.raises(TypeError, match=f"^{name} is a single str"):
        engine.corpus_score(*sides)


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        ((["a", None], ["a", "a"]), "hypotheses[1] is NoneType"),
        ((["a", "b"], ["a", None]), "references[1] is NoneType"),
        ((["a", float("nan")], ["a", "a"]), "hypotheses[1] is float"),
        (([b"abc"], ["abc"]), "hypotheses[0] is bytes"),
    ],
)
def test_entry_32_the_side_the_index_and_the_type(engine, sides, message):
    with pytest.raises(TypeError, match=f"^{re.escape(message)}, not a string$"):
        engine.corpus_score(*sides)


def test_entry_33_arrays(engine):
    assert engine.corpus_score(np.array(["a", "b"]), ["a", "b"]).fraction == 100


def test_entry_33_series(engine):
    pandas = pytest.importorskip("pandas", reason="pandas is not needed by the package")
    series = pandas.Series(["a", "b"], index=[7, 3])
    assert engine.corpus_score(series, ("a", "b")).fraction == 100


def test_entry_34_an_empty_corpus_is_refused(engine):
    for function in (engine.corpus_score, engine.segment_scores, engine.counts):
        with pytest.raises(ValueError, match="no segments"):
            function([], [])


def test_entry_35_names_and_types_stay():
    assert {"Options", "Order", "Score", "corpus_score", "counts", "segment_scores"} <= set(
        chrf.__all__
    )
    for function in (chrf.corpus_score, chrf.segment_scores, chrf.counts):
        names = list(inspect.signature(function).parameters)
        assert names == ["hypotheses", "references", "threads", "options"]
    score = chrf.corpus_score(["aa", "xyz"], ["ab", "xyz"])
    assert score.fraction == Fraction(740, 9)
    assert f"{score:.2f}" == "82.22"
    assert float(score) == 740 / 9
    assert [order.matching_ngrams for order in score.orders] == [4, 2, 1, 0, 0, 0]
    assert chrf.segment_scores(["aa"], ["ab"]).dtype == np.float64


def test_entry_36_the_scale_is_everywhere_the_same(engine):
    score = engine.corpus_score(["aa"], ["ab"])
    assert float(score) == 25.0
    assert (score.to_dict()["score"], score.to_dict()["score_fraction"]) == ("25.000000", "25/1")
    assert engine.segment_scores(["aa"], ["ab"]).tolist() == [25.0]


@pytest.mark.parametrize(
    ("keywords", "error"),
    [
        ({"beta": -2}, ValueError),
        ({"beta": 2.5}, TypeError),
        ({"beta": True}, TypeError),
        ({"beta": "2"}, TypeError),
        ({"char_order": 0}, ValueError),
        ({"word_order": -1}, ValueError),
    ],
)
def test_entry_37_parameters_are_checked(keywords, error):
    (name,) = keywords
    with pytest.raises(error, match=name):
        chrf.corpus_score(["a"], ["a"], **keywords)
