"""The contracts: what an input must be, and in which order that is checked."""

import collections
import copy
import pickle
import re

import numpy as np
import pytest

import chrf
from chrf.contract import CONTRACTS, InvalidInput, chrf_compute
from chrf.contract import validation as checking
from chrf.service.tools import find

OPTIONS = {id: list(CONTRACTS[id]["input_schema"]["properties"])[2:] for id in CONTRACTS}


def pair(**options):
    return {"hypotheses": ["aa"], "references": ["ab"], **options}


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


ALL_CHECKS = [(name, i) for name in CONTRACTS for i in range(len(checks(name)))]


@pytest.mark.parametrize(("contract", "i"), ALL_CHECKS)
def test_each_check(error, contract, i):
    message, spoil = checks(contract)[i]
    value = pair()
    spoil(value)
    assert re.match(message, error(contract, value))


@pytest.mark.parametrize("name", CONTRACTS)
def test_lists_that_change_during_the_call(name, monkeypatch):
    """What another thread does to them comes too late."""
    function = find(name, "1.0.0")
    check = checking._check_size
    given = {"hypotheses": ["the cat", "a dog"], "references": ["the hat", "a dig"]}
    expected = function(copy.deepcopy(given))

    def changing(texts, most):
        check(texts, most)
        given["hypotheses"][1] = 5
        given["references"].append("more")

    monkeypatch.setattr(checking, "_check_size", changing)
    assert function(given) == expected


@pytest.mark.parametrize(("contract", "i"), ALL_CHECKS)
def test_each_check_comes_before_all_later_ones(error, contract, i):
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
def test_not_a_plain_object(error, contract, value):
    assert re.match(r"the input is .*; it must be a plain object", error(contract, value))


def test_the_first_unknown_key_is_named(error, contract):
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
def test_unknown_keys_are_shown_safely(error, contract, key, shown):
    assert error(contract, {**pair(), key: 1}).startswith(f"unknown key {shown};")


def test_keys_of_the_other_contract_are_unknown(error):
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
        find(contract, "1.0.0")(pair(**{field: value}))


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
def test_not_a_string(error, contract, field, item, shown):
    message = f"{field}[1] is {shown}; it must be a string"
    assert error(contract, {**pair(), field: ["aa", item, 1]}) == message


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
                find(contract, "1.0.0")(value if field is None else pair(**{field: value}))


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
