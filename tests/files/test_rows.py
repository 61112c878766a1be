"""Files become rows: what ends a row, what splits it, what is text, and what is refused where.

Numbers in test ids are entries of the field reports; their fractions were derived with
``fractions.Fraction``, independently of the package.
"""

import gzip
import io
import os
import re
import subprocess
import sys
from fractions import Fraction
from itertools import chain

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import chrf
from chrf.files.aligned import open_aligned
from chrf.files.names import InputError
from chrf.files.table import open_table

BOM = "\ufeff".encode()
ROWS = [("the cat sat", "the cat sits"), ("it rained", "it rains")]
# Of these, none ends a row; str.splitlines() and the text mode of open() split at most of them.
NOT_LINE_ENDS = ["\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\0"]


def tsv(*lines):
    return "".join("\t".join(line) + "\n" for line in lines).encode()


def table(path, hypothesis=(), reference=(), header=False):
    """The source and its columns, whole."""
    source = open_table(os.fspath(path), hypothesis, reference, header, lambda _: None)
    return source, columns(source)


def columns(source):
    parts = [
        [fields.texts() for fields in source.parse(chunks).columns] for chunks in source.chunks
    ]
    return [list(chain(*column)) for column in zip(*parts, strict=True)]


def aligned(hypotheses, references):
    source = open_aligned(
        [os.fspath(path) for path in hypotheses],
        [os.fspath(path) for path in references],
        lambda _: None,
    )
    return source, columns(source)


def score(path, **options):
    _, (hypotheses, references) = table(path)
    return chrf.corpus_score(hypotheses, references, **options)


def refusal(path, *arguments, **keywords):
    """What is wrong with the file, without its folder."""
    with pytest.raises(InputError) as caught:
        table(path, *arguments, **keywords)
    return str(caught.value).removeprefix(f"{os.path.dirname(path)}{os.sep}")


@pytest.fixture
def written(tmp_path):
    def write(data, name="f.tsv"):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


@pytest.fixture(params=[None, 1, 2, 3, 7, 64], ids=lambda size: f"blocks-of-{size}")
def blocks(request, monkeypatch):
    """Blocks so small that their borders fall everywhere."""
    if request.param:
        monkeypatch.setattr("chrf.files.lines.BLOCK_BYTES", request.param)


# What a row is.

REPORTS = [
    pytest.param(
        b'"Hello\t"Hello\nWorld"\tWorld"\n"abcdefg"\tabcdefg\n', 3, "129625/1352", {}, id="42"
    ),
    pytest.param(b"x" * 200_000 + b"\t" + b"x" * 200_000 + b"\n", 1, 100, {}, id="43"),
    pytest.param(BOM + b"hello world\thello world\n", 1, 100, {}, id="45-at-the-start"),
    pytest.param(
        b"hello\thello\n" + BOM + b"good night\tgood night\n",
        2,
        "59814500/613651",
        {},
        id="45-in-the-text",
    ),
    pytest.param(
        BOM + BOM + b"hello world\thello world\n", 1, "18237875/187483", {}, id="45-two-of-them"
    ),
    pytest.param(b"ab\tab\ncd\tcd", 2, 100, {}, id="46"),
    pytest.param(b"ab\tab\ncd\tcd\n", 2, 100, {}, id="46-with-line-feed"),
    pytest.param(
        b"hello world\thello world\r\ngood night\tgood night\r\n", 2, 100, {}, id="39-chrF"
    ),
    pytest.param(
        b"hello world\thello world\r\ngood night\tgood night\r\n",
        2,
        100,
        {"word_order": 2},
        id="39-chrF++",
    ),
    pytest.param(b"hello\rworld\thello world\ngood night\tgood night\n", 2, 100, {}, id="38"),
    pytest.param(b"The price is 5 *# see note\tThe price is 5 *# see note\n", 1, 100, {}, id="27"),
]


@pytest.mark.parametrize(("data", "count", "fraction", "options"), REPORTS)
def test_field_reports(written, data, count, fraction, options):
    for rule in ("all", "sacrebleu"):
        found = score(written(data), rule=rule, **options)
        assert (found.segment_count, found.fraction) == (count, Fraction(fraction))


