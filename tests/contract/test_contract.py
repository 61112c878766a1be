"""The contracts: results, validation and its order, schemas."""

import collections
import copy
import json
import math
import pickle
import random
import re
import string
import sys
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import chrf
from chrf.contract import (
    CONTRACTS,
    InvalidInput,
    chrf_components,
    chrf_compute,
    chrf_plus_plus_compute,
)
from chrf.contract import tools as contract_module

FUNCTIONS = {
    "chrf-compute": chrf_compute,
    "chrf-plus-plus-compute": chrf_plus_plus_compute,
    "chrf-components": chrf_components,
}
OPTIONS = {
    "chrf-compute": ["beta", "lowercase"],
    "chrf-plus-plus-compute": ["beta", "lowercase"],
    "chrf-components": [
        "char_order",
        "word_order",
        "beta",
        "lowercase",
        "include_whitespace",
        "averaging",
    ],
}

EXAMPLES = [
    (contract, example) for contract in FUNCTIONS for example in CONTRACTS[contract]["examples"]
]


@pytest.fixture(params=sorted(FUNCTIONS))
def contract(request):
    return request.param


def run(contract, value):
    """The contract's result; the input must come out as it went in, on errors too."""
    before = copy.deepcopy(value)
    try:
        return FUNCTIONS[contract](value)
    finally:
        assert same(value, before)


