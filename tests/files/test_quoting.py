"""Tables with CSV quoting are read as Python's `csv` and pandas read them."""

import csv
import gzip
import io
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chrf.files import quoting
from chrf.files.lines import Chunk
from chrf.files.quoted import whole_records
from chrf.files.table import open_table

# A carriage return that ends no line is an error for `csv` and a line end for pandas outside of
# quotes, so that random bytes have none.
BYTES = st.lists(st.sampled_from(["a", '"', '""', "\t", "\n", "\r\n", "é", "世"])).map("".join)
TEXTS = st.text(st.sampled_from('ab "\t\r\n\0é世😀'), max_size=6)
TABLES = st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=6)


def read_csv(text):
    """Return the rows, and whether `csv` has read all of them."""
    rows = []
    try:
        rows.extend(csv.reader(io.StringIO(text, newline=""), delimiter="\t", strict=True))
    except csv.Error:
        return rows, False
    return rows, True


def split(text, width=2):
    data, columns, lines, problem = quoting.split_records(text.encode(), width, [*range(width)])
    fields = [
        [data[a:b].decode() for a, b in zip(spans[::2], spans[1::2], strict=True)]
        for spans in columns
    ]
    return [list(row) for row in zip(*fields, strict=True)], list(lines), problem


@given(BYTES)
def test_any_bytes_as_csv_reads_them(text):
    rows, whole = [], True
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t", strict=True)
    lines = []
    while True:
        line = reader.line_num
        try:
            row = next(reader)
        except StopIteration:
            break
        except csv.Error:
            whole = False
            break
        rows.append(row)
        lines.append(line)
    good = next((i for i, row in enumerate(rows) if len(row) != 2), len(rows))
    found, places, problem = split(text)
    assert found == rows[:good]
    assert places == lines[:good]
    if good < len(rows):
        assert problem[:3] == ("fields", lines[good], len(rows[good]))
    elif whole:
        assert problem is None
    else:
        assert problem[0] in ("loose", "open")


@given(BYTES)
def test_the_first_record(text):
    rows, whole = read_csv(text)
    fields, end = quoting.first_record(text.encode())
    if rows:
        assert [field.decode() for field in fields] == (rows[0] or [""])
        assert read_csv(text.encode()[end:].decode())[0] == rows[1:]
    elif not whole:
        assert fields is None


@given(BYTES, st.lists(st.integers(0, 40)))
def test_chunks_end_where_records_end(text, cuts):
    chunks, offset = [], 0
    for i, line in enumerate(io.BytesIO(text.encode())):
        if chunks and i not in cuts:
            chunks[-1] = chunks[-1]._replace(data=chunks[-1].data + line)
        else:
            chunks.append(Chunk(i + 1, offset, line))
        offset += len(line)
    found = list(whole_records(chunks))
    assert b"".join(chunk.data for chunk in found) == text.encode()
    for chunk in found:
        assert chunk.first_line == 1 + text.encode()[: chunk.offset].count(b"\n")
    for chunk in found[:-1]:
        assert quoting.whole_records(chunk.data, False) == (len(chunk.data), False)
    rows, good = read_csv(text)
    if good:
        assert [row for chunk in found for row in read_csv(chunk.data.decode())[0]] == rows


@pytest.mark.parametrize("quoted", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
@given(rows=TABLES)
def test_what_csv_writes(rows, quoted):
    if sys.version_info < (3, 11):  # whose csv neither writes nor reads NUL
        rows = [tuple(text.replace("\0", "") for text in row) for row in rows]
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter="\t", quoting=quoted).writerows(rows)
    found, _, problem = split(stream.getvalue(), 3)
    assert problem is None
    assert found == [list(row) for row in rows]


@settings(deadline=None)
@given(rows=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6))
def test_what_pandas_writes_and_reads(rows):
    pandas = pytest.importorskip("pandas")
    rows = [[text.replace("\0", "") for text in row] for row in rows]  # which ends a text there
    frame = pandas.DataFrame(rows, columns=["mt", "ref"])
    text = frame.to_csv(sep="\t", index=False, lineterminator="\r\n")
    back = pandas.read_csv(io.StringIO(text), sep="\t", keep_default_na=False, dtype=str)
    found, _, problem = split(text)
    assert problem is None
    assert found == [["mt", "ref"], *back.to_numpy().tolist()] == [["mt", "ref"], *rows]


def test_carriage_returns():
    """They are text outside of quotes too, unless they end a line or the file."""
    assert split('a\rb\tc\r\n"d\r"\te\r\r\n"f"\t"g"\r') == (
        [["a\rb", "c"], ["d\r", "e\r"], ["f", "g"]],
        [0, 1, 2],
        None,
    )


def test_a_column_that_is_not_there():
    for column in (-1, 2):
        with pytest.raises(ValueError, match=f"no column {column} among 2"):
            quoting.split_records(b"a\tb\n", 2, [column])
    for width in (0, -1, 2**31):
        with pytest.raises(ValueError, match=f"a table has 1 to 2147483647 columns, not {width}"):
            quoting.split_records(b"a\tb\n", width, [])


