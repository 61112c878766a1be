"""``python -m chrf.tools``: lists, describes and runs the tools, here or on a server."""

from __future__ import annotations

import argparse
import errno
import json
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

from chrf.cli.command import Parser, printing, run_command
from chrf.contract import InvalidInput
from chrf.core.options import VERSION
from chrf.files.kinds import HEAD_BYTES, kind_of
from chrf.files.names import STANDARD_INPUT, InputError, file_name
from chrf.service import strict_json, tools
from chrf.service.errors import RequestError

TIMEOUT = 60  # seconds without a byte from the server
MAX_ANSWER_BYTES = 1 << 24


class RemoteError(InputError):
    """A server that cannot be reached, or does not answer as these tools do."""


def main(arguments: Sequence[str] | None = None, prog: str = "python -m chrf.tools") -> int:
    """Run the command line; return its exit status."""
    return run_command(make_parser(prog), arguments, lambda parsed: parsed, answer)


def answer(settings: argparse.Namespace) -> None:
    """Print what the command returns; what a tool does not accept is an `InputError`."""
    try:
        text = settings.command(settings)
    except (RequestError, InvalidInput) as error:
        raise InputError(f"{error.code}: {error}") from None
    with printing():
        print(text)


def make_parser(prog: str) -> Parser:
    """Make the parser of the command line."""
    parser = Parser(
        prog=prog,
        description="Lists, describes and runs chrf-compute and its neighbours.",
        epilog="Exit status: 0; 1 for input that a tool refuses, or a server; 2 for wrong usage.",
        allow_abbrev=False,
    )
    parser.add_argument("-V", "--version", action="version", version=f"chrf {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    tool = Parser(add_help=False)
    tool.add_argument("id", metavar="ID")
    tool.add_argument("version", metavar="VERSION")

    command = commands.add_parser("list", help="one tool a line", allow_abbrev=False)
    command.set_defaults(command=list_tools)
    command = commands.add_parser(
        "describe", parents=[tool], help="the contract of a tool", allow_abbrev=False
    )
    command.set_defaults(command=describe)
    command = commands.add_parser("run", parents=[tool], help="call a tool", allow_abbrev=False)
    command.add_argument(
        "--input", required=True, metavar="FILE", help="the input as JSON; '-': standard input"
    )
    command.add_argument(
        "--base-url", type=base_url, metavar="URL", help="call it there (default: compute here)"
    )
    command.set_defaults(command=run)
    return parser


def base_url(text: str) -> str:
    """Read the address of a server, without a slash at its end."""
    if not re.match("https?://[^/]", text, re.IGNORECASE):
        raise argparse.ArgumentTypeError(f"{text!r} is not the address of a server, as in http://a")
    return text.rstrip("/")


# --- commands -----------------------------------------------------------------------------------


def list_tools(_: argparse.Namespace) -> str:
    """List id, version and description of every tool, one tool a line."""
    columns = ("id", "version", "description")
    return "\n".join("\t".join(tool[key] for key in columns) for tool in tools.listing()["tools"])


def describe(settings: argparse.Namespace) -> str:
    """Return the contract of a tool."""
    return indented(tools.describe(settings.id, settings.version))


def run(settings: argparse.Namespace) -> str:
    """Call a tool, here or on a server."""
    body = read(settings.input)
    if settings.base_url is None:
        return indented(tools.execute(settings.id, settings.version, body))
    return ask(settings.base_url, settings.id, settings.version, body)


def indented(value: Any) -> str:
    """Write a JSON value, indented."""
    return strict_json.dump(value, indent=2).decode()


def read(path: str) -> bytes:
    """Read the input; no more of it than a server would take."""
    name, standard = file_name(path), path == STANDARD_INPUT
    if standard and sys.stdin is None:
        raise OSError(f"{name}: standard input is closed")
    where: int | str = sys.stdin.fileno() if standard else path
    body = b""
    try:
        with open(where, "rb", buffering=0, closefd=not standard) as file:
            while len(body) <= strict_json.MAX_BODY_BYTES:
                more = file.read(strict_json.MAX_BODY_BYTES + 1 - len(body))
                if more is None:  # a stream that does not wait; what else it holds is not known
                    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
                if not more:
                    break
                body += more
    except (OSError, ValueError) as error:  # a name may hold what no file name can
        raise OSError(f"{name}: {getattr(error, 'strerror', None) or error}") from None
    if len(body) > strict_json.MAX_BODY_BYTES:
        raise strict_json.too_large()
    if found := kind_of(body[:HEAD_BYTES]):
        raise InputError(f"{name}: is {found[0]}; {found[1]}")
    return body


# --- a server -----------------------------------------------------------------------------------


def ask(base: str, id: str, version: str, body: bytes) -> str:
    """Call a tool on a server; its error object is raised as a `RequestError`."""
    import http.client
    from urllib.error import HTTPError
    from urllib.parse import quote
    from urllib.request import Request, urlopen

    # As bytes: a word of the command line need not be UTF-8.
    parts = [quote(os.fsencode(part), safe="") for part in (id, version)]
    url = f"{base}{tools.path(*parts)}/execute"
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    try:
        try:
            response = urlopen(Request(url, body, headers), timeout=TIMEOUT)
        except HTTPError as error:  # an answer like any other
            response = error
        with response:
            status = f"{response.status} {response.reason}"
            text = response.read(MAX_ANSWER_BYTES)
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise RemoteError(f"{base}: {getattr(reason, 'strerror', None) or reason}") from None
    return answered(base, status, text)


def answered(base: str, status: str, body: bytes) -> str:
    """Read an answer; return its result, indented."""
    try:
        value = json.loads(body)
        error = value.get("error")
        if error is None and "result" in value:
            return indented(value)
        problem = RequestError(str(error["code"]), str(error["message"]))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise RemoteError(f"{base}: {status}, with neither a result nor an error object") from None
    raise problem
