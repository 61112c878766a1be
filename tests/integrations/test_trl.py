"""`ChrfReward`: as TRL calls rewards, and in TRL's own trainer."""

import copy
import doctest
import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import chrf
from chrf.integrations.trl import ChrfReward

ROOT = Path(__file__).parents[2]

COMPLETIONS = ["the cat sits", "it rains", "", "a dog ran"]
REFERENCES = ["the cat sat", "it rains", "yes", "a dog ran home"]


def answer(text, **more):
    return [{"role": "assistant", "content": text, **more}]


def exact(completions=COMPLETIONS, references=REFERENCES, **options):
    return chrf.segment_scores(completions, references, **options).tolist()


def refused(error, message):
    return pytest.raises(error, match=re.escape(message))


@pytest.mark.parametrize("options", [{}, {"word_order": 2}, {"beta": 3, "lowercase": True}])
def test_rewards_are_the_segment_scores(options):
    rewards = ChrfReward(scale=1, **options)(COMPLETIONS, reference=REFERENCES)
    assert rewards == exact(**options)
    assert set(map(type, rewards)) == {float}


def test_each_reward_is_the_double_nearest_to_the_fraction():
    rewards = ChrfReward(scale=1)(COMPLETIONS, reference=REFERENCES)
    for reward, *texts in zip(rewards, COMPLETIONS, REFERENCES, strict=True):
        assert reward == float(chrf.corpus_score(*([text] for text in texts)).fraction)


def test_rewards_are_0_to_1_unless_scaled():
    rewards = ChrfReward()(COMPLETIONS, reference=REFERENCES)
    assert rewards == [score * 0.01 for score in exact()]
    assert (rewards[1], rewards[2]) == (1.0, 0.0)


def test_rows_without_a_reference_have_no_reward():
    reward = ChrfReward(scale=1)
    assert reward(COMPLETIONS, reference=["the cat sat", None, "yes", None]) == [
        exact()[0],
        None,
        0.0,
        None,
    ]
    assert reward(COMPLETIONS, reference=[None] * 4) == [None] * 4
    assert reward([], reference=[]) == []


def test_several_references_the_best_counts():
    reward = ChrfReward(scale=1)
    references = [["a cat", "the cat sat"], "it rains", None, ["a dog"]]
    expected = exact(references=[["a cat", "the cat sat"], ["it rains"], ["no"], ["a dog"]])
    assert reward(COMPLETIONS, reference=references) == [*expected[:2], None, expected[3]]


def test_chat_messages():
    tool = [
        {"role": "assistant", "content": None, "tool_calls": [{}]},
        {"role": "tool", "content": "sunny"},
        *answer("the cat sits"),
    ]
    called = [*answer("the cat sat"), {"role": "assistant", "tool_calls": [{}]}]
    parts = answer(
        [{"type": "text", "text": "a dog"}, {"type": "image"}, {"type": "text", "text": " ran"}]
    )
    followed = [*answer("it rains"), {"role": "user", "content": "thanks"}]
    rewards = ChrfReward(scale=1)(
        [tool, followed, called, parts, answer("", reasoning_content="hm")],
        reference=[REFERENCES[0], REFERENCES[1], "the cat sat", REFERENCES[3], "x"],
    )
    assert rewards == [exact()[0], 100.0, 0.0, exact()[3], 0.0]


def test_everything_else_that_a_trainer_passes_is_ignored():
    rewards = ChrfReward("target", scale=1)(
        prompts=["a"] * 4,
        completions=COMPLETIONS,
        completion_ids=[[1]] * 4,
        target=REFERENCES,
        reference=["other"] * 4,
        trainer_state=object(),
        log_extra=print,
        log_metric=print,
    )
    assert rewards == exact()


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({}, ValueError, "no column 'reference' with the references; the columns are none"),
        ({"target": ["x"], "a": 1}, ValueError, "the columns are a, target"),
        ({"reference": ["x"] * 3}, ValueError, "1 completion but 3 references in column 'refer"),
        ({"reference": "x"}, TypeError, "column 'reference' is a str; give one reference"),
        ({"reference": None}, TypeError, "column 'reference' is a NoneType"),
        ({"reference": [7]}, TypeError, "int"),
        ({"reference": [[]]}, ValueError, "references[0] is empty"),
    ],
)
def test_columns_are_refused(columns, error, message):
    with refused(error, message):
        ChrfReward()(["a"], **columns)


@pytest.mark.parametrize(
    ("completion", "error", "message"),
    [
        (7, TypeError, "completions[1] is a int; give a string or chat messages"),
        (["text"], TypeError, "completions[1] is a list"),
        ([], ValueError, "completions[1] has no message with the role 'assistant'"),
        ([{"role": "user", "content": "x"}], ValueError, "completions[1] has no message"),
        (answer(7), TypeError, "the content of completions[1] is int, not a string"),
        (answer(["ab"]), TypeError, "the content of completions[1] has parts that are no diction"),
        (answer([{"type": "text"}]), TypeError, "the content of completions[1] is NoneType, not"),
        (answer([{"type": "text", "text": 7}]), TypeError, "completions[1] is int, not a string"),
    ],
)
def test_completions_are_refused(completion, error, message):
    with refused(error, message):
        ChrfReward()(["a", completion], reference=["a", "b"])


