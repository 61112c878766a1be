"""`Chrf` beside ``evaluate`` and sacreBLEU."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sacrebleu

import chrf
from chrf.integrations.evaluate import Chrf

ROOT = Path(__file__).parents[2]

HYPOTHESES = ["the cat", "a dog ran home", "it rained", "noise"]
REFERENCES = ["the cat sat", "a dog ran home", "it rains today", ""]
SEVERAL = [["the cat sat", "the cat"], ["a dog", "a"], ["it rains", "it rained"], ["", "no"]]
EXTRA = "the extra huggingface is not installed"


def refused(error, message):
    return pytest.raises(error, match=re.escape(message))


OPTIONS = [
    {},
    {"word_order": 2},
    {"char_order": 4, "beta": 3, "lowercase": True},
    {"whitespace": True},
    {"eps_smoothing": True},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_numbers_and_keys_of_evaluate(options):
    for references in (SEVERAL, REFERENCES):
        streams = list(zip(*references, strict=True)) if references is SEVERAL else [references]
        expected = sacrebleu.CHRF(**options).corpus_score(HYPOTHESES, streams)
        found = Chrf().compute(predictions=HYPOTHESES, references=references, **options)
        assert found == {
            "score": expected.score,
            "char_order": expected.char_order,
            "word_order": expected.word_order,
            "beta": expected.beta,
        }
        assert list(found) == ["score", "char_order", "word_order", "beta"]


def test_added_segments():
    metric = Chrf()
    expected = metric.compute(predictions=HYPOTHESES, references=SEVERAL)
    metric.add(prediction=HYPOTHESES[0], reference=SEVERAL[0])
    metric.add_batch(predictions=HYPOTHESES[1:3], references=SEVERAL[1:3])
    assert metric.compute(predictions=HYPOTHESES[3:], references=SEVERAL[3:]) == expected
    metric.add(prediction="the cat", reference="the cat sat")
    assert metric.compute()["score"] == sacrebleu.sentence_chrf("the cat", ["the cat sat"]).score
    metric.add_batch(predictions=[], references=[])
    for rule in ("sacrebleu", "all"):
        with refused(ValueError, "there are no segments"):
            metric.compute(rule=rule)


def test_the_other_rule():
    metric = Chrf()
    found = metric.compute(predictions=HYPOTHESES, references=REFERENCES, rule="all")
    assert found["score"] == float(chrf.corpus_score(HYPOTHESES, REFERENCES))
    assert found != metric.compute(predictions=HYPOTHESES, references=REFERENCES)
    with refused(ValueError, "eps_smoothing goes with rule='sacrebleu'; the rule is 'all'"):
        metric.compute(predictions=["a"], references=["a"], rule="all", eps_smoothing=True)
    with refused(ValueError, "rule is 'some'"):
        metric.compute(predictions=["a"], references=["a"], rule="some")


def test_numbers_of_references_may_differ():
    references = [["the cat sat", "the cat"], ["a dog"], ["it rains"], ["x", "noise", "y"]]
    streams = [
        ["the cat sat", "a dog", "it rains", "x"],
        ["the cat", None, None, "noise"],
        [None, None, None, "y"],
    ]
    found = Chrf().compute(predictions=HYPOTHESES, references=references)["score"]
    assert found == sacrebleu.CHRF().corpus_score(HYPOTHESES, streams).score


def test_refusals_leave_what_was_added():
    metric = Chrf()
    metric.add_batch(predictions=HYPOTHESES[:2], references=REFERENCES[:2])
    with refused(ValueError, "hypotheses has 2 items but references has 1"):
        metric.add_batch(predictions=["a", "b"], references=["a"])
    with refused(TypeError, "predictions[1] is NoneType, not a string"):
        metric.add_batch(predictions=["a", None], references=["a", "b"])
    with refused(TypeError, "references[0] is int, not a string"):
        metric.add_batch(predictions=["a"], references=[7])
    with refused(ValueError, "give predictions and references, or neither of them"):
        metric.compute(predictions=["a"])
    with refused(ValueError, "char_order is 11"):
        metric.compute(predictions=["a"], references=["a"], char_order=11)
    with pytest.raises(TypeError):
        metric.compute(HYPOTHESES, REFERENCES)  # by name only, as in evaluate
    expected = chrf.corpus_score(HYPOTHESES[:2], REFERENCES[:2])
    assert metric.compute(rule="all")["score"] == float(expected)


def test_beside_a_metric_of_evaluate(tmp_path, monkeypatch):
    """evaluate's own script must be downloaded: this is its interface around sacreBLEU."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    evaluate = pytest.importorskip("evaluate", reason=EXTRA)
    import datasets

    class Theirs(evaluate.Metric):
        def _info(self):
            text = datasets.Value("string")
            features = {"predictions": text, "references": datasets.Sequence(text)}
            return evaluate.MetricInfo(
                description="", citation="", features=datasets.Features(features)
            )

        def _compute(self, predictions, references, char_order=6, word_order=0, beta=2):
            streams = [list(stream) for stream in zip(*references, strict=True)]
            metric = sacrebleu.CHRF(char_order, word_order, beta)
            score = metric.corpus_score(predictions, streams)
            return {
                "score": score.score,
                "char_order": score.char_order,
                "word_order": score.word_order,
                "beta": score.beta,
            }

    theirs = Theirs(cache_dir=str(tmp_path))
    both = evaluate.combine({"ours": Chrf(), "theirs": theirs})
    both.add_batch(HYPOTHESES, SEVERAL)
    for given in ({}, {"predictions": HYPOTHESES, "references": SEVERAL}):
        found = both.compute(**given, word_order=2)
        for key in ("score", "char_order", "word_order", "beta"):
            assert found[f"ours_{key}"] == found[f"theirs_{key}"]
    assert evaluate.combine([Chrf()]).compute(HYPOTHESES, SEVERAL)["score"] > 0


def test_it_needs_no_network_no_library_and_no_home(tmp_path):
    code = """if True:
        import socket, sys
        def refuse(*arguments, **keywords):
            raise OSError("no network")
        socket.socket = socket.create_connection = socket.getaddrinfo = refuse
        from chrf.integrations.evaluate import Chrf
        from chrf.integrations.transformers import ComputeMetrics
        print(Chrf().compute(predictions=["a"], references=[["a"]])["score"])
        heavy = {"torch", "transformers", "evaluate", "datasets", "huggingface_hub", "sacrebleu"}
        print(heavy & set(sys.modules))
    """
    # A sanitizer's build does not start without its library.
    kept = {key: os.environ[key] for key in ("LD_PRELOAD", "ASAN_OPTIONS") if key in os.environ}
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        cwd=tmp_path,
        env={"HOME": "/nonexistent", **kept},
    )
    assert done.stdout.decode().splitlines() == ["100.0", "set()"], done.stderr.decode()
    assert list(tmp_path.iterdir()) == []


def test_examples_of_the_documentation():
    text = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    (block,) = (block for block in blocks if "chrf.integrations.evaluate" in block)
    test = doctest.DocTestParser().get_doctest(block, {}, "training.md", None, 0)
    results = doctest.DocTestRunner().run(test)
    assert results.attempted >= 5
    assert results.failed == 0
