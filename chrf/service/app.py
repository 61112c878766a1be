"""The tools as an ASGI application: HTTP and, where its extra is installed, MCP at /mcp."""

from __future__ import annotations

import contextlib
import functools
import logging
import multiprocessing
import signal
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from chrf.contract import InvalidInput
from chrf.service import mcp
from chrf.service import tools as service

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOG = logging.getLogger(__name__)

BODY_TIMEOUT = 20  # seconds for the whole body of a request
LINGER_SECONDS = 2  # in which a client sees that its body is too large
# A body larger than this is scored in a thread, so that the others need not wait; a smaller one
# takes a millisecond at most, and the way to a thread and back costs more than it saves.
INLINE_BYTES = 8192


def make_app(body_timeout: float = BODY_TIMEOUT, host: str = "127.0.0.1") -> ASGIApp:
    """The ASGI application.

    Parameters
    ----------
    body_timeout : float
        Seconds in which the body of a request must have come.
    host : str
        The address where it is served. On a loopback address /mcp refuses requests to another
        host, which protects local servers against web pages.
    """
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.routing import Route

    service.warm_up()
    tool = service.path("{id}", "{version}")
    routes = [
        Route("/healthz", health, methods=["GET"]),
        Route("/openapi.json", describe_api, methods=["GET"]),
        Route("/v1/tools", list_tools, methods=["GET"]),
        Route(tool, describe, methods=["GET"]),
        Route(f"{tool}/execute", execute, methods=["POST"]),
    ]
    sessions: contextlib.AbstractAsyncContextManager[None] = contextlib.nullcontext()
    try:
        server = mcp.make_server()
    except ImportError:  # an extra
        LOG.warning("/mcp is not served: %s", mcp.MISSING)
    else:
        # No state: any worker answers any request, and there is nothing to wait for with GET.
        (route,) = server.streamable_http_app(
            stateless_http=True,
            json_response=True,
            transport_security=mcp.security(host),
            host=host,
            max_request_body_size=service.MAX_BODY_BYTES,
        ).routes
        assert isinstance(route, Route)
        routes.append(Route("/mcp", route.endpoint, methods=["POST"]))
        sessions = server.session_manager.run()

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        _end_with_parent()
        async with sessions:
            yield

    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers={
            service.Refusal: refuse,
            InvalidInput: refuse,
            HTTPException: refuse_route,
            Exception: fail,
        },
    )
    app.router.redirect_slashes = False
    return WholeBody(app, body_timeout)


def _end_with_parent() -> None:
    """Stop a worker whose supervisor is gone; it would hold the port for ever."""
    import asyncio

    parent = multiprocessing.parent_process()
    if parent is None:
        return
    loop = asyncio.get_running_loop()

    def end() -> None:
        loop.remove_reader(parent.sentinel)
        signal.raise_signal(signal.SIGTERM)

    with contextlib.suppress(NotImplementedError):  # Windows
        loop.add_reader(parent.sentinel, end)


async def health(_: Request) -> Response:
    """The service is up."""
    return _json({"status": "ok"})


async def describe_api(_: Request) -> Response:
    """The OpenAPI description."""
    return _json(service.openapi())


async def list_tools(_: Request) -> Response:
    """Every tool."""
    return _json(service.listing())


async def describe(request: Request) -> Response:
    """The contract of a tool."""
    return _json(service.describe(**request.path_params))


async def execute(request: Request) -> Response:
    """Call a tool with the input that the body holds."""
    import anyio.to_thread

    service.find(**request.path_params)
    _check_media_type(request)
    body = await request.body()
    call = functools.partial(service.execute, **request.path_params, body=body)
    if len(body) <= INLINE_BYTES:
        return _json(call())
    return _json(await anyio.to_thread.run_sync(call))


def _check_media_type(request: Request) -> None:
    media_type, *parameters = request.headers.get("content-type", "").lower().split(";")
    if media_type.strip() != "application/json":
        raise service.Refusal("unsupported_media_type", "the content type must be application/json")
    for parameter in parameters:
        name, _, value = parameter.strip().partition("=")
        if name == "charset" and value.strip('"') not in ("utf-8", "utf8"):
            raise service.Refusal("unsupported_media_type", "the charset must be utf-8")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise service.Refusal(
            "unsupported_media_type", "the body must be sent without a content encoding"
        )


def _json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    from starlette.responses import Response

    return Response(service.dump(value), status, headers, "application/json")


