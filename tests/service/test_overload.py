"""HTTP: more work than there is time for, and bodies made to be dear."""

import asyncio
import json
import os
import threading

import pytest

import loopback  # bench/loopback.py
from chrf.service import body as whole_body
from chrf.service import tools
from chrf.service.app import make_app

for library in ("starlette", "uvicorn", "mcp"):
    pytest.importorskip(library, reason="the extras serve and mcp are not installed")

EXECUTE = "/v1/tools/chrf-compute/versions/1.0.0/execute"
SMALL = b'{"hypotheses":["aa"],"references":["ab"],"beta":3}'
LARGE = SMALL.ljust(20_000)
# Under AddressSanitizer memory that was freed is kept for a while.
memory = pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="memory grows")


@memory
@pytest.mark.parametrize("name", loopback.hostile_bodies())
def test_forty_hostile_bodies_take_neither_memory_nor_all_the_time(name):
    """Forty trees at once took a gigabyte, and nobody else was answered for 40 seconds."""
    request = loopback.post("chrf-compute", loopback.hostile_bodies()[name])
    with loopback.serving(loopback.SERVE) as running:
        statuses, latencies = asyncio.run(loopback.storm(running.port, request, 40))
        assert running.peak_memory() < 200
        assert running.stop() == 0
    assert statuses == [400] * 40
    assert len(latencies) >= 10  # the health was answered again and again meanwhile


@memory
def test_forty_dear_calls_are_answered_and_others_beside_them():
    small = loopback.cases()["compute, 2 segments"]
    with loopback.serving(loopback.SERVE) as running:
        for dear in loopback.dearest_calls().values():
            measured, answered = asyncio.run(loopback.beside(running.port, small, dear, 40, 50))
            assert len(measured.latencies) == 50
            assert answered >= 40
        assert running.peak_memory() < 200


class Caller:
    """Calls of an application in this process."""

    def __init__(self, app):
        self.app = app

    async def post(self, *pieces, path=EXECUTE):
        """Status, headers and body of the answer; the pieces of the body come one by one."""
        scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(b"content-type", b"application/json")],
        }
        left = list(pieces)
        sent = []

        async def receive():
            piece = left.pop(0)
            if isinstance(piece, asyncio.Event):
                await piece.wait()
                piece = b""
            return {"type": "http.request", "body": piece, "more_body": bool(left)}

        async def send(event):
            sent.append(event)

        await self.app(scope, receive, send)
        headers = dict(sent[0]["headers"])
        return sent[0]["status"], headers, b"".join(event["body"] for event in sent[1:])


@pytest.fixture
def gate(monkeypatch):
    """Lets calls of the tool go on, one at a time; `running` has those that have begun."""

    class Gate:
        running = 0
        together = 0
        opened = threading.Semaphore(0)

    execute = tools.TOOLS["chrf-compute"]["1.0.0"]

    def wait(value):
        Gate.running += 1
        Gate.together = max(Gate.together, Gate.running)
        Gate.opened.acquire()
        Gate.running -= 1
        return execute(value)

    monkeypatch.setitem(tools.TOOLS["chrf-compute"], "1.0.0", wait)
    return Gate


def test_large_calls_run_one_at_a_time_and_few_wait(gate, message):
    gate.opened.release()  # for the application's own first call
    app = make_app()
    app.app.state.work.most_waiting = 3

    async def run():
        caller = Caller(app)
        calls = [asyncio.create_task(caller.post(LARGE)) for _ in range(6)]
        refused, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        while len(refused) < 2:
            await asyncio.sleep(0.01)
            refused = {call for call in calls if call.done()}
        for call in refused:
            status, headers, body = call.result()
            said = "too many requests are waiting; try again in a second"
            assert message(status, body, "overloaded") == said
            assert headers[b"retry-after"] == b"1"
        for _ in range(5):
            gate.opened.release()
        served = [call for call in calls if call not in refused]
        answers = [await call for call in served]
        assert [status for status, _, _ in answers] == [200] * 4
        # There is room again.
        status, _, body = await caller.post(LARGE)
        assert status == 200
        assert json.loads(body)["result"]["score"] == "25.000000"

    asyncio.run(run())
    assert gate.together == 1


def test_bodies_that_wait_take_a_bounded_amount_of_memory(monkeypatch, message):
    monkeypatch.setattr(whole_body, "MOST_HELD_BYTES", 50_000)
    app = make_app()

    async def run():
        caller, end = Caller(app), asyncio.Event()
        half, rest = LARGE[:15_000], LARGE[15_000:]
        held = [asyncio.create_task(caller.post(half, end, rest)) for _ in range(3)]
        await asyncio.sleep(0)
        while app.held < 45_000:
            await asyncio.sleep(0.01)
        status, headers, body = await caller.post(LARGE)
        assert message(status, body, "overloaded")
        assert headers[b"retry-after"] == b"1"
        assert (await caller.post(SMALL))[0] == 200
        end.set()
        await asyncio.gather(*held)
        assert app.held == 0
        assert (await caller.post(LARGE))[0] == 200

    monkeypatch.setattr(whole_body, "LINGER_SECONDS", 0.1)
    asyncio.run(run())