def same(a, b):
    """Equal in value and type, NaN equal to itself, keys in the same order."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b) or (isinstance(a, float) and math.isnan(a))


def error(contract, value):
    """The message with which the contract refuses the input."""
    with pytest.raises(InvalidInput) as caught:
        run(contract, value)
    message = str(caught.value)
    assert caught.value.code == "invalid_input"
    assert message.isascii()
    assert message.isprintable()
    assert 10 < len(message) < 400
    return message


def pair(**options):
    return {"hypotheses": ["aa"], "references": ["ab"], **options}


# --- results ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("contract", "example"), EXAMPLES)
def test_examples(contract, example):
    output = run(contract, example["input"])
    assert output == example["output"]
    assert json.dumps(output) == json.dumps(example["output"])  # order of keys, 2 and not 2.0


def test_the_examples_are_those_of_the_seeds():
    first, second = CONTRACTS["chrf-compute"]["examples"]
    assert first["output"]["score_fraction"] == "7116866012380/84081820977"
    assert first["output"]["segment_scores"] == ["84.411311", "84.867055"]
    assert second["input"] == {"hypotheses": ["aa"], "references": ["ab"], "beta": 3}
    assert second["output"]["score_fraction"] == "25/1"
    (only,) = CONTRACTS["chrf-components"]["examples"]
    assert only["input"] == second["input"]
    assert [order["f_score"] for order in only["output"]["orders"]] == ["1/2", "0/1"] + [None] * 4
    assert only["output"]["average_precision"] == only["output"]["average_recall"] == "1/4"


def test_components_with_everything_set():
    output = run(
        "chrf-components",
        {
            "averaging": "per_order_f",
            "include_whitespace": True,
            "lowercase": True,
            "beta": 1,
            "word_order": 1,
            "char_order": 1,
            "references": ["A b."],
            "hypotheses": ["a c"],
        },
    )
    # Characters a, space, c against a, space, b, full stop; words a, c against a, b, full stop.
    expected = {
        "char_order": 1,
        "word_order": 1,
        "beta": 1,
        "lowercase": True,
        "include_whitespace": True,
        "averaging": "per_order_f",
        "segment_count": 1,
        "orders": [
            {
                "type": "char",
                "n": 1,
                "hypothesis_ngrams": 3,
                "reference_ngrams": 4,
                "matching_ngrams": 2,
                "effective": True,
                "precision": "2/3",
                "recall": "1/2",
                "f_score": "4/7",
            },
            {
                "type": "word",
                "n": 1,
                "hypothesis_ngrams": 2,
                "reference_ngrams": 3,
                "matching_ngrams": 1,
                "effective": True,
                "precision": "1/2",
                "recall": "1/3",
                "f_score": "2/5",
            },
        ],
        "effective_order_count": 2,
        "average_precision": "7/12",
        "average_recall": "5/12",
        "score": "48.571429",
        "score_fraction": "340/7",
    }
    assert json.dumps(output) == json.dumps(expected)


def test_the_ends_of_the_scale():
    assert run("chrf-compute", pair(references=["aa"]))["score_fraction"] == "100/1"
    for hypothesis in ("x", "", " \n"):
        output = run("chrf-compute", pair(hypotheses=[hypothesis]))
        assert (output["score"], output["score_fraction"]) == ("0.000000", "0/1")
        assert output["segment_scores"] == ["0.000000"]
    output = run("chrf-components", pair(hypotheses=[""], references=["a"], char_order=1))
    (order,) = output["orders"]
    assert (order["precision"], order["recall"], order["f_score"]) == (None, "0/1", None)
    assert output["effective_order_count"] == 0
    assert output["average_precision"] == output["average_recall"] == "0/1"


def test_every_hypothesis_ngram_counts():
    noise = {
        "hypotheses": ["hello there", "noise noise noise"],
        "references": ["hello there", ""],
    }
    for name in ("chrf-compute", "chrf-components"):
        assert run(name, noise)["score_fraction"] == "144760250/1938127"
    # The two word orders: 2 of 5 and 1 of 3 match; the reference side matches whole.
    assert run("chrf-plus-plus-compute", noise)["score_fraction"] == "144322250/1934623"


@pytest.mark.parametrize(
    ("matches", "score", "fraction"),
    [
        (1, "0.195312", "25/128"),  # 0.1953125: a tie, and 2 is even
        (3, "0.585938", "75/128"),  # 0.5859375: a tie, and 7 is not
        (512, "100.000000", "100/1"),
    ],
)
def test_six_decimals_tie_to_even(matches, score, fraction):
    same_letters, rest = "a" * matches, 512 - matches
    texts = {
        "hypotheses": [same_letters + "b" * rest],
        "references": [same_letters + "c" * rest],
    }
    output = run("chrf-components", {**texts, "char_order": 1, "beta": 1})
    assert (output["score"], output["score_fraction"]) == (score, fraction)


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        ("ABC", "abc"),
        ("\u0391\u03a3", "\u03b1\u03c2"),  # a final sigma
        ("\u0391 \u03a3", "\u03b1 \u03c3"),  # not final: whitespace goes after lower-casing
        ("\u0130", "i\u0307"),  # one code point becomes two
    ],
)
def test_lowercase_maps_the_whole_text(contract, upper, lower):
    texts = {"hypotheses": [upper], "references": [lower]}
    assert run(contract, {**texts, "lowercase": True})["score"] == "100.000000"
    assert run(contract, {**texts, "lowercase": False})["score"] != "100.000000"
    assert run(contract, texts) == run(contract, {**texts, "lowercase": False})


def test_output_shares_nothing_with_the_input_or_the_next_output(contract):
    value = pair()
    first = run(contract, value)
    second = run(contract, value)
    assert first == second
    mine, yours = set(containers(first)), set(containers(second)) | set(containers(value))
    assert not mine & yours


def containers(value):
    """The ids of every dict and list in a value."""
    if isinstance(value, (dict, list)):
        yield id(value)
        for item in value.values() if isinstance(value, dict) else value:
            yield from containers(item)


# --- validation ---------------------------------------------------------------------------------


def append(field, item):
    return lambda value: value.update({field: [*value[field], item]})


def put(field, item):
    return lambda value: value.update({field: item})


def first_text(field, addition):
    return lambda value: value[field].__setitem__(0, addition + value[field][0])


# Every check in the order of the contracts: a part of its message, and how to fall foul of it.
# Done from the last to the first, each leaves as much of the later faults as it can.
TEXT_CHECKS = [
    ("unknown key 'zeta'", put("zeta", None)),
    ("hypotheses is missing", lambda value: value.pop("hypotheses")),
    ("references is missing", lambda value: value.pop("references")),
    ("hypotheses is 'text'; it must be an array", put("hypotheses", "text")),
    (
        r"hypotheses has 25\d segments; at most 256 are",
        lambda value: value["hypotheses"].extend(["x"] * 257),
    ),
    ("hypotheses is empty", lambda value: value["hypotheses"].clear()),
    (r"hypotheses\[\d\] is 5; it must be a string", append("hypotheses", 5)),
    ("references is null; it must be an array", put("references", None)),
    (
        r"references has 25\d segments; at most 256 are",
        lambda value: value["references"].extend(["x"] * 257),
    ),
    ("references is empty", lambda value: value["references"].clear()),
    (r"references\[\d\] is an array; it must be a string", append("references", ["x"])),
    ("there are 2 hypotheses but 1 references", append("hypotheses", "x")),
    (
        r"hypotheses and references have more than 65536 bytes.* references\[0\] exceeds",
        first_text("references", "\u20ac" * 21845),
    ),
    (
        r"hypotheses\[0\] has the lone surrogate U\+D834 at position 0",
        first_text("hypotheses", "\ud834"),
    ),
    (
        r"references\[0\] has the lone surrogate U\+DD1E at position 1",
        first_text("references", "x\udd1e"),
    ),
]
OPTION_CHECKS = {
    "char_order": ("char_order is 11; it must be an integer from 0 to 10", put("char_order", 11)),
    "word_order": ("word_order is 5; it must be an integer from 0 to 4", put("word_order", 5)),
    "beta": ("beta is 0; it must be an integer from 1 to 16", put("beta", 0)),
    "lowercase": ("lowercase is 1; it must be true or false", put("lowercase", 1)),
    "include_whitespace": (
        "include_whitespace is null; it must be true or false",
        put("include_whitespace", None),
    ),
    "averaging": (
        "averaging is 'mean'; it must be 'precision_recall' or 'per_order_f'",
        put("averaging", "mean"),
    ),
}
BOTH_ZERO = (
    "char_order and word_order are both 0",
    lambda value: value.update(char_order=0, word_order=0),
)


def checks(contract):
    options = [OPTION_CHECKS[name] for name in OPTIONS[contract]]
    if contract == "chrf-components":
        options.insert(2, BOTH_ZERO)
    return TEXT_CHECKS + options


ALL_CHECKS = [(name, i) for name in FUNCTIONS for i in range(len(checks(name)))]


@pytest.mark.parametrize(("contract", "i"), ALL_CHECKS)
def test_each_check(contract, i):
    message, spoil = checks(contract)[i]
    value = pair()
    spoil(value)
    assert re.match(message, error(contract, value))


@pytest.mark.parametrize("name", CONTRACTS)
def test_lists_that_change_during_the_call(name, monkeypatch):
    """What another thread does to them comes too late."""
    function = getattr(contract_module, name.replace("-", "_"))
    check = contract_module._check_size
    given = {"hypotheses": ["the cat", "a dog"], "references": ["the hat", "a dig"]}
    expected = function(copy.deepcopy(given))

    def changing(texts, most):
        check(texts, most)
        given["hypotheses"][1] = 5
        given["references"].append("more")

    monkeypatch.setattr(contract_module, "_check_size", changing)
    assert function(given) == expected


@pytest.mark.parametrize(("contract", "i"), ALL_CHECKS)
def test_each_check_comes_before_all_later_ones(contract, i):
    listed = checks(contract)
    for j in range(i + 1, len(listed)):
        value = pair()
        listed[j][1](value)
        listed[i][1](value)
        assert re.match(listed[i][0], error(contract, value)), listed[j][0]
    value = pair()
    for _, spoil in reversed(listed[i:]):
        spoil(value)
    assert re.match(listed[i][0], error(contract, value))
    subclass = collections.OrderedDict(value)
    assert "must be a plain object" in error(contract, subclass)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        "text",
        [pair()],
        (pair(),),
        [("hypotheses", ["a"]), ("references", ["a"])],
        collections.OrderedDict(pair()),
        collections.UserDict(pair()),
    ],
)
def test_not_a_plain_object(contract, value):
    assert re.match(r"the input is .*; it must be a plain object", error(contract, value))


def test_the_first_unknown_key_is_named(contract):
    for keys in (["b", "a"], ["a", "b"]):
        value = {keys[0]: 1, **pair(), keys[1]: 2}
        assert f"unknown key '{keys[0]}'; the keys of {contract} are hypo" in error(contract, value)


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("Beta", "'Beta'"),
        ("", "''"),
        ("\ud800", r"'\ud800'"),
        ("x" * 100_000, "'" + "x" * 40 + "'..."),
        ("\n", r"'\n'"),
        (1, "1"),
        (None, "null"),
        (("beta",), "<class 'tuple'>"),
        (np.str_("beta"), "<class 'numpy.str_'>"),
    ],
)
def test_unknown_keys_are_shown_safely(contract, key, shown):
    assert error(contract, {**pair(), key: 1}).startswith(f"unknown key {shown};")


def test_keys_of_the_other_contract_are_unknown():
    for name in ("char_order", "word_order", "include_whitespace", "averaging", "rule"):
        assert f"unknown key '{name}'" in error("chrf-compute", pair(**{name: 1}))
    for name in ("rule", "whitespace", "threads", "metric"):
        assert f"unknown key '{name}'" in error("chrf-components", pair(**{name: 1}))


@pytest.mark.parametrize("field", ["hypotheses", "references"])
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        ("aa", "'aa'"),
        ({"0": "aa"}, "an object"),
        (7.5, "7.5"),
        (("aa",), "<class 'tuple'>"),
        (np.array(["aa"]), "<class 'numpy.ndarray'>"),
        (iter(["aa"]), "<class 'list_iterator'>"),
    ],
)
def test_not_an_array(contract, field, value, shown):
    message = f"{field} is {shown}; it must be an array of strings"
    with pytest.raises(InvalidInput, match=re.escape(message)):
        FUNCTIONS[contract](pair(**{field: value}))


@pytest.mark.parametrize("field", ["hypotheses", "references"])
@pytest.mark.parametrize(
    ("item", "shown"),
    [
        (None, "null"),
        (float("nan"), "nan"),
        (False, "false"),
        (b"aa", "<class 'bytes'>"),
        (np.str_("aa"), "<class 'numpy.str_'>"),
        ([], "an array"),
        ({}, "an object"),
        (-(10**20), "an integer of more than 20 digits"),
        (10**20 - 1, "9" * 20),
    ],
)
def test_not_a_string(contract, field, item, shown):
    message = f"{field}[1] is {shown}; it must be a string"
    assert error(contract, {**pair(), field: ["aa", item, 1]}) == message


# --- limits -------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["hypotheses", "references"])
def test_256_segments(contract, field):
    full = {"hypotheses": ["a"] * 256, "references": ["a"] * 256}
    assert run(contract, full)["segment_count"] == 256
    assert f"{field} has 257 segments" in error(contract, {**full, field: ["a"] * 257})


@pytest.mark.parametrize(
    ("character", "size"), [("a", 1), ("\xe9", 2), ("\u20ac", 3), ("\U0001f600", 4)]
)
def test_65536_bytes(contract, character, size):
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


def test_one_text_far_over_the_limit(contract):
    for text in ("a" * 65537, "\xe9" * 32769, "\U0001f600" * 1_000_000):
        assert "hypotheses[0] exceeds it" in error(contract, pair(hypotheses=[text]))
        assert "references[0] exceeds it" in error(contract, pair(references=[text]))


def test_a_lone_surrogate_is_three_bytes_and_the_limit_comes_first(contract):
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
def test_lone_surrogates(contract, text, shown):
    for field in ("hypotheses", "references"):
        texts = {"hypotheses": ["\ue000", "b"], "references": ["\ud7ff", "b"]}
        run(contract, texts)
        texts[field][1] = text
        assert f"{field}[1] has the lone surrogate {shown}" in error(contract, texts)


def test_surrogates_in_json_that_make_a_pair_are_one_character(contract):
    value = json.loads('{"hypotheses": ["\\ud83d\\ude00"], "references": ["\U0001f600"]}')
    assert run(contract, value)["score"] == "100.000000"


# --- options ------------------------------------------------------------------------------------

RANGES = {"beta": (1, 16), "char_order": (0, 10), "word_order": (0, 4)}
INTEGERS = [
    (contract, name) for contract in FUNCTIONS for name in OPTIONS[contract] if name in RANGES
]
FLAGS = [
    (contract, name)
    for contract in FUNCTIONS
    for name in ("lowercase", "include_whitespace")
    if name in OPTIONS[contract]
]


def other_order(name):
    """What keeps the orders from being both 0 while `name` is tried."""
    return {"word_order": 1} if name == "char_order" else {}


@pytest.mark.parametrize(("contract", "name"), INTEGERS)
def test_integers_in_range(contract, name):
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
def test_not_an_integer_in_range(contract, name, value, shown):
    smallest, largest = RANGES[name]
    message = f"{name} is {shown}; it must be an integer from {smallest} to {largest}"
    assert error(contract, pair(**{name: value})) == message


@pytest.mark.parametrize("value", [0, 1, 1.0, None, "true", [], {}, np.True_])
@pytest.mark.parametrize(("contract", "name"), FLAGS)
def test_not_a_boolean(contract, name, value):
    assert re.match(
        f"{name} is .*; it must be true or false", error(contract, pair(**{name: value}))
    )


@pytest.mark.parametrize(
    "value",
    [None, 0, True, "", "precision", "Per_Order_F", "per_order_f\n", ["per_order_f"], np.str_("x")],
)
def test_not_an_averaging(value):
    message = error("chrf-components", pair(averaging=value))
    assert re.match("averaging is .*; it must be 'precision_recall' or 'per_order_f'", message)


def test_orders_both_zero():
    for orders in ({"char_order": 0}, {"char_order": 0.0, "word_order": -0.0}):
        message = error("chrf-components", pair(**orders))
        assert message.startswith("char_order and word_order are both 0;")
    assert run("chrf-components", pair(word_order=0))["char_order"] == 6
    assert len(run("chrf-components", pair(char_order=10, word_order=4))["orders"]) == 14


def test_no_code_of_the_caller_runs(contract):
    class Meta(type):
        def refuse(cls, *args):
            raise RuntimeError

        __repr__ = __str__ = __hash__ = __eq__ = __instancecheck__ = refuse
        __name__ = property(refuse)

    class Hostile(metaclass=Meta):
        def refuse(self, *args):
            raise RuntimeError

        __hash__ = __eq__ = __repr__ = __str__ = __bool__ = __len__ = __iter__ = refuse
        __index__ = __int__ = __float__ = __lt__ = __getattr__ = refuse
        __class__ = property(refuse)

    for field in [None, "hypotheses", "references", *OPTIONS[contract]]:
        for value in (Hostile(), [Hostile()]):
            with pytest.raises(InvalidInput):
                FUNCTIONS[contract](value if field is None else pair(**{field: value}))


def test_invalid_input():
    assert issubclass(InvalidInput, ValueError)
    assert InvalidInput.code == "invalid_input"
    with pytest.raises(InvalidInput) as caught:
        chrf_compute({})
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is InvalidInput
    assert (str(again), again.code) == ("hypotheses is missing; it is required", "invalid_input")


def test_invalid_input_is_a_name_of_the_package():
    assert chrf.InvalidInput is InvalidInput


# --- schemas ------------------------------------------------------------------------------------


def schema_accepts(contract, which, value):
    return Draft202012Validator(CONTRACTS[contract][which]).is_valid(value)


def test_contracts_are_plain_json_and_complete(contract):
    described = CONTRACTS[contract]
    assert list(described) == [
        "id",
        "version",
        "description",
        "supported_operations",
        "unsupported_operations",
        "semantics",
        "limits",
        "input_schema",
        "output_schema",
        "examples",
    ]
    assert described["id"] == contract
    assert described["version"] == "1.0.0"
    assert described["limits"] == {"max_segments": 256, "max_text_bytes": 65536}
    assert same(json.loads(json.dumps(described)), described)
    for which in ("input_schema", "output_schema"):
        Draft202012Validator.check_schema(described[which])
    assert list(described["input_schema"]["properties"]) == [
        "hypotheses",
        "references",
        *OPTIONS[contract],
    ]
    for part in ("supported_operations", "unsupported_operations", "semantics"):
        assert all(isinstance(line, str) and line for line in described[part])


def test_contracts_share_nothing_and_are_not_read_again(contract, monkeypatch):
    every = list(containers(list(CONTRACTS.values())))
    assert len(every) == len(set(every))
    monkeypatch.setitem(CONTRACTS[contract]["limits"], "max_segments", 0)
    monkeypatch.setitem(CONTRACTS[contract]["output_schema"]["properties"], "score", None)
    monkeypatch.setitem(CONTRACTS, "chrf-compute", None)
    assert run("chrf-compute", pair(beta=3))["score"] == "25.000000"


@pytest.mark.parametrize(("contract", "example"), EXAMPLES)
def test_schemas_accept_the_examples(contract, example):
    assert schema_accepts(contract, "input_schema", example["input"])
    assert schema_accepts(contract, "output_schema", example["output"])


def test_input_schema_agrees_with_the_validator(contract):
    values = [0, 1, 2, 2.0, 4, 4.0, 5, 10, 11, 16, 17, -1, -0.0, 2.5, 1e300, True, False, None]
    values += ["", "2", "per_order_f", "precision_recall", [], ["a"], ["a", "b"], ["a", 1], {}]
    values += [["a"] * 256, ["a"] * 257]
    tried = [
        pair(**{name: value}) for name in [*pair(), *OPTIONS["chrf-components"]] for value in values
    ]
    tried += [{}, [], None, "text", 1, {"hypotheses": ["a"]}, {"references": ["a"]}, pair(extra=1)]
    agreed = Counter()
    for value in tried:
        expected = schema_accepts(contract, "input_schema", value)
        try:
            run(contract, value)
            accepted = True
        except InvalidInput as problem:
            # JSON schema cannot say these two things.
            accepted = bool(re.search("there are .* hypotheses but|both 0", str(problem)))
        assert accepted == expected, value
        agreed[accepted] += 1
    assert agreed[True] >= 5
    assert agreed[False] >= 100


# --- random inputs, against the schemas and a second opinion ------------------------------------

ALPHABETS = ["ab", "ab .", "abAB,.! \t", "\u0391\u03a3\u03c3 .\u0130i", "\u4e2d\u6587\u3002\u3000"]
ALPHABETS += ["e\u0301\xe9 \U0001f600\u200b\x00\x85", string.printable]


def random_text(rng, alphabet):
    return "".join(rng.choices(alphabet, k=rng.choice([0, 1, 2, 3, 5, 8, 13, 40])))


def random_edit(rng, text, alphabet):
    symbols = list(text)
    for _ in range(rng.randrange(4)):
        symbols.insert(rng.randrange(len(symbols) + 1), rng.choice(alphabet))
        del symbols[rng.randrange(len(symbols))]
    return "".join(symbols)


def random_input(rng, contract):
    alphabet = rng.choice(ALPHABETS)
    references = [random_text(rng, alphabet) for _ in range(rng.choice([1, 2, 3, 9]))]
    hypotheses = [
        random_edit(rng, text, alphabet) if rng.random() < 0.7 else random_text(rng, alphabet)
        for text in references
    ]
    value = {"hypotheses": hypotheses, "references": references}
    choices = {
        "char_order": range(11),
        "word_order": range(5),
        "beta": range(1, 17),
        "lowercase": (False, True),
        "include_whitespace": (False, True),
        "averaging": ("precision_recall", "per_order_f"),
    }
    for name in OPTIONS[contract]:
        if rng.random() < 0.5:
            value[name] = rng.choice(choices[name])
    if not value.get("char_order", 6) and not value.get("word_order", 0):
        value["word_order"] = 2
    items = list(value.items())
    rng.shuffle(items)
    return dict(items)


def oracle_words(text):
    for word in text.split():
        if len(word) == 1:
            yield word
        elif word[-1] in string.punctuation:
            yield from (word[:-1], word[-1])
        elif word[0] in string.punctuation:
            yield from (word[0], word[1:])
        else:
            yield word


def oracle_counts(hypothesis, reference, options):
    """One (hypothesis, reference, matching) for each order of one segment."""
    for kind, largest in (("char", options["char_order"]), ("word", options["word_order"])):
        for n in range(1, largest + 1):
            grams = []
            for given in (hypothesis, reference):
                text = given.lower() if options["lowercase"] else given
                if kind == "word":
                    symbols = list(oracle_words(text))
                else:
                    symbols = list(text if options["include_whitespace"] else "".join(text.split()))
                grams.append(Counter(zip(*(symbols[i:] for i in range(n)), strict=False)))
            yield grams[0].total(), grams[1].total(), (grams[0] & grams[1]).total()


def oracle_f(precision, recall, beta):
    if not precision or not recall:
        return Fraction(0)
    # The weighted harmonic mean, written as such.
    return Fraction(1 + beta**2) / (1 / precision + beta**2 / recall)


def oracle_score(counts, options):
    effective = [(Fraction(m, h), Fraction(m, r)) for h, r, m in counts if h and r]
    if options["averaging"] == "per_order_f":
        total = sum((oracle_f(p, r, options["beta"]) for p, r in effective), Fraction(0))
        return 100 * total / len(counts)
    if not effective:
        return Fraction(0)
    means = [sum(values) / len(effective) for values in zip(*effective, strict=True)]
    return 100 * oracle_f(*means, options["beta"])


def oracle_decimals(value):
    """Six decimals, ties to even, by long division."""
    units, rest = divmod(value.numerator * 10**6, value.denominator)
    if 2 * rest > value.denominator or (2 * rest == value.denominator and units % 2):
        units += 1
    return f"{units // 10**6}.{units % 10**6:06d}"


def oracle(value):
    """The outputs of both contracts, as far as the counts decide them."""
    options = {
        "char_order": 6,
        "word_order": 0,
        "beta": 2,
        "lowercase": False,
        "include_whitespace": False,
        "averaging": "precision_recall",
        **value,
    }
    segments = [
        list(oracle_counts(h, r, options))
        for h, r in zip(value["hypotheses"], value["references"], strict=True)
    ]
    summed = [tuple(map(sum, zip(*order, strict=True))) for order in zip(*segments, strict=True)]
    return options, segments, summed


@pytest.mark.parametrize("seed", range(8))
def test_random_inputs(contract, seed):
    rng = random.Random(f"{contract} {seed}")
    for _ in range(50):
        value = random_input(rng, contract)
        assert schema_accepts(contract, "input_schema", value)
        output = run(contract, value)
        Draft202012Validator(CONTRACTS[contract]["output_schema"]).validate(output)
        assert list(output) == CONTRACTS[contract]["output_schema"]["required"]
        words = {"word_order": 2} if contract == "chrf-plus-plus-compute" else {}
        options, segments, summed = oracle({**value, **words})
        score = oracle_score(summed, options)
        assert output["score"] == oracle_decimals(score)
        assert output["score_fraction"] == f"{score.numerator}/{score.denominator}"
        assert output["segment_count"] == len(segments)
        for name in OPTIONS[contract]:
            assert same(output[name], options[name])
        if contract == "chrf-components":
            check_components(output, options, summed)
            continue
        assert output["segment_scores"] == [
            oracle_decimals(oracle_score(counts, options)) for counts in segments
        ]
        if words:
            for side, texts in (("hypothesis", "hypotheses"), ("reference", "references")):
                scored = [t.lower() if options["lowercase"] else t for t in value[texts]]
                assert output[f"{side}_tokens"] == [list(oracle_words(t)) for t in scored]


def check_components(output, options, summed):
    def text(numerator, denominator):
        ratio = Fraction(numerator, denominator)
        return f"{ratio.numerator}/{ratio.denominator}"

    names = [("char", n) for n in range(1, options["char_order"] + 1)]
    names += [("word", n) for n in range(1, options["word_order"] + 1)]
    weight = options["beta"] ** 2
    properties = CONTRACTS["chrf-components"]["output_schema"]["properties"]
    for order, name, (h, r, m) in zip(output["orders"], names, summed, strict=True):
        assert list(order) == properties["orders"]["items"]["required"]
        assert tuple(order.values()) == (
            *name,
            h,
            r,
            m,
            bool(h and r),
            text(m, h) if h else None,
            text(m, r) if r else None,
            # F in counts: (1 + b^2) m / (b^2 r + h)
            text((1 + weight) * m, weight * r + h) if h and r else None,
        )
    effective = [(Fraction(m, h), Fraction(m, r)) for h, r, m in summed if h and r]
    assert output["effective_order_count"] == len(effective)
    for key, i in (("average_precision", 0), ("average_recall", 1)):
        total = sum((row[i] for row in effective), Fraction(0))
        assert output[key] == text(total, max(len(effective), 1))


ATOMS = [None, True, False, 0, 1, 2, 6, 16, 17, -1, 2.0, 2.5, 1e300, float("nan"), float("inf")]
ATOMS += [10**5000, "", "a", "per_order_f", "precision_recall", "\ud800", "b\x00", "\U0001f600"]
ATOMS += [(), b"", 1j, Fraction(1, 2), np.int64(2), np.str_("a"), object]


def garbage(rng, depth=3):
    kind = rng.random() if depth else 1
    if kind < 0.25:
        return [garbage(rng, depth - 1) for _ in range(rng.randrange(4))]
    if kind < 0.4:
        keys = [
            "hypotheses",
            "references",
            *OPTIONS["chrf-components"],
            "",
            1,
            None,
            "\udfff",
            ("a",),
        ]
        return {rng.choice(keys): garbage(rng, depth - 1) for _ in range(rng.randrange(4))}
    return rng.choice(ATOMS)


@pytest.mark.parametrize("seed", range(5))
def test_garbage_gives_a_result_or_invalid_input(contract, seed):
    rng = random.Random(f"garbage {contract} {seed}")
    results = 0
    for _ in range(1000):
        value = garbage(rng)
        if rng.random() < 0.9:
            value = pair()
            for name in rng.choices([*value, *OPTIONS[contract]], k=rng.choice([1, 1, 2])):
                value[name] = garbage(rng, depth=2)
        try:
            output = FUNCTIONS[contract](value)
        except InvalidInput:
            continue
        assert schema_accepts(contract, "output_schema", output)
        results += 1
    assert 5 < results < 900