async def refuse(_: Request, problem: Exception) -> Response:
    """The answer to a request that the service or a contract refuses."""
    assert isinstance(problem, (service.Refusal, InvalidInput))
    return _json(service.error(problem), service.STATUSES[problem.code])


async def refuse_route(request: Request, problem: Exception) -> Response:
    """The answer to a path that is not there, or a method that it does not have."""
    from starlette.exceptions import HTTPException
    from starlette.responses import Response

    assert isinstance(problem, HTTPException)
    if problem.status_code != service.STATUSES["method_not_allowed"]:
        return await refuse(request, service.Refusal("not_found", "there is nothing at this path"))
    allowed = {*(problem.headers or {})["Allow"].split(", "), "OPTIONS"}
    headers = {"Allow": ", ".join(sorted(allowed))}
    if request.method == "OPTIONS":
        return Response(status_code=204, headers=headers)
    message = f"the methods of this path are {headers['Allow']}"
    refusal = service.Refusal("method_not_allowed", message)
    return _json(service.error(refusal), problem.status_code, headers)


async def fail(_: Request, __: Exception) -> Response:
    """The answer when the service is at fault; the log has the reason."""
    return _json(service.error(service.Refusal("internal_error", "internal error")), 500)


class Body:
    """The body of a request as it comes.

    What is taken is counted, since of one body no more is taken than the limit, whether to be read
    or to be thrown away. Only the last message may go beyond: a part of one cannot be taken.
    """

    def __init__(self, receive: Receive) -> None:
        self.receive = receive
        self.left = service.MAX_BODY_BYTES
        self.more = True  # until its end has come or the client has left

    async def take(self) -> Message:
        """The next message."""
        message = await self.receive()
        self.left -= len(message.get("body", b""))
        self.more = message.get("more_body", False)
        return message


class WholeBody:
    """Hands a request on when its body is there: neither too large nor too late.

    So nothing after this waits for a client, and every answer that leaves a body unread closes
    the connection. A slash at the end of a path is dropped.
    """

    def __init__(self, app: ASGIApp, timeout: float) -> None:
        self.app = app
        self.timeout = timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        coming = Body(receive)
        body = await self.read(scope, coming)
        if isinstance(body, service.Refusal):
            await self.hang_up(body, coming, send)
            return
        if body is None:  # the client is gone
            return
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return messages.pop() if messages else await receive()

        path = scope["path"]
        if path.endswith("/"):
            scope = {**scope, "path": path[:-1] or "/"}
        elif path.endswith("\n"):  # before which the end of a route's pattern matches as well
            scope = {**scope, "path": "/"}
        await self.app(scope, replay, send)

    async def hang_up(self, problem: service.Refusal, coming: Body, send: Send) -> None:
        """Answer at once and close the connection.

        Closed while a client is sending, it would be reset, and most clients would never look at
        the answer (RFC 9112, section 9.6). So a client whose body is too large is given time: what
        may still be taken of the body is thrown away, and there is some room in the sockets.
        """
        import anyio

        status = service.STATUSES[problem.code]
        answer = _json(service.error(problem), status, {"Connection": "close"})
        start = {"type": "http.response.start", "status": status, "headers": answer.raw_headers}
        await send(start)
        await send({"type": "http.response.body", "body": answer.body, "more_body": True})
        if problem.code == "payload_too_large":
            with anyio.move_on_after(LINGER_SECONDS):
                while coming.more and coming.left > 0:
                    await coming.take()
                if coming.more:
                    # Should the client leave, nobody hears of it: asking would take more.
                    await anyio.sleep_forever()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def read(self, scope: Scope, coming: Body) -> bytes | service.Refusal | None:
        """The whole body, or why it is refused; None if the client leaves before its end.

        A refusal is returned, since one that was raised would keep what was read until the client
        has had its time.
        """
        import anyio

        for name, value in scope["headers"]:
            # The first digits will do: a number may have thousands.
            declared = value.isdigit() and int(value[:20])
            if name == b"content-length" and declared > service.MAX_BODY_BYTES:
                return service.too_large()
        body = bytearray()
        with anyio.move_on_after(self.timeout):
            while True:
                message = await coming.take()
                if message["type"] == "http.disconnect":
                    return None
                if coming.left < 0:
                    return service.too_large()
                body += message.get("body", b"")
                if not coming.more:
                    return bytes(body)
        return service.Refusal(
            "request_timeout", f"the body did not come within {self.timeout:g} seconds"
        )
