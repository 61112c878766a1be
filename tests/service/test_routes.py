"""HTTP: routes, what clients expect of them, and what is wrong with a request."""

import asyncio
import contextlib
import http.client
import json
import subprocess
import sys

import pytest

from chrf.contract import CONTRACTS
from chrf.service import strict_json, tools
from chrf.service.app import make_app

for library in ("starlette", "uvicorn", "mcp"):
    pytest.importorskip(library, reason="the extras serve and mcp are not installed")

EXAMPLES = [(id, example) for id in CONTRACTS for example in CONTRACTS[id]["examples"]]
COMPUTE = "/v1/tools/chrf-compute/versions/1.0.0"
SEED_INPUT = b'{"hypotheses":["aa"],"references":["ab"],"beta":3}'
JSON = {"Content-Type": "application/json"}


# --- what the seeds describe --------------------------------------------------------------------


def test_the_call_of_the_seeds(execute):
    status, answer = execute(SEED_INPUT)
    assert status == 200
    assert answer == (
        b'{"result":{"metric":"chrF","char_order":6,"word_order":0,"beta":3,"lowercase":false,'
        b'"segment_count":1,"score":"25.000000","score_fraction":"25/1",'
        b'"segment_scores":["25.000000"]}}'
    )


@pytest.mark.parametrize(("id", "example"), EXAMPLES)
def test_examples(execute, id, example):
    status, answer = execute(json.dumps(example["input"]).encode(), id)
    assert status == 200
    assert answer == strict_json.dump({"result": example["output"]})


@pytest.mark.parametrize("id", CONTRACTS)
def test_contract(ask, id):
    status, headers, body = ask("GET", f"/v1/tools/{id}/versions/1.0.0")
    assert (status, headers["Content-Type"]) == (200, "application/json")
    described = json.loads(body)
    # The keys of the first seed, in its order.
    assert list(described) == [
        "id",
        "version",
        "description",
        "supported_operations",
        "unsupported_operations",
        "semantics",
        "limits",
        "pricing",
        "input_schema",
        "output_schema",
        "examples",
        "execute_url",
    ]
    assert described["pricing"] == {"status": "unpriced", "charge_usd": None}
    assert described["execute_url"] == f"/v1/tools/{id}/versions/1.0.0/execute"
    for key, value in CONTRACTS[id].items():
        assert described[key] == value


def test_listing_leads_to_every_contract(ask):
    status, _, body = ask("GET", "/v1/tools")
    assert status == 200
    tools = json.loads(body)["tools"]
    assert [tool["id"] for tool in tools] == list(CONTRACTS)
    for tool in tools:
        described = json.loads(ask("GET", tool["contract_url"])[2])
        assert tool["version"] == described["version"]
        assert tool["description"] == described["description"]
        assert tool["execute_url"] == described["execute_url"]


def test_health(ask):
    status, _, body = ask("GET", "/healthz")
    assert (status, body) == (200, b'{"status":"ok"}')


def test_the_same_call_gives_the_same_bytes(execute):
    spellings = [
        b'{"hypotheses":["a\\u00e9"],"references":["ab"],"lowercase":true,"beta":2}',
        '{ "beta": 2.0,\n"lowercase": true, "references": ["ab"], "hypotheses": ["aé"] }'.encode(),
    ]
    answers = {execute(body, "chrf-plus-plus-compute") for body in spellings * 5}
    assert len(answers) == 1
    ((status, answer),) = answers
    assert status == 200
    assert '"hypothesis_tokens":[["aé"]]'.encode() in answer


# --- what clients expect of HTTP ----------------------------------------------------------------


def test_head_has_the_headers_of_get(ask):
    for path in ("/healthz", "/v1/tools", COMPUTE, "/openapi.json"):
        got, head = ask("GET", path), ask("HEAD", path)
        assert head[0] == 200
        assert head[2] == b""
        assert head[1]["Content-Length"] == str(len(got[2]))


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/v1/tools", "GET, HEAD, OPTIONS"),
        (COMPUTE, "GET, HEAD, OPTIONS"),
        (f"{COMPUTE}/execute", "OPTIONS, POST"),
        ("/mcp", "OPTIONS, POST"),
    ],
)
def test_methods(ask, path, allowed, message):
    status, headers, body = ask("OPTIONS", path)
    assert (status, headers["Allow"], body) == (204, allowed, b"")
    for method in {"GET", "POST", "PUT", "DELETE", "PATCH", "TRACE"} - set(allowed.split(", ")):
        status, headers, body = ask(method, path, SEED_INPUT, JSON)
        assert allowed in message(status, body, "method_not_allowed")
        assert headers["Allow"] == allowed


def test_a_slash_at_the_end_is_dropped(ask):
    for path in ("/healthz", "/v1/tools", COMPUTE):
        assert ask("GET", f"{path}/")[::2] == ask("GET", path)[::2]
    assert ask("POST", f"{COMPUTE}/execute/", SEED_INPUT, JSON)[0] == 200


