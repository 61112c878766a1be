"""What users of such tools reported in public, as small inputs with their right values.

The issues are named where there are some (owner/repository#number on GitHub).

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

    id: str  # the symptom
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
    # F of the averaged P and R, or the average of every order's F (mjpost/sacrebleu#193, #144).
    case(
        "averages-of-orders",
        ["Das ist das Haus von Thomas und Samuel"],
        ["Das ist das Haus von Tom and Sam"],
        "148754799473150/1983896727759",
        "74.981120",
    ),
    case(
        "averages-several-references",
        ["the cat is on the mat"],
        [["there is a cat on the mat", "a cat is on the mat"]],
        "48233897985725/557734265088",
        "86.481862",
        **PLUS_PLUS,
    ),
    # Orders that are not there are not counted, but are 0 in the average of every order's F
    # (mjpost/sacrebleu#144, #121).
    case("missing-orders-one-character", ["a"], ["a"], 100, "100.000000"),
    case("missing-orders-two-characters", ["aa"], ["ab"], 25, "25.000000"),
    case("missing-orders-two-segments", ["a", "b"], ["a", "c"], 50, "50.000000"),
    case("missing-orders-long-and-short", ["hi there"], ["h"], "500/11", "45.454545"),
    case("per-order-one-character", ["a"], ["a"], "50/3", "16.666667", averaging="per_order_f"),
    case("per-order-two-characters", ["aa"], ["ab"], "25/3", "8.333333", averaging="per_order_f"),
    case(
        "per-order-two-segments",
        ["a", "b"],
        ["a", "c"],
        "25/3",
        "8.333333",
        averaging="per_order_f",
    ),
    case(
        "per-order-long-and-short",
        ["hi there"],
        ["h"],
        "250/33",
        "7.575758",
        averaging="per_order_f",
    ),
    # Empty hypotheses in the corpus (mjpost/sacrebleu#239, m-popovic/chrF#2).
    case("blank-hypothesis-first", ["", *BLANKS[1:]], BLANKS, "500/7", "71.428571"),
    case("blank-hypothesis-second", [BLANKS[0], "", BLANKS[2]], BLANKS, "500/7", "71.428571"),
    case("blank-hypothesis-third", [*BLANKS[:2], ""], BLANKS, "500/7", "71.428571"),
    case("blank-hypothesis-two", ["", BLANKS[1], ""], BLANKS, "500/13", "38.461538"),
    case("blank-hypothesis-all", ["", "", ""], BLANKS, 0, "0.000000"),
    # Empty and blank references (mjpost/sacrebleu#161).
    case("blank-reference-empty", ["abc"], [""], 0, "0.000000"),
    case("blank-reference-both-empty", [""], [""], 0, "0.000000"),
    case(
        "blank-reference-counted",
        ["hello", "x"],
        ["hello", " \t"],
        "7250/73",
        "99.315068",
        rules=("all",),
    ),
    case(
        "blank-reference-left-out",
        ["hello", "x"],
        ["hello", " \t"],
        100,
        "100.000000",
        rules=("sacrebleu",),
    ),
    # Output longer than a very short reference.
    case(
        "long-against-short-counted",
        ["hello", "abcdefghijk"],
        ["hello", "abc"],
        "166625/2383",
        "69.922367",
        rules=("all",),
    ),
    case(
        "long-against-short-left-out",
        ["hello", "abcdefghijk"],
        ["hello", "abc"],
        "34250/379",
        "90.369393",
        rules=("sacrebleu",),
    ),
    # A segment without a match keeps its reference n-grams (Lightning-AI/torchmetrics#3480, #3481).
    case(
        "no-match-chrF",
        ["the cat is on the mat", "zzz qqq"],
        ["the cat is on the mat", "hello there everyone"],
        "1544717745875/30403045064",
        "50.807994",
    ),
    case(
        "no-match-chrF++",
        ["the cat is on the mat", "zzz qqq"],
        ["the cat is on the mat", "hello there everyone"],
        "27580321726375/491867765088",
        "56.072635",
        **PLUS_PLUS,
    ),
    # A segment without a match does not count the one before again (m-popovic/chrF#2).
    case("no-match-last", ["abcdef", "zzz"], ["abcdef", "yyy"], "5440/63", "86.349206"),
    case("no-match-first", ["zzz", "abcdef"], ["yyy", "abcdef"], "5440/63", "86.349206"),
    # The corpus score is not a mean of scores (nltk/nltk#2069).
    case("mean-of-scores", *THREE, "196996819423925/2987290743138", "65.944977"),
    # The default beta differs between tools (mjpost/sacrebleu#124).
    case("beta-1", ["ab"], ["abcd"], "1000/17", "58.823529", beta=1),
    case("beta-2", ["ab"], ["abcd"], "2500/53", "47.169811"),
    case("beta-3", ["ab"], ["abcd"], "5000/113", "44.247788", beta=3),
    # chrF is not chrF++ (EleutherAI/lm-evaluation-harness#2256, #3363).
    case("variant-chrF", ["a b c"], ["abc"], 100, "100.000000"),
    case("variant-chrF++", ["a b c"], ["abc"], 75, "75.000000", **PLUS_PLUS),
    # One ASCII mark off the end of a word, or else off its start (mjpost/sacrebleu#124).
    case("mark-brackets", ["(hi)"], ["( hi )"], "4875/67", "72.761194", **PLUS_PLUS),
    case("mark-dots", ["wait..."], ["wait ..."], "30875/388", "79.574742", **PLUS_PLUS),
    case("mark-quotes", ['"Yes."'], ['" Yes. "'], "40625/516", "78.730620", **PLUS_PLUS),
    case("mark-only", ["!!"], ["! !"], 100, "100.000000", **PLUS_PLUS),
    # Only ASCII punctuation is split off (mjpost/sacrebleu#124, #147).
    case("chinese-marks-chrF", ["你好，世界。"], ["你好， 世界 。"], 100, "100.000000"),
    case(
        "chinese-marks-chrF++",
        ["你好，世界。"],
        ["你好， 世界 。"],
        "600/7",
        "85.714286",
        **PLUS_PLUS,
    ),
    case("curly-quotes", ["“hi”"], ["“ hi ”"], 80, "80.000000", **PLUS_PLUS),
    # Whitespace is what str.split() splits on.
    *(
        case(f"space-U+{ord(space):04X}", [f"a{space}b"], ["ab"], 100, "100.000000")
        for space in SPACES
    ),
    case("space-hello", ["hello world"], ["hello\xa0world"], 100, "100.000000", **PLUS_PLUS),
    # Zero-width characters are not whitespace (PyThaiNLP/pythainlp#373).
    *(
        case(f"zero-width-U+{ord(c):04X}", [f"a{c}b"], ["ab"], "500/11", "45.454545")
        for c in "\u180e\u200b\u200c\u200d\u2060\ufeff\u00ad"
    ),
    case("zero-width-persian", ["می خواهم"], ["می\u200cخواهم"], "1879150/39831", "47.178077"),
    # No Unicode normalisation (w3c/charmod-norm#190).
    case("nfd-accent", ["caf\u00e9"], ["cafe\u0301"], "123625/3276", "37.736569"),
    case("nfd-devanagari", ["\u0958"], ["\u0915\u093c"], 0, "0.000000"),
    case("nfd-hangul", ["\ud55c"], ["\u1112\u1161\u11ab"], 0, "0.000000"),
    case("nfd-ligature", ["\ufefb"], ["\u0644\u0627"], 0, "0.000000"),
    # An astral code point counts once.
    case("astral-letters", ["\U0001d4b3\U0001d4b4"], ["\U0001d4b3\U0001d4b5"], 25, "25.000000"),
    case("astral-flags", ["\U0001f1e9\U0001f1ea"], ["\U0001f1e9\U0001f1f0"], 25, "25.000000"),
    case("astral-skin-tone", [THUMB + "\U0001f3fd"], [THUMB], "250/3", "83.333333"),
    case("astral-couple", ["\U0001f468\u200d\U0001f469"], ["\U0001f468"], "500/7", "71.428571"),
    # Lone surrogates are code points (UKGovernmentBEIS/inspect_ai#3802).
    case("surrogate-lone", ["a\ud800b"], ["ab"], "500/11", "45.454545"),
    case("surrogate-pair", ["\ud83d\ude00"], ["\U0001f600"], 0, "0.000000"),
    # No n-gram crosses from one segment to the next.
    case(
        "segment-boundaries",
        ["abcdef", "ghijkl"],
        ["abcdefg", "hijklm"],
        "439830025/6267489",
        "70.176433",
    ),
    case("segments-are-paired", ["ab", "cd"], ["cd", "ab"], 0, "0.000000"),
    # Matches are clipped.
    case(
        "repeated-the",
        ["the the the the the the the"],
        ["the cat is on the mat"],
        "13073950/918603",
        "14.232427",
    ),
    case("repeated-one-letter", ["a" * 100000], ["a b c"], "125/75009", "0.001666"),
    # The fraction of one sentence overflows 64 bits (huggingface/datasets#3187).
    case(
        "large-fraction",
        [" Die    Beziehung zwischen  Obama und Netanjahu ist nicht gerade  freundlich. "],
        ["Das Verhältnis zwischen Obama und Netanyahu ist nicht gerade freundschaftlich."],
        "11936373720190013047/184151793264330550",
        "64.818124",
    ),
    # Lower-casing, which is not case-folding (mjpost/sacrebleu#85).
    case("case-matters", ["ABC"], ["abc"], 0, "0.000000"),
    case("lowercase", ["ABC"], ["abc"], 100, "100.000000", lowercase=True),
    case("lowercase-sharp-s", ["STRASSE"], ["straße"], "36975/1021", "36.214496", lowercase=True),
    case("lowercase-kelvin", ["\u212a"], ["k"], 100, "100.000000", lowercase=True),
    # References are chosen from, never joined (nltk/nltk#1785).
    case(
        "several-references",
        ["hello world"],
        [["completely different text here", "hello world"]],
        100,
        "100.000000",
    ),
    # One list of references per segment (mjpost/sacrebleu#220, huggingface/lighteval#1112).
    case(
        "nested-references-chrF",
        ["same text", "wrong one", "also wrong"],
        [["same text"], ["other ref"], ["third ref"]],
        "3592434625/100778844",
        "35.646714",
    ),
    case(
        "nested-references-chrF++",
        ["GOOD", "PRED2"],
        [["GOOD"], ["REF2"]],
        "5938550/101091",
        "58.744596",
        **PLUS_PLUS,
    ),
    # The scale is 0 to 100 (mjpost/sacrebleu#140).
    case("scale", ["aa"], ["ab"], 25, "25.000000"),
]


@pytest.mark.parametrize(
    ("case", "rule"),
    [pytest.param(case, rule, id=f"{case.id}-{rule}") for case in CASES for rule in case.rules],
)
def test_case(engine, case, rule):
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


def test_case_ids_are_different():
    ids = [case.id for case in CASES]
    assert len(set(ids)) == len(ids)


def test_the_other_averaging(engine):
    """The value that chrF++.py and NLTK give; sacreBLEU's, with eps smoothing, is 74.977698."""
    texts = ["Das ist das Haus von Thomas und Samuel"], ["Das ist das Haus von Tom and Sam"]
    score = engine.corpus_score(*texts, averaging="per_order_f")
    assert str(score) == "74.977698"
    assert "averaging:per_order_f" in score.signature.split("|")


