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
from chrf.core import exact

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


def test_p_values_ranks_and_clusters_are_of_one_family(table, exact):
    """A pair has one adjusted p-value, beside the baseline and among all pairs."""
    expected = stats.paired_permutation(SYSTEMS, REFERENCES)
    for baseline in NAMES:
        found = records("-par", "--all-pairs", "--baseline", baseline, *table_flags(table))
        for name, record in zip(NAMES, found, strict=True):
            against = record["against_baseline"]
            if name == baseline:
                assert against is None
                continue
            assert exact(against) == expected[name, baseline].to_dict()
            assert (against["family"], against["adjust"]) == (3, "holm")
    lines = run("-par", *table_flags(table)).splitlines()
    assert "two-tailed p; adjusted p, rank and cluster: Holm over all 3 pairs, alpha 0.05" in lines
    lines = run("-par", "-f", "latex", "--correction", "bh", *table_flags(table)).splitlines()
    legend = "two-tailed p; adjusted p, rank and cluster: Benjamini and Hochberg over all 3 pairs"
    assert f"% {legend}, alpha 0.05" in lines


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


def tsv(*arguments):
    """The rows of a table as dictionaries."""
    header, *rows = (line.split("\t") for line in run("-f", "tsv", *arguments).splitlines())
    assert len(set(header)) == len(header)
    assert not any(" " in name for name in header)
    return [dict(zip(header, row, strict=True)) for row in rows]


def cells_of(pair):
    """What TSV shows of a comparison."""
    theirs = pair.sacrebleu_p_value
    return {
        "difference": exact.decimal_text(pair.difference),
        "difference_lower": exact.decimal_text(pair.bounds.lower),
        "difference_upper": exact.decimal_text(pair.bounds.upper),
        "p": repr(pair.p_value),
        "adjusted_p": repr(pair.adjusted_p_value),
        "sacrebleu_p": "" if theirs is None else repr(theirs),
        "test": pair.method,
        "iterations": str(pair.iterations),
    }


SHARED_CELLS = {
    "tails": "2",
    "correction": "holm",
    "pairs": "3",
    "level": "90",
    "interval": "percentile",
    "resamples": "300",
    "seed": "7",
}


@pytest.mark.parametrize("paired", ["bootstrap", "permutation"])
def test_tsv_has_numbers_only_and_all_that_makes_them_again(table, paired):
    settings = ("--ci", "300", "--alpha", "0.1", "--seed", "7", "--paired", paired)
    rows = tsv(*settings, "--baseline", "two", *table_flags(table))
    test = stats.paired_bootstrap if paired == "bootstrap" else stats.paired_permutation
    library = {"alpha": 0.1, "seed": 7}
    expected = test(SYSTEMS, REFERENCES, interval_iterations=300, **library)
    placed = {system.name: system for system in expected.systems}
    for name, row in zip(NAMES, rows, strict=True):
        interval = stats.bootstrap_ci(SYSTEMS[name], REFERENCES, iterations=300, **library)
        system = placed[name]
        shown = {
            "lower": exact.decimal_text(interval.bounds.lower),
            "upper": exact.decimal_text(interval.bounds.upper),
            "is_baseline": str(name == "two").lower(),
            "rank_low": str(system.rank[0]),
            "rank_high": str(system.rank[1]),
            "cluster": str(system.cluster),
            **SHARED_CELLS,
        }
        if name == "two":
            shown |= dict.fromkeys(cells_of(expected["one", "two"]), "")
        else:
            shown |= cells_of(expected[name, "two"])
        assert shown.items() <= row.items()
    for row in rows:
        for column, cell in row.items():
            if column not in {
                *("file", "system", "metric", "is_baseline", "test", "correction", "interval"),
                *("rule", "signature"),
            }:
                assert cell == "" or float(cell) >= -100


@pytest.mark.parametrize("paired", ["bootstrap", "permutation"])
def test_tsv_of_all_pairs_has_the_intervals_too(table, paired):
    settings = ("--ci", "300", "--alpha", "0.1", "--seed", "7", "--paired", paired)
    rows = tsv(*settings, "--all-pairs", *table_flags(table))
    test = stats.paired_bootstrap if paired == "bootstrap" else stats.paired_permutation
    library = {"alpha": 0.1, "seed": 7}
    expected = test(SYSTEMS, REFERENCES, interval_iterations=300, **library)
    assert len(rows) == 3
    for row, pair in zip(rows, expected.pairs, strict=True):
        shown = {"first": pair.first, "second": pair.second, "signature": pair.signature}
        for side, name in (("first", pair.first), ("second", pair.second)):
            interval = stats.bootstrap_ci(SYSTEMS[name], REFERENCES, iterations=300, **library)
            shown[f"{side}_score"] = str(interval.score)
            shown[f"{side}_lower"] = exact.decimal_text(interval.bounds.lower)
            shown[f"{side}_upper"] = exact.decimal_text(interval.bounds.upper)
        assert (shown | cells_of(pair) | SHARED_CELLS).items() <= row.items()
    assert "first_lower" not in tsv("--all-pairs", *table_flags(table))[0]


