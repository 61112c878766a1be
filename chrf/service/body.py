"""The body of a request: read whole before anything else, neither too large nor too late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chrf.service.answers import error_answer
from chrf.service.errors import RequestError
from chrf.service.strict_json import MAX_BODY_BYTES, too_large
from chrf.service.work import INLINE_BYTES, overloaded

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_TIMEOUT = 20  # seconds for the whole body of a request
MOST_HELD_BYTES = 64 * 1024 * 1024  # of all bodies; beyond that, only small ones are read
LINGER_SECONDS = 2  # in which a client sees that its body is too large


class WholeBody:
    """Middleware that hands a request on when its body is there.

    So nothing after this waits for a client, and every answer that leaves a body unread closes
    the connection. A slash at the end of a path is dropped.
    """

    def __init__(self, app: ASGIApp, timeout: float) -> None:
        self.app = app
        self.timeout = timeout
        self.held = 0  # bytes of all bodies that are read or waiting

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        coming = IncomingBody(receive)
        try:
            body = await self.read(scope, coming)
            if isinstance(body, RequestError):
                await hang_up(body, coming, send)
            elif body is not None:  # else the client is gone
                await self.serve(body, scope, receive, send)
        finally:
            self.held -= coming.held

    async def serve(self, body: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on with its body."""
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return messages.pop() if messages else await receive()

        path = scope["path"]
        if path.endswith("/"):
            scope = {**scope, "path": path[:-1] or "/"}
        elif path.endswith("\n"):  # before which the end of a route's pattern matches as well
            scope = {**scope, "path": "/"}
        await self.app(scope, replay, send)

    async def read(self, scope: Scope, coming: IncomingBody) -> bytes | RequestError | None:
        """Read the whole body; return an error in place of one that cannot be had.

        None if the client leaves before the end of its body. An error that was raised would keep
        what was read until the client has had its time.
        """
        import anyio

        for name, value in scope["headers"]:
            # The first digits will do: a number may have thousands.
            declared = value.isdigit() and int(value[:20])
            if name == b"content-length" and declared > MAX_BODY_BYTES:
                return too_large()
        body = bytearray()
        with anyio.move_on_after(self.timeout):
            while True:
                message = await coming.take()
                if message["type"] == "http.disconnect":
                    return None
                if coming.left < 0:
                    return too_large()
                piece = message.get("body", b"")
                self.held += len(piece)
                coming.held += len(piece)
                if self.held > MOST_HELD_BYTES and coming.held > INLINE_BYTES:
                    return overloaded()
                body += piece
                if not coming.more:
                    return bytes(body)
        return RequestError(
            "request_timeout", f"the body did not come within {self.timeout:g} seconds"
        )


class IncomingBody:
    """The body of a request as it comes.

    Bytes are counted as they are taken: of one body no more is taken than the limit, whether to
    be read or to be thrown away. Only the last message may go beyond: a part of one cannot be
    taken.
    """

    def __init__(self, receive: Receive) -> None:
        self.receive = receive
        self.left = MAX_BODY_BYTES
        self.held = 0  # bytes that are kept
        self.more = True  # until its end has come or the client has left

    async def take(self) -> Message:
        """Take the next message."""
        message = await self.receive()
        self.left -= len(message.get("body", b""))
        self.more = message.get("more_body", False)
        return message


async def hang_up(problem: RequestError, coming: IncomingBody, send: Send) -> None:
    """Answer at once and close the connection.

    Closed while a client is sending, it would be reset, and most clients would never look at
    the answer (RFC 9112, section 9.6). So a client that is not late is given time: what may still
    be taken of the body is thrown away, and there is some room in the sockets.
    """
    import anyio

    answer = error_answer(problem, Connection="close")
    start = {
        "type": "http.response.start",
        "status": answer.status_code,
        "headers": answer.raw_headers,
    }
    await send(start)
    await send({"type": "http.response.body", "body": answer.body, "more_body": True})
    if problem.code != "request_timeout":
        with anyio.move_on_after(LINGER_SECONDS):
            while coming.more and coming.left > 0:
                await coming.take()
            if coming.more:
                # Should the client leave, nobody hears of it: asking would take more.
                await anyio.sleep_forever()
    await send({"type": "http.response.body", "body": b"", "more_body": False})
