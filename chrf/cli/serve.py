"""``python -m chrf.serve``: the tools over HTTP and, where its extra is installed, MCP at /mcp."""

from __future__ import annotations

import argparse
import functools
import importlib.util
import re
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from chrf.cli.command import Parser, say, speak_utf8
from chrf.service.app import make_app
from chrf.service.body import BODY_TIMEOUT
from chrf.service.limits import HEAD_TIMEOUT, IDLE_TIMEOUT, backlog, raise_descriptor_limit

if TYPE_CHECKING:
    import uvicorn

MISSING = "serving needs the packages starlette and uvicorn: pip install 'chrf[serve]'"

WORKER_TIMEOUT = 60  # seconds without a sign of life, after which a worker is replaced


def main(arguments: Sequence[str] | None = None, prog: str = "python -m chrf.serve") -> int:
    """Serve until SIGTERM or SIGINT; return the exit status."""
    speak_utf8()
    settings = make_parser(prog).parse_args(arguments)
    if any(importlib.util.find_spec(name) is None for name in ("starlette", "uvicorn")):
        say(MISSING)
        return 1
    try:
        listener = listen(settings.host, settings.port)
    except (OSError, UnicodeError) as error:
        where = f"{settings.host}:{settings.port}"
        say(f"cannot listen on {where}: {getattr(error, 'strerror', None) or error}")
        return 1
    with listener:
        return serve(listener, settings)


def make_parser(prog: str) -> Parser:
    """Make the parser of the command line."""
    parser = Parser(
        prog=prog,
        description="Serves chrf-compute and its neighbours over HTTP and MCP.",
        allow_abbrev=False,
    )
    parser.add_argument("--host", default="127.0.0.1", help="address (default: %(default)s)")
    parser.add_argument(
        "--port", type=number(0, 65535), default=8000, help="0: any free one (default: %(default)s)"
    )
    parser.add_argument(
        "--workers", type=number(1, 256), default=1, help="processes (default: %(default)s)"
    )
    parser.add_argument(
        "--head-timeout",
        type=number(1, 3600),
        default=HEAD_TIMEOUT,
        metavar="SECONDS",
        help="how long the head of a request may take to come (default: %(default)s)",
    )
    parser.add_argument(
        "--body-timeout",
        type=number(1, 3600),
        default=BODY_TIMEOUT,
        metavar="SECONDS",
        help="how long a body may take to come (default: %(default)s)",
    )
    return parser


def number(least: int, most: int) -> Callable[[str], int]:
    """Make a reader of an option that is an integer from `least` to `most`."""

    def read(text: str) -> int:
        if re.fullmatch("[0-9]{1,9}", text) and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer from {least} to {most}")

    return read


def listen(host: str, port: int) -> socket.socket:
    """Open a socket that takes connections."""
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    # With the protocol left open, asyncio would not switch off Nagle's algorithm on what this
    # socket accepts, and every answer would wait 40 ms for the client's acknowledgement.
    listener = socket.socket(family, kind, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener


def serve(listener: socket.socket, settings: argparse.Namespace) -> int:
    """Serve on a socket until a signal comes."""
    import uvicorn

    from chrf.service.connections import Connection

    raise_descriptor_limit()
    host, port = listener.getsockname()[:2]
    config = uvicorn.Config(
        functools.partial(make_app, settings.body_timeout, settings.head_timeout, host),
        factory=True,
        http=Connection,
        backlog=backlog(),
        workers=settings.workers,
        lifespan="on",
        ws="none",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        use_colors=None if sys.stdout else False,  # it asks standard output, which may be closed
        timeout_keep_alive=IDLE_TIMEOUT,
        # Whoever is still sending has this long at most.
        timeout_graceful_shutdown=settings.body_timeout + 5,
        timeout_worker_healthcheck=WORKER_TIMEOUT,
    )
    where = f"[{host}]" if ":" in host else host
    say(f"chrf.serve on http://{where}:{port}")
    # uvicorn stops gracefully, then raises the signal again.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        if settings.workers == 1:
            uvicorn.Server(config).run(sockets=[listener])
        else:
            supervise(config, listener)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


def supervise(config: uvicorn.Config, listener: socket.socket) -> None:
    """Keep the number of workers that the configuration says on a socket."""
    from uvicorn.supervisors import Multiprocess

    class Supervisor(Multiprocess):
        def keep_subprocess_alive(self) -> None:
            for worker in self.processes:
                # The worker has its own copy. Held open here too, this end would let a worker
                # that is killed while its answer is awaited look slow until WORKER_TIMEOUT.
                worker.child_conn.close()
            super().keep_subprocess_alive()

    Supervisor(config, sockets=[listener]).run()
