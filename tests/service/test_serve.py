"""The tools over HTTP: a real server on loopback, in a process of its own."""

import asyncio
import contextlib
import http.client
import importlib.util
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import loopback  # bench/loopback.py
from chrf.cli import serve
from chrf.contract import CONTRACTS, InvalidInput
from chrf.service import app as asgi
from chrf.service import tools as service

for library in ("starlette", "uvicorn", "mcp"):
    pytest.importorskip(library, reason="the extras serve and mcp are not installed")

FOLDER = Path(__file__).parent  # where the source folder does not hide the installed package
EXAMPLES = [(id, example) for id in CONTRACTS for example in CONTRACTS[id]["examples"]]
COMPUTE = "/v1/tools/chrf-compute/versions/1.0.0"
SEED_INPUT = b'{"hypotheses":["aa"],"references":["ab"],"beta":3}'
JSON = {"Content-Type": "application/json"}


# Under AddressSanitizer memory that was freed is kept for a while.
memory = pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="memory grows")


@pytest.fixture(scope="module")
def server():
    with loopback.serving([*loopback.SERVE, "--body-timeout", "1"]) as running:
        yield running
        assert running.stop() == 0
        assert "Traceback" not in running.log


@pytest.fixture
def ask(server):
    """Send a request; the status, the headers and the body of its answer."""

    def send(method, path, body=None, headers=None):
        client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        with contextlib.closing(client):
            client.request(method, path, body, headers or {}, encode_chunked=True)
            answer = client.getresponse()
            return answer.status, answer.headers, answer.read()

    return send


@pytest.fixture
def execute(ask):
    """Call a tool with these bytes; the status and the body of the answer."""

    def call(body, id="chrf-compute", version="1.0.0"):
        status, headers, answer = ask(
            "POST", f"/v1/tools/{id}/versions/{version}/execute", body, JSON
        )
        assert headers["Content-Type"] == "application/json"
        return status, answer

    return call


def message(status, body, code):
    """The message of an error object, which has nothing else."""
    error = json.loads(body)
    assert list(error) == ["error"]
    assert list(error["error"]) == ["code", "message"]
    assert error["error"]["code"] == code
    assert status == service.STATUSES[code]
    assert error["error"]["message"].isprintable()
    return error["error"]["message"]


# --- what the seeds describe --------------------------------------------------------------------


def test_the_call_of_the_seeds(execute):
    status, answer = execute(SEED_INPUT)
    assert status == 200
    assert answer == (
        b'{"result":{"metric":"chrF","char_order":6,"word_order":0,"beta":3,"lowercase":false,'
        b'"segment_count":1,"score":"25.000000","score_fraction":"25/1",'
        b'"segment_scores":["25.000000"]}}'
    )


@pytest.mark.parametrize(("id", "example"), EXAMPLES)
def test_examples(execute, id, example):
    status, answer = execute(json.dumps(example["input"]).encode(), id)
    assert status == 200
    assert answer == service.dump({"result": example["output"]})


@pytest.mark.parametrize("id", CONTRACTS)
def test_contract(ask, id):
    status, headers, body = ask("GET", f"/v1/tools/{id}/versions/1.0.0")
    assert (status, headers["Content-Type"]) == (200, "application/json")
    described = json.loads(body)
    # The keys of the first seed, in its order.
    assert list(described) == [
        "id",
        "version",
        "description",
        "supported_operations",
        "unsupported_operations",
        "semantics",
        "limits",
        "pricing",
        "input_schema",
        "output_schema",
        "examples",
        "execute_url",
    ]
    assert described["pricing"] == {"status": "unpriced", "charge_usd": None}
    assert described["execute_url"] == f"/v1/tools/{id}/versions/1.0.0/execute"
    for key, value in CONTRACTS[id].items():
        assert described[key] == value


def test_listing_leads_to_every_contract(ask):
    status, _, body = ask("GET", "/v1/tools")
    assert status == 200
    tools = json.loads(body)["tools"]
    assert [tool["id"] for tool in tools] == list(CONTRACTS)
    for tool in tools:
        described = json.loads(ask("GET", tool["contract_url"])[2])
        assert tool["version"] == described["version"]
        assert tool["description"] == described["description"]
        assert tool["execute_url"] == described["execute_url"]


def test_health(ask):
    status, _, body = ask("GET", "/healthz")
    assert (status, body) == (200, b'{"status":"ok"}')


