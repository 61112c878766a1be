"""Intervals and tests on the command line: the library's numbers, in every format."""

import json
import os
import random
import re
import subprocess
import sys
from itertools import combinations

import pytest

import chrf
from chrf import stats

WORDS = [*"abcdefghijk", "the", "cat", "dog", "fox", "mat", "house", "rain"]
NAMES = ["one", "two", "three"]


def corpus(segments=40, seed=1):
    """References, and systems that are the worse the later they come."""
    rng = random.Random(seed)
    references = [" ".join(rng.choices(WORDS, k=8)) for _ in range(segments)]
    systems = {}
    for rate, name in zip((0.1, 0.12, 0.5), NAMES, strict=True):
        systems[name] = [
            " ".join(rng.choice(WORDS) if rng.random() < rate else w for w in line.split())
            for line in references
        ]
    return references, systems


REFERENCES, SYSTEMS = corpus()


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.tsv"
    rows = [["ref", *NAMES], *zip(REFERENCES, *SYSTEMS.values(), strict=True)]
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def run(*arguments, environment=None, status=0):
    done = subprocess.run(
        [sys.executable, "-m", "chrf.batch", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env={
            **{k: v for k, v in os.environ.items() if k != "SACREBLEU_SEED"},
            **(environment or {}),
        },
        cwd=os.path.dirname(__file__),
    )
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if status == 0 else done.stderr


def records(*arguments, **keywords):
    return [json.loads(line) for line in run("-f", "json", *arguments, **keywords).splitlines()]


def table_flags(table):
    return ("--header", "--reference", "ref", table)


def test_interval_is_the_librarys(table, exact):
    found = records("--ci", "300", "--seed", "7", "--alpha", "0.1", *table_flags(table))
    for name, record in zip(NAMES, found, strict=True):
        expected = stats.bootstrap_ci(SYSTEMS[name], REFERENCES, iterations=300, seed=7, alpha=0.1)
        assert exact(record["interval"]) == expected.to_dict()
        assert record["score_fraction"] == expected.to_dict()["score_fraction"]


@pytest.mark.parametrize("paired", ["bootstrap", "permutation"])
def test_tests_are_the_librarys(table, paired, exact):
    found = records("--paired", paired, "--all-pairs", *table_flags(table))
    test = stats.paired_bootstrap if paired == "bootstrap" else stats.paired_permutation
    expected = test(SYSTEMS, REFERENCES)
    placed = {system.name: system for system in expected.systems}
    for name, record in zip(NAMES, found, strict=True):
        assert record["rank"] == list(placed[name].rank)
        assert record["cluster"] == placed[name].cluster
    pairs = [pair for record in found for pair in record.get("pairs", [])]
    assert exact(pairs) == [pair.to_dict() for pair in expected.pairs]
    assert found[0]["against_baseline"] is None
    for name, record in zip(NAMES[1:], found[1:], strict=True):
        pair = expected[name, "one"].to_dict()
        assert record["against_baseline"]["p_value"] == pair["p_value"]
        assert record["against_baseline"]["difference_fraction"] == pair["difference_fraction"]


def test_p_values_against_the_baseline_are_adjusted_for_these_tests_alone(table):
    for baseline in NAMES:
        found = records("--paired", "permutation", "--baseline", baseline, *table_flags(table))
        against = [record["against_baseline"] for record in found if record["against_baseline"]]
        assert [pair["first"] for pair in against] == [n for n in NAMES if n != baseline]
        assert {pair["second"] for pair in against} == {baseline}
        low, high = sorted(pair["p_value"] for pair in against)
        adjusted = sorted(pair["adjusted_p_value"] for pair in against)
        assert adjusted == [min(1, 2 * low), max(min(1, 2 * low), high)]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (["-ci"], ["--ci", "1000"]),
        (["--confidence", "-cin", "200"], ["--ci", "200"]),
        (["-pbs", "-pbsn", "150"], ["--paired", "bootstrap", "--paired-bs-n", "150"]),
        (["--paired-ar", "-parn", "150"], ["--paired", "permutation", "--paired-ar-n", "150"]),
        (["-par"], ["--paired", "permutation"]),
    ],
)
def test_sacrebleus_spelling(table, theirs, ours):
    assert run(*theirs, *table_flags(table)) == run(*ours, *table_flags(table))


def test_ci_takes_the_next_word_only_where_it_is_a_number(table):
    expected = run("--ci", "1000", "--header", "--reference", "ref", table)
    assert run("--header", "--reference", "ref", "--ci", table) == expected


