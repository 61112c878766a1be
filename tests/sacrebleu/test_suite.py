"""sacreBLEU's own chrF tests, run against `chrf.sacrebleu`; they are in its source distribution."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = 25  # in test_chrf.py of sacreBLEU 2.6.0

PLUGIN = '''
"""Puts chrf.sacrebleu in the place of sacreBLEU's class and functions."""

import sacrebleu
import sacrebleu.metrics
from chrf import sacrebleu as ours


def replaced(*arguments, **options):
    raise AssertionError("sacreBLEU's own CHRF was used")


sacrebleu.metrics.CHRF.__init__ = replaced
for module in (sacrebleu, sacrebleu.metrics, sacrebleu.compat):
    module.CHRF = ours.CHRF
sacrebleu.corpus_chrf = ours.corpus_chrf
sacrebleu.sentence_chrf = ours.sentence_chrf
'''


@pytest.fixture
def suite():
    """The folder ``test`` of the source distribution of sacreBLEU 2.6.0 (SACREBLEU_TESTS)."""
    folder = os.environ.get("SACREBLEU_TESTS")
    if not folder:
        pytest.skip("set SACREBLEU_TESTS to the folder test of sacreBLEU 2.6.0's sdist")
    return Path(folder).resolve()


def test_sacrebleus_own_tests(suite, tmp_path):
    (tmp_path / "ours_for_theirs.py").write_text(PLUGIN, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "ours_for_theirs", "-p", "no:cacheprovider"]
    command += ["-c", "pytest.ini", "--import-mode=importlib", "-q", str(suite / "test_chrf.py")]
    run = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"{TESTS} passed" in run.stdout
