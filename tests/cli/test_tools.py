"""``python -m chrf.tools``, on its own and against a server."""

import errno
import http.server
import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import loopback  # bench/loopback.py
from chrf.cli import tools as command_line
from chrf.contract import CONTRACTS
from chrf.service import tools

FOLDER = Path(__file__).parent  # where the source folder does not hide the installed package
EXAMPLES = [(id, example) for id in CONTRACTS for example in CONTRACTS[id]["examples"]]
SEED_INPUT = '{"hypotheses":["aa"],"references":["ab"],"beta":3}'

needs_server = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("starlette", "uvicorn")),
    reason="the extra serve is not installed",
)


@pytest.fixture(scope="module")
def url():
    with loopback.serving(loopback.SERVE) as running:
        yield f"http://127.0.0.1:{running.port}"


@pytest.fixture(params=["here", pytest.param("there", marks=needs_server)])
def where(request):
    """Arguments that say where the tool runs."""
    if request.param == "here":
        return []
    return ["--base-url", request.getfixturevalue("url")]


@pytest.fixture
def run(capsys, tmp_path):
    """Run a tool on this text; exit status, standard output, standard error."""

    def call(text, *more, id="chrf-compute", version="1.0.0"):
        path = tmp_path / "input.json"
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        status = command_line.main(["run", id, version, "--input", str(path), *more])
        return status, *capsys.readouterr()

    return call


def command(*arguments, **more):
    """Run it as a process."""
    return subprocess.run(
        [sys.executable, "-m", "chrf.tools", *arguments],
        capture_output=True,
        check=False,
        cwd=FOLDER,
        **more,
    )


@pytest.mark.parametrize(("id", "example"), EXAMPLES)
def test_examples(run, where, id, example):
    status, out, err = run(json.dumps(example["input"]), *where, id=id)
    assert (status, err) == (0, "")
    # As the seed's page shows a response.
    assert out == json.dumps({"result": example["output"]}, indent=2, ensure_ascii=False) + "\n"


def test_list(capsys):
    assert command_line.main(["list"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert rows == [[id, "1.0.0", CONTRACTS[id]["description"]] for id in CONTRACTS]


@pytest.mark.parametrize("id", CONTRACTS)
def test_describe(capsys, id):
    assert command_line.main(["describe", id, "1.0.0"]) == 0
    assert json.loads(capsys.readouterr().out) == tools.describe(id, "1.0.0")
    assert command_line.main(["describe", id, "9"]) == 1
    assert capsys.readouterr().err == f"not_found: {id} has no version '9'; it has 1.0.0\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"hypotheses":["aa"]}', "invalid_input: references is missing; it is required"),
        ("", "invalid_input: the input is empty; it must be a JSON object"),
        ("{", "invalid_input: the input is not JSON: Expecting property name"),
        (b"\xff", "invalid_input: the input is not JSON: it is not UTF-8 at byte 0"),
        ('{"beta":1,"beta":1}', "invalid_input: the input is not JSON: the key 'beta' appears twi"),
        (" " * 600_000, "payload_too_large: the input has more than 524288 bytes"),
    ],
)
def test_refused_input(run, where, text, said):
    status, out, err = run(text, *where)
    assert (status, out) == (1, "")
    assert err.startswith(said)
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("id", "version", "said"),
    [
        ("chrf", "1.0.0", "not_found: there is no tool 'chrf'; there are chrf-compute, chrf-p"),
        ("chrf-compute", "2", "not_found: chrf-compute has no version '2'; it has 1.0.0"),
        ("a\n\u00e9\u2028", "1", r"not_found: there is no tool 'a\n\xe9\u2028'; there are"),
        ("a b?#%2F", "1", "not_found: there is no tool 'a b?#%2F'; there are"),
    ],
)
def test_not_found(run, where, id, version, said):
    status, out, err = run(SEED_INPUT, *where, id=id, version=version)
    assert (status, out) == (1, "")
    assert err.startswith(said)
    assert err.count("\n") == 1


def test_standard_input(where):
    found = command(
        "run", "chrf-compute", "1.0.0", "--input", "-", *where, input=SEED_INPUT.encode()
    )
    assert (found.returncode, found.stderr) == (0, b"")
    assert json.loads(found.stdout)["result"]["score"] == "25.000000"


