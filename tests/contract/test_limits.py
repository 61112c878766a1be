"""The contracts: sizes of texts, and values of options."""

import copy
import json
import re
import sys
from fractions import Fraction

import numpy as np
import pytest

from chrf.contract import CONTRACTS

OPTIONS = {id: list(CONTRACTS[id]["input_schema"]["properties"])[2:] for id in CONTRACTS}


def pair(**options):
    return {"hypotheses": ["aa"], "references": ["ab"], **options}


# --- texts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["hypotheses", "references"])
def test_256_segments(run, error, contract, field):
    full = {"hypotheses": ["a"] * 256, "references": ["a"] * 256}
    assert run(contract, full)["segment_count"] == 256
    assert f"{field} has 257 segments" in error(contract, {**full, field: ["a"] * 257})


@pytest.mark.parametrize(
    ("character", "size"), [("a", 1), ("\xe9", 2), ("\u20ac", 3), ("\U0001f600", 4)]
)
def test_65536_bytes(run, error, contract, character, size):
    half, rest = divmod(65536 - 4, size)
    full = {
        "hypotheses": ["", character * (half // 2), "z" * rest],
        "references": ["\U0001f600", character * (half - half // 2), ""],
    }
    assert run(contract, full)["segment_count"] == 3
    for field in full:
        for i in range(3):
            more = copy.deepcopy(full)
            more[field][i] += "y"
            message = error(contract, more)
            assert "hypotheses and references have more than 65536 bytes" in message


def test_one_text_far_over_the_limit(error, contract):
    for text in ("a" * 65537, "\xe9" * 32769, "\U0001f600" * 1_000_000):
        assert "hypotheses[0] exceeds it" in error(contract, pair(hypotheses=[text]))
        assert "references[0] exceeds it" in error(contract, pair(references=[text]))


def test_a_lone_surrogate_is_three_bytes_and_the_limit_comes_first(error, contract):
    texts = {"hypotheses": ["\ud800" * 21845], "references": ["x"]}
    assert "lone surrogate U+D800" in error(contract, texts)  # 65,535 + 1 bytes
    texts["references"] = ["xx"]
    assert "more than 65536 bytes" in error(contract, texts)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\ud800", "U+D800 at position 0"),
        ("ab\udfff", "U+DFFF at position 2"),
        ("\U0001f600\udc00\ud800", "U+DC00 at position 1"),
        ("\ud83d\ude00", "U+D83D at position 0"),  # not a pair: Python strings hold code points
    ],
)
def test_lone_surrogates(run, error, contract, text, shown):
    for field in ("hypotheses", "references"):
        texts = {"hypotheses": ["\ue000", "b"], "references": ["\ud7ff", "b"]}
        run(contract, texts)
        texts[field][1] = text
        assert f"{field}[1] has the lone surrogate {shown}" in error(contract, texts)


def test_surrogates_in_json_that_make_a_pair_are_one_character(run, contract):
    value = json.loads('{"hypotheses": ["\\ud83d\\ude00"], "references": ["\U0001f600"]}')
    assert run(contract, value)["score"] == "100.000000"


# --- options ------------------------------------------------------------------------------------

RANGES = {"beta": (1, 16), "char_order": (0, 10), "word_order": (0, 4)}
INTEGERS = [
    (contract, name) for contract in CONTRACTS for name in OPTIONS[contract] if name in RANGES
]
FLAGS = [
    (contract, name)
    for contract in CONTRACTS
    for name in ("lowercase", "include_whitespace")
    if name in OPTIONS[contract]
]


def other_order(name):
    """What keeps the orders from being both 0 while `name` is tried."""
    return {"word_order": 1} if name == "char_order" else {}


@pytest.mark.parametrize(("contract", "name"), INTEGERS)
def test_integers_in_range(run, contract, name):
    smallest, largest = RANGES[name]
    for number in range(smallest, largest + 1):
        for spelling in (number, float(number), json.loads(f"{number}e0")):
            output = run(contract, pair(**other_order(name), **{name: spelling}))
            assert type(output[name]) is int
            assert output[name] == number
    if smallest == 0:
        output = run(contract, pair(**other_order(name), **{name: -0.0}))
        assert json.dumps(output[name]) == "0"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (True, "true"),
        (False, "false"),
        (None, "null"),
        (2.5, "2.5"),
        (-1, "-1"),
        (17, "17"),
        (1e300, "1e+300"),
        (-2.0, "-2.0"),
        (json.loads("1e400"), "inf"),
        (float("-inf"), "-inf"),
        (float("nan"), "nan"),
        (sys.float_info.min, "2.2250738585072014e-308"),
        # pytest would write the number out to name the test, and Python refuses to.
        pytest.param(10**5000, "an integer of more than 20 digits", id="huge"),
        pytest.param(-(10**5000), "an integer of more than 20 digits", id="-huge"),
        ("2", "'2'"),
        ("\ud800", r"'\ud800'"),
        ([2], "an array"),
        ({}, "an object"),
        (np.int64(2), "<class 'numpy.int64'>"),
        (np.float64(2), "<class 'numpy.float64'>"),
        (Fraction(2), "<class 'fractions.Fraction'>"),
        (2 + 0j, "<class 'complex'>"),
        pytest.param(
            type("N" * 1000, (int,), {"__module__": "m"})(2), "<class 'm." + "N" * 70, id="long"
        ),
        (type("N\xe9", (int,), {"__module__": "\ud800"})(2), r"<class '\ud800.N\xe9'>"),
    ],
)
@pytest.mark.parametrize(("contract", "name"), INTEGERS)
def test_not_an_integer_in_range(error, contract, name, value, shown):
    smallest, largest = RANGES[name]
    message = f"{name} is {shown}; it must be an integer from {smallest} to {largest}"
    assert error(contract, pair(**{name: value})) == message


@pytest.mark.parametrize("value", [0, 1, 1.0, None, "true", [], {}, np.True_])
@pytest.mark.parametrize(("contract", "name"), FLAGS)
def test_not_a_boolean(error, contract, name, value):
    assert re.match(
        f"{name} is .*; it must be true or false", error(contract, pair(**{name: value}))
    )


@pytest.mark.parametrize(
    "value",
    [None, 0, True, "", "precision", "Per_Order_F", "per_order_f\n", ["per_order_f"], np.str_("x")],
)
def test_not_an_averaging(error, value):
    message = error("chrf-components", pair(averaging=value))
    assert re.match("averaging is .*; it must be 'precision_recall' or 'per_order_f'", message)


def test_orders_both_zero(run, error):
    for orders in ({"char_order": 0}, {"char_order": 0.0, "word_order": -0.0}):
        message = error("chrf-components", pair(**orders))
        assert message.startswith("char_order and word_order are both 0;")
    assert run("chrf-components", pair(word_order=0))["char_order"] == 6
    assert len(run("chrf-components", pair(char_order=10, word_order=4))["orders"]) == 14
