"""What paired tests on the command line say beside p: --within, --power, --p-matrix."""

import csv
import io
import os
import random
import re
import subprocess
import sys

import numpy as np
import pytest

from chrf import stats

NAMES = ["one", "two", "three"]


def corpus(segments=40):
    rng = random.Random(5)
    words = [*"abcdefghijk", "the", "cat", "dog", "fox", "mat", "house", "rain"]
    references = [" ".join(rng.choices(words, k=8)) for _ in range(segments)]
    systems = {
        name: [
            " ".join(rng.choice(words) if rng.random() < rate else w for w in line.split())
            for line in references
        ]
        for rate, name in zip((0.1, 0.14, 0.5), NAMES, strict=True)
    }
    return references, systems


REFERENCES, SYSTEMS = corpus()


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.tsv"
    rows = [["ref", *NAMES], *zip(REFERENCES, *SYSTEMS.values(), strict=True)]
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def run(*arguments, status=0):
    done = subprocess.run(
        [sys.executable, "-m", "chrf.batch", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=os.path.dirname(__file__),
    )
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if status == 0 else done.stderr


def of(table):
    return ("--header", "--reference", "ref", table)


def tsv(*arguments):
    return list(csv.DictReader(io.StringIO(run("-f", "tsv", *arguments)), delimiter="\t"))


@pytest.mark.parametrize("paired", ["bootstrap", "permutation"])
def test_all_formats_have_the_librarys_numbers(table, paired, exact_json):
    test = stats.paired_bootstrap if paired == "bootstrap" else stats.paired_permutation
    expected = test(SYSTEMS, REFERENCES, within=20, power=0.8)
    flags = ("--paired", paired, "--within", "20", "--power", *of(table))
    found = [exact_json(line) for line in run("-f", "json", *flags).splitlines()]
    assert found[0]["against_baseline"] is None
    rows = tsv(*flags)
    beside = {*("within", "within_p", "within_adjusted_p", "equivalent", "power")}
    beside |= {"standard_error", "smallest_difference", "segments_needed"}
    assert {rows[0][column] for column in beside} == {""}
    for name, record, row in zip(NAMES[1:], found[1:], rows[1:], strict=True):
        pair = expected[name, "one"]
        assert record["against_baseline"] == pair.to_dict()
        assert {"equivalence", "power"} <= pair.to_dict().keys()
        assert {column: row[column] for column in beside} == {
            "within": "20",
            "within_p": repr(pair.equivalence.p_value),
            "within_adjusted_p": repr(pair.equivalence.adjusted_p_value),
            "equivalent": str(pair.equivalence.equivalent).lower(),
            "power": "0.8",
            "standard_error": repr(pair.power.standard_error),
            "smallest_difference": repr(pair.power.smallest_difference()),
            "segments_needed": str(pair.power.segments_needed),
        }
    assert expected["one", "two"].equivalence.equivalent
    assert not expected["one", "three"].equivalence.equivalent
    pairs = tsv("--all-pairs", *flags)
    assert [row["within_p"] for row in pairs] == [
        repr(p.equivalence.p_value) for p in expected.pairs
    ]
    header, _, *lines = run(*flags).splitlines()
    assert re.split("  +", header)[7:10] == ["adjusted p", "p within 20", "rank"]
    assert lines[0].split()[-3] == f"{expected['two', 'one'].equivalence.adjusted_p_value:.4f}"
    legend = "adjusted p, rank and cluster: Holm over all 3 pairs, alpha 0.05; p within: of two"
    assert legend in lines[3]
    assert "p within 20" in run("-f", "latex", *flags)


def test_power_is_one_line_under_the_table(table):
    """The range over the pairs that are shown, at the strictest level of the correction."""
    expected = stats.paired_permutation(SYSTEMS, REFERENCES, power=0.8)
    powers = [expected[name, "one"].power for name in NAMES[1:]]
    low, high = sorted(f"{power.smallest_difference():.2f}" for power in powers)
    fewest, most = sorted(power.segments_needed for power in powers)
    line = (
        f"power 0.8 at alpha 0.05/3: 40 segments show differences from {low} to {high} points on; "
        f"those found need {fewest} to {most} segments"
    )
    assert fewest < 40 < most
    assert run("-par", "--power", *of(table)).splitlines()[6] == line
    assert run("-par", *of(table), "--power").splitlines()[6] == line
    assert f"% {line}" in run("-par", "--power", "-f", "latex", *of(table)).splitlines()
    three = [pair.power.smallest_difference() for pair in expected.pairs]
    shown = run("-par", "--all-pairs", "--power", *of(table))
    assert f"differences from {min(three):.2f} to {max(three):.2f} points" in shown

    two = ("--hypothesis", "one,two", *of(table))
    systems = {name: SYSTEMS[name] for name in ("two", "one")}
    for flags, settings in (
        (["--power", "0.9"], {"power": 0.9}),
        (["--power", ".5", "--alpha", "0.1"], {"power": 0.5, "alpha": 0.1}),
        (["--power=0.6", "--one-tailed"], {"power": 0.6, "two_tailed": False}),
    ):
        power = stats.paired_permutation(systems, REFERENCES, **settings).pairs[0].power
        line = (
            f"power {power.power} at alpha {power.alpha}: 40 segments show differences from "
            f"{power.smallest_difference():.2f} points on"
        )
        if power.segments_needed is not None:
            line += f"; those found need {power.segments_needed} segments"
        assert line in run("-par", *flags, *two).splitlines()
    same = ("--hypothesis", "one,1", "--reference", "ref", "--header")
    path = table.with_name("equal.tsv")
    path.write_text("ref\tone\t1\n" + "a b c\ta b\ta b\n" * 9)
    assert "power" not in run("-par", "--power", *same, path)


def test_the_matrix_is_a_file(table, tmp_path):
    out = tmp_path / "p.tsv"
    shown = run("-par", "--all-pairs", "--p-matrix", out, *of(table))
    assert shown == run("-par", "--all-pairs", *of(table))
    header, *rows = (line.split("\t") for line in out.read_text().splitlines())
    expected = stats.paired_permutation(SYSTEMS, REFERENCES)
    assert header == ["system", *expected.names] == ["system", *NAMES]
    assert [row[0] for row in rows] == NAMES
    matrix = np.array([[float(cell or "nan") for cell in row[1:]] for row in rows])
    np.testing.assert_array_equal(matrix, expected.p_matrix())
    run("-pbs", "--p-matrix", out, *of(table))
    cell = out.read_text().splitlines()[1].split("\t")[2]
    expected = stats.paired_bootstrap(SYSTEMS, REFERENCES)
    assert cell == repr(expected["one", "two"].one_tailed[0])


def test_the_matrix_of_a_one_tailed_test_is_in_the_order_of_the_columns(table, tmp_path):
    out = tmp_path / "p.tsv"
    flags = ("-par", "--hypothesis", "one,two", "--p-matrix", out, *of(table))
    run(*flags)
    both = out.read_text()
    run("--one-tailed", *flags)
    assert out.read_text() == both
    assert both.startswith("system\tone\ttwo\n")


def test_the_matrix_appears_whole_or_not_at_all(table, tmp_path):
    out = tmp_path / "p.tsv"
    out.write_text("as it was\n")
    broken = tmp_path / "broken.tsv"
    broken.write_text(table.read_text() + "one column\n")
    before = sorted(os.listdir(tmp_path))
    message = run("-par", "--p-matrix", out, *of(broken), status=1)
    assert message.startswith(f"{broken}:42: ")
    assert out.read_text() == "as it was\n"
    assert sorted(os.listdir(tmp_path)) == before
    lone = ("--hypothesis", "one", *of(table))
    message = run("-par", "--p-matrix", tmp_path / "new", *lone, status=1)
    assert message == f"{table}:1: a paired test needs at least two systems\n"
    assert not (tmp_path / "new").exists()
    message = run("-par", "--p-matrix", tmp_path / "no" / "p", *of(table), status=1)
    assert message == f"{tmp_path / 'no' / 'p'}: No such file or directory\n"


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--within", "1"], "--within goes with --paired"),
        (["--ci", "--power"], "--power goes with --paired"),
        (["--ci", "--p-matrix", "x"], "--p-matrix goes with --paired"),
        (
            ["-par", "--within", "0"],
            "within is 0.0; it must be a number above 0, of at most 100 points",
        ),
        (
            ["-par", "--within", "nan"],
            "within is nan; it must be a number above 0, of at most 100 points",
        ),
        (["-par", "--within", "x"], "argument --within: invalid float value: 'x'"),
        (["-par", "--power", "1"], "power is 1.0; it must be a number between alpha, 0.05, and 1"),
        (
            ["-par", "--power", "0.01"],
            "power is 0.01; it must be a number between alpha, 0.05, and 1",
        ),
        (["-par", "--p-matrix", ""], "--p-matrix needs the name of a file"),
        (["-par", "--p-matrix", "-"], "--p-matrix needs the name of a file"),
        (
            ["-par", "--p-matrix", "no.tsv", "--segments", "./no.tsv"],
            "--segments and --p-matrix name one file",
        ),
    ],
)
def test_wrong_usage(table, flags, message):
    found = run(*flags, *of(table), status=2)
    assert found == f"python -m chrf.batch: {message} (see --help)\n"


