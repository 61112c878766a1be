"""Counts -> fractions, decimals and doubles, and the record that carries them."""

import json
import pickle
import random
import re
import unicodedata
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chrf
from chrf import Options, Score
from chrf.core import doubles, exact

AVERAGINGS = ["precision_recall", "per_order_f"]


def oracle(counts, beta, averaging):
    """The two definitions, written from the contracts and not from the package."""
    weight = Fraction(beta) * beta
    quotients = [(Fraction(m, h), Fraction(m, r)) for h, r, m in counts if h > 0 and r > 0]
    if averaging == "per_order_f":
        scores = [
            (1 + weight) * p * r / (weight * p + r) if p else Fraction(0) for p, r in quotients
        ]
        return 100 * sum(scores, Fraction(0)) / len(counts)
    if not any(p for p, _ in quotients):
        return Fraction(0)
    precision = sum(p for p, _ in quotients) / len(quotients)
    recall = sum(r for _, r in quotients) / len(quotients)
    return 100 * (1 + weight) * precision * recall / (weight * precision + recall)


def options_for(order_count, **keywords):
    chars = min(order_count, 10)
    return Options(char_order=chars, word_order=order_count - chars, **keywords)


@st.composite
def rows_of_counts(draw, largest=10**12):
    rows = []
    for _ in range(draw(st.integers(1, 14))):
        hypothesis, reference = draw(st.integers(0, largest)), draw(st.integers(0, largest))
        rows.append((hypothesis, reference, draw(st.integers(0, min(hypothesis, reference)))))
    return rows


BETAS = st.one_of(
    st.integers(1, 16),
    st.integers(1, 10**30),
    st.fractions(min_value=0, max_denominator=10**6).filter(bool),
)


# --- fractions -----------------------------------------------------------------------------------


@given(
    counts=rows_of_counts() | rows_of_counts(3), beta=BETAS, averaging=st.sampled_from(AVERAGINGS)
)
def test_score_equals_the_definition(counts, beta, averaging):
    options = options_for(len(counts), beta=beta, averaging=averaging)
    score = exact.score(counts, options)
    assert isinstance(score, Fraction)
    assert score == oracle(counts, beta, averaging)
    assert 0 <= score <= 100


@given(counts=rows_of_counts(20))
def test_means_are_over_the_effective_orders(counts):
    precision, recall, effective = exact.means(counts)
    both = [row for row in counts if row[0] and row[1]]
    assert effective == len(both)
    assert precision * max(effective, 1) == sum(Fraction(m, h) for h, _, m in both)
    assert recall * max(effective, 1) == sum(Fraction(m, r) for _, r, m in both)


def test_nothing_effective_or_nothing_matching_is_zero():
    for averaging in AVERAGINGS:
        options = Options(char_order=2, averaging=averaging)
        for counts in [[(0, 0, 0)] * 2, [(3, 0, 0)] * 2, [(0, 3, 0)] * 2, [(3, 4, 0)] * 2]:
            assert exact.score(counts, options) == 0


def test_an_order_that_one_side_lacks():
    counts = [(2, 1, 1), (1, 0, 0)]
    options = {"char_order": 2, "beta": 1}
    # P 1/2 and R 1 of the one effective order; F 2/3, and 0 for the order without it.
    assert exact.score(counts, Options(**options)) == Fraction(200, 3)
    assert exact.score(counts, Options(**options, averaging="per_order_f")) == Fraction(100, 3)


