"""Compile the kernels; everything else about the package stands in pyproject.toml.

One of these variables chooses another build than the one that people install:

    CHRF_DEBUG=1      bounds checks and C assertions, no optimisation (``make debug``)
    CHRF_SANITIZE=1   AddressSanitizer and UndefinedBehaviorSanitizer (``make asan``)
    CHRF_PROFILE=1    optimised, with the lines of the sources for a profiler (``make phases``)
    CHRF_SCALAR=1     without vectors, as for a compiler that has none

``python setup.py compiler`` says only whether C that uses Python can be compiled.
"""

import os
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

JOBS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
FLAGS = {
    "release": ["-O3", "-g0"],  # debug information names folders, and is most of the file
    "debug": ["-O0", "-g"],
    "sanitize": ["-O1", "-g", *SANITIZERS],
    "profile": ["-O3", "-g"],
    "scalar": ["-O3", "-g0", "-DCHRF_ONLY_SCALAR"],
}
KIND = next((kind for kind in FLAGS if os.environ.get(f"CHRF_{kind.upper()}") == "1"), "release")
DEBUG = KIND == "debug"
HEADERS = [str(path) for path in sorted(Path("chrf").glob("**/*.h"))]
DIRECTIVES = {
    "boundscheck": DEBUG,
    "wraparound": False,
    "initializedcheck": DEBUG,
    "cdivision": not DEBUG,
    "auto_pickle": False,
    "autotestdict": False,
}


def check_compiler():
    """Raise SystemExit with one sentence if C that uses Python's headers cannot be compiled."""
    if os.name == "nt":
        return  # MSVC is found in the registry, and setuptools says where to get it
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    named = compiler[compiler[0] == "ccache" :]
    flags = shlex.split(" ".join(os.environ.get(name, "") for name in ("CPPFLAGS", "CFLAGS")))
    headers = [sysconfig.get_path("include"), sysconfig.get_path("platinclude")]
    command = [*compiler, *flags, *(f"-I{folder}" for folder in headers), "-c", "try.c"]
    for header, problem in (
        ("stdio.h", f"the C compiler {shlex.join(named)!r} does not work"),
        ("Python.h", f"Python's header files are not in {headers[0]}"),
    ):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "try.c").write_text(f"#include <{header}>\n")
            try:
                subprocess.run(command, cwd=folder, check=True, capture_output=True)
            except (OSError, subprocess.CalledProcessError):
                sys.exit(
                    f"chrf is compiled when it is installed, and {problem}; "
                    "on Debian and Ubuntu: apt-get install build-essential python3-dev"
                )


if sys.argv[1:] == ["compiler"]:  # make asks first: pip would wrap the sentence in many lines
    check_compiler()
    sys.exit()

from Cython.Build import cythonize  # noqa: E402
from setuptools import Extension, setup  # noqa: E402
from setuptools.command.build import build  # noqa: E402
from setuptools.command.build_ext import build_ext  # noqa: E402


class Build(build):
    """Look for the compiler before hundreds of lines say which files were copied."""

    def run(self):
        """Check, then build."""
        check_compiler()
        super().run()


class BuildExtensions(build_ext):
    """Run Cython only where something is compiled: an sdist and the metadata need none of it."""

    def run(self):
        """Translate every .pyx file, then compile."""
        check_compiler()
        sources = cythonize(
            self.extensions,
            compiler_directives=DIRECTIVES,
            build_dir=f"build/cython-{KIND}",
            emit_linenums=KIND == "profile",
            nthreads=JOBS,
        )
        translated = {extension.name: extension for extension in sources}
        for extension in self.extensions:
            extension.sources = translated[extension.name].sources
            extension.depends = [*translated[extension.name].depends, *HEADERS]
        super().run()


def extension(source):
    """Return how one .pyx file is compiled."""
    posix = os.name != "nt"
    return Extension(
        ".".join(source.with_suffix("").parts),
        [str(source)],
        include_dirs=["."],
        # Contraction would make doubles differ between machines.
        extra_compile_args=[*FLAGS[KIND], "-ffp-contract=off"] if posix else [],
        extra_link_args=SANITIZERS if KIND == "sanitize" else [],
        define_macros=[("CYTHON_CLINE_IN_TRACEBACK", "1")] if DEBUG else [],
        undef_macros=["NDEBUG"] if DEBUG else [],
    )


# Cython's workers import this file where processes are spawned (macOS, Python 3.14).
if __name__ == "__main__":
    setup(
        ext_modules=[extension(source) for source in sorted(Path("chrf").glob("**/*.pyx"))],
        cmdclass={"build": Build, "build_ext": BuildExtensions},
        # Objects of different flags lie in different folders.
        options={
            "build": {"build_base": f"build/{KIND}"},
            "build_ext": {"parallel": JOBS},
        },
    )
