"""One module for each library, named as the library: an adapter that moves text in and scores out.

`arrow` serves every library of columns. ``chrf.integrations.trl`` and the others are imported when
they are first used. None imports its library before it is used, except `torchmetrics`, whose class
derives from the library's. A new one is a module here, its name in ``__all__``, an extra in
pyproject.toml and a section of docs/training.md or docs/columns.md.
"""

from importlib import import_module
from typing import Any

__all__ = ["arrow", "evaluate", "torchmetrics", "transformers", "trl"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