# --- decimals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        # Ties go to the even digit.
        (Fraction(1, 8), 2, "0.12"),
        (Fraction(3, 8), 2, "0.38"),
        (Fraction(1, 2), 0, "0"),
        (Fraction(3, 2), 0, "2"),
        (Fraction(5, 2), 0, "2"),
        (Fraction(1, 2 * 10**6), 6, "0.000000"),
        (Fraction(3, 2 * 10**6), 6, "0.000002"),
        # The least bit beside a tie decides.
        (Fraction(1, 8) + Fraction(1, 10**40), 2, "0.13"),
        (Fraction(3, 8) - Fraction(1, 10**40), 2, "0.37"),
        # Negative values, and no negative zero.
        (Fraction(-1, 8), 2, "-0.12"),
        (Fraction(-3, 8), 2, "-0.38"),
        (Fraction(-1, 3), 6, "-0.333333"),
        (Fraction(-1, 10), 0, "0"),
        (Fraction(-1, 2 * 10**6), 6, "0.000000"),
        (Fraction(-3, 2), 0, "-2"),
        (Fraction(0), 6, "0.000000"),
        (Fraction(0), 0, "0"),
        (Fraction(100), 6, "100.000000"),
        (Fraction(100) - Fraction(1, 10**7), 6, "100.000000"),
        (Fraction(100) - Fraction(1, 10**6), 6, "99.999999"),
        (Fraction(1, 3), 30, "0." + "3" * 30),
        (Fraction(5, 10**9), 8, "0.00000000"),
    ],
)
def test_decimal_text(value, places, text):
    assert exact.decimal_text(value, places) == text
    assert exact.to_decimal(value, places) == Decimal(text)


@given(
    value=st.fractions(-1000, 1000)
    | st.builds(Fraction, st.integers(-(10**9), 10**9), st.just(2**9)),
    places=st.integers(0, 9),
)
def test_decimal_text_rounds_half_to_even(value, places):
    written = exact.decimal_text(value, places)
    assert re.fullmatch(r"-?\d+" + rf"\.\d{{{places}}}" * (places > 0), written)
    units = Fraction(written) * 10**places
    distance = abs(units - value * 10**places)
    assert distance < Fraction(1, 2) or (distance == Fraction(1, 2) and units % 2 == 0)
    assert written.startswith("-") == (units < 0)


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(0), "0/1"), (Fraction(100), "100/1"), (Fraction(2, 4), "1/2")],
)
def test_fraction_text_is_as_the_contracts_write_it(value, text):
    assert exact.fraction_text(value) == text


# --- doubles -------------------------------------------------------------------------------------

ROW_BETAS = [
    *(1, 2, 3, 16, 1000, 1001, 999983, 2**31, 10**30, 10**99),
    *(Fraction(1, 2), Fraction(3, 2), Fraction(1, 1000), Fraction(1, 1003), Fraction(999, 7)),
    *(Fraction(1001, 1000), Fraction(10**6 + 1, 10**6), Fraction(5000001, 4999999)),
    *(Fraction(3, 1001), Fraction(10**30, 7), Fraction(1, 10**30), Fraction(1, 10**99)),
    *(Fraction(10**99 + 7, 3 * 10**99 + 1), Fraction(10**99 + 1, 10**50)),
]


def random_rows(seed, rows, orders):
    source = random.Random(seed)
    made = []
    for _ in range(rows * orders):
        largest = source.choice([1, 3, 20, 200, 10**5, 2**31 - 1, 2**31, 2**33, 2**62])
        if source.random() < 0.99:
            largest = min(largest, 2**31 - 1)
        hypothesis, reference = source.randint(0, largest), source.randint(0, largest)
        least = min(hypothesis, reference)
        matching = least if source.random() < 0.2 else source.randint(0, least)
        made.append((hypothesis, reference, matching))
    return np.array(made, dtype=np.int64).reshape(rows, orders, 3)


@pytest.mark.parametrize("averaging", AVERAGINGS)
@pytest.mark.parametrize("beta", ROW_BETAS, ids=lambda beta: f"{float(min(beta, 10**40)):.9g}")
def test_row_scores_are_the_nearest_doubles(beta, averaging):
    for orders in (1, 2, 6, 8, 14):
        counts = random_rows(f"{beta} {averaging} {orders}", 300, orders)
        scores = exact.row_scores(counts, options_for(orders, beta=beta, averaging=averaging))
        assert scores.dtype == np.float64
        expected = [float(oracle(row, beta, averaging)) for row in counts.tolist()]
        assert scores.tolist() == expected


