"""Options: what is accepted, what is refused, and what the refusals say."""

import pickle
import re
from dataclasses import FrozenInstanceError, fields
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import chrf
from chrf import Options
from chrf.core.checks import shown
from chrf.core.options import LONGEST_BETA, OptionKeywords, shortest_text

BETA = "it must be an integer of at least 1 or a positive fractions.Fraction"
CHARS = "it must be an integer from 0 to 10"
WORDS = "it must be an integer from 0 to 4"
FLAG = "it must be True or False"
AVERAGING = "it must be 'precision_recall' or 'per_order_f'"
RULE = "it must be 'all' or 'sacrebleu'"

ENDLESS = 10**5000  # Python refuses to print an integer of more than 4300 digits

REFUSED = [
    ("beta", 2.5, TypeError, f"beta is 2.5; {BETA}: write Fraction('2.5')"),
    ("beta", 2.0, TypeError, f"beta is 2.0; {BETA}: write 2"),
    ("beta", float("nan"), TypeError, f"beta is nan; {BETA}"),
    ("beta", True, TypeError, f"beta is True; {BETA}"),
    ("beta", np.True_, TypeError, f"beta is {np.True_!r}; {BETA}"),
    ("beta", np.float64(2), TypeError, f"beta is {np.float64(2)!r}; {BETA}: write 2"),
    ("beta", np.array([1, 2]), TypeError, f"beta is array([1, 2]); {BETA}"),
    ("beta", "2", TypeError, f"beta is '2'; {BETA}"),
    ("beta", None, TypeError, f"beta is None; {BETA}"),
    ("beta", Decimal(2), TypeError, f"beta is Decimal('2'); {BETA}"),
    ("beta", 2 + 0j, TypeError, f"beta is (2+0j); {BETA}"),
    ("beta", -2, ValueError, f"beta is -2; {BETA}"),
    ("beta", 0, ValueError, f"beta is 0; {BETA}"),
    ("beta", np.int64(0), ValueError, f"beta is 0; {BETA}"),
    ("beta", Fraction(0), ValueError, f"beta is 0; {BETA}"),
    ("beta", Fraction(-1, 2), ValueError, f"beta is -1/2; {BETA}"),
    ("beta", ENDLESS, ValueError, f"beta has more than {LONGEST_BETA} digits; {BETA}"),
    ("beta", -ENDLESS, ValueError, f"beta has more than {LONGEST_BETA} digits; {BETA}"),
    ("beta", Fraction(1, ENDLESS), ValueError, f"beta has more than {LONGEST_BETA} digits; {BETA}"),
    ("char_order", -1, ValueError, f"char_order is -1; {CHARS}"),
    ("char_order", 11, ValueError, f"char_order is 11; {CHARS}"),
    ("char_order", 10**30, ValueError, f"char_order is {10**30}; {CHARS}"),
    ("char_order", ENDLESS, ValueError, f"char_order is {shown(ENDLESS)}; {CHARS}"),
    ("char_order", 6.0, TypeError, f"char_order is 6.0; {CHARS}"),
    ("char_order", True, TypeError, f"char_order is True; {CHARS}"),
    ("char_order", "6", TypeError, f"char_order is '6'; {CHARS}"),
    ("char_order", None, TypeError, f"char_order is None; {CHARS}"),
    ("char_order", Fraction(6), TypeError, f"char_order is Fraction(6, 1); {CHARS}"),
    ("char_order", np.array([6]), TypeError, f"char_order is array([6]); {CHARS}"),
    ("word_order", -1, ValueError, f"word_order is -1; {WORDS}"),
    ("word_order", 5, ValueError, f"word_order is 5; {WORDS}"),
    ("word_order", False, TypeError, f"word_order is False; {WORDS}"),
    ("word_order", 2.0, TypeError, f"word_order is 2.0; {WORDS}"),
    ("word_order", "2", TypeError, f"word_order is '2'; {WORDS}"),
    ("lowercase", 1, TypeError, f"lowercase is 1; {FLAG}"),
    ("lowercase", 0, TypeError, f"lowercase is 0; {FLAG}"),
    ("lowercase", "yes", TypeError, f"lowercase is 'yes'; {FLAG}"),
    ("lowercase", None, TypeError, f"lowercase is None; {FLAG}"),
    ("whitespace", 1, TypeError, f"whitespace is 1; {FLAG}"),
    ("whitespace", "", TypeError, f"whitespace is ''; {FLAG}"),
    ("averaging", "mean", ValueError, f"averaging is 'mean'; {AVERAGING}"),
    ("averaging", "", ValueError, f"averaging is ''; {AVERAGING}"),
    ("averaging", "Precision_Recall", ValueError, f"averaging is 'Precision_Recall'; {AVERAGING}"),
    ("averaging", None, TypeError, f"averaging is None; {AVERAGING}"),
    ("averaging", ["per_order_f"], TypeError, f"averaging is ['per_order_f']; {AVERAGING}"),
    ("rule", "sacreBLEU", ValueError, f"rule is 'sacreBLEU'; {RULE}"),
    ("rule", b"all", TypeError, f"rule is b'all'; {RULE}"),
    ("rule", True, TypeError, f"rule is True; {RULE}"),
]

