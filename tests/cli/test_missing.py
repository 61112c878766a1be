"""Blank references and hypotheses: the note, and what ``--missing-reference`` makes of them."""

import json

import pytest

import chrf
from chrf.cli import merge
from chrf.core import exact
from chrf.stats import bootstrap_ci, paired_permutation

THREE = "hyp\tr1\tr2\nthe cat sat\tthe cat sat\tthe cat sat\nxyz\t \u3000\thello there\n"
REFERENCES = [["the cat sat", "the cat sat"], ["hello there"]]
COUNTED = "counted as empty (--missing-reference skip leaves such out)"


@pytest.fixture(autouse=True)
def files(folder):
    (folder / "m.tsv").write_text(THREE, encoding="utf-8")
    for name, column in (("h.txt", 0), ("r1.txt", 1), ("r2.txt", 2)):
        rows = [line.split("\t")[column] for line in THREE.splitlines()[1:]]
        (folder / name).write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


TABLE = ("--header", "--hypothesis", "hyp", "--reference")


class TestNote:
    def note(self, err):
        return "".join(line for line in err.splitlines(keepends=True) if "blank" in line)

    def test_references(self, call):
        counted = f"note: 1 reference is blank and {COUNTED}, at m.tsv:3 (r1)\n"
        left_out = "note: 1 reference is blank and left out, at m.tsv:3 (r1)\n"
        assert self.note(call(*TABLE, "r1,r2", "m.tsv")[2]) == counted
        assert self.note(call(*TABLE, "r2,r1", "m.tsv")[2]) == counted
        skipping = call(*TABLE, "r1,r2", "--missing-reference", "skip", "m.tsv")[2]
        assert self.note(skipping) == left_out
        assert call(*TABLE, "r1,r2", "-q", "m.tsv")[2] == ""

    def test_hypotheses_too(self, call, folder):
        (folder / "f.tsv").write_text("a\ta\ta\n\t \t\nb\t\t\n")
        assert self.note(call("--reference", "3", "f.tsv")[2]) == (
            f"note: 2 references are blank and {COUNTED}, first at f.tsv:2 "
            "(column 3); 1 hypothesis is blank, at f.tsv:2 (column 1)\n"
        )
        systems = self.note(call("--hypothesis", "1,2", "--reference", "3", "f.tsv")[2])
        assert "; 3 hypotheses are blank, first at f.tsv:2 (column 1)" in systems
        (folder / "g.tsv").write_text("a\ta\n \ta\n")
        assert call("g.tsv", "-b")[2] == "note: 1 hypothesis is blank, at g.tsv:2 (column 1)\n"

    def test_files_add_up(self, call, folder):
        (folder / "f.tsv").write_text("a\ta\na\t\n")
        err = call("f.tsv", "f.tsv")[2]
        assert self.note(err) == (
            f"note: 2 references are blank and {COUNTED}, first at f.tsv:2 (column 2)\n"
        )

    def test_a_long_name_is_cut(self, call, folder):
        (folder / "f.tsv").write_text(f"{'h' * 9999}\t{'r' * 9999}\n\t\n")
        args = ("--header", "--hypothesis", "1", "--reference", "2", "-b", "f.tsv")
        assert f"f.tsv:2 ({'r' * 77}...)" in call(*args)[2]
        assert len(call(*args)[2]) < 400
        status, _, err = call(*args, "--missing-reference", "error")
        assert (status, len(err) < 300) == (1, True)

    def test_plain_text(self, call):
        args = ("--reference-file", "r2.txt", "--reference-file", "r1.txt", "h.txt")
        assert self.note(call(*args)[2]) == (
            f"note: 1 reference is blank and {COUNTED}, at r1.txt:2\n"
        )


class TestEmpty:
    """As an empty reference counts, the order of references may change a score."""

    def test_is_the_default(self, call):
        for missing in [], ["--missing-reference", "empty"]:
            assert call(*TABLE, "r1,r2", "-b", *missing, "m.tsv")[:2] == (0, "97.924188\n")
            assert call(*TABLE, "r2,r1", "-b", *missing, "m.tsv")[:2] == (0, "51.199801\n")


