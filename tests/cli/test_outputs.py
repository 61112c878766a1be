"""Scores as JSON, TSV and LaTeX, the breakdown by order, and the signature of every output."""

import csv
import io
import json
import os
import re
from fractions import Fraction

import pytest

import chrf


class TestJson:
    ARGS = ("-q", "-f", "json", "--header", "--reference", "reference")

    def test_it_is_the_score_and_where_it_comes_from(self, printed, example, exact):
        lines = printed(*self.ARGS, "--hypothesis", "baseline,tuned", "t.tsv", "t.tsv").splitlines()
        records = [json.loads(line) for line in lines]
        assert [(r["file"], r["system"]) for r in records] == [
            ("t.tsv", "baseline"),
            ("t.tsv", "tuned"),
        ] * 2
        for record in records:
            score = chrf.corpus_score(example.systems[record["system"]], example.reference)
            assert exact(record) == {
                "file": "t.tsv",
                "system": record["system"],
                "rule": "all",
                "signature": score.signature,
                **json.loads(json.dumps(score.to_dict())),
            }

    def test_numbers_stand_beside_the_exact_strings(self, printed):
        """The nearest doubles, which programs compare."""
        (record,) = map(json.loads, printed("-f", "json", "two.tsv").splitlines())
        assert {key: value for key, value in record.items() if key.endswith("_double")} == {
            "score_double": 740 / 9,
            "average_precision_double": float(Fraction(record["average_precision"])),
            "average_recall_double": float(Fraction(record["average_recall"])),
        }
        assert type(record["score_double"]) is float
        bigrams = record["orders"][1]
        assert (bigrams["precision"], bigrams["precision_double"]) == ("2/3", 2 / 3)
        assert (bigrams["recall_double"], bigrams["f_score_double"]) == (2 / 3, 2 / 3)
        assert record["orders"][3]["f_score_double"] is None

    def test_numbers_of_the_statistics(self, printed):
        args = (*self.ARGS, "--hypothesis", "baseline,tuned", "--ci", "50", "-par", "--all-pairs")
        first, second = map(json.loads, printed(*args, "t.tsv").splitlines())
        assert first["against_baseline"] is None
        tested = [
            first["interval"],
            second["interval"],
            second["against_baseline"],
            *first["pairs"],
        ]
        for record, names in zip(
            tested,
            [("score", "lower", "upper")] * 2 + [("difference", "lower", "upper")] * 2,
            strict=True,
        ):
            for name in names:
                value = Fraction(record[f"{name}_fraction"])
                assert record[f"{name}_double"] == float(value)
                assert round(value, 6) == Fraction(record[name])

    def test_nothing_is_lost(self, printed):
        (record,) = map(json.loads, printed("-f", "json", "two.tsv").splitlines())
        assert record["score"] == "82.222222"
        assert Fraction(record["score_fraction"]) == Fraction(740, 9)
        # And from the counts alone.
        effective = [order for order in record["orders"] if order["effective"]]
        precision, recall = (
            sum(Fraction(o["matching_ngrams"], o[f"{side}_ngrams"]) for o in effective)
            / len(effective)
            for side in ("hypothesis", "reference")
        )
        beta = Fraction(record["beta"]) ** 2
        rebuilt = 100 * (1 + beta) * precision * recall / (beta * precision + recall)
        assert rebuilt == Fraction(740, 9)

    def test_close_systems_do_not_tie(self, printed, folder):
        """Whatever the width of the other formats."""
        (folder / "c.tsv").write_text(
            "r\ta\tb\n" + f"{'a' * 100_000}\t{'a' * 99_999}\t{'a' * 99_998}\n"
        )
        args = ("-q", "-w", "2", "--header", "--reference", "r", "c.tsv")
        assert len(set(printed(*args, "-b").split())) == 1
        records = list(map(json.loads, printed(*args, "-f", "json").splitlines()))
        assert len({record["score_fraction"] for record in records}) == 2

    @pytest.mark.parametrize(
        "name",
        ['quo"te', "back\\slash", "\x01\x1f\x7f", "{brace}", "\u2028", "系统", "\U0001f44d", "'"],
        ids=ascii,
    )
    def test_any_name_is_valid_json(self, printed, folder, name):
        (folder / f"{name}.tsv").write_text(f"r\t{name}\nab\tab\n", encoding="utf-8")
        out = printed("-f", "json", "--header", "--reference", "r", f"{name}.tsv")
        assert out.isascii()
        (line,) = out.splitlines()
        record = json.loads(line, parse_constant=pytest.fail)
        assert (record["file"], record["system"]) == (f"{name}.tsv", name)

    def test_a_name_that_is_not_utf_8(self, run, folder):
        name = os.path.join(os.fsencode(folder), b"caf\xe9.tsv")
        with open(name, "wb") as file:
            file.write(b"ab\tab\n")
        record = json.loads(run("-f", "json", b"caf\xe9.tsv"))
        assert os.fsencode(record["file"]) == b"caf\xe9.tsv"

    def test_the_short_signature(self, printed):
        record = json.loads(printed("-f", "json", "-sh", "two.tsv"))
        assert record["signature"].startswith("#:1|c:mixed|e:yes|nc:6|nw:0|s:no|b:2|r:all|n:2|v:")


