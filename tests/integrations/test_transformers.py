"""`ComputeMetrics` in the Trainer, and `Chrf` beside ``evaluate`` and sacreBLEU."""

import copy
import doctest
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import sacrebleu

import chrf
from chrf.integrations.transformers import Chrf, ComputeMetrics

ROOT = Path(__file__).parents[2]

HYPOTHESES = ["the cat", "a dog ran home", "it rained", "noise"]
REFERENCES = ["the cat sat", "a dog ran home", "it rains today", ""]
SEVERAL = [["the cat sat", "the cat"], ["a dog", "a"], ["it rains", "it rained"], ["", "no"]]
EXTRA = "the extra huggingface is not installed"


class Letters:
    """A tokenizer with a token for each code point, and 0 to pad."""

    def batch_decode(self, sequences, *, skip_special_tokens):
        assert skip_special_tokens
        return ["".join(chr(i) for i in row if i) for row in sequences]


def ids(texts, padding=-100):
    width = max(map(len, texts)) + 1
    return np.array([[*map(ord, text)] + [padding] * (width - len(text)) for text in texts])


def prediction(rows=slice(None), convert=lambda x: x):
    return SimpleNamespace(
        predictions=convert(ids(HYPOTHESES[rows], 0)), label_ids=convert(ids(REFERENCES[rows]))
    )


def refused(error, message):
    return pytest.raises(error, match=re.escape(message))


@pytest.mark.parametrize("options", [{}, {"word_order": 2}, {"rule": "sacrebleu", "beta": 3}])
def test_a_whole_evaluation(options):
    compute_metrics = ComputeMetrics(Letters(), **options)
    expected = chrf.corpus_score(HYPOTHESES, REFERENCES, **options)
    assert compute_metrics.score is None
    for _ in range(2):  # an evaluation follows another
        assert compute_metrics(prediction()) == {"chrf": float(expected)}
        assert compute_metrics.score == expected


def test_a_tuple_of_predictions():
    given = prediction()
    given.predictions = (given.predictions, np.zeros((4, 2, 3)))
    expected = chrf.corpus_score(HYPOTHESES, REFERENCES)
    assert ComputeMetrics(Letters())(given) == {"chrf": float(expected)}


@pytest.mark.parametrize("tensors", [False, True], ids=["arrays", "tensors"])
def test_batches(tensors):
    convert = np.asarray
    if tensors:
        convert = pytest.importorskip("torch", reason=EXTRA).from_numpy
    compute_metrics = ComputeMetrics(Letters(), word_order=2, threads=2)
    expected = chrf.corpus_score(HYPOTHESES, REFERENCES, word_order=2)
    for _ in range(2):
        assert compute_metrics(prediction(slice(3), convert), compute_result=False) == {}
        result = compute_metrics(prediction(slice(3, 4), convert), compute_result=True)
        assert result == {"chrf": float(expected)}
        assert compute_metrics.score == expected


def test_an_evaluation_that_was_broken_off():
    compute_metrics = ComputeMetrics(Letters())
    compute_metrics(prediction(slice(1)), compute_result=False)
    compute_metrics.reset()
    compute_metrics(prediction(), compute_result=True)
    assert compute_metrics.score.segment_count == 4
    compute_metrics(prediction(slice(1)), compute_result=False)
    compute_metrics(prediction())  # a whole evaluation starts from nothing
    assert compute_metrics.score.segment_count == 4


def test_blank_epochs_score_zero():
    given = SimpleNamespace(predictions=ids(["", ""], 0), label_ids=ids(["a", "b"]))
    assert ComputeMetrics(Letters())(given) == {"chrf": 0.0}


@pytest.mark.parametrize(
    ("side", "values", "message"),
    [
        ("predictions", np.zeros((4, 3, 9), np.float32), "of float32 with shape (4, 3, 9)"),
        ("predictions", np.zeros((4, 3)), "predict_with_generate=True"),
        ("predictions", np.zeros(4, int), "shape (4,)"),
        ("predictions", (), "predictions is a tuple of 0"),
        ("label_ids", (ids(["a"]), ids(["b"])), "label_ids is a tuple of 2; it must be one array"),
        ("label_ids", None, "label_ids is of object"),
    ],
)
def test_what_holds_no_token_ids_is_refused(side, values, message):
    given = prediction()
    setattr(given, side, values)
    with refused(TypeError, message):
        ComputeMetrics(Letters())(given)


def test_copies_and_pickles():
    compute_metrics = ComputeMetrics(Letters(), word_order=2)
    compute_metrics(prediction(slice(2)), compute_result=False)
    expected = chrf.corpus_score(HYPOTHESES, REFERENCES, word_order=2)
    for other in (pickle.loads(pickle.dumps(compute_metrics)), copy.deepcopy(compute_metrics)):
        other(prediction(slice(2, 4)), compute_result=True)
        assert other.score == expected


# In the real Trainer, with a model of random weights.