FUNCTIONS = [chrf.corpus_score, chrf.segment_scores, chrf.counts]


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    REFUSED,
    ids=[f"{row[0]}={shown(row[1])}" for row in REFUSED],
)
def test_refused(name, value, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        Options(**{name: value})
    for function in FUNCTIONS:
        with pytest.raises(error, match=f"^{re.escape(message)}$"):
            function(["a"], ["a"], **{name: value})


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [("beta", 2, 2.0), ("beta", 1, True), ("char_order", 1, True), ("lowercase", True, 1)],
)
def test_options_that_were_checked_before_allow_no_equal_value(name, right, wrong):
    chrf.segment_scores(["a"], ["a"], **{name: right})
    with pytest.raises(TypeError, match=f"^{name} is {wrong}; it must be"):
        chrf.segment_scores(["a"], ["a"], **{name: wrong})


def test_both_orders_zero():
    message = "char_order and word_order are both 0; at least one must be positive"
    with pytest.raises(ValueError, match=f"^{message}$"):
        Options(char_order=0)
    with pytest.raises(ValueError, match=f"^{message}$"):
        chrf.corpus_score(["a"], ["a"], char_order=0, word_order=0)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_unknown_option(function):
    message = (
        "unknown option 'wordorder'; did you mean word_order? The options are threads, beta, "
        "char_order, word_order, lowercase, whitespace, averaging, rule"
    )
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        function(["a"], ["a"], wordorder=2)
    with pytest.raises(TypeError, match="wordorder"):
        Options(wordorder=2)


def test_options_are_refused_before_the_texts_are_taken():
    texts = iter(["a"])
    with pytest.raises(ValueError, match="beta"):
        chrf.corpus_score(texts, ["a"], beta=0)
    assert list(texts) == ["a"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_options_are_keywords(function):
    with pytest.raises(TypeError):
        function(["a"], ["a"], 2)
    with pytest.raises(TypeError):
        Options(2)


def test_defaults():
    assert {field.name: field.default for field in fields(Options)} == {
        "beta": 2,
        "char_order": 6,
        "word_order": 0,
        "lowercase": False,
        "whitespace": False,
        "averaging": "precision_recall",
        "rule": "all",
    }
    assert set(OptionKeywords.__annotations__) == {field.name for field in fields(Options)}


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64, np.int64, int])
def test_integers_of_any_library(kind):
    options = Options(beta=kind(3), char_order=kind(10), word_order=kind(4))
    assert options == Options(beta=3, char_order=10, word_order=4)
    for value in (options.beta, options.char_order, options.word_order):
        assert type(value) is int


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (Fraction(2), 2),
        (Fraction(4, 2), 2),
        (Fraction(3, 2), Fraction(3, 2)),
        (Fraction(2, 6), Fraction(1, 3)),
        (10**30, 10**30),
    ],
)
def test_beta_is_kept_in_one_form(given, kept):
    options = Options(beta=given)
    assert options.beta == kept
    assert type(options.beta) is type(kept)
    assert options == Options(beta=kept)
    assert hash(options) == hash(Options(beta=kept))


