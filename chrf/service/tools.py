"""What the doors share: which tools there are, strict JSON, errors, an OpenAPI description.

HTTP (`chrf.serve`), MCP (`chrf.mcp`) and the command line (`chrf.tools`) only move bytes: what they
accept, answer and refuse is decided here and in `chrf.contract`.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn

from chrf.contract import (
    CONTRACTS,
    InvalidInput,
    chrf_components,
    chrf_compute,
    chrf_plus_plus_compute,
)
from chrf.core.options import VERSION

Tool = Callable[[dict[str, Any]], dict[str, Any]]

TOOLS: dict[str, dict[str, Tool]] = {
    "chrf-compute": {"1.0.0": chrf_compute},
    "chrf-plus-plus-compute": {"1.0.0": chrf_plus_plus_compute},
    "chrf-components": {"1.0.0": chrf_components},
}

# 65,536 bytes of text take at most six times as many as JSON, each an escape such as \u0041:
# 393,216 bytes. The rest leaves 256 bytes for each of the 512 strings, for quotes, commas and
# indentation, so whatever a contract allows fits, as any JSON library writes it.
MAX_BODY_BYTES = 512 * 1024
_MAX_DIGITS = 30  # longer integers are cut: no contract allows more than two digits

STATUSES = {
    "invalid_input": 400,
    "not_found": 404,
    "method_not_allowed": 405,
    "request_timeout": 408,
    "payload_too_large": 413,
    "unsupported_media_type": 415,
    "internal_error": 500,
}


class Refusal(Exception):
    """A request that is refused before a contract sees it.

    Attributes
    ----------
    code : str
        A key of `STATUSES`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def too_large() -> Refusal:
    """The refusal of a body over the limit."""
    return Refusal("payload_too_large", f"the input has more than {MAX_BODY_BYTES} bytes")


def find(id: str, version: str) -> Tool:
    """The function of a tool; `Refusal` names the tools or versions there are."""
    versions = TOOLS.get(id)
    if versions is None:
        raise Refusal("not_found", f"there is no tool {id[:40]!a}; there are {', '.join(TOOLS)}")
    if version not in versions:
        known = ", ".join(versions)
        raise Refusal("not_found", f"{id} has no version {version[:40]!a}; it has {known}")
    return versions[version]


def path(id: str, version: str) -> str:
    """Where a tool's contract is served."""
    return f"/v1/tools/{id}/versions/{version}"


def describe(id: str, version: str) -> dict[str, Any]:
    """The machine-readable contract of a tool, with its price and where it is called."""
    find(id, version)
    contract = copy.deepcopy(CONTRACTS[id])
    schemas = {name: contract.pop(name) for name in ("input_schema", "output_schema", "examples")}
    contract["pricing"] = {"status": "unpriced", "charge_usd": None}
    return {**contract, **schemas, "execute_url": f"{path(id, version)}/execute"}


def listing() -> dict[str, Any]:
    """Every tool in a line each."""
    tools = [
        {
            "id": id,
            "version": version,
            "description": CONTRACTS[id]["description"],
            "contract_url": path(id, version),
            "execute_url": f"{path(id, version)}/execute",
        }
        for id, versions in TOOLS.items()
        for version in versions
    ]
    return {"tools": tools}


def execute(id: str, version: str, body: bytes) -> dict[str, Any]:
    """What a call of a tool answers, its input being the bytes of a JSON document."""
    tool = find(id, version)
    return {"result": tool(parse(body))}


def warm_up() -> None:
    """Call every tool once, so that no caller has to wait for what is imported late."""
    for id, versions in TOOLS.items():
        for tool in versions.values():
            tool(CONTRACTS[id]["examples"][0]["input"])


def error(problem: Refusal | InvalidInput) -> dict[str, Any]:
    """The error object of a refused call."""
    return {"error": {"code": problem.code, "message": str(problem)}}


# --- JSON ---------------------------------------------------------------------------------------


def dump(value: Any, indent: int | None = None) -> bytes:
    """The one spelling of a JSON value, as UTF-8: the same value gives the same bytes."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(
        value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
    )
    return text.encode()


def parse(body: bytes) -> Any:
    """The value of a JSON document in UTF-8, of which nothing is guessed or dropped.

    Raises
    ------
    InvalidInput
        Not UTF-8, not JSON (NaN, trailing text), a key twice in an object, nested too deeply. An
        escaped lone surrogate is let through: the contracts check for it, in their order.
    Refusal
        More than `MAX_BODY_BYTES`.

    Examples
    --------
    >>> parse(b'{"beta": 2, "beta": 3}')
    Traceback (most recent call last):
    chrf.contract.tools.InvalidInput: the input is not JSON: the key 'beta' appears twice in \
an object
    """
    if len(body) > MAX_BODY_BYTES:
        raise too_large()
    if not body:
        raise InvalidInput("the input is empty; it must be a JSON object")
    try:
        return json.loads(
            body.decode(),
            object_pairs_hook=_object,
            parse_constant=_no_constant,
            parse_int=lambda digits: int(digits[:_MAX_DIGITS]),
        )
    except UnicodeDecodeError as problem:
        reason = f"it is not UTF-8 at byte {problem.start}"
    except json.JSONDecodeError as problem:
        reason = f"{problem.msg} at line {problem.lineno}, column {problem.colno}"
    except RecursionError:
        reason = "it is nested too deeply"
    raise InvalidInput(f"the input is not JSON: {reason}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise InvalidInput(
            f"the input is not JSON: the key {twice[:40]!a} appears twice in an object"
        )
    return value


def _no_constant(name: str) -> NoReturn:
    raise InvalidInput(f"the input is not JSON: {name} is not a JSON value")


# --- OpenAPI ------------------------------------------------------------------------------------


def openapi() -> dict[str, Any]:
    """The HTTP service as an OpenAPI 3.1 description, made from the contracts."""
    anything = {"type": "object"}
    paths = {
        "/healthz": {"get": _operation("health", "Whether the service is up", anything)},
        "/v1/tools": {"get": _operation("list", "The tools and their versions", anything)},
    }
    for id, versions in TOOLS.items():
        for version in versions:
            contract, name = CONTRACTS[id], f"{id}-{version}"
            paths[path(id, version)] = {
                "get": _operation(f"describe-{name}", f"The contract of {id} {version}", anything)
            }
            result = _object_schema({"result": copy.deepcopy(contract["output_schema"])})
            call = _operation(f"execute-{name}", contract["description"], result)
            example = contract["examples"][0]["input"]
            media = {"schema": copy.deepcopy(contract["input_schema"]), "example": example}
            call["requestBody"] = {"required": True, "content": {"application/json": media}}
            for code in ("invalid_input", "request_timeout", "payload_too_large"):
                call["responses"][str(STATUSES[code])] = _ERROR
            call["responses"]["415"] = _ERROR
            paths[f"{path(id, version)}/execute"] = {"post": call}
    problem = {"code": {"type": "string", "enum": list(STATUSES)}, "message": {"type": "string"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "chrf", "version": VERSION, "license": {"name": "MIT"}},
        "paths": paths,
        "components": {"schemas": {"Error": _object_schema({"error": _object_schema(problem)})}},
    }


_ERROR = {
    "description": "Refused",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}


def _operation(id: str, summary: str, schema: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    ok = {"description": "Done", "content": content}
    return {"operationId": id, "summary": summary, "responses": {"200": ok}}


def _object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": list(properties),
    }
