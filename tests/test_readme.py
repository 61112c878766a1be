"""What README.md and docs/command-line.md show is what comes out; what they name is there."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
COMMAND_LINE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def console_blocks(page):
    """The console blocks of a page."""
    return re.findall(r"^```console\n(.*?)^```", page, re.DOTALL | re.MULTILINE)


BLOCKS = {"README": console_blocks(README), "command-line": console_blocks(COMMAND_LINE)}


def run(command, folder):
    """What a terminal shows of the command, standard error included."""
    bin_folder = folder / "bin"
    bin_folder.mkdir(exist_ok=True)
    python = bin_folder / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    environment = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    ).stdout.decode()


@pytest.mark.parametrize("page", BLOCKS)
def test_commands(page, tmp_path):
    """The blocks of a page run in one folder, in their order: later ones use earlier files."""
    shutil.copy(ROOT / "sample" / "news.tsv", tmp_path)
    for block in BLOCKS[page]:
        shown, printed = block.splitlines(), []
        for line in shown:
            if line.startswith("$ "):
                printed += [line, *run(line[2:], tmp_path).splitlines()]
        assert printed == shown


def test_there_are_examples():
    assert len(BLOCKS["README"]) >= 2
    assert len(BLOCKS["command-line"]) >= 8


def test_library_example():
    (block,) = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(block, {}, "README.md", "README.md", 0)
    results = doctest.DocTestRunner().run(test)
    assert results.attempted >= 4
    assert results.failed == 0


def test_the_table_of_changes_names_every_folder_and_files_that_exist():
    folders = {path.parent.name for path in (ROOT / "chrf").glob("*/__init__.py")}
    rows = dict(re.findall(r"^\| `chrf/(\w+)/` \|.*\| (.*) \|$", CONTRIBUTING, re.MULTILINE))
    assert set(rows) == folders
    for folder, files in rows.items():
        names = re.findall(r"`(\S+)`", files)
        assert names
        assert [name for name in names if not (ROOT / "chrf" / folder / name).exists()] == []


def test_every_make_target_of_the_pages_exists():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in (README, CONTRIBUTING):
        assert set(re.findall(r"(?:^    |`)make ([\w-]+)", page, re.MULTILINE)) <= targets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\((?!https?:)([^)]*)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
