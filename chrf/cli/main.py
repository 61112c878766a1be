"""``python -m chrf``: the commands under one name."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

from chrf.cli.command import Parser
from chrf.core.options import VERSION

PROG = "python -m chrf"

# The first word -> the module in this folder whose `main` takes the others.
COMMANDS = {
    "score": "chrf.cli.score",
    "merge": "chrf.cli.merge",
    "tools": "chrf.cli.tools",
    "serve": "chrf.cli.serve",
    "mcp": "chrf.cli.mcp",
}

EPILOG = """commands:
  score   score files of hypotheses and references (also without the word)
  merge   add the JSON results of separate runs into the score of the whole
  tools   list, describe and run the tools, here or on a server
  serve   serve the tools over HTTP
  mcp     serve the tools over MCP, on standard input and output

examples:
  %(prog)s two-columns.tsv
  %(prog)s --header --reference reference table.tsv
  %(prog)s --reference-file reference.txt hypothesis.txt
  %(prog)s --word-order 2 table.tsv                  chrF++
  %(prog)s --format json part.tsv > part.json
  %(prog)s merge part.json other.json

%(prog)s COMMAND --help shows the options of a command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the first word names, or score; return the exit status.

    Without any word, and with nobody but a terminal to send text, say what there is.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words and sys.stdin is not None and sys.stdin.isatty():
        make_parser().print_help()
        return 0
    command, prog = "score", PROG
    if words and words[0] in COMMANDS:
        command = words.pop(0)
        prog = f"{PROG} {command}"
    status: int = importlib.import_module(COMMANDS[command]).main(words, prog)
    return status


def make_parser() -> Parser:
    """Return the parser that writes the short help."""
    return Parser(
        prog=PROG,
        usage="%(prog)s [COMMAND] [option ...] [FILE ...]",
        description=f"Exact chrF and chrF++ of translations, version {VERSION}.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
