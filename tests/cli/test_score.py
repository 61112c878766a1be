"""``python -m chrf.batch``: the scores of tables and aligned files, as text."""

import gzip
import json
import re
from fractions import Fraction

import pytest

import chrf
from chrf.core import exact


class TestTables:
    def test_two_columns(self, printed):
        """The first is the hypothesis; the signature stands under the table."""
        assert printed("two.tsv") == (
            "system       chrF2  segments\n"
            "two.tsv  82.222222         2\n"
            "\n"
            "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|beta:2|rule:all|segments:2|"
            f"version:chrf-{chrf.__version__}\n"
        )

    def test_a_header_and_the_reference_alone(self, printed, example):
        """Every other column is a system."""
        lines = printed("-q", "--header", "--reference", "reference", "t.tsv").splitlines()
        scores = {line.split()[0]: line.split()[1:] for line in lines[1:4]}
        texts = {**example.systems, "source": ["die Katze saß", "es regnete", "ja"]}
        assert scores == {
            name: [str(chrf.corpus_score(text, example.reference)), "3"]
            for name, text in texts.items()
        }
        assert list(scores) == ["source", "baseline", "tuned"]

    @pytest.mark.parametrize(
        "columns",
        [
            ["--hypothesis", "tuned,baseline", "--reference", "reference"],
            ["--hypothesis", "tuned", "--hypothesis", "baseline", "--reference", "2"],
            ["--hypothesis", "4,3"],
        ],
    )
    def test_systems_in_the_order_given(self, printed, columns, example):
        lines = printed("-q", "-f", "json", "--header", *columns, "t.tsv").splitlines()
        assert [json.loads(line)["system"] for line in lines] == ["tuned", "baseline"]
        for line in lines:
            record = json.loads(line)
            expected = chrf.corpus_score(example.systems[record["system"]], example.reference)
            assert Fraction(record["score_fraction"]) == expected.fraction

    def test_several_references(self, printed, folder, example):
        """Columns and files of them are the same references."""
        columns = printed("-b", "--hypothesis", "3", "--reference", "2,4", "t.tsv", "-q")
        (folder / "h.tsv").write_text(example.table.split("\n", 1)[1], encoding="utf-8")
        columns = printed("-q", "-b", "--hypothesis", "3", "--reference", "2,4", "h.tsv")
        files = printed(
            *("-q", "-b", "--reference-file", "ref.txt"),
            *("--reference-file", "tuned.txt", "baseline.txt"),
        )
        references = list(zip(example.reference, example.systems["tuned"], strict=True))
        assert columns == files == f"{chrf.corpus_score(example.systems['baseline'], references)}\n"

    def test_line_aligned_systems(self, printed, example):
        args = ("-q", "-b", "--reference-file", "ref.txt", "baseline.txt", "tuned.txt")
        assert printed(*args) == "".join(
            f"{chrf.corpus_score(texts, example.reference)}\n" for texts in example.systems.values()
        )
        assert printed(*args) == printed(
            "-q", "-b", "--header", "--hypothesis", "3,4", "--reference", "2", "t.tsv"
        )

    def test_several_files(self, printed, folder):
        """Each with its own header; the same file may come twice."""
        (folder / "u.tsv").write_text("reference\tother\nab\tab\n")
        args = ("-q", "--header", "--reference", "reference")
        found = printed(*args, "t.tsv", "u.tsv", "t.tsv").splitlines()
        assert [line.split()[:2] for line in found[1:8]] == [
            ["t.tsv", "source"],
            ["t.tsv", "baseline"],
            ["t.tsv", "tuned"],
            ["u.tsv", "other"],
            ["t.tsv", "source"],
            ["t.tsv", "baseline"],
            ["t.tsv", "tuned"],
        ]
        # One signature for each number of segments.
        assert [re.search(r"segments:(\d+)", line)[1] for line in found[9:]] == ["3", "1"]

    def test_gzip(self, printed, folder):
        with gzip.open(folder / "two.tsv.gz", "wb") as file:
            file.write((folder / "two.tsv").read_bytes())
        assert printed("-b", "two.tsv.gz") == printed("-b", "two.tsv") == "82.222222\n"

    def test_columns_line_up(self, printed, folder):
        """Also under names of wide and of combining characters."""
        (folder / "w.tsv").write_text(
            "r\t系统\te\u0301\u200d\tplain system\nab\tab\tab\tax\n", encoding="utf-8"
        )
        lines = printed("-q", "--header", "--reference", "r", "w.tsv").splitlines()[:4]
        assert lines == [
            "system             chrF2  segments",
            "系统          100.000000         1",
            "e\u0301\u200d             100.000000         1",
            "plain system   25.000000         1",
        ]

    def test_control_characters_of_names_stay_out_of_the_output(self, printed, folder):
        (folder / "c.tsv").write_bytes(b"r\ta\x1b[31m\rb\nab\tab\n")
        args = ("--header", "--reference", "r", "c.tsv")
        assert r"a\x1b[31m\rb  100.000000" in printed(*args)
        assert "\tc.tsv\ta\\x1b[31m\\rb\t" in "\t" + printed(*args, "-f", "tsv").splitlines()[1]
        assert json.loads(printed(*args, "-f", "json"))["system"] == "a\x1b[31m\rb"

    @pytest.mark.parametrize("width", ["0", "1", "9", "100"])
    def test_width(self, printed, width):
        expected = exact.decimal_text(Fraction(740, 9), int(width))
        assert printed("-b", "-w", width, "two.tsv") == f"{expected}\n"
        assert f" {expected} " in printed("--width", width, "two.tsv")
        assert f"\t{expected}\t" in printed("--width", width, "-f", "tsv", "two.tsv")
        assert f" {expected} " in printed("--width", width, "-f", "latex", "two.tsv")
        per_segment = printed("-sl", "-w", width, "two.tsv").split()
        assert per_segment == [exact.decimal_text(Fraction(n), int(width)) for n in (25, 100)]

    def test_tied_references_are_counted(self, printed, folder):
        (folder / "tie.tsv").write_text("ab\tax\txb\n")
        assert printed("--reference", "2,3", "tie.tsv").splitlines()[:2] == [
            "system       chrF2  segments  tied",
            "tie.tsv  25.000000         1     1",
        ]

    def test_whatever_the_options(self, printed, example):
        """The scores are the library's."""
        for args, keywords in [
            (["-cw", "2"], {"word_order": 2}),
            (["-cc", "3", "--beta", "3/2"], {"char_order": 3, "beta": Fraction(3, 2)}),
            (["--lowercase"], {"lowercase": True}),
            (["--whitespace", "--rule", "sacrebleu"], {"whitespace": True, "rule": "sacrebleu"}),
            (["--averaging", "per_order_f"], {"averaging": "per_order_f"}),
        ]:
            found = printed(*args, "-b", "-q", "--header", "--hypothesis", "baseline", "t.tsv")
            score = chrf.corpus_score(example.systems["baseline"], example.reference, **keywords)
            assert found == f"{score}\n"
