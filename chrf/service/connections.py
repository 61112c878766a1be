"""Connections: uvicorn's, with limits on their number and on the time for the head of a request.

uvicorn itself waits for ever for a head. Clients that open connections and say nothing would take
every descriptor of the process, and nobody else could connect.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from chrf.service.answers import error_answer
from chrf.service.work import overloaded


class Connection(H11Protocol):
    """An HTTP/1.1 connection.

    While there are too many, the one that has been waiting longest for a request is closed. So
    clients that say nothing give way to those that do.
    """

    waiting: ClassVar[dict[Connection, None]] = {}  # for a request, the longest first
    head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override,unused-ignore]
        """Make room for the connection, or turn it away if all others are at work."""
        super().connection_made(transport)
        if len(self.connections) > self.app_state["most_connections"]:
            if not self.waiting:
                transport.write(_turned_away())
                transport.close()
                return
            next(iter(self.waiting)).leave()
        self.note_state()
        self.start_timer()

    def data_received(self, data: bytes) -> None:
        """Read; from the first byte of a head on, the rest must come in time."""
        super().data_received(data)
        self.note_state()
        if self.head_timer is None and self in self.waiting:
            self.start_timer()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self.note_state()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.stop_waiting()
        super().connection_lost(exc)

    def note_state(self) -> None:
        """Note whether a request is under way now."""
        if self.transport.is_closing() or (self.cycle and not self.cycle.response_complete):
            self.stop_waiting()
        else:
            self.waiting.setdefault(self)

    def stop_waiting(self) -> None:
        """Note that the connection waits no longer."""
        self.waiting.pop(self, None)
        if self.head_timer is not None:
            self.head_timer.cancel()
            self.head_timer = None

    def start_timer(self) -> None:
        """Start the time that a head may take."""
        self.head_timer = self.loop.call_later(self.app_state["head_timeout"], self.leave)

    def leave(self) -> None:
        """Close a connection that waits for a request."""
        self.stop_waiting()
        self.transport.close()


def _turned_away() -> bytes:
    """Return the whole answer to a connection for which there is no room."""
    answer = error_answer(overloaded(), Connection="close")
    head = [b"HTTP/1.1 503 Service Unavailable"]
    head += [name + b": " + value for name, value in answer.raw_headers]
    return b"\r\n".join([*head, b"", bytes(answer.body)])
