"""Answers in JSON: results, and the error object of everything that goes wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chrf.contract import InvalidInput
from chrf.service import strict_json
from chrf.service.errors import STATUSES, RequestError, error_object

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


RETRY_SECONDS = "1"  # after which there is room again, or soon


def json_answer(value: Any) -> Response:
    """Make an answer that holds a JSON value."""
    return written_answer(strict_json.dump(value))


def written_answer(
    body: bytes, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    """Make an answer of JSON that is already written."""
    from starlette.responses import Response

    return Response(body, status, headers, "application/json")


def error_answer(problem: RequestError | InvalidInput, **headers: str) -> Response:
    """Make the answer that holds an error object, with the status of its code."""
    if problem.code == "overloaded":
        headers["Retry-After"] = RETRY_SECONDS
    return written_answer(strict_json.dump(error_object(problem)), STATUSES[problem.code], headers)


# --- what Starlette calls when a route raises ---------------------------------------------------


async def answer_error(_: Request, problem: Exception) -> Response:
    """Answer a request that the service or a contract does not accept."""
    assert isinstance(problem, (RequestError, InvalidInput))
    return error_answer(problem)


async def answer_routing_error(request: Request, problem: Exception) -> Response:
    """Answer a path that does not exist, or a method that the path does not have."""
    from starlette.exceptions import HTTPException
    from starlette.responses import Response

    assert isinstance(problem, HTTPException)
    if problem.status_code != STATUSES["method_not_allowed"]:
        return error_answer(RequestError("not_found", "there is nothing at this path"))
    allowed = {*(problem.headers or {})["Allow"].split(", "), "OPTIONS"}
    methods = ", ".join(sorted(allowed))
    if request.method == "OPTIONS":
        return Response(status_code=204, headers={"Allow": methods})
    message = f"the methods of this path are {methods}"
    return error_answer(RequestError("method_not_allowed", message), Allow=methods)


async def answer_fault(_: Request, __: Exception) -> Response:
    """Answer when the service is at fault, without the reason, which goes to the log."""
    return error_answer(RequestError("internal_error", "internal error"))