def test_the_matrix_is_of_one_table_that_it_does_not_overwrite(table):
    message = run("-par", "--p-matrix", "x", *of(table), table, status=2)
    assert "--p-matrix is of one table" in message
    message = run("-par", "--p-matrix", table, *of(table), status=2)
    assert f"--p-matrix would overwrite the input {table}"[:100] in message


def test_documents_and_averages(table, tmp_path):
    """Of what is drawn together, and of the average over two files."""
    labelled = tmp_path / "labelled.tsv"
    lines = table.read_text().splitlines()
    rows = [f"{lines[0]}\tdoc", *(f"{line}\t{i // 2}" for i, line in enumerate(lines[1:]))]
    labelled.write_text("".join(row + "\n" for row in rows))
    flags = ("--hypothesis", "one,two", "--documents", "doc", "--power", "--quiet")
    shown = run("-par", *flags, *of(labelled))
    systems = {name: SYSTEMS[name] for name in ("two", "one")}
    documents = [i // 2 for i in range(40)]
    power = stats.power(systems, REFERENCES, documents=documents)
    line = (
        f"power 0.8 at alpha 0.05: 20 documents show differences from "
        f"{power.smallest_difference():.2f} points on; those found need {power.segments_needed} "
        "documents"
    )
    assert line in shown.splitlines()
    other = tmp_path / "other.tsv"
    other.write_text("".join(line + "\n" for line in [lines[0], *lines[:20:-1]]))
    out = tmp_path / "p.tsv"
    run("-par", "--average", "macro", "--p-matrix", out, "--within", "20", *of(table), other)
    halves = {
        "a": (SYSTEMS, REFERENCES),
        "b": ({n: t[:19:-1] for n, t in SYSTEMS.items()}, REFERENCES[:19:-1]),
    }
    expected = stats.compare_sets(halves, within=20)
    cell = out.read_text().splitlines()[1].split("\t")[2]
    assert cell == repr(expected["one", "two"].one_tailed[0])
