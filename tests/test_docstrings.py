"""Docstrings of what a user calls name every parameter, in numpydoc's sections."""

import inspect
import re
from importlib import import_module
from typing import Protocol

import pytest

ADAPTERS = ("arrow", "evaluate", "torchmetrics", "transformers", "trl")
MODULES = ("chrf", "chrf.stats", "chrf.sacrebleu", "chrf.contract")


def public(module):
    """Yield name and value of the functions, classes and methods of a module."""
    own = [name for name, value in vars(module).items() if inspect.getmodule(value) is module]
    for name in getattr(module, "__all__", own):
        value = getattr(module, name)
        if inspect.isfunction(value) and not name.startswith("_"):
            yield name, value
        if not inspect.isclass(value) or {Exception, Protocol} & {*value.__mro__}:
            continue
        yield name, value
        for method, member in vars(value).items():
            function = getattr(member, "__func__", member)
            if inspect.isfunction(function) and (method == "__call__" or method[0] != "_"):
                yield f"{name}.{method}", function


def named(docstring):
    """Return the names in the sections of parameters and of attributes."""
    _, *parts = re.split(r"^([A-Z]\w+)\n-+\n", inspect.cleandoc(docstring), flags=re.MULTILINE)
    found = set()
    for title, section in zip(parts[::2], parts[1::2], strict=True):
        if title in ("Parameters", "Attributes"):
            for line in re.findall(r"^\S.*", section, re.MULTILINE):
                found |= set(line.split(" : ")[0].replace("*", "").split(", "))
    return found


@pytest.mark.parametrize("module", [*MODULES, *(f"chrf.integrations.{name}" for name in ADAPTERS)])
def test_every_parameter_is_named(module):
    if module.endswith("torchmetrics"):
        pytest.importorskip("torchmetrics")
    functions = dict(public(import_module(module)))
    assert functions
    missing = [
        f"{name}({parameter})"
        for name, function in functions.items()
        for parameter in inspect.signature(function).parameters
        if parameter not in {"self", "cls", *named(function.__doc__)}
    ]
    assert missing == []
