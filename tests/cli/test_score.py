"""``python -m chrf.batch``: what is asked for, what is printed, and where.

Numbers in test ids are entries of the field reports; their fractions were derived with
``fractions.Fraction``, independently of the package.
"""

import contextlib
import csv
import dataclasses
import gzip
import io
import itertools
import json
import os
import re
import struct
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chrf
from chrf.cli import arguments, settings
from chrf.cli import score as batch
from chrf.core import exact
from chrf.core.options import Options

TABLE = """\
source\treference\tbaseline\ttuned
die Katze saß\tthe cat sat\tthe cap sat\tthe cat sits
es regnete\tit rained\tit rain\tit rained
ja\tno\tnone\tno
"""
REFERENCE = ["the cat sat", "it rained", "no"]
SYSTEMS = {
    "baseline": ["the cap sat", "it rain", "none"],
    "tuned": ["the cat sits", "it rained", "no"],
}
PLAIN = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"} | {"COLUMNS": "100"}


@pytest.fixture
def folder(tmp_path):
    """A folder of files to score, where the commands run."""
    (tmp_path / "t.tsv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "two.tsv").write_text("aa\tab\nxyz\txyz\n")
    (tmp_path / "ref.txt").write_text("".join(f"{line}\n" for line in REFERENCE))
    for name, texts in SYSTEMS.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in texts))
    return tmp_path


@pytest.fixture
def run(folder):
    """A run of the command, which must succeed and keep standard error empty."""

    def start(*args, status=0, err="", **keywords):
        found = subprocess.run(
            [sys.executable, "-m", "chrf.batch", *args],
            cwd=folder,
            capture_output=True,
            check=False,
            **{"env": PLAIN, **keywords},
        )
        assert (found.returncode, found.stderr.decode()) == (status, err)
        return found.stdout.decode()

    return start


def call_main(*args):
    # The command settles the encoding of its streams; those of the test are left as they are.
    out, err = (io.TextIOWrapper(io.BytesIO(), "ascii") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = batch.main(list(args))
        except SystemExit as left:
            status = left.code
        for stream in (out, err):
            stream.flush()
    return status, out.buffer.getvalue().decode(), err.buffer.getvalue().decode()


@pytest.fixture
def call(folder, monkeypatch):
    """The same without a process of its own: status, standard output, standard error."""
    monkeypatch.chdir(folder)
    return call_main


@pytest.fixture
def printed(call):
    """What a run prints that succeeds quietly."""

    def start(*args):
        status, out, err = call(*args)
        assert (status, err) == (0, "")
        return out

    return start


def bash(folder, command, **keywords):
    """A command line in which "$CHRF" stands for the command."""
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**PLAIN, "CHRF": f"{sys.executable} -m chrf.batch"},
        capture_output=True,
        check=False,
        **keywords,
    )


# Options.


