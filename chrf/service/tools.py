"""Which tools there are, and a call of one.

HTTP (`chrf.service.app`), MCP (`chrf.service.mcp`) and the command line (`chrf.cli.tools`) only
move bytes: what they accept, answer and raise is decided here and in `chrf.contract`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from chrf.contract import CONTRACTS, chrf_components, chrf_compute, chrf_plus_plus_compute
from chrf.service import strict_json
from chrf.service.errors import RequestError

Tool = Callable[[dict[str, Any]], dict[str, Any]]

TOOLS: dict[str, dict[str, Tool]] = {
    "chrf-compute": {"1.0.0": chrf_compute},
    "chrf-plus-plus-compute": {"1.0.0": chrf_plus_plus_compute},
    "chrf-components": {"1.0.0": chrf_components},
}


def find(id: str, version: str) -> Tool:
    """Return the function of a tool; the error names the tools or versions that exist."""
    versions = TOOLS.get(id)
    if versions is None:
        raise RequestError(
            "not_found", f"there is no tool {id[:40]!a}; there are {', '.join(TOOLS)}"
        )
    if version not in versions:
        known = ", ".join(versions)
        raise RequestError("not_found", f"{id} has no version {version[:40]!a}; it has {known}")
    return versions[version]


def path(id: str, version: str) -> str:
    """Return the path at which the contract of a tool is served."""
    return f"/v1/tools/{id}/versions/{version}"


def every_version() -> Iterator[tuple[str, str]]:
    """Yield the id and the version of every tool."""
    for id, versions in TOOLS.items():
        for version in versions:
            yield id, version


def describe(id: str, version: str) -> dict[str, Any]:
    """Return the machine-readable contract of a tool, with its price and where to call it."""
    find(id, version)
    contract = copy.deepcopy(CONTRACTS[id])
    schemas = {name: contract.pop(name) for name in ("input_schema", "output_schema", "examples")}
    contract["pricing"] = {"status": "unpriced", "charge_usd": None}
    return {**contract, **schemas, "execute_url": f"{path(id, version)}/execute"}


def listing() -> dict[str, Any]:
    """List every version of every tool, with its description and paths."""
    tools = [
        {
            "id": id,
            "version": version,
            "description": CONTRACTS[id]["description"],
            "contract_url": path(id, version),
            "execute_url": f"{path(id, version)}/execute",
        }
        for id, version in every_version()
    ]
    return {"tools": tools}


def execute(id: str, version: str, body: bytes) -> dict[str, Any]:
    """Call a tool; `body` holds its input as a JSON document."""
    tool = find(id, version)
    return {"result": tool(strict_json.parse(body))}


def warm_up() -> None:
    """Call every tool once, so that no caller has to wait for what is imported late."""
    for id, version in every_version():
        find(id, version)(CONTRACTS[id]["examples"][0]["input"])