def test_a_percent_encoded_id(ask):
    assert ask("GET", "/v1/tools/chrf%2Dcompute/versions/1%2E0.0")[0] == 200


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/", "there is nothing at this path"),
        ("/v1/tools/chrf-compute", "there is nothing at this path"),
        ("/v1/tools//", "there is nothing at this path"),
        ("/healthz//", "there is nothing at this path"),
        ("/healthz%0A", "there is nothing at this path"),
        ("/v1/tools//versions/1.0.0", "there is nothing at this path"),
        ("/v1/tools/a%2Fb/versions/1.0.0", "there is nothing at this path"),
        ("/v1/tools/nope/versions/1.0.0", "there is no tool 'nope'; there are chrf-compute, chrf-"),
        ("/v1/tools/CHRF-compute/versions/1.0.0", "there is no tool 'CHRF-compute'"),
        ("/v1/tools/%FF%00%0A%22/versions/1.0.0", r"there is no tool '\ufffd\x00\n\"'"),
        (f"/v1/tools/{'x' * 5000}/versions/1", f"there is no tool '{'x' * 40}'"),
        ("/v1/tools/chrf-compute/versions/1.0", "chrf-compute has no version '1.0'; it has 1.0.0"),
        ("/v1/tools/chrf-compute/versions/%2e%2e", "chrf-compute has no version '..'"),
    ],
)
def test_not_found(ask, path, said, message):
    status, _, body = ask("GET", path)
    assert message(status, body, "not_found").startswith(said.replace('\\"', '"'))
    if "versions" in path and "/v1/tools//" not in path and "%2F" not in path:
        status, _, body = ask("POST", f"{path}/execute", b"[", {"Content-Type": "text/plain"})
        assert message(status, body, "not_found").startswith(said.replace('\\"', '"'))


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({}, "the content type must be application/json"),
        ({"Content-Type": "text/plain"}, "the content type must be application/json"),
        ({"Content-Type": "application/x-www-form-urlencoded"}, "the content type must be"),
        ({"Content-Type": "application/json-seq"}, "the content type must be application/json"),
        ({"Content-Type": "application/json; charset=latin-1"}, "the charset must be utf-8"),
        ({**JSON, "Content-Encoding": "gzip"}, "without a content encoding"),
        ({**JSON, "Content-Encoding": "br, zstd"}, "without a content encoding"),
    ],
)
def test_unsupported_media_type(ask, headers, said, message):
    status, _, body = ask("POST", f"{COMPUTE}/execute", SEED_INPUT, headers)
    assert said in message(status, body, "unsupported_media_type")


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "Application/JSON"},
        {"Content-Type": "application/json;charset=utf-8"},
        {"Content-Type": 'application/json ; Charset="UTF-8"; x=y'},
        {**JSON, "Content-Encoding": "identity"},
        {**JSON, "Expect": "100-continue"},
        {**JSON, "Accept": "text/html"},
    ],
)
def test_supported_media_types(ask, headers):
    assert ask("POST", f"{COMPUTE}/execute", SEED_INPUT, headers)[0] == 200


def test_requests_that_are_not_http(server, connect):
    for garbage in (b"\x16\x03\x01\x02\x00" * 20, b"GET\r\n\r\n", b"A" * 100_000):
        with connect(server) as client, contextlib.suppress(ConnectionError):
            client.sendall(garbage + b"\r\n\r\n")
            answer = client.recv(65536)
            assert answer.startswith(b"HTTP/1.1 4")
            assert b"Traceback" not in answer


def test_a_connection_is_used_again_after_an_error(server):
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    with contextlib.closing(client):
        for body, headers, expected in (
            (SEED_INPUT, JSON, 200),
            (b"[" * 1000, JSON, 400),
            (SEED_INPUT, {}, 415),
            (SEED_INPUT, JSON, 200),
        ):
            client.request("POST", f"{COMPUTE}/execute", body, headers)
            answer = client.getresponse()
            answer.read()
            assert answer.status == expected
            assert client.sock is not None


# --- OpenAPI ------------------------------------------------------------------------------------


def test_openapi_holds_the_contracts(ask):
    described = json.loads(ask("GET", "/openapi.json")[2])
    assert described["openapi"] == "3.1.0"
    for id, contract in CONTRACTS.items():
        call = described["paths"][f"/v1/tools/{id}/versions/1.0.0/execute"]["post"]
        media = call["requestBody"]["content"]["application/json"]
        assert media["schema"] == contract["input_schema"]
        answer = call["responses"]["200"]["content"]["application/json"]["schema"]
        assert answer["properties"]["result"] == contract["output_schema"]
        assert set(call["responses"]) == {"200", "400", "408", "413", "415", "503"}


def test_schemathesis(server, tmp_path):
    """Requests made from the description: what it allows, and what it does not."""
    pytest.importorskip("schemathesis", reason="schemathesis is not installed")
    arguments = ["run", f"http://127.0.0.1:{server.port}/openapi.json"]
    # A schema cannot say that there are as many hypotheses as references, or how many bytes.
    arguments += ["--exclude-checks", "positive_data_acceptance"]
    arguments += ["--max-examples", "40", "--seed", "1", "--generation-database", "none"]
    found = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr


# --- without a server ---------------------------------------------------------------------------


def call(app, path, body=b"", method="POST"):
    """Status and body of an application's answer."""
    sent = []
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"content-type", b"application/json")],
    }

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(event):
        sent.append(event)

    async def run():
        with contextlib.suppress(RuntimeError):  # Starlette raises it again, for the log
            await app(scope, receive, send)

    asyncio.run(run())
    return sent[0]["status"], sent[1]["body"]


def test_nothing_internal_is_shown(monkeypatch, message):
    def fail(_):
        raise RuntimeError("secret at /home/secret")

    app = make_app()
    monkeypatch.setitem(tools.TOOLS["chrf-compute"], "1.0.0", fail)
    status, body = call(app, f"{COMPUTE}/execute", SEED_INPUT)
    assert message(status, body, "internal_error") == "internal error"


def test_without_the_sdk_there_is_no_mcp(monkeypatch, caplog, message):
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    app = make_app()
    assert "/mcp is not served: MCP needs the package mcp, 2.3 or later: pip" in caplog.text
    assert call(app, f"{COMPUTE}/execute", SEED_INPUT)[0] == 200
    assert message(*call(app, "/mcp"), "not_found") == "there is nothing at this path"
