"""HTTP: bodies that are too large, slow or cut off."""

import asyncio
import contextlib
import json
import os
import time
from pathlib import Path

import pytest

import loopback  # bench/loopback.py
from chrf.service import body as whole_body
from chrf.service import strict_json

for library in ("starlette", "uvicorn", "mcp"):
    pytest.importorskip(library, reason="the extras serve and mcp are not installed")

COMPUTE = "/v1/tools/chrf-compute/versions/1.0.0"
SEED_INPUT = b'{"hypotheses":["aa"],"references":["ab"],"beta":3}'
JSON = {"Content-Type": "application/json"}
HEAD = f"POST {COMPUTE}/execute HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n".encode()

# Under AddressSanitizer memory that was freed is kept for a while.
memory = pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="memory grows")


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


def test_the_limit_of_a_body(ask, execute, message):
    limit = strict_json.MAX_BODY_BYTES
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


@pytest.mark.parametrize("length", [b"524289", b"9" * 19, b"9" * 10])
def test_a_declared_length_over_the_limit_is_answered_without_reading(server, length, connect):
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
def test_of_an_endless_body_no_more_is_read_than_the_limit(server, header, piece, connect):
    before, sent = server.memory(), 0
    with connect(server) as client:
        client.sendall(HEAD + header + b"\r\n\r\n")
        client.settimeout(0.5)
        with contextlib.suppress(TimeoutError):  # the sockets are full
            while True:
                sent += client.send(piece)
        read = sent - in_sockets(client)
        assert strict_json.MAX_BODY_BYTES < read < strict_json.MAX_BODY_BYTES + 2 * MESSAGE
        assert client.recv(65536).startswith(b"HTTP/1.1 413 ")
        client.settimeout(20)
        with pytest.raises(ConnectionResetError):
            list(iter(lambda: client.recv(65536), b""))
    assert server.memory() < before + 4


LAST = {"type": "http.request", "body": b" " * 1000}


@pytest.mark.parametrize("end", [None, LAST, {"type": "http.disconnect"}])
@pytest.mark.parametrize("declared", [False, True])
def test_no_more_is_taken_of_a_body_than_the_limit(monkeypatch, declared, end):
    """In messages of 1000 bytes the limit is passed with the 525th; `end` is what comes then."""
    monkeypatch.setattr(whole_body, "LINGER_SECONDS", 0.5)
    count = strict_json.MAX_BODY_BYTES // 1000 + 1
    headers = [(b"content-length", b"%d" % (strict_json.MAX_BODY_BYTES * 2))] if declared else []
    events = []

    async def receive():
        message = {"type": "http.request", "body": b" " * 1000, "more_body": True}
        if end and events.count("taken") == count - 1:
            message = end
        events.append("taken")
        return message

    async def send(event):
        events.append(event["type"])

    app = whole_body.WholeBody(None, 20)
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


# --- slow clients and those that leave ----------------------------------------------------------


def test_a_body_that_does_not_come(server, message, connect):
    start = time.monotonic()
    with connect(server) as client:
        client.sendall(HEAD + b"Content-Length: 50\r\n\r\n" + SEED_INPUT[:-1])
        answer = b"".join(iter(lambda: client.recv(65536), b""))
    assert 0.9 < time.monotonic() - start < 10
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"connection: close" in head
    assert message(408, body, "request_timeout") == "the body did not come within 1 seconds"


def test_a_body_that_dribbles_has_no_more_time(server, connect):
    with connect(server) as client:
        client.sendall(HEAD + b"Content-Length: 50\r\n\r\n")
        with contextlib.suppress(BrokenPipeError):
            for i in range(50):
                client.sendall(SEED_INPUT[i : i + 1])
                time.sleep(0.05)
        assert client.recv(65536).startswith(b"HTTP/1.1 408 ")


def test_a_slow_body_that_comes_in_time(server, connect):
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
