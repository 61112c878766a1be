"""What the tests of the command line share: files to score, and ways to run the command."""

import contextlib
import io
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from chrf.cli import score as batch

TABLE = """\
source\treference\tbaseline\ttuned
die Katze saß\tthe cat sat\tthe cap sat\tthe cat sits
es regnete\tit rained\tit rain\tit rained
ja\tno\tnone\tno
"""
REFERENCE = ["the cat sat", "it rained", "no"]
SYSTEMS = {
    "baseline": ["the cap sat", "it rain", "none"],
    "tuned": ["the cat sits", "it rained", "no"],
}
PLAIN = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"} | {"COLUMNS": "100"}


@pytest.fixture(scope="session")
def example():
    """The texts of ``t.tsv``: its rows, its references, its two systems."""
    return SimpleNamespace(table=TABLE, reference=REFERENCE, systems=SYSTEMS)


@pytest.fixture(scope="session")
def environment():
    """The variables that the command runs under."""
    return PLAIN


@pytest.fixture(scope="session")
def exact():
    """A record of ``--format json`` without the numbers beside its exact values."""

    def stripped(value):
        if isinstance(value, list):
            return [stripped(item) for item in value]
        if not isinstance(value, dict):
            return value
        return {k: stripped(item) for k, item in value.items() if not k.endswith("_double")}

    return stripped


@pytest.fixture
def folder(tmp_path):
    """A folder of files to score, where the commands run."""
    (tmp_path / "t.tsv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "two.tsv").write_text("aa\tab\nxyz\txyz\n")
    (tmp_path / "ref.txt").write_text("".join(f"{line}\n" for line in REFERENCE))
    for name, texts in SYSTEMS.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in texts))
    return tmp_path


@pytest.fixture
def run(folder):
    """A run of the command, which must succeed and keep standard error empty."""

    def start(*args, status=0, err="", **keywords):
        found = subprocess.run(
            [sys.executable, "-m", "chrf.batch", *args],
            cwd=folder,
            capture_output=True,
            check=False,
            **{"env": PLAIN, **keywords},
        )
        assert (found.returncode, found.stderr.decode()) == (status, err)
        return found.stdout.decode()

    return start


@pytest.fixture(scope="session")
def call_main():
    """The command without a process of its own: status, standard output, standard error."""

    def start(*args, main=batch.main):
        # The command settles the encoding of its streams; those of the test are left as they are.
        out, err = (io.TextIOWrapper(io.BytesIO(), "ascii") for _ in range(2))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = main(list(args))
            except SystemExit as left:
                status = left.code
            for stream in (out, err):
                stream.flush()
        return (
            status,
            *(stream.buffer.getvalue().decode("utf-8", "surrogateescape") for stream in (out, err)),
        )

    return start


@pytest.fixture
def call(call_main, folder, monkeypatch):
    """The same in the folder of files."""
    monkeypatch.chdir(folder)
    return call_main


@pytest.fixture
def printed(call):
    """What a run prints that succeeds quietly."""

    def start(*args):
        status, out, err = call(*args)
        assert (status, err) == (0, "")
        return out

    return start


@pytest.fixture
def bash(folder):
    """A command line in which "$CHRF" stands for the command."""

    def start(command, **keywords):
        return subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env={**PLAIN, "CHRF": f"{sys.executable} -m chrf.batch"},
            capture_output=True,
            check=False,
            **keywords,
        )

    return start
