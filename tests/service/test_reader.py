"""The JSON reader beside ``json.loads``: the same values, errors and places, without the tree."""

import json
import random
import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chrf.contract import CONTRACTS, InvalidInput
from chrf.service import reader, strict_json, tools

MOST = 5  # items that are kept of an array in these tests


def strictly(text):
    """Read with ``json.loads``, every key and constant checked: a value, or an error."""

    def no_constant(name):
        raise InvalidInput(f"the input is not JSON: {name} is not a JSON value")

    def checked(pairs):
        keys = [key for key, _ in pairs]
        for key in keys:
            if keys.count(key) > 1:
                twice = max(keys, key=keys.count)
                raise InvalidInput(
                    f"the input is not JSON: the key {twice[:40]!a} appears twice in an object"
                )
        return dict(pairs)

    return json.loads(
        text,
        object_pairs_hook=checked,
        parse_constant=no_constant,
        parse_int=lambda digits: int(digits[:30]),
    )


def upper_levels(value, depth=0):
    """What the reader keeps of a value."""
    if isinstance(value, dict):
        return {} if depth else {key: upper_levels(item, 1) for key, item in value.items()}
    if isinstance(value, list):
        kept = [upper_levels(item, 2) for item in value] if depth == 1 else []
        return kept[:MOST] + [None] * (len(kept) - MOST)
    return value


def outcome(read, text):
    """Kind and content of what reading a text gives."""
    try:
        value = read(text)
    except json.JSONDecodeError as error:
        return "error", error.msg, error.pos
    except InvalidInput as error:
        return "invalid", str(error)
    return "value", repr(value)  # 2 is not 2.0, and -0.0 is not 0.0


def check(text):
    expected = outcome(lambda text: upper_levels(strictly(text)), text)
    assert outcome(lambda text: reader.read_json(text, MOST), text) == expected
    return expected[0]


TOKENS = ["{", "}", "[", "]", ",", ":", '"a"', '"b"', '"b\\u0061"', '"\\u0061"', '""', '"\\ud800"']
TOKENS += ['"', "\\", '"x\ty"', '"\\x"', '"\\u00', "0", "-", "-0", "12", "1.5", "1e5", "1E+2", "01"]
TOKENS += ["2.", ".5", "1e", "-1.0e-3", "null", "nul", "true", "false", "NaN", "Infinity", "x", "é"]
TOKENS += ["-Infinity", "-Inf", "9" * 40, " ", "\n", "\r\t", "\ufeff", "\u00a0", '"\U0001f600"']


@given(st.lists(st.sampled_from(TOKENS), max_size=12).map("".join))
@example("")
@example("[1,]")
@example('{"a":1,}')
@example('{"a":1,"a":2')
@example('[{"a":1,"a":2}')
@example("\ufeff{}")
def test_every_sequence_of_tokens(text):
    check(text)


@given(st.text(alphabet='[]{},:"\\ue0-1.n a\n', max_size=20))
def test_every_text(text):
    check(text)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=40,
)


@given(JSON, st.sampled_from([None, 1]), st.booleans())
def test_every_value(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert check(text) == "value"
    for cut in range(0, len(text), max(1, len(text) // 4)):
        check(text[:cut])
        check(text[:cut] + text[cut + 1 :])


def test_random_documents():
    rng = random.Random("documents")
    kinds = set()
    for _ in range(20_000):
        text = "".join(rng.choices(TOKENS, k=rng.randrange(1, 15)))
        kinds.add(check(rng.choice([text, f"[{text}]", f'{{"k":{text}}}', f'{{"k":[{text}]}}'])))
    assert kinds == {"value", "error", "invalid"}


def test_depth():
    for deep in (1, 2, 3, 400):
        for opening, closing in (("[", "]"), ('{"a":', "}")):
            assert check(opening * deep + "1" + closing * deep) == "value"
    assert reader.read_json("[" * 1000 + "]" * 1000, MOST) == []
    for opening in ("[", '{"a":', '[{"a":'):
        with pytest.raises(RecursionError):
            reader.read_json(opening * 1001, MOST)


def text_of(items):
    return f"[{','.join(items)}]"


HOSTILE = {
    "brackets": text_of(["[" * 900 + "]" * 900] * 290),
    "objects": text_of(['{"":{}}'] * 65_000),
    "objects of two keys": text_of(['{"a":1,"b":1}'] * 37_000),
    "numbers": text_of(["1"] * 262_000),
    "fractions": text_of(["1e1"] * 131_000),
    "empty arrays": text_of(["[]"] * 174_000),
    "strings": text_of(['""'] * 174_000),
    "unfinished": "[" + "[" * 900 + "]" * 900 + ",[]" * 170_000,
    "empty arrays as segments": f'{{"hypotheses":{text_of(["[]"] * 170_000)},"references":[]}}',
    "strings as segments": '{"hypotheses":' + text_of(['"abcdef"'] * 50_000) + ',"references":[]}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_body_that_no_contract_allows_makes_no_tree(name):
    body = HOSTILE[name].encode()
    assert 400_000 < len(body) <= strict_json.MAX_BODY_BYTES
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput) as caught:
            tools.execute("chrf-compute", "1.0.0", body)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # The text of the body and, of an array in the top object, two pointers for each item.
    assert peak < 1.1 * len(body) + 2 * 8 * 180_000 + 100_000
    # The message is the one that the whole tree gives.
    with pytest.raises((InvalidInput, json.JSONDecodeError)) as whole:
        tools.find("chrf-compute", "1.0.0")(strictly(body.decode()))
    if isinstance(whole.value, InvalidInput):
        assert str(caught.value) == str(whole.value)
    else:
        assert whole.value.msg in str(caught.value)


@pytest.mark.parametrize("id", CONTRACTS)
def test_messages_are_those_of_the_whole_tree(id):
    """Whatever stands in the place of a value, nested or long."""
    pieces = ["1", "null", '"a"', "[]", "{}", '["a"]', '[["a"]]', '[{"a":[1]}]', '{"a":{"b":1}}']
    pieces += ["[" + '"a",' * 256 + '"a"]', "[" + '"a",' * 255 + "7]", "[" + "[1]," * 300 + "1]"]
    for name in ("hypotheses", "references", "beta", "lowercase", "averaging", "other"):
        for piece in pieces:
            members = {"hypotheses": '["aa"]', "references": '["ab"]', name: piece}
            listed = (f'"{key}":{value}' for key, value in members.items())
            text = "{" + ",".join(listed) + "}"
            answers = []
            for read in (strictly, lambda text: strict_json.parse(text.encode())):
                try:
                    answers.append(tools.find(id, "1.0.0")(read(text)))
                except InvalidInput as error:
                    answers.append(str(error))
            assert answers[0] == answers[1]
