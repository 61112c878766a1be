"""A server on loopback in a process of its own, and clients for it, good and bad."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from chrf.service import strict_json, tools

LOOPBACK = "127.0.0.1"
SERVE = [sys.executable, "-m", "chrf.serve", "--port", "0"]


# --- a server in a process of its own -----------------------------------------------------------


class Server:
    """A server process; `port` is where it listens."""

    def __init__(self, command: list[str]) -> None:
        # In a folder of its own, where no source folder hides the installed package.
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name, "log")
        with self.path.open("wb") as log:
            self.process = subprocess.Popen(command, stderr=log, cwd=self.folder.name)
        self.port = int(self.wait_for(r"on http://127\.0\.0\.1:(\d+)")[0])

    def wait_for(self, pattern: str, count: int = 1, seconds: float = 60) -> list[str]:
        """Wait until the log has so many matches of a pattern; return them."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = re.findall(pattern, self.log)
            if len(found) >= count:
                return found
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError(f"{pattern} is not in the log: {self.log}")

    @property
    def log(self) -> str:
        """What the server has written on standard error."""
        return self.path.read_text()

    @property
    def pids(self) -> list[int]:
        """The process, or its workers if it has some."""
        pid = self.process.pid
        if self.process.poll() is not None:
            return []
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        workers = [
            int(child)
            for child in children
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
        ]
        return workers or [pid]

    def memory(self) -> float:
        """Resident megabytes of all that serve."""
        return sum(resident(pid) for pid in self.pids)

    def peak_memory(self) -> float:
        """Return the most megabytes that any of all that serve has held."""
        return max(peak_memory(pid) for pid in self.pids)

    def cpu(self) -> float:
        """Seconds of processor time that all that serve have used."""
        return sum(processor_time(pid) for pid in self.pids)

    def stop(self, timeout: float = 60) -> int:
        """Ask it to stop; return its exit status once it has."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout)


@contextlib.contextmanager
def serving(command: list[str], workers: int = 1) -> Iterator[Server]:
    """A server that answers; it is stopped at the end."""
    more = ["--workers", str(workers)] if workers > 1 else []
    server = Server([*command, *more])
    try:
        server.wait_for("Application startup complete", workers)
        yield server
    finally:
        for pid in {server.process.pid, *server.pids}:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        server.process.wait()
        server.folder.cleanup()


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not yet collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def resident(pid: int) -> float:
    """Resident memory of a process in megabytes."""
    return _megabytes(pid, "VmRSS")


def peak_memory(pid: int) -> float:
    """Return the most resident memory that a process has had, in megabytes."""
    return _megabytes(pid, "VmHWM")


def _megabytes(pid: int, name: str) -> float:
    found = re.search(rf"{name}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def processor_time(pid: int) -> float:
    """User and system time of a process in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# --- clients ------------------------------------------------------------------------------------


@dataclass
class Client:
    """One connection that is kept alive."""

    port: int
    reader: asyncio.StreamReader | None = None
    writer: asyncio.StreamWriter | None = None

    async def call(self, request: bytes) -> tuple[int, bytes]:
        """Status and body of the answer."""
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(LOOPBACK, self.port)
        assert self.reader is not None
        self.writer.write(request)
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        assert length, head
        return int(head[9:12]), await self.reader.readexactly(int(length[1]))

    def close(self) -> None:
        """Hang up."""
        if self.writer is not None:
            self.writer.close()
            self.reader = self.writer = None


def post(id: str, body: bytes, more: bytes = b"") -> bytes:
    """The bytes of a call."""
    head = f"POST {tools.path(id, '1.0.0')}/execute HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + more + b"\r\n" + body


@dataclass
class Case:
    """A request and the bytes that must come back."""

    name: str
    request: bytes
    expected: bytes


def case(name: str, id: str, value: dict[str, object]) -> Case:
    """A call of a tool."""
    body = strict_json.dump(value)
    return Case(name, post(id, body), strict_json.dump(tools.execute(id, "1.0.0", body)))


