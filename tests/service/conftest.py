"""What the tests of the service share: a server on loopback, and ways to ask it."""

import contextlib
import http.client
import json
import socket

import pytest

import loopback  # bench/loopback.py
from chrf.service.errors import STATUSES


@pytest.fixture(scope="module")
def server():
    """A real server, in a process of its own."""
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
        path = f"/v1/tools/{id}/versions/{version}/execute"
        status, headers, answer = ask("POST", path, body, {"Content-Type": "application/json"})
        assert headers["Content-Type"] == "application/json"
        return status, answer

    return call


@pytest.fixture
def connect():
    """Open a connection to a server, to be closed by a with statement."""

    def to(server):
        return contextlib.closing(socket.create_connection(("127.0.0.1", server.port), timeout=20))

    return to


@pytest.fixture(scope="session")
def message():
    """Read an error object, which has a code and a message and nothing else; its message."""

    def read(status, body, code):
        error = json.loads(body)
        assert list(error) == ["error"]
        assert list(error["error"]) == ["code", "message"]
        assert error["error"]["code"] == code
        assert status == STATUSES[code]
        assert error["error"]["message"].isprintable()
        return error["error"]["message"]

    return read