def test_the_block_is_left_as_it_is():
    block = b'"a""b"\t"c"\n'
    data, (first, second), _, _ = quoting.split_records(block, 2, [0, 1])
    assert block == b'"a""b"\t"c"\n'
    assert data[slice(*first)] == b'a"b'
    assert data[slice(*second)] == b"c"
    assert quoting.split_records(block, 2, [1])[0] is block


@pytest.mark.usefixtures("blocks")
class TestTables:
    DATA = (
        'mt\t"the\nreference"\tn\n'
        '"He said ""no""."\tHe said "no".\t1\r\n'
        '"two\nlines\n"\ttwo lines\t2\n'
        '"tab\tin"\t"""q"""\t3\n'
        "世界\tx\t4"
    ).encode()
    COLUMNS = (
        ['He said "no".', "two\nlines\n", "tab\tin", "世界"],
        ['He said "no".', "two lines", '"q"', "x"],
    )

    def test_under_a_header(self, written, table):
        source, found = table(written(self.DATA), ["mt"], ["the\nreference"], True, "csv")
        assert found == [*self.COLUMNS]
        assert source.references[0].name == "the\nreference"

    def test_lines_are_those_of_the_file(self, written, table):
        path = written(self.DATA)
        source, _ = table(path, ["1"], ["2"], False, "csv")
        assert source.first_row == ["mt", "the\nreference"]
        source = open_table(str(path), ["1"], ["2"], False, lambda _: None, "csv")
        lines = [line for chunk in source.chunks for line in source.parse(chunk).lines]
        assert lines == [1, 3, 4, 7, 8]

    def test_compressed(self, written, table):
        path = written(gzip.compress(self.DATA), "f.tsv.gz")
        assert table(path, ["mt"], ["2"], True, "csv")[1] == [*self.COLUMNS]

    def test_a_field_longer_than_those_of_csv(self, written, table):
        text = 'x"' * 100_000
        data = "{0}\t{0}\n".format('"' + text.replace('"', '""') + '"').encode()
        assert table(written(data), quoting="csv")[1] == [[text], [text]]

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (
                b'a\tb\n"c\nd"\te\n"f\tg\n' + b"h\ti\n" * 99,
                "f.tsv:4: the quote that opens column 1 is never closed; without --quoting csv "
                "quotes are text",
            ),
            (
                b'a\tb\n"c\nd"\t"e',
                "f.tsv:3: the quote that opens column 2 is never closed; without --quoting csv "
                "quotes are text",
            ),
            (
                b'a\tb\n"c\nd" e\tf\n',
                "f.tsv:3: text after the quote that closes column 1; a quote that is text must be "
                "doubled in a quoted field",
            ),
            (b'"a" b\tc\n', "f.tsv:1: text after the quote that closes column 1; a quote that"),
            (b'"a', "f.tsv:1: the quote that opens column 1 is never closed; without"),
            (b'"a\n"\tb\n"c\n"\td\te\n', "f.tsv:3: 3 fields where 2 are expected"),
            (b'a\tb\n\n"c\n', "f.tsv:2: a blank line where 2 fields are expected; delete it"),
            (b'a\tb\n""\n', "f.tsv:2: 1 field where 2 are expected"),
            (b'a\tb\n"c\nd\xff"\te\n', "f.tsv:3: byte 0xff at offset 8 of the file is not valid"),
            (b'a\tb\n"c" d\te\n\xff\n', "f.tsv:2: text after the quote"),
            (b"", "f.tsv:1: the file is empty; there are no segments"),
        ],
    )
    def test_refused(self, written, data, message, refusal):
        assert refusal(written(data), quoting="csv").startswith(message)

    def test_no_segments_under_a_header(self, written, refusal):
        assert refusal(written(b'"a\nb"\tc\n'), [], [], True, "csv") == (
            "f.tsv:3: there are no segments under the header"
        )


class TestRaggedRowsWithAnOpenQuote:
    HINT = "; a quote is open: --quoting csv reads quoted fields, line feeds included"

    @pytest.mark.parametrize(
        ("data", "message", "hint"),
        [
            (b'a\tb\n"two\nlines"\tc\n', "f.tsv:2: 1 field where 2 are expected", True),
            (b'a\t"two\nlines"\n', "f.tsv:2: 1 field where 2 are expected", True),
            (
                b'a\t"two\r\n\r\nlines"\r\n',
                "f.tsv:2: a blank line where 2 fields are expected",
                True,
            ),
            (b'"a\tb"\tc\nd\te\n', "f.tsv:1: 3 fields where 2 are expected (hyp", False),
            (b'd\te\n"a\tb"\tc\n', "f.tsv:2: 3 fields where 2 are expected", True),
            (b'd\te\n"a ""b"""\tc\td\n', "f.tsv:2: 3 fields where 2 are expected", False),
            (b'd\te\n"\tc\td\n', "f.tsv:2: 3 fields where 2 are expected", True),
            (b'd\te\n5"\tc\td\n', "f.tsv:2: 3 fields where 2 are expected", False),
        ],
    )
    def test_says_which_option_reads_them(self, written, data, message, hint, refusal):
        found = refusal(written(data))
        assert found.startswith(message)
        assert found.endswith(self.HINT) == hint