@pytest.mark.parametrize("rule", RULES)
def test_blank_references_are_empty_ones(engine, rule):
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
def test_nothing_in_common_never_raises_the_score(engine, segments, index, rule):
    hypotheses, references = map(list, zip(*segments, strict=True))
    before = engine.corpus_score(hypotheses, references, rule=rule)
    index %= len(segments)
    hypotheses[index] = "z" * len(hypotheses[index])
    assert engine.corpus_score(hypotheses, references, rule=rule).fraction <= before.fraction


def test_means_are_other_quantities(engine):
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
def test_the_variant_is_named(engine, keywords, name):
    score = engine.corpus_score(["a b c"], ["abc"], **keywords)
    assert score.name == name
    record = score.to_dict()
    assert record["metric"] == name
    assert record["char_order"] == 6
    assert record["word_order"] == keywords.get("word_order", 0)
    assert record["beta"] == keywords.get("beta", 2)
    assert record["lowercase"] is False
    assert repr(score).startswith(f"<{name} ")


def test_one_mark_is_split_off():
    assert words("(hi)") == ["(hi", ")"]
    assert words('"Yes."') == ['"Yes.', '"']
    assert words("wait...") == ["wait..", "."]
    assert words("(hi !! ! a. .a") == ["(", "hi", "!", "!", "!", "a", ".", ".", "a"]