def test_pairs_of_several_files_and_of_aligned_files(table, tmp_path):
    """Systems of one name in two files are two systems."""
    other = tmp_path / "other.tsv"
    lines = table.read_text().splitlines()
    other.write_text("\n".join([lines[0], *lines[:0:-1][:20]]) + "\n")
    rows = tsv("--all-pairs", *table_flags(table), other)
    assert [row["file"] for row in rows] == [str(table)] * 3 + [str(other)] * 3
    alone = tsv("--all-pairs", *table_flags(other))
    assert rows[3:] == alone
    for name, texts in {**SYSTEMS, "ref": REFERENCES}.items():
        (tmp_path / name).write_text("".join(line + "\n" for line in texts))
    files = [tmp_path / name for name in NAMES]
    aligned = tsv("--all-pairs", "--reference-file", tmp_path / "ref", *files)
    same = {"first_score", "second_score", "p", "adjusted_p", "difference_lower"}
    assert [{k: row[k] for k in same} for row in aligned] == [
        {k: row[k] for k in same} for row in rows[:3]
    ]


def test_ci_reaches_the_intervals_of_differences(table):
    """And without it the table of the baseline has them as well."""
    for paired, iterations in (("bootstrap", 1000), ("permutation", 1000)):
        for flags, number in (((), iterations), (("--ci", "300"), 300), (("--ci", "2000"), 2000)):
            found = records("--paired", paired, *flags, "--all-pairs", *table_flags(table))
            pairs = [pair for record in found for pair in record.get("pairs", [])]
            assert {pair["interval_iterations"] for pair in pairs} == {number}
            assert {pair["iterations"] for pair in pairs} == {
                1000 if paired == "bootstrap" else 10000
            }
    header, _, row, _ = run("-par", "--alpha", "0.1", *table_flags(table)).splitlines()[:4]
    assert re.split("  +", header)[3:6] == ["difference", "diff 90% low", "diff 90% high"]
    pair = stats.paired_permutation(SYSTEMS, REFERENCES, alpha=0.1)["two", "one"]
    assert row.split()[4:6] == [
        exact.decimal_text(pair.bounds.lower),
        exact.decimal_text(pair.bounds.upper),
    ]


def test_method_tails_and_budget(table, tmp_path, exact):
    found = records("--ci", "200", "--ci-method", "bca", *table_flags(table))
    for name, record in zip(NAMES, found, strict=True):
        expected = stats.bootstrap_ci(SYSTEMS[name], REFERENCES, iterations=200, method="bca")
        assert exact(record["interval"]) == expected.to_dict()
    found = records("-par", "--ci-method", "bca", "--exact-budget", "0", *table_flags(table))
    expected = stats.paired_permutation(SYSTEMS, REFERENCES, interval_method="bca", exact_budget=0)
    assert exact(found[1]["against_baseline"]) == expected["two", "one"].to_dict()
    two = ("--hypothesis", "one,two", *table_flags(table))
    systems = {name: SYSTEMS[name] for name in ("two", "one")}
    for paired, test in (("-pbs", stats.paired_bootstrap), ("-par", stats.paired_permutation)):
        expected = test(systems, REFERENCES, two_tailed=False)["two", "one"]
        baseline, other = records(paired, "--one-tailed", "--all-pairs", *two)
        assert baseline["against_baseline"] is None
        assert exact(other["against_baseline"]) == expected.to_dict()
        assert exact(other["pairs"]) == [expected.to_dict()]
        turned = records(paired, "--one-tailed", "--baseline", "two", *two)
        assert turned[0]["against_baseline"]["difference"].startswith("-") != (
            expected.difference < 0
        )
        assert "one-tailed p; " in run(paired, "--one-tailed", *two)
        [row] = tsv(paired, "--one-tailed", "--all-pairs", *two)
        assert (row["first"], row["second"], row["tails"]) == ("two", "one", "1")
    message = run("-par", "--one-tailed", *table_flags(table), status=1)
    assert message == f"{table}:1: --one-tailed is for two systems, not for 3\n"


