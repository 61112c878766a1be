"""The kernel and its twin: the same integers, exceptions and texts for every input."""

import inspect
import os
import random
import string
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import chain, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chrf
from chrf.kernel import count as kernel
from chrf.kernel import reference, text
from chrf.kernel.prepared import PreparedReferences
from chrf.kernel.simd import short

# --- texts: one strategy for each path of the kernel ---------------------------------------------

SPACES = "".join(sorted(text.WHITESPACE))
MARKS = string.punctuation
ANY = st.characters()  # all of Unicode, lone surrogates and NUL included
BYTES_PER_CODE_POINT = {
    1: st.characters(max_codepoint=0xFF),
    2: st.characters(min_codepoint=0x100, max_codepoint=0xFFFF),
    4: st.characters(min_codepoint=0x10000),
}
WIDE_TEXTS = {
    # The widest character decides how CPython stores a string, so one is appended.
    size: st.builds(
        str.__add__, st.text(st.one_of(ANY.filter(lambda c, top=top: ord(c) <= top), wide)), wide
    )
    for (size, wide), top in zip(
        BYTES_PER_CODE_POINT.items(), (0xFF, 0xFFFF, 0x10FFFF), strict=True
    )
}

# The table has 16 cells, doubled as often as makes it at most half full.
GROWTHS = [8, 16, 32, 64, 128, 256]
LENGTHS = sorted({*range(13), *(n + d for n in GROWTHS for d in (-1, 0, 1))})

GOLDEN = 0x9E3779B97F4A7C15
# Characters that a multiplicative hash alone would put into one cell of a table of 1024.
COLLIDING = [chr(c) for c in range(0x110000) if c * GOLDEN % 2**64 >> 54 == 7]
# Characters that look like cell numbers, like an empty key, like the ends of the ranges, and
# characters that are equal in their low bits.
HOSTILE = [
    *map(chr, range(20)),
    *COLLIDING[:40],
    *map(chr, range(0x41, 0x110000, 0x8000)),
    *"\ud800\udfff\uffff\U00010000\U0010ffff",
]


@st.composite
def growing(draw):
    """Lengths around the n-gram orders and the growths of the table."""
    texts = []
    for _ in range(2):
        length = draw(st.sampled_from(LENGTHS))
        distinct = draw(st.sampled_from([1, 2, 7, length + 1]))
        first = draw(st.sampled_from([0, 0x20, 0x61, 0xF0, 0xFFF0]))
        shuffle = random.Random(draw(st.integers(0, 2**32)))
        texts.append("".join(chr(first + shuffle.randrange(distinct)) for _ in range(length)))
    return tuple(texts)


@st.composite
def many_symbols(draw):
    """Alphabets around the 253 symbols for which the kernel has codes of one byte."""
    first, step = draw(st.sampled_from([(0, 1), (0x4E00, 1), (0xFF00, 3), (0x61, 2048)]))
    alphabet = [chr(first + step * i) for i in range(draw(st.integers(240, 260)))]
    source = random.Random(draw(st.integers(0, 2**32)))
    reference_text = source.sample(alphabet, draw(st.integers(200, len(alphabet))))
    hypothesis = reference_text[:]
    for _ in range(draw(st.integers(0, 5))):
        hypothesis[source.randrange(len(hypothesis))] = source.choice([*alphabet, " ", "x", "☃"])
    return "".join(hypothesis), "".join(reference_text) + draw(st.text(ANY, max_size=3))