def test_paired_bootstrap_gives_sacrebleus_p_values(table):
    """sacreBLEU's own test on the same texts and seed; its default output format crashes there."""
    significance = pytest.importorskip("sacrebleu.significance", reason="sacreBLEU is the oracle")
    from sacrebleu.metrics import CHRF

    metric = CHRF(references=[REFERENCES])
    _, scores = significance.PairedTest(
        list(SYSTEMS.items()), {"chrF2": metric}, references=None, test_type="bs", n_samples=1000
    )()
    found = records("-pbs", "--rule", "sacrebleu", *table_flags(table))
    for theirs, record in zip(scores["chrF2"][1:], found[1:], strict=True):
        assert record["against_baseline"]["sacrebleu_p_value"] == pytest.approx(
            theirs.p_value,
            abs=1e-12,  # a quotient of two counts
        )


def test_seed_of_the_environment(table):
    flags = ("--ci", *table_flags(table))
    first = run(*flags, environment={"SACREBLEU_SEED": "0"})
    assert "seed:0|" in first
    assert first == run("--seed", "0", *flags)
    assert first != run(*flags)
    assert run(*flags) == run("--seed", "12345", *flags)
    assert run("--seed", str(10**40), *flags) == run("--seed", str(10**40), *flags)
    message = run(*flags, environment={"SACREBLEU_SEED": "x"}, status=2)
    assert "SACREBLEU_SEED is 'x'" in message
    assert message.count("\n") == 1
    assert run(*table_flags(table), environment={"SACREBLEU_SEED": "x"})


def test_numbers_do_not_depend_on_threads(table):
    flags = ("--ci", "-par", "--all-pairs", *table_flags(table))
    assert run("--threads", "1", *flags) == run("--threads", "2", *flags)


def test_an_interval_is_printed_for_a_score_of_zero(tmp_path):
    path = tmp_path / "zero.tsv"
    path.write_text("aaa\tbbb\n" * 5)
    header, row = run("--ci", "-f", "tsv", path).splitlines()
    cells = dict(zip(header.split("\t"), row.split("\t"), strict=True))
    assert (cells["score"], cells["lower"], cells["upper"]) == ("0.000000",) * 3


def test_interval_and_test_obey_the_options(table, exact):
    flags = ("-cw", "2", "--chrf-lowercase", "--beta", "3/2", "--rule", "sacrebleu")
    found = records(*flags, "--ci", "100", *table_flags(table))
    from fractions import Fraction

    options = {"word_order": 2, "lowercase": True, "beta": Fraction(3, 2), "rule": "sacrebleu"}
    for name, record in zip(NAMES, found, strict=True):
        expected = stats.bootstrap_ci(SYSTEMS[name], REFERENCES, iterations=100, **options)
        assert exact(record["interval"]) == expected.to_dict()
        assert record["score"] == str(chrf.corpus_score(SYSTEMS[name], REFERENCES, **options))


def test_all_pairs_share_their_draws_and_are_adjusted(table):
    header, *rows = run("-par", "--all-pairs", "-f", "tsv", *table_flags(table)).splitlines()
    assert header.split("\t") == [
        "first",
        "second",
        "difference",
        "lower",
        "upper",
        "p",
        "adjusted_p",
    ]
    assert [row.split("\t")[:2] for row in rows] == [
        ["one", "two"],
        ["one", "three"],
        ["two", "three"],
    ]


def test_text_is_one_aligned_table(table):
    lines = run("--ci", "-par", *table_flags(table)).splitlines()
    header = lines[0].split()
    assert header[:3] == ["system", "chrF2", "segments"]
    assert header[-2:] == ["rank", "cluster"]
    assert len({len(line) for line in lines[:4]}) == 1
    assert lines[1].split()[5] == "baseline"


def test_latex_has_the_columns(table):
    assert "adjusted p & rank & cluster" in run("-par", "-f", "latex", *table_flags(table))
    flags = ["-par", "--all-pairs", "--width", "2", "-f", "latex", *table_flags(table)]
    scores, pairs = run(*flags).split("\\end{tabular}")[:2]
    assert "first & second & difference" not in scores
    assert "\\begin{tabular}{llrrrrr}" in pairs
    assert [line.split(" & ")[:2] for line in pairs.splitlines() if line.endswith("\\\\")] == [
        ["first", "second"],
        *map(list, combinations(NAMES, 2)),
    ]


