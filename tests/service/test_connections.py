"""HTTP: connections that say nothing, or not enough, and too many of them."""

import asyncio
import contextlib
import re
import socket
import sys
import time
from pathlib import Path

import pytest

import loopback  # bench/loopback.py

for library in ("starlette", "uvicorn", "mcp"):
    pytest.importorskip(library, reason="the extras serve and mcp are not installed")

SMALL = loopback.cases()["compute, 2 segments"]


def limited(descriptors, *options, which=""):
    """The command of a server that may open this many files."""
    shell = f'ulimit {which} -n {descriptors}; exec "$0" -m chrf.serve --port 0 "$@"'
    return ["bash", "-c", shell, sys.executable, *options]


@contextlib.contextmanager
def silent(server, count):
    """Connections that say nothing."""
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            client = socket.create_connection(("127.0.0.1", server.port), timeout=20)
            stack.enter_context(contextlib.closing(client))
        yield


@pytest.mark.parametrize("workers", [1, 2])
def test_others_are_served_while_silent_connections_stay_and_after(workers):
    """More of them than descriptors ended the process, or filled the log for ever."""
    with loopback.serving(limited(256), workers) as running:
        before = running.pids
        with silent(running, 300):
            asyncio.run(loopback.load(running.port, SMALL, 8, 200))
            time.sleep(1)
            asyncio.run(loopback.load(running.port, SMALL, 8, 200))
        asyncio.run(loopback.load(running.port, SMALL, 8, 200))
        assert running.pids == before
        with silent(running, 300):
            assert running.stop(10) == 0
        assert "Traceback" not in running.log
        assert len(running.log) < 5000


def read_answers(client, count):
    """The answers to this many requests for the health."""
    answer = b""
    while answer.count(b'{"status":"ok"}') < count:
        more = client.recv(65536)
        assert more
        answer += more
    return answer


def read_to_end(client):
    return b"".join(iter(lambda: client.recv(65536), b""))


@pytest.fixture(scope="module")
def server():
    with loopback.serving([*loopback.SERVE, "--head-timeout", "1"]) as running:
        yield running
        assert running.stop() == 0
        assert "Traceback" not in running.log


@pytest.mark.parametrize("start", [b"", b"GET /healthz HTTP/1.1\r\nHost: a\r\n"])
def test_a_head_that_does_not_come(server, connect, start):
    with connect(server) as client:
        client.sendall(start)
        assert read_to_end(client) == b""


def test_a_head_that_dribbles_has_no_more_time(server, connect):
    with connect(server) as client:
        answer = b"none yet"
        client.settimeout(0.1)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(100):
                client.sendall(b"x")
                with contextlib.suppress(TimeoutError):
                    answer = client.recv(65536)
                    break
        assert answer in (b"", b"none yet")


def test_an_idle_connection_may_wait_longer_than_a_head(server, connect):
    request = loopback.HEALTH
    with connect(server) as client:
        for _ in range(2):
            client.sendall(request[:10])
            time.sleep(0.1)
            client.sendall(request[10:])
            assert read_answers(client, 1).startswith(b"HTTP/1.1 200 ")
            time.sleep(1.5)
        # The second head must come in time as the first.
        client.sendall(request[:10])
        assert read_to_end(client) == b""


def test_two_requests_at_once_are_both_answered(server, connect):
    with connect(server) as client:
        client.sendall(loopback.HEALTH * 2 + loopback.HEALTH[:10])
        time.sleep(0.2)
        client.sendall(loopback.HEALTH[10:])
        assert read_answers(client, 3).count(b"HTTP/1.1 200 ") == 3


def test_a_connection_for_which_there_is_no_room(connect, message):
    """Those that are at work are not closed for a new one."""
    with loopback.serving(limited(200)) as running:
        body = SMALL.request.partition(b"\r\n\r\n")[2]
        request = loopback.post("chrf-compute", body, b"Expect: 100-continue\r\n")

        async def run():
            held = []
            for _ in range(36):  # 200 descriptors leave room for 36 connections
                reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
                writer.write(request[: -len(body)])
                assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100 ")
                held.append(loopback.Client(running.port, reader, writer))
            reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
            answer = await reader.read()
            writer.close()
            for client in held:
                assert await client.call(body) == (200, SMALL.expected)
                client.close()
            return answer

        head, _, answer = asyncio.run(run()).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        assert b"retry-after: 1" in head.lower()
        message(503, answer, "overloaded")
        asyncio.run(loopback.load(running.port, SMALL, 8, 50))
        assert running.stop() == 0
        assert "Traceback" not in running.log


def test_all_descriptors_that_a_process_may_have_are_taken():
    with loopback.serving(limited(100, which="-S")) as running:
        limits = Path(f"/proc/{running.pids[0]}/limits").read_text()
        soft, hard = re.search(r"Max open files +(\S+) +(\S+)", limits).groups()
        assert soft == hard
        assert hard != "100"
