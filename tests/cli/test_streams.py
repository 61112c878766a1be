"""Standard streams, pipes and locales: what is printed of bad input, and what of bad ends."""

import contextlib
import io
import itertools
import json
import os
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chrf
from chrf.cli import arguments, settings
from chrf.cli import score as batch

# The two rules print different scores of it.
SHORT_REFERENCE = "hello\thello\nabcdefghijk\tabc\n"


ERRORS = [
    ("three-fields", "hello\tbig\tworld\n", "f.tsv:1: 3 fields where 2 are expected"),
    (
        "blank-line",
        "a\ta\n\nb\tb\n",
        "f.tsv:2: a blank line where 2 fields are expected; delete it",
    ),
    (
        "blank-line-at-the-end",
        "a\ta\nb\tb\n\n",
        "f.tsv:3: a blank line where 2 fields are expected; delete it",
    ),
    (
        "not-utf-8",
        b"caf\xe9\tcafe\n",
        "f.tsv:1: byte 0xe9 at offset 3 of the file is not valid UTF-8",
    ),
    ("empty-file", "", "f.tsv:1: the file is empty; there are no segments"),
]


@pytest.mark.parametrize(
    ("data", "message"), [pytest.param(*case[1:], id=case[0]) for case in ERRORS]
)
def test_bad_input_is_said_in_one_line(folder, data, message, bash):
    (folder / "f.tsv").write_bytes(data if isinstance(data, bytes) else data.encode())
    found = bash("$CHRF --segments out.tsv two.tsv f.tsv")
    assert (found.returncode, found.stdout) == (1, b"")
    assert found.stderr.decode().startswith(message)
    assert found.stderr.count(b"\n") == 1
    assert not (folder / "out.tsv").exists()


PIECES = [
    "a",
    "the cat",
    "\t",
    "\t",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "\0",
    '"',
    "\ufeff",
    "é",
    "\u2028",
    "\udcff",
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=20).map("".join),
    st.sets(st.sampled_from(["-sl", "-f=tsv", "--check-text", "--header", "--orders", "-cw=2"])),
    st.sampled_from([1, 7, 1 << 18]),
)
def test_any_bytes_give_a_score_or_one_line(tmp_path_factory, call_main, text, flags, block):
    folder = tmp_path_factory.mktemp("any")
    path, out = folder / "f.tsv", folder / "out.tsv"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chrf.files.lines.BLOCK_BYTES", block)
        status, printed, err = call_main("-q", str(path), "--segments", str(out), *sorted(flags))
    assert bool(status == 0) == bool(printed) == out.exists()
    assert len(os.listdir(folder)) == 1 + out.exists()
    if status == 1:
        assert re.fullmatch(rf"{re.escape(str(path))}(:\d+)?: [^\n]+\n", err)
    elif status == 2:
        assert re.fullmatch(r"python -m chrf\.batch: --sentence-level [^\n]+\n", err)
    else:
        assert not err or "--check-text" in flags