def test_the_same_call_gives_the_same_bytes(execute):
    spellings = [
        b'{"hypotheses":["a\\u00e9"],"references":["ab"],"lowercase":true,"beta":2}',
        '{ "beta": 2.0,\n"lowercase": true, "references": ["ab"], "hypotheses": ["aé"] }'.encode(),
    ]
    answers = {execute(body, "chrf-plus-plus-compute") for body in spellings * 5}
    assert len(answers) == 1
    ((status, answer),) = answers
    assert status == 200
    assert '"hypothesis_tokens":[["aé"]]'.encode() in answer


# --- what clients expect of HTTP ----------------------------------------------------------------


def test_head_has_the_headers_of_get(ask):
    for path in ("/healthz", "/v1/tools", COMPUTE, "/openapi.json"):
        got, head = ask("GET", path), ask("HEAD", path)
        assert head[0] == 200
        assert head[2] == b""
        assert head[1]["Content-Length"] == str(len(got[2]))


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/v1/tools", "GET, HEAD, OPTIONS"),
        (COMPUTE, "GET, HEAD, OPTIONS"),
        (f"{COMPUTE}/execute", "OPTIONS, POST"),
        ("/mcp", "OPTIONS, POST"),
    ],
)
def test_methods(ask, path, allowed):
    status, headers, body = ask("OPTIONS", path)
    assert (status, headers["Allow"], body) == (204, allowed, b"")
    for method in {"GET", "POST", "PUT", "DELETE", "PATCH", "TRACE"} - set(allowed.split(", ")):
        status, headers, body = ask(method, path, SEED_INPUT, JSON)
        assert allowed in message(status, body, "method_not_allowed")
        assert headers["Allow"] == allowed


def test_a_slash_at_the_end_is_dropped(ask):
    for path in ("/healthz", "/v1/tools", COMPUTE):
        assert ask("GET", f"{path}/")[::2] == ask("GET", path)[::2]
    assert ask("POST", f"{COMPUTE}/execute/", SEED_INPUT, JSON)[0] == 200


def test_a_percent_encoded_id(ask):
    assert ask("GET", "/v1/tools/chrf%2Dcompute/versions/1%2E0.0")[0] == 200


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/", "there is nothing at this path"),
        ("/v1/tools/chrf-compute", "there is nothing at this path"),
        ("/v1/tools//", "there is nothing at this path"),
        ("/healthz//", "there is nothing at this path"),
        ("/healthz%0A", "there is nothing at this path"),
        ("/v1/tools//versions/1.0.0", "there is nothing at this path"),
        ("/v1/tools/a%2Fb/versions/1.0.0", "there is nothing at this path"),
        ("/v1/tools/nope/versions/1.0.0", "there is no tool 'nope'; there are chrf-compute, chrf-"),
        ("/v1/tools/CHRF-compute/versions/1.0.0", "there is no tool 'CHRF-compute'"),
        ("/v1/tools/%FF%00%0A%22/versions/1.0.0", r"there is no tool '\ufffd\x00\n\"'"),
        (f"/v1/tools/{'x' * 5000}/versions/1", f"there is no tool '{'x' * 40}'"),
        ("/v1/tools/chrf-compute/versions/1.0", "chrf-compute has no version '1.0'; it has 1.0.0"),
        ("/v1/tools/chrf-compute/versions/%2e%2e", "chrf-compute has no version '..'"),
    ],
)
def test_not_found(ask, path, said):
    status, _, body = ask("GET", path)
    assert message(status, body, "not_found").startswith(said.replace('\\"', '"'))
    if "versions" in path and "/v1/tools//" not in path and "%2F" not in path:
        status, _, body = ask("POST", f"{path}/execute", b"[", {"Content-Type": "text/plain"})
        assert message(status, body, "not_found").startswith(said.replace('\\"', '"'))


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({}, "the content type must be application/json"),
        ({"Content-Type": "text/plain"}, "the content type must be application/json"),
        ({"Content-Type": "application/x-www-form-urlencoded"}, "the content type must be"),
        ({"Content-Type": "application/json-seq"}, "the content type must be application/json"),
        ({"Content-Type": "application/json; charset=latin-1"}, "the charset must be utf-8"),
        ({**JSON, "Content-Encoding": "gzip"}, "without a content encoding"),
        ({**JSON, "Content-Encoding": "br, zstd"}, "without a content encoding"),
    ],
)
def test_unsupported_media_type(ask, headers, said):
    status, _, body = ask("POST", f"{COMPUTE}/execute", SEED_INPUT, headers)
    assert said in message(status, body, "unsupported_media_type")


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "Application/JSON"},
        {"Content-Type": "application/json;charset=utf-8"},
        {"Content-Type": 'application/json ; Charset="UTF-8"; x=y'},
        {**JSON, "Content-Encoding": "identity"},
        {**JSON, "Expect": "100-continue"},
        {**JSON, "Accept": "text/html"},
    ],
)
def test_supported_media_types(ask, headers):
    assert ask("POST", f"{COMPUTE}/execute", SEED_INPUT, headers)[0] == 200


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
def test_invalid_input(execute, body, said):
    text = message(*execute(body), "invalid_input")
    assert text.removeprefix("the input is ").startswith(said) or text.startswith(said)


