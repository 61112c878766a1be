"""The package as it is installed: what it holds, what it imports, what it leaves alone."""

import importlib
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

import chrf
from chrf.kernel.unbuilt import why_not

ROOT = Path(__file__).parents[1]
PACKAGE = Path(chrf.__file__).parent
# What a sanitizer build needs to run at all; everything else of the environment can go.
KEPT = ("LD_PRELOAD", "ASAN_OPTIONS", "PYTHONMALLOC", "CHRF_SANITIZE", "SYSTEMROOT")

# Tells what an import brings in, and refuses files and sockets meanwhile.
IMPORT = """
import json, os, sys
before = set(sys.modules)
touched = []

def watch(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        if (flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            touched.append([event, str(path)])
    elif event.split(".")[0] in ("socket", "subprocess", "urllib", "http") or event in (
        "os.system", "os.fork", "os.exec", "os.posix_spawn", "os.mkdir", "os.rename", "os.remove",
        "os.putenv", "os.unsetenv", "signal.pthread_kill", "tempfile.mkstemp", "tempfile.mkdtemp",
    ):
        touched.append([event, str(arguments)])

sys.addaudithook(watch)
import {module}
third = {{name.split(".")[0] for name in set(sys.modules) - before}} - set(sys.stdlib_module_names)
print(json.dumps([sorted(third), touched]))
"""


def clean(**variables):
    """An environment that holds nothing but what is needed."""
    kept = {name: os.environ[name] for name in ("PATH", *KEPT) if name in os.environ}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", **variables}


@pytest.fixture(scope="module")
def distribution():
    return importlib.metadata.distribution("chrf")


def test_one_version(distribution):
    assert chrf.__version__ == distribution.version
    assert re.fullmatch(r"\d+\.\d+\.\d+", chrf.__version__)
    assert chrf.corpus_score(["a"], ["a"]).signature.endswith(f"|version:chrf-{chrf.__version__}")


def test_metadata(distribution):
    metadata = distribution.metadata
    assert metadata["Name"] == "chrf"
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == ">=3.10"
    required = [line for line in distribution.requires if "extra ==" not in line]
    assert [re.match(r"\w+", line)[0] for line in required] == ["numpy"]
    assert "progress" in metadata.get_all("Provides-Extra")


def test_what_is_not_used_is_not_imported():
    code = "import sys, chrf; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PACKAGE.anchor
    ).stdout.split()
    late = {"contract", "integrations", "sacrebleu", "stats", "cli", "report", "service", "check"}
    assert "chrf.core.score" in loaded
    assert not {*(f"chrf.{name}" for name in late), "numpy", "difflib", "argparse"} & {*loaded}


def test_type_information_is_installed():
    assert (PACKAGE / "py.typed").read_bytes() == b""
    stubs = [path.relative_to(PACKAGE).with_suffix("") for path in PACKAGE.rglob("*.pyi")]
    assert {"/".join(stub.parts) for stub in stubs} >= {"kernel/count", "core/doubles"}
    compiled = {path.relative_to(PACKAGE).with_suffix("") for path in PACKAGE.rglob("*.pyx")}
    assert compiled <= set(stubs)
    for stub in stubs:
        name = ".".join(("chrf", *stub.parts))
        built = importlib.import_module(name)
        assert not built.__file__.endswith(".py")
        text = (PACKAGE / stub).with_suffix(".pyi").read_text()
        declared = set(re.findall(r"^(?:def|class) (\w+)", text, re.M))
        assert declared
        assert declared <= set(dir(built))


def test_packages_need_no_import_of_their_own(tmp_path):
    """In a process that has imported nothing else."""
    code = (
        "import chrf; chrf.stats.bootstrap_ci; chrf.sacrebleu.CHRF; "
        "chrf.integrations.trl.ChrfReward; chrf.integrations.arrow.score_column"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=clean(), cwd=tmp_path)


