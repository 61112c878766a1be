"""The public functions on the named cases: ``pytest bench/test_bench.py``.

Each result is compared with the plain-Python twin's before it is timed; no time is asserted.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import cases
import chrf
import contenders
from chrf.core import exact

CHECKED = 20  # segments of a case that the twin counts again
OPTIONS = chrf.Options()


@pytest.fixture(scope="module", params=cases.names())
def case(request: pytest.FixtureRequest) -> cases.Case:
    return cases.load(request.param)


def timed(benchmark: BenchmarkFixture, case: cases.Case, function: Callable[..., object]) -> None:
    benchmark.extra_info.update(segments=len(case), code_points=case.code_points)
    benchmark(function, case.hypotheses, case.references)


def test_corpus_score(benchmark: BenchmarkFixture, case: cases.Case) -> None:
    part = case.sample(CHECKED)
    score = chrf.corpus_score(part.hypotheses, part.references)
    assert (score.counts, score.fraction) == contenders.twin(part, 0)()
    timed(benchmark, case, chrf.corpus_score)


def test_segment_scores(benchmark: BenchmarkFixture, case: cases.Case) -> None:
    part = case.sample(CHECKED)
    expected = [float(exact.score(row, OPTIONS)) for row in contenders.twin_rows(part, OPTIONS)]
    assert chrf.segment_scores(part.hypotheses, part.references).tolist() == expected
    timed(benchmark, case, chrf.segment_scores)


def test_counts(benchmark: BenchmarkFixture, case: cases.Case) -> None:
    part = case.sample(CHECKED)
    expected = np.array(contenders.twin_rows(part, OPTIONS))
    assert np.array_equal(chrf.counts(part.hypotheses, part.references), expected)
    timed(benchmark, case, chrf.counts)
