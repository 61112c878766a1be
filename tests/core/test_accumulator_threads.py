"""`Accumulator`: threads, processes, forks and signals; memory over many calls."""

import copy
import functools
import multiprocessing
import os
import signal
import sys
import sysconfig
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from operator import methodcaller

import pytest

import chrf
from chrf.core import accumulator as accumulator_module
from chrf.core import state
from chrf.core.accumulator import Accumulator
from chrf.core.scorer import Scorer

HYPOTHESES = ["the cat", "a dog ran home", "it rained"]
REFERENCES = ["the cat sat", "a dog ran home", "it rains today"]
WHOLE = Fraction(196996819423925, 2987290743138)


def filled(hypotheses=HYPOTHESES, references=REFERENCES, ids=None, **keywords):
    result = Accumulator(**keywords)
    result.update(hypotheses, references, ids)
    return result


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_worker_processes(method):
    shards = [filled(HYPOTHESES[:2], REFERENCES[:2]), filled(HYPOTHESES[2:], REFERENCES[2:])]
    with multiprocessing.get_context(method).Pool(2) as pool:
        scores = pool.map(methodcaller("compute"), shards)
        (merged,) = pool.map(sum, [shards])
    assert scores == [shard.compute() for shard in shards]
    assert merged.compute().fraction == WHOLE


def resident():
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
@pytest.mark.skipif(os.environ.get("CHRF_SANITIZE") == "1", reason="sanitizers keep freed memory")
@pytest.mark.parametrize("call", ["corpus_score", "update"])
def test_memory_is_flat_over_200_000_calls(call):
    function = {"corpus_score": chrf.corpus_score, "update": Accumulator().update}[call]
    filler = "the quick brown fox jumps over the lazy dog " * 2
    before = 0
    for i in range(200_000):
        if i == 20_000:
            before = resident()
        function([f"{filler}{i}"], [f"{i} {filler}"])
    assert resident() - before < 2_000_000


@pytest.fixture
def hasty_threads():
    """Threads that give way to each other as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("hasty_threads")
def test_threads_share_one_accumulator():
    batches = [([f"{HYPOTHESES[i % 3]} {i}"], [f"{REFERENCES[i % 3]} {i}"]) for i in range(800)]
    for ids in (False, True):
        shared = Accumulator()
        start = threading.Barrier(8)

        def work(k, shared=shared, ids=ids, start=start):
            start.wait()
            for i in range(k, 800, 8):
                shared.update(*batches[i], [i] if ids else None)
                assert shared.compute().segment_count <= 800

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        assert shared.compute() == chrf.corpus_score(
            [h for (h,), _ in batches], [r for _, (r,) in batches]
        )


@pytest.mark.usefixtures("hasty_threads")
def test_copies_while_others_count():
    accumulator = Accumulator(on_repeat="drop")
    stop = threading.Event()

    def count():
        i = 0
        while not stop.is_set():
            accumulator.update(["ab"], ["ac"], [i % 500])
            i += 1

    with ThreadPoolExecutor(1) as pool:
        counting = pool.submit(count)
        try:
            for _ in range(200):
                for again in (copy.deepcopy(accumulator), accumulator + Accumulator()):
                    if again.segment_count:
                        assert str(again.compute()) == str(filled(["ab"], ["ac"]).compute())
                    assert len(again.state_dict()["rows"]) == again.segment_count
        finally:
            stop.set()
        counting.result()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_while_others_count_does_not_hang():
    accumulator = Accumulator()
    stop = threading.Event()

    def count():
        while not stop.is_set():
            accumulator.merge(accumulator)
            accumulator.reset()

    threads = [threading.Thread(target=count) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(60):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of the fork, since 3.12
                child = os.fork()
            if child == 0:
                signal.alarm(20)
                accumulator.update(["a"], ["b"])
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="not free-threaded")
def test_free_threaded_builds_stay_free_threaded():
    assert not sys._is_gil_enabled()


def test_one_lock_is_held_shortly():
    """A batch is counted before the lock is taken."""
    accumulator = Accumulator()
    with accumulator_module._lock:
        thread = threading.Thread(target=accumulator.update, args=(HYPOTHESES, REFERENCES))
        thread.start()
        time.sleep(0.05)
        assert accumulator.segment_count == 0
        Scorer(REFERENCES).corpus_score(HYPOTHESES)
    thread.join()
    assert accumulator.compute().fraction == WHOLE


def test_a_signal_handler_may_come_in_between(monkeypatch):
    """One that reads sees what was there before; what one counts is not lost."""
    for ids in (None, ["a", "b"]):
        accumulator, seen = Accumulator(), []
        accumulator.update(["ab"], ["ac"], ids and ["first"])

        def handler(accumulator=accumulator, seen=seen, ids=ids):
            if not seen:
                seen.append(accumulator.state_dict())
                accumulator.update(["xyz"], ["xyy"], ids and ["handler"])

        def interrupted(*arguments, function, handler=handler):
            handler()
            return function(*arguments)

        before = accumulator.state_dict()
        with monkeypatch.context() as patch:
            for module, name in ((state, "add"), (state, "sum_rows")):
                function = getattr(module, name)
                patch.setattr(module, name, functools.partial(interrupted, function=function))
            accumulator.update(["the cat", "dog"], ["the hat", "dig"], ids)
        assert seen == [before]
        assert accumulator.segment_count == 4
        expected = chrf.corpus_score(
            ["ab", "xyz", "the cat", "dog"], ["ac", "xyy", "the hat", "dig"]
        )
        assert accumulator.compute() == expected