def test_38_sacrebleu_misreads_the_same_bytes_from_standard_input(written):
    """The reason to read bytes: text mode finds a third line here."""
    data = b"hello\rworld\thello world\ngood night\tgood night\n"
    assert len(io.TextIOWrapper(io.BytesIO(data), "utf-8").readlines()) == 3
    _, (hypotheses, _) = table(written(data))
    assert hypotheses == ["hello\rworld", "good night"]


@pytest.mark.parametrize("mark", NOT_LINE_ENDS, ids=ascii)
@pytest.mark.usefixtures("blocks")
def test_only_a_line_feed_ends_a_row(written, mark):
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
def test_a_carriage_return_before_the_line_feed_belongs_to_it(written, data, reference):
    path = written(data)
    if reference is None:
        assert refusal(path) == "f.tsv:2: 1 field where 2 are expected"
    else:
        assert table(path)[1] == [["a"], [reference]]


def test_a_row_of_only_tabs_has_empty_texts(written):
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
    tmp_path_factory, lines, mark, last_line_feed, block, packed
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


# What is refused, and where.


@pytest.mark.usefixtures("blocks")
class TestRefused:
    @pytest.mark.parametrize(
        ("data", "message"),
        [
            pytest.param(
                b"hello\tbig\tworld\n",
                "f.tsv:1: 3 fields where 2 are expected (hypothesis, reference); "
                "name the columns with --hypothesis and --reference",
                id="44-first-row",
            ),
            pytest.param(
                b"a\tb\nhello\tbig\tworld\n", "f.tsv:2: 3 fields where 2 are expected", id="44"
            ),
            pytest.param(b"a\ta\n\nb\tb\n", "f.tsv:2: a blank line where 2 are expected", id="47"),
            pytest.param(
                b"a\ta\nb\tb\n\n", "f.tsv:3: a blank line where 2 are expected", id="47-at-the-end"
            ),
            pytest.param(
                b"caf\xe9\tcafe\n",
                "f.tsv:1: byte 0xe9 at offset 3 of the file is not valid UTF-8",
                id="48",
            ),
            (b"a\tb\n\r\na\tb\n", "f.tsv:2: a blank line where 2 are expected"),
            (b"a\tb\n \n", "f.tsv:2: 1 field where 2 are expected"),
            (b"a\tb\nc\n", "f.tsv:2: 1 field where 2 are expected"),
            (b"a\tb\nc", "f.tsv:2: 1 field where 2 are expected"),
            (b"", "f.tsv:1: the file is empty; there are no segments"),
            (BOM, "f.tsv:1: the file is empty; there are no segments"),
            (b"a\tb\nc\td\xf0\x9f", "f.tsv:2: byte 0xf0 at offset 7 of the file is not valid"),
            (b"a\tb\xed\xa0\x80\n", "f.tsv:1: byte 0xed at offset 3 of the file is not valid"),
            (b"a\tb\xc0\x80\n", "f.tsv:1: byte 0xc0 at offset 3 of the file is not valid"),
            (BOM + b"a\tb\xff\n", "f.tsv:1: byte 0xff at offset 6 of the file is not valid"),
            (b"a\tb\nc\n" + b"d\te\n" * 9 + b"\xff", "f.tsv:2: 1 field where 2 are expected"),
            (b"a\tb\nc\xff\n", "f.tsv:2: byte 0xff at offset 5 of the file is not valid UTF-8"),
            (b"a\tb\nc\td\xff\ne\n", "f.tsv:2: byte 0xff at offset 7 of the file is not valid"),
            (b"a\tb\n" * 99 + b"\x80", "f.tsv:100: byte 0x80 at offset 396 of the file is"),
            ("a\tb\n".encode("utf-16"), "f.tsv:1: byte 0xff at offset 0 of the file is not valid"),
        ],
    )
    def test_a_bad_row(self, written, data, message):
        found = refusal(written(data))
        assert found.startswith(message)
        assert "\n" not in found

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"", "f.tsv:1: the file is empty; there are no segments"),
            (b"h\tr\n", "f.tsv:2: there are no segments under the header"),
            (b"h\tr", "f.tsv:2: there are no segments under the header"),
            (b"h\tr\na\tb\tc\n", "f.tsv:2: 3 fields where 2 are expected"),
            (b"h\tr\n\n", "f.tsv:2: a blank line where 2 are expected"),
            (b"h\tr\na\tb\nc\xff\td\n", "f.tsv:3: byte 0xff at offset 9 of the file is not valid"),
        ],
    )
    def test_under_a_header(self, written, data, message):
        assert refusal(written(data), ["h"], ["r"], True).startswith(message)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda data: b"junk", "not a complete gzip file (Not a gzipped file (b'ju'))"),
        (lambda data: data[:-9], "not a complete gzip file (Compressed file ended before the"),
        (lambda data: data[:-8] + b"\0" * 8, "not a complete gzip file (CRC check failed"),
        (lambda data: data[:14] + b"\xff" * 9 + data[23:], "not a complete gzip file ("),
        (lambda data: data + b"junk", "not a complete gzip file (Not a gzipped file (b'ju'))"),
        (lambda data: b"", "the file is empty; there are no segments"),
        (lambda data: gzip.compress(b""), "the file is empty; there are no segments"),
    ],
    ids=["garbage", "truncated", "checksum", "body", "garbage-after", "no-bytes", "no-text"],
)
def test_a_gzip_file_that_is_none(written, make, message):
    path = written(make(gzip.compress(tsv(*ROWS))), "f.tsv.gz")
    assert refusal(path).startswith(f"f.tsv.gz:1: {message}")


