"""Result files appear whole or not at all, whatever happens to the run that writes them."""

import contextlib
import gzip
import os
import signal
import stat
import subprocess
import sys
import threading
import time

import pytest

from chrf.files.output import OutputError, one_line, whole_file

HEADER = "file\tline\tsystem\tscore\n"
ROWS = b"the cat sat\tthe cat sits\n" * 60_000  # more than the blocks that are read ahead


def run(folder, *arguments, data=None, **keywords):
    return subprocess.run(
        [sys.executable, "-m", "chrf.batch", *arguments],
        cwd=folder,
        input=data,
        capture_output=True,
        check=False,
        **keywords,
    )


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def permissions(path):
    return stat.S_IMODE(path.stat().st_mode)


# The file by itself.


@pytest.mark.parametrize("name", ["out.tsv", "out.tsv.gz"])
def test_the_file_appears_when_it_is_whole(tmp_path, name):
    path = tmp_path / name
    with whole_file(os.fspath(path)) as file:
        file.write("é\udcff\r\n" * 9)
        file.flush()
        assert not path.exists()
        assert len(names(tmp_path)) == 1
    assert names(tmp_path) == [name]
    read = gzip.open if name.endswith(".gz") else open
    with read(path, "rb") as file:
        assert file.read() == b"\xc3\xa9\xff\r\n" * 9


@pytest.mark.parametrize("name", ["out.tsv", "out.tsv.gz"])
@pytest.mark.parametrize("before", [None, "what was there"])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
def test_a_failure_leaves_what_was_there(tmp_path, name, before, error):
    path = tmp_path / name
    if before:
        path.write_text(before)

    def fail():
        with whole_file(os.fspath(path)) as file:
            file.write("x" * 100_000)
            raise error

    with pytest.raises(error):
        fail()
    assert names(tmp_path) == ([name] if before else [])
    assert not before or path.read_text() == before


def test_the_same_scores_are_the_same_bytes(tmp_path, monkeypatch):
    path = tmp_path / "out.gz"
    contents = set()
    for now in (0.0, 1e9):
        monkeypatch.setattr(time, "time", lambda now=now: now)
        with whole_file(os.fspath(path)) as file:
            file.write("x")
        contents.add(path.read_bytes())
    assert len(contents) == 1


def test_permissions(tmp_path):
    """A new file has what the umask leaves; one that is replaced keeps its own."""
    path = tmp_path / "out.tsv"
    before = os.umask(0o027)
    try:
        with whole_file(os.fspath(path)):
            pass
        assert permissions(path) == 0o640
        path.chmod(0o606)
        with whole_file(os.fspath(path)) as file:
            assert permissions(next(tmp_path.glob(".out*"))) == 0o600
            file.write("x")
        assert (permissions(path), path.read_text()) == (0o606, "x")
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)


def test_a_link_stays_one(tmp_path):
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link"
    link.symlink_to("folder/out.tsv")
    for text in ("first", "second"):
        with whole_file(os.fspath(link)) as file:
            file.write(text)
        assert link.is_symlink()
        assert (tmp_path / "folder" / "out.tsv").read_text() == text
    assert names(tmp_path / "folder") == ["out.tsv"]


@pytest.mark.parametrize("name", ["x" * 255, "é" * 127, "-", "a\nb", "\udcff"])
def test_any_name(tmp_path, name):
    path = tmp_path / name
    with whole_file(os.fspath(path)) as file:
        file.write("x")
    assert path.read_text() == "x"
    assert names(tmp_path) == [name]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none/out.tsv", "No such file or directory"),
        ("", "Is a directory"),
        ("new/", "Is a directory"),
        ("folder", "Is a directory"),
        ("folder/", "Is a directory"),
        ("file/out.tsv", "Not a directory"),
        ("x" * 256, "File name too long"),
        ("/dev/full", "No space left on device"),
    ],
)
def test_what_cannot_be_written(tmp_path, monkeypatch, name, reason):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(OutputError) as caught, whole_file(name) as file:
        file.write("x" * 100_000)
    assert str(caught.value) == f"{name}: {reason}"
    assert names(tmp_path) == ["file", "folder"]
    assert names(tmp_path / "folder") == []


def test_a_file_that_may_not_be_written(tmp_path, monkeypatch):
    """Its folder would let it be replaced; root may write everything, so this is pretended."""
    path = tmp_path / "out.tsv"
    path.write_text("kept")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda file, mode: False)
    with pytest.raises(OutputError, match=r"out\.tsv: Permission denied"), whole_file(str(path)):
        pass
    assert path.read_text() == "kept"
    assert names(tmp_path) == ["out.tsv"]


