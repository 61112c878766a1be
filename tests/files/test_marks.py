"""Fields that are blank, or look as if CSV had quoted them."""

from array import array
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chrf.files import splitting

SPACES = "".join(map(chr, filter(lambda c: chr(c).isspace(), range(0x110000))))
TEXTS = st.lists(
    st.text(st.sampled_from([*SPACES, "a", "\0", "\u200b", "\u180e", "é", "€", "\ufeff", "😀"]))
)
QUOTES = st.lists(st.text(st.sampled_from('""""a\u2028'), max_size=12))


def column(texts):
    data = [text.encode() for text in texts]
    ends = accumulate(map(len, data), initial=0)
    return b"".join(data), array("q", [end for span in pairwise(ends) for end in span])


@given(TEXTS)
def test_blank_fields(texts):
    found = splitting.blank_fields(*column(texts))
    assert list(found) == [i for i, text in enumerate(texts) if not text.strip()]


def test_every_whitespace_is_blank():
    assert list(splitting.blank_fields(*column(["", "a", *SPACES]))) == [
        0,
        *range(2, len(SPACES) + 2),
    ]


@given(QUOTES)
def test_quoted_fields(texts):
    def looks_quoted(text):
        inner = text[1:-1].replace('""', "")
        return (
            len(text) >= 4
            and text[0] == text[-1] == '"'
            and '"' not in inner
            and (inner != text[1:-1])
        )

    found = splitting.quoted_fields(*column(texts))
    assert list(found) == [i for i, text in enumerate(texts) if looks_quoted(text)]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('"He said ""no""."', True),
        ('""""', True),
        ('"""Hello"" he said"', True),
        ('"Hello"', False),
        ('"Hello" and "bye"', False),
        ('""', False),
        ('"""', False),
        ('""Hello""', False),
        ('"a ""b" c"', False),
        ('He said ""no"".', False),
    ],
)
def test_what_looks_quoted(text, quoted):
    assert list(splitting.quoted_fields(*column([text]))) == [0] * quoted


@pytest.mark.parametrize("find", [splitting.blank_fields, splitting.quoted_fields])
def test_spans_that_lie_outside(find):
    for spans in ([0, 4], [-1, 2], [2, 1]):
        with pytest.raises(ValueError, match="field 1 lies outside of the data"):
            find(b"abc", array("q", [0, 1, *spans]))
    with pytest.raises(TypeError, match="spans must be of type 'q'"):
        find(b"abc", array("i", [0, 1]))
