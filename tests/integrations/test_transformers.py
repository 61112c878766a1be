"""`ComputeMetrics`, by itself and in the real Trainer."""

import copy
import doctest
import pickle
import re
import sys
import weakref
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import chrf
from chrf.integrations.transformers import ComputeMetrics

ROOT = Path(__file__).parents[2]

HYPOTHESES = ["the cat", "a dog ran home", "it rained", "noise"]
REFERENCES = ["the cat sat", "a dog ran home", "it rains today", ""]
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


class Loader:
    """What of accelerate's loaders and state is read."""

    references = [None]  # noqa: RUF012

    def begin(self):
        Loader.references.append(weakref.ref(self))

    def end(self):
        Loader.references = [None]

    active_dataloader = property(lambda self: self.dataloader_references[-1])
    dataloader_references = property(
        lambda self: [reference and reference() for reference in Loader.references]
    )


def test_a_new_evaluation_of_the_trainer_drops_what_a_broken_one_left(monkeypatch):
    monkeypatch.setitem(sys.modules, "accelerate.state", SimpleNamespace(GradientState=Loader))
    monkeypatch.setattr(Loader, "references", [None])
    compute_metrics = ComputeMetrics(Letters())
    expected = chrf.corpus_score(HYPOTHESES, REFERENCES)
    loaders = [Loader(), Loader()]
    # The same loader again, another one, and one that came into being after another was gone.
    for choose in (loaders[0], loaders[0], loaders[1], None):
        loader = choose or Loader()
        loader.begin()
        compute_metrics(prediction(slice(1)), compute_result=False)  # and no more
        del loader
        loader = choose or Loader()
        loader.begin()
        compute_metrics(prediction(slice(3)), compute_result=False)
        compute_metrics(prediction(slice(3, 4)), compute_result=True)
        assert compute_metrics.score == expected
    pickle.loads(pickle.dumps(compute_metrics))


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


@pytest.mark.parametrize(
    "arguments",
    [{}, {"dataloader_num_workers": 1, "dataloader_persistent_workers": True}],
    ids=["loader of its own", "the same loader"],
)
def test_an_evaluation_that_broke_in_the_trainer(seq2seq, tmp_path, arguments):
    compute_metrics = ComputeMetrics(seq2seq.tokenizer, word_order=2)
    trainer = make_trainer(
        seq2seq,
        tmp_path,
        compute_metrics,
        predict_with_generate=True,
        batch_eval_metrics=True,
        **arguments,
    )
    expected = trainer.evaluate()["eval_chrf"]
    score = compute_metrics.score
    step = trainer.prediction_step
    left = iter(range(2))

    def breaking(*arguments, **keywords):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return step(*arguments, **keywords)

    trainer.prediction_step = breaking
    with pytest.raises(KeyboardInterrupt) as broken:
        trainer.evaluate()
    trainer.prediction_step = step
    assert broken.traceback  # which keeps the frames of the evaluation, as a notebook does
    assert trainer.evaluate()["eval_chrf"] == expected
    assert compute_metrics.score == score
    assert score.segment_count == len(SOURCES)


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


def test_examples_of_the_documentation():
    text = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    (block,) = (block for block in blocks if "chrf.integrations.transformers" in block)
    test = doctest.DocTestParser().get_doctest(block, {}, "training.md", None, 0)
    results = doctest.DocTestRunner().run(test)
    assert results.attempted >= 5
    assert results.failed == 0
