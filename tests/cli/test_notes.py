"""The note on standard error where the two rules print different scores."""

import re

import pytest

import chrf


class TestNote:
    """Where the two rules print different scores, one line says so."""

    FIVE = ("hello\thello\nabcdefghijk\tabc\n", "69.922367", "90.369393")

    @pytest.fixture(autouse=True)
    def file(self, folder):
        (folder / "f.tsv").write_text(self.FIVE[0])

    def test_one_system(self, call):
        note = (
            "note: 1 of 2 segments has a reference too short for an n-gram order; "
            "rule {} gives {}\n"
        )
        _, every, sacrebleu = self.FIVE
        assert call("-b", "f.tsv") == (0, f"{every}\n", note.format("sacrebleu", sacrebleu))
        assert call("-b", "--rule", "sacrebleu", "f.tsv") == (
            0,
            f"{sacrebleu}\n",
            note.format("all", every),
        )

    def test_more_segments_than_one(self, call, folder):
        (folder / "g.tsv").write_text(self.FIVE[0] + "x\t\n")
        assert "note: 2 of 3 segments have a reference too short" in call("g.tsv")[2]

    def test_quiet(self, call):
        assert call("-q", "-b", "f.tsv") == (0, f"{self.FIVE[1]}\n", "")

    def test_only_where_it_would_show(self, call, folder):
        assert call("-b", "two.tsv")[2] == ""
        (folder / "g.tsv").write_text(f"{'a' * 9999}\t{'a' * 9999}\n" * 9 + "abcd\tabc\n")
        assert call("-b", "-w", "0", "g.tsv") == (0, "100\n", "")
        assert call("-b", "-w", "6", "g.tsv")[2].startswith("note: 1 of 10 segments has ")
        # JSON shows six decimals, whatever the width.
        assert call("-f", "json", "-w", "0", "g.tsv")[2].startswith("note: 1 of 10 segments has ")

    def test_several_systems(self, call, folder, example):
        _, _, err = call("--header", "--hypothesis", "4,3", "t.tsv")
        other = chrf.corpus_score(example.systems["baseline"], example.reference, rule="sacrebleu")
        assert err == (
            "note: some references are too short for an n-gram order; "
            f"rule sacrebleu gives baseline {other} (1 of 3 segments)\n"
        )
        table = example.table.replace("die Katze saß", "the cat").replace("ja", "jawohl")
        (folder / "s.tsv").write_text(table, encoding="utf-8")
        _, _, err = call("--header", "--hypothesis", "source,baseline", "s.tsv")
        assert re.fullmatch(
            r"note: some references are too short for an n-gram order; rule sacrebleu gives "
            r"source \d+\.\d{6} \(1 of 3 segments\), "
            rf"baseline {other} \(1 of 3 segments\)\n",
            err,
        )

    def test_several_files(self, call):
        _, _, err = call("--header", "--hypothesis", "baseline", "t.tsv", "two.tsv", "t.tsv")
        assert err == "two.tsv:1: no column 'baseline' among 2; the columns are 'aa', 'ab'\n"
        _, _, err = call("f.tsv", "two.tsv", "f.tsv")
        assert err == (
            "note: some references are too short for an n-gram order; rule sacrebleu gives "
            "f.tsv 90.369393 (1 of 2 segments), f.tsv 90.369393 (1 of 2 segments)\n"
        )
        _, _, err = call("--header", "--hypothesis", "3", "t.tsv", "t.tsv")
        assert err.count("baseline in t.tsv") == 0
        assert err.count("baseline 5") == 2

    def test_systems_of_several_files_are_told_apart(self, call, folder, example):
        (folder / "u.tsv").write_text(example.table, encoding="utf-8")
        _, _, err = call("--header", "--hypothesis", "3", "t.tsv", "u.tsv")
        assert re.search(r"gives baseline in t\.tsv \S+ \(.*\), baseline in u\.tsv \S+ \(", err)

    def test_many_systems_are_one_readable_line(self, call, folder):
        names, six = [f"system{i}" for i in range(40)], ["abcdef"] * 40
        (folder / "m.tsv").write_text(
            "".join(
                "\t".join([r, *s]) + "\n" for r, s in [("r", names), ("abcdef", six), ("ab", six)]
            )
        )
        _, _, err = call("--header", "--reference", "r", "m.tsv")
        assert err.count("\n") == 1
        assert len(err) < 400
        assert err.endswith("(1 of 2 segments), and others to 35 more\n")

    def test_spaces(self, call, folder):
        """Character n-grams do not see spaces; words do, unless a single mark was split off."""
        (folder / "a.tsv").write_text("Hello , world !\tHello, world!\n")
        (folder / "b.tsv").write_text("don 't\tdon't\n")
        assert call("-b", "a.tsv", "b.tsv")[1] == "100.000000\n100.000000\n"
        assert call("-b", "-cw", "2", "a.tsv", "b.tsv")[1] == "100.000000\n83.333333\n"


class TestHeaderNote:
    """A first row that looks like names of columns, and is scored."""

    NOTE = (
        "note: {}:1: the first row ({}) looks like names of columns, and is scored as a segment; "
        "with --header it names them\n"
    )

    @pytest.mark.parametrize(
        "names",
        [
            "hyp\tref",
            "MT\trefA",
            "system_1\tReference",
            "translation\ttarget",
            "source\thypothesis",
            "hypotheses\treferences",
            " Output \tref-12",
        ],
    )
    def test_names(self, call, folder, names):
        (folder / "f.tsv").write_text(f"{names}\nthe cat\tthe cat\n")
        listed = ", ".join(name.strip() for name in names.split("\t"))
        assert call("-b", "f.tsv")[2] == self.NOTE.format("f.tsv", listed)
        assert call("-b", "-q", "f.tsv")[2] == ""
        assert call("-b", "--header", "f.tsv")[2] == ""

    def test_only_the_columns_that_are_read(self, call, folder):
        (folder / "f.tsv").write_text("id\tmt\tref\n1\tthe cat\tthe cat\n")
        args = ("-b", "--hypothesis", "2", "--reference")
        assert call(*args, "3", "f.tsv")[2] == self.NOTE.format("f.tsv", "mt, ref")
        assert "names" not in call(*args, "1", "f.tsv")[2]

    @pytest.mark.parametrize(
        "row", ["Source\tsource", "the source\tref", "hypothetical\tref", "sysadmin\tref", "\tref"]
    )
    def test_texts(self, call, folder, row):
        (folder / "f.tsv").write_text(f"{row}\nthe cat\tthe cat\n")
        assert "names of columns" not in call("f.tsv")[2]

    def test_many_columns_stay_one_short_line(self, call, folder):
        names = [f"sys{i}" for i in range(200)]
        (folder / "f.tsv").write_text("".join("\t".join([*r, "ref"]) + "\n" for r in [names] * 2))
        columns = ",".join(map(str, range(1, 201)))
        err = call("-b", "--hypothesis", columns, "--reference", "201", "f.tsv")[2]
        listed = ", ".join(names[:8]) + ", ..."
        assert err.startswith(self.NOTE.format("f.tsv", listed))

    def test_plain_text_has_no_header(self, call, folder):
        (folder / "a.txt").write_text("hyp\n")
        (folder / "b.txt").write_text("ref\n")
        assert "names of columns" not in call("--reference-file", "b.txt", "a.txt")[2]