@st.composite
def vocabularies(draw):
    """Words that begin alike, of lengths around the steps in which the kernel reads them, and as
    many different ones as the kernel has numbers of one byte for them."""
    source = random.Random(draw(st.integers(0, 2**32)))
    letters = draw(st.sampled_from(["ab", "abcdefgh", "aé☃😀", "".join(map(chr, range(200, 500)))]))
    beginning = "".join(source.choices(letters, k=14))
    size = draw(st.sampled_from([1, 3, 20, 252, 253, 254, 255, 256]))
    vocabulary = [
        beginning[: source.randrange(15)] + "".join(source.choices(letters, k=source.randrange(4)))
        for _ in range(size)
    ]
    if size > 20:
        vocabulary = [letters[i % 2] + chr(0x4E00 + i // 2) for i in range(size)]
    reference_words = vocabulary + source.choices(vocabulary, k=draw(st.integers(0, 20)))
    hypothesis_words = reference_words[:]
    for i in {size - 1, *draw(st.lists(st.integers(0, size - 1), max_size=5))}:
        hypothesis_words[i] = source.choice(vocabulary) + source.choice(" .a(")
    return " ".join(hypothesis_words), " ".join(reference_words)


@st.composite
def repeated(draw):
    block = draw(st.text(ANY, min_size=1, max_size=4))
    hypothesis, rest = draw(st.text(ANY, max_size=3)), draw(st.text(ANY, max_size=3))
    return (
        hypothesis + block * draw(st.integers(0, 100)),
        block * draw(st.integers(0, 100)) + rest,
    )


@st.composite
def edited(draw):
    """A hypothesis made of its reference, so that long n-grams match."""
    alphabet = draw(st.sampled_from([st.sampled_from("abc ."), st.sampled_from("aé☃😀 "), ANY]))
    original = draw(st.text(alphabet, min_size=1, max_size=60))
    changed = original
    for _ in range(draw(st.integers(0, 4))):
        a = draw(st.integers(0, len(changed)))
        b = draw(st.integers(a, len(changed)))
        kind = draw(st.sampled_from(["delete", "insert", "double", "move", "reverse"]))
        part = changed[a:b]
        if kind == "delete":
            changed = changed[:a] + changed[b:]
        elif kind == "insert":
            changed = changed[:a] + draw(st.text(alphabet, max_size=3)) + changed[a:]
        elif kind == "double":
            changed = changed[:b] + part + changed[b:]
        elif kind == "move":
            changed = part + changed[:a] + changed[b:]
        else:
            changed = changed[:a] + part[::-1] + changed[b:]
    return changed, original


def pairs(texts):
    return st.tuples(texts, texts)


PATHS = {
    "one byte": pairs(WIDE_TEXTS[1]),
    "two bytes": pairs(WIDE_TEXTS[2]),
    "four bytes": pairs(WIDE_TEXTS[4]),
    "different widths": pairs(st.one_of(*WIDE_TEXTS.values(), st.just(""))),
    "small alphabet": pairs(st.text(st.sampled_from("ab"), max_size=40)),
    "words": pairs(st.text(st.sampled_from("aab" + SPACES + ".(!" + "”。"), max_size=40)),
    "growing": growing(),
    "many symbols": many_symbols(),
    "vocabularies": vocabularies(),
    "repeated": repeated(),
    "hostile": pairs(st.text(st.sampled_from(HOSTILE), max_size=80)),
    "edited": edited(),
}
FILLER = "y" * 5000
ORDERS = st.tuples(st.integers(0, 10), st.integers(0, 4)).filter(any)


# --- a third opinion -----------------------------------------------------------------------------


def brute_force(hypothesis, reference_text, char_order, word_order, whitespace):
    """Counts without a Counter, a table or the package: lists, from which matches are removed."""
    rows = []
    for orders, split in ((char_order, characters(whitespace)), (word_order, split_words)):
        for n in range(1, orders + 1):
            ours, theirs = ngrams(split(hypothesis), n), ngrams(split(reference_text), n)
            rows += [len(ours), len(theirs)]
            left = list(ours)
            for ngram in theirs:
                if ngram in left:
                    left.remove(ngram)
            rows.append(len(ours) - len(left))
    return rows


def characters(whitespace):
    return list if whitespace else lambda string: list("".join(string.split()))


def split_words(segment):
    words = []
    for word in segment.split():
        if len(word) > 1 and word[-1] in string.punctuation:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in string.punctuation:
            words += [word[0], word[1:]]
        else:
            words += [word]
    return words


def ngrams(symbols, n):
    return [symbols[i : i + n] for i in range(len(symbols) - n + 1)]


# --- the kernel against its twin -----------------------------------------------------------------


def outcome(function, *arguments):
    """What a call returns, or the type and text of what it raises."""
    try:
        return function(*arguments)
    except Exception as error:
        return type(error), str(error)


def draw_call(data, texts):
    """Segments, a part of them, the orders, and whether whitespace stays."""
    segments = data.draw(st.lists(texts, min_size=1, max_size=4))
    orders, whitespace = data.draw(ORDERS), data.draw(st.booleans())
    start = data.draw(st.integers(0, len(segments)))
    stop = data.draw(st.integers(start, len(segments)))
    hypotheses, references = map(list, zip(*segments, strict=True))
    return hypotheses, references, start, stop, orders, whitespace


def in_every_width(call, *arguments):
    """What a call returns in each width that this machine has: the same."""
    before, results = short.in_use(), []
    for width in short.available():
        short.use(width)
        results.append(call(*arguments))
    short.use(before)
    assert results == results[:1] * len(results)
    return results[0]


@pytest.mark.parametrize("path", PATHS)
@given(data=st.data())
def test_kernel_equals_twin(path, data):
    hypotheses, references, start, stop, orders, whitespace = draw_call(data, PATHS[path])
    for a, b in ((0, len(hypotheses)), (start, stop)):
        counted = in_every_width(kernel.count, hypotheses, references, a, b, *orders, whitespace)
        twin = reference.count(hypotheses, references, a, b, *orders, whitespace)
        assert counted.typecode == twin.typecode == "q"
        assert counted.tolist() == twin.tolist()
    # Past some thousand code points in a call the kernel uses another table.
    crowd = kernel.count(
        [*hypotheses, ""], [*references, FILLER], 0, len(hypotheses) + 1, *orders, whitespace
    )
    whole = reference.count(hypotheses, references, 0, len(hypotheses), *orders, whitespace)
    assert crowd.tolist()[: len(whole)] == whole.tolist()


@pytest.mark.parametrize("path", PATHS)
@given(data=st.data())
def test_prepared_references_equal_the_twin(path, data):
    hypotheses, references, start, stop, orders, whitespace = draw_call(data, PATHS[path])
    one = hypotheses[:1] * len(hypotheses)  # which the kernel decodes once
    for more in ([], [FILLER]):
        prepared = PreparedReferences([*references, *more], *orders, whitespace)
        for texts in (hypotheses, references, hypotheses[::-1], one):
            counted = in_every_width(prepared.count, texts, start, stop, start)
            twin = reference.count(texts, references, start, stop, *orders, whitespace)
            assert counted.tolist() == twin.tolist()
    shared = kernel.count(one, references, 0, len(one), *orders, whitespace)
    assert shared == reference.count(one, references, 0, len(one), *orders, whitespace)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_take_turns(threads):
    source = random.Random(threads)
    references = ["".join(source.choices("abc .é", k=source.choice([5, 90]))) for _ in range(500)]
    hypotheses = [text[3:] + "x" for text in references]
    expected = reference.count(hypotheses, references, 3, 490, 6, 2, False)

    assert kernel.count(hypotheses, references, 3, 490, 6, 2, False, threads) == expected
    prepared = PreparedReferences(references, 6, 2, False)
    assert prepared.count(hypotheses, 3, 490, 3, threads) == expected


@pytest.mark.skipif("CHRF_SANITIZE" in os.environ, reason="a sanitizer ends where a thread fails")
def test_threads_that_the_system_does_not_give_are_done_without(tmp_path):
    """Few systems give a thread a stack of 64 TiB; the threads that there are do the work."""
    code = """
import threading
from chrf.kernel import count as kernel
texts = ["abc " * 30, "bcd " * 40] * 300
expected = kernel.count(texts, texts[::-1], 0, 600, 6, 0, False)
threading.stack_size(1 << 46)
try:
    threading.Thread(target=print).start()
except RuntimeError:
    print("refused")
print(kernel.count(texts, texts[::-1], 0, 600, 6, 0, False, 3) == expected)
"""
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    *refused, equal = run.stdout.split()
    assert equal == "True"
    if refused != ["refused"]:
        pytest.skip("this system gives threads such stacks")


def test_prepared_references_check_their_arguments():
    prepared = PreparedReferences(["a", "b", "c"], 6, 0, False)
    assert len(prepared.count(["x", "y"], 1, 2, 2)) == 18
    for start, stop, first in ((-1, 1, 0), (1, 0, 0), (0, 3, 0), (0, 2, 2), (0, 1, -1)):
        with pytest.raises(ValueError, match="must be positions in the lists"):
            prepared.count(["x", "y"], start, stop, first)
    with pytest.raises(TypeError, match=r"^hypotheses\[1\] is bytes, not a string$"):
        prepared.count(["x", b"y"], 0, 2, 0)
    with pytest.raises(TypeError, match=r"^references\[1\] is int, not a string$"):
        PreparedReferences(["a", 5], 6, 0, False)


def test_references_of_many_alphabets_and_megabytes():
    """Alphabets are kept and recalled; references go on from one piece of memory to the next."""
    source = random.Random("alphabets")
    symbols = [chr(0x4E00 + i) for i in range(4000)]
    references = ["".join(source.choices(symbols, k=source.choice([3, 90, 250]))) for _ in range(9)]
    references += ["".join(source.choices("abcd .", k=8192)) for _ in range(30)]
    references += [*references[:9], "ab" * 500, "".join(symbols), "ab" * 5000, ""]
    hypotheses = [text[5:] + text[:5] + "☃ x" for text in references]
    expected = reference.count(hypotheses, references, 0, len(references), 6, 2, False)
    for most_bytes in (1 << 30, 100_000, 0):
        prepared = PreparedReferences(references, 6, 2, False, most_bytes)
        for _ in range(2):
            assert prepared.count(hypotheses, 0, len(references), 0) == expected


@given(segments=st.lists(edited(), min_size=2, max_size=6), data=st.data())
def test_a_part_is_counted_as_in_the_whole(engine, segments, data):
    hypotheses, references = map(list, zip(*segments, strict=True))
    start = data.draw(st.integers(0, len(segments)))
    stop = data.draw(st.integers(start, len(segments)))
    whole = engine.count(hypotheses, references, 0, len(segments), 6, 2, False).tolist()
    part = engine.count(hypotheses, references, start, stop, 6, 2, False).tolist()
    assert part == whole[start * 24 : stop * 24]


@pytest.mark.parametrize("sizes", [(1000, 1, 0, 300, 1000), (0, 1000, 0), (1, 33, 17, 33, 1)])
def test_memory_is_reused_between_segments_of_different_sizes(engine, sizes):
    source = random.Random(repr(sizes))
    segments = [
        tuple("".join(source.choices("ab ☃😀.", k=size)) for size in pair)
        for pair in zip(sizes, reversed(sizes), strict=True)
    ]
    hypotheses, references = map(list, zip(*segments, strict=True))
    together = engine.count(hypotheses, references, 0, len(segments), 10, 4, False).tolist()
    alone = [n for h, r in segments for n in engine.count([h], [r], 0, 1, 10, 4, False)]
    assert together == alone


def random_words(source, length):
    return "".join(source.choices("abcdefgh .,", k=length))


LONG_TEXTS = {
    "words": random_words,
    "one letter": lambda source, length: "a" * length,
    "two letters": lambda source, length: "".join(source.choices("ab", k=length)),
    "two in turn": lambda source, length: ("ab" * length)[:length],
    "many symbols": lambda source, length: "".join(map(chr, source.choices(range(200), k=length))),
    "chinese": lambda source, length: "".join(
        map(chr, source.choices(range(0x4E00, 0x5E00), k=length))
    ),
}


@pytest.mark.parametrize("kind", LONG_TEXTS)
@pytest.mark.parametrize("length", [1024, 2040, 2041, 8191, 8192, 8193])
def test_long_texts(kind, length):
    """Chains hold up to 8192 characters and up to 8 orders; 2048 windows and fewer are sorted by
    smaller digits."""
    compare_long_texts(kind, length)


@pytest.mark.parametrize("orders", [1, 6, 7, 8])
@pytest.mark.parametrize("size", [1, 127, 128, 510, 511, 1022, 1023, 2047, 32766, 32767])
def test_windows_of_one_word_and_of_two_are_sorted(size, orders):
    """The symbols of a reference and the place after its end take 7 bits for 127, 8 for 128, ...

    A word has 63 bits for symbols: six of 10 bits, three of 21, four of 15.
    """
    source = random.Random(f"{size} {orders}")
    symbols = [chr(0x4E00 + i) for i in range(size)]
    original = "".join([*symbols, *source.choices(symbols, k=max(8193 - size, 0))])
    changed = original[3000:6000] + "".join(source.choices([*symbols, "x"], k=900)) + original
    for hypothesis in (changed, original[::-1], "x" * 9000):
        sides = [hypothesis], [original]
        expected = reference.count(*sides, 0, 1, orders, 0, False)
        assert kernel.count(*sides, 0, 1, orders, 0, False) == expected


def test_a_text_longer_than_16_bits():
    compare_long_texts("many symbols", 75_000, [(6, 1)])


def compare_long_texts(kind, length, some_orders=((7, 0), (8, 1), (9, 0))):
    source = random.Random(f"{kind} {length}")
    text_of = LONG_TEXTS[kind]
    original = text_of(source, length)
    changed = original[1000:2000] + text_of(source, 500) + original[1500:]
    turned = original[-900:] + original[:-900]
    for hypothesis in (changed[:length], original[5:] + ".", turned):
        sides = [hypothesis], [original]
        for orders in some_orders:
            expected = reference.count(*sides, 0, 1, *orders, False)
            assert kernel.count(*sides, 0, 1, *orders, False) == expected
            prepared = PreparedReferences([original], *orders, False)
            assert prepared.count([hypothesis], 0, 1, 0) == expected


def test_an_alphabet_that_fills_up_between_segments(engine):
    """Each segment has 100 symbols of its own, so that every third one begins a new alphabet."""
    texts = ["".join(map(chr, range(0x4E00 + 100 * i, 0x4E64 + 100 * i))) for i in range(12)]
    texts += [texts[0] + texts[5], texts[0] + texts[5] + texts[7], texts[0], ""]
    hypotheses = [text[1:] + "☃" for text in texts[:-1]] + ["☃ ☃"]
    together = engine.count(hypotheses, texts, 0, len(texts), 8, 2, False).tolist()
    alone = [
        number
        for h, r in zip(hypotheses, texts, strict=True)
        for number in engine.count([h], [r], 0, 1, 8, 2, False)
    ]
    assert together == alone
    assert together[:6] == [100, 100, 99, 99, 99, 98]


SHORT = st.one_of(
    st.text(ANY, max_size=10),
    st.text(st.sampled_from("ab .(" + SPACES), max_size=14),
)


@given(hypothesis=SHORT, reference_text=SHORT, orders=ORDERS, whitespace=st.booleans())
def test_counts_equal_brute_force(engine, hypothesis, reference_text, orders, whitespace):
    counted = engine.count([hypothesis], [reference_text], 0, 1, *orders, whitespace)
    assert counted.tolist() == brute_force(hypothesis, reference_text, *orders, whitespace)


NOT_STRINGS = st.sampled_from([None, b"a", float("nan"), 7, ["a"]])
ITEMS = st.one_of(st.text(ANY, max_size=3), NOT_STRINGS)


@given(segments=st.lists(st.tuples(ITEMS, ITEMS), min_size=1, max_size=4), data=st.data())
def test_kernel_and_twin_raise_the_same(segments, data):
    hypotheses, references = map(list, zip(*segments, strict=True))
    references = references[: data.draw(st.integers(0, 5))]
    start, stop = data.draw(st.just((0, len(segments))) | pairs(st.integers(-1, 5)))
    arguments = (hypotheses, references, start, stop, 2, 1, False)
    assert outcome(kernel.count, *arguments) == outcome(reference.count, *arguments)


@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        (["a", None], ["a", "a"], "hypotheses[1] is NoneType, not a string"),
        (["a", "a"], ["a", b"a"], "references[1] is bytes, not a string"),
        (["a", 1], [2, "a"], "hypotheses[1] is int, not a string"),  # all hypotheses come first
    ],
)
def test_what_is_not_a_string_is_named(engine, hypotheses, references, message):
    assert outcome(engine.count, hypotheses, references, 0, 2, 6, 2, False) == (TypeError, message)