class TestSkip:
    SKIP = ("--missing-reference", "skip", "-q")

    @pytest.mark.parametrize("columns", ["r1,r2", "r2,r1"])
    @pytest.mark.parametrize(
        ("flags", "options"),
        [
            ([], {}),
            (["--lowercase"], {"lowercase": True}),
            (["--rule", "sacrebleu", "-cw", "2"], {"rule": "sacrebleu", "word_order": 2}),
            (["--whitespace"], {"whitespace": True}),
        ],
    )
    def test_the_order_of_references_does_not_matter(self, printed, columns, flags, options):
        score = chrf.corpus_score(["the cat sat", "xyz"], REFERENCES, **options)
        out = printed(*TABLE, columns, *self.SKIP, *flags, "-w", "6", "m.tsv")
        assert f" {score} " in out
        assert out.endswith(f"\n{score.signature}\n")
        assert score.signature.startswith("nrefs:var|")

    def test_plain_text(self, printed):
        score = chrf.corpus_score(["the cat sat", "xyz"], REFERENCES)
        args = ("--reference-file", "r1.txt", "--reference-file", "r2.txt", "h.txt", "-b")
        assert printed(*args, *self.SKIP) == f"{score}\n" == "51.199801\n"

    def test_one_reference_each_is_one_reference(self, printed, folder):
        (folder / "f.tsv").write_text("ab\tab\t\ncd\t \tce\n")
        score = chrf.corpus_score(["ab", "cd"], ["ab", "ce"])
        out = printed("--reference", "2,3", *self.SKIP, "f.tsv")
        assert out.endswith(f"\n{score.signature}\n")
        assert f" {score} " in out

    def test_nothing_is_blank(self, printed, folder):
        (folder / "f.tsv").write_text("ab\tab\tac\ncd\tcd\tce\n")
        args = ("--reference", "2,3", "f.tsv")
        assert printed(*args, *self.SKIP) == printed(*args)

    def test_scores_of_segments(self, printed, folder):
        printed(*TABLE, "r1,r2", *self.SKIP, "--segments", "s.tsv", "m.tsv")
        scores = chrf.segment_scores(["the cat sat", "xyz"], REFERENCES)
        rows = (folder / "s.tsv").read_text().splitlines()[1:]
        assert rows == [f"m.tsv\t{i}\thyp\t{score:.6f}" for i, score in enumerate(scores, 2)]

    def test_statistics_of_the_same_counts(self, printed, folder):
        rows = [("the cat", "a cat", "", "the cat"), ("xy", "xyz", "xz", " "), ("b", "c", "c", "b")]
        (folder / "f.tsv").write_text("".join("\t".join(row) + "\n" for row in rows * 4))
        args = ("--hypothesis", "1,2", "--reference", "3,4", "--ci", "-par", "-f", "tsv")
        names, *lines = printed(*args, *self.SKIP, "f.tsv").splitlines()
        found = [dict(zip(names.split("\t"), line.split("\t"), strict=True)) for line in lines]
        references = [[text for text in row[2:] if text.strip()] for row in rows * 4]
        systems = {f"column {i + 1}": [row[i] for row in rows * 4] for i in range(2)}
        for line, texts in zip(found, systems.values(), strict=True):
            bounds = bootstrap_ci(texts, references).bounds
            assert line["score"] == str(chrf.corpus_score(texts, references))
            assert line["lower"] == exact.decimal_text(bounds.lower)
            assert line["upper"] == exact.decimal_text(bounds.upper)
        (pair,) = paired_permutation(systems, references).pairs
        assert float(found[1]["p"]) == pair.p_value
        assert found[1]["difference"] == exact.decimal_text(-pair.difference)

    def test_a_merged_result_is_that_of_the_whole(self, printed, folder, capsys, monkeypatch):
        rows = ["ab\tab\t\n", "ab\tac\tad\n", "cd\t\tce\n", "ef\teg\teh\n"]
        for name, part in (("w", rows), ("p1", rows[:2]), ("p2", rows[2:])):
            (folder / f"{name}.tsv").write_text("".join(part))
            args = ("--hypothesis", "1", "--reference", "2,3", "-f", "json")
            (folder / f"{name}.json").write_text(printed(*args, *self.SKIP, f"{name}.tsv"))
        assert merge.main(["-f", "json", "-q", "p1.json", "p2.json"]) == 0
        merged, whole = (
            json.loads(capsys.readouterr().out),
            json.loads((folder / "w.json").read_text()),
        )
        assert whole["reference_count"] is None
        assert "nrefs:var" in whole["signature"]
        del merged["file"], merged["system"], whole["file"], whole["system"]
        assert merged == whole

    @pytest.mark.parametrize(
        ("columns", "where"),
        [
            ("2,3", "f.tsv:3: the segment has no reference: every one is blank; "),
            ("2", "f.tsv:2: the segment has no reference: it is blank; "),
        ],
    )
    def test_a_segment_without_a_reference(self, call, folder, columns, where):
        (folder / "f.tsv").write_text("a\ta\ta\na\t\ta\na\t \t\n")
        found = call("--hypothesis", "1", "--reference", columns, *self.SKIP, "f.tsv")
        advice = "delete the segment, or count it with --missing-reference empty\n"
        assert found == (1, "", where + advice)


class TestError:
    ADVICE = (
        " is blank; --missing-reference skip leaves it out, --missing-reference empty counts it\n"
    )

    def test_names_line_and_column(self, call):
        args = ("--missing-reference", "error")
        found = call(*TABLE, "r2,r1", *args, "m.tsv")
        assert found == (1, "", "m.tsv:3: the reference 'r1'" + self.ADVICE)
        plain = ("--reference-file", "r2.txt", "--reference-file", "r1.txt", "h.txt")
        assert call(*plain, *args) == (1, "", "r1.txt:2: the reference" + self.ADVICE)

    def test_the_first_in_the_file(self, call, folder):
        lines = ["a\ta\ta\n"] * 50_000 + ["a\ta\t\n", "a\t\ta\n"]
        (folder / "f.tsv").write_text("".join(lines))
        args = ("--reference", "2,3", "--missing-reference", "error")
        assert call(*args, "f.tsv")[2] == "f.tsv:50001: the reference 'column 3'" + self.ADVICE

    def test_blank_hypotheses_are_none(self, call, folder):
        (folder / "f.tsv").write_text("\ta\n")
        assert call("--missing-reference", "error", "-b", "f.tsv")[:2] == (0, "0.000000\n")