def test_several_references_and_aligned_files(tmp_path):
    for name, lines in {"a": SYSTEMS["one"], "b": SYSTEMS["two"], "r": REFERENCES}.items():
        (tmp_path / name).write_text("".join(line + "\n" for line in lines))
    (tmp_path / "r2").write_text("".join(line.upper() + "\n" for line in REFERENCES))
    found = records(
        "-par",
        *("--reference-file", tmp_path / "r", "--reference-file", tmp_path / "r2"),
        *(tmp_path / "a", tmp_path / "b"),
    )
    both = [[r, r.upper()] for r in REFERENCES]
    expected = stats.paired_permutation([SYSTEMS["one"], SYSTEMS["two"]], both)
    assert found[1]["against_baseline"]["p_value"] == expected.pairs[0].p_value


NUMBERS = "it must be an integer from 1 to 1000000000000000"
ONE_TABLE = (
    "--format tsv is one table, without room for --orders beside --ci or --paired, or for --ci "
    "beside --all-pairs"
)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--ci", "0"], f"--ci is 0; {NUMBERS}"),
        (["--ci", f"1{'0' * 15}1"], f"--ci is 1{'0' * 15}1; {NUMBERS}"),
        (["-pbs", "-pbsn", "0"], f"--paired-bs-n is 0; {NUMBERS}"),
        (["--ci", "-cin", "-5"], f"--confidence-n is -5; {NUMBERS}"),
        (["--ci", "10", "-cin", "20"], "--ci and --confidence-n give two numbers"),
        (["-cin", "50"], "--confidence-n goes with --ci"),
        (["-par", "-pbsn", "50"], "--paired-bs-n goes with --paired-bs"),
        (["-pbs", "-parn", "50"], "--paired-ar-n goes with --paired-ar"),
        (["--alpha", "0.1"], "--alpha goes with --ci or --paired"),
        (["--seed", "1"], "--seed goes with --ci or --paired"),
        (
            ["-pbs", "-par"],
            "argument --paired-ar/-par: not allowed with argument --paired-bs/-pbs",
        ),
        (["--ci", "--orders", "-f", "tsv"], ONE_TABLE),
        (["-par", "--orders", "-f", "tsv"], ONE_TABLE),
        (["--all-pairs", "--ci", "-f", "tsv"], ONE_TABLE),
        (["--ci", "--alpha", "1"], "--alpha is 1.0; it must lie between 0 and 1"),
        (["--ci", "--alpha", "nan"], "--alpha is nan; it must lie between 0 and 1"),
        (
            ["--ci", "--seed", "-1"],
            "--seed is '-1'; it must be an integer of at least 0, or none for a fresh one",
        ),
        (["--baseline", "one"], "--baseline goes with --paired"),
        (["--ci", "-b"], "--score-only prints one number per system, without room for --ci"),
        (["--ci", "-sl"], "--sentence-level prints one number per segment, without room for --ci"),
    ],
)
def test_wrong_usage(table, flags, message):
    found = run(*flags, *table_flags(table), status=2)
    assert found == f"python -m chrf.batch: {message} (see --help)\n"


def test_what_cannot_be_tested(tmp_path, table):
    path = tmp_path / "one.tsv"
    path.write_text("a\ta\n")
    message = run("-par", path, status=1)
    assert message == f"{path}:1: a paired test needs at least two systems\n"
    message = run("-par", "--baseline", "four", *table_flags(table), status=1)
    assert message == f"{table}:1: no system 'four'; the systems are 'one', 'two', 'three'\n"
    (tmp_path / "r").write_text("a\n")
    message = run("-par", "--reference-file", tmp_path / "r", *[tmp_path / "r"] * 2, status=1)
    assert message == f"{tmp_path / 'r'}: the same system twice cannot be compared\n"


@pytest.mark.skipif("CHRF_SANITIZE" in os.environ, reason="a sanitizer ends the process itself")
def test_more_draws_than_memory(table):
    message = run("--ci", "100000000000000", *table_flags(table), status=1)
    assert re.fullmatch(r"not enough memory: [^\n]*\n", message)


def test_the_number_of_draws(table):
    """A number follows --ci only where a flag can stand."""
    for flags, draws in (
        (["--ci"], 1000),
        (["--ci", "7"], 7),
        (["-ci", "-cin", "8"], 8),
        (["--ci", "8", "-cin", "8"], 8),
    ):
        found = records(*flags, *table_flags(table))
        assert {record["interval"]["iterations"] for record in found} == {draws}
    message = run("-b", "--", "--ci", status=1)
    assert message == "--ci: No such file or directory\n"


def test_merging_ignores_the_statistics(table, tmp_path):
    part = tmp_path / "part.json"
    part.write_text(run("--ci", "-par", "-f", "json", *table_flags(table)))
    done = subprocess.run(
        [sys.executable, "-m", "chrf.merge", "-b", str(part)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout == run("-b", *table_flags(table))