def test_columns_of_pandas_are_read_by_position():
    pandas = pytest.importorskip("pandas", reason="pandas is not needed by the package")
    references = ["the cat sat", None, "yes", ["a dog", "a dog ran home"]]
    expected = ChrfReward()(COMPLETIONS, reference=references)
    column = pandas.Series(references, index=[3, 2, 1, 0], dtype=object)
    assert ChrfReward()(COMPLETIONS, reference=column) == expected
    completions = pandas.Series(COMPLETIONS, index=[5, 6, 7, 8])
    assert ChrfReward()(completions, reference=column) == expected
    with refused(TypeError, "completions is a dict, which has no order"):
        ChrfReward()(dict(enumerate(COMPLETIONS)), reference=column)


def test_options_are_refused_at_once():
    with refused(TypeError, "unknown option 'order'"):
        ChrfReward(order=2)
    with refused(ValueError, "char_order is 11"):
        ChrfReward(char_order=11)


def test_name():
    assert ChrfReward().__name__ == "chrf"
    assert ChrfReward(word_order=2, name="chrf_pp").__name__ == "chrf_pp"
    assert repr(ChrfReward("target")) == "<ChrfReward chrf of column 'target'>"


def test_copies_and_pickles():
    reward = ChrfReward("target", scale=1, name="r", word_order=2)
    for other in (pickle.loads(pickle.dumps(reward)), copy.deepcopy(reward)):
        assert other.__name__ == "r"
        assert other(COMPLETIONS, target=REFERENCES) == exact(word_order=2)


def test_it_goes_to_a_spawned_process():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        done = pool.submit(ChrfReward(scale=1), COMPLETIONS, reference=REFERENCES)
        assert done.result(60) == exact()


def test_examples_of_the_documentation():
    text = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    (block,) = (block for block in blocks if "chrf.integrations.trl" in block)
    test = doctest.DocTestParser().get_doctest(block, {}, "training.md", None, 0)
    assert doctest.DocTestRunner().run(test) == (0, 3)


# TRL 1.16 calls what transformers 5.24 has renamed.
@pytest.mark.filterwarnings("ignore:.*gradient_checkpointing.* is deprecated:FutureWarning")
@pytest.mark.parametrize("conversational", [False, True], ids=["strings", "messages"])
def test_in_the_grpo_trainer(conversational, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    trl = pytest.importorskip("trl", reason="the extra trl is not installed")
    import datasets
    import tokenizers
    import transformers

    words = ["<pad>", "<eos>", "<unk>", "the", "cat", "sat", "it", "rains"]
    model = tokenizers.models.WordLevel({word: i for i, word in enumerate(words)}, "<unk>")
    raw = tokenizers.Tokenizer(model)
    raw.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>"
    )
    tokenizer.chat_template = (
        "{% for message in messages %}{{ message['content'] }} {% endfor %}"
        "{% if add_generation_prompt %}it {% endif %}"
    )
    config = transformers.LlamaConfig(
        vocab_size=len(words),
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        num_key_value_heads=1,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
    )
    prompts = ["the cat", "it"]
    if conversational:
        prompts = [[{"role": "user", "content": text}] for text in prompts]
    rows = datasets.Dataset.from_dict({"prompt": prompts, "target": ["the cat sat", None]})
    calls = []

    class Recorded(ChrfReward):
        def __call__(self, completions, **columns):
            rewards = super().__call__(completions, **columns)
            calls.append((completions, columns, rewards))
            return rewards

    trainer = trl.GRPOTrainer(
        model=transformers.LlamaForCausalLM(config),
        reward_funcs=[Recorded("target", word_order=2, name="chrf_pp")],
        args=trl.GRPOConfig(
            output_dir=str(tmp_path),
            per_device_train_batch_size=4,
            num_generations=2,
            max_completion_length=4,
            max_steps=1,
            logging_steps=1,
            use_cpu=True,
            bf16=False,
            report_to=[],
            save_strategy="no",
            disable_tqdm=True,
        ),
        processing_class=tokenizer,
        train_dataset=rows,
    )
    trainer.train()
    ((completions, columns, rewards),) = calls
    assert len(completions) == len(rewards) == 4
    assert isinstance(completions[0], list if conversational else str)
    for completion, target, reward in zip(completions, columns["target"], rewards, strict=True):
        text = completion[-1]["content"] if conversational else completion
        expected = target and exact([text], [target], word_order=2)[0] * 0.01
        assert reward == expected
    logged = [row for row in trainer.state.log_history if "rewards/chrf_pp/mean" in row]
    scores = [reward for reward in rewards if reward is not None]
    assert logged[0]["rewards/chrf_pp/mean"] == pytest.approx(sum(scores) / 2)