def test_gzip_files_of_several_members_and_with_padding(written):
    data = gzip.compress(tsv(ROWS[0])) + gzip.compress(tsv(ROWS[1])) + b"\0" * 512
    assert table(written(data, "f.gz"))[1] == [list(column) for column in zip(*ROWS, strict=True)]


def test_offsets_in_a_gzip_file_are_those_of_its_text(written):
    path = written(gzip.compress(b"a\tb\nc\t\xff\n"), "f.tsv.gz")
    assert refusal(path) == ("f.tsv.gz:2: byte 0xff at offset 6 of the file is not valid UTF-8")


def test_what_cannot_be_opened(tmp_path):
    assert refusal(tmp_path / "missing.tsv") == "missing.tsv:1: No such file or directory"
    assert refusal(tmp_path / "missing.gz") == "missing.gz:1: No such file or directory"
    (tmp_path / "folder").mkdir()
    assert refusal(tmp_path / "folder") == "folder:1: Is a directory"
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    assert refusal(loop) == "loop:1: Too many levels of symbolic links"


# Columns.


class TestColumns:
    data = tsv(
        ("source", "ref", "alpha", "beta"),
        ("die Katze", "the cat", "the cap", "a cat"),
        ("es regnet", "it rains", "it rains", "rain"),
    )

    def test_the_first_two_without_a_header(self, written):
        path = written(tsv(*ROWS))
        source, found = table(path)
        assert found == [list(column) for column in zip(*ROWS, strict=True)]
        # A system that is a whole file is called what the file is called.
        assert [(c.file, c.name) for c in source.systems] == [(str(path), str(path))]

    @pytest.mark.parametrize(
        ("hypothesis", "reference", "systems"),
        [
            (["alpha"], ["ref"], ["alpha"]),
            (["beta", "alpha"], ["ref"], ["beta", "alpha"]),
            (["3"], ["2"], ["alpha"]),
            (["0004", "alpha"], ["ref"], ["beta", "alpha"]),
            ([], ["ref"], ["source", "alpha", "beta"]),
            ([], ["2", "source"], ["alpha", "beta"]),
            ([], ["source", "ref", "alpha"], ["beta"]),
            (["alpha"], [], ["alpha"]),
        ],
    )
    def test_by_name_and_by_position(self, written, hypothesis, reference, systems):
        source, found = table(written(self.data), hypothesis, reference, True)
        assert [column.name for column in source.systems] == systems
        by_name = dict(
            zip(
                ["source", "ref", "alpha", "beta"],
                map(list, zip(*(line.split("\t") for line in self.text()), strict=True)),
                strict=True,
            )
        )
        assert found[: len(systems)] == [by_name[name] for name in systems]
        assert len(source.references) == (len(reference) or 1)

    def text(self):
        return self.data.decode().splitlines()[1:]

    @pytest.mark.parametrize("mark", [b"", BOM], ids=["", "byte-order-mark"])
    @pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=ascii)
    def test_the_header_row_is_a_row_like_others(self, written, mark, end):
        path = written(mark + self.data.replace(b"\n", end))
        source, found = table(path, ["source"], ["beta"], True)
        assert source.systems[0].name == "source"
        assert found == [["die Katze", "es regnet"], ["a cat", "rain"]]

    def test_without_a_header_several_systems_are_numbered(self, written):
        source, found = table(written(self.data), ["4", "3"], ["2"])
        assert [column.name for column in source.systems] == ["column 4", "column 3"]
        assert found[0] == ["beta", "a cat", "rain"]

    def test_names_that_are_numbers_go_before_positions(self, written):
        path = written(tsv(("2", "1"), ("x", "y")))
        source, found = table(path, ["1"], ["2"], True)
        assert source.systems[0].name == "1"
        assert found == [["y"], ["x"]]

    def test_the_default_columns_are_positions_whatever_the_names(self, written):
        source, found = table(written(tsv(("2", "1"), ("x", "y"))), [], [], True)
        assert source.systems[0].name == "2"
        assert found == [["x"], ["y"]]

    def test_columns_of_one_name_or_none_are_told_apart(self, written):
        path = written(tsv(("a", "r", "a", ""), ("x", "y", "z", "w")))
        source, _ = table(path, [], ["r"], True)
        assert [column.name for column in source.systems] == [
            "a (column 1)",
            "a (column 3)",
            "column 4",
        ]
        assert refusal(path, ["a"], ["r"], True) == (
            "f.tsv:1: two columns are called 'a'; give the position"
        )
        assert table(path, ["3"], ["r"], True)[1] == [["z"], ["y"]]
        assert table(path, [""], ["r"], True)[1] == [["w"], ["y"]]

    @pytest.mark.parametrize(
        ("hypothesis", "reference", "message"),
        [
            (["5"], ["2"], "no column '5' among 4; the columns are source, ref, alpha, beta"),
            (["0"], ["2"], "no column '0' among 4; the columns are source, ref, alpha, beta"),
            (["-1"], ["2"], "no column '-1' among 4; the columns are source, ref, alpha, beta"),
            (["Alpha"], ["2"], "no column 'Alpha' among 4; the columns are source, ref, alpha,"),
            (["alpha"], ["ref", "x"], "no column 'x' among 4; the columns are source, ref, alpha,"),
            (["alpha", ""], ["ref"], "no column '' among 4; the columns are source, ref, alpha,"),
            (["ref"], ["ref"], "column 2 is used twice"),
            (["ref"], [], "column 2 is used twice"),
            (["alpha", "3"], ["ref"], "column 3 is used twice"),
            ([], ["ref", "2"], "column 2 is used twice"),
            ([], ["1", "2", "3", "4"], "no column is left for a hypothesis"),
            (["0000000015"], ["2"], "no column '0000000015' among 4"),
            (["0" * 5000 + "1"], ["2"], "no column '0000"),
            (["9" * 5000], ["2"], "no column '9999"),
            (["３"], ["2"], "no column '３' among 4"),
            (["1_0"], ["2"], "no column '1_0' among 4"),
        ],
    )
    def test_refused(self, written, hypothesis, reference, message):
        found = refusal(written(self.data), hypothesis, reference, True)
        assert found.startswith(f"f.tsv:1: {message}")

    def test_columns_that_would_be_called_the_same(self, written):
        for data, label in (
            (b"x\tx\tx (column 1)\tref\n1\t2\t3\t4\n", "x (column 1)"),
            (b"\tcolumn 1\tref\n1\t2\t3\n", "column 1"),
        ):
            assert refusal(written(data), [], ["ref"], True) == (
                f"f.tsv:1: two columns would be called {label!r}; rename one"
            )
            assert table(written(data), ["2"], ["ref"], True)[1] == [["2"], [data[-2:-1].decode()]]

    def test_an_unknown_column_without_a_header(self, written):
        path = written(tsv(*ROWS))
        assert refusal(path, ["alpha"], ["2"]) == "f.tsv:1: no column 'alpha' among 2"
        assert refusal(path, [], ["1"]) == "f.tsv:1: column 1 is used twice"
        one = written(b"only\n", "g.tsv")
        assert refusal(one, ["1"]) == "g.tsv:1: no column '2' among 1"


