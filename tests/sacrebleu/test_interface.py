"""The names of sacreBLEU's base class that third parties call, and being an instance of it."""

import copy
import pickle
import random
import subprocess
import sys
from pathlib import Path

import pytest
import sacrebleu
from sacrebleu.metrics.base import Metric

from chrf.sacrebleu import CHRF

FOLDER = Path(__file__).parent  # where the source folder does not hide the installed package
ALPHABET = "aAbß İ.,!()\t\u3000é\U0001f600"


def random_text(source):
    return "".join(source.choices(ALPHABET, k=source.choice([0, 1, 2, 5, 30])))


def random_options(source):
    return {
        "char_order": source.choice([0, 1, 6]),
        "word_order": source.choice([1, 2]),
        "beta": source.choice([1, 2, 0.5, 3]),
        "lowercase": source.random() < 0.5,
        "whitespace": source.random() < 0.5,
        "eps_smoothing": source.random() < 0.5,
    }


def test_segment_statistics_are_sacrebleus_on_random_text():
    source = random.Random(12)
    for _ in range(300):
        options = random_options(source)
        ours, theirs = CHRF(**options), sacrebleu.CHRF(**options)
        references = [random_text(source) for _ in range(source.choice([1, 1, 2, 3]))]
        hypothesis = source.choice([random_text(source), references[-1][1:]])
        found = []
        for metric in (ours, theirs):
            texts = [metric._preprocess_segment(text) for text in references]
            info = metric._extract_reference_info(texts)
            segment = metric._preprocess_segment(hypothesis)
            found.append(metric._compute_segment_statistics(segment, info))
        assert found[0] == found[1]
        assert {type(count) for count in found[0]} == {int}
        assert ours._compute_f_score(found[0]) == theirs._compute_f_score(found[0])


def test_segments_are_lowercased_or_left():
    assert CHRF()._preprocess_segment("ÀB ") == "ÀB "
    assert CHRF(lowercase=True)._preprocess_segment("ÀB ") == "àb "


def test_statistics_of_preprocessed_text_are_not_lowercased_again():
    metric = CHRF(lowercase=True)
    info = metric._extract_reference_info(["A"])
    assert metric._compute_segment_statistics("a", info)[:3] == [1, 1, 0]
    assert metric._compute_segment_statistics("A", info)[:3] == [1, 1, 1]


def test_without_references_there_are_no_statistics():
    for metric in (CHRF(), sacrebleu.CHRF()):
        assert metric._compute_segment_statistics("a", metric._extract_reference_info([])) == []


def test_cached_references():
    streams = [["a b", "C", "e"], ["b", None, "E f"]]
    for options in ({}, {"lowercase": True}):
        found = []
        for metric in (CHRF(**options), sacrebleu.CHRF(**options)):
            cache = metric._cache_references(streams)
            rows = zip(["A b", "c", "f"], cache, strict=True)
            texts = [(metric._preprocess_segment(text), info) for text, info in rows]
            found.append([metric._compute_segment_statistics(*row) for row in texts])
            found.append(metric.num_refs)
        assert found[:2] == found[2:]


def test_what_sacrebleu_made_of_references_is_refused():
    info = sacrebleu.CHRF()._extract_reference_info(["a"])
    with pytest.raises(TypeError, match="_extract_reference_info of this class"):
        CHRF()._compute_segment_statistics("a", info)


def test_a_metric_is_an_instance_of_sacrebleus():
    metric = CHRF(word_order=2)
    assert isinstance(metric, Metric)
    assert isinstance(metric, CHRF)
    assert type(metric) is metric.__class__ is CHRF
    for again in (copy.copy(metric), copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert isinstance(again, Metric)
        assert type(again) is CHRF

    class Own(CHRF):
        pass

    assert isinstance(Own(), Metric)
    assert Own().__class__ is Own


OURS, THEIRS = "from chrf.sacrebleu import CHRF", "from sacrebleu.metrics.base import Metric"


@pytest.mark.parametrize(
    "lines",
    [
        (OURS, "metric = CHRF()", THEIRS),
        (OURS, THEIRS, "metric = CHRF()"),
        (THEIRS, OURS, "metric = CHRF()"),
        (OURS, "metric = CHRF()", THEIRS, "assert not isinstance(5, Metric)"),
    ],
    ids=["ours, made, theirs", "ours, theirs", "theirs, ours", "a stranger first"],
)
def test_the_order_of_imports_makes_no_difference(lines):
    code = "\n".join([*lines, "assert isinstance(metric, Metric), metric"])
    subprocess.run([sys.executable, "-c", code], check=True, cwd=FOLDER)


def test_sacrebleu_is_not_imported():
    code = (
        "import sys; from chrf.sacrebleu import CHRF; isinstance(CHRF(), dict)\n"
        "assert 'sacrebleu' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=FOLDER)
