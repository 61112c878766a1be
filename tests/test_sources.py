"""What linters do not see in the compiled sources; `make lint` runs this file.

Cython 3.3.1 frees an item twice where a comprehension fails to append it (its
``__Pyx_ListComp_AppendAndDecref``), also where it makes a tuple, or a list of a generator. A loop
with ``append`` is right: `tests/test_allocations.py` tries all of it.
"""

import io
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*ROOT.glob("chrf/**/*.pyx"), *ROOT.glob("chrf/**/*.pxd")])


def comprehensions(source):
    """Return the lines with a ``for`` inside of brackets: a comprehension or a generator."""
    depth, lines = 0, []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        elif token.string == "for" and depth:
            lines.append(token.start[0])
    return lines


def test_sources_are_found():
    assert {path.suffix for path in SOURCES} == {".pyx", ".pxd"}
    assert len(SOURCES) > 20


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_comprehension(path):
    found = comprehensions(path.read_text(encoding="utf-8"))
    assert not found, f"{path.relative_to(ROOT)}: comprehensions in lines {found}"


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("x = [i for i in y]\n", [1]),
        ("x = {i: 1 for i in y}\n", [1]),
        ("x = tuple(\n    i\n    for i in y\n)\n", [3]),
        ("cdef int f(int a):\n    for i in range(a):\n        g(<int64_t *>b, &c[0], c'\"')\n", []),
        ('"""[x for x in y]"""  # (x for x in y)\nfor x in [y]: z\n', []),
    ],
)
def test_the_check_itself(source, lines):
    assert comprehensions(source) == lines