class TestStreams:
    @pytest.fixture(autouse=True)
    def big(self, folder):
        (folder / "big.tsv").write_text("the cat\tthe mat\n" * 100_000)

    def test_a_pipe_that_closes_early(self, bash):
        found = bash("$CHRF -sl big.tsv | head -1; echo ${PIPESTATUS[0]}")
        expected = chrf.corpus_score(["the cat"], ["the mat"])
        assert (found.stdout.decode(), found.stderr) == (f"{expected}\n141\n", b"")

    def test_messages_go_to_standard_error_only(self, folder, bash):
        (folder / "f.tsv").write_text("abcdef\tabc\n")
        found = bash("$CHRF --check-text -b f.tsv 2>/dev/null")
        assert re.fullmatch(rb"\d+\.\d{6}\n", found.stdout)

    @pytest.mark.parametrize("end", ["2>/dev/full", "2> >(true)"], ids=["full", "closed early"])
    def test_standard_error_that_cannot_be_written(self, folder, end, bash):
        """The score is printed all the same."""
        (folder / "f.tsv").write_text(SHORT_REFERENCE)
        found = bash(f"{{ sleep 0.2; $CHRF -b f.tsv; }} {end}")
        assert (found.returncode, found.stdout) == (0, b"69.922367\n")

    @pytest.mark.parametrize(
        ("args", "status"), [("missing.tsv", 1), ("--bogus", 2), ("--threads 0", 2)]
    )
    def test_a_message_that_cannot_be_written(self, args, status, bash):
        assert bash(f"$CHRF {args} 2>/dev/full").returncode == status

    @pytest.mark.parametrize(
        "args", ["two.tsv", "-sl big.tsv", "-f json two.tsv", "--help", "--version"]
    )
    def test_standard_output_that_is_full(self, args, bash):
        found = bash(f"$CHRF {args} > /dev/full")
        assert (found.returncode, found.stderr) == (1, b"<stdout>: No space left on device\n")

    @pytest.mark.parametrize("args", ["-f json two.tsv two.tsv", "-sl big.tsv", "--help"])
    def test_unbuffered_output_is_whole_or_an_error(self, args, bash):
        """Under python -u a write may take a part, and say so in its return value alone."""
        whole = bash(f"$CHRF {args}").stdout
        found = bash(f"export PYTHONUNBUFFERED=1; $CHRF {args}")
        assert (found.returncode, found.stdout) == (0, whole)
        found = bash(f"export PYTHONUNBUFFERED=1; $CHRF {args} > /dev/full")
        assert (found.returncode, found.stderr) == (1, b"<stdout>: No space left on device\n")
        if "help" not in args:
            limit = "ulimit -f 1; trap '' XFSZ; export PYTHONUNBUFFERED=1"
            found = bash(f"{limit}; $CHRF {args} > out")
            assert (found.returncode, found.stderr) == (1, b"<stdout>: File too large\n")

    def test_output_that_is_caught(self, folder):
        caught = io.StringIO()
        with contextlib.redirect_stdout(caught):
            assert batch.main(["-b", str(folder / "two.tsv")]) == 0
        assert caught.getvalue() == "82.222222\n"

    def test_a_help_that_nobody_reads(self, bash):
        found = bash("{ sleep 0.2; $CHRF --help; } | true; echo ${PIPESTATUS[0]}")
        assert (found.stdout, found.stderr) == (b"141\n", b"")

    def test_a_file_that_grows_too_large(self, bash):
        found = bash("ulimit -f 1000; $CHRF -w 100 -sl big.tsv > out")
        assert (found.returncode, found.stderr) == (1, b"<temporary file>: File too large\n")

    def test_a_folder_that_is_gone(self, bash):
        for command in ("$CHRF --segments out.tsv ../two.tsv", "${CHRF/batch/merge} out.tsv"):
            found = bash(f"mkdir gone; cd gone; rmdir ../gone; {command}")
            message = rb"(out|../two)\.tsv(:1)?: No such file or directory\n"
            assert found.returncode == 1
            assert re.fullmatch(message, found.stderr)

    @pytest.mark.parametrize("args", ["--help", "--version"])
    def test_a_help_that_cannot_be_shown(self, args, bash):
        found = bash(f"$CHRF {args} >&-")
        assert (found.returncode, found.stderr) == (1, b"<stdout>: standard output is closed\n")

    def test_standard_output_that_is_closed(self, folder, bash):
        found = bash("$CHRF --segments out.tsv two.tsv >&-")
        assert (found.returncode, found.stderr) == (1, b"<stdout>: standard output is closed\n")
        assert not (folder / "out.tsv").exists()

    @pytest.mark.parametrize(
        ("args", "status", "out"),
        [
            ("missing.tsv", 1, b""),
            ("--threads 0", 2, b""),
            ("--check-text -b two.tsv", 0, b"82.222222\n"),
        ],
    )
    def test_standard_error_that_is_closed(self, args, status, out, bash):
        """What it would have said does not go to standard output instead."""
        found = bash(f"$CHRF {args} 2>&-")
        assert (found.returncode, found.stdout, found.stderr) == (status, out, b"")

    def test_all_of_them_closed(self, bash):
        assert bash("$CHRF two.tsv <&- >&- 2>&-").returncode == 1
        assert bash("$CHRF -b two.tsv <&-").stdout == b"82.222222\n"

    def test_the_locale_does_not_matter(self, folder, environment):
        """Of the text, the names of columns and the names of files."""
        (folder / "é.tsv").write_text("hyp\tréf\né\té\n", encoding="utf-8")
        commands = """
            "$0" -m chrf.batch --header --reference réf é.tsv --segments s.tsv
            "$0" -m chrf.batch --header --reference réf é.tsv -f json
            "$0" -m chrf.batch --header --reference rèf é.tsv || test $? -eq 1
            "$0" -m chrf.batch --header --reference é -par --baseline ü -q ö.tsv
        """
        (folder / "ö.tsv").write_text("a\tü\té\na\tb\tc\n", encoding="utf-8")
        outputs = set()
        for variables in (
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            {"LC_ALL": "C.UTF-8"},
            {"LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "ascii"},
            {"LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "utf-16"},
        ):
            found = subprocess.run(
                ["bash", "-c", commands, sys.executable],
                cwd=folder,
                env={k: v for k, v in environment.items() if not k.startswith(("LC_", "LANG"))}
                | variables,
                capture_output=True,
                check=True,
            )
            outputs.add((found.stdout, found.stderr, (folder / "s.tsv").read_bytes()))
        ((out, err, segments),) = (map(bytes.decode, output) for output in outputs)
        table, record = out.split("\n\n")[:2]
        assert table.endswith("\nhyp     100.000000         1")
        assert json.loads(record.splitlines()[1])["file"] == "é.tsv"
        assert any(line.startswith("ü ") and "baseline" in line for line in out.splitlines())
        assert err == (
            "é.tsv:1: no column 'rèf' among 2; did you mean 'réf'? The columns are 'hyp', 'réf'\n"
        )
        assert segments.splitlines()[1] == "é.tsv\t2\thyp\t100.000000"

    @pytest.mark.parametrize("args", [["-f", "json"], ["-sl"]], ids=" ".join)
    def test_the_number_of_threads_does_not_matter(self, call, folder, monkeypatch, args):
        monkeypatch.setattr("chrf.cli.settings.available_cpus", lambda: 8)
        monkeypatch.setattr("chrf.files.lines.BLOCK_BYTES", 5000)
        texts = map("".join, itertools.product("ab cd", repeat=5))
        lines = [f"{text}\t{text[::-1]}\n" for text in texts]
        (folder / "f.tsv").write_text("".join(lines))
        found = set()
        for threads in "1258":
            out = call(*args, "--threads", threads, "--segments", "out.tsv", "f.tsv")
            found.add((*out, (folder / "out.tsv").read_bytes()))
        assert len(found) == 1

    def test_threads_beyond_the_cpus_do_not_hold_more_rows(self, monkeypatch):
        monkeypatch.setattr("chrf.cli.settings.available_cpus", lambda: 3)
        for asked, used in (([], 3), (["-j", "2"], 2), (["-j", "1000000"], 3)):
            parsed = arguments.make_parser().parse_args(asked)
            assert settings.read_settings(parsed).threads == used

    def test_the_default_is_the_cpus_this_process_may_use(self):
        if hasattr(os, "sched_getaffinity"):
            assert settings.available_cpus() == len(os.sched_getaffinity(0))
        assert settings.available_cpus() >= 1
