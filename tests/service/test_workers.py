"""``python -m chrf.serve``: load, signals, workers, and how it starts. bench/load.py has more."""

import asyncio
import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import loopback  # bench/loopback.py
from chrf.cli import serve

for library in ("starlette", "uvicorn", "mcp"):
    pytest.importorskip(library, reason="the extras serve and mcp are not installed")

FOLDER = Path(__file__).parent  # where the source folder does not hide the installed package
# Under AddressSanitizer memory that was freed is kept for a while.
memory = pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="memory grows")


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


# --- how it starts ------------------------------------------------------------------------------


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


def test_it_serves_without_standard_output(connect):
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