def test_a_folder_that_may_not_be_written(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    path = tmp_path / "out.tsv"
    with pytest.raises(OutputError, match=r"out\.tsv: Permission denied"), whole_file(str(path)):
        pass
    assert names(tmp_path) == []


def test_a_disk_that_fills_at_the_end(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    path = tmp_path / "out.tsv"
    with pytest.raises(OutputError, match=r"out\.tsv: No space left"), whole_file(str(path)):
        pass
    assert names(tmp_path) == []


def test_a_pipe_is_written_to_directly(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()))
    reader.start()
    with whole_file(os.fspath(pipe)) as file:
        file.write("x" * 100_000)
    reader.join()
    assert found == ["x" * 100_000]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names(tmp_path) == ["pipe"]


def test_the_callers_handlers_come_back(tmp_path):
    def mine(number, frame):
        raise AssertionError

    before = signal.signal(signal.SIGHUP, mine)
    try:
        with whole_file(os.fspath(tmp_path / "out.tsv")):
            assert signal.getsignal(signal.SIGHUP) is mine
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        assert signal.getsignal(signal.SIGHUP) is mine
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


def test_in_another_thread(tmp_path):
    """Only the main thread may set handlers."""
    errors = []

    def write():
        try:
            with whole_file(os.fspath(tmp_path / "out.tsv")) as file:
                file.write("x")
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    thread.join()
    assert (errors, names(tmp_path)) == ([], ["out.tsv"])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain é 系统 \u200d\u00ad", "plain é 系统 \u200d\u00ad"),
        ("a\tb\nc\rd", r"a\tb\nc\rd"),
        ("\0\x1b[31m\x7f\x85\u2028\u2029", r"\x00\x1b[31m\x7f\x85\u2028\u2029"),
        ("\udcff", "\udcff"),
    ],
)
def test_one_line(text, line):
    assert one_line(text) == line


# The run that writes it.


@contextlib.contextmanager
def inherited(actions):
    """A new process inherits which signals are ignored; the tests may run under nohup."""
    before = {number: signal.signal(number, action) for number, action in actions.items()}
    try:
        yield
    finally:
        for number, action in before.items():
            signal.signal(number, action)


@pytest.fixture
def running(tmp_path):
    """A run that has written segment scores and is in the middle of its input, or at no end."""

    def start(*arguments, endless=True, hang_up=signal.SIG_DFL):
        source = subprocess.PIPE
        if endless:
            rows = subprocess.Popen(["yes", "the cat sat\tthe cat sits"], stdout=subprocess.PIPE)
            processes.append(rows)
            source = rows.stdout
        with inherited({signal.SIGINT: signal.SIG_DFL, signal.SIGHUP: hang_up}):
            process = subprocess.Popen(
                [sys.executable, "-m", "chrf.batch", "--segments", "out.tsv", *arguments],
                cwd=tmp_path,
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        processes.append(process)
        if endless:
            rows.stdout.close()
        else:
            process.stdin.write(ROWS)
            process.stdin.flush()
        deadline = time.monotonic() + 60
        while not any(path.stat().st_size for path in tmp_path.glob(".out.tsv.*.part")):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        return process

    processes = []
    yield start
    for process in processes:
        process.kill()
        process.wait()
        for stream in filter(None, (process.stdin, process.stdout, process.stderr)):
            stream.close()


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("before", [None, "what was there"])
def test_asked_to_end(tmp_path, running, threads, number, before):
    if before:
        (tmp_path / "out.tsv").write_text(before)
    process = running("--threads", threads)
    assert (tmp_path / "out.tsv").exists() == bool(before)
    process.send_signal(number)
    assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 128 + number
    assert names(tmp_path) == (["out.tsv"] if before else [])
    assert not before or (tmp_path / "out.tsv").read_text() == before


def test_killed(tmp_path, running):
    process = running()
    process.kill()
    assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == -signal.SIGKILL
    assert not (tmp_path / "out.tsv").exists()
    # Nobody could remove the temporary file; the next run is not disturbed by it.
    (left,) = names(tmp_path)
    found = run(tmp_path, "--segments", "out.tsv", data=b"a\ta\n")
    assert found.returncode == 0
    assert names(tmp_path) == sorted([left, "out.tsv"])


def test_not_killed(tmp_path, running):
    """A like run, left in peace."""
    process = running(endless=False)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert b"60000" in out
    lines = (tmp_path / "out.tsv").read_text().splitlines()
    assert len(lines) == 60_001
    assert names(tmp_path) == ["out.tsv"]


def test_a_hang_up_that_is_ignored_stays_ignored(tmp_path, running):
    """As under nohup."""
    process = running(endless=False, hang_up=signal.SIG_IGN)
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert names(tmp_path) == ["out.tsv"]


@pytest.mark.parametrize("before", [None, "what was there"])
def test_bad_input_late_in_the_file(tmp_path, before):
    if before:
        (tmp_path / "out.tsv").write_text(before)
    found = run(tmp_path, "--segments", "out.tsv", data=ROWS + b"one field\n")
    assert (found.returncode, found.stdout) == (1, b"")
    assert found.stderr == b"<stdin>:60001: 1 field where 2 are expected\n"
    assert names(tmp_path) == (["out.tsv"] if before else [])
    assert not before or (tmp_path / "out.tsv").read_text() == before


def test_bad_input_in_the_second_file(tmp_path):
    (tmp_path / "a.tsv").write_bytes(b"a\ta\n")
    found = run(tmp_path, "--segments", "out.tsv", "a.tsv", "b.tsv")
    assert (found.returncode, found.stdout) == (1, b"")
    assert found.stderr == b"b.tsv: No such file or directory\n"
    assert names(tmp_path) == ["a.tsv"]


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("none/out.tsv", b"none/out.tsv: No such file or directory\n"),
        ("folder", b"folder: Is a directory\n"),
        ("/dev/full", b"/dev/full: No space left on device\n"),
    ],
)
def test_segments_that_cannot_be_written(tmp_path, out, message):
    (tmp_path / "folder").mkdir()
    found = run(tmp_path, "--segments", out, data=b"a\ta\n")
    assert (found.returncode, found.stdout, found.stderr) == (1, b"", message)
    assert names(tmp_path) == ["folder"]


