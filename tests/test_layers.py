"""What import-linter cannot see: which way the compiled modules import each other.

The order of the folders, and of the modules in ``core``, is that of pyproject.toml.
"""

import ast
import re
from pathlib import Path

import pytest

tomllib = pytest.importorskip("tomllib", reason="Python 3.10 cannot read pyproject.toml")

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "chrf"
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "importlinter"
]["contracts"]
IMPORT = re.compile(r"^\s*(?:from\s+(chrf[\w.]*)\s+c?import|c?import\s+(chrf[\w.]*))", re.M)
IMPORTS = sorted(
    (".".join(path.relative_to(ROOT).with_suffix("").parts), target or module)
    for path in [*PACKAGE.rglob("*.pyx"), *PACKAGE.rglob("*.pxd")]
    for target, module in IMPORT.findall(path.read_text(encoding="utf-8"))
)
COMPILED = sorted({path.parent for path in PACKAGE.rglob("*.pyx")})


def places(container, layers, *modules):
    """Return the heights of modules in the layers of a container; None where one is not in them."""
    order = {
        f"{container}.{name.strip(' ()')}": height
        for height, layer in enumerate(reversed(layers))
        for name in layer.split("|")
    }
    depth = container.count(".") + 2
    folders = [".".join(module.split(".")[:depth]) for module in modules]
    return None if len(set(folders)) == 1 else [order.get(folder) for folder in folders]


def allowed(importer, imported):
    """Return whether the imported module is below in every container that holds both modules."""
    for contract in CONTRACTS:
        for container in contract.get("containers", ()):
            heights = places(container, contract["layers"], importer, imported)
            if heights and None not in heights and heights[0] <= heights[1]:
                return False
    return True


@pytest.mark.parametrize(("importer", "imported"), IMPORTS)
def test_imports_go_one_way(importer, imported):
    assert allowed(importer, imported)


def test_the_order_is_that_of_the_contracts():
    assert IMPORTS
    assert allowed("chrf.core.doubles", "chrf.kernel.count")
    assert not allowed("chrf.kernel.count", "chrf.core.doubles")
    assert not allowed("chrf.core.options", "chrf.core.score")


@pytest.mark.parametrize("folder", COMPILED, ids=lambda folder: folder.name)
def test_folders_of_compiled_modules_import_nothing(folder):
    """import-linter takes `from chrf.kernel import count` for all that the folder imports."""
    docstring, *rest = ast.parse((folder / "__init__.py").read_text(encoding="utf-8")).body
    assert isinstance(docstring.value, ast.Constant)
    assert not rest
