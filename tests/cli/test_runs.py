"""--runs: columns that are training runs of one system."""

import csv
import io
import os
import random
import re
import subprocess
import sys

import pytest

from chrf import stats
from chrf.core import exact

WORDS = [*"abcdefghijk", "the", "cat", "dog", "fox", "mat", "house", "rain"]
RATES = {"base-s1": 0.2, "base-s2": 0.22, "base-s3": 0.19, "new-s1": 0.12, "new-s2": 0.15}
PATTERN = "(.+)-s[0-9]"


def corpus(segments=60):
    rng = random.Random(5)
    references = [" ".join(rng.choices(WORDS, k=8)) for _ in range(segments)]
    runs = {
        name: [
            " ".join(rng.choice(WORDS) if rng.random() < rate else w for w in line.split())
            for line in references
        ]
        for name, rate in RATES.items()
    }
    return references, runs


REFERENCES, RUNS = corpus()
SYSTEMS = {
    "base": [RUNS[f"base-s{i}"] for i in (1, 2, 3)],
    "new": [RUNS["new-s1"], RUNS["new-s2"]],
}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.tsv"
    documents = [str(i // 2) for i in range(60)]
    rows = [["ref", *RUNS, "doc"], *zip(REFERENCES, *RUNS.values(), documents, strict=True)]
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def run(*arguments, status=0):
    done = subprocess.run(
        [sys.executable, "-m", "chrf.batch", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=os.path.dirname(__file__),
        env={key: value for key, value in os.environ.items() if key != "SACREBLEU_SEED"},
    )
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if status == 0 else done.stderr


def of(table, *names):
    return ("--header", "--reference", "ref", "--hypothesis", ",".join(names or RUNS), table)


def test_json_has_the_librarys_numbers(table, exact_json):
    for flags, settings in (
        ([], {}),
        (["--alpha", "0.1", "--seed", "7", "--correction", "none"], {"alpha": 0.1, "seed": 7}),
        (["--ci", "200"], {"iterations": 200}),
        (["--documents", "doc"], {"documents": [i // 2 for i in range(60)]}),
    ):
        expected = stats.compare_runs(SYSTEMS, REFERENCES, **settings)
        found = [
            exact_json(line)
            for line in run("--runs", PATTERN, "-f", "json", *flags, *of(table)).splitlines()
        ]
        against = expected["new", "base"].to_dict()
        if "none" in flags:
            against["adjust"] = "none"
        for record in found:
            base = record["system"].startswith("base")
            assert record["runs"] == {
                **expected.systems[not base].to_dict(),
                "against_baseline": None if base else against,
                "iterations": settings.get("iterations", 1000),
                "seed": settings.get("seed", 12345),
                "signature": expected.signature,
            }


def test_text_has_a_second_table(table):
    expected = stats.compare_runs(SYSTEMS, REFERENCES)
    pair = expected["new", "base"]
    scores, legend, second = run("--runs", PATTERN, "-w", "2", *of(table)).split("\n\n")
    assert len(scores.splitlines()) == 6
    assert legend.splitlines()[0] == (
        "two-tailed p of Welch's test over runs and segments; adjusted p: one pair, alpha 0.05"
    )
    assert legend.splitlines()[2] == expected.signature
    header, base, new = second.splitlines()
    assert re.split("  +", header) == [
        *("system", "mean", "runs", "sd runs", "sd segments", "difference"),
        *("diff 95% low", "diff 95% high", "p", "adjusted p"),
    ]
    one, two = expected.systems
    for line, system in ((base, one), (new, two)):
        assert line.split()[:5] == [
            system.name,
            exact.decimal_text(system.mean, 2),
            str(len(system.scores)),
            f"{system.runs_deviation:.2f}",
            f"{system.segments_deviation:.2f}",
        ]
    assert base.split()[5:] == ["baseline", "-", "-", "-", "-"]
    assert new.split()[5:] == [
        exact.decimal_text(pair.difference, 2),
        f"{pair.lower:.2f}",
        f"{pair.upper:.2f}",
        f"{pair.p_value:.4f}",
        f"{pair.p_value:.4f}",
    ]
    turned = run("--runs", PATTERN, "--baseline", "new", *of(table)).split("\n\n")[2]
    assert turned.splitlines()[2].split()[5] == "baseline"
    latex = run("--runs", PATTERN, "-f", "latex", *of(table))
    assert "system & mean & runs & sd runs & sd segments & difference" in latex
    alone = run("--runs", PATTERN, *of(table, "base-s1", "base-s2")).split("\n\n")
    assert re.split("  +", alone[2].splitlines()[0].strip())[3:] == ["sd runs", "sd segments"]
    assert "standard deviations of the score over runs" in alone[1]


def test_tsv_has_a_row_for_each_run(table):
    expected = stats.compare_runs(SYSTEMS, REFERENCES)
    pair = expected["new", "base"]
    text = run("--runs", PATTERN, "-f", "tsv", *of(table))
    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t"))
    assert [row["run_of"] for row in rows] == ["base"] * 3 + ["new"] * 2
    assert [row["is_baseline"] for row in rows] == ["true"] * 3 + ["false"] * 2
    assert rows[0]["difference"] == rows[0]["p"] == ""
    row = rows[4]
    assert row["runs"] == "2"
    assert row["runs_deviation"] == repr(expected.systems[1].runs_deviation)
    assert row["segments_deviation"] == repr(expected.systems[1].segments_deviation)
    assert row["difference"] == exact.decimal_text(pair.difference)
    assert float(row["difference_lower"]) == pytest.approx(pair.lower, abs=1e-6)
    assert row["standard_error"] == repr(pair.standard_error)
    assert row["degrees_of_freedom"] == repr(pair.degrees_of_freedom)
    assert (row["p"], row["adjusted_p"]) == (repr(pair.p_value), repr(pair.adjusted_p_value))
    assert (row["level"], row["interval"], row["resamples"]) == ("95", "student", "1000")


def test_files_are_runs_too(tmp_path):
    for name, texts in {**RUNS, "ref": REFERENCES}.items():
        (tmp_path / name).write_text("".join(line + "\n" for line in texts))
    files = [tmp_path / name for name in RUNS]
    flags = ("--runs", r".*/(\w+)-s[0-9]", "--reference-file", tmp_path / "ref")
    second = run(*flags, *files).split("\n\n")[2]
    assert [line.split()[0] for line in second.splitlines()] == ["system", "base", "new"]


def test_what_does_not_match(table):
    for flags, names, message in (
        (["--runs", "(base)-s[0-9]"], RUNS, "--runs '(base)-s[0-9]' does not match 'new-s1'"),
        (
            ["--runs", "(.*)base-s1"],
            ["base-s1"],
            "--runs '(.*)base-s1' finds no name in 'base-s1'",
        ),
        (["--runs", "(.+)"], RUNS, "base-s1 has 1 run; a variance over runs needs at least two"),
        (
            ["--runs", PATTERN, "--baseline", "base-s1"],
            RUNS,
            "no system 'base-s1'; did you mean 'base'? The systems are 'base', 'new'",
        ),
    ):
        assert run(*flags, *of(table, *names), status=1) == f"{table}:1: {message}\n"


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--runs", "x"], "--runs is 'x'; it must have one group, the system's name"),
        (["--runs", "(a)(b)"], "--runs is '(a)(b)'; it must have one group, the system's name"),
        (
            ["--runs", "(."],
            "--runs is '(.', which is no regular expression: missing ), unterminated subpattern "
            "at position 0",
        ),
        (["--runs", PATTERN, "-par"], "--runs goes without --paired and --average"),
        (["--runs", PATTERN, "--all-pairs"], "--runs goes without --paired and --average"),
        (["--runs", PATTERN, "--within", "1"], "--within goes with --paired"),
        (
            ["--runs", PATTERN, "-b"],
            "--score-only prints one number per system, without room for --runs",
        ),
    ],
)
def test_wrong_usage(table, flags, message):
    found = run(*flags, *of(table), status=2)
    assert found == f"python -m chrf.batch: {message} (see --help)\n"
