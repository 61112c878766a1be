"""No message is longer than a line of 500 characters, whatever the command line and the input."""

import json
import os
import re

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from chrf.cli import main as front
from chrf.core.score import corpus_score

LONG = "x" * 100_000
ODD = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12),
    st.sampled_from(["\n", "a\nb", "\r\x1b[2J", "\u2028", "\udcff", "é" * 60, "'\"", "%s", "{x}"]),
    st.sampled_from([LONG, "'" * 90, "\x01" * 3000, "名" * 3000, "\udcff" * 2000, "1" * 5000]),
)
FLAGS = st.sampled_from(
    [
        *("--hypothesis", "--reference", "--reference-file", "--char-order", "--beta", "--rule"),
        *("--averaging", "--format", "--width", "--ci", "--paired", "--baseline", "--seed"),
        *("--alpha", "--threads", "--segments", "--by", "--on-repeat", "--input", "--base-url"),
        *("--host", "--port", "--workers", "--frob"),
    ]
)
SWITCHES = st.sampled_from(["--header", "-b", "-sl", "--orders", "--all-pairs", "-q", "--", "-"])
WORDS = st.one_of(
    st.tuples(FLAGS, ODD),
    st.tuples(FLAGS, ODD).map(lambda pair: ("=".join(pair),)),
    st.tuples(SWITCHES),
    st.tuples(ODD),
    st.tuples(st.sampled_from(["f", "g"])),
)
COMMANDS = st.sampled_from(
    [
        [],
        ["score"],
        ["merge"],
        ["tools", "run"],
        ["tools", "describe"],
        ["tools"],
        ["serve"],
        ["mcp"],
    ]
)
FIELDS = st.one_of(ODD, st.text("ab \t", max_size=6))
ROWS = st.lists(st.lists(FIELDS, max_size=4).map("\t".join), max_size=4).map("\n".join)


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """The folder where commands of random words run, which may write there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("any"))
        patch.setattr("chrf.cli.serve.listen", refuse)
        patch.setattr("chrf.cli.mcp.make_server", refuse)
        yield


def refuse(*arguments):
    """Stand for what would serve; the words were read before."""
    raise OSError("refused") if arguments else ImportError


def check(call_main, words):
    status, out, err = call_main(*words, main=front.main)
    assert max(map(len, err.split("\n"))) < 500
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]", err)
    if status:
        assert out == ""
        assert err.count("\n") == 1
        assert err.endswith("\n")
    return status, err


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(COMMANDS, st.lists(WORDS, max_size=5), ROWS)
@example([], [(LONG,)], "")
@example([], [("--" + LONG,)], "")
@example(["score"], [("--format", LONG)], "")
@example(["tools"], [(LONG,)], "")
@example(["tools", "describe"], [(LONG,), (LONG,)], "")
@example(["serve"], [("--host", LONG)], "")
@example(["mcp"], [("\xa1",)], "")
@example([], [("--header",), ("--reference", "ref"), ("f",)], LONG + "\ta")
@example([], [("--header",), ("--reference", LONG), ("f",)], "\t".join(["a"] * 1000))
@example([], [("--header",), ("--reference", "ref"), ("f",)], json.dumps([{"a": LONG}] * 9))
@example([], [("--header",), ("--reference", "r"), ("f",)], f"{LONG}\t{LONG}\tr\na\tb\tc")
@example([], [("--reference-file", "f"), ("f",)], "a")
def test_any_command_line(call_main, command, words, rows):
    for name in ("f", "g"):
        with open(name, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(rows)
    check(call_main, [*command, *(word for group in words for word in group)])


def test_long_names_of_systems(call_main):
    names = [f"{i}{LONG}" for i in range(4)]
    with open("wide.tsv", "w", encoding="utf-8") as file:
        file.write("\t".join([*names, "ref"]) + "\n" + "\t".join(["a", "b", "c", "d", "a"]) + "\n")
    for words in (
        ["-par", "--baseline", LONG],
        ["--hypothesis", LONG],
        ["-b", "--check-text"],
        ["-par", "--hypothesis", names[0]],
    ):
        check(call_main, ["--header", "--reference", "ref", *words, "wide.tsv"])


LONGEST = 240  # of a file's name, in bytes


@pytest.mark.parametrize("letter", ["x", "\n", "名", "\x1b"])
def test_long_names_of_files(call_main, letter):
    path = os.path.join(*[letter * (LONGEST // len(letter.encode()))] * 10)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    for data in (b"a\n", b"\xff", b"", b"\x1f\x8b", b"a\tb\tc\n", b"{\n"):
        with open(path, "wb") as file:
            file.write(data)
        for words in ([path], [path, path], ["--reference-file", path, path], ["merge", path]):
            check(call_main, words)
    status, err = check(call_main, [f"{path}.absent"])
    assert (status, err.endswith(".absent: No such file or directory\n")) == (1, True)


@settings(deadline=None)
@given(
    st.sampled_from(["file", "system", "score", "orders", "beta", "rule", "signature", "unknown"]),
    st.one_of(
        ODD, st.integers(), st.lists(ODD), st.sampled_from([[[0] * 9999], {LONG: 1}, 10**400])
    ),
)
def test_any_result_to_merge(call_main, key, value):
    """What stands in a part is quoted by many messages."""
    values = {"file": "f", "system": "s", **corpus_score(["ab"], ["ac"]).to_dict()}
    with open("part.json", "w", encoding="utf-8") as file:
        file.write(json.dumps({**values, key: value}) + "\n" + json.dumps(values) + "\n")
    check(call_main, ["merge", "part.json"])