@pytest.mark.parametrize(("start", "stop"), [(-1, 0), (1, 0), (0, 3), (3, 3), (2, 1)])
def test_positions_outside_the_lists_are_refused(engine, start, stop):
    with pytest.raises(ValueError, match=r"^start and stop must be positions in both lists$"):
        engine.count(["a", "b", "c"], ["a", "b"], start, stop, 6, 2, False)


def test_no_segments_no_counts(engine):
    assert engine.count([], [], 0, 0, 6, 2, False).tolist() == []
    assert engine.count(["a"], ["a"], 1, 1, 6, 2, False).tolist() == []


def test_twins_have_the_same_functions():
    functions = [
        name
        for name in dir(kernel)
        if not name.startswith("_")
        and callable(getattr(kernel, name))
        and getattr(getattr(kernel, name), "__module__", None) == "chrf.kernel.count"
    ]
    assert functions == ["add_up", "all_strings", "count", "count_fields"]
    for name in functions:
        assert parameters(getattr(kernel, name)) == parameters(getattr(reference, name))


def parameters(function):
    return [
        (parameter.name, parameter.kind, parameter.default)
        for parameter in inspect.signature(function).parameters.values()
    ]


@pytest.mark.parametrize("items", [[], ["a", ""], ["a", b"b"], [["a"]], [np.str_("a")], [None]])
def test_strings_are_told_from_all_else(engine, items):
    assert engine.module.all_strings(items) == ({*map(type, items)} <= {str})


