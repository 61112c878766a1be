"""Tables: which rows are refused, and which columns are chosen."""

import pytest

BOM = "\ufeff".encode()
ROWS = [("the cat sat", "the cat sits"), ("it rained", "it rains")]


@pytest.mark.usefixtures("blocks")
class TestRefused:
    @pytest.mark.parametrize(
        ("data", "message"),
        [
            pytest.param(
                b"hello\tbig\tworld\n",
                "f.tsv:1: 3 fields where 2 are expected (hypothesis, reference); "
                "name the columns with --hypothesis and --reference",
                id="three-fields-in-the-first-row",
            ),
            pytest.param(
                b"a\tb\nhello\tbig\tworld\n",
                "f.tsv:2: 3 fields where 2 are expected",
                id="three-fields",
            ),
            pytest.param(
                b"a\ta\n\nb\tb\n",
                "f.tsv:2: a blank line where 2 fields are expected; delete it",
                id="blank-line",
            ),
            pytest.param(
                b"a\ta\nb\tb\n\n",
                "f.tsv:3: a blank line where 2 fields are expected; delete it",
                id="blank-line-at-the-end",
            ),
            pytest.param(
                b"caf\xe9\tcafe\n",
                "f.tsv:1: byte 0xe9 at offset 3 of the file is not valid UTF-8",
                id="not-utf-8",
            ),
            (b"a\tb\n\r\na\tb\n", "f.tsv:2: a blank line where 2 fields are expected; delete it"),
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
        ],
    )
    def test_a_bad_row(self, written, data, message, refusal):
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
            (b"h\tr\n\n", "f.tsv:2: a blank line where 2 fields are expected; delete it"),
            (b"h\tr\na\tb\nc\xff\td\n", "f.tsv:3: byte 0xff at offset 9 of the file is not valid"),
        ],
    )
    def test_under_a_header(self, written, data, message, refusal):
        assert refusal(written(data), ["h"], ["r"], True).startswith(message)


class TestColumns:
    data = (
        b"source\tref\talpha\tbeta\n"
        b"die Katze\tthe cat\tthe cap\ta cat\n"
        b"es regnet\tit rains\tit rains\train\n"
    )

    def test_the_first_two_without_a_header(self, written, table, tsv):
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
    def test_by_name_and_by_position(self, written, hypothesis, reference, systems, table):
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
    def test_the_header_row_is_a_row_like_others(self, written, mark, end, table):
        path = written(mark + self.data.replace(b"\n", end))
        source, found = table(path, ["source"], ["beta"], True)
        assert source.systems[0].name == "source"
        assert found == [["die Katze", "es regnet"], ["a cat", "rain"]]

    def test_without_a_header_several_systems_are_numbered(self, written, table):
        source, found = table(written(self.data), ["4", "3"], ["2"])
        assert [column.name for column in source.systems] == ["column 4", "column 3"]
        assert found[0] == ["beta", "a cat", "rain"]

    def test_names_that_are_numbers_go_before_positions(self, written, table, tsv):
        path = written(tsv(("2", "1"), ("x", "y")))
        source, found = table(path, ["1"], ["2"], True)
        assert source.systems[0].name == "1"
        assert found == [["y"], ["x"]]

    def test_the_default_columns_are_positions_whatever_the_names(self, written, table, tsv):
        source, found = table(written(tsv(("2", "1"), ("x", "y"))), [], [], True)
        assert source.systems[0].name == "2"
        assert found == [["x"], ["y"]]

    def test_columns_of_one_name_or_none_are_told_apart(self, written, table, refusal, tsv):
        path = written(tsv(("a", "r", "a", ""), ("x", "y", "z", "w")))
        assert refusal(path, [], ["r"], True) == (
            "f.tsv:1: column 4 has no name; name the systems with --hypothesis"
        )
        source, _ = table(path, ["1", "3", "4"], ["r"], True)
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
            (
                ["5"],
                ["2"],
                "no column '5' among 4; the columns are 'source', 'ref', 'alpha', 'beta'",
            ),
            (
                ["0"],
                ["2"],
                "no column '0' among 4; the columns are 'source', 'ref', 'alpha', 'beta'",
            ),
            (
                ["-1"],
                ["2"],
                "no column '-1' among 4; the columns are 'source', 'ref', 'alpha', 'beta'",
            ),
            (
                ["Alpha"],
                ["2"],
                "no column 'Alpha' among 4; did you mean 'alpha'? The columns are",
            ),
            (
                ["alpha"],
                ["ref", "x"],
                "no column 'x' among 4; the columns are 'source', 'ref', 'alpha',",
            ),
            (
                ["alpha", ""],
                ["ref"],
                "no column '' among 4; the columns are 'source', 'ref', 'alpha',",
            ),
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
    def test_refused(self, written, hypothesis, reference, message, refusal):
        found = refusal(written(self.data), hypothesis, reference, True)
        assert found.startswith(f"f.tsv:1: {message}")

    def test_columns_that_would_be_called_the_same(self, written, table, refusal):
        for data, chosen, label in (
            (b"x\tx\tx (column 1)\tref\n1\t2\t3\t4\n", [], "x (column 1)"),
            (b"\tcolumn 1\tref\n1\t2\t3\n", ["1", "2"], "column 1"),
        ):
            assert refusal(written(data), chosen, ["ref"], True) == (
                f"f.tsv:1: two columns would be called {label!r}; rename one"
            )
            assert table(written(data), ["2"], ["ref"], True)[1] == [["2"], [data[-2:-1].decode()]]

    def test_an_unknown_column_without_a_header(self, written, refusal, tsv):
        path = written(tsv(*ROWS))
        assert refusal(path, ["alpha"], ["2"]) == "f.tsv:1: no column 'alpha' among 2"
        assert refusal(path, [], ["1"]) == "f.tsv:1: column 1 is used twice"
        one = written(b"only\n", "g.tsv")
        assert refusal(one, ["1"]) == "g.tsv:1: no column '2' among 1"


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
def test_a_header_that_comes_again(written, refusal, table, blocks, end):
    message = "the row is the header again; delete it, or give each table as a file of its own"
    for rows, line in (
        ([b"h\tr", b"h\tr"], 2),
        ([b"h\tr", b"a\tb", b"h\tr", b"c\td"], 3),
        ([b"h\tr", b"h\trr", b"xh\tr", b"h\tr"], 4),
    ):
        data = end.join(rows)
        for last in (b"", end):
            assert refusal(written(data + last), ["h"], ["r"], True) == f"f.tsv:{line}: {message}"
        assert table(written(data), [], [])[1][0][-1] == rows[-1].split(b"\t")[0].decode()
    good = end.join([b"h\tr", b"h\trr", b"xh\tr", b"h \tr", b"h\tr "])
    assert table(written(good), ["h"], ["r"], True)[1] == [
        ["h", "xh", "h ", "h"],
        ["rr", "r", "r", "r "],
    ]
