"""Standard input, and names of files, as the command line meets them."""

import os
import re
import subprocess
import sys

import pytest

import chrf

BOM = "\ufeff".encode()
ROWS = [("the cat sat", "the cat sits"), ("it rained", "it rains")]


def run(folder, *arguments, data=None, **keywords):
    return subprocess.run(
        [sys.executable, "-m", "chrf.batch", *arguments],
        cwd=folder,
        input=data,
        capture_output=True,
        check=False,
        **keywords,
    )


PIPED = {
    "lone-carriage-return": b"hello\rworld\thello world\ngood night\tgood night\n",
    "crlf": b"hello world\thello world\r\ngood night\tgood night\r\n",
    "quotes": b'"Hello\t"Hello\nWorld"\tWorld"\n"abcdefg"\tabcdefg\n',
    "byte-order-mark": BOM + b"hello world\thello world\n",
}


@pytest.mark.parametrize("arguments", [[], ["-"]], ids=["no-file", "dash"])
@pytest.mark.parametrize("data", PIPED.values(), ids=PIPED.keys())
def test_a_path_and_standard_input_are_read_alike(written, arguments, data):
    path = written(data)
    by_path = run(path.parent, "-q", "-f", "json", path.name)
    by_stream = run(path.parent, "-q", "-f", "json", *arguments, data=data)
    assert by_path.returncode == by_stream.returncode == 0
    assert by_path.stderr == by_stream.stderr == b""
    assert by_stream.stdout == by_path.stdout.replace(b'"f.tsv"', b'"<stdin>"')


def test_errors_name_standard_input(tmp_path):
    found = run(tmp_path, data=b"a\tb\nc\n")
    assert (found.returncode, found.stdout) == (1, b"")
    assert found.stderr == b"<stdin>:2: 1 field where 2 are expected\n"
    found = run(tmp_path, data=b"")
    assert found.stderr == b"<stdin>:1: the file is empty; there are no segments\n"


def test_standard_input_is_one_of_the_aligned_files(tmp_path):
    (tmp_path / "r").write_bytes(b"the cat sits\nit rains\n")
    piped = run(tmp_path, "-b", "--reference-file", "r", "-", data=b"the cat sat\nit rained\n")
    assert piped.stdout.decode() == f"{chrf.corpus_score(*zip(*ROWS, strict=True))}\n"


def test_closed_standard_input(tmp_path):
    command = f'"{sys.executable}" -m chrf.batch <&-'
    found = subprocess.run(
        command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr == "<stdin>: standard input is closed\n"


def test_a_stream_that_does_not_wait_is_refused(tmp_path):
    """Not taken for one that ended: the rest of the text would be missing from the score."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    try:
        os.write(writer, b"a\ta\n")
        found = run(tmp_path, stdin=reader, timeout=60)
    finally:
        os.close(reader)
        os.close(writer)
    assert (found.returncode, found.stdout) == (1, b"")
    assert found.stderr == b"<stdin>:1: Resource temporarily unavailable\n"


def test_one_end_of_input_is_enough_on_a_terminal(tmp_path):
    pty = pytest.importorskip("pty")
    terminal, device = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "chrf.batch", "-b"],
        cwd=tmp_path,
        stdin=device,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(device)
        os.write(terminal, b"ab\tab\ncd\tcd\n\x04")
        out, err = process.communicate(timeout=60)
        os.close(terminal)
    assert (process.returncode, out, err) == (0, b"100.000000\n", b"")


# Names of files.


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"a b.tsv", b"a b.tsv"),
        (b"a\tb\nc\rd.tsv", rb"a\tb\nc\rd.tsv"),
        (b"\x1b[31mred.tsv", rb"\x1b[31mred.tsv"),
        (b"caf\xc3\xa9.tsv", b"caf\xc3\xa9.tsv"),
        (b"caf\xe9.tsv", b"caf\xe9.tsv"),
        (b"-b", b"-b"),
        (b"%s{0}.tsv", b"%s{0}.tsv"),
    ],
    ids=["space", "control", "escape", "utf-8", "not-utf-8", "dash", "format"],
)
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_any_name_of_a_file(tmp_path, name, shown, locale):
    path = os.path.join(os.fsencode(tmp_path), name)
    with open(path, "wb") as file:
        file.write(b"a\ta\n\xff\n")
    variables = {
        **os.environ,
        "LC_ALL": locale,
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }
    found = run(tmp_path, "--", name, env=variables)
    assert (found.returncode, found.stdout) == (1, b"")
    assert found.stderr == (shown + b":2: byte 0xff at offset 4 of the file is not valid UTF-8\n")
    with open(path, "wb") as file:
        file.write(b"a\ta\n")
    found = run(tmp_path, "-f", "tsv", "--", name, env=variables)
    assert (found.returncode, found.stderr) == (0, b"")
    header, row = found.stdout.splitlines()
    assert header.startswith(b"file\tsystem\tmetric\tscore\t")
    assert row.startswith(shown + b"\t" + shown + b"\tchrF2\t100.000000\t1\t")
    assert re.fullmatch(rb"[^\t\n]*(\t[^\t\n]*){8}", row)