def test_str_subclasses_are_strings(engine):
    class Text(str):
        __slots__ = ()

        def __len__(self):
            return 1

    counted = engine.count([Text("aé☃")], [np.str_("aé☃")], 0, 1, 3, 0, False)
    assert counted.tolist() == [3, 3, 3, 2, 2, 2, 1, 1, 1]


# --- the sets, over every code point -------------------------------------------------------------

EVERY = list(map(chr, range(0x110000)))


def test_whitespace_is_what_str_split_splits_on():
    splits = {c for c in EVERY if len(f"a{c}b".split()) == 2}
    assert splits == text.WHITESPACE
    # One order of characters: a removed code point leaves two n-grams of three.
    texts = [f"a{c}b" for c in EVERY]
    counted = np.array(kernel.count(texts, texts, 0, len(EVERY), 1, 1, False)).reshape(-1, 2, 3)
    assert {c for c, n in zip(EVERY, counted[:, 0, 0], strict=True) if n == 2} == splits
    assert {c for c, n in zip(EVERY, counted[:, 1, 0], strict=True) if n == 2} == splits


def test_punctuation_is_string_punctuation():
    assert set(string.punctuation) == text.PUNCTUATION
    for template in ("{}ab", "ab{}"):
        texts = [template.format(c) for c in EVERY]
        counted = np.array(kernel.count(texts, texts, 0, len(EVERY), 0, 1, False)).reshape(-1, 3)
        split = {c for c, n in zip(EVERY, counted[:, 0], strict=True) if n == 2}
        assert split == text.PUNCTUATION


