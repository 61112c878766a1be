"""`ChrfMetric`: torchmetrics' own machinery, and a real process group."""

import copy
import doctest
import pickle
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import chrf

torch = pytest.importorskip("torch", reason="the extra torchmetrics is not installed")
torchmetrics = pytest.importorskip("torchmetrics", reason="the extra torchmetrics is not installed")

from chrf.integrations.torchmetrics import ChrfMetric  # noqa: E402

ROOT = Path(__file__).parents[2]

# Batches whose scores have another mean than the whole, and the fraction of the whole.
HYPOTHESES = ["the cat", "a dog ran home", "it rained"]
REFERENCES = ["the cat sat", "a dog ran home", "it rains today"]
WHOLE = Fraction(196996819423925, 2987290743138)
SEVERAL = [["the cat sat", "the cat"], ["a dog"], ["it rains", "it rained", "it rained"]]
WARNING = "ignore:The ``compute`` method of metric ChrfMetric was called before:UserWarning"
HUGE = (1 << 63) - 1


def refused(error, message):
    return pytest.raises(error, match=re.escape(message))


def filled(rows=slice(None), references=REFERENCES, **keywords):
    metric = ChrfMetric(**keywords)
    metric.update(HYPOTHESES[rows], references[rows])
    return metric


def fraction(metric):
    """The exact score, once `compute` has agreed with it."""
    value = metric.compute()
    assert value.dtype == torch.float64
    assert value.shape == ()
    assert value.item() == float(metric.score.fraction / 100)
    return metric.score.fraction


@pytest.mark.parametrize("references", [REFERENCES, SEVERAL], ids=["one", "several"])
@pytest.mark.parametrize(
    "options", [{}, {"word_order": 2, "beta": 3}, {"rule": "sacrebleu", "lowercase": True}]
)
def test_batches_add_up_to_the_score_of_one_call(references, options):
    metric = ChrfMetric(threads=2, **options)
    for i in (2, 0, 1):
        metric.update(HYPOTHESES[i : i + 1], references[i : i + 1])
    metric.update([], [])
    expected = chrf.corpus_score(HYPOTHESES, references, **options)
    assert fraction(metric) == expected.fraction
    assert metric.score == expected
    assert metric.options == expected.options


def test_score_is_0_to_1_unless_scaled():
    assert filled().compute().item() == float(WHOLE / 100)
    assert filled(scale=1).compute().item() == float(WHOLE)
    perfect = ChrfMetric()
    perfect.update(["a"], ["a"])
    assert perfect.compute().item() == 1.0
    blank = ChrfMetric()
    blank.update(["", " "], ["a", "b"])
    assert blank.compute().item() == 0.0


def test_what_torchmetrics_knows_of_it():
    metric = ChrfMetric(sync_on_compute=False, dist_sync_on_step=True)
    assert (metric.sync_on_compute, metric.dist_sync_on_step) == (False, True)
    assert metric.higher_is_better
    assert metric.is_differentiable is False
    assert metric.full_state_update is False
    assert set(metric.metric_state) == {"counted"}
    assert metric.counted.dtype == torch.int64
    with refused(ValueError, "`order`"):
        ChrfMetric(order=2)
    with refused(ValueError, "char_order is 11"):
        ChrfMetric(char_order=11)


def test_a_refused_batch_leaves_what_was_counted():
    metric = filled()
    for hypotheses, references in (
        (["a", "b"], ["a"]),
        (["a", None], ["a", "b"]),
        ("ab", ["a", "b"]),
        (["a"], [[]]),
    ):
        with pytest.raises((TypeError, ValueError)):
            metric.update(hypotheses, references)
    assert fraction(metric) == WHOLE


def test_reset():
    metric = filled()
    assert metric.score is None
    metric.compute()
    metric.reset()
    assert metric.score is None
    assert not metric.counted.any()
    metric.update(["a"], ["a"])
    assert fraction(metric) == 100


@pytest.mark.filterwarnings(WARNING)
def test_nothing_has_no_score():
    with refused(ValueError, "there are no segments"):
        ChrfMetric().compute()


def test_forward_gives_the_score_of_the_batch_and_counts_it():
    metric = filled(slice(1))
    batch = metric(HYPOTHESES[1:], REFERENCES[1:])
    expected = chrf.corpus_score(HYPOTHESES[1:], REFERENCES[1:])
    assert batch.item() == float(expected.fraction / 100)
    assert metric.score == expected
    assert fraction(metric) == WHOLE