def test_escaped_surrogate_pairs_are_characters(execute):
    status, answer = execute(b'{"hypotheses":["\\ud83d\\ude00"],"references":["\xf0\x9f\x98\x80"]}')
    assert status == 200
    assert json.loads(answer)["result"]["score"] == "100.000000"


# --- size ---------------------------------------------------------------------------------------


def test_whatever_a_contract_allows_fits(execute):
    escaped = "".join(f"\\u{ord(c):04x}" for c in "abcdefgh" * 16)
    lines = ",\n".join([f'{" " * 32}"{escaped}"'] * 256)
    body = f'{{"hypotheses": [\n{lines}\n],\n"references": [\n{lines}\n]}}'.encode()
    assert len(body) > 6 * 65536
    status, answer = execute(body)
    assert status == 200
    assert json.loads(answer)["result"]["segment_count"] == 256
    # All of it, tokens of one code point each: the largest answer.
    texts = {"hypotheses": ["\0 " * 16384], "references": ["\0 " * 16384]}
    status, answer = execute(json.dumps(texts).encode(), "chrf-plus-plus-compute")
    assert status == 200
    assert len(json.loads(answer)["result"]["hypothesis_tokens"][0]) == 16384


def test_the_limit_of_a_body(ask, execute):
    limit = service.MAX_BODY_BYTES
    assert execute(SEED_INPUT.ljust(limit))[0] == 200
    said = f"the input has more than {limit} bytes"
    for path in (f"{COMPUTE}/execute", "/mcp", "/nope"):
        for more in (1, 700_000 - limit):  # what is not taken fits in the sockets
            status, headers, body = ask("POST", path, SEED_INPUT.ljust(limit + more), JSON)
            assert message(status, body, "payload_too_large") == said
            assert headers["Connection"] == "close"
            chunks = iter([SEED_INPUT, b" " * (limit - len(SEED_INPUT)), b" " * more])
            status, _, body = ask("POST", path, chunks, {**JSON, "Transfer-Encoding": "chunked"})
            assert message(status, body, "payload_too_large") == said


def connect(server):
    client = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    return contextlib.closing(client)


HEAD = f"POST {COMPUTE}/execute HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n".encode()


@pytest.mark.parametrize("length", [b"524289", b"9" * 19, b"9" * 10])
def test_a_declared_length_over_the_limit_is_answered_without_reading(server, length):
    with connect(server) as client:
        client.sendall(HEAD + b"Expect: 100-continue\r\nContent-Length: " + length + b"\r\n\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 413 ")  # and no 100


def in_sockets(client):
    """How many bytes wait in both sockets of a connection for the server to read them."""
    ends = client.getsockname()[1], client.getpeername()[1]
    waiting = 0
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, here, there, _, queues = line.split()[:5]
        ports = int(here[-4:], 16), int(there[-4:], 16)
        if ports == ends:
            waiting += int(queues.split(":")[0], 16)
        elif ports == ends[::-1]:
            waiting += int(queues.split(":")[1], 16)
    return waiting


# uvicorn stops reading when 64 KiB wait for the application; asyncio reads 256 KiB at a time. So
# much has a message at most, and so much is read that nobody asks for.
MESSAGE = (64 + 256) * 1024


@memory
@pytest.mark.parametrize(
    ("header", "piece"),
    [
        (b"Transfer-Encoding: chunked", b"10000\r\n" + b" " * 65536 + b"\r\n"),
        (b"Content-Length: 1000000000", b" " * 65536),
    ],
)
def test_of_an_endless_body_no_more_is_read_than_the_limit(server, header, piece):
    before, sent = server.memory(), 0
    with connect(server) as client:
        client.sendall(HEAD + header + b"\r\n\r\n")
        client.settimeout(0.5)
        with contextlib.suppress(TimeoutError):  # the sockets are full
            while True:
                sent += client.send(piece)
        read = sent - in_sockets(client)
        assert service.MAX_BODY_BYTES < read < service.MAX_BODY_BYTES + 2 * MESSAGE
        assert client.recv(65536).startswith(b"HTTP/1.1 413 ")
        client.settimeout(20)
        with pytest.raises(ConnectionResetError):
            list(iter(lambda: client.recv(65536), b""))
    assert server.memory() < before + 4