def test_there_are_29_whitespace_code_points(engine):
    assert len(set(SPACES)) == 29
    for space in SPACES:
        counts = engine.counts([f"a{space}b"], ["a b"], word_order=2)
        assert counts[0, 6:].tolist() == [[2, 2, 2], [1, 1, 1]]
        kept = engine.counts([f"a{space}b"], ["ab"], whitespace=True)
        assert kept[0, 0].tolist() == [3, 2, 2]


def test_surrogates_from_json(engine):
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


def test_concatenated_it_would_be_another_score(engine):
    assert str(engine.corpus_score(["abcdefghijkl"], ["abcdefghijklm"])) == "92.013298"


def test_not_quite_100(engine):
    score = engine.corpus_score(["a" * 100000], ["a" * 99999])
    precision = sum(Fraction(99999 - n, 100000 - n) for n in range(6)) / 6
    assert score.fraction == 100 * 5 * precision / (4 * precision + 1)
    assert str(score) == "99.999800"


def test_lower_casing_reaches_every_function(engine):
    assert engine.segment_scores(["ABC"], ["abc"], lowercase=True).tolist() == [100.0]
    counts = engine.counts(["ABC"], ["abc"], lowercase=True)
    assert counts[0, :3].tolist() == [[3, 3, 3], [2, 2, 2], [1, 1, 1]]
    assert "case:lc" in engine.corpus_score(["ABC"], ["abc"], lowercase=True).signature