def test_public_names_stay():
    """Who imports one of these today does so tomorrow."""
    assert {
        "InvalidInput",
        "Options",
        "Order",
        "Score",
        "__version__",
        "corpus_score",
        "counts",
        "segment_scores",
    } <= set(chrf.__all__)
    assert len(set(chrf.__all__)) == len(chrf.__all__)
    namespace = {}
    exec("from chrf import *", namespace)
    assert set(chrf.__all__) <= set(namespace)
    for name in chrf.__all__:
        assert name == "__version__" or getattr(chrf, name).__doc__


def test_a_score_is_a_number():
    score = chrf.corpus_score(["aa", "xyz"], ["ab", "xyz"])
    assert f"{score:.2f}" == "82.22"
    assert f"{score}" == str(score) == "82.222222"
    assert float(score) == 740 / 9


@pytest.mark.parametrize("module", ["chrf", "chrf.batch"])
def test_importing_touches_nothing(tmp_path, module):
    """No file is written, no socket opened; of other packages only numpy comes in."""
    found = subprocess.run(
        [sys.executable, "-c", IMPORT.format(module=module)],
        cwd=tmp_path,
        env=clean(HOME="/nonexistent", TMPDIR="/nonexistent"),
        capture_output=True,
        text=True,
        check=True,
    )
    third, touched = json.loads(found.stdout)
    assert touched == []
    # Cython registers modules of its own.
    assert {name for name in third if "cython" not in name.lower()} <= {"chrf", "numpy"}
    assert (found.stderr, os.listdir(tmp_path)) == ("", [])