def test_merge_state():
    first, second = filled(slice(1)), filled(slice(1, 3))
    first.compute()
    first.merge_state(second)
    assert fraction(first) == WHOLE
    assert second.score is None
    empty = ChrfMetric()
    empty.merge_state(first.metric_state)
    assert fraction(empty) == WHOLE
    empty.merge_state(ChrfMetric())
    assert fraction(empty) == WHOLE


def test_other_options_are_refused():
    metric = filled()
    with refused(ValueError, "the options differ: beta (2 and 3)"):
        metric.merge_state(filled(beta=3))
    assert fraction(metric) == WHOLE
    metric.merge_state(filled(beta=3).metric_state)
    with refused(ValueError, "no sum of state vectors with these options"):
        metric.compute()
    with refused(ValueError, "Expected incoming state to be an instance of ChrfMetric"):
        metric.merge_state(torchmetrics.SumMetric())


CONVERSIONS = {
    "half": lambda metric: metric.half(),
    "double": lambda metric: metric.double(),
    "bfloat16": lambda metric: metric.bfloat16(),
    "type": lambda metric: metric.type(torch.float16),
    "set_dtype float16": lambda metric: metric.set_dtype(torch.float16),
    "set_dtype int8": lambda metric: metric.set_dtype(torch.int8),
    "to": lambda metric: metric.to(torch.float16),
    "to device": lambda metric: metric.to("cpu"),
    "inside half": lambda metric: torch.nn.Sequential(metric).half()[0],
    "inside type": lambda metric: torch.nn.Sequential(metric).type(torch.float16)[0],
    "inside to": lambda metric: torch.nn.Sequential(metric).to(torch.bfloat16)[0],
    "copy": copy.deepcopy,
    "pickle": lambda metric: pickle.loads(pickle.dumps(metric)),
    "clone": lambda metric: metric.clone(),
}


@pytest.mark.parametrize("convert", CONVERSIONS.values(), ids=CONVERSIONS.keys())
def test_conversions_leave_the_counts_exact(convert):
    metric = ChrfMetric()
    text = "abcdefgh" * 20_000  # past what float16 and bfloat16 can hold
    metric.update([text], [text[:-3] + "xyz"])
    metric.update(HYPOTHESES[:1], REFERENCES[:1])
    before = metric.counted.clone()
    metric.compute()
    metric = convert(metric)
    assert metric.counted.dtype == torch.int64
    assert metric.counted.equal(before)
    metric.update(HYPOTHESES[1:], REFERENCES[1:])
    texts = [[text, *HYPOTHESES], [text[:-3] + "xyz", *REFERENCES]]
    assert fraction(metric) == chrf.corpus_score(*texts).fraction
    metric.reset()
    assert metric.counted.dtype == torch.int64
    assert not metric.counted.any()


def test_it_moves_to_another_device():
    metric = filled().to("meta")
    assert (metric.counted.device.type, metric.device.type) == ("meta", "meta")
    assert metric.counted.dtype == torch.int64


@pytest.mark.filterwarnings(WARNING)
def test_state_dict(tmp_path):
    metric = filled()
    assert metric.state_dict() == {}
    metric.persistent(True)
    torch.save(metric.state_dict(), tmp_path / "state.pt")
    state = torch.load(tmp_path / "state.pt", weights_only=True)
    assert state["counted"].dtype == torch.int64
    used = ChrfMetric()
    used.update(["a"], ["b"])
    used.compute()
    for other in (ChrfMetric(), used):
        other.persistent(True)
        other.load_state_dict(state)
        assert fraction(other) == WHOLE
    other = ChrfMetric(beta=3)
    other.persistent(True)
    other.load_state_dict(state)
    with refused(ValueError, "no sum of state vectors with these options"):
        other.compute()


@pytest.mark.parametrize("groups", [True, False])
def test_collection(groups):
    collection = torchmetrics.MetricCollection(
        {
            "chrf": ChrfMetric(),
            "percent": ChrfMetric(scale=100),
            "chrf3": ChrfMetric(beta=3),
            "chrf++": ChrfMetric(word_order=2),
        },
        compute_groups=groups,
    )
    for i in range(3):
        collection.update(HYPOTHESES[i : i + 1], REFERENCES[i : i + 1])
    values = collection.compute()
    scores = {
        name: chrf.corpus_score(HYPOTHESES, REFERENCES, **options).fraction / 100
        for name, options in {"chrf": {}, "chrf3": {"beta": 3}, "chrf++": {"word_order": 2}}.items()
    }
    assert {name: value.item() for name, value in values.items()} == {
        "percent": float(10_000 * scores["chrf"]),
        **{name: float(score) for name, score in scores.items()},
    }