def test_the_best_reference_the_first_on_a_tie(engine):
    score = engine.corpus_score(["ab", "xy"], [["cd", "cde"], ["yy", "zx", "xz"]])
    # The first segment matches nothing: its first reference, of two characters, is used. In the
    # second, all three match in one character.
    assert score.counts[:2] == ((4, 4, 1), (2, 2, 0))
    assert score.tied_segments == 2
    tied = engine.corpus_score(["ab"], [["abcd", "abce"]])
    assert (tied.fraction, tied.tied_segments) == (Fraction(2500, 53), 1)


def test_references_by_stream_are_refused(engine):
    hypotheses = ["same text", "wrong one", "also wrong"]
    with pytest.raises(ValueError, match=r"transposed.*list\(zip\(\*references\)\)"):
        engine.corpus_score(hypotheses, [["same text", "other ref", "third ref"]])


@pytest.mark.parametrize("sides", [(["a", "zz"], ["a"]), (["a"], ["a", "b"])])
def test_nothing_is_cut_by_zip(engine, sides):
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
def test_a_string_is_not_a_list(engine, sides, name):
    with pytest.raises(TypeError, match=f"^{name} is a single str"):
        engine.corpus_score(*sides)


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        (
            (["a", None], ["a", "a"]),
            "hypotheses[1] is NoneType, not a string; give '' for an empty hypothesis, or leave "
            "the segment out on both sides",
        ),
        (
            (["a", "b"], ["a", None]),
            "references[1] is NoneType, not a string; each segment needs a reference: leave this "
            "one out on both sides",
        ),
        ((["a", float("nan")], ["a", "a"]), "hypotheses[1] is missing (NaN), not a string"),
        (([b"abc"], ["abc"]), "hypotheses[0] is bytes, not a string"),
    ],
)
def test_the_side_the_index_and_the_type(engine, sides, message):
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        engine.corpus_score(*sides)


def test_arrays(engine):
    assert engine.corpus_score(np.array(["a", "b"]), ["a", "b"]).fraction == 100


def test_series(engine):
    pandas = pytest.importorskip("pandas", reason="pandas is not needed by the package")
    series = pandas.Series(["a", "b"], index=[7, 3])
    assert engine.corpus_score(series, ("a", "b")).fraction == 100


def test_an_empty_corpus_is_refused(engine):
    for function in (engine.corpus_score, engine.segment_scores, engine.counts):
        with pytest.raises(ValueError, match="no segments"):
            function([], [])


def test_names_and_types_stay():
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


def test_the_scale_is_everywhere_the_same(engine):
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
def test_parameters_are_checked(keywords, error):
    (name,) = keywords
    with pytest.raises(error, match=name):
        chrf.corpus_score(["a"], ["a"], **keywords)
