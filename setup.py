"""Compile the kernels; everything else about the package stands in pyproject.toml.

CHRF_DEBUG=1 builds with bounds checks and C assertions (``make debug``); CHRF_PROFILE=1 with the
lines of the sources for a profiler (``make phases``).
"""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

JOBS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

debug = os.environ.get("CHRF_DEBUG") == "1"
profile = os.environ.get("CHRF_PROFILE") == "1"
directives = {
    "boundscheck": debug,
    "wraparound": False,
    "initializedcheck": debug,
    "cdivision": not debug,
    "auto_pickle": False,
    "autotestdict": False,
}
# Contraction would make doubles differ between machines.
flags = ["-O0", "-g"] if debug else ["-O3", "-g"] if profile else ["-O3", "-g0"]
compile_args = [] if os.name == "nt" else [*flags, "-ffp-contract=off"]
macros = [("CYTHON_CLINE_IN_TRACEBACK", "1")] if debug else []
extensions = [
    Extension(
        ".".join(source.with_suffix("").parts),
        [str(source)],
        extra_compile_args=compile_args,
        define_macros=macros,
        undef_macros=["NDEBUG"] if debug else [],
    )
    for source in sorted(Path("chrf").glob("**/*.pyx"))
]
setup(
    ext_modules=cythonize(
        extensions,
        compiler_directives=directives,
        build_dir="build/cython",
        emit_linenums=profile,
        force=debug or profile,
        nthreads=JOBS,
    ),
    options={"build_ext": {"parallel": JOBS}},
)