# Line-aligned plain text.


class TestAligned:
    def test_files_side_by_side(self, written):
        paths = [
            written(b"a\nb\n", "h1"),
            written(b"c\r\nd", "h2"),
            written(gzip.compress(BOM + b"e\nf\n"), "r1.gz"),
            written(b'\t\n"g\n', "r2"),
        ]
        source, found = aligned(paths[:2], paths[2:])
        assert found == [["a", "b"], ["c", "d"], ["e", "f"], ["\t", '"g']]
        assert [column.name for column in source.systems] == list(map(str, paths[:2]))

    def test_a_blank_line_is_an_empty_segment(self, written):
        _, found = aligned([written(b"\n\n", "h")], [written(b"a\n\n", "r")])
        assert found == [["", ""], ["a", ""]]

    @pytest.mark.parametrize("size", [1, 2, 5, 1000], ids="blocks-of-{}".format)
    @pytest.mark.parametrize("longer", ["h", "r"])
    def test_unequal_lengths(self, written, monkeypatch, size, longer):
        monkeypatch.setattr("chrf.files.lines.BLOCK_BYTES", size)
        files = {name: written(b"a\n" * (9 if name == longer else 5), name) for name in "hr"}
        with pytest.raises(InputError) as caught:
            aligned([files["h"]], [files["r"]])
        shorter = files["r" if longer == "h" else "h"]
        assert str(caught.value) == (
            f"{shorter}:6: the file ends after 5 lines, but {files[longer]} has 9"
        )

    def test_of_three_files_the_shortest_is_named(self, written):
        with pytest.raises(InputError, match=r"r1:2: the file ends after 1 lines, but .*r2 has 3"):
            aligned([written(b"a\nb\n", "h")], [written(b"a\n", "r1"), written(b"a\nb\nc\n", "r2")])

    def test_an_empty_file(self, written):
        empty, other = written(b"", "empty"), written(b"a\n", "other")
        with pytest.raises(InputError, match=r"empty:1: the file ends after 0 lines"):
            aligned([empty], [other])
        with pytest.raises(InputError, match=r"empty:1: the file is empty; there are no segments"):
            aligned([empty], [empty])

    def test_invalid_utf_8(self, written):
        with pytest.raises(InputError, match=r"r:2: byte 0xff at offset 3 of the file"):
            aligned([written(b"a\nb\n", "h")], [written(b"a\nb\xff\n", "r")])