# --- nothing to count ----------------------------------------------------------------------------

EMPTY_OR_LONG = ["", " ", " " * 8193, "\u3000" * 9000, "a" * 8193, "ab\u4e00" * 3000]


@pytest.mark.parametrize("orders", [(6, 0), (0, 1), (0, 4), (6, 2), (10, 0)], ids=str)
@pytest.mark.parametrize("whitespace", [False, True])
def test_texts_without_an_n_gram(orders, whitespace):
    """In a call of their own, which comes by memory for nothing that it does not need."""
    for texts in product(EMPTY_OR_LONG, repeat=2):
        arguments = [texts[0]], [texts[1]], 0, 1, *orders, whitespace
        expected = reference.count(*arguments)
        assert kernel.count(*arguments) == expected, [*map(len, texts)]
        options = {"char_order": orders[0], "word_order": orders[1], "whitespace": whitespace}
        score = chrf.Scorer([texts[1]], **options).corpus_score([texts[0]])
        assert [*chain(*score.counts)] == expected.tolist()


# --- large and hostile texts, in linear time -----------------------------------------------------
# Quadratic work on a million characters would not end before faulthandler's timeout.


def test_one_character_a_million_times():
    score = chrf.corpus_score(["a" * 1_000_000], ["a" * 999_999])
    assert score.fraction == Fraction(
        6249900000609373239585748957012500125, 62499012505937483104189416654600001
    )
    assert str(score) == "99.999980"