class TestOptions:
    """The command line and the dataclass hold the same options, under the same names."""

    fields = dataclasses.fields(Options)

    def parse(self, *args):
        return settings.read_options(arguments.make_parser().parse_args(args))

    def test_there_is_a_flag_for_every_field(self):
        actions = {a.dest: a for a in arguments.make_parser()._actions}
        for field in self.fields:
            assert f"--{field.name.replace('_', '-')}" in actions[field.name].option_strings

    def test_the_defaults_are_those_of_the_dataclass_and_stand_nowhere_else(self):
        parser = arguments.make_parser()
        assert settings.read_options(parser.parse_args([])) == Options()
        for field in self.fields:
            assert parser.get_default(field.name) == "==SUPPRESS=="

    @pytest.mark.parametrize(
        ("flags", "field", "value"),
        [
            ("--beta 3|--chrf-beta 3", "beta", 3),
            ("--beta 1.5|--chrf-beta 3/2", "beta", Fraction(3, 2)),
            ("--char-order 4|-cc 4|--chrf-char-order 4", "char_order", 4),
            ("--word-order 2|-cw 2|--chrf-word-order 2", "word_order", 2),
            ("--lowercase|--chrf-lowercase", "lowercase", True),
            ("--whitespace|--chrf-whitespace", "whitespace", True),
            ("--averaging per_order_f", "averaging", "per_order_f"),
            ("--rule sacrebleu", "rule", "sacrebleu"),
        ],
    )
    def test_a_flag_sets_its_field_and_no_other(self, flags, field, value):
        for flag in flags.split("|"):
            assert self.parse(*flag.split()) == dataclasses.replace(Options(), **{field: value})

    def test_every_field_is_among_these_tests(self):
        mark = next(iter(self.test_a_flag_sets_its_field_and_no_other.pytestmark))
        assert {case[1] for case in mark.args[1]} == {field.name for field in self.fields}

    def test_choices_are_those_of_the_dataclass(self):
        for action in arguments.make_parser()._actions:
            for choice in (action.choices or []) if action.dest in ("averaging", "rule") else []:
                assert getattr(self.parse(f"--{action.dest}", choice), action.dest) == choice

    @pytest.mark.parametrize(
        ("long", "short"),
        [
            ("--chrf-char-order 3", "-cc 3"),
            ("--chrf-word-order 2", "-cw 2"),
            ("--score-only", "-b"),
            ("--width 2", "-w 2"),
            ("--quiet", "-q"),
            ("--short", "-sh"),
            ("--sentence-level", "-sl"),
            ("--format json", "-f json"),
            ("--format text", "-f text"),
            ("--format latex", "-f latex"),
        ],
    )
    def test_sacrebleus_spelling_long_and_short(self, long, short):
        parse = arguments.make_parser().parse_args
        assert parse(long.split()) == parse(short.split()) != parse([])

    def test_options_are_not_shortened(self, call):
        assert call("--word", "2", "two.tsv")[0] == 2
        assert call("--hyp", "1", "two.tsv")[0] == 2

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("2", "2"),
            ("2.0", "2"),
            ("0.1", "1/10"),
            (".5", "1/2"),
            ("1/3", "1/3"),
            ("3.141592653589793238", "3141592653589793238/1000000000000000000"),
            ("999999999999999999", "999999999999999999"),
            ("0002", "2"),
        ],
    )
    def test_beta_is_exact(self, text, value):
        assert Fraction(self.parse("--beta", text).beta) == Fraction(value)

    def test_9_a_score_with_a_decimal_beta(self, printed, folder):
        """F with beta 1/10: 100 * (101/100) * P * R / (P/100 + R), P = 1/2, R = 1/3."""
        (folder / "b.tsv").write_text("ab\tacd\n")
        (record,) = map(
            json.loads, printed("--beta", "0.1", "-cc", "1", "-f", "json", "b.tsv").splitlines()
        )
        assert (record["metric"], record["beta"]) == ("chrF0.1", "1/10")
        expected = 100 * Fraction(101, 100) / 6 / (Fraction(1, 200) + Fraction(1, 3))
        assert Fraction(record["score_fraction"]) == expected


USAGE = [
    ("--width 99999999999", "width is 99999999999; it must be an integer from 0 to 100"),
    ("--width -1", "width is -1; it must be an integer from 0 to 100"),
    ("--width x", "argument --width/-w: invalid int value: 'x'"),
    ("--threads 0", "threads is 0; it must be an integer of at least 1"),
    ("--threads -1", "threads is -1; it must be an integer of at least 1"),
    ("--threads 1.5", "argument --threads/-j: invalid int value: '1.5'"),
    *(
        (
            f"--beta {text}",
            f"argument --beta/--chrf-beta: '{text}' is not a positive number such as 2, 1.5 or 3/2",
        )
        for text in [
            "0",
            "0.0",
            "0/1",
            "1/0",
            "-1",
            "nan",
            "inf",
            "1e9",
            "1_0",
            "٣",
            "2x",
            ".",
            "1/",
        ]
    ),
    (f"--beta {'1' * 19}", f"argument --beta/--chrf-beta: '{'1' * 19}' is not a positive number"),
    ("-cc 11", "char_order is 11; it must be an integer from 0 to 10"),
    ("-cc 0", "char_order and word_order are both 0; at least one must be positive"),
    ("-cw -1", "word_order is -1; it must be an integer from 0 to 4"),
    ("-cw 5", "word_order is 5; it must be an integer from 0 to 4"),
    ("--rule none", "argument --rule: invalid choice: 'none'"),
    ("--averaging mean", "argument --averaging: invalid choice: 'mean'"),
    ("-f csv", "argument --format/-f: invalid choice: 'csv'"),
    ("--nothing", "unrecognized arguments: --nothing"),
    ("--reference", "argument --reference: expected one argument"),
    (
        "--reference-file r --header h",
        "--reference-file goes with plain text, which has no columns",
    ),
    ("--reference-file r --hypothesis 1 h", "--reference-file goes with plain text, which has no"),
    ("--reference-file - -", "standard input can be read only once"),
    ("--reference-file -", "standard input can be read only once"),
    ("- -", "standard input can be read only once"),
    ("-sl -f json", "--sentence-level prints one number per segment and nothing else"),
    ("-sl --orders", "--sentence-level prints one number per segment and nothing else"),
    ("-sl a b", "--sentence-level takes one system; --segments writes the scores of several"),
    ("-b -f tsv", "--score-only prints one number per system and nothing else"),
    ("-b --fractions", "--score-only prints one number per system and nothing else"),
    ("a\nb\t--c", "unrecognized arguments: --c"),
]


@pytest.mark.parametrize(("line", "message"), USAGE)
def test_wrong_usage_is_said_in_one_line(call, line, message):
    status, out, err = call(*line.split(" "))
    if line.startswith("a\n"):
        status, out, err = call("--c\nd")
        message = r"unrecognized arguments: --c\nd"
    assert (status, out) == (2, "")
    assert err.startswith(f"python -m chrf.batch: {message}")
    assert err.endswith(" (see --help)\n")
    assert err.count("\n") == 1