def test_tsv_and_aligned_files_give_one_score(written):
    """Also with several references, and whatever the order of the columns."""
    lines = [("a cat sat", "the cat sat", "a cat sits"), ("it rained", "rain", "it rains")]
    one = table(written(tsv(*lines)), ["1"], ["2", "3"])[1]
    files = [
        written("".join(f"{line[i]}\n" for line in lines).encode(), f"{i}.txt") for i in range(3)
    ]
    other = aligned(files[:1], files[1:])[1]
    assert one == other
    swapped = written(tsv(*([c, a, b] for a, b, c in lines)), "swapped.tsv")
    assert table(swapped, ["2"], ["3", "1"])[1] == one


# Standard input.


def run(folder, *arguments, data=None, **keywords):
    return subprocess.run(
        [sys.executable, "-m", "chrf.batch", *arguments],
        cwd=folder,
        input=data,
        capture_output=True,
        check=False,
        **keywords,
    )


PIPED = ("38", "39-chrF", "42", "45-at-the-start")


@pytest.mark.parametrize("arguments", [[], ["-"]], ids=["no-file", "dash"])
@pytest.mark.parametrize(
    "data",
    [pytest.param(case.values[0], id=case.id) for case in REPORTS if case.id in PIPED],
)
def test_a_path_and_standard_input_are_read_alike(written, arguments, data):
    path = written(data)
    by_path = run(path.parent, "-q", "-f", "json", path.name)
    by_stream = run(path.parent, "-q", "-f", "json", *arguments, data=data)
    assert by_path.returncode == by_stream.returncode == 0
    assert by_path.stderr == by_stream.stderr == b""
    assert by_stream.stdout == by_path.stdout.replace(b'"f.tsv"', b'"<stdin>"')


