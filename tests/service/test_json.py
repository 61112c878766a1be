"""HTTP: bodies that are not JSON, or not what a contract allows."""

import contextlib
import http.client
import json
import random

import pytest

from chrf.contract import CONTRACTS, InvalidInput
from chrf.service import errors, strict_json, tools

for library in ("starlette", "uvicorn", "mcp"):
    pytest.importorskip(library, reason="the extras serve and mcp are not installed")

SEED_INPUT = b'{"hypotheses":["aa"],"references":["ab"],"beta":3}'
JSON = {"Content-Type": "application/json"}


# --- invalid input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "the input is empty; it must be a JSON object"),
        (b" ", "not JSON: Expecting value at line 1, column 2"),
        (b"{", "not JSON: Expecting property name"),
        (b"\xff", "not JSON: it is not UTF-8 at byte 0"),
        ('{"beta": "é"}'.encode("latin-1"), "not JSON: it is not UTF-8 at byte 10"),
        ('{"beta": 2}'.encode("utf-16"), "not JSON: it is not UTF-8 at byte 0"),
        (b"\xed\xa0\x80", "not JSON: it is not UTF-8 at byte 0"),
        (b"\xef\xbb\xbf{}", "not JSON: Unexpected UTF-8 BOM"),
        (SEED_INPUT + b"x", "not JSON: Extra data at line 1, column 51"),
        (SEED_INPUT + SEED_INPUT, "not JSON: Extra data"),
        (SEED_INPUT + b"\0", "not JSON: Extra data"),
        (b'{"beta":2,}', "not JSON: "),
        (b"{'beta':2}", "not JSON: "),
        (b'{"beta":02}', "not JSON: "),
        (b'{"beta":+2}', "not JSON: "),
        (b'{"beta":2.}', "not JSON: "),
        (b'{"beta":"\t"}', "not JSON: Invalid control character"),
        (b'{"beta":"\\x41"}', "not JSON: Invalid \\escape"),
        (b'{"beta":NaN}', "not JSON: NaN is not a JSON value"),
        (b'{"beta":-Infinity}', "not JSON: -Infinity is not a JSON value"),
        (b'{"beta":2,"beta":2}', "not JSON: the key 'beta' appears twice in an object"),
        (b'{"beta":2,"b\\u0065ta":3}', "not JSON: the key 'beta' appears twice in an object"),
        (b'{"x":{"\\n":2,"\\n":3}}', r"not JSON: the key '\n' appears twice in an object"),
        (b"[" * 100_000, "not JSON: it is nested too deeply"),
        (b'{"a":' * 100_000, "not JSON: it is nested too deeply"),
        (b"[]", "the input is an array; it must be a plain object"),
        (b"null", "the input is null; it must be a plain object"),
        (b'{"hypotheses":["a"]}', "references is missing; it is required"),
        (b'{"hypotheses":["a"],"references":["a"],"beta":2.5}', "beta is 2.5; it must be an int"),
        (
            b'{"hypotheses":["a"],"references":["a"],"beta":-' + b"9" * 5000 + b"}",
            "beta is an integer of more than 20 digits; it must be an integer from 1 to 16",
        ),
        (b'{"hypotheses":["a"],"references":["a"],"beta":1e999}', "beta is inf; it must be an int"),
        (
            b'{"hypotheses":["x\\uD800"],"references":["a"],"beta":0}',
            "hypotheses[0] has the lone surrogate U+D800 at position 1; it must be well-formed",
        ),
        (b'{"\\ud800":1}', r"unknown key '\ud800'; the keys of chrf-compute are"),
    ],
)
def test_invalid_input(execute, body, said, message):
    text = message(*execute(body), "invalid_input")
    assert text.removeprefix("the input is ").startswith(said) or text.startswith(said)


def test_escaped_surrogate_pairs_are_characters(execute):
    status, answer = execute(b'{"hypotheses":["\\ud83d\\ude00"],"references":["\xf0\x9f\x98\x80"]}')
    assert status == 200
    assert json.loads(answer)["result"]["score"] == "100.000000"


# --- random input -------------------------------------------------------------------------------

ATOMS = ["null", "true", "false", "0", "1", "2", "2.0", "16", "17", "-1", "2.5", "1e300", "1e400"]
ATOMS += ["NaN", "-Infinity", "9" * 4301, '""', '"a"', '"\\ud800"', '"\\ud83d\\ude00"', '"\\u0000"']
ATOMS += ['"per_order_f"', '"precision_recall"', '"é"', '"x', "'x'", "\x00", "[", "}", ",", ""]
KEYS = ["hypotheses", "references", "beta", "lowercase", "char_order", "word_order", "averaging"]
KEYS += ["include_whitespace", "extra", "", "\\ud800", "b\\u0065ta"]


def random_json(rng, depth=3):
    """Text that is JSON, or nearly."""
    kind = rng.random() if depth else 1
    if kind < 0.25:
        return f"[{','.join(random_json(rng, depth - 1) for _ in range(rng.randrange(4)))}]"
    if kind < 0.5:
        items = (f'"{rng.choice(KEYS)}":{random_json(rng, depth - 1)}' for _ in range(3))
        return f"{{{','.join(items)}}}"
    return rng.choice(ATOMS)


def random_body(rng):
    """Half of it from scratch, half a valid call in which something was changed."""
    if rng.random() < 0.3:
        body = random_json(rng).encode()
    else:
        value = {"hypotheses": '["aa","b"]', "references": '["ab","b"]'}
        for key in rng.sample(KEYS, rng.randrange(3)):
            value[key] = random_json(rng, 2)
        body = "{%s}" % ",".join(f'"{key}":{item}' for key, item in value.items())  # noqa: UP031
        body = body.encode()
    if rng.random() < 0.2:
        cut = bytearray(body)
        for _ in range(rng.randrange(1, 4)):
            cut.insert(rng.randrange(len(cut) + 1), rng.randrange(256))
            del cut[rng.randrange(len(cut))]
        body = bytes(cut)
    return body


def test_random_json_is_answered_as_the_contract_says(server):
    rng = random.Random("http")
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    statuses = []
    with contextlib.closing(client):
        for _ in range(1500):
            id, body = rng.choice(list(CONTRACTS)), random_body(rng)
            client.request("POST", f"/v1/tools/{id}/versions/1.0.0/execute", body, JSON)
            answer = client.getresponse()
            try:
                expected = 200, tools.execute(id, "1.0.0", body)
            except InvalidInput as problem:
                expected = 400, errors.error_object(problem)
            assert (answer.status, answer.read()) == (expected[0], strict_json.dump(expected[1])), (
                body
            )
            statuses.append(answer.status)
    assert statuses.count(200) > 50
    assert statuses.count(400) > 500