def test_wrong_usage_of_the_command(run):
    message = (
        "python -m chrf.batch: threads is 0; it must be an integer of at least 1 (see --help)\n"
    )
    assert run("--threads", "0", status=2, err=message) == ""


def test_help_and_version(run):
    shown = run("--help")
    for option in arguments.make_parser()._actions:
        assert not option.option_strings or option.help
        for spelling in option.option_strings:
            assert re.search(rf"(^|\s){re.escape(spelling)}\b", shown), spelling
    for default in ("(default: 6)", "(default: 2)", "(default: all)", "precision_recall)"):
        assert default in " ".join(shown.split())
    assert max(map(len, shown.splitlines())) <= 100
    assert run("--version") == run("-V") == f"chrf {chrf.__version__}\n"


# Scores.


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

    def test_a_header_and_the_reference_alone(self, printed):
        """Every other column is a system."""
        lines = printed("-q", "--header", "--reference", "reference", "t.tsv").splitlines()
        scores = {line.split()[0]: line.split()[1:] for line in lines[1:4]}
        texts = {**SYSTEMS, "source": ["die Katze saß", "es regnete", "ja"]}
        assert scores == {
            name: [str(chrf.corpus_score(text, REFERENCE)), "3"] for name, text in texts.items()
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
    def test_systems_in_the_order_given(self, printed, columns):
        lines = printed("-q", "-f", "json", "--header", *columns, "t.tsv").splitlines()
        assert [json.loads(line)["system"] for line in lines] == ["tuned", "baseline"]
        for line in lines:
            record = json.loads(line)
            expected = chrf.corpus_score(SYSTEMS[record["system"]], REFERENCE)
            assert Fraction(record["score_fraction"]) == expected.fraction

    def test_several_references(self, printed, folder):
        """Columns and files of them are the same references."""
        columns = printed("-b", "--hypothesis", "3", "--reference", "2,4", "t.tsv", "-q")
        (folder / "h.tsv").write_text(TABLE.split("\n", 1)[1], encoding="utf-8")
        columns = printed("-q", "-b", "--hypothesis", "3", "--reference", "2,4", "h.tsv")
        files = printed(
            *("-q", "-b", "--reference-file", "ref.txt"),
            *("--reference-file", "tuned.txt", "baseline.txt"),
        )
        references = list(zip(REFERENCE, SYSTEMS["tuned"], strict=True))
        assert columns == files == f"{chrf.corpus_score(SYSTEMS['baseline'], references)}\n"

    def test_line_aligned_systems(self, printed):
        args = ("-q", "-b", "--reference-file", "ref.txt", "baseline.txt", "tuned.txt")
        assert printed(*args) == "".join(
            f"{chrf.corpus_score(texts, REFERENCE)}\n" for texts in SYSTEMS.values()
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

    def test_whatever_the_options(self, printed):
        """The scores are the library's."""
        for args, keywords in [
            (["-cw", "2"], {"word_order": 2}),
            (["-cc", "3", "--beta", "3/2"], {"char_order": 3, "beta": Fraction(3, 2)}),
            (["--lowercase"], {"lowercase": True}),
            (["--whitespace", "--rule", "sacrebleu"], {"whitespace": True, "rule": "sacrebleu"}),
            (["--averaging", "per_order_f"], {"averaging": "per_order_f"}),
        ]:
            found = printed(*args, "-b", "-q", "--header", "--hypothesis", "baseline", "t.tsv")
            assert found == f"{chrf.corpus_score(SYSTEMS['baseline'], REFERENCE, **keywords)}\n"


class TestJson:
    ARGS = ("-q", "-f", "json", "--header", "--reference", "reference")

    def test_it_is_the_score_and_where_it_comes_from(self, printed):
        lines = printed(*self.ARGS, "--hypothesis", "baseline,tuned", "t.tsv", "t.tsv").splitlines()
        records = [json.loads(line) for line in lines]
        assert [(r["file"], r["system"]) for r in records] == [
            ("t.tsv", "baseline"),
            ("t.tsv", "tuned"),
        ] * 2
        for record in records:
            score = chrf.corpus_score(SYSTEMS[record["system"]], REFERENCE)
            assert record == {
                "file": "t.tsv",
                "system": record["system"],
                "rule": "all",
                "signature": score.signature,
                **json.loads(json.dumps(score.to_dict())),
            }

    def test_51_nothing_is_lost(self, printed):
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

    def test_51_close_systems_do_not_tie(self, printed, folder):
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
    def test_51_any_name_is_valid_json(self, printed, folder, name):
        (folder / f"{name}.tsv").write_text(f"r\t{name}\nab\tab\n", encoding="utf-8")
        out = printed("-f", "json", "--header", "--reference", "r", f"{name}.tsv")
        assert out.isascii()
        (line,) = out.splitlines()
        record = json.loads(line, parse_constant=pytest.fail)
        assert (record["file"], record["system"]) == (f"{name}.tsv", name)

    def test_51_a_name_that_is_not_utf_8(self, run, folder):
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


class TestSentenceLevel:
    def test_one_number_a_line_in_input_order(self, printed, folder):
        texts = [("ab", "ab"), ("", ""), ("aa", "ab"), ("the cat", "the mat"), ("\x85", "x")] * 700
        (folder / "s.tsv").write_text("".join(f"{h}\t{r}\n" for h, r in texts), encoding="utf-8")
        scores = [f"{score:.6f}" for score in chrf.segment_scores(*zip(*texts, strict=True))]
        for args in (["-sl"], ["-sl", "-b"], ["--sentence-level", "-q", "-f", "text"]):
            assert printed(*args, "s.tsv") == "".join(f"{score}\n" for score in scores)

    def test_one_system(self, call):
        message = "--sentence-level takes one system; --segments writes the scores of several\n"
        for args in (
            ["--hypothesis", "3,4", "--reference", "2"],
            ["--header", "--reference", "2"],
        ):
            assert call("-sl", *args, "t.tsv") == (1, "", f"t.tsv:1: {message}")


class TestSegments:
    def test_a_row_for_every_segment_and_system(self, printed, folder):
        args = ("--header", "--hypothesis", "baseline,tuned", "t.tsv", "t.tsv", "-q")
        printed("--segments", "out.tsv", *args)
        table = (folder / "out.tsv").read_text().splitlines()
        expected = ["file\tline\tsystem\tscore"]
        for line, reference in enumerate(REFERENCE, 2):
            for system, texts in SYSTEMS.items():
                score = chrf.corpus_score([texts[line - 2]], [reference])
                expected.append(f"t.tsv\t{line}\t{system}\t{score}")
        assert table == expected + expected[1:]

    def test_52_rows_and_the_total_in_one_run(self, printed, folder):
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

    def test_52_with_the_sentence_level(self, printed, folder):
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


# Notes on standard error.


class TestNote:
    """Where the two rules print different scores, one line says so."""

    FIVE = ("hello\thello\nabcdefghijk\tabc\n", "69.922367", "90.369393")

    @pytest.fixture(autouse=True)
    def file(self, folder):
        (folder / "f.tsv").write_text(self.FIVE[0])

    def test_5_one_system(self, call):
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

    def test_several_systems(self, call, folder):
        _, _, err = call("--header", "--hypothesis", "4,3", "t.tsv")
        other = chrf.corpus_score(SYSTEMS["baseline"], REFERENCE, rule="sacrebleu")
        assert err == (
            "note: some references are too short for an n-gram order; "
            f"rule sacrebleu gives baseline {other} (1 of 3 segments)\n"
        )
        table = TABLE.replace("die Katze saß", "the cat").replace("ja", "jawohl")
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
        assert err == "two.tsv:1: no column 'baseline' among 2; the columns are aa, ab\n"
        _, _, err = call("f.tsv", "two.tsv", "f.tsv")
        assert err == (
            "note: some references are too short for an n-gram order; rule sacrebleu gives "
            "f.tsv 90.369393 (1 of 2 segments), f.tsv 90.369393 (1 of 2 segments)\n"
        )
        _, _, err = call("--header", "--hypothesis", "3", "t.tsv", "t.tsv")
        assert err.count("baseline in t.tsv") == 0
        assert err.count("baseline 5") == 2

    def test_systems_of_several_files_are_told_apart(self, call, folder):
        (folder / "u.tsv").write_text(TABLE, encoding="utf-8")
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

    def test_13_spaces(self, call, folder):
        """Character n-grams do not see spaces; words do, unless a single mark was split off."""
        (folder / "a.tsv").write_text("Hello , world !\tHello, world!\n")
        (folder / "b.tsv").write_text("don 't\tdon't\n")
        assert call("-b", "a.tsv", "b.tsv")[1] == "100.000000\n100.000000\n"
        assert call("-b", "-cw", "2", "a.tsv", "b.tsv")[1] == "100.000000\n83.333333\n"


class TestCheckText:
    SUSPICIOUS = (
        "cafe\u0301\tcafe\u0301\n"  # not NFC, twice
        "a\u200bb\tab\n"
        "cafe\u0301\t\ufeffcafé\n"
        "a\rb\tab\r\r\n"
        "a\u00adb\ta\u2060b\n"
        "plain\tplain\r\n"
    )

    def test_what_is_found_and_where_first(self, call, folder):
        (folder / "f.tsv").write_bytes(("\ufeff" + self.SUSPICIOUS).encode())
        status, out, err = call("-q", "--check-text", "f.tsv")
        assert (status, out) == (0, call("f.tsv")[1])
        assert set(err.splitlines()) == {
            "f.tsv:1: column 1: not NFC in 2 segments, here first",
            "f.tsv:1: column 2: not NFC in 1 segment, here first",
            "f.tsv:2: column 1: zero-width character in 2 segments, here first",
            "f.tsv:3: column 2: byte-order mark in 1 segment, here first",
            "f.tsv:4: column 1: carriage return in 1 segment, here first",
            "f.tsv:4: column 2: carriage return in 1 segment, here first",
            "f.tsv:5: column 2: zero-width character in 1 segment, here first",
        }

    def test_columns_with_names_and_lines_under_a_header(self, call, folder):
        (folder / "f.tsv").write_text("hyp\tref\tother\na\tab\tx\u200b\na\u200bb\tab\ty\n")
        err = call("-q", "--check-text", "--header", "--hypothesis", "hyp", "f.tsv")[2]
        assert err == "f.tsv:3: hyp: zero-width character in 1 segment, here first\n"

    def test_aligned_files(self, call, folder):
        (folder / "h").write_text("ab\na\u200bb\n")
        (folder / "r").write_text("ab\na\u200bb\n")
        err = call("-q", "--check-text", "--reference-file", "r", "h")[2]
        assert err == "".join(
            f"{name}:2: zero-width character in 1 segment, here first\n" for name in "hr"
        )

    def test_a_file_that_is_read_twice(self, call, folder):
        (folder / "h").write_text("a\u200bb\n")
        err = call("-q", "--check-text", "--reference-file", "h", "h")[2]
        assert err == "h:1: zero-width character in 1 segment, here first\n" * 2

    def test_nothing(self, call):
        assert call("--check-text", "two.tsv")[2] == "check-text: nothing found in 2 segments\n"

    def test_the_threads_do_not_matter(self, call, folder, monkeypatch):
        monkeypatch.setattr("chrf.files.lines.BLOCK_BYTES", 50)
        monkeypatch.setattr("chrf.cli.settings.available_cpus", lambda: 8)
        (folder / "f.tsv").write_text(self.SUSPICIOUS * 50, newline="")
        found = {call("-q", "--check-text", "-j", threads, "f.tsv") for threads in "128"}
        assert len(found) == 1
        assert "not NFC in 100 segments" in found.pop()[2]


class TestSignature:
    """53: what every output carries."""

    @pytest.mark.parametrize("form", ["text", "tsv", "latex", "json"])
    @pytest.mark.parametrize("orders", [[], ["--orders"]], ids=["", "orders"])
    def test_53_every_output_carries_it(self, printed, form, orders):
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

    def test_53_the_short_one(self, printed):
        out = printed("-sh", "two.tsv").splitlines()[-1]
        assert out == f"#:1|c:mixed|e:yes|nc:6|nw:0|s:no|b:2|r:all|n:2|v:chrf-{chrf.__version__}"
        assert out in printed("--short", "-f", "tsv", "two.tsv")
        assert out in printed("--short", "-f", "latex", "two.tsv")

    def test_10_the_two_metrics_are_told_apart(self, printed, folder):
        (folder / "w.tsv").write_text("a b c\tabc\n")
        chrf2 = json.loads(printed("-f", "json", "w.tsv"))
        plus = json.loads(printed("-f", "json", "-cw", "2", "w.tsv"))
        assert (chrf2["metric"], chrf2["score_fraction"]) == ("chrF2", "100/1")
        assert (plus["metric"], plus["score_fraction"]) == ("chrF2++", "75/1")
        assert chrf2["signature"] != plus["signature"]


# Streams, pipes, terminals.


ERRORS = [
    ("44", "hello\tbig\tworld\n", "f.tsv:1: 3 fields where 2 are expected"),
    ("47", "a\ta\n\nb\tb\n", "f.tsv:2: a blank line where 2 are expected"),
    ("47-at-the-end", "a\ta\nb\tb\n\n", "f.tsv:3: a blank line where 2 are expected"),
    ("48", b"caf\xe9\tcafe\n", "f.tsv:1: byte 0xe9 at offset 3 of the file is not valid UTF-8"),
    ("34", "", "f.tsv:1: the file is empty; there are no segments"),
]


@pytest.mark.parametrize(
    ("data", "message"), [pytest.param(*case[1:], id=case[0]) for case in ERRORS]
)
def test_bad_input_is_said_in_one_line(folder, data, message):
    (folder / "f.tsv").write_bytes(data if isinstance(data, bytes) else data.encode())
    found = bash(folder, "$CHRF --segments out.tsv two.tsv f.tsv")
    assert (found.returncode, found.stdout) == (1, b"")
    assert found.stderr.decode().startswith(message)
    assert found.stderr.count(b"\n") == 1
    assert not (folder / "out.tsv").exists()


PIECES = [
    "a",
    "the cat",
    "\t",
    "\t",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "\0",
    '"',
    "\ufeff",
    "é",
    "\u2028",
    "\udcff",
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=20).map("".join),
    st.sets(st.sampled_from(["-sl", "-f=tsv", "--check-text", "--header", "--orders", "-cw=2"])),
    st.sampled_from([1, 7, 1 << 18]),
)
def test_any_bytes_give_a_score_or_one_line(tmp_path_factory, text, flags, block):
    folder = tmp_path_factory.mktemp("any")
    path, out = folder / "f.tsv", folder / "out.tsv"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chrf.files.lines.BLOCK_BYTES", block)
        status, printed, err = call_main("-q", str(path), "--segments", str(out), *sorted(flags))
    assert bool(status == 0) == bool(printed) == out.exists()
    assert len(os.listdir(folder)) == 1 + out.exists()
    if status == 1:
        assert re.fullmatch(rf"{re.escape(str(path))}:\d+: [^\n]+\n", err)
    elif status == 2:
        assert re.fullmatch(r"python -m chrf\.batch: --sentence-level [^\n]+\n", err)
    else:
        assert not err or "--check-text" in flags


class TestStreams:
    @pytest.fixture(autouse=True)
    def big(self, folder):
        (folder / "big.tsv").write_text("the cat\tthe mat\n" * 100_000)

    def test_50_a_pipe_that_closes_early(self, folder):
        found = bash(folder, "$CHRF -sl big.tsv | head -1; echo ${PIPESTATUS[0]}")
        expected = chrf.corpus_score(["the cat"], ["the mat"])
        assert (found.stdout.decode(), found.stderr) == (f"{expected}\n141\n", b"")

    def test_50_messages_go_to_standard_error_only(self, folder):
        (folder / "f.tsv").write_text("abcdef\tabc\n")
        found = bash(folder, "$CHRF --check-text -b f.tsv 2>/dev/null")
        assert re.fullmatch(rb"\d+\.\d{6}\n", found.stdout)

    @pytest.mark.parametrize("end", ["2>/dev/full", "2> >(true)"], ids=["full", "closed early"])
    def test_standard_error_that_cannot_be_written(self, folder, end):
        """The score is printed all the same."""
        (folder / "f.tsv").write_text(TestNote.FIVE[0])
        found = bash(folder, f"{{ sleep 0.2; $CHRF -b f.tsv; }} {end}")
        assert (found.returncode, found.stdout) == (0, b"69.922367\n")

    @pytest.mark.parametrize(
        ("args", "status"), [("missing.tsv", 1), ("--bogus", 2), ("--threads 0", 2)]
    )
    def test_a_message_that_cannot_be_written(self, folder, args, status):
        assert bash(folder, f"$CHRF {args} 2>/dev/full").returncode == status

    @pytest.mark.parametrize(
        "args", ["two.tsv", "-sl big.tsv", "-f json two.tsv", "--help", "--version"]
    )
    def test_standard_output_that_is_full(self, folder, args):
        found = bash(folder, f"$CHRF {args} > /dev/full")
        assert (found.returncode, found.stderr) == (1, b"<stdout>: No space left on device\n")

    @pytest.mark.parametrize("args", ["-f json two.tsv two.tsv", "-sl big.tsv", "--help"])
    def test_unbuffered_output_is_whole_or_an_error(self, folder, args):
        """Under python -u a write may take a part, and say so in its return value alone."""
        whole = bash(folder, f"$CHRF {args}").stdout
        found = bash(folder, f"export PYTHONUNBUFFERED=1; $CHRF {args}")
        assert (found.returncode, found.stdout) == (0, whole)
        found = bash(folder, f"export PYTHONUNBUFFERED=1; $CHRF {args} > /dev/full")
        assert (found.returncode, found.stderr) == (1, b"<stdout>: No space left on device\n")
        if "help" not in args:
            limit = "ulimit -f 1; trap '' XFSZ; export PYTHONUNBUFFERED=1"
            found = bash(folder, f"{limit}; $CHRF {args} > out")
            assert (found.returncode, found.stderr) == (1, b"<stdout>: File too large\n")

    def test_output_that_is_caught(self, folder):
        caught = io.StringIO()
        with contextlib.redirect_stdout(caught):
            assert batch.main(["-b", str(folder / "two.tsv")]) == 0
        assert caught.getvalue() == "82.222222\n"

    def test_a_help_that_nobody_reads(self, folder):
        found = bash(folder, "{ sleep 0.2; $CHRF --help; } | true; echo ${PIPESTATUS[0]}")
        assert (found.stdout, found.stderr) == (b"141\n", b"")

    def test_a_file_that_grows_too_large(self, folder):
        found = bash(folder, "ulimit -f 1000; $CHRF -w 100 -sl big.tsv > out")
        assert (found.returncode, found.stderr) == (1, b"<temporary file>: File too large\n")

    def test_a_folder_that_is_gone(self, folder):
        for command in ("$CHRF --segments out.tsv ../two.tsv", "${CHRF/batch/merge} out.tsv"):
            found = bash(folder, f"mkdir gone; cd gone; rmdir ../gone; {command}")
            message = rb"(out|../two)\.tsv(:1)?: No such file or directory\n"
            assert found.returncode == 1
            assert re.fullmatch(message, found.stderr)

    @pytest.mark.parametrize("args", ["--help", "--version"])
    def test_a_help_that_cannot_be_shown(self, folder, args):
        found = bash(folder, f"$CHRF {args} >&-")
        assert (found.returncode, found.stderr) == (1, b"<stdout>: standard output is closed\n")

    def test_standard_output_that_is_closed(self, folder):
        found = bash(folder, "$CHRF --segments out.tsv two.tsv >&-")
        assert (found.returncode, found.stderr) == (1, b"<stdout>: standard output is closed\n")
        assert not (folder / "out.tsv").exists()

    @pytest.mark.parametrize(
        ("args", "status", "out"),
        [
            ("missing.tsv", 1, b""),
            ("--threads 0", 2, b""),
            ("--check-text -b two.tsv", 0, b"82.222222\n"),
        ],
    )
    def test_standard_error_that_is_closed(self, folder, args, status, out):
        """What it would have said does not go to standard output instead."""
        found = bash(folder, f"$CHRF {args} 2>&-")
        assert (found.returncode, found.stdout, found.stderr) == (status, out, b"")

    def test_all_of_them_closed(self, folder):
        assert bash(folder, "$CHRF two.tsv <&- >&- 2>&-").returncode == 1
        assert bash(folder, "$CHRF -b two.tsv <&-").stdout == b"82.222222\n"

    def test_49_the_locale_does_not_matter(self, folder):
        """Of the text, the names of columns and the names of files."""
        (folder / "é.tsv").write_text("hyp\tréf\né\té\n", encoding="utf-8")
        commands = """
            "$0" -m chrf.batch --header --reference réf é.tsv --segments s.tsv
            "$0" -m chrf.batch --header --reference réf é.tsv -f json
            "$0" -m chrf.batch --header --reference rèf é.tsv || test $? -eq 1
            "$0" -m chrf.batch --header --reference é -par --baseline ü -q ö.tsv
        """
        (folder / "ö.tsv").write_text("a\tü\té\na\tb\tc\n", encoding="utf-8")
        outputs = set()
        for variables in (
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
            {"LC_ALL": "C.UTF-8"},
            {"LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "ascii"},
            {"LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "utf-16"},
        ):
            found = subprocess.run(
                ["bash", "-c", commands, sys.executable],
                cwd=folder,
                env={k: v for k, v in PLAIN.items() if not k.startswith(("LC_", "LANG"))}
                | variables,
                capture_output=True,
                check=True,
            )
            outputs.add((found.stdout, found.stderr, (folder / "s.tsv").read_bytes()))
        ((out, err, segments),) = (map(bytes.decode, output) for output in outputs)
        table, record = out.split("\n\n")[:2]
        assert table.endswith("\nhyp     100.000000         1")
        assert json.loads(record.splitlines()[1])["file"] == "é.tsv"
        assert any(line.startswith("ü ") and "baseline" in line for line in out.splitlines())
        assert err == "é.tsv:1: no column 'rèf' among 2; the columns are hyp, réf\n"
        assert segments.splitlines()[1] == "é.tsv\t2\thyp\t100.000000"

    @pytest.mark.parametrize("args", [["-f", "json"], ["-sl"]], ids=" ".join)
    def test_the_number_of_threads_does_not_matter(self, call, folder, monkeypatch, args):
        monkeypatch.setattr("chrf.cli.settings.available_cpus", lambda: 8)
        monkeypatch.setattr("chrf.files.lines.BLOCK_BYTES", 5000)
        texts = map("".join, itertools.product("ab cd", repeat=5))
        lines = [f"{text}\t{text[::-1]}\n" for text in texts]
        (folder / "f.tsv").write_text("".join(lines))
        found = set()
        for threads in "1258":
            out = call(*args, "--threads", threads, "--segments", "out.tsv", "f.tsv")
            found.add((*out, (folder / "out.tsv").read_bytes()))
        assert len(found) == 1

    def test_threads_beyond_the_cpus_do_not_hold_more_rows(self, monkeypatch):
        monkeypatch.setattr("chrf.cli.settings.available_cpus", lambda: 3)
        for asked, used in (([], 3), (["-j", "2"], 2), (["-j", "1000000"], 3)):
            parsed = arguments.make_parser().parse_args(asked)
            assert settings.read_settings(parsed).threads == used

    def test_the_default_is_the_cpus_this_process_may_use(self):
        if hasattr(os, "sched_getaffinity"):
            assert settings.available_cpus() == len(os.sched_getaffinity(0))
        assert settings.available_cpus() >= 1


CALL = "from chrf import batch; sys.exit(batch.main(sys.argv[1:]))"
# The bar: shown from the start and at every step, as if the run were long.
BAR = f"""
import sys, tqdm
real = tqdm.tqdm
tqdm.tqdm = lambda **keywords: real(**(keywords | dict(delay=0, mininterval=0)))
{CALL}
"""


class TestProgress:
    @pytest.fixture
    def on_terminal(self, folder):
        pty, fcntl, termios = map(pytest.importorskip, ("pty", "fcntl", "termios"))

        def start(command, **keywords):
            """What comes out of standard output, and what a terminal's standard error shows."""
            terminal, device = pty.openpty()
            fcntl.ioctl(device, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
            with subprocess.Popen(
                [sys.executable, *command],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=device,
                **keywords,
            ) as process:
                os.close(device)
                shown = b""
                with contextlib.suppress(OSError):  # the other end is closed
                    while data := os.read(terminal, 4096):
                        shown += data
                os.close(terminal)
                out = process.stdout.read()
            assert process.returncode == 0
            return out, shown

        return start

    @pytest.fixture(autouse=True)
    def large(self, folder):
        (folder / "large.tsv").write_text("the cat\tthe mat\n" * 60_000)
        with gzip.open(folder / "large.tsv.gz", "wb", compresslevel=1) as file:
            file.write((folder / "large.tsv").read_bytes())

    def test_a_long_run_on_a_terminal(self, on_terminal):
        out, shown = on_terminal(["-c", BAR, "-b", "large.tsv"])
        assert re.search(rb"\r [0-9 ]\d%\|.*\| \d+k/960k \[.*B/s\]", shown)
        # It is gone at the end.
        assert shown.endswith(b"\r")
        assert out == f"{chrf.corpus_score(['the cat'], ['the mat'])}\n".encode()

    def test_where_the_end_is_not_known(self, on_terminal):
        _, shown = on_terminal(["-c", BAR, "-b", "large.tsv.gz"])
        assert re.search(rb"\r\d+kB \[.*B/s\]", shown)

    def test_a_message_after_it(self, on_terminal, folder):
        (folder / "short.tsv").write_text(TestNote.FIVE[0])
        _, shown = on_terminal(["-c", BAR, "-b", "large.tsv", "short.tsv"])
        assert re.search(rb"\r +\rnote: [^\r]*\r\n$", shown)

    @pytest.mark.parametrize(
        "command",
        [
            ["-m", "chrf.batch", "-b", "two.tsv"],
            ["-c", BAR, "-b", "-q", "large.tsv"],
            ["-c", f"import sys; sys.modules['tqdm'] = None; {CALL}", "-b", "large.tsv"],
        ],
        ids=["short", "quiet", "without-tqdm"],
    )
    def test_none(self, on_terminal, command):
        assert on_terminal(command)[1] == b""

    def test_none_in_a_pipe(self, folder):
        found = subprocess.run(
            [sys.executable, "-c", BAR, "-b", "large.tsv"],
            cwd=folder,
            capture_output=True,
            check=True,
        )
        assert found.stderr == b""


# Runs the command and tells the peak of its memory, in kB.
PEAK = """
import re, sys
from chrf import batch
status = batch.main(sys.argv[1:])
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1], file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="reads the peak from /proc")
@pytest.mark.skipif("CHRF_SANITIZE" in os.environ, reason="a sanitizer keeps freed memory")
@pytest.mark.parametrize("source", ["table", "packed", "aligned", "sentence-level"])
def test_memory_does_not_grow_with_the_rows(tmp_path, source):
    line = "the quick brown fox jumps over the lazy dog, again and again, in every text of the kind"
    peaks = []
    for count in (20_000, 200_000):
        hypotheses = [f"{line} {number}\n" for number in range(count)]
        args = ["--segments", "out.tsv", "-b"]
        if source == "aligned":
            (tmp_path / "h").write_text("".join(hypotheses))
            args += ["--reference-file", "h", "h"]
        else:
            text = "".join(f"{line}\t{h}" for h in hypotheses).encode()
            if source == "packed":
                (tmp_path / "f.gz").write_bytes(gzip.compress(text, 1))
                args += ["f.gz"]
            else:
                (tmp_path / "f.tsv").write_bytes(text)
                args += ["f.tsv"]
        if source == "sentence-level":
            args.append("-sl")
        found = subprocess.run(
            [sys.executable, "-c", PEAK, *args],
            cwd=tmp_path,
            capture_output=True,
            check=True,
        )
        assert len((tmp_path / "out.tsv").read_bytes()) > 10 * count
        peaks.append(int(found.stderr))
    # The text alone is 33 MB longer; what waits of sentence-level scores is at most 8 MB.
    assert peaks[1] - peaks[0] < 12_000
