"""``python -m chrf``: which command the first word names, and what is said without any."""

import os
import subprocess
import sys

import pytest

from chrf.cli import main as front


def chrf(folder, *words, **keywords):
    found = subprocess.run(
        [sys.executable, "-m", "chrf", *words],
        cwd=folder,
        capture_output=True,
        check=False,
        **keywords,
    )
    return found.returncode, found.stdout.decode(), found.stderr.decode()


def on_terminal(folder, *words, typed=b""):
    """The same with a terminal as standard input, and what is typed there."""
    pty = pytest.importorskip("pty")
    terminal, device = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "chrf", *words],
        cwd=folder,
        stdin=device,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(device)
        os.write(terminal, typed)
        out, err = process.communicate(timeout=60)
        os.close(terminal)
    return process.returncode, out.decode(), err.decode()


@pytest.mark.parametrize("words", [[], ["score"]], ids=["without-the-word", "with-it"])
def test_score(folder, words):
    assert chrf(folder, *words, "-b", "two.tsv") == (0, "82.222222\n", "")
    assert chrf(folder, *words, "-b", input=b"aa\tab\nxyz\txyz\n") == (0, "82.222222\n", "")


def test_the_other_commands(folder):
    (folder / "part.json").write_text(chrf(folder, "-f", "json", "two.tsv")[1])
    assert chrf(folder, "merge", "-b", "part.json") == (0, "82.222222\n", "")
    status, out, err = chrf(folder, "tools", "list")
    assert (status, err) == (0, "")
    assert out.startswith("chrf-compute\t1.0.0\t")
    for command in front.COMMANDS:
        status, out, err = chrf(folder, command, "--help")
        assert (status, err) == (0, "")
        assert out.startswith("usage: ")


def test_only_the_first_word_is_a_command(folder):
    assert chrf(folder, "-b", "merge")[2] == "merge: No such file or directory\n"
    (folder / "merge").write_text("ab\tab\n")
    assert chrf(folder, "-b", "merge") == (0, "100.000000\n", "")
    assert chrf(folder, "./merge", "-b") == (0, "100.000000\n", "")


def test_statuses_are_those_of_the_command(folder):
    assert chrf(folder, "missing.tsv")[0] == 1
    assert chrf(folder, "--bogus")[0] == 2
    assert chrf(folder, "merge", "--bogus")[0] == 2


def test_nothing_but_a_terminal(folder):
    """A short help instead of a wait for text that nobody knows to type."""
    status, out, err = on_terminal(folder)
    assert (status, err) == (0, "")
    assert out.startswith("usage: python -m chrf [COMMAND] [option ...] [FILE ...]\n")
    for command in front.COMMANDS:
        assert f"\n  {command} " in out
    assert "\nexamples:\n  python -m chrf two-columns.tsv\n" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_terminal_that_is_asked_for(folder):
    for words in (["-b"], ["score", "-b"], ["-b", "-"]):
        assert on_terminal(folder, *words, typed=b"ab\tab\n\x04") == (0, "100.000000\n", "")


def test_nothing_and_no_terminal(folder):
    message = "<stdin>:1: the file is empty; there are no segments\n"
    assert chrf(folder, input=b"") == (1, "", message)
    found = subprocess.run(
        ["bash", "-c", '"$0" -m chrf <&-', sys.executable],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    assert (found.returncode, found.stdout) == (1, b"")
    assert found.stderr == b"<stdin>: standard input is closed\n"


def test_commands_are_imported_when_they_are_named(folder):
    code = (
        "import sys; from chrf.cli import main; "
        "print(sorted(name for name in sys.modules if name.startswith('chrf.cli.')))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, cwd=folder
    )
    assert found.stdout.decode().strip() == "['chrf.cli.command', 'chrf.cli.main']"
