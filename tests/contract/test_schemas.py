"""The contracts as data, and their schemas beside the validator."""

import json
import re
from collections import Counter

import pytest
from jsonschema import Draft202012Validator

from chrf.contract import CONTRACTS, InvalidInput

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
EXAMPLES = [(id, example) for id in CONTRACTS for example in CONTRACTS[id]["examples"]]


def pair(**options):
    return {"hypotheses": ["aa"], "references": ["ab"], **options}


def schema_accepts(contract, which, value):
    return Draft202012Validator(CONTRACTS[contract][which]).is_valid(value)


def test_contracts_are_plain_json_and_complete(same, contract):
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


def test_contracts_share_nothing_and_are_not_read_again(run, contract, monkeypatch):
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


def test_input_schema_agrees_with_the_validator(run, contract):
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


def test_output_shares_nothing_with_the_input_or_the_next_output(run, contract):
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
