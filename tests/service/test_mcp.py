"""The tools over MCP: the SDK's own client, over standard input and output and over HTTP."""

import asyncio
import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import loopback  # bench/loopback.py
from chrf.cli import mcp as mcp_command
from chrf.contract import CONTRACTS
from chrf.service import mcp, strict_json, tools

for library in ("starlette", "uvicorn"):
    pytest.importorskip(library, reason="the extra serve is not installed")
sdk = pytest.importorskip("mcp", reason="the extra mcp is not installed")
stdio = pytest.importorskip("mcp.client.stdio")

FOLDER = Path(__file__).parent  # where the source folder does not hide the installed package
EXAMPLES = [(id, example) for id in CONTRACTS for example in CONTRACTS[id]["examples"]]
CALL = {
    "id": "chrf-components",
    "version": "1.0.0",
    "input": {"hypotheses": ["aa"], "references": ["ab"], "beta": 3},
}


WRONG = [
    ({**CALL, "extra": 1}, "unknown argument 'extra'; the arguments are id, version, input"),
    ({**CALL, "arguments": CALL}, "unknown argument 'arguments'; the arguments are id, vers"),
    ({}, "id is missing; it is required"),
    ({"id": "chrf-compute", "version": "1.0.0"}, "input is missing; it is required"),
    ({**CALL, "id": 7}, "id must be a string"),
    ({**CALL, "version": 1.0}, "version must be a string"),
    ({**CALL, "id": "chrf"}, "there is no tool 'chrf'; there are chrf-compute, chrf-plus-plus-c"),
    ({**CALL, "version": "2.0.0"}, "chrf-components has no version '2.0.0'; it has 1.0.0"),
    ({**CALL, "input": None}, "the input is null; it must be a plain object"),
    ({**CALL, "input": "{}"}, "the input is '{}'; it must be a plain object"),
    ({**CALL, "input": {}}, "hypotheses is missing; it is required"),
    ({**CALL, "input": {**CALL["input"], "beta": 2.5}}, "beta is 2.5; it must be an integer from"),
    ({**CALL, "input": {**CALL["input"], "Beta": 2}}, "unknown key 'Beta'; the keys of chrf-comp"),
    (
        {**CALL, "input": {"hypotheses": ["a" * 65536], "references": ["b"]}},
        "hypotheses and references have more than 65536 bytes of UTF-8 together",
    ),
]


@dataclasses.dataclass
class Session:
    """What a client saw."""

    tools: list
    resources: list
    examples: list
    wrong: list
    other: object


@pytest.fixture(scope="module", params=["stdio", "http", "memory"])
def session(request):
    """A session of the SDK's client, by each way to a server."""
    if request.param == "stdio":
        parameters = stdio.StdioServerParameters(
            command=sys.executable, args=["-m", "chrf.mcp"], env=dict(os.environ), cwd=FOLDER
        )
        client = sdk.Client(stdio.stdio_client(parameters))
    elif request.param == "http":
        port = request.getfixturevalue("server").port
        client = sdk.Client(f"http://127.0.0.1:{port}/mcp")
    else:
        client = sdk.Client(mcp.make_server())

    async def run():
        async with client:
            call = client.call_tool
            resources = (await client.list_resources()).resources
            with pytest.raises(sdk.MCPError, match="Unknown resource"):
                await client.read_resource("chrf://v1/tools/nope/versions/1.0.0")
            return Session(
                tools=(await client.list_tools()).tools,
                resources=[(each, await client.read_resource(each.uri)) for each in resources],
                examples=[
                    await call("execute", {"id": id, "version": "1.0.0", "input": each["input"]})
                    for id, each in EXAMPLES
                ],
                wrong=[await call("execute", arguments) for arguments, _ in WRONG],
                other=await call("score", CALL),
            )

    return asyncio.run(run())


def test_examples(session):
    for (_, example), answer in zip(EXAMPLES, session.examples, strict=True):
        assert not answer.is_error
        assert answer.structured_content == {"result": example["output"]}
        (content,) = answer.content
        assert content.text.encode() == strict_json.dump({"result": example["output"]})