def test_sums_stay_exact_past_int64():
    metric = ChrfMetric(char_order=1)
    number = HUGE - 1  # of segments, n-grams and matches alike
    rows = chrf.Accumulator(char_order=1)
    rows.load_state_dict(
        {
            **rows.state_dict(),
            "counts": [[number, number, number // 2]],
            "segment_count": number,
            "reference_total": number,
            "reference_squares": number,
        }
    )
    for _ in range(3):
        metric.merge_state({"counted": torch.from_numpy(rows.state_vector())})
    assert fraction(metric) == 50
    assert metric.score.counts == ((3 * number, 3 * number, 3 * (number // 2)),)


@pytest.mark.parametrize("word_order", [0, 2])
def test_agrees_with_torchmetrics_own(word_order):
    """Which averages the F of each order, in 32-bit floats, and is right on texts like these."""
    own = torchmetrics.text.CHRFScore(n_word_order=word_order)
    own.update(HYPOTHESES, [[text] for text in REFERENCES])
    metric = filled(averaging="per_order_f", word_order=word_order)
    assert metric.compute().item() == pytest.approx(own.compute().item(), abs=1e-6)


# Two real processes. Rank r counts the shards SHARDS[name][r], one update for each.
SHARDS = {
    "even": [[[0, 1]], [[2, 3]]],
    "uneven": [[[0], [1, 2], []], [[3]]],
    "no rows": [[[0, 1], [2, 3]], [[]]],
    "no update": [[[0, 1, 2, 3]], []],
}
ROWS = (
    [*HYPOTHESES, "four"],
    [["the cat sat", "a cat"], ["a dog ran home"], ["it rains", "it rained"], ["fourth"]],
)


def process(rank, folder, queue):
    """One of the processes: for each division of the rows, the fraction before and after."""
    import torch.distributed as dist

    dist.init_process_group(
        "gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=2
    )
    found = {}
    for name, shards in SHARDS.items():
        metric = ChrfMetric(word_order=2)
        for rows in shards[rank]:
            metric.update([ROWS[0][i] for i in rows], [ROWS[1][i] for i in rows])
        metric.half()
        value = metric.compute().item()
        # The counts of one rank are back after `compute`, and go on.
        found[name] = (value, metric.score, metric.counted[:2].tolist()[0])
        metric.update(["x"] * (1 - rank), ["x"] * (1 - rank))
        metric.compute()
        found[f"{name}, then more"] = (None, metric.score, None)
    queue.put((rank, found))
    dist.barrier()
    dist.destroy_process_group()


def two_processes(folder):
    """What both processes found. Run as a script, so that children import this file by path."""
    from torch import multiprocessing

    queue = multiprocessing.get_context("spawn").SimpleQueue()
    context = multiprocessing.spawn(process, (folder, queue), nprocs=2, join=False)
    found = dict([queue.get(), queue.get()])
    while not context.join():
        pass
    return found


def test_two_processes_give_the_fraction_of_one(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, str(tmp_path)],
        check=False,
        capture_output=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr.decode()
    found = pickle.loads((tmp_path / "found").read_bytes())
    whole = chrf.corpus_score(*ROWS, word_order=2)
    more = chrf.corpus_score([*ROWS[0], "x"], [*ROWS[1], ["x"]], word_order=2)
    assert found.keys() == {0, 1}
    for rank in (0, 1):
        for name, shards in SHARDS.items():
            value, score, updates = found[rank][name]
            assert score == whole
            assert score.fraction == whole.fraction
            assert value == float(whole.fraction / 100)
            assert updates == len(shards[rank])
            assert found[rank][f"{name}, then more"][1] == more


def test_without_the_library(tmp_path):
    """Import stops with one sentence that names the extra."""
    (tmp_path / "torchmetrics.py").write_text("raise ImportError('no such thing')")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import chrf.integrations.torchmetrics"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, cwd=tmp_path
    )
    assert done.stderr.decode().splitlines()[-1] == (
        "ImportError: chrf.integrations.torchmetrics needs torch and torchmetrics: "
        "pip install 'chrf[torchmetrics]'"
    )


def test_examples_of_the_documentation():
    text = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    (block,) = (block for block in blocks if "chrf.integrations.torchmetrics" in block)
    test = doctest.DocTestParser().get_doctest(block, {}, "training.md", None, 0)
    assert doctest.DocTestRunner().run(test) == (0, 7)


if __name__ == "__main__":
    (Path(sys.argv[1]) / "found").write_bytes(pickle.dumps(two_processes(sys.argv[1])))
