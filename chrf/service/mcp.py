"""The tools over MCP: a server with one tool, and a resource for each contract."""

from __future__ import annotations

import copy
import logging
from typing import TYPE_CHECKING, Any

from chrf.contract import InvalidInput
from chrf.core.options import VERSION
from chrf.service import strict_json, tools
from chrf.service.answers import written_answer
from chrf.service.errors import RequestError
from chrf.service.reader import count_values
from chrf.service.work import WorkQueue

if TYPE_CHECKING:
    # The SDK: imports are absolute, so this is not the module you are reading.
    from mcp.server import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp.types import CallToolResult, Resource, Tool
    from starlette.types import Receive, Scope, Send

LOG = logging.getLogger(__name__)

MISSING = "MCP needs the package mcp, 2.3 or later: pip install 'chrf[mcp]'"
NAME = "execute"  # of the tool
ARGUMENTS = ("id", "version", "input")
MOST_VALUES = 2000  # of a message over HTTP: a call has 512 texts, and a few dozen values beside


def make_server(work: WorkQueue | None = None) -> Server[Any]:
    """Make the MCP server: one tool, and a resource for each contract.

    Parameters
    ----------
    work : WorkQueue, optional
        Where calls are run; the server has a queue of its own otherwise.

    Raises
    ------
    ImportError
        The SDK is not installed, or not in a version that has what is needed.
    """
    from mcp import types
    from mcp.server import Server
    from mcp.shared.exceptions import MCPError

    queue = WorkQueue() if work is None else work
    tool = _tool()
    resources = {resource.uri: (resource, text) for resource, text in _resources()}

    async def list_tools(*_: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool])

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> CallToolResult:
        if params.name != NAME:
            return _failed(f"Unknown tool: {params.name}")
        return await execute(params.arguments or {}, queue)

    async def list_resources(*_: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[resource for resource, _ in resources.values()])

    async def read_resource(
        _: Any, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri not in resources:
            message = f"Unknown resource: {uri}"
            raise MCPError(types.INVALID_PARAMS, message, data={"uri": uri})
        resource, text = resources[uri]
        content = types.TextResourceContents(uri=uri, mime_type=resource.mime_type, text=text)
        return types.ReadResourceResult(contents=[content])

    return Server(
        "chrf",
        title="chrf",
        version=VERSION,
        instructions="Computes exact chrF and chrF++ scores of translations against references.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


# --- the tool -----------------------------------------------------------------------------------


async def execute(arguments: dict[str, Any], work: WorkQueue) -> CallToolResult:
    """Call the tool that the arguments name; what is wrong with them is a tool error."""
    from mcp.types import CallToolResult, TextContent

    def call() -> tuple[dict[str, Any], str]:
        function = tools.find(*_checked(arguments))
        output = {"result": function(arguments["input"])}
        return output, strict_json.dump(output).decode()

    try:
        output, text = await work.run(call, _size(arguments.get("input")))
    except (RequestError, InvalidInput) as error:
        return _failed(f"Error executing tool {NAME}: {error}")
    except Exception:
        LOG.exception("Tool %r raised an unexpected exception", NAME)
        return _failed(f"Error executing tool {NAME}")
    return CallToolResult(content=[TextContent(text=text)], structured_content=output)


def _failed(message: str) -> CallToolResult:
    from mcp.types import CallToolResult, TextContent

    return CallToolResult(content=[TextContent(text=message)], is_error=True)


def _size(input: object) -> int:
    """Return the number of characters in the texts of an input."""
    if not isinstance(input, dict):
        return 0
    lists = (value for value in input.values() if isinstance(value, list))
    return sum(len(text) for texts in lists for text in texts if isinstance(text, str))


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


# --- what clients are told ----------------------------------------------------------------------


def _tool() -> Tool:
    from mcp.types import Tool, ToolAnnotations

    listed = (f"{c['id']}@{c['version']}: {c['description']}" for c in _contracts())
    return Tool(
        name=NAME,
        title="Exact chrF and chrF++",
        description="\n".join(listed) + "\nThe resources hold the contract of each.",
        annotations=ToolAnnotations(
            read_only_hint=True, idempotent_hint=True, open_world_hint=False, destructive_hint=False
        ),
        input_schema=input_schema(),
        output_schema={
            "type": "object",
            "properties": {"result": {"type": "object"}},
            "required": ["result"],
            "additionalProperties": False,
        },
    )


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


def _resources() -> list[tuple[Resource, str]]:
    """Make the resources, each with its text."""
    from mcp.types import Resource

    return [
        (
            Resource(
                uri=f"chrf:/{tools.path(contract['id'], contract['version'])}",
                name=f"{contract['id']}@{contract['version']}",
                description=f"The contract of {contract['id']}: what it computes, its limits, "
                "schemas",
                mime_type="application/json",
            ),
            strict_json.dump(contract, indent=2).decode(),
        )
        for contract in _contracts()
    ]


def _contracts() -> list[dict[str, Any]]:
    return [tools.describe(id, version) for id, version in tools.every_version()]


# --- over HTTP, and over standard input and output ----------------------------------------------


class Endpoint:
    """The ASGI application at /mcp: without sessions, so that any worker answers any request."""

    def __init__(self, host: str, work: WorkQueue) -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        self.manager: StreamableHTTPSessionManager = StreamableHTTPSessionManager(
            make_server(work),
            json_response=True,
            stateless=True,
            security_settings=security(host),
            max_request_body_size=strict_json.MAX_BODY_BYTES,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one message, unless it is one that would be dear to read."""
        message = await receive()  # the whole body, which `chrf.service.body` has read
        if count_values(message.get("body", b"")) > MOST_VALUES:
            error = {"code": -32600, "message": f"the message has more than {MOST_VALUES} values"}
            problem = {"jsonrpc": "2.0", "id": None, "error": error}
            await written_answer(strict_json.dump(problem), 400)(scope, receive, send)
            return
        messages = [message]

        async def replay() -> Any:
            return messages.pop() if messages else await receive()

        await self.manager.handle_request(scope, replay, send)


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


async def serve_standard_streams(server: Server[Any]) -> None:
    """Serve on standard input and output until the input ends."""
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
