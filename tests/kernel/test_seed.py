"""The seed of the hash tables: unknown outside the process, and in no result."""

import os
import random
import subprocess
import sys

import numpy as np
import pytest

import chrf
from chrf.kernel import count as kernel
from chrf.kernel import reference, seed

TEXTS = random.Random(8)
# Tables hold words, orders beyond 8 and texts of many symbols; `pairwise` has its own.
PAIRS = [
    [
        " ".join("".join(TEXTS.choices(symbols, k=TEXTS.randint(1, 9))) for _ in range(60))
        for _ in range(8)
    ]
    for symbols in ("abc", "abc", [chr(0x4E00 + i) for i in range(2000)])
]
HYPOTHESES, REFERENCES = PAIRS[0] + PAIRS[2][:4], PAIRS[1] + PAIRS[2][4:]
WORDS = [" ".join(map(chr, range(first, first + 900))) for first in (0x4E00, 0x5000)]


def seed_of_a_process(folder):
    done = subprocess.run(
        [sys.executable, "-c", "from chrf.kernel import seed; print(seed.SEED)"],
        env={**os.environ, "PYTHONHASHSEED": "0"},
        cwd=folder,  # where no source hides the package
        check=True,
        capture_output=True,
        text=True,
    )
    return int(done.stdout)


def test_pythonhashseed_does_not_fix_the_seed(tmp_path):
    seeds = {seed_of_a_process(tmp_path) for _ in range(2)}
    assert len(seeds) == 2
    assert all(0 <= value < 2**64 for value in seeds)


@pytest.mark.parametrize("value", [0, 1, 2**63, 2**64 - 1, 0x9E3779B97F4A7C15, None])
def test_no_count_depends_on_the_seed(monkeypatch, value):
    if value is not None:
        monkeypatch.setattr(seed, "SEED", value)
    texts = [*HYPOTHESES, WORDS[0]], [*REFERENCES, WORDS[1]]
    expected = reference.count(*texts, 0, len(texts[0]), 10, 4, False)
    assert kernel.count(*texts, 0, len(texts[0]), 10, 4, False) == expected
    options = {"char_order": 10, "word_order": 4}
    assert chrf.Scorer(texts[1], **options).counts(texts[0]).reshape(-1).tolist() == list(expected)
    _, counts = chrf.pairwise(*texts, counts=True, **options)
    diagonal = counts[np.arange(len(texts[0])), np.arange(len(texts[0]))]
    assert diagonal.reshape(-1).tolist() == list(expected)