def test_a_fresh_seed_is_one_for_the_whole_run(table):
    flags = ("--ci", "50", "-par", "--seed", "none")
    found = records(*flags, *table_flags(table), table)
    seeds = {record["interval"]["seed"] for record in found}
    seeds |= {r["against_baseline"]["seed"] for r in found if r["against_baseline"]}
    assert len(seeds) == 1
    assert records(*flags, *table_flags(table))[0]["interval"]["seed"] not in seeds
    [seed] = seeds
    again = records("--ci", "50", "-par", "--seed", seed, *table_flags(table), table)
    assert again == found


def test_a_p_value_is_never_printed_as_0(tmp_path):
    path = tmp_path / "two.tsv"
    path.write_text("the cat\tx\tthe cat\n" * 20)
    flags = ("-par", "-parn", "20000", "--hypothesis", "1,2", "--reference", "3", path)
    *_, row = run(*flags).split("\n\n")[0].splitlines()
    assert row.split()[-4:-2] == ["0.00005", "0.00005"]
    assert " & 0.00005 & 0.00005 & " in run("-f", "latex", *flags)
    assert tsv(*flags)[1]["p"] == repr(1 / 20001)


def many_systems(tmp_path, count, segments=30):
    """A table of systems of which each is better than the next in every segment."""
    path = tmp_path / "many.tsv"
    names = [f"s{i:02}" for i in range(count)]
    with path.open("w") as stream:
        stream.write("\t".join(["ref", *names]) + "\n")
        for line in range(segments):
            text = "abcdefghijklmnopqrstuvwxyz"[: 20 + line % 5]
            row = [text, *(text[: len(text) - i] + "#" * i for i in range(1, count + 1))]
            stream.write("\t".join(row) + "\n")
    return path


def test_the_default_can_tell_eleven_systems_apart(tmp_path):
    """With 1,000 resamples all of them would share rank 1-11: 55 pairs times 1/1001."""
    flags = table_flags(many_systems(tmp_path, 11))
    rows = tsv("-pbs", *flags)
    assert [(row["rank_low"], row["rank_high"], row["cluster"]) for row in rows] == [
        (str(i), str(i), str(i)) for i in range(1, 12)
    ]
    assert {row["iterations"] for row in rows[1:]} == {"11000"}
    given = ("-pbs", "-pbsn", "1000")
    done = subprocess.run(
        [sys.executable, "-m", "chrf.batch", *given, *map(str, flags)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert "  1-11        1\n" in done.stdout
    assert done.stderr == (
        "note: no pair can be significant at alpha 0.05: 1000 resamples give no p-value below "
        "0.0010, 0.05495 after Holm's correction for 55 pairs; at least 1100 are needed, better "
        "11000\n"
    )
    assert [record["unresolved"] for record in records(*given, *flags)] == [
        done.stderr.removeprefix("note: ").rstrip("\n")
    ] * 11
    rows = tsv(*given, "--correction", "none", *flags)
    assert [row["cluster"] for row in rows] == [str(i) for i in range(1, 12)]


def test_few_segments_are_noted_once_for_each_file(tmp_path):
    few = many_systems(tmp_path, 2, segments=5)
    flags = ("-par", *table_flags(few))
    text = (
        "no pair can be significant at alpha 0.05: the systems differ in at most 5 segments, and "
        "no permutation test of them has a p-value below 0.0625"
    )
    for more, expected in (
        ([], f"note: {text}\n"),
        ([few], f"note: {few}: {text}\n" * 2),
        (["--quiet"], ""),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "chrf.batch", *map(str, [*flags, *more])],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
        )
        assert done.stderr == expected


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
ONE_TABLE = "--format tsv is one table, without room for --orders beside --ci or --paired"


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
        (["--ci", "--exact-budget", "5"], "--exact-budget goes with --paired-ar"),
        (["-pbs", "--exact-budget", "5"], "--exact-budget goes with --paired-ar"),
        (
            ["-par", "--exact-budget", "-1"],
            "--exact-budget is -1; it must be an integer from 0 to 1000000000000000",
        ),
        (["--ci", "--one-tailed"], "--one-tailed goes with --paired"),
        (["--ci", "--correction", "bh"], "--correction goes with --paired"),
        (["--ci-method", "bca"], "--ci-method goes with --ci or --paired"),
        (
            ["-par", "--correction", "x"],
            "argument --correction: invalid choice: 'x' (choose from 'holm', 'bh', 'none')",
        ),
        (["--ci", "--alpha", "1"], "--alpha is 1.0; it must lie between 0 and 1"),
        (["--ci", "--alpha", "5e-324"], "--alpha is 5e-324; it must lie between 0 and 1"),
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