# --- slow clients and those that leave ----------------------------------------------------------


def test_a_body_that_does_not_come(server):
    start = time.monotonic()
    with connect(server) as client:
        client.sendall(HEAD + b"Content-Length: 50\r\n\r\n" + SEED_INPUT[:-1])
        answer = b"".join(iter(lambda: client.recv(65536), b""))
    assert 0.9 < time.monotonic() - start < 10
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"connection: close" in head
    assert message(408, body, "request_timeout") == "the body did not come within 1 seconds"


def test_a_body_that_dribbles_has_no_more_time(server):
    with connect(server) as client:
        client.sendall(HEAD + b"Content-Length: 50\r\n\r\n")
        with contextlib.suppress(BrokenPipeError):
            for i in range(50):
                client.sendall(SEED_INPUT[i : i + 1])
                time.sleep(0.05)
        assert client.recv(65536).startswith(b"HTTP/1.1 408 ")


def test_a_slow_body_that_comes_in_time(server):
    with connect(server) as client:
        client.sendall(HEAD + b"Content-Length: 50\r\n\r\n")
        for i in range(0, 50, 10):
            client.sendall(SEED_INPUT[i : i + 10])
            time.sleep(0.05)
        assert client.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_slow_clients_and_cut_bodies_do_not_disturb_others(server):
    small, large = (
        loopback.cases()[name] for name in ("compute, 2 segments", "compute, 65,536 bytes")
    )

    async def run():
        held = await loopback.hold(server.port, large, 50)
        await loopback.load(server.port, small, 8, 200)
        assert set(await asyncio.gather(*map(loopback.last_words, held))) == {"408"}
        await loopback.cut(server.port, large, 100)
        await loopback.cut(server.port, small, 100)
        await loopback.load(server.port, small, 8, 200)

    asyncio.run(run())


def test_requests_that_are_not_http(server):
    for garbage in (b"\x16\x03\x01\x02\x00" * 20, b"GET\r\n\r\n", b"A" * 100_000):
        with connect(server) as client, contextlib.suppress(ConnectionError):
            client.sendall(garbage + b"\r\n\r\n")
            answer = client.recv(65536)
            assert answer.startswith(b"HTTP/1.1 4")
            assert b"Traceback" not in answer


def test_a_connection_is_used_again_after_an_error(server):
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    with contextlib.closing(client):
        for body, headers, expected in (
            (SEED_INPUT, JSON, 200),
            (b"[" * 1000, JSON, 400),
            (SEED_INPUT, {}, 415),
            (SEED_INPUT, JSON, 200),
        ):
            client.request("POST", f"{COMPUTE}/execute", body, headers)
            answer = client.getresponse()
            answer.read()
            assert answer.status == expected
            assert client.sock is not None


# --- load; bench/load.py has more of it ---------------------------------------------------------


def test_many_clients_at_once(server):
    for name, what in loopback.cases().items():
        total = 150 if "65" in name else 600
        asyncio.run(loopback.load(server.port, what, 150, total))


@memory
def test_memory_is_flat(server):
    what = loopback.cases()["compute, 2 segments"]
    asyncio.run(loopback.load(server.port, what, 1, 500))
    before = server.memory()
    asyncio.run(loopback.load(server.port, what, 1, 2000))
    assert server.memory() < before + 2


def test_sigterm_finishes_what_was_taken():
    what = loopback.cases()["compute, 2 segments"]
    with loopback.serving(loopback.SERVE) as running:
        seen = asyncio.run(loopback.stop_under_load(running, what, clients=16, slow=8))
        assert running.process.wait(30) == 0
        assert "Traceback" not in running.log
    assert seen.broken == 0
    assert seen.answered >= 16


