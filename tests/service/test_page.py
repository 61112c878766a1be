"""docs/service.md: what it shows is what comes out."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from chrf.service import body as whole_body
from chrf.service import errors, limits, mcp, strict_json, work

for library in ("starlette", "uvicorn", "mcp"):
    pytest.importorskip(library, reason="the extras serve and mcp are not installed")

SEED_INPUT = b'{"hypotheses":["aa"],"references":["ab"],"beta":3}'
PAGE = (Path(__file__).parents[2] / "docs" / "service.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("block", BLOCKS)
def test_the_page_shows_what_comes_out(server, tmp_path, block):
    address = f"127.0.0.1:{server.port}"
    (client,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    (tmp_path / "client.py").write_text(client.replace("127.0.0.1:8000", address))
    (tmp_path / "input.json").write_bytes(SEED_INPUT + b"\n")
    lines = block.splitlines()
    script = "\n".join(line[2:] for line in lines if line.startswith("$ "))
    # What is preloaded is for Python: curl hangs under AddressSanitizer.
    environment = {**os.environ, "LD_PRELOAD": ""}
    preload = f"LD_PRELOAD='{os.environ.get('LD_PRELOAD', '')}'"
    script = f'python() {{ {preload} "{sys.executable}" "$@"; }}\n{script}'
    found = subprocess.run(
        ["sh", "-c", script.replace("127.0.0.1:8000", address)],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    assert found.stdout.decode().splitlines() == [x for x in lines if not x.startswith("$ ")]


def test_the_page_has_the_limits_and_codes():
    assert len(BLOCKS) >= 6
    assert f"A body has at most {strict_json.MAX_BODY_BYTES:,} bytes" in PAGE
    assert f"within {whole_body.BODY_TIMEOUT} s (`--body-timeout`)" in PAGE
    assert f"At most {strict_json.MAX_BODY_BYTES:,} bytes of it are read and dropped" in PAGE
    assert f"a body over {work.INLINE_BYTES >> 10} KiB at a time" in PAGE
    assert f"At most {work.MOST_WAITING} large calls wait" in PAGE
    assert f"together take at most {whole_body.MOST_HELD_BYTES >> 20} MiB" in PAGE
    assert f"must come within {limits.HEAD_TIMEOUT} s (`--head-timeout`)" in PAGE
    assert f"A message over HTTP with more than {mcp.MOST_VALUES:,} values" in PAGE
    assert f"may be idle for {limits.IDLE_TIMEOUT} s" in PAGE
    assert f"at most {limits.MOST_CONNECTIONS:,} connections" in PAGE
    assert f"stays open for up to {whole_body.LINGER_SECONDS} s" in PAGE
    assert re.findall(r"^\| (\d+) \| `(\w+)` \|", PAGE, re.MULTILINE) == [
        (str(status), code) for code, status in errors.STATUSES.items()
    ]
