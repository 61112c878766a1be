"""Lines: what ends one, what is text, and what comes back of any text.

Fractions were derived with ``fractions.Fraction``, independently of the package.
"""

import gzip
import io
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import chrf

BOM = "\ufeff".encode()
# Of these, none ends a row; str.splitlines() and the text mode of open() split at most of them.
NOT_LINE_ENDS = ["\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\0"]


CASES = [
    pytest.param(
        b'"Hello\t"Hello\nWorld"\tWorld"\n"abcdefg"\tabcdefg\n', 3, "129625/1352", {}, id="quotes"
    ),
    pytest.param(b"x" * 200_000 + b"\t" + b"x" * 200_000 + b"\n", 1, 100, {}, id="long-fields"),
    pytest.param(
        BOM + b"hello world\thello world\n", 1, 100, {}, id="byte-order-mark-at-the-start"
    ),
    pytest.param(
        b"hello\thello\n" + BOM + b"good night\tgood night\n",
        2,
        "59814500/613651",
        {},
        id="byte-order-mark-in-the-text",
    ),
    pytest.param(
        BOM + BOM + b"hello world\thello world\n",
        1,
        "18237875/187483",
        {},
        id="two-byte-order-marks",
    ),
    pytest.param(b"ab\tab\ncd\tcd", 2, 100, {}, id="no-line-feed-at-the-end"),
    pytest.param(b"ab\tab\ncd\tcd\n", 2, 100, {}, id="line-feed-at-the-end"),
    pytest.param(
        b"hello world\thello world\r\ngood night\tgood night\r\n", 2, 100, {}, id="crlf-chrF"
    ),
    pytest.param(
        b"hello world\thello world\r\ngood night\tgood night\r\n",
        2,
        100,
        {"word_order": 2},
        id="crlf-chrF++",
    ),
    pytest.param(
        b"hello\rworld\thello world\ngood night\tgood night\n",
        2,
        100,
        {},
        id="lone-carriage-return",
    ),
    pytest.param(
        b"The price is 5 *# see note\tThe price is 5 *# see note\n",
        1,
        100,
        {},
        id="asterisk-and-hash",
    ),
]


@pytest.mark.parametrize(("data", "count", "fraction", "options"), CASES)
def test_what_a_row_is_and_its_score(written, data, count, fraction, options, table):
    _, (hypotheses, references) = table(written(data))
    for rule in ("all", "sacrebleu"):
        found = chrf.corpus_score(hypotheses, references, rule=rule, **options)
        assert (found.segment_count, found.fraction) == (count, Fraction(fraction))


def test_sacrebleu_misreads_the_same_bytes_from_standard_input(written, table):
    """The reason to read bytes: text mode finds a third line here."""
    data = b"hello\rworld\thello world\ngood night\tgood night\n"
    assert len(io.TextIOWrapper(io.BytesIO(data), "utf-8").readlines()) == 3
    _, (hypotheses, _) = table(written(data))
    assert hypotheses == ["hello\rworld", "good night"]


@pytest.mark.parametrize("mark", NOT_LINE_ENDS, ids=ascii)
@pytest.mark.usefixtures("blocks")
def test_only_a_line_feed_ends_a_row(written, mark, table, tsv):
    path = written(tsv((f"a{mark}b", f"{mark}c"), (f"{mark}d", f"e{mark}f")))
    _, found = table(path)
    assert found == [[f"a{mark}b", f"{mark}d"], [f"{mark}c", f"e{mark}f"]]


@pytest.mark.parametrize(
    ("data", "reference"),
    [
        (b"a\tb\r\n", "b"),
        (b"a\tb\r\r\n", "b\r"),
        (b"a\tb\n\r", None),
        (b"a\tb\r", "b\r"),
        (b"a\tb", "b"),
        (b"a\t\r\n", ""),
        (b"a\t b \n", " b "),
        (b'a\t"b\n', '"b'),
        (b'a\t"b""c"\n', '"b""c"'),
        (b"a\tb\\n\n", "b\\n"),
    ],
)
@pytest.mark.usefixtures("blocks")
def test_a_carriage_return_before_the_line_feed_belongs_to_it(
    written, data, reference, table, refusal
):
    path = written(data)
    if reference is None:
        assert refusal(path) == "f.tsv:2: 1 field where 2 are expected"
    else:
        assert table(path)[1] == [["a"], [reference]]


def test_a_row_of_only_tabs_has_empty_texts(written, table):
    assert table(written(b"\t\n"))[1] == [[""], [""]]
    path = written(b"\t\t\t\n")
    assert table(path, ["1", "2"], ["3", "4"])[1] == [[""]] * 4


LINE_ENDS = st.sampled_from(["\n", "\r\n"])
TEXTS = st.text(
    st.one_of(
        st.sampled_from('ab"\r\0\x85\u2028\ufeff\U0001f44d'),
        st.characters(codec="utf-8", exclude_characters="\t\n"),
    ),
    max_size=12,
)


@given(
    st.lists(st.tuples(TEXTS, TEXTS, LINE_ENDS), min_size=1, max_size=6),
    st.booleans(),
    st.booleans(),
    st.integers(1, 40),
    st.booleans(),
)
@example([("a", "b\r", "\r\n")], True, True, 3, False)
@example([("\ufeff", "", "\n")], True, False, 1, True)
def test_rows_come_back_as_they_were_written(
    tmp_path_factory, table, lines, mark, last_line_feed, block, packed
):
    text = "".join(f"{a}\t{b}{end}" for a, b, end in lines)
    if not last_line_feed:
        text = text[:-1]
    if lines[0][0].startswith("\ufeff"):
        mark = True  # the first is the file's, the second is text
    data = BOM * mark + text.encode()
    # A carriage return before a line feed is the line end's, whoever wrote it.
    expected = [line.split("\t") for line in text.replace("\r\n", "\n").split("\n")]
    if text.endswith("\n"):
        expected.pop()
    path = tmp_path_factory.mktemp("rows") / ("f.tsv.gz" if packed else "f.tsv")
    path.write_bytes(gzip.compress(data) if packed else data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chrf.files.lines.BLOCK_BYTES", block)
        _, found = table(path)
    assert found == [list(column) for column in zip(*expected, strict=True)]