@pytest.mark.parametrize("args", [["f.tsv"], ["-sl", "f.tsv"], ["--check-text", "-b", "f.tsv"]])
def test_two_runs_at_once_in_an_empty_environment(tmp_path, args):
    (tmp_path / "f.tsv").write_text("aa\tab\nxyz\txyz\n")
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "chrf.batch", *args],
            cwd=tmp_path,
            env=clean(HOME="/nonexistent", TMPDIR="/nonexistent"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    first, second = [(*process.communicate(), process.returncode) for process in processes]
    assert first == second
    assert first[2] == 0
    assert b"82.222222" in first[0] or first[0].split() == [b"25.000000", b"100.000000"]
    assert os.listdir(tmp_path) == ["f.tsv"]


PYTHON = f"Python {sys.version_info.major}.{sys.version_info.minor}"
SOURCES = (
    f"this is chrf's source folder, and nothing is compiled in it for {PYTHON}: run pip install "
    "-e . there or, if chrf is installed, start Python in another folder"
)
INSTALLED = f"chrf has no compiled modules for {PYTHON}: install it with that Python's pip"


@pytest.mark.parametrize("checkout", [True, False], ids=["checkout", "installed"])
def test_a_missing_build_is_said_plainly(tmp_path, checkout):
    """Instead of a slow substitute; of a command, in one line."""
    shutil.copytree(
        PACKAGE, tmp_path / "chrf", ignore=lambda _, names: [n for n in names if compiled(n)]
    )
    if checkout:
        (tmp_path / "setup.py").touch()
    message = SOURCES if checkout else INSTALLED

    def failure(*words):
        found = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert found.returncode == 1
        return found.stderr

    shown = failure("-c", "import chrf")
    assert shown.endswith(f"\nImportError: {message}\n")
    assert shown.count("Traceback") == 1  # where it was imported, not why each module failed
    for name in ("chrf", "chrf.batch", "chrf.serve"):
        shown = failure("-m", name)
        assert shown.endswith(f" (ImportError: {message})\n")
        assert shown.count("\n") == 1


def compiled(name):
    return name == "__pycache__" or name.endswith((".so", ".pyd", ".c"))


SECOND_INTERPRETER = """
import sys
if sys.version_info >= (3, 13):
    import _interpreters as interpreters
else:
    import _xxsubinterpreters as interpreters
import chrf
run = '''
try:
    import chrf
except ImportError as error:
    print(error)
'''
interpreters.run_string(interpreters.create(), run)
"""


def test_a_second_interpreter_is_told_that_it_is_one(tmp_path):
    found = subprocess.run(
        [sys.executable, "-c", SECOND_INTERPRETER],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.stdout, found.stderr) == (
        "chrf's compiled modules load into one interpreter per process only, and this is another: "
        "import chrf in one, such as the main interpreter\n",
        "",
    )


def test_what_else_keeps_a_module_from_loading():
    """Such as a library that is gone: what the loader says is true."""
    error = ImportError("libm.so.9: cannot open shared object file", name="chrf.kernel.count")
    assert why_not(error, str(PACKAGE / "__init__.py")) == (
        "chrf's compiled modules cannot be loaded: libm.so.9: cannot open shared object file"
    )


@pytest.mark.skipif(os.name == "nt", reason="setuptools says how to get MSVC")
@pytest.mark.parametrize(
    ("script", "message"),
    [
        (None, "the C compiler '{}' does not work"),
        ("#!/bin/sh\n! grep -q Python.h try.c\n", "Python's header files are not in {}"),
    ],
    ids=["no compiler", "no headers"],
)
def test_what_compiling_needs_is_one_sentence(tmp_path, script, message):
    compiler = tmp_path / "cc"
    if script:
        compiler.write_text(script)
        compiler.chmod(0o755)
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--build-lib", str(tmp_path)]
    found = subprocess.run(
        command, cwd=ROOT, env=clean(CC=str(compiler)), capture_output=True, text=True, check=False
    )
    place = sysconfig.get_path("include") if script else compiler
    assert found.returncode == 1
    assert found.stderr == (
        f"chrf is compiled when it is installed, and {message.format(place)}; "
        "on Debian and Ubuntu: apt-get install build-essential python3-dev\n"
    )


@pytest.fixture(scope="module")
def distributed():
    """The sdist and the wheel that was made from it: the bytes of each file under its name."""
    if "CHRF_DIST" not in os.environ:
        pytest.skip("make sdist builds an sdist and a wheel, and sets CHRF_DIST to their folder")
    folder = Path(os.environ["CHRF_DIST"])
    [sdist], [wheel] = folder.glob("*.tar.gz"), folder.glob("*.whl")
    with tarfile.open(sdist) as archive:
        files = [member for member in archive.getmembers() if member.isfile()]
        packed = {file.name.partition("/")[2]: archive.extractfile(file).read() for file in files}
    with zipfile.ZipFile(wheel) as archive:
        return packed, {name: archive.read(name) for name in archive.namelist()}


def test_sdist_and_wheel_hold_every_file_of_the_package(distributed):
    made = ["*.so", "*.pyd", "*.py[co]"]
    files = [path for path in (ROOT / "chrf").rglob("*") if path.is_file()]
    sources = {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for path in files
        if not any(path.match(pattern) for pattern in made)
    }
    kinds = {".py", ".pyi", ".pyx", ".pxd", ".h", ".typed"}
    assert {Path(name).suffix for name in sources} >= kinds
    for held in distributed:
        assert {name: held.get(name) for name in sources} == sources
        assert not [name for name in held if held[name].startswith(b"/* Generated by Cython")]
    sdist, wheel = distributed
    assert not [name for name in sdist if any(Path(name).match(pattern) for pattern in made)]
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    compiled = {name[: -len(".pyx")] + suffix for name in sources if name.endswith(".pyx")}
    assert {name for name in wheel if name.startswith("chrf/")} == {*sources, *compiled}


def test_sdist_holds_what_builds_and_tests(distributed):
    sdist, _ = distributed
    folders = [ROOT / name for name in ("tests", "bench", "sample", "docs")]
    needed = {path.relative_to(ROOT).as_posix() for f in folders for path in f.rglob("*.[pmtj]*")}
    made = re.compile(r"\.py[co]$|(^|/)\.")  # by Python and by tools
    needed = {name for name in needed if not made.search(name)}
    assert {*needed, "setup.py", "pyproject.toml", "Makefile", "CONTRIBUTING.md"} <= set(sdist)


def test_the_wheel_runs(distributed, tmp_path):
    _, wheel = distributed
    for name, content in wheel.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    code = "import chrf; print(chrf.__file__, chrf.corpus_score(['aa'], ['ab']))"
    shown = subprocess.check_output(
        [sys.executable, "-c", code], cwd=tmp_path, env=clean(PYTHONPATH=str(tmp_path)), text=True
    )
    assert shown == f"{tmp_path / 'chrf' / '__init__.py'} 25.000000\n"
