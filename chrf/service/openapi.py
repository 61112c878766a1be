"""The HTTP service as an OpenAPI 3.1 description, made from the contracts."""

from __future__ import annotations

import copy
from typing import Any

from chrf.contract import CONTRACTS
from chrf.core.options import VERSION
from chrf.service.errors import STATUSES
from chrf.service.tools import every_version, path

_EXPECTED = (
    "invalid_input",
    "request_timeout",
    "payload_too_large",
    "unsupported_media_type",
    "overloaded",
)
_ERROR = {
    "description": "The request is rejected",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}


def document() -> dict[str, Any]:
    """Describe every path of the service."""
    anything = {"type": "object"}
    paths = {
        "/healthz": {"get": _operation("health", "Whether the service is up", anything)},
        "/v1/tools": {"get": _operation("list", "The tools and their versions", anything)},
    }
    for id, version in every_version():
        paths[path(id, version)] = {
            "get": _operation(
                f"describe-{id}-{version}", f"The contract of {id} {version}", anything
            )
        }
        paths[f"{path(id, version)}/execute"] = {"post": _call(id, version)}
    problem = {"code": {"type": "string", "enum": list(STATUSES)}, "message": {"type": "string"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "chrf", "version": VERSION, "license": {"name": "MIT"}},
        "paths": paths,
        "components": {"schemas": {"Error": _object({"error": _object(problem)})}},
    }


def _call(id: str, version: str) -> dict[str, Any]:
    contract = CONTRACTS[id]
    result = _object({"result": copy.deepcopy(contract["output_schema"])})
    call = _operation(f"execute-{id}-{version}", contract["description"], result)
    media = {
        "schema": copy.deepcopy(contract["input_schema"]),
        "example": contract["examples"][0]["input"],
    }
    call["requestBody"] = {"required": True, "content": {"application/json": media}}
    for code in _EXPECTED:
        call["responses"][str(STATUSES[code])] = _ERROR
    return call


def _operation(id: str, summary: str, schema: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    ok = {"description": "Done", "content": content}
    return {"operationId": id, "summary": summary, "responses": {"200": ok}}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": list(properties),
    }