class TestTsvAndLatex:
    def test_tsv(self, printed):
        out = printed("-f", "tsv", "--fractions", "two.tsv", "two.tsv")
        table = list(csv.DictReader(io.StringIO(out), delimiter="\t", quoting=csv.QUOTE_NONE))
        assert len(table) == 2
        assert (
            table[0]
            == table[1]
            == {
                "file": "two.tsv",
                "system": "two.tsv",
                "metric": "chrF2",
                "score": "82.222222",
                "score_fraction": "740/9",
                "segment_count": "2",
                "reference_count": "1",
                "tied_segments": "0",
                "rule": "all",
                "signature": chrf.corpus_score(["aa", "xyz"], ["ab", "xyz"]).signature,
            }
        )

    def test_tsv_orders(self, printed):
        out = printed("-f", "tsv", "--orders", "-cw", "1", "two.tsv")
        table = list(csv.DictReader(io.StringIO(out), delimiter="\t", quoting=csv.QUOTE_NONE))
        score = chrf.corpus_score(["aa", "xyz"], ["ab", "xyz"], word_order=1)
        assert len(table) == 7
        for row, order in zip(table, score.orders, strict=True):
            assert row.pop("file") == row.pop("system") == "two.tsv"
            assert row.pop("signature") == score.signature
            record = order.to_dict()
            assert row == {k: "" if v is None else str(v).lower() for k, v in record.items()}

    def test_latex(self, printed, folder):
        (folder / "l.tsv").write_text("r\ta_b & 50% of $x$ #1 {~^\\}\nab\tab\n")
        assert printed("-f", "latex", "--header", "--reference", "r", "l.tsv") == (
            "\\begin{tabular}{lrr}\n"
            "\\toprule\n"
            "system & chrF2 & segments \\\\\n"
            "\\midrule\n"
            "a\\_b \\& 50\\% of \\$x\\$ \\#1 "
            "\\{\\textasciitilde{}\\textasciicircum{}\\textbackslash{}\\} & 100.000000 & 1 \\\\\n"
            "\\bottomrule\n"
            "\\end{tabular}\n"
            f"% {chrf.corpus_score(['ab'], ['ab']).signature}\n"
        )

    def test_latex_orders(self, printed):
        out = printed("-f", "latex", "--orders", "-cc", "2", "two.tsv").splitlines()
        assert out[7:11] == [
            "% two.tsv",
            "\\begin{tabular}{lrrrrrrr}",
            "\\toprule",
            "type & n & hypothesis & reference & matching & precision & recall & F2 \\\\",
        ]
        assert out[12] == "char & 1 & 5 & 5 & 4 & 0.800000 & 0.800000 & 0.800000 \\\\"


class TestOrders:
    def test_the_breakdown(self, printed):
        lines = printed("--orders", "-w", "3", "-cc", "4", "two.tsv").splitlines()
        assert lines[4:] == [
            "",
            "two.tsv",
            "type  n  hypothesis  reference  matching  precision  recall     F2",
            "char  1           5          5         4      0.800   0.800  0.800",
            "char  2           3          3         2      0.667   0.667  0.667",
            "char  3           1          1         1      1.000   1.000  1.000",
            "char  4           0          0         0          -       -      -",
        ]

    def test_fractions(self, printed):
        out = printed("--orders", "--fractions", "-cc", "3", "two.tsv")
        assert re.search(r"two\.tsv  82\.222222         2     740/9\n", out)
        assert re.search(r"char  2 +3 +3 +2 +2/3 +2/3 +2/3\n", out)


class TestSignature:
    """What every output carries."""

    @pytest.mark.parametrize("form", ["text", "tsv", "latex", "json"])
    @pytest.mark.parametrize("orders", [[], ["--orders"]], ids=["", "orders"])
    def test_every_output_carries_it(self, printed, form, orders):
        flags = ["-cw", "2", "--beta", "1/3", "--lowercase", "--rule", "sacrebleu"]
        out = printed("-f", form, *orders, *flags, "two.tsv")
        (signature,) = set(re.findall(r"nrefs:[^\s\"]+", out))
        parts = dict(part.split(":") for part in signature.split("|"))
        assert parts == {
            "nrefs": "1",
            "case": "lc",
            "eff": "yes",
            "nc": "6",
            "nw": "2",
            "space": "no",
            "beta": "1/3",
            "rule": "sacrebleu",
            "unicode": parts["unicode"],
            "segments": "2",
            "version": f"chrf-{chrf.__version__}",
        }
        assert "chrF1/3++" in out or [*orders, form] == ["--orders", "tsv"]

    def test_the_short_one(self, printed):
        out = printed("-sh", "two.tsv").splitlines()[-1]
        assert out == f"#:1|c:mixed|e:yes|nc:6|nw:0|s:no|b:2|r:all|n:2|v:chrf-{chrf.__version__}"
        assert out in printed("--short", "-f", "tsv", "two.tsv")
        assert out in printed("--short", "-f", "latex", "two.tsv")

    def test_the_two_metrics_are_told_apart(self, printed, folder):
        (folder / "w.tsv").write_text("a b c\tabc\n")
        chrf2 = json.loads(printed("-f", "json", "w.tsv"))
        plus = json.loads(printed("-f", "json", "-cw", "2", "w.tsv"))
        assert (chrf2["metric"], chrf2["score_fraction"]) == ("chrF2", "100/1")
        assert (plus["metric"], plus["score_fraction"]) == ("chrF2++", "75/1")
        assert chrf2["signature"] != plus["signature"]
