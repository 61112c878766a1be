"""The README's examples: what it shows is what comes out."""

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
BLOCKS = re.findall(r"^```console\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def run(commands, folder):
    """What a terminal shows of the commands, standard error included."""
    bin_folder = folder / "bin"
    bin_folder.mkdir(exist_ok=True)
    python = bin_folder / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    environment = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["sh", "-c", "\n".join(commands)],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    ).stdout.decode()


@pytest.mark.parametrize("block", BLOCKS)
def test_commands(block, tmp_path):
    shutil.copy(ROOT / "sample" / "news.tsv", tmp_path)
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    shown = [line for line in block.splitlines() if not line.startswith("$ ")]
    assert commands
    assert shown
    assert run(commands, tmp_path).splitlines() == shown


def test_there_are_examples():
    assert len(BLOCKS) >= 4


def test_library_example():
    (block,) = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(block, {}, "README.md", "README.md", 0)
    results = doctest.DocTestRunner().run(test)
    assert results.attempted >= 4
    assert results.failed == 0


def test_every_folder_stands_in_the_table_of_changes():
    folders = {path.parent.name for path in (ROOT / "chrf").glob("*/__init__.py")}
    named = set(re.findall(r"`chrf/(\w+)/`", (ROOT / "CONTRIBUTING.md").read_text()))
    assert named == folders


def test_every_make_target_of_the_readme_exists():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"make ([\w-]+)", README)) <= targets