def test_most_rows_are_scored_without_fractions():
    counts = random_rows("fast", 1000, 6)
    counts = counts[(counts < 2**31).all(axis=(1, 2))]
    assert len(counts) > 900
    for beta in ROW_BETAS:
        for per_order_f in (False, True):
            _, open_rows = doubles.nearest(
                counts.reshape(-1), 6, Options(beta=beta).weights, per_order_f
            )
            assert len(open_rows) < 10


def test_weights_are_those_of_the_formula():
    assert Options(beta=3).weights == (0.9, float(Fraction(9, 10) - Fraction(0.9)), *TENTH)
    assert Options(beta=Fraction(1, 3)).weights[:2] == TENTH
    assert Options(beta=1).weights == (0.5, 0, 0.5, 0)
    for zeros in (30, 99):
        small = float(f"1e-{2 * zeros}")
        rest = float(Fraction(1, 1 + 10 ** (2 * zeros)) - Fraction(small))
        assert Options(beta=10**zeros).weights == (1, -small, small, rest)


TENTH = (0.1, float(Fraction(1, 10) - Fraction(0.1)))


def middles(p, q, number=20):
    """Rows whose score of one order is halfway between two doubles, for beta p / q.

    F = (p^2 + q^2) m / (p^2 r + q^2 h). Where the denominator is 2^50, p^2 + q^2 odd and m odd, the
    score 100 F is 25 (p^2 + q^2) m over 2^48; and m is chosen so that its numerator has 54 bits.
    """
    matching = (2**53 + 2**52) // (25 * (p * p + q * q)) | 1
    least = max((2**50 - q * q * (2**31 - 1)) // (p * p), 2 * matching)
    first = least + (pow(p * p, -1, q * q) * 2**50 - least) % (q * q)
    rows = []
    for r in range(first, 2**31, q * q):
        h, remainder = divmod(2**50 - p * p * r, q * q)
        if h < 2**31 and remainder == 0:
            rows.append((h, r, matching + 2 * len(rows)))
        if len(rows) == number:
            break
    assert all(m <= min(h, r) for h, r, m in rows)
    return rows


@pytest.mark.parametrize("averaging", AVERAGINGS)
@pytest.mark.parametrize(("p", "q"), [(1000, 1), (1000, 7), (1000, 1001), (1001, 1000), (999, 2)])
def test_a_score_in_the_middle_of_two_doubles(p, q, averaging):
    rows = middles(p, q)
    assert len(rows) == 20
    flat = np.array(rows, dtype=np.int64).reshape(-1)
    per_order_f = averaging == "per_order_f"
    options = Options(beta=Fraction(p, q), char_order=1, averaging=averaging)
    _, open_rows = doubles.nearest(flat, 1, options.weights, per_order_f)
    assert open_rows == list(range(20))
    for (*_, matching), score in zip(rows, exact.nearest_doubles(flat, options), strict=True):
        numerator = 25 * (p * p + q * q) * matching
        assert numerator % 2 == 1
        assert numerator.bit_length() == 54
        # Half a unit up or down, whichever makes the mantissa even.
        to_even = numerator + 1 if numerator % 4 == 3 else numerator - 1
        assert Fraction(score) == Fraction(to_even, 2**48)


@pytest.mark.parametrize("averaging", AVERAGINGS)
@pytest.mark.parametrize(("p", "q"), [(1000, 7), (1001, 1000)])
@pytest.mark.parametrize(("digits", "decided"), [(20, True), (30, False), (60, False)])
def test_a_score_beside_the_middle_of_two_doubles(p, q, digits, decided, averaging):
    """Beta differs in such a digit: the filter sees on which side of the middle a score is, or not.

    Its bound is about 10^-27 of the score.
    """
    flat = np.array(middles(p, q), dtype=np.int64).reshape(-1)
    seen = set()
    for sign in (-1, 1):
        beta = Fraction(p, q) * (1 + Fraction(sign, 10**digits))
        options = Options(beta=beta, char_order=1, averaging=averaging)
        _, open_rows = doubles.nearest(flat, 1, options.weights, averaging == "per_order_f")
        assert len(open_rows) == (0 if decided else 20)
        scores = exact.nearest_doubles(flat, options).tolist()
        assert scores == [
            float(oracle([row], beta, averaging)) for row in flat.reshape(-1, 3).tolist()
        ]
        seen.add(tuple(scores))
    assert len(seen) == 2


@pytest.mark.parametrize(
    ("size", "orders"), [(7, 2), (0, 0), (6, -2), (0, 15), (0, 2**63 - 1), (0, -(2**63))]
)
def test_rows_that_do_not_fit_are_refused(size, orders):
    with pytest.raises(ValueError, match=rf"^{size} counts do not make rows of {orders} orders$"):
        doubles.nearest(np.zeros(size, dtype=np.int64), orders, Options().weights, False)


def test_weights_are_four_numbers():
    with pytest.raises(ValueError, match="unpack"):
        doubles.nearest(np.zeros(6, dtype=np.int64), 2, (0.5, 0.5), False)


def test_no_rows():
    counts = np.zeros((0, 6, 3), dtype=np.int64)
    assert exact.row_scores(counts, Options()).tolist() == []
    assert exact.row_decimals(counts.reshape(-1), [], Options()) == []


# --- six decimals of many rows -------------------------------------------------------------------


def tied_rows():
    """Scores of which the seventh decimal is the last and a 5: 100 m / 2^9 and 100 m / (2 10^8)."""
    rows = [(512, 512, m) for m in range(1, 512, 2)]
    rows += [(200_000_000, 200_000_000, m) for m in [*range(1, 200, 2), 99_999_999, 199_999_999]]
    return rows


@pytest.mark.parametrize("averaging", AVERAGINGS)
def test_row_decimals_of_ties(averaging):
    options = Options(char_order=1, averaging=averaging)
    rows = tied_rows()
    counts = np.array(rows, dtype=np.int64).reshape(-1, 1, 3)
    texts = exact.row_decimals(counts.reshape(-1), exact.row_scores(counts, options), options)
    for (hypothesis, _, matching), text in zip(rows, texts, strict=True):
        score = Fraction(100 * matching, hypothesis)
        assert score * 10**6 % 1 == Fraction(1, 2)
        assert text == exact.decimal_text(score)
        assert int(text[-1]) % 2 == 0
    # What formatting the double would have said of some.
    assert any(
        f"{float(oracle([row], 2, averaging)):.6f}" != t for row, t in zip(rows, texts, strict=True)
    )


@pytest.mark.parametrize("averaging", AVERAGINGS)
@pytest.mark.parametrize("beta", [1, 2, Fraction(3, 2), 10**30])
def test_row_decimals_equal_the_exact_value(beta, averaging):
    for orders in (1, 2, 6, 8):
        options = options_for(orders, beta=beta, averaging=averaging)
        counts = random_rows(f"decimals {beta} {averaging} {orders}", 300, orders)
        for places in (0, 2, 6, 8, 12):
            texts = exact.row_decimals(
                counts.reshape(-1), exact.row_scores(counts, options), options, places
            )
            assert texts == [
                exact.decimal_text(oracle(row, beta, averaging), places) for row in counts.tolist()
            ]


def test_row_decimals_beside_a_tie():
    # 100 m / h, in the nearest doubles' reach of a tie but not on it.
    rows = [(2**31 - 1 - i, 2**31 - 1 - i, m) for i in range(40) for m in range(1, 400, 3)]
    options = Options(char_order=1)
    counts = np.array(rows, dtype=np.int64).reshape(-1, 1, 3)
    texts = exact.row_decimals(counts.reshape(-1), exact.row_scores(counts, options), options)
    assert texts == [exact.decimal_text(Fraction(100 * m, h)) for h, _, m in rows]


# --- integers past 64 bits -----------------------------------------------------------------------


def test_one_sentence_overflows_64_bits(engine):
    """The German sentence is of huggingface/datasets #3187."""
    score = engine.corpus_score(
        [" Die    Beziehung zwischen  Obama und Netanjahu ist nicht gerade  freundlich. "],
        ["Das Verhältnis zwischen Obama und Netanyahu ist nicht gerade freundschaftlich."],
    )
    assert score.fraction == Fraction(11936373720190013047, 184151793264330550)
    assert score.fraction.numerator > 2**63 - 1
    assert str(score) == "64.818124"


def test_counts_past_64_bits():
    counts = ((10**30, 10**30, 10**30), (10**30, 10**30, 10**30 - 1))
    score = Score(counts, Options(char_order=2), 1)
    assert score.fraction == 100 - Fraction(50, 10**30)
    assert float(score) == 100.0
    assert str(score) == "100.000000"
    assert format(score, ".30f") == "99.999999999999999999999999999950"


def test_a_corpus_of_many_digits(engine):
    source = random.Random(21)
    references = ["".join(source.choices("abcdefgh ", k=source.randrange(80))) for _ in range(300)]
    hypotheses = [r[2:] + r[:3] for r in references]
    score = engine.corpus_score(hypotheses, references, word_order=2)
    totals = engine.counts(hypotheses, references, word_order=2).sum(axis=0).tolist()
    assert score.fraction == oracle(totals, 2, "precision_recall")
    assert score.fraction.denominator > 2**64


# --- Score ---------------------------------------------------------------------------------------

# 100 * 7/4000 = 0.175 is a tie for two decimals; the double nearest to it lies below.
TIE = Score(((4000, 4000, 7),), Options(char_order=1), 1)


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("", "0.175000"),
        (".2f", "0.18"),
        (".0f", "0"),
        (".1f", "0.2"),
        (".3f", "0.175"),
        (".20f", "0.17500000000000000000"),
        ("f", "0.175000"),
        ("+10f", " +0.175000"),
        ("8.2f", "    0.18"),
        ("<8.2f", "0.18    "),
        ("^8.2f", "  0.18  "),
        ("_>8.2f", "____0.18"),
        ("08.2f", "00000.18"),
        ("+.2f", "+0.18"),
        ("s", "0.175000"),
        ("10s", "0.175000  "),
        (">10s", "  0.175000"),
        (".4s", "0.17"),
        ("e", "1.750000e-01"),
        (".1e", "1.7e-01"),
        ("g", "0.175"),
        ("%", "17.500000%"),
    ],
)
def test_format(spec, text):
    assert format(TIE, spec) == text