def test_two_characters_in_turn():
    million = 1_000_000
    counted = kernel.count(["ab" * 500_000], ["ba" * 500_000], 0, 1, 6, 0, False).tolist()
    # Of T n-grams, T odd, one more starts with the first letter than with the second.
    assert counted == [
        number
        for total in range(million, million - 6, -1)
        for number in (total, total, total - total % 2)
    ]
    assert chrf.corpus_score(["ab" * 500_000], ["ab" * 500_000]).fraction == 100


def test_a_million_words():
    words = 500_000
    counted = kernel.count(["a " * words], ["a " * (words - 1) + "b"], 0, 1, 0, 2, False)
    assert counted.tolist() == [words, words, words - 1, words - 1, words - 1, words - 2]


def test_a_million_random_chinese_characters():
    codes = np.random.default_rng(77).integers(0x4E00, 0xA000, 1_000_000).astype("<u4")
    line = codes.tobytes().decode("utf-32-le")
    counted = kernel.count([line], [line], 0, 1, 6, 0, False).tolist()
    assert counted == [n for n in range(1_000_000, 999_994, -1) for _ in range(3)]
    score = chrf.corpus_score([line], [line])
    assert (score.fraction, str(score)) == (100, "100.000000")


def test_characters_that_a_multiplicative_hash_would_pile_up():
    assert len(COLLIDING) > 1000  # and all of them in the thousandth part of a table
    source = random.Random(7)
    line = "".join(source.choices(COLLIDING, k=200_000))
    words = " ".join(source.choices(COLLIDING, k=100_000))
    for whole in (line, words):
        counted = kernel.count([whole + "a"], [whole], 0, 1, 10, 2, False)
        length, number = len("".join(whole.split())), len(whole.split())
        joined = number if whole is line else number - 1  # "a" has joined the last word
        assert counted.tolist() == [
            *(n for k in range(length, length - 10, -1) for n in (k + 1, k, k)),
            *(number, number, joined if whole is words else 0),
            *(number - 1, number - 1, joined - 1 if whole is words else 0),
        ]