def test_a_killed_worker_is_replaced():
    what = loopback.cases()["compute, 2 segments"]
    with loopback.serving(loopback.SERVE, workers=2) as running:
        answered, failed, _ = asyncio.run(loopback.kill_a_worker(running, what, 16))
        assert failed <= 16  # those that the worker had in hand
        assert answered > 100
        seen = asyncio.run(loopback.stop_under_load(running, what, clients=16, slow=8))
        assert running.process.wait(30) == 0
        assert "Traceback" not in running.log
    assert seen.broken == 0
    assert seen.answered >= 16


def test_a_worker_killed_during_its_health_check_is_replaced():
    with loopback.serving(loopback.SERVE, workers=2) as running:
        worker = running.pids[0]
        os.kill(worker, signal.SIGSTOP)
        time.sleep(2)  # by now the supervisor, which looks twice a second, waits for its answer
        os.kill(worker, signal.SIGKILL)
        # Less than the minute for which a supervisor waits for a worker that is alive.
        running.wait_for("Application startup complete", 3, seconds=50)
        assert f"Child process [{worker}] died" in running.log


def test_workers_do_not_outlive_their_supervisor():
    with loopback.serving(loopback.SERVE, workers=2) as running:
        workers = running.pids
        running.process.kill()
        running.process.wait()
        deadline = time.monotonic() + 30
        while any(loopback.alive(pid) for pid in workers):
            assert time.monotonic() < deadline
            time.sleep(0.05)


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
                expected = 200, service.execute(id, "1.0.0", body)
            except InvalidInput as problem:
                expected = 400, service.error(problem)
            assert (answer.status, answer.read()) == (expected[0], service.dump(expected[1])), body
            statuses.append(answer.status)
    assert statuses.count(200) > 50
    assert statuses.count(400) > 500


# --- OpenAPI ------------------------------------------------------------------------------------


def test_openapi_holds_the_contracts(ask):
    described = json.loads(ask("GET", "/openapi.json")[2])
    assert described["openapi"] == "3.1.0"
    for id, contract in CONTRACTS.items():
        call = described["paths"][f"/v1/tools/{id}/versions/1.0.0/execute"]["post"]
        media = call["requestBody"]["content"]["application/json"]
        assert media["schema"] == contract["input_schema"]
        answer = call["responses"]["200"]["content"]["application/json"]["schema"]
        assert answer["properties"]["result"] == contract["output_schema"]
        assert set(call["responses"]) == {"200", "400", "408", "413", "415"}


def test_schemathesis(server, tmp_path):
    """Requests made from the description: what it allows, and what it does not."""
    pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    arguments = ["run", f"http://127.0.0.1:{server.port}/openapi.json"]
    # A schema cannot say that there are as many hypotheses as references, or how many bytes.
    arguments += ["--exclude-checks", "positive_data_acceptance"]
    arguments += ["--max-examples", "40", "--seed", "1", "--generation-database", "none"]
    found = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr


# --- docs/service.md ----------------------------------------------------------------------------

PAGE = (FOLDER.parents[1] / "docs" / "service.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("block", BLOCKS)
def test_the_page_shows_what_comes_out(server, tmp_path, block):
    address = f"127.0.0.1:{server.port}"
    (client,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    (tmp_path / "client.py").write_text(client.replace("127.0.0.1:8000", address))
    (tmp_path / "input.json").write_bytes(SEED_INPUT + b"\n")
    lines = block.splitlines()
    script = "\n".join(line[2:] for line in lines if line.startswith("$ "))
    # What is preloaded is for Python: curl hangs under AddressSanitizer.
    environment = {**os.environ, "LD_PRELOAD": ""}
    preload = f"LD_PRELOAD='{os.environ.get('LD_PRELOAD', '')}'"
    script = f'python() {{ {preload} "{sys.executable}" "$@"; }}\n{script}'
    found = subprocess.run(
        ["sh", "-c", script.replace("127.0.0.1:8000", address)],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    assert found.stdout.decode().splitlines() == [x for x in lines if not x.startswith("$ ")]


def test_the_page_has_the_limits_and_codes():
    assert len(BLOCKS) >= 6
    assert f"{service.MAX_BODY_BYTES:,} bytes a body" in PAGE
    assert f"within {asgi.BODY_TIMEOUT} s (`--body-timeout`)" in PAGE
    assert f"tells, {service.MAX_BODY_BYTES:,} bytes at most are thrown away" in PAGE
    assert f"stays open, for {asgi.LINGER_SECONDS} s in all" in PAGE
    assert re.findall(r"^\| (\d+) \| `(\w+)` \|", PAGE, re.MULTILINE) == [
        (str(status), code) for code, status in service.STATUSES.items()
    ]


# --- without a server ---------------------------------------------------------------------------


def call(app, path, body=b"", method="POST"):
    """Status and body of an application's answer."""
    sent = []
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"content-type", b"application/json")],
    }

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(event):
        sent.append(event)

    async def run():
        with contextlib.suppress(RuntimeError):  # Starlette raises it again, for the log
            await app(scope, receive, send)

    asyncio.run(run())
    return sent[0]["status"], sent[1]["body"]