def test_format_of_the_exact_value_is_not_that_of_the_double():
    assert f"{float(TIE):.2f}" == "0.17"
    assert f"{TIE:.2f}" == "0.18"
    assert f"{TIE!s:>10}" == "  0.175000"
    six = Score(((200_000_000, 200_000_000, 5),), Options(char_order=1), 1)
    assert (f"{six:f}", f"{float(six):f}") == ("0.000002", "0.000003")
    with pytest.raises(ValueError, match="format"):
        format(TIE, "d")


CATS = ["the cat sat", "hello"], ["the cat sits", ""]


@pytest.fixture
def score():
    return chrf.corpus_score(*CATS, char_order=2, word_order=1)


def test_text_and_number(score):
    # Characters: 9 + 5, 10, 8 and 8 + 4, 9, 6; words: 3 + 1, 3, 2.
    assert score.counts == ((14, 10, 8), (12, 9, 6), (4, 3, 2))
    assert score.average_precision == Fraction(11, 21)
    assert score.average_recall == Fraction(32, 45)
    assert score.effective_order_count == 3
    assert score.fraction == Fraction(44000, 663)
    assert str(score) == "66.365008"
    assert float(score) == 44000 / 663
    assert repr(score) == f"<chrF2+ 66.365008 {score.signature}>"
    assert (score.segment_count, score.reference_count, score.tied_segments) == (2, 1, 0)
    assert (score.name, score.rule) == ("chrF2+", "all")