# --- what a call leaves behind -------------------------------------------------------------------


@given(pair=edited())
def test_strings_are_not_changed(pair):
    before = [side.encode("utf-32", "surrogatepass") for side in pair]
    kernel.count([pair[0]], [pair[1]], 0, 1, 10, 4, False)
    assert [side.encode("utf-32", "surrogatepass") for side in pair] == before


MEMORY = """
import os
import chrf

def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def calls(start, stop):
    for i in range(start, stop):
        chrf.corpus_score([f"the cat {i} sat"], [f"a cat sat {i}"], word_order=2)
        if i % 100 == 0:
            chrf.counts([f"ab cd {i}" * 99] * 9, [f"ab cd e {i}" * 99] * 9, word_order=2)
        if i % 5 == 0:
            chrf.segment_scores([f"{i} a"], [[f"a {i}", f"b {i}"]], lowercase=True)
            try:
                chrf.counts([f"{i}", f"{i}"], [f"{i}", None])
            except TypeError:
                continue
            raise AssertionError("None was taken for a string")

calls(0, 5000)
before = resident()
calls(5000, 55000)
print(resident() - before)
"""


@pytest.mark.skipif(
    "CHRF_SANITIZE" in os.environ, reason="a sanitizer keeps freed memory for a while"
)
@pytest.mark.skipif(
    not os.path.exists("/proc/self/statm"), reason="the memory in use is read as Linux keeps it"
)
def test_memory_does_not_grow_with_calls(tmp_path):
    """50,000 calls with distinct texts; 1 MB would be 20 bytes for each."""
    run = subprocess.run(
        [sys.executable, "-c", MEMORY], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert int(run.stdout) < 1_000_000


# --- threads -------------------------------------------------------------------------------------


def corpora():
    source = random.Random(76)
    made = []
    for i in range(8):
        hypotheses, references = [], []
        for _ in range(10 + 3 * i):
            reference_text = "".join(source.choices("abc é☃😀.", k=source.randrange(60)))
            references.append(reference_text)
            hypotheses.append(reference_text[source.randrange(5) :] + source.choice(["", "x", "."]))
        made.append((hypotheses, references))
    return made


def test_threads_do_not_meet():
    """8 threads score 8 corpora, 100 rounds."""
    made = corpora()
    serial = [chrf.corpus_score(*corpus, word_order=2) for corpus in made]
    assert len({score.fraction for score in serial}) == 8
    barrier = threading.Barrier(8)

    def score(corpus):
        barrier.wait()
        return [chrf.corpus_score(*corpus, word_order=2) for _ in range(100)]

    with ThreadPoolExecutor(8) as pool:
        for scores, expected in zip(pool.map(score, made), serial, strict=True):
            assert scores == [expected] * 100


def test_the_number_of_threads_changes_nothing():
    hypotheses = [h for corpus in corpora() for h in corpus[0]] * 10
    references = [r for corpus in corpora() for r in corpus[1]] * 10
    several = [[r, r[::-1]] for r in references]
    for given_references in (references, several):
        one = chrf.corpus_score(hypotheses, given_references, word_order=2)
        rows = chrf.counts(hypotheses, given_references, word_order=2)
        scores = chrf.segment_scores(hypotheses, given_references, word_order=2)
        for threads in (2, 3, 8):
            keywords = {"word_order": 2, "threads": threads}
            assert chrf.corpus_score(hypotheses, given_references, **keywords) == one
            assert (chrf.counts(hypotheses, given_references, **keywords) == rows).all()
            assert (chrf.segment_scores(hypotheses, given_references, **keywords) == scores).all()


def test_the_kernel_lets_other_threads_run():
    """No thread may ask for the GIL during the call: it comes only where the kernel gives it."""
    line = "".join(random.Random(1).choices("abcdefghij", k=2_000_000))
    begins, ended = threading.Lock(), []

    def work():
        begins.release()
        kernel.count([line], [line], 0, 1, 10, 0, False)
        ended.append(True)

    interval = sys.getswitchinterval()
    worker = threading.Thread(target=work)
    begins.acquire()
    try:
        sys.setswitchinterval(600)
        worker.start()
        begins.acquire()
        ended_before_we_ran = bool(ended)
    finally:
        sys.setswitchinterval(interval)
        worker.join()
    assert ended == [True]
    assert not ended_before_we_ran