LAST = {"type": "http.request", "body": b" " * 1000}


@pytest.mark.parametrize("end", [None, LAST, {"type": "http.disconnect"}])
@pytest.mark.parametrize("declared", [False, True])
def test_no_more_is_taken_of_a_body_than_the_limit(monkeypatch, declared, end):
    """In messages of 1000 bytes the limit is passed with the 525th; `end` is what comes then."""
    monkeypatch.setattr(asgi, "LINGER_SECONDS", 0.5)
    count = service.MAX_BODY_BYTES // 1000 + 1
    headers = [(b"content-length", b"%d" % (service.MAX_BODY_BYTES * 2))] if declared else []
    events = []

    async def receive():
        message = {"type": "http.request", "body": b" " * 1000, "more_body": True}
        if end and events.count("taken") == count - 1:
            message = end
        events.append("taken")
        return message

    async def send(event):
        events.append(event["type"])

    app = asgi.WholeBody(None, 20)
    start = time.monotonic()
    asyncio.run(app({"type": "http", "headers": headers}, receive, send))
    took = time.monotonic() - start
    answer = ["http.response.start", "http.response.body"]
    closed = ["http.response.body"]
    taken = ["taken"] * count
    if declared:
        assert events == [*answer, *taken, *closed]
    elif end in (None, LAST):
        assert events == [*taken, *answer, *closed]
    else:
        assert events == taken
    assert (took >= 0.5) == (end is None)


def test_nothing_internal_is_shown(monkeypatch):
    def fail(_):
        raise RuntimeError("secret at /home/secret")

    app = asgi.make_app()
    monkeypatch.setitem(service.TOOLS["chrf-compute"], "1.0.0", fail)
    status, body = call(app, f"{COMPUTE}/execute", SEED_INPUT)
    assert message(status, body, "internal_error") == "internal error"


def test_without_the_sdk_there_is_no_mcp(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    app = asgi.make_app()
    assert "/mcp is not served: MCP needs the package mcp, 2.3 or later: pip" in caplog.text
    assert call(app, f"{COMPUTE}/execute", SEED_INPUT)[0] == 200
    assert message(*call(app, "/mcp"), "not_found") == "there is nothing at this path"


@pytest.mark.parametrize("name", ["starlette", "uvicorn"])
def test_a_missing_extra_is_named(name, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, name, None)
    assert importlib.util.find_spec(name) is None
    assert serve.main([]) == 1
    said = "serving needs the packages starlette and uvicorn: pip install 'chrf[serve]'\n"
    assert capsys.readouterr() == ("", said)


def test_importing_the_module_needs_no_extra():
    block = (
        "import sys; sys.modules.update(dict.fromkeys(['starlette', 'uvicorn', 'mcp', 'anyio']))"
    )
    script = f"{block}; import chrf.serve, chrf.mcp"
    subprocess.run([sys.executable, "-c", script], check=True, cwd=FOLDER)


def test_an_address_that_cannot_be_had(server, capsys):
    assert serve.main(["--port", str(server.port)]) == 1
    said = f"cannot listen on 127.0.0.1:{server.port}: Address already in use\n"
    assert capsys.readouterr() == ("", said)
    assert serve.main(["--host", "x" * 300]) == 1
    assert re.fullmatch("cannot listen on x+:8000: .+\n", capsys.readouterr().err)


def test_it_serves_without_standard_output():
    shell = ["bash", "-c", 'exec "$0" -m chrf.serve --port 0 >&-', sys.executable]
    with loopback.serving(shell) as running:
        with connect(running) as client:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            assert client.recv(65536).startswith(b"HTTP/1.1 200 ")
        assert running.stop() == 0


@pytest.mark.parametrize(
    "arguments",
    [["--port", "70000"], ["--port", "x"], ["--workers", "0"], ["--body-timeout", "0"], ["x"]],
)
def test_wrong_usage(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        serve.main(arguments)
    assert caught.value.code == 2
    assert re.fullmatch(r"python -m chrf\.serve: .+ \(see --help\)\n", capsys.readouterr().err)
