"""What goes wrong before a contract sees the input: codes, statuses, the error object."""

from __future__ import annotations

from typing import Any

from chrf.contract import InvalidInput

STATUSES = {
    "invalid_input": 400,
    "not_found": 404,
    "method_not_allowed": 405,
    "request_timeout": 408,
    "payload_too_large": 413,
    "unsupported_media_type": 415,
    "internal_error": 500,
    "overloaded": 503,
}


class RequestError(Exception):
    """A request that fails before a contract sees its input.

    Attributes
    ----------
    code : str
        A key of `STATUSES`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def error_object(problem: RequestError | InvalidInput) -> dict[str, Any]:
    """Return the JSON error object of a failed call."""
    return {"error": {"code": problem.code, "message": str(problem)}}