def cases() -> dict[str, Case]:
    """What is measured: the seeds' example, a full page of segments, the largest input."""
    rng = random.Random(1)
    first = tools.describe("chrf-compute", "1.0.0")["examples"][0]["input"]

    def texts(count: int, size: int) -> list[str]:
        return ["".join(rng.choices("etaoin shrdlu.", k=size)) for _ in range(count)]

    page = {"hypotheses": texts(20, 120), "references": texts(20, 120)}
    largest = {"hypotheses": texts(256, 128), "references": texts(256, 128)}
    listed = [
        case("compute, 2 segments", "chrf-compute", first),
        case("components, 2 segments", "chrf-components", {**first, "word_order": 2}),
        case("plus-plus, 2 segments", "chrf-plus-plus-compute", first),
        case("compute, 20 segments", "chrf-compute", page),
        case("compute, 65,536 bytes", "chrf-compute", largest),
    ]
    return {each.name: each for each in listed}


@dataclass
class Load:
    """What a run of many clients measured."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)

    def __iadd__(self, other: Load) -> Load:
        self.seconds += other.seconds
        self.latencies += other.latencies
        return self

    @property
    def rate(self) -> float:
        """Requests a second."""
        return len(self.latencies) / self.seconds

    def percentile(self, share: float) -> float:
        """A latency in milliseconds."""
        return sorted(self.latencies)[int(share * (len(self.latencies) - 1))] * 1000

    def __str__(self) -> str:
        p50, p99, most = map(self.percentile, (0.5, 0.99, 1))
        return f"{self.rate:7.0f}/s   p50 {p50:8.2f} ms   p99 {p99:8.2f} ms   max {most:8.2f} ms"


async def load(port: int, what: Case, clients: int, total: int, echo: bool = False) -> Load:
    """`total` requests of `clients` at once, each sending its next when the last is answered."""
    left = iter(range(total))
    result = Load()
    expected = what.request.partition(b"\r\n\r\n")[2] if echo else what.expected

    async def one() -> None:
        client = Client(port)
        for _ in left:
            start = time.perf_counter()
            status, body = await client.call(what.request)
            result.latencies.append(time.perf_counter() - start)
            assert (status, body) == (200, expected), (status, body[:200])
        client.close()

    start = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(clients)))
    result.seconds = time.perf_counter() - start
    return result


# --- dear and hostile calls ---------------------------------------------------------------------

HEALTH = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def dearest_calls() -> dict[str, Case]:
    """Return the valid calls that take most processor time, and what they answer."""
    words = {"hypotheses": ["a. " * 10_900], "references": ["b! " * 10_900]}
    rng = random.Random(1)
    texts = [["".join(rng.choices("etaoin shrdlu.", k=128)) for _ in range(256)] for _ in range(2)]
    all_orders = {"hypotheses": texts[0], "references": texts[1], "char_order": 10, "word_order": 4}
    listed = [
        case("plus-plus, 21,800 words", "chrf-plus-plus-compute", words),
        case("components, all orders", "chrf-components", all_orders),
    ]
    return {each.name: each for each in listed}


def hostile_bodies() -> dict[str, bytes]:
    """Return bodies that are JSON and that no contract allows: many arrays, many objects."""
    nest = "[" * 900 + "]" * 900
    return {
        "nested arrays": f"[{','.join([nest] * 290)}]".encode(),
        "objects": ("[" + ",".join(['{"":{}}'] * 65_000) + "]").encode(),
    }


async def storm(port: int, request: bytes, clients: int) -> tuple[list[int], list[float]]:
    """Send a request from every client at once, and ask for the health beside them.

    Returns the statuses of the answers, and the latencies of the health that was asked before the
    last of them came.
    """
    statuses: list[int] = []
    latencies: list[float] = []

    async def one() -> None:
        client = Client(port)
        status, _ = await client.call(request)
        statuses.append(status)
        client.close()

    async def ask() -> None:
        client = Client(port)
        while len(statuses) < clients:
            start = time.perf_counter()
            assert await client.call(HEALTH) == (200, b'{"status":"ok"}')
            latencies.append(time.perf_counter() - start)
        client.close()

    await asyncio.gather(ask(), *(one() for _ in range(clients)))
    return statuses, latencies


async def beside(port: int, what: Case, dear: Case, clients: int, count: int) -> tuple[Load, int]:
    """Make `count` calls one after the other while others repeat a dear one; return both."""
    done = False
    answered = 0

    async def repeat() -> None:
        nonlocal answered
        client = Client(port)
        while not done:
            status, body = await client.call(dear.request)
            assert (status, body) == (200, dear.expected)
            answered += 1
        client.close()

    tasks = [asyncio.create_task(repeat()) for _ in range(clients)]
    try:
        measured = await load(port, what, 1, count)
    finally:
        done = True
        await asyncio.gather(*tasks)
    return measured, answered


# --- bad clients, and the end -------------------------------------------------------------------


async def hold(port: int, what: Case, count: int) -> list[asyncio.StreamWriter]:
    """Clients that have sent half of a call and wait."""
    writers = []
    for _ in range(count):
        _, writer = await asyncio.open_connection(LOOPBACK, port)
        writer.write(what.request[: -len(what.request) // 2])
        await writer.drain()
        writers.append(writer)
    return writers


async def cut(port: int, what: Case, count: int) -> None:
    """Calls whose client leaves, at every place from the first byte to the last."""
    for i in range(count):
        _, writer = await asyncio.open_connection(LOOPBACK, port)
        writer.write(what.request[: 1 + i * (len(what.request) - 1) // count])
        await writer.drain()
        if i % 2:
            writer.transport.abort()
        else:
            writer.close()


@dataclass
class Stopped:
    """What clients saw of a server that was asked to stop."""

    answered: int = 0
    refused: int = 0  # connections that were not taken, or closed between two requests
    broken: int = 0  # requests whose answer broke off, or never came after its head was read


async def stop_under_load(server: Server, what: Case, clients: int, slow: int) -> Stopped:
    """SIGTERM while `clients` are calling; `slow` of them take a second to send a body."""
    seen = Stopped()
    stopping = asyncio.Event()

    async def busy() -> None:
        while True:
            client = Client(server.port)
            try:
                while True:
                    status, body = await client.call(what.request)
                    assert (status, body) == (200, what.expected)
                    seen.answered += 1
            except asyncio.IncompleteReadError as problem:
                # Nothing at all came: the connection was closed while it was idle.
                seen.broken += bool(problem.partial)
                seen.refused += not problem.partial
            except OSError:
                seen.refused += 1
            client.close()
            if stopping.is_set():
                return

    async def dawdle() -> None:
        reader, writer = await asyncio.open_connection(LOOPBACK, server.port)
        writer.write(what.request[:-10])
        await stopping.wait()
        await asyncio.sleep(1)
        writer.write(what.request[-10:])
        answer = await reader.read()
        seen.broken += not answer.endswith(what.expected)
        seen.answered += answer.endswith(what.expected)
        writer.close()

    tasks = [asyncio.create_task(busy()) for _ in range(clients)]
    tasks += [asyncio.create_task(dawdle()) for _ in range(slow)]
    await asyncio.sleep(0.5)
    server.process.send_signal(signal.SIGTERM)
    stopping.set()
    await asyncio.gather(*tasks)
    return seen


async def kill_a_worker(server: Server, what: Case, clients: int) -> tuple[int, int, float]:
    """Answered and failed requests while a worker is killed; seconds until it is replaced."""
    before = server.pids
    answered = failed = 0
    done = False

    async def busy() -> None:
        nonlocal answered, failed
        client = Client(server.port)
        while not done:
            try:
                status, body = await client.call(what.request)
                assert (status, body) == (200, what.expected)
                answered += 1
            except (OSError, asyncio.IncompleteReadError):
                failed += 1
                client.close()
        client.close()

    tasks = [asyncio.create_task(busy()) for _ in range(clients)]
    try:
        await asyncio.sleep(0.5)
        os.kill(before[0], signal.SIGKILL)
        start = time.perf_counter()
        complete = "Application startup complete"
        await asyncio.to_thread(server.wait_for, complete, len(before) + 1)
        seconds = time.perf_counter() - start
        await asyncio.sleep(0.5)
    finally:
        done = True
        await asyncio.gather(*tasks)
    return answered, failed, seconds


async def last_words(writer: asyncio.StreamWriter) -> str:
    """The status line that a client is sent before the connection is closed."""
    reader = writer.transport.get_protocol()._stream_reader  # type: ignore[attr-defined]
    answer = await reader.read()
    writer.close()
    return str(answer[9:12].decode())