@pytest.mark.parametrize("out", ["/dev/null", "out.tsv", "out.tsv.gz"])
def test_segments_that_can_be_written(tmp_path, out):
    found = run(tmp_path, "-b", "--segments", out, data=b"aa\tab\nxyz\txyz\n")
    assert (found.returncode, found.stdout, found.stderr) == (0, b"82.222222\n", b"")
    if out == "/dev/null":
        assert names(tmp_path) == []
        return
    read = gzip.open if out.endswith(".gz") else open
    with read(tmp_path / out, "rt") as file:
        assert file.read() == (
            HEADER + "<stdin>\t1\t<stdin>\t25.000000\n<stdin>\t2\t<stdin>\t100.000000\n"
        )


def test_segments_into_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "f.tsv").write_bytes(ROWS)
    command = 'head -1 pipe & "$0" -m chrf.batch -b --segments pipe f.tsv; echo $?; wait'
    found = subprocess.run(
        ["bash", "-c", command, sys.executable], cwd=tmp_path, capture_output=True, check=False
    )
    # The reader left after a line: no score, no message, and the status of a broken pipe.
    assert sorted(found.stdout.splitlines()) == sorted([HEADER.strip().encode(), b"141"])
    assert found.stderr == b""


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ('"$0" -m chrf.batch --segments f.tsv f.tsv', "the input f.tsv"),
        ('"$0" -m chrf.batch --segments link.tsv f.tsv', "the input f.tsv"),
        ('"$0" -m chrf.batch --segments hard.tsv f.tsv', "the input f.tsv"),
        ('"$0" -m chrf.batch --segments r --reference-file r h', "the input r"),
        ('"$0" -m chrf.batch --segments f.tsv < f.tsv', "<stdin>"),
        ('"$0" -m chrf.batch --segments out f.tsv > out', "<stdout>"),
    ],
)
def test_segments_do_not_overwrite(tmp_path, command, name):
    for file in ("f.tsv", "r", "h"):
        (tmp_path / file).write_bytes(b"a\ta\n")
    (tmp_path / "link.tsv").symlink_to("f.tsv")
    (tmp_path / "hard.tsv").hardlink_to(tmp_path / "f.tsv")
    found = subprocess.run(
        ["bash", "-c", command, sys.executable], cwd=tmp_path, capture_output=True, check=False
    )
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr.decode() == (
        f"python -m chrf.batch: --segments would overwrite {name} (see --help)\n"
    )
    for file in ("f.tsv", "r", "h"):
        assert (tmp_path / file).read_bytes() == b"a\ta\n"


@pytest.mark.parametrize("out", ["", "-"])
def test_segments_need_a_name(tmp_path, out):
    found = run(tmp_path, "--segments", out, data=b"a\ta\n")
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr == (
        b"python -m chrf.batch: --segments needs the name of a file; "
        b"--sentence-level prints (see --help)\n"
    )
    assert names(tmp_path) == []
