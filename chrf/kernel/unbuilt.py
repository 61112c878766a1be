"""Why compiled modules cannot be imported, and what to do about it."""

from __future__ import annotations

import os
import sys


def why_not(error: ImportError, package: str) -> str:
    """Return the message for an error of importing what is compiled.

    Parameters
    ----------
    error : ImportError
    package : str
        The file that is the package.
    """
    if "interpreter" in str(error):
        return (
            "chrf's compiled modules load into one interpreter per process only, and this is "
            "another: import chrf in one, such as the main interpreter"
        )
    if not (isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("chrf.")):
        return f"chrf's compiled modules cannot be loaded: {error}"
    folder = os.path.dirname(os.path.dirname(os.path.abspath(package)))
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    if os.path.exists(os.path.join(folder, "setup.py")):
        return (
            f"this is chrf's source folder, and nothing is compiled in it for {python}: run "
            "pip install -e . there or, if chrf is installed, start Python in another folder"
        )
    return f"chrf has no compiled modules for {python}: install it with that Python's pip"