@pytest.mark.parametrize(
    ("beta", "hypothesis", "fraction"),
    [
        # One order, P = m/h and R = m/r: F = (1 + b^2) m / (b^2 r + h).
        (Fraction(1, 2), "ab", Fraction(1250, 3) / 5),  # (5/4) 2 / (1/4 4 + 2)
        (Fraction(3, 2), "ab", Fraction(1300, 22)),  # (13/4) 2 / (9/4 4 + 2)
        (Fraction(1, 3), "ab", Fraction(1000, 11)),  # (10/9) 2 / (1/9 4 + 2)
    ],
)
def test_fractions_as_beta(engine, beta, hypothesis, fraction):
    score = engine.corpus_score([hypothesis], ["abcd"], beta=beta, char_order=1)
    assert score.fraction == fraction


@pytest.mark.parametrize(("chars", "words"), [(0, 1), (0, 4), (10, 0), (10, 4), (1, 0)])
def test_the_ends_of_the_ranges(engine, chars, words):
    text = "a b c d e f g h i j k"
    score = engine.corpus_score([text], [text], char_order=chars, word_order=words)
    assert score.fraction == 100
    assert [(order.type, order.n) for order in score.orders] == [
        *(("char", n) for n in range(1, chars + 1)),
        *(("word", n) for n in range(1, words + 1)),
    ]
    assert score.options.order_count == chars + words
    assert engine.counts([text], [text], char_order=chars, word_order=words).shape == (
        1,
        chars + words,
        3,
    )


@pytest.mark.parametrize("averaging", ["precision_recall", "per_order_f"])
def test_the_largest_beta_can_be_written(averaging):
    largest = 10**LONGEST_BETA - 1
    for beta in (largest, Fraction(1, largest), Fraction(largest, largest - 1)):
        score = chrf.corpus_score(
            ["the cat sat on the mat"],
            ["a cat sat on that mat"],
            beta=beta,
            char_order=10,
            word_order=4,
            averaging=averaging,
        )
        assert Fraction(score.to_dict()["score_fraction"]) == score.fraction
        assert score.signature.startswith("nrefs:1|")
        assert 0 < float(score) < 100


def test_options_are_frozen_values():
    options = Options(beta=Fraction(3, 2), word_order=2, rule="sacrebleu")
    with pytest.raises(FrozenInstanceError):
        options.beta = 3
    assert pickle.loads(pickle.dumps(options)) == options
    assert options != Options(beta=Fraction(3, 2), word_order=2)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2, "2"),
        (10**30, "1" + "0" * 30),
        (Fraction(3, 2), "1.5"),
        (Fraction(1, 80), "0.0125"),
        (Fraction(1, 3), "1/3"),
        (Fraction(7, 6), "7/6"),
        (Fraction(10**20, 3), f"{10**20}/3"),
    ],
)
def test_shortest_text(value, text):
    assert shortest_text(value) == text
    assert Fraction(shortest_text(value)) == value


def test_choices_are_kept_as_plain_strings():
    class Choice(str):
        __slots__ = ()

        def __format__(self, spec):
            return "other"

    for kind in (np.str_, Choice):
        options = Options(rule=kind("sacrebleu"), averaging=kind("per_order_f"))
        plain = Options(rule="sacrebleu", averaging="per_order_f")
        assert (type(options.rule), type(options.averaging)) == (str, str)
        assert (repr(options), options.signature(1)) == (repr(plain), plain.signature(1))
