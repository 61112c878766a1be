"""Tables that pandas or `csv` wrote: the note without ``--quoting csv``, and the rows with it."""

import csv
import gzip
import io
import re

import pytest

import chrf

TABLE = 'mt\tref\n"He said ""no""."\tHe said "no".\nfine\tfine\n'
HYPOTHESES = ["two\nlines", 'He said "no".', "tab\there", "it rains"]
REFERENCES = ["two lines", 'He said "no".', "tab here", "it rained"]


@pytest.fixture
def quoted(folder):
    """A table with line feeds, tabs and quotes in its fields."""
    with open(folder / "q.tsv", "w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(["mt", "ref"])
        writer.writerows(zip(HYPOTHESES, REFERENCES, strict=True))
    return folder / "q.tsv"


class TestNote:
    NOTE = (
        "note: {} a field in quotes with doubled quotes inside, first at {}; they are scored as "
        "text. If pandas or csv wrote the table, use --quoting csv\n"
    )

    def test_rows_and_the_first_line(self, call, folder):
        (folder / "f.tsv").write_text(TABLE)
        args = ["--header", "--hypothesis", "mt", "--reference", "ref", "-b"]
        assert call(*args, "f.tsv") == (
            0,
            "65.840577\n",
            self.NOTE.format("1 row has", "f.tsv:2 (mt)"),
        )
        assert call(*args, "-q", "f.tsv") == (0, "65.840577\n", "")
        assert call(*args, "--quoting", "none", "f.tsv") == call(*args, "f.tsv")
        assert call(*args, "--quoting", "csv", "f.tsv") == (0, "100.000000\n", "")

    def test_a_row_counts_once_and_files_add_up(self, call, folder):
        cell = '"a ""b"""'
        (folder / "f.tsv").write_text(f"{cell}\tx\t{cell}\n" * 3)
        (folder / "g.tsv").write_text(f"x\tx\tx\nx\tx\t{cell}\n")
        args = ["--hypothesis", "1", "--reference", "3", "-b"]
        assert call(*args, "f.tsv")[2] == self.NOTE.format("3 rows have", "f.tsv:1 (column 1)")
        assert call(*args, "g.tsv", "f.tsv")[2] == self.NOTE.format(
            "4 rows have", "g.tsv:2 (column 3)"
        )

    def test_columns_that_are_not_read_do_not_matter(self, printed, folder):
        (folder / "f.tsv").write_text('a\ta\t"a ""b"""\n')
        assert printed("--reference", "2", "-b", "f.tsv") == "100.000000\n"

    def test_plain_text_is_not_a_table(self, printed, folder):
        (folder / "a.txt").write_text('"abcdef ""gh"""\n')
        assert printed("-b", "--reference-file", "a.txt", "a.txt") == "100.000000\n"


class TestQuotingCsv:
    ARGS = ("--header", "--reference", "ref", "--quoting", "csv")

    def expected(self):
        return f"{chrf.corpus_score(HYPOTHESES, REFERENCES)}\n"

    def test_fields_over_several_lines(self, printed, quoted):
        assert printed(*self.ARGS, "-b", "q.tsv") == self.expected()

    def test_compressed(self, printed, quoted, folder):
        (folder / "q.tsv.gz").write_bytes(gzip.compress(quoted.read_bytes()))
        assert printed(*self.ARGS, "-b", "q.tsv.gz") == self.expected()

    def test_standard_input(self, run, quoted):
        assert run(*self.ARGS, "-b", input=quoted.read_bytes()) == self.expected()

    def test_without_a_header(self, printed, folder, quoted):
        quoted.write_bytes(quoted.read_bytes().partition(b"\n")[2])
        assert printed("--quoting", "csv", "-b", "q.tsv") == self.expected()

    @pytest.mark.usefixtures("quoted")
    def test_lines_are_those_of_the_file(self, call, printed, folder):
        printed(*self.ARGS, "--segments", "s.tsv", "-b", "q.tsv")
        rows = [line.split("\t") for line in (folder / "s.tsv").read_text().splitlines()]
        assert [row[1] for row in rows] == ["line", "2", "4", "5", "6"]
        (folder / "q.tsv").write_text('"two\nlines"\tx\n"a"\t\u200ea\n')
        assert (
            "q.tsv:3: column 2: direction mark in 1 segment"
            in call("--quoting", "csv", "--check-text", "q.tsv")[2]
        )

    def test_every_thread_count(self, printed, folder):
        """Blocks of the file are read in threads, and records lie over their borders."""
        texts = [f'line "{i}"\n{"x" * (i % 700)}\n' for i in range(3000)]
        stream = io.StringIO(newline="")
        csv.writer(stream, delimiter="\t").writerows([text, text.upper()] for text in texts)
        (folder / "f.tsv").write_text(stream.getvalue(), newline="")
        score = chrf.corpus_score(texts, [text.upper() for text in texts])
        for threads in "1", "2":
            args = ("--quoting", "csv", "-j", threads, "-b", "f.tsv")
            assert printed(*args) == f"{score}\n"

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            ('a\tb\n"c\td\n', "f.tsv:2: the quote that opens column 1 is never closed; "),
            ('a\tb\n"c" d\te\n', "f.tsv:2: text after the quote that closes column 1; "),
        ],
    )
    def test_refused(self, call, folder, data, message):
        (folder / "f.tsv").write_text(data)
        status, out, err = call("--quoting", "csv", "f.tsv")
        assert (status, out) == (1, "")
        assert err.startswith(message)
        assert err.count("\n") == 1

    def test_a_ragged_row_with_an_open_quote_names_the_option(self, call, quoted):
        assert call("--header", "--reference", "ref", "q.tsv") == (
            1,
            "",
            "q.tsv:2: 1 field where 2 are expected; a quote is open: --quoting csv reads quoted "
            "fields, line feeds included\n",
        )

    def test_plain_text_has_none(self, call):
        status, _, err = call("--quoting", "csv", "--reference-file", "ref.txt", "tuned.txt")
        assert status == 2
        assert re.search("--reference-file goes with plain text, in which quotes are text", err)
