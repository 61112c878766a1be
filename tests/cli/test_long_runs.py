"""Long runs: the bar of progress, and memory that does not grow."""

import contextlib
import gzip
import os
import re
import struct
import subprocess
import sys

import pytest

import chrf

# The two rules print different scores of it.
SHORT_REFERENCE = "hello\thello\nabcdefghijk\tabc\n"


CALL = "from chrf import batch; sys.exit(batch.main(sys.argv[1:]))"
# The bar: shown from the start and at every step, as if the run were long.
BAR = f"""
import sys, tqdm
real = tqdm.tqdm
tqdm.tqdm = lambda **keywords: real(**(keywords | dict(delay=0, mininterval=0)))
{CALL}
"""


class TestProgress:
    @pytest.fixture
    def on_terminal(self, folder):
        pty, fcntl, termios = map(pytest.importorskip, ("pty", "fcntl", "termios"))

        def start(command, **keywords):
            """What comes out of standard output, and what a terminal's standard error shows."""
            terminal, device = pty.openpty()
            fcntl.ioctl(device, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
            with subprocess.Popen(
                [sys.executable, *command],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=device,
                **keywords,
            ) as process:
                os.close(device)
                shown = b""
                with contextlib.suppress(OSError):  # the other end is closed
                    while data := os.read(terminal, 4096):
                        shown += data
                os.close(terminal)
                out = process.stdout.read()
            assert process.returncode == 0
            return out, shown

        return start

    @pytest.fixture(autouse=True)
    def large(self, folder):
        (folder / "large.tsv").write_text("the cat\tthe mat\n" * 60_000)
        with gzip.open(folder / "large.tsv.gz", "wb", compresslevel=1) as file:
            file.write((folder / "large.tsv").read_bytes())

    def test_a_long_run_on_a_terminal(self, on_terminal):
        out, shown = on_terminal(["-c", BAR, "-b", "large.tsv"])
        assert re.search(rb"\r [0-9 ]\d%\|.*\| \d+k/960k \[.*B/s\]", shown)
        # It is gone at the end.
        assert shown.endswith(b"\r")
        assert out == f"{chrf.corpus_score(['the cat'], ['the mat'])}\n".encode()

    def test_where_the_end_is_not_known(self, on_terminal):
        _, shown = on_terminal(["-c", BAR, "-b", "large.tsv.gz"])
        assert re.search(rb"\r\d+kB \[.*B/s\]", shown)

    def test_a_message_after_it(self, on_terminal, folder):
        (folder / "short.tsv").write_text(SHORT_REFERENCE)
        _, shown = on_terminal(["-c", BAR, "-b", "large.tsv", "short.tsv"])
        assert re.search(rb"\r +\rnote: [^\r]*\r\n$", shown)

    @pytest.mark.parametrize(
        "command",
        [
            ["-m", "chrf.batch", "-b", "two.tsv"],
            ["-c", BAR, "-b", "-q", "large.tsv"],
            ["-c", f"import sys; sys.modules['tqdm'] = None; {CALL}", "-b", "large.tsv"],
        ],
        ids=["short", "quiet", "without-tqdm"],
    )
    def test_none(self, on_terminal, command):
        assert on_terminal(command)[1] == b""

    def test_none_in_a_pipe(self, folder):
        found = subprocess.run(
            [sys.executable, "-c", BAR, "-b", "large.tsv"],
            cwd=folder,
            capture_output=True,
            check=True,
        )
        assert found.stderr == b""


# Runs the command and tells the peak of its memory, in kB.
PEAK = """
import re, sys
from chrf import batch
status = batch.main(sys.argv[1:])
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1], file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="reads the peak from /proc")
@pytest.mark.skipif("CHRF_SANITIZE" in os.environ, reason="a sanitizer keeps freed memory")
@pytest.mark.parametrize("source", ["table", "packed", "aligned", "sentence-level"])
def test_memory_does_not_grow_with_the_rows(tmp_path, source):
    line = "the quick brown fox jumps over the lazy dog, again and again, in every text of the kind"
    peaks = []
    for count in (20_000, 200_000):
        hypotheses = [f"{line} {number}\n" for number in range(count)]
        args = ["--segments", "out.tsv", "-b"]
        if source == "aligned":
            (tmp_path / "h").write_text("".join(hypotheses))
            args += ["--reference-file", "h", "h"]
        else:
            text = "".join(f"{line}\t{h}" for h in hypotheses).encode()
            if source == "packed":
                (tmp_path / "f.gz").write_bytes(gzip.compress(text, 1))
                args += ["f.gz"]
            else:
                (tmp_path / "f.tsv").write_bytes(text)
                args += ["f.tsv"]
        if source == "sentence-level":
            args.append("-sl")
        found = subprocess.run(
            [sys.executable, "-c", PEAK, *args],
            cwd=tmp_path,
            capture_output=True,
            check=True,
        )
        assert len((tmp_path / "out.tsv").read_bytes()) > 10 * count
        peaks.append(int(found.stderr))
    # The text alone is 33 MB longer; what waits of sentence-level scores is at most 8 MB.
    assert peaks[1] - peaks[0] < 12_000