@given(rows_of_counts(10**25), BETAS, st.sampled_from(AVERAGINGS))
def test_float_is_the_double_nearest_to_the_fraction(counts, beta, averaging):
    options = options_for(len(counts), beta=beta, averaging=averaging)
    score = Score(tuple(counts), options, 1)
    assert float(score) == float(score.fraction)


def test_orders(score):
    kinds = [(order.type, order.n) for order in score.orders]
    assert kinds == [("char", 1), ("char", 2), ("word", 1)]
    first = score.orders[0]
    assert (first.hypothesis_ngrams, first.reference_ngrams, first.matching_ngrams) == (14, 10, 8)
    assert (first.precision, first.recall) == (Fraction(4, 7), Fraction(4, 5))
    assert first.f_score == Fraction(20, 27)
    assert first.effective


@pytest.mark.parametrize(
    ("counts", "effective", "precision", "recall", "f_score"),
    [
        ((2, 3, 0), True, 0, 0, 0),
        ((2, 0, 0), False, 0, None, None),
        ((0, 3, 0), False, None, 0, None),
        ((0, 0, 0), False, None, None, None),
        ((4, 2, 2), True, Fraction(1, 2), 1, Fraction(5, 6)),
    ],
)
def test_order_without_ngrams(counts, effective, precision, recall, f_score):
    (order,) = Score((counts,), Options(char_order=1), 1).orders
    assert order.effective is effective
    assert (order.precision, order.recall, order.f_score) == (precision, recall, f_score)


