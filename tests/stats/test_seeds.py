"""Results depend on the seed alone, and the memory of the process stays small."""

import doctest
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from corpora import BETTER, FEW_SEGMENTS, REFERENCES, WORSE, random_corpus, rows_of

from chrf.core import resampling
from chrf.stats import (
    bootstrap_ci,
    chrf_ci,
    chrf_permutation_test,
    paired_bootstrap,
    paired_permutation,
)

FOLDER = Path(__file__).parent  # where the source folder does not hide the installed package


def all_results(seed, threads=1):
    """Numbers of every function, as text."""
    source = random.Random("results")
    (first, second, third), rows = random_corpus(source, 300, systems=3)
    settings = {"seed": seed, "iterations": 300, "threads": threads, "distribution": True}
    systems = {"A": first, "B": second, "C": third}
    return json.dumps(
        [
            chrf_ci(rows, first, 300, seed=seed).to_dict(),
            chrf_permutation_test(rows, first, second, 300, seed=seed),
            bootstrap_ci(first, rows, **settings).to_dict(),
            bootstrap_ci(first, rows, method="bca", **settings).to_dict(),
            paired_bootstrap(systems, rows, **settings).to_dict(),
            paired_permutation(systems, rows, **settings).to_dict(),
        ]
    )


def test_results_depend_on_the_seed_alone(monkeypatch):
    """Not on threads, blocks, process or hash seed; and nothing global moves."""
    np.random.seed(1)
    random.seed(1)
    state = np.random.get_state()[1].tolist(), random.getstate()
    expected = all_results(7)
    assert all_results(7) == expected
    assert all_results(8) != expected
    for threads in (2, 5):
        assert all_results(7, threads) == expected
    assert (np.random.get_state()[1].tolist(), random.getstate()) == state
    monkeypatch.setattr(resampling, "INDICES_AT_ONCE", 1000)
    monkeypatch.setattr(resampling, "SUBSETS_AT_ONCE", 64)
    assert all_results(7, 2) == expected
    script = (
        f"import importlib.util, sys; sys.path.insert(0, {str(FOLDER)!r}); "
        f"spec = importlib.util.spec_from_file_location('test_seeds', {__file__!r}); "
        "module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module); "
        "sys.stdout.write(module.all_results(7))"
    )
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", script]
        done = subprocess.run(
            command, env=environment, check=True, capture_output=True, text=True, cwd=FOLDER
        )
        assert done.stdout == expected


def test_seeds_of_any_size():
    rows = rows_of(REFERENCES)
    seen = set()
    for seed in (0, 1, 2**31, 2**32, 2**64, 10**100):
        interval = bootstrap_ci(WORSE, REFERENCES, seed=seed, distribution=True)
        assert interval.seed == seed
        assert f"|seed:{seed}|" in interval.signature
        seen.add(interval.distribution.tobytes())
        assert chrf_ci(rows, WORSE, seed=seed) == chrf_ci(rows, WORSE, seed=seed)
    assert len(seen) == 6
    assert chrf_ci(rows, WORSE, seed=np.uint64(3)) == chrf_ci(rows, WORSE, seed=3)


def test_seed_0_is_a_seed():
    runs = [
        paired_permutation([WORSE, BETTER], REFERENCES, exact_budget=0, seed=0, distribution=True)
        for _ in range(2)
    ]
    assert runs[0] == runs[1]
    assert (runs[0].pairs[0].distribution == runs[1].pairs[0].distribution).all()
    assert {chrf_permutation_test([REFERENCES], WORSE, BETTER, 50, seed=0) for _ in range(5)} == {
        chrf_permutation_test([REFERENCES], WORSE, BETTER, 50, seed=0)
    }


@pytest.mark.parametrize("seed", [True, -1, 1.0, "1", [1], b"1"], ids=repr)
def test_other_seeds_are_refused(seed):
    error = ValueError if type(seed) is int else TypeError
    for call in (
        lambda: chrf_ci(rows_of(REFERENCES), WORSE, seed=seed),
        lambda: chrf_permutation_test([REFERENCES], WORSE, BETTER, seed=seed),
        lambda: bootstrap_ci(WORSE, REFERENCES, seed=seed),
        lambda: paired_bootstrap([WORSE, BETTER], REFERENCES, seed=seed),
        lambda: paired_permutation([WORSE, BETTER], REFERENCES, seed=seed),
    ):
        with pytest.raises(error, match=r"seed is .*; it must be an integer of at least 0"):
            call()


def test_a_fresh_seed_is_recorded():
    with pytest.raises(TypeError, match="seed is None"):
        chrf_ci(rows_of(REFERENCES), WORSE, seed=None)
    one, two = (bootstrap_ci(WORSE, REFERENCES, seed=None, distribution=True) for _ in range(2))
    assert one.seed != two.seed
    again = bootstrap_ci(WORSE, REFERENCES, seed=one.seed, distribution=True)
    assert again == one
    assert (again.distribution == one.distribution).all()
    p_values = {chrf_permutation_test([REFERENCES], WORSE, BETTER, 999) for _ in range(9)}
    assert len(p_values) > 1


MEMORY = """
import random, re
source = random.Random(1)
words = ["".join(source.choices("abcdefgh", k=source.randint(2, 9))) for _ in range(2000)]
references = [" ".join(source.choices(words, k=18)) for _ in range(200_000)]
hypotheses = [" ".join(t.split()[:-4] + source.choices(words, k=3)) for t in references]
from chrf import stats
stats.bootstrap_ci(hypotheses, references, iterations=1000)
stats.paired_permutation([hypotheses, references], references, iterations=200)
stats.chrf_ci([[text] for text in references], hypotheses, 200)
# Of this program alone: ru_maxrss would remember the process that started it.
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]) // 1024)
"""

pytestmark = FEW_SEGMENTS


def test_memory_of_200_000_segments():
    """The whole process, texts and all, stays under 300 MB; the resamples alone took 14 GB."""
    if not Path("/proc/self/status").exists():
        pytest.skip("memory is read from Linux's /proc")
    if os.environ.get("CHRF_SANITIZE"):
        pytest.skip("a sanitizer's shadow memory is not ours")
    command = [sys.executable, "-c", MEMORY]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=FOLDER)
    assert int(done.stdout) < 300


def test_examples_in_the_documentation():
    path = Path(__file__).parents[2] / "docs" / "statistics.md"
    failed, tried = doctest.testfile(str(path), module_relative=False)
    assert (failed, tried > 0) == (0, True)