WORDS = ["<pad>", "<eos>", "<unk>", "the", "cat", "sat", "a", "dog", "ran", "home", "it", "rains"]
SOURCES = ["the cat sat", "a dog ran", "it rains", "the sat it rains", "home"]
TARGETS = ["the cat", "a dog ran home", "it rains the it rains", "cat", "the home ran"]


@pytest.fixture(scope="module")
def seq2seq():
    """The libraries, a tokenizer and a model that were not downloaded."""
    torch = pytest.importorskip("torch", reason=EXTRA)
    transformers = pytest.importorskip("transformers", reason=EXTRA)
    pytest.importorskip("accelerate", reason=EXTRA)
    import tokenizers

    raw = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: i for i, word in enumerate(WORDS)}, "<unk>")
    )
    raw.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    raw.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A <eos>", special_tokens=[("<eos>", 1)]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>"
    )
    torch.manual_seed(1)
    config = transformers.T5Config(
        vocab_size=len(WORDS),
        d_model=16,
        d_kv=8,
        d_ff=16,
        num_layers=1,
        num_heads=2,
        pad_token_id=0,
        eos_token_id=1,
        decoder_start_token_id=0,
    )
    model = transformers.T5ForConditionalGeneration(config)
    model.generation_config.suppress_tokens = [0, 1, 2]  # or it says nothing at all
    return SimpleNamespace(transformers=transformers, tokenizer=tokenizer, model=model)


def make_trainer(seq2seq, folder, compute_metrics, **arguments):
    rows = [
        {**seq2seq.tokenizer(source), "labels": seq2seq.tokenizer(target)["input_ids"]}
        for source, target in zip(SOURCES, TARGETS, strict=True)
    ]
    for row in rows:
        row.pop("token_type_ids", None)
    library = seq2seq.transformers
    return library.Seq2SeqTrainer(
        model=seq2seq.model,
        args=library.Seq2SeqTrainingArguments(
            output_dir=str(folder),
            per_device_eval_batch_size=2,
            generation_max_length=6,
            use_cpu=True,
            report_to=[],
            disable_tqdm=True,
            **arguments,
        ),
        train_dataset=rows,
        eval_dataset=rows,
        data_collator=library.DataCollatorForSeq2Seq(seq2seq.tokenizer, seq2seq.model),
        compute_metrics=compute_metrics,
    )


@pytest.mark.parametrize("batches", [False, True], ids=["whole", "batches"])
def test_in_the_trainer(seq2seq, tmp_path, batches):
    compute_metrics = ComputeMetrics(seq2seq.tokenizer, word_order=2)
    trainer = make_trainer(
        seq2seq, tmp_path, compute_metrics, predict_with_generate=True, batch_eval_metrics=batches
    )
    found = trainer.evaluate()["eval_chrf"]
    score = compute_metrics.score

    texts = []
    for source in SOURCES:
        given = seq2seq.tokenizer(source, return_tensors="pt")
        rows = seq2seq.model.generate(
            given["input_ids"], attention_mask=given["attention_mask"], max_length=6
        )
        texts.append(seq2seq.tokenizer.decode(rows[0], skip_special_tokens=True))
    expected = chrf.corpus_score(texts, TARGETS, word_order=2)
    assert 0 < expected.fraction < 100
    assert score == expected
    assert found == float(expected)
    assert trainer.predict(trainer.eval_dataset).metrics["test_chrf"] == found
    assert trainer.evaluate()["eval_chrf"] == found


def test_the_best_model_is_the_one_with_the_highest_score(seq2seq, tmp_path):
    trainer = make_trainer(
        seq2seq,
        tmp_path,
        ComputeMetrics(seq2seq.tokenizer),
        predict_with_generate=True,
        max_steps=2,
        learning_rate=0.1,
        eval_strategy="steps",
        save_strategy="steps",
        eval_steps=1,
        save_steps=1,
        load_best_model_at_end=True,
        metric_for_best_model="chrf",
        greater_is_better=True,
    )
    trainer.train()
    scores = [row["eval_chrf"] for row in trainer.state.log_history if "eval_chrf" in row]
    assert len(scores) == 2
    assert trainer.state.best_metric == max(scores)


def test_a_trainer_that_does_not_generate_is_told_so(seq2seq, tmp_path):
    trainer = make_trainer(seq2seq, tmp_path, ComputeMetrics(seq2seq.tokenizer))
    with refused(TypeError, "predict_with_generate=True"):
        trainer.evaluate()


# In place of evaluate.load("chrf").

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
        from chrf.integrations.transformers import Chrf, ComputeMetrics
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
    blocks = [block for block in blocks if "chrf.integrations.transformers" in block]
    assert len(blocks) == 2
    for block in blocks:
        test = doctest.DocTestParser().get_doctest(block, {}, "training.md", None, 0)
        results = doctest.DocTestRunner().run(test)
        assert results.attempted >= 5
        assert results.failed == 0