def test_orders_carry_their_beta():
    (order,) = Score(((4, 2, 2),), Options(char_order=0, word_order=1, beta=1), 1).orders
    assert (order.type, order.n, order.f_score) == ("word", 1, Fraction(2, 3))


def test_to_dict_is_the_contracts_record():
    """The example of the chrf-components contract."""
    record = chrf.corpus_score(["aa"], ["ab"], beta=3).to_dict()
    assert record["orders"][:3] == [
        {
            "type": "char",
            "n": 1,
            "hypothesis_ngrams": 2,
            "reference_ngrams": 2,
            "matching_ngrams": 1,
            "effective": True,
            "precision": "1/2",
            "recall": "1/2",
            "f_score": "1/2",
        },
        {
            "type": "char",
            "n": 2,
            "hypothesis_ngrams": 1,
            "reference_ngrams": 1,
            "matching_ngrams": 0,
            "effective": True,
            "precision": "0/1",
            "recall": "0/1",
            "f_score": "0/1",
        },
        {
            "type": "char",
            "n": 3,
            "hypothesis_ngrams": 0,
            "reference_ngrams": 0,
            "matching_ngrams": 0,
            "effective": False,
            "precision": None,
            "recall": None,
            "f_score": None,
        },
    ]
    del record["orders"], record["signature"]
    assert record == {
        "metric": "chrF3",
        "char_order": 6,
        "word_order": 0,
        "beta": 3,
        "lowercase": False,
        "include_whitespace": False,
        "averaging": "precision_recall",
        "rule": "all",
        "segment_count": 1,
        "reference_count": 1,
        "tied_segments": 0,
        "effective_order_count": 2,
        "average_precision": "1/4",
        "average_recall": "1/4",
        "score": "25.000000",
        "score_fraction": "25/1",
    }


@pytest.mark.parametrize("beta", [2, 3, Fraction(3, 2), Fraction(1, 3), 10**30])
@pytest.mark.parametrize("averaging", AVERAGINGS)
def test_json_loses_nothing(beta, averaging):
    made = chrf.corpus_score(*CATS, word_order=2, beta=beta, averaging=averaging, rule="sacrebleu")
    record = json.loads(json.dumps(made.to_dict()))
    assert record == made.to_dict()
    numerator, denominator = map(int, record["score_fraction"].split("/"))
    assert Fraction(numerator, denominator) == made.fraction
    counts = [
        (row["hypothesis_ngrams"], row["reference_ngrams"], row["matching_ngrams"])
        for row in record["orders"]
    ]
    assert oracle(counts, Fraction(record["beta"]), record["averaging"]) == made.fraction
    assert Decimal(record["score"]) == exact.to_decimal(made.fraction, 6)


