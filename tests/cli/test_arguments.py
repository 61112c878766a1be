"""The options of ``python -m chrf.batch``: their spelling, their defaults, and wrong usage."""

import dataclasses
import json
import re
from fractions import Fraction

import pytest

import chrf
from chrf.cli import arguments, settings
from chrf.core.options import Options
from chrf.kernel.simd import short


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

    def test_a_score_with_a_decimal_beta(self, printed, folder):
        """F with beta 1/10: 100 * (101/100) * P * R / (P/100 + R), P = 1/2, R = 1/3."""
        (folder / "b.tsv").write_text("ab\tacd\n")
        (record,) = map(
            json.loads, printed("--beta", "0.1", "-cc", "1", "-f", "json", "b.tsv").splitlines()
        )
        assert (record["metric"], record["beta"]) == ("chrF0.1", "1/10")
        expected = 100 * Fraction(101, 100) / 6 / (Fraction(1, 200) + Fraction(1, 3))
        assert Fraction(record["score_fraction"]) == expected


USAGE = [
    ("--width 99999999999", "--width is 99999999999; it must be an integer from 0 to 100"),
    ("--width -1", "--width is -1; it must be an integer from 0 to 100"),
    ("--width x", "argument --width/-w: invalid int value: 'x'"),
    ("--threads 0", "--threads is 0; it must be an integer of at least 1"),
    ("--threads -1", "--threads is -1; it must be an integer of at least 1"),
    ("--threads 1.5", "argument --threads/-j: invalid int value: '1.5'"),
    *(
        (
            f"--beta {text}",
            f"argument --beta/--chrf-beta: '{text}' is not a positive number such as 2, 1.5 or "
            "3/2, in digits",
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
    ("-cc 11", "--char-order is 11; it must be an integer from 0 to 10"),
    ("-cc 0", "--char-order and --word-order are both 0; at least one must be positive"),
    ("-cw -1", "--word-order is -1; it must be an integer from 0 to 4"),
    ("-cw 5", "--word-order is 5; it must be an integer from 0 to 4"),
    ("--rule none", "argument --rule: invalid choice: 'none'"),
    ("--averaging mean", "argument --averaging: invalid choice: 'mean'"),
    ("-f csv", "argument --format/-f: invalid choice: 'csv'"),
    ("--nothing", "there is no option '--nothing'"),
    ("--reference", "argument --reference: expected one argument"),
    (
        "--reference-file r --header h",
        "--reference-file goes with plain text, which has no columns",
    ),
    ("--reference-file r --hypothesis 1 h", "--reference-file goes with plain text, which has no"),
    ("--reference-file - -", "standard input can be read only once"),
    ("--reference-file -", "standard input can be read only once"),
    ("- -", "standard input can be read only once"),
    (
        "-sl -f json",
        "--sentence-level prints one number per segment, without room for --format json",
    ),
    ("-sl --orders", "--sentence-level prints one number per segment, without room for --orders"),
    ("-sl a b", "--sentence-level takes one system; --segments writes the scores of several"),
    ("-b -f tsv", "--score-only prints one number per system, without room for --format tsv"),
    ("-b --fractions", "--score-only prints one number per system, without room for --fractions"),
    ("a\nb\t--c", "there is no option"),
]


@pytest.mark.parametrize(("line", "message"), USAGE)
def test_wrong_usage_is_said_in_one_line(call, line, message):
    status, out, err = call(*line.split(" "))
    if line.startswith("a\n"):
        status, out, err = call("--c\nd")
        message = r"there is no option '--c\nd'"
    assert (status, out) == (2, "")
    assert err.startswith(f"python -m chrf.batch: {message}")
    assert err.endswith(" (see --help)\n")
    assert err.count("\n") == 1


def test_wrong_usage_of_the_command(run):
    message = (
        "python -m chrf.batch: --threads is 0; it must be an integer of at least 1 (see --help)\n"
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
    version = f"chrf {chrf.__version__} (vectors: {short.in_use()})\n"
    assert run("--version") == run("-V") == version