def test_the_tool(session):
    (tool,) = session.tools
    assert tool.name == "execute"
    assert tool.input_schema["required"] == ["id", "version", "input"]
    assert tool.input_schema["additionalProperties"] is False
    assert tool.input_schema["properties"]["id"]["enum"] == list(CONTRACTS)
    for contract in CONTRACTS.values():
        assert contract["input_schema"] in tool.input_schema["properties"]["input"]["anyOf"]
        assert f"{contract['id']}@1.0.0: {contract['description']}" in tool.description
    assert tool.annotations.read_only_hint


def test_contracts_are_resources(session):
    assert [each.name for each, _ in session.resources] == [f"{id}@1.0.0" for id in CONTRACTS]
    for (each, answer), id in zip(session.resources, CONTRACTS, strict=True):
        (content,) = answer.contents
        assert each.uri == f"chrf://v1/tools/{id}/versions/1.0.0"
        assert each.mime_type == content.mime_type == "application/json"
        assert json.loads(content.text) == tools.describe(id, "1.0.0")


def test_errors_reach_the_client_with_their_message(session):
    for (_, said), answer in zip(WRONG, session.wrong, strict=True):
        assert answer.is_error
        assert answer.structured_content is None
        (content,) = answer.content
        assert content.text.startswith(f"Error executing tool execute: {said}")


def test_another_tool_is_an_error(session):
    assert session.other.is_error
    assert session.other.content[0].text == "Unknown tool: score"


def test_nothing_internal_is_shown(monkeypatch):
    def fail(_):
        raise RuntimeError("secret")

    monkeypatch.setitem(tools.TOOLS["chrf-components"], "1.0.0", fail)

    async def run():
        async with sdk.Client(mcp.make_server()) as client:
            return await client.call_tool("execute", CALL)

    answer = asyncio.run(run())
    assert answer.is_error
    assert answer.content[0].text == "Error executing tool execute"


# --- HTTP ---------------------------------------------------------------------------------------


def post(server, message, headers=None):
    """Status and body of the answer to one message, without a session."""
    sent = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **(headers or {}),
    }
    url = f"http://127.0.0.1:{server.port}/mcp"
    request = urllib.request.Request(url, message.encode(), sent)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def message(text):
    """A call whose input is this JSON text."""
    arguments = f'{{"id":"chrf-compute","version":"1.0.0","input":{text}}}'
    parameters = f'{{"name":"execute","arguments":{arguments}}}'
    return f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{parameters}}}'


def test_one_message_without_a_session(server):
    status, body = post(server, message('{"hypotheses":["aa"],"references":["ab"],"beta":3}'))
    assert status == 200
    assert json.loads(body)["result"]["structuredContent"]["result"]["score"] == "25.000000"


def test_no_stream_is_held_open(server):
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}/mcp")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=20)
    with caught.value as error:
        assert error.code == 405


def test_a_web_page_elsewhere_is_refused(server):
    call = message("{}")
    assert post(server, call, {"Host": "example.org"})[0] == 421
    assert post(server, call, {"Origin": "http://example.org"})[0] == 403


@pytest.mark.parametrize(
    ("host", "names"),
    [
        ("127.0.0.1", {"127.0.0.1", "localhost", "[::1]"}),
        ("127.0.0.2", {"127.0.0.1", "127.0.0.2", "localhost", "[::1]"}),
        ("::1", {"127.0.0.1", "localhost", "[::1]"}),
    ],
)
def test_on_a_loopback_address_a_web_page_elsewhere_is_refused(host, names):
    settings = mcp.security(host)
    assert settings.enable_dns_rebinding_protection
    assert {*settings.allowed_hosts} == names | {f"{name}:*" for name in names}
    assert settings.allowed_origins == [f"http://{name}" for name in settings.allowed_hosts]
    for other in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        assert mcp.security(other) is None