VERSION = f"version:chrf-{chrf.__version__}"


@pytest.mark.parametrize(
    ("keywords", "signature"),
    [
        ({}, "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|beta:2|rule:all|segments:2"),
        (
            {"rule": "sacrebleu", "word_order": 2, "beta": 3},
            "nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|beta:3|rule:sacrebleu|segments:2",
        ),
        (
            {"lowercase": True, "whitespace": True, "beta": Fraction(3, 2)},
            "nrefs:1|case:lc|eff:yes|nc:6|nw:0|space:yes|beta:1.5|rule:all|"
            f"unicode:{unicodedata.unidata_version}|segments:2",
        ),
        (
            {"averaging": "per_order_f", "char_order": 0, "word_order": 1},
            "nrefs:1|case:mixed|eff:no|nc:0|nw:1|space:no|beta:2|averaging:per_order_f|rule:all|"
            "segments:2",
        ),
    ],
)
def test_signature(keywords, signature):
    assert chrf.corpus_score(*CATS, **keywords).signature == f"{signature}|{VERSION}"


@pytest.mark.parametrize(
    ("references", "number"),
    [([["a"], ["b"]], "1"), ([["a", "b"], ["b", "c"]], "2"), ([["a", "b"], ["b"]], "var")],
)
def test_signature_has_the_number_of_references(references, number):
    made = chrf.corpus_score(["a", "b"], references)
    assert made.signature.startswith(f"nrefs:{number}|case:mixed|")
    assert made.reference_count == (None if number == "var" else int(number))


def test_signature_without_segments():
    rest = f"case:mixed|eff:yes|nc:6|nw:0|space:no|beta:2|rule:all|{VERSION}"
    assert Options().signature(None) == f"nrefs:var|{rest}"
    assert Options().signature(4) == f"nrefs:4|{rest}"


@pytest.mark.parametrize(
    ("keywords", "name"),
    [
        ({}, "chrF2"),
        ({"beta": 3}, "chrF3"),
        ({"word_order": 1}, "chrF2+"),
        ({"word_order": 2}, "chrF2++"),
        ({"word_order": 4, "beta": 1}, "chrF1++++"),
        ({"beta": Fraction(3, 2)}, "chrF1.5"),
        ({"beta": Fraction(1, 3)}, "chrF1/3"),
        ({"beta": Fraction(1, 80)}, "chrF0.0125"),
        ({"beta": Fraction(4, 2)}, "chrF2"),
    ],
)
def test_name(keywords, name):
    assert Options(**keywords).name == name
    assert chrf.corpus_score(["a"], ["a"], **keywords).name == name


def test_scores_are_values(score):
    again = chrf.corpus_score(*CATS, char_order=2, word_order=1)
    assert score == again
    assert hash(score) == hash(again)
    assert score != chrf.corpus_score(*CATS, char_order=2, word_order=1, beta=3)
    assert score != chrf.corpus_score(*CATS, char_order=2, word_order=1, rule="sacrebleu")
    assert pickle.loads(pickle.dumps(score)) == score
    assert pickle.loads(pickle.dumps(score)).fraction == score.fraction
    for record, name in ((score, "counts"), (score.options, "beta"), (score.orders[0], "n")):
        with pytest.raises(FrozenInstanceError):
            setattr(record, name, None)


def test_tied_segments_are_counted(engine):
    score = engine.corpus_score(["ab", "ab", "ab"], [["ac", "ad"], ["ab", "ac"], ["ac", "ac"]])
    assert score.tied_segments == 2
    assert score.counts[:2] == ((6, 6, 4), (3, 3, 1))
