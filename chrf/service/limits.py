"""Limits of a process that serves: connections, open files, seconds."""

from __future__ import annotations

import contextlib
from typing import Any

HEAD_TIMEOUT = 20  # seconds for the head of a request
IDLE_TIMEOUT = 75  # seconds: longer than proxies keep an idle connection, so that they close it
MOST_CONNECTIONS = 2048  # of one process
_RESERVED = 64  # descriptors for everything else


def raise_descriptor_limit() -> None:
    """Let this process, and those that it starts, open all the files that they may."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def descriptor_limit() -> int:
    """Return the number of files that this process may open."""
    try:
        import resource
    except ImportError:  # Windows
        return 1 << 20
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 20 if soft == resource.RLIM_INFINITY else soft


def backlog() -> int:
    """Return the number of connections that asyncio may accept in one go.

    It does so in several turns of its loop before the first of them is ours to close, so there must
    be descriptors for a few times as many.
    """
    return max(1, min(512, descriptor_limit() // 8))


def lifespan_state(head_timeout: float) -> dict[str, Any]:
    """Return what `chrf.service.connections` must know, in the process that serves."""
    room = descriptor_limit() - 4 * backlog() - _RESERVED
    return {"head_timeout": head_timeout, "most_connections": max(1, min(MOST_CONNECTIONS, room))}
