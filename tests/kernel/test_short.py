"""Short texts, matched by bits: the twin's counts in every width that this machine has."""

import os
import random
import subprocess
import sys
from itertools import pairwise, product
from pathlib import Path

import pytest

from chrf.kernel import count as kernel
from chrf.kernel import reference
from chrf.kernel.prepared import PreparedReferences
from chrf.kernel.simd import short


@pytest.fixture(scope="module", params=short.NAMES)
def width(request):
    """A width that is in use as long as its tests run."""
    if request.param not in short.available():
        pytest.skip(f"this machine or build does not have the width {request.param}")
    before = short.in_use()
    short.use(request.param)
    yield request.param
    short.use(before)


def compare(hypotheses, references, *options):
    arguments = [*hypotheses], [*references], 0, len(references), *options
    expected = reference.count(*arguments)
    assert kernel.count(*arguments) == expected
    prepared = PreparedReferences([*references], *options)
    assert prepared.count([*hypotheses], 0, len(references), 0) == expected


def imported(**variables):
    """What a process says that imports the module with these variables."""
    code = "from chrf.kernel.simd import short; print(short.in_use())"
    environment = {name: value for name, value in os.environ.items() if name != "CHRF_SIMD"}
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**environment, **variables},
        cwd=Path(sys.executable).anchor,  # where no source hides the package
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_widest_is_chosen_first():
    widest_first = [name for name in reversed(short.NAMES) if name in short.available()]
    assert short.available() == widest_first
    assert short.available()[-1] == "scalar"
    assert imported().stdout.split() == short.available()[:1]
    assert imported(CHRF_SIMD="").stdout.split() == short.available()[:1]


def test_a_width_can_be_forced(width):
    assert short.in_use() == width
    assert imported(CHRF_SIMD=width).stdout.split() == [width]


def test_a_width_that_there_is_not_is_an_error():
    message = "ValueError: CHRF_SIMD is 'v5'; it can be scalar, baseline, v3, v4\n"
    run = imported(CHRF_SIMD="v5")
    assert (run.returncode, run.stderr[-len(message) :]) == (1, message)
    for name in {*short.NAMES} - {*short.available()}:
        with pytest.raises(ValueError, match=f"^CHRF_SIMD is '{name}', which this machine or"):
            short.use(name)
        assert imported(CHRF_SIMD=name).returncode == 1


def test_all_texts_of_two_letters(width):
    texts = ["".join(letters) for n in range(6) for letters in product("ab", repeat=n)]
    hypotheses, references = zip(*product(texts, repeat=2), strict=True)
    compare(hypotheses, references, 4, 0, False)


def edges(orders):
    """Lengths around those from which a text needs one word of 64 positions more."""
    steps = [64 + n * (65 - orders) for n in (0, 1, 2, 3, 4, 5, 8)]
    return sorted({0, 1, orders - 1, orders, *(n + d for n in steps for d in (-1, 0, 1))})


def alphabets(source):
    yield "a"
    yield "ab"
    yield "abcdefgh ,."
    yield [chr(0x4E00 + i) for i in range(300)]
    yield [chr(c) for c in source.sample(range(0x110000), 70_000)]


@pytest.mark.parametrize("orders", [1, 2, 3, 4, 5, 6, 7, 8])
def test_edges_of_words(width, orders):
    """Texts that share much and texts that share little, each way round."""
    source = random.Random(f"edges {orders}")
    for alphabet in alphabets(source):
        texts = ["".join(source.choices(alphabet, k=n)) for n in edges(orders)]
        hypotheses, references = [], []
        for text in texts:
            half, other = len(text) // 2, source.choice(texts)
            changed = text[half + 3 :] + text[:half] + "x" + text[half:]
            hypotheses += [changed[: len(text)], text[:half] + "xy" + text[half + 1 :], other]
            references += [text] * 3
        compare(hypotheses, references, orders, 0, False)
        compare(references, hypotheses, orders, min(orders, 4), True)


def test_both_sides_of_the_longest(width):
    source = random.Random("longest")
    longest = short.longest()
    for length in (longest - 1, longest, longest + 1):
        for alphabet in alphabets(source):
            text = "".join(source.choices(alphabet, k=length))
            other = "".join(source.choices(alphabet, k=length + 7))
            hypotheses = [text[9:] + "x" + text[:5], other, text, text[:7], text * 30]
            compare(hypotheses, [text] * 5, 6, 2, False)
            compare(hypotheses, [other] * 5, 8, 6, True)


@pytest.mark.parametrize("ending", ["", "x", "abcabc"])
def test_common_beginnings_and_ends(width, ending):
    """They are counted without being matched; they may overlap in the shorter text."""
    source = random.Random("common")
    hypotheses, references = [], []
    for n in range(40):
        text = "".join(source.choices("abc", k=n))
        for cut in range(0, n, 3):
            hypotheses += [text[:cut] + text[cut + 1 :], text[:cut] + "a" + text[cut:]]
            references += [text + ending] * 2
    compare(hypotheses, references, 6, 1, False)


def test_words_that_begin_alike(width):
    """Words of up to eight symbols are compared at once, longer ones by four more at a time."""
    source = random.Random("words")
    beginnings = ["abcdefghijklmnop"[:n] for n in range(17)]
    for ends in ("", "x", "xy.", "!", "☃"):
        vocabulary = [b + source.choice(ends or "z") for b in beginnings] + beginnings
        references = [" ".join(source.choices(vocabulary, k=30)) for _ in range(30)]
        hypotheses = [" \u3000 ".join(source.choices(vocabulary, k=30)) for _ in range(30)]
        compare(hypotheses, references, 0, 3, False)
        compare(hypotheses, references, 2, 8, True)


def test_symbols_are_forgotten_after_their_segment(width):
    """Each symbol is found in its own reference only, whatever came before."""
    symbols = [*map(chr, range(0x21, 0x250)), "\ud800", "\udfff", "\uffff", "\U0010ffff", "😀"]
    references = [a + b for a, b in pairwise(symbols)]
    compare(references[1:] + references[:1], references, 2, 1, False)
    compare(references[::-1], references, 2, 1, False)


@pytest.mark.parametrize("length", [16_384, 16_385])
def test_the_longest_hypothesis_of_a_short_reference(width, length):
    hypothesis = "".join(random.Random("long").choices("abcde .", k=length))
    compare([hypothesis] * 2, [hypothesis[:60], hypothesis[-70:]], 6, 2, False)
