"""Every compiled function while allocations fail: MemoryError or the right result, and no crash."""

import ast
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("_testcapi", reason="this Python cannot let allocations fail")

ROOT = Path(__file__).parents[1]
SCRIPT = Path(__file__).with_name("failing_allocations.py")
NAMES = sorted(runpy.run_path(str(SCRIPT))["CALLS"])


def functions(path):
    """Return the names of the functions, methods and properties that a .pyi declares."""
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        inner = node.body if isinstance(node, ast.ClassDef) else []
        if isinstance(node, ast.FunctionDef):
            yield f"{module}.{node.name}"
        for method in inner:
            if isinstance(method, ast.FunctionDef):
                yield f"{module}.{node.name}.{method.name}"


def test_every_compiled_function_is_here():
    stubs = sorted(ROOT.glob("chrf/**/*.pyi"))
    compiled = sorted(ROOT.glob("chrf/**/*.pyx"))
    assert [path.stem for path in stubs] == [path.stem for path in compiled] != []
    assert sorted(name for path in stubs for name in functions(path)) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_allocations_fail(name, tmp_path):
    if ".columns." in name:
        pytest.importorskip("pyarrow")
    done = subprocess.run(
        [sys.executable, SCRIPT, name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{name}: {done.returncode}\n{done.stderr[-2000:]}"
    assert int(done.stdout) > 0
