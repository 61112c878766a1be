"""``python -m chrf.mcp``: the tools over MCP, on standard input and output."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence

from chrf.cli.command import Parser, say, speak_utf8
from chrf.service.mcp import MISSING, make_server, serve_standard_streams

DESCRIPTION = "Serves chrf-compute and its neighbours over MCP, on standard input and output."


def main(arguments: Sequence[str] | None = None, prog: str = "python -m chrf.mcp") -> int:
    """Serve on standard input and output until the input ends."""
    speak_utf8()
    Parser(prog=prog, description=DESCRIPTION).parse_args(arguments)
    try:
        server = make_server()
    except ImportError:
        say(MISSING)
        return 1
    for name, stream in (("stdin", sys.stdin), ("stdout", sys.stdout)):
        if stream is None:
            say(f"<{name}>: it is closed, and MCP needs it")
            return 1
    # The SDK reads in a thread, which would hold up an interrupted process until its next line.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    import anyio

    anyio.run(serve_standard_streams, server)
    return 0
