"""The tools over MCP: a server with one tool, and a resource for each contract."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from chrf.contract import InvalidInput
from chrf.core.options import VERSION
from chrf.service import strict_json, tools
from chrf.service.errors import RequestError

if TYPE_CHECKING:
    # The SDK: imports are absolute, so this is not the module you are reading.
    from mcp.server import MCPServer
    from mcp.server.transport_security import TransportSecuritySettings

MISSING = "MCP needs the package mcp, 2.3 or later: pip install 'chrf[mcp]'"
ARGUMENTS = ("id", "version", "input")


def make_server() -> MCPServer[Any]:
    """Make the MCP server: one tool, and a resource for each contract.

    Raises
    ------
    ImportError
        The SDK is not installed, or not in a version that has what is needed.
    """
    from mcp.server import MCPServer
    from mcp.server.mcpserver.resources import TextResource
    from mcp.server.mcpserver.tools import Tool
    from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase
    from mcp.types import ToolAnnotations

    class Arguments(ArgModelBase, extra="allow"):  # type: ignore[misc,call-arg,unused-ignore]
        """Hands the arguments on as they came: the SDK would drop those it does not know."""

        def model_dump_one_level(self) -> dict[str, Any]:
            return {"arguments": self.__pydantic_extra__}

    tool = Tool.from_function(
        execute,
        title="Exact chrF and chrF++",
        description="\n".join(f"{c['id']}@{c['version']}: {c['description']}" for c in _contracts())
        + "\nThe resources hold the contract of each.",
        annotations=ToolAnnotations(
            read_only_hint=True, idempotent_hint=True, open_world_hint=False, destructive_hint=False
        ),
        structured_output=False,
    )
    tool.parameters = input_schema()
    tool.fn_metadata.arg_model = Arguments
    tool.fn_metadata.output_schema = {
        "type": "object",
        "properties": {"result": {"type": "object"}},
        "required": ["result"],
        "additionalProperties": False,
    }
    resources = [
        TextResource(
            uri=f"chrf:/{tools.path(contract['id'], contract['version'])}",
            name=f"{contract['id']}@{contract['version']}",
            description=f"The contract of {contract['id']}: what it computes, its limits, schemas",
            mime_type="application/json",
            text=strict_json.dump(contract, indent=2).decode(),
        )
        for contract in _contracts()
    ]
    return MCPServer(
        "chrf",
        title="chrf",
        version=VERSION,
        instructions="Computes exact chrF and chrF++ scores of translations against references.",
        tools=[tool],
        resources=list(resources),
        log_level="WARNING",
        subscriptions=False,  # the contracts do not change
    )


def security(host: str) -> TransportSecuritySettings | None:
    """Return the hosts and origins that a request may name where `host` is a loopback address.

    Without it any web page could have a browser send requests to a local server, under a name that
    it makes resolve to this address.
    """
    import ipaddress

    from mcp.server.transport_security import TransportSecuritySettings

    try:
        address = ipaddress.ip_address(host)
    except ValueError:  # a name
        return None
    if not address.is_loopback:
        return None
    names = {"127.0.0.1", "localhost", "[::1]", f"[{host}]" if address.version == 6 else host}
    hosts = sorted(f"{name}{port}" for name in names for port in ("", ":*"))
    return TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"http://{name}" for name in hosts]
    )


def execute(arguments: dict[str, Any]) -> Any:  # the SDK reads the annotations
    """Call the tool that the arguments name; what is wrong with them is a tool error."""
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import CallToolResult, TextContent

    try:
        function = tools.find(*_checked(arguments))
        output = {"result": function(arguments["input"])}
    except (RequestError, InvalidInput) as error:
        raise ToolError(str(error)) from None
    text = strict_json.dump(output).decode()
    return CallToolResult(content=[TextContent(text=text)], structured_content=output)


def input_schema() -> dict[str, Any]:
    """Make the schema of the arguments of ``execute``, whose input is that of a contract."""
    inputs: list[dict[str, Any]] = []
    for contract in _contracts():
        if contract["input_schema"] not in inputs:
            inputs.append(copy.deepcopy(contract["input_schema"]))
    versions = {version for _, version in tools.every_version()}
    return {
        "type": "object",
        "properties": {
            "id": {"type": "string", "enum": list(tools.TOOLS)},
            "version": {"type": "string", "enum": sorted(versions)},
            "input": {"type": "object", "anyOf": inputs},
        },
        "required": list(ARGUMENTS),
        "additionalProperties": False,
    }


def _contracts() -> list[dict[str, Any]]:
    return [tools.describe(id, version) for id, version in tools.every_version()]


def _checked(arguments: dict[str, Any]) -> tuple[str, str]:
    """Return the id and version of the arguments, which are exactly id, version and input."""
    for name in arguments:
        if name not in ARGUMENTS:
            raise InvalidInput(
                f"unknown argument {name[:40]!a}; the arguments are {', '.join(ARGUMENTS)}"
            )
    for name in ARGUMENTS:
        if name not in arguments:
            raise InvalidInput(f"{name} is missing; it is required")
    id, version = arguments["id"], arguments["version"]
    for name, value in (("id", id), ("version", version)):
        if type(value) is not str:
            raise InvalidInput(f"{name} must be a string")
    return id, version
