"""Ctrl-C does not wait for the end of a long call."""

import signal
from _thread import interrupt_main
from array import array
from functools import partial

import pyarrow
import pytest

from chrf.kernel import columns, count, pairs, prepared

OPTIONS = (6, 0, False)
LONG = ["a" * 3_000_000] * 4  # more than one part
SPANS = array("q", [0, len(LONG[0])] * 4)
BLOCK = LONG[0].encode()


def calls():
    """Yield compiled calls that take a number, which nothing depends on."""
    yield "strings", partial(count.count, LONG, LONG, 0, 4, *OPTIONS)
    yield "fields", partial(count.count_fields, BLOCK, SPANS, BLOCK, SPANS, 6, 0)
    yield "references", partial(prepared.PreparedReferences, LONG, *OPTIONS)
    scorer = prepared.PreparedReferences(LONG, *OPTIONS)
    yield "prepared", partial(scorer.count, LONG, 0, 4, 0)
    symbols = array("I", [1] * 1000), array("q", [0, 999])
    yield "pairs", partial(pairs.Pairs().add_orders, symbols, symbols)
    column = columns.Column("texts", pyarrow.array(LONG), False)
    yield "columns", partial(columns.count, column, column, 0, 4, *OPTIONS)


CALLS = dict(calls())


@pytest.fixture(autouse=True)
def raises():
    """Raise KeyboardInterrupt for the signal, which a job in the background has ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("name", CALLS)
def test_a_long_call_is_interrupted(name):
    # `zip` and `map` take their items without running Python code, which would answer the signal.
    numbers = iter([1, 1, 1])
    interrupts = map(interrupt_main, [signal.SIGINT] * 3)
    with pytest.raises(KeyboardInterrupt):
        list(zip(interrupts, map(CALLS[name], numbers), strict=False))
    assert list(numbers) == [1, 1]


def test_a_short_call_answers_the_signal_afterwards():
    numbers = iter([1, 1, 1])
    interrupts = map(interrupt_main, [signal.SIGINT] * 3)
    call = partial(count.count, ["a"], ["a"], 0, 1, *OPTIONS)
    with pytest.raises(KeyboardInterrupt):
        list(zip(interrupts, map(call, numbers), strict=False))
    assert not list(numbers)


@pytest.mark.parametrize("threads", [1, 2, 3, 40])
def test_parts_make_no_difference(threads):
    texts = ["ab" * 1_500_000, "", "c", "a" * 2_000_000, *["b c"] * 5]
    flat = count.count(texts, texts[::-1], 0, len(texts), *OPTIONS, threads)
    alone = array("q")
    for i in range(len(texts)):
        alone += count.count(texts, texts[::-1], i, i + 1, *OPTIONS)
    assert flat == alone