def test_errors_name_standard_input(tmp_path):
    found = run(tmp_path, data=b"a\tb\nc\n")
    assert (found.returncode, found.stdout) == (1, b"")
    assert found.stderr == b"<stdin>:2: 1 field where 2 are expected\n"
    found = run(tmp_path, data=b"")
    assert found.stderr == b"<stdin>:1: the file is empty; there are no segments\n"


def test_standard_input_is_one_of_the_aligned_files(tmp_path):
    (tmp_path / "r").write_bytes(b"the cat sits\nit rains\n")
    piped = run(tmp_path, "-b", "--reference-file", "r", "-", data=b"the cat sat\nit rained\n")
    assert piped.stdout.decode() == f"{chrf.corpus_score(*zip(*ROWS, strict=True))}\n"


def test_closed_standard_input(tmp_path):
    command = f'"{sys.executable}" -m chrf.batch <&-'
    found = subprocess.run(
        command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr == "<stdin>:1: standard input is closed\n"


def test_a_stream_that_does_not_wait_is_refused(tmp_path):
    """Not taken for one that ended: the rest of the text would be missing from the score."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    try:
        os.write(writer, b"a\ta\n")
        found = run(tmp_path, stdin=reader, timeout=60)
    finally:
        os.close(reader)
        os.close(writer)
    assert (found.returncode, found.stdout) == (1, b"")
    assert found.stderr == b"<stdin>:1: Resource temporarily unavailable\n"


def test_one_end_of_input_is_enough_on_a_terminal(tmp_path):
    pty = pytest.importorskip("pty")
    terminal, device = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "chrf.batch", "-b"],
        cwd=tmp_path,
        stdin=device,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(device)
        os.write(terminal, b"ab\tab\ncd\tcd\n\x04")
        out, err = process.communicate(timeout=60)
        os.close(terminal)
    assert (process.returncode, out, err) == (0, b"100.000000\n", b"")


# Names of files.


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"a b.tsv", b"a b.tsv"),
        (b"a\tb\nc\rd.tsv", rb"a\tb\nc\rd.tsv"),
        (b"\x1b[31mred.tsv", rb"\x1b[31mred.tsv"),
        (b"caf\xc3\xa9.tsv", b"caf\xc3\xa9.tsv"),
        (b"caf\xe9.tsv", b"caf\xe9.tsv"),
        (b"-b", b"-b"),
        (b"%s{0}.tsv", b"%s{0}.tsv"),
    ],
    ids=["space", "control", "escape", "utf-8", "not-utf-8", "dash", "format"],
)
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_any_name_of_a_file(tmp_path, name, shown, locale):
    path = os.path.join(os.fsencode(tmp_path), name)
    with open(path, "wb") as file:
        file.write(b"a\ta\n\xff\n")
    variables = {
        **os.environ,
        "LC_ALL": locale,
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }
    found = run(tmp_path, "--", name, env=variables)
    assert (found.returncode, found.stdout) == (1, b"")
    assert found.stderr == (shown + b":2: byte 0xff at offset 4 of the file is not valid UTF-8\n")
    with open(path, "wb") as file:
        file.write(b"a\ta\n")
    found = run(tmp_path, "-f", "tsv", "--", name, env=variables)
    assert (found.returncode, found.stderr) == (0, b"")
    header, row = found.stdout.splitlines()
    assert header.startswith(b"file\tsystem\tmetric\tscore\t")
    assert row.startswith(shown + b"\t" + shown + b"\tchrF2\t100.000000\t1\t")
    assert re.fullmatch(rb"[^\t\n]*(\t[^\t\n]*){8}", row)
