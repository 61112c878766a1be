"""The scores of segments: printed with --sentence-level, written with --segments."""

import json
from fractions import Fraction

import chrf


class TestSentenceLevel:
    def test_one_number_a_line_in_input_order(self, printed, folder):
        texts = [("ab", "ab"), ("", ""), ("aa", "ab"), ("the cat", "the mat"), ("\x85", "x")] * 700
        (folder / "s.tsv").write_text("".join(f"{h}\t{r}\n" for h, r in texts), encoding="utf-8")
        scores = [f"{score:.6f}" for score in chrf.segment_scores(*zip(*texts, strict=True))]
        for args in (["-sl"], ["-sl", "-b"], ["--sentence-level", "-f", "text"]):
            assert printed(*args, "-q", "s.tsv") == "".join(f"{score}\n" for score in scores)

    def test_one_system(self, call):
        message = "--sentence-level takes one system; --segments writes the scores of several\n"
        for args in (
            ["--hypothesis", "3,4", "--reference", "2"],
            ["--header", "--reference", "2"],
        ):
            assert call("-sl", *args, "t.tsv") == (1, "", f"t.tsv:1: {message}")


class TestSegments:
    def test_a_row_for_every_segment_and_system(self, printed, folder, example):
        args = ("--header", "--hypothesis", "baseline,tuned", "t.tsv", "t.tsv", "-q")
        printed("--segments", "out.tsv", *args)
        table = (folder / "out.tsv").read_text().splitlines()
        expected = ["file\tline\tsystem\tscore"]
        for line, reference in enumerate(example.reference, 2):
            for system, texts in example.systems.items():
                score = chrf.corpus_score([texts[line - 2]], [reference])
                expected.append(f"t.tsv\t{line}\t{system}\t{score}")
        assert table == expected + expected[1:]

    def test_rows_and_the_total_in_one_run(self, printed, folder):
        """The total is of summed counts, which is not the mean of the rows."""
        hypotheses = ["the cat", "a dog ran home", "it rained"]
        references = ["the cat sat", "a dog ran home", "it rains today"]
        (folder / "f.tsv").write_text(
            "".join(f"{h}\t{r}\n" for h, r in zip(hypotheses, references, strict=True))
        )
        out = printed("-f", "json", "--segments", "out.tsv", "f.tsv")
        table = [line.split("\t") for line in (folder / "out.tsv").read_text().splitlines()[1:]]
        assert [row[3] for row in table] == [
            str(chrf.corpus_score([h], [r])) for h, r in zip(hypotheses, references, strict=True)
        ]
        assert Fraction(json.loads(out)["score_fraction"]) == Fraction(
            "196996819423925/2987290743138"
        )
        mean = sum(Fraction(row[3]) for row in table) / 3
        assert f"{float(mean):.6f}" == "65.029951"

    def test_with_the_sentence_level(self, printed, folder):
        """Both at once, and the same numbers."""
        out = printed("-sl", "--segments", "out.tsv", "two.tsv")
        table = (folder / "out.tsv").read_text().splitlines()[1:]
        assert [row.split("\t")[3] for row in table] == out.split() == ["25.000000", "100.000000"]

    def test_aligned_files_are_named_in_the_rows(self, printed, folder):
        printed("-q", "--segments", "o", "--reference-file", "ref.txt", "baseline.txt", "tuned.txt")
        rows = [line.split("\t")[:3] for line in (folder / "o").read_text().splitlines()[1:]]
        assert rows == [
            [name, line, name] for line in "123" for name in ("baseline.txt", "tuned.txt")
        ]

    def test_names_stay_in_their_cells(self, run, folder):
        name = "a\tb\nc\udcff.tsv"
        (folder / name).write_text("h\tx\\\u2028\nab\tab\n", encoding="utf-8")
        run("-q", "--segments", "out.tsv", "--header", "--hypothesis", "1", name)
        assert (folder / "out.tsv").read_bytes().split(b"\n")[1:] == [
            rb"a\tb\nc" + b"\xff.tsv\t2\th\t100.000000",
            b"",
        ]
