"""The ASGI application: its routes, and MCP at /mcp where the extra is installed."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import signal
import sys
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from chrf.contract import InvalidInput
from chrf.service import limits, mcp, openapi, strict_json, tools
from chrf.service.answers import (
    answer_error,
    answer_fault,
    answer_routing_error,
    json_answer,
    written_answer,
)
from chrf.service.body import BODY_TIMEOUT, WholeBody
from chrf.service.errors import RequestError
from chrf.service.limits import HEAD_TIMEOUT
from chrf.service.work import WorkQueue

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route
    from starlette.types import ASGIApp

LOG = logging.getLogger(__name__)

# After this long a thread that computes lets the event loop go on. Python's own 5 ms would add up
# over the steps of a small request, beside a large one.
SWITCH_SECONDS = 0.0005


def make_app(
    body_timeout: float = BODY_TIMEOUT,
    head_timeout: float = HEAD_TIMEOUT,
    host: str = "127.0.0.1",
) -> ASGIApp:
    """Make the ASGI application.

    Parameters
    ----------
    body_timeout, head_timeout : float
        Seconds in which the body and the head of a request must have come.
    host : str
        The address where it is served. On a loopback address /mcp accepts only requests that
        name a loopback host, which protects local servers against web pages.
    """
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.routing import Route

    tools.warm_up()
    routes, work = _routes(), WorkQueue()
    sessions: contextlib.AbstractAsyncContextManager[None] = contextlib.nullcontext()
    try:
        endpoint = mcp.Endpoint(host, work)
    except ImportError:  # an extra
        LOG.warning("/mcp is not served: %s", mcp.MISSING)
    else:
        # There is nothing to wait for with GET.
        routes.append(Route("/mcp", endpoint, methods=["POST"]))
        sessions = endpoint.manager.run()

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[dict[str, Any]]:
        _end_with_parent()
        sys.setswitchinterval(SWITCH_SECONDS)
        async with sessions:
            yield limits.lifespan_state(head_timeout)

    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers={
            RequestError: answer_error,
            InvalidInput: answer_error,
            HTTPException: answer_routing_error,
            Exception: answer_fault,
        },
    )
    app.router.redirect_slashes = False
    app.state.work = work
    return WholeBody(app, body_timeout)


def _routes() -> list[Route]:
    from starlette.routing import Route

    tool = tools.path("{id}", "{version}")
    return [
        Route("/healthz", health, methods=["GET"]),
        Route("/openapi.json", describe_api, methods=["GET"]),
        Route("/v1/tools", list_tools, methods=["GET"]),
        Route(tool, describe, methods=["GET"]),
        Route(f"{tool}/execute", execute, methods=["POST"]),
    ]


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


# --- routes -------------------------------------------------------------------------------------


async def health(_: Request) -> Response:
    """Say that the service is up."""
    return json_answer({"status": "ok"})


async def describe_api(_: Request) -> Response:
    """Return the OpenAPI description."""
    return json_answer(openapi.document())


async def list_tools(_: Request) -> Response:
    """List every tool."""
    return json_answer(tools.listing())


async def describe(request: Request) -> Response:
    """Return the contract of a tool."""
    return json_answer(tools.describe(**request.path_params))


async def execute(request: Request) -> Response:
    """Call a tool with the input that the body holds."""
    tools.find(**request.path_params)
    _check_media_type(request)
    body = await request.body()
    work: WorkQueue = request.app.state.work

    def call() -> bytes:
        return strict_json.dump(tools.execute(**request.path_params, body=body))

    return written_answer(await work.run(call, len(body)))


def _check_media_type(request: Request) -> None:
    code = "unsupported_media_type"
    media_type, *parameters = request.headers.get("content-type", "").lower().split(";")
    if media_type.strip() != "application/json":
        raise RequestError(code, "the content type must be application/json")
    for parameter in parameters:
        name, _, value = parameter.strip().partition("=")
        if name == "charset" and value.strip('"') not in ("utf-8", "utf8"):
            raise RequestError(code, "the charset must be utf-8")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise RequestError(code, "the body must be sent without a content encoding")
