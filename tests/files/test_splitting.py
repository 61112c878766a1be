"""Blocks of bytes: split into rows and lines, and checked as UTF-8."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chrf.files import splitting

TEXT = st.text(st.sampled_from("ab\t\n\r\x00\x85\u2028é世😀 "), max_size=30)
HOSTILE = st.lists(
    st.sampled_from(
        [
            *(0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEF),
            *(0xF0, 0xF4, 0xF5, 0xFF),
        ]
    ),
    max_size=12,
).map(bytes)


def lines_of(text):
    lines = text.replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def fields(block, spans):
    return [block[a:b].decode() for a, b in zip(spans[0::2], spans[1::2], strict=True)]


@given(TEXT, st.integers(1, 3), st.lists(st.integers(0, 2), max_size=3))
def test_split_rows(text, width, used):
    used = [column for column in used if column < width]
    rows = [line.split("\t") for line in lines_of(text)]
    good = next((i for i, row in enumerate(rows) if len(row) != width), len(rows))
    block = text.encode()
    columns, found = splitting.split_rows(block, width, used)
    assert found == good
    assert [fields(block, spans) for spans in columns] == [
        [row[column] for row in rows[:good]] for column in used
    ]


@given(TEXT)
def test_split_lines(text):
    assert fields(text.encode(), splitting.split_lines(text.encode())) == lines_of(text)


def test_a_column_that_is_not_there():
    for column in (-1, 2):
        with pytest.raises(ValueError, match=f"no column {column} among 2"):
            splitting.split_rows(b"a\tb\n", 2, [column])


@given(
    st.one_of(
        st.binary(max_size=40), HOSTILE, st.tuples(st.just(b"abcdefg"), HOSTILE).map(b"".join)
    )
)
def test_is_utf8_agrees_with_the_strict_decoder(block):
    try:
        block.decode()
    except UnicodeDecodeError:
        assert not splitting.is_utf8(block)
    else:
        assert splitting.is_utf8(block)


@given(st.text(max_size=100))
def test_every_text_is_utf8(text):
    assert splitting.is_utf8(text.encode("utf-8", "replace"))