def test_output_is_utf8_under_any_locale(tmp_path):
    path = tmp_path / "input.json"
    path.write_bytes(b'{"hypotheses":["\xc3\xa9"],"references":["b"]}')
    arguments = ["run", "chrf-plus-plus-compute", "1.0.0", "--input", str(path)]
    found = command(*arguments, env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"})
    assert '"é"'.encode() in found.stdout


@pytest.mark.parametrize("path", ["nowhere.json", ".", "a\0b"])
def test_a_file_that_cannot_be_read(path, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command_line.main(["run", "chrf-compute", "1.0.0", "--input", path]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"(nowhere\.json|\.|a\\x00b): [^\n]+\n", err)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["walk"],
        ["list", "extra"],
        ["describe", "chrf-compute"],
        ["run", "chrf-compute", "1.0.0"],
        ["run", "chrf-compute", "1.0.0", "--input", "-", "--base-url", "ftp://a"],
        ["run", "chrf-compute", "1.0.0", "--input", "-", "--base-url", "127.0.0.1:8000"],
        ["run", "chrf-compute", "1.0.0", "--input", "-", "--base-url", "http://"],
        ["run", "chrf-compute", "1.0.0", "--inp", "-"],
    ],
)
def test_wrong_usage(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        command_line.main(arguments)
    assert caught.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"python -m chrf\.tools( \w+)?: .+ \(see --help\)\n", err)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
def test_output_that_cannot_be_written():
    with open("/dev/full", "wb") as full:
        process = subprocess.run(
            [sys.executable, "-m", "chrf.tools", "list"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            cwd=FOLDER,
        )
    assert (process.returncode, process.stderr) == (1, b"<stdout>: No space left on device\n")
    shell = f"'{sys.executable}' -m chrf.tools"
    for redirection, status, err in (
        (">&-", 1, b"<stdout>: standard output is closed\n"),
        ("| true; exit ${PIPESTATUS[0]}", 141, b""),
    ):
        line = f"{shell} describe chrf-components 1.0.0 {redirection}"
        found = subprocess.run(
            ["bash", "-c", line], stderr=subprocess.PIPE, check=False, cwd=FOLDER
        )
        assert found.stderr == err
        # `true` may leave before or after the text is written.
        assert found.returncode in ({status} if err else {status, 0})


# --- servers that are not there, or are something else ------------------------------------------


@pytest.fixture
def answering(request):
    """The address of a server that answers every call with one status and body."""
    status, body = request.param

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("answering", "said"),
    [
        ((502, b"<html>"), "URL: 502 Bad Gateway, with neither a result nor an error object"),
        ((200, b"<html>"), "URL: 200 OK, with neither a result nor an error object"),
        ((200, b'{"result":"\\ud800"}'), "URL: 200 OK, with neither a result nor an error object"),
        ((200, b'{"result":NaN}'), "URL: 200 OK, with neither a result nor an error object"),
        ((200, b"[" * 100_000), "URL: 200 OK, with neither a result nor an error object"),
        ((400, b"[]"), "URL: 400 Bad Request, with neither a result nor an error object"),
        ((307, b""), "URL: 307 Temporary Redirect, with neither a result nor an error object"),
        ((429, b'{"error":{"code":"slow","message":"a\\nb"}}'), r"slow: a\nb"),
    ],
    indirect=["answering"],
)
def test_other_servers(run, answering, said):
    status, out, err = run(SEED_INPUT, "--base-url", answering)
    assert (status, out) == (1, "")
    assert err == said.replace("URL", answering) + "\n"


def test_no_server(run):
    for url in ("http://127.0.0.1:9", "http://a b", "https://127.0.0.1:x"):
        status, out, err = run(SEED_INPUT, "--base-url", url)
        assert (status, out) == (1, "")
        assert err.startswith(f"{url}: ")
        assert err.count("\n") == 1


@needs_server
def test_a_word_that_is_not_utf8(run, where):
    status, out, err = run(SEED_INPUT, *where, id="\udcff")
    assert (status, out) == (1, "")
    assert err.startswith("not_found: there is no tool '")


def test_standard_input_that_does_not_wait():
    """Half of an input is not taken for all of it."""
    for half in (b"", SEED_INPUT[:20].encode()):
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        os.write(writer, half)
        found = command("run", "chrf-compute", "1.0.0", "--input", "-", stdin=reader)
        os.close(writer)
        os.close(reader)
        said = f"<stdin>: {os.strerror(errno.EAGAIN)}\n"
        assert (found.returncode, found.stdout, found.stderr.decode()) == (1, b"", said)


@needs_server
def test_a_slash_after_the_address(run, url):
    assert run(SEED_INPUT, "--base-url", f"{url}/")[0] == 0


def test_importing_needs_no_extra():
    block = (
        "import sys; sys.modules.update(dict.fromkeys(['starlette', 'uvicorn', 'mcp', 'anyio']))"
    )
    subprocess.run([sys.executable, "-c", f"{block}; import chrf.tools"], check=True, cwd=FOLDER)
