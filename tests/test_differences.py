"""docs/differences.md is true: its examples run here with this package, sacreBLEU and NLTK.

A ```python block of the page assigns its input (``H = [...]``) and then has one call a line with
the value after two spaces and ``# ``: six decimals and the fraction of one of our scores, a number
cut to some digits, a text, or the exception that the call raises. Lines that start with ``# ``
quote chrF++.py and torchmetrics, which are not installed here; only their form is checked. A
```console block has commands after ``$ ``, each followed by what it prints.
"""

import builtins
import os
import re
import shutil
import subprocess
import sysconfig
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pytest
import sacrebleu
from nltk.translate.chrf_score import corpus_chrf
from sacrebleu.metrics import CHRF
from sacrebleu.significance import _bootstrap_resample

import chrf

PAGE = (Path(__file__).parent.parent / "docs" / "differences.md").read_text(encoding="utf-8")

NAMES = {
    "chrf": chrf,
    "sacrebleu": sacrebleu,
    "CHRF": CHRF,
    "_bootstrap_resample": _bootstrap_resample,
    "corpus_chrf": corpus_chrf,
    "Fraction": Fraction,
}
INPUT = re.compile(r"\w+ = .+")
CALL = re.compile(r"(\S.*?)  # (\S.*)")
QUOTED = re.compile(r"# (chrF\+\+\.py( -\w+ [\d.]+)*|torchmetrics chrf_score\(.+\)\S*): \S+")
NUMBER = re.compile(r"\d+\.(\d+)(e-\d+)?")


class Block(NamedTuple):
    """A fenced block: its language, the heading above it, its numbered lines."""

    language: str
    heading: str
    lines: list[tuple[int, str]]

    def calls(self):
        """Line number, call and value of every line to run."""
        for number, line in self.lines:
            if match := CALL.fullmatch(line):
                yield number, match[1], match[2]

    def inputs(self):
        """The names that calls may use."""
        names = dict(NAMES)
        for _, line in self.lines:
            if INPUT.fullmatch(line):
                exec(line, names)
        return names


def read_blocks():
    blocks, heading, inside = [], "", False
    for number, line in enumerate(PAGE.split("\n"), start=1):
        if line.startswith("```"):
            inside = not inside
            if inside:
                blocks.append(Block(line[3:], heading, []))
        elif inside:
            blocks[-1].lines.append((number, line))
        elif line.startswith("#"):
            heading = line.lstrip("# ")
    return blocks


BLOCKS = read_blocks()
PYTHON = [block for block in BLOCKS if block.language == "python"]
CONSOLE = [block for block in BLOCKS if block.language == "console"]
CALLS = [
    pytest.param(block, call, value, id=f"line{number}")
    for block in PYTHON
    for number, call, value in block.calls()
]


def as_on_page(result, value):
    """The result of a call, written in the way the page writes the value."""
    if isinstance(result, chrf.Score):
        return f"{result} ({result.fraction.numerator}/{result.fraction.denominator})"
    if isinstance(result, float):
        digits, exponent = NUMBER.fullmatch(value).groups()
        return format(result, f".{len(digits)}{'e' if exponent else 'f'}")
    return str(result)


@pytest.mark.parametrize(("block", "call", "value"), CALLS)
def test_call_gives_the_value_on_the_page(block, call, value):
    names = block.inputs()
    if value.endswith("Error"):
        with pytest.raises(getattr(builtins, value)) as caught:
            eval(call, names)
        assert caught.type.__name__ == value
    else:
        assert as_on_page(eval(call, names), value) == value


@pytest.mark.skipif(shutil.which("sh") is None, reason="the commands are written for sh")
@pytest.mark.parametrize("block", CONSOLE, ids=lambda block: f"line{block.lines[0][0]}")
def test_command_prints_what_the_page_shows(block, tmp_path):
    environment = {key: os.environ[key] for key in os.environ if not key.startswith("SACREBLEU_")}
    environment["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    shown, printed = [line for _, line in block.lines], []
    for line in shown:
        if line.startswith("$ "):
            run = subprocess.run(
                ["sh", "-c", line[2:]],
                cwd=tmp_path,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                timeout=60,
                check=False,
            )
            printed += [line, *run.stdout.splitlines()]
    assert printed == shown


def test_every_line_of_an_example_is_understood():
    for block in PYTHON:
        for number, line in block.lines:
            forms = [form for form in (INPUT, CALL, QUOTED) if form.fullmatch(line)]
            assert len(forms) == 1, f"line {number} of the page: {line}"
    assert {block.language for block in BLOCKS} == {"python", "console"}


def test_every_section_shows_a_value_of_ours_and_one_of_another_tool():
    headings = {line[4:] for line in PAGE.split("\n") if line.startswith("### ")}
    ours, theirs = set(), set()
    for block in BLOCKS:
        for _, line in block.lines:
            if line.startswith(("chrf.", "float(chrf.")):
                ours.add(block.heading)
            elif not INPUT.fullmatch(line):
                theirs.add(block.heading)
    assert headings <= ours
    assert headings <= theirs


def test_table_links_every_section_once():
    lines = PAGE.split("\n")
    anchors = [
        re.sub(r"[^\w\- ]", "", line[4:].lower()).replace(" ", "-")
        for line in lines
        if line.startswith("### ")
    ]
    rows = [match[1] for line in lines if (match := re.fullmatch(r"\|.+\|.+\| \[(\d+)\] \|", line))]
    links = [match.groups() for line in lines if (match := re.fullmatch(r"\[(\d+)\]: #(.+)", line))]
    assert rows == [anchor.split("-")[0] for anchor in anchors]
    assert links == list(zip(rows, anchors, strict=True))


@pytest.mark.parametrize(("title", "package"), [("sacreBLEU", "sacrebleu"), ("NLTK", "nltk")])
def test_page_names_the_versions_that_run_here(title, package):
    assert f"**{title}** {version(package)}" in PAGE