def test_another_spelling_of_a_loopback_address():
    with loopback.serving([*loopback.SERVE, "--host", "127.1"]) as running:
        call = message("{}")
        assert post(running, call, {"Host": "example.org"})[0] == 421
        for host in ("localhost", "127.0.0.1", f"127.0.0.1:{running.port}"):
            assert post(running, call, {"Host": host})[0] == 200


def test_streams_that_are_closed():
    for closed, name in ((">&-", "stdout"), ("<&-", "stdin")):
        found = subprocess.run(
            ["bash", "-c", f"'{sys.executable}' -m chrf.mcp {closed}"],
            capture_output=True,
            check=False,
            cwd=FOLDER,
        )
        said = f"<{name}>: it is closed, and MCP needs it\n"
        assert (found.returncode, found.stderr.decode()) == (1, said)


@pytest.mark.parametrize(
    "text",
    [
        '{"hypotheses":["\\ud800"],"references":["a"]}',  # the SDK's parser refuses it
        '{"hypotheses":["a"],"references":["a"],"beta":NaN}',
        "[" * 1000,
        "{",
    ],
)
def test_what_is_not_json_is_an_error(server, text):
    status, body = post(server, message(text))
    answer = json.loads(body)
    assert status in (200, 400)
    assert "error" in answer or answer["result"]["isError"]
    assert b"Traceback" not in body


def test_the_largest_input_is_answered(server):
    texts = [chr(97 + i % 26) * 128 for i in range(256)]
    status, body = post(server, message(json.dumps({"hypotheses": texts, "references": texts})))
    assert status == 200
    assert json.loads(body)["result"]["structuredContent"]["result"]["score"] == "100.000000"


@pytest.mark.parametrize("piece", ['{"":{}}', "[]", "1", '["a\\"",{}]'])
def test_messages_that_would_be_dear_to_read_are_not_read(server, piece):
    """The SDK takes 0.2 s and more to read half a megabyte of them."""
    status, body = post(server, message(f"[{','.join([piece] * 2100)}]"))
    assert status == 400
    said = "the message has more than 2000 values"
    error = {"code": -32600, "message": said}
    assert json.loads(body) == {"jsonrpc": "2.0", "id": None, "error": error}


def test_texts_are_not_counted_as_values(server):
    text = '[{",' * 3000
    status, body = post(server, message(json.dumps({"hypotheses": [text], "references": [text]})))
    assert status == 200
    assert json.loads(body)["result"]["structuredContent"]["result"]["score"] == "100.000000"


def test_logging_is_left_alone():
    """A handler on the root logger, which the SDK's framework sets up, once ended the process."""
    script = "import logging; from chrf.service.app import make_app; make_app(); "
    script += "print(logging.root.handlers, logging.root.level)"
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, cwd=FOLDER
    )
    assert found.stdout.decode() == "[] 30\n"


def test_many_at_once(server):
    async def one(client):
        answer = await client.call_tool("execute", CALL)
        return answer.structured_content["result"]["score"]

    async def run():
        async with contextlib.AsyncExitStack() as stack:
            url = f"http://127.0.0.1:{server.port}/mcp"
            clients = [await stack.enter_async_context(sdk.Client(url)) for _ in range(8)]
            return await asyncio.gather(*(one(client) for client in clients * 5))

    assert set(asyncio.run(run())) == {"25.000000"}


# --- the command line ---------------------------------------------------------------------------


def test_a_missing_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    assert mcp_command.main([]) == 1
    said = "MCP needs the package mcp, 2.3 or later: pip install 'chrf[mcp]'\n"
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize("end", ["eof", signal.SIGINT, signal.SIGTERM])
def test_the_end(end):
    command = [sys.executable, "-m", "chrf.mcp"]
    hello = (
        b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
        b'"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}\n'
    )
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=FOLDER) as process:
        process.stdin.write(hello)
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "chrf"
        if end == "eof":
            process.stdin.close()
        else:
            process.send_signal(end)
        assert process.wait(20) == (0 if end == "eof" else -end)
        assert process.stderr.read() == b""
