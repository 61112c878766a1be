"""Documents, strata and sets on the command line: the library's numbers, in every format."""

import functools
import json
import random

import pytest

import chrf
from chrf import stats

pytestmark = pytest.mark.filterwarnings("ignore:intervals are too narrow")

WORDS = [*"abcdefghijk", "the", "cat", "dog", "fox", "mat", "house", "rain"]
SEGMENTS = 60
FEW = "intervals are too narrow where documents are few, and there are only"


def made(seed):
    """A table of references, two systems and labels."""
    source = random.Random(seed)
    rows = []
    for i in range(SEGMENTS):
        words = source.choices(WORDS, k=8)
        one, two = (
            " ".join(source.choice(WORDS) if source.random() < rate else w for w in words)
            for rate in (0.1, 0.4)
        )
        domain = "news" if i % 20 < 12 else "chat"
        rows.append([" ".join(words), one, two, domain, f"{i // 5 % 6}", f"unique {i // 2}"])
    return ["ref", "one", "two", "domain", "doc", "page"], rows


HEADER, ROWS = made(1)
REFERENCES, ONE, TWO, DOMAINS, DOCS, PAGES = map(list, zip(*ROWS, strict=True))
SYSTEMS = {"one": ONE, "two": TWO}
PAIRS = [" ".join(pair) for pair in zip(DOMAINS, DOCS, strict=True)]
TABLE = ("--header", "--reference", "ref", "--hypothesis", "one,two")


def write(path, header, rows):
    path.write_text("".join("\t".join(row) + "\n" for row in [header, *rows]), encoding="utf-8")


@pytest.fixture(autouse=True)
def files(folder):
    write(folder / "a.tsv", HEADER, ROWS)
    write(folder / "b.tsv", *made(2))
    (folder / "pages.txt").write_text("".join(f"{page}\n" for page in PAGES))
    (folder / "wmt.docs").write_text("".join(f"{row[3]}\t{row[4]}\n" for row in ROWS))
    for name, texts in (("ref", REFERENCES), ("one", ONE), ("two", TWO)):
        (folder / f"{name}.plain").write_text("".join(f"{text}\n" for text in texts))
    return folder


def read(printed, exact_json, *arguments):
    lines = printed("-f", "json", "-q", *arguments).splitlines()
    return [exact_json(line) for line in lines]


@pytest.fixture
def records(printed, exact_json):
    """The results that a run prints, without doubles."""
    return functools.partial(read, printed, exact_json)


@pytest.mark.parametrize(
    ("flags", "labels"),
    [
        (("--documents", "page"), {"documents": PAGES}),
        (("--documents", "6"), {"documents": PAGES}),
        (("--documents", "domain,doc"), {"documents": PAIRS}),
        (("--document-file", "pages.txt"), {"documents": PAGES}),
        (("--document-file", "wmt.docs"), {"documents": PAIRS}),
        (("--strata", "domain"), {"strata": DOMAINS}),
        (
            ("--strata", "domain", "--documents", "domain,doc"),
            {"strata": DOMAINS, "documents": PAIRS},
        ),
    ],
)
def test_numbers_are_the_librarys(flags, labels, records):
    settings = {"seed": 7, **labels}
    found = records(*TABLE, *flags, "--ci", "200", "-par", "--seed", "7", "a.tsv")
    expected = stats.paired_permutation(SYSTEMS, REFERENCES, interval_iterations=200, **settings)
    for record in found:
        interval = stats.bootstrap_ci(
            SYSTEMS[record["system"]], REFERENCES, iterations=200, **settings
        )
        assert record["interval"] == interval.to_dict()
    assert found[1]["against_baseline"] == expected["two", "one"].to_dict()
    bootstrap = records(*TABLE, *flags, "-pbs", "--seed", "7", "a.tsv")
    expected = stats.paired_bootstrap(SYSTEMS, REFERENCES, **settings)
    assert bootstrap[1]["against_baseline"] == expected["two", "one"].to_dict()


def test_plain_text_and_documents(records):
    found = records(
        "--reference-file",
        "ref.plain",
        "--document-file",
        "pages.txt",
        "--ci",
        "one.plain",
    )
    interval = stats.bootstrap_ci(ONE, REFERENCES, documents=PAGES)
    assert found[0]["interval"] == interval.to_dict()


def test_columns_of_labels_are_no_systems(records):
    write_to = "--header", "--reference", "ref", "--documents", "page", "--strata", "domain", "--ci"
    assert [record["system"] for record in records(*write_to, "a.tsv")] == [
        "one",
        "two",
        "doc",
    ]


def test_a_table_without_names(call, folder, exact_json):
    rows = "".join(f"{a}\t{b}\t{c}\n" for a, b, c in zip(ONE, REFERENCES, PAGES, strict=True))
    (folder / "plain.tsv").write_text(rows)
    status, out, _ = call("--documents", "3", "--ci", "100", "-f", "json", "plain.tsv")
    interval = stats.bootstrap_ci(ONE, REFERENCES, documents=PAGES, iterations=100)
    record = exact_json(out)
    assert (status, record["interval"]) == (0, interval.to_dict())


def test_signatures_and_tsv(printed):
    out = printed(*TABLE, "--documents", "page", "--strata", "domain", "--ci", "100", "a.tsv")
    assert "|strata:2|docs:30|segments:60|" in out
    header, *rows = printed(
        *TABLE, "--documents", "page", "--strata", "domain", "-par", "-f", "tsv", "a.tsv"
    ).splitlines()
    cells = [dict(zip(header.split("\t"), row.split("\t"), strict=True)) for row in rows]
    assert [(row["strata"], row["documents"]) for row in cells] == [("2", "30")] * 2
    plain = printed(*TABLE, "-par", "-f", "tsv", "a.tsv").splitlines()[0].split("\t")
    assert "documents" not in plain


def test_few_documents_are_noted(call):
    status, _, err = call(*TABLE, "--documents", "doc", "--ci", "a.tsv")
    assert (status, err) == (0, f"note: {FEW} 6\n")
    status, _, err = call(*TABLE, "--documents", "doc", "--ci", "-q", "a.tsv")
    assert (status, err) == (0, "")
    status, _, err = call(*TABLE, "--documents", "doc", "--ci", "a.tsv", "b.tsv")
    assert (status, err) == (0, f"note: a.tsv: {FEW} 6\nnote: b.tsv: {FEW} 6\n")


def sets_of(*names):
    sets = {}
    for name, seed in zip(names, (1, 2), strict=True):
        columns = list(map(list, zip(*made(seed)[1], strict=True)))
        sets[name] = {"one": columns[1], "two": columns[2]}, columns[0]
    return sets


@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize(("flag", "test"), [("-par", "permutation"), ("-pbs", "bootstrap")])
def test_average_over_files(average, flag, test, records):
    found = records(
        *TABLE, "--average", average, flag, "--documents", "page", "--ci", "200",
        "a.tsv", "b.tsv",
    )  # fmt: skip
    sets = sets_of("a.tsv", "b.tsv")
    expected = stats.compare_sets(
        sets, average=average, test=test, interval_iterations=200,
        documents=dict.fromkeys(sets, PAGES),
    )  # fmt: skip
    assert [record["file"] for record in found] == [
        *["a.tsv"] * 2, *["b.tsv"] * 2, *[f"{average} average"] * 2
    ]  # fmt: skip
    for record in found[:4]:
        systems, references = sets[record["file"]]
        score = chrf.corpus_score(systems[record["system"]], references)
        assert record["score_fraction"] == score.to_dict()["score_fraction"]
        assert "against_baseline" not in record
    by_name = {system.name: system for system in expected.systems}
    assert {(record["sets"], record["documents"]) for record in found[4:]} == {(2, 60)}
    assert {record["documents"] for record in found[:4]} == {30}
    for record in found[4:]:
        system = by_name[record["system"]]
        assert record["score"] == str(system.score)
        assert record["average"] == average
        assert record["interval"]["lower_fraction"] == system.to_dict()["lower_fraction"]
        assert (record["rank"], record["cluster"]) == (list(system.rank), system.cluster)
    assert found[5]["against_baseline"] == expected["two", "one"].to_dict()


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_average_by_a_column(average, records):
    found = records(*TABLE, "--by", "domain", "--average", average, "-par", "a.tsv")
    sets = {}
    for domain in ("news", "chat"):
        rows = [row for row in ROWS if row[3] == domain]
        sets[domain] = (
            {"one": [row[1] for row in rows], "two": [row[2] for row in rows]},
            [row[0] for row in rows],
        )
    expected = stats.compare_sets(sets, average=average)
    assert found[5]["against_baseline"] == expected["two", "one"].to_dict()
    for record in found[:4]:
        systems, references = sets[record["file"]]
        score = chrf.corpus_score(systems[record["system"]], references)
        assert {key: record[key] for key in score.to_dict()} == score.to_dict()


@pytest.mark.parametrize("rule", ["all", "sacrebleu"])
def test_sets_with_several_references(folder, rule, records):
    """The scores of sets count ties and short references as those of files do."""
    rows = [
        ["a dog", "a dog", "a dog", "x"],
        ["abc", "abd", "abe", "x"],
        ["b", "", "c", "y"],
        ["it rains", "it", "rains", "y"],
    ]
    write(folder / "two.tsv", ["h", "r1", "r2", "set"], rows)
    flags = "--header", "--reference", "r1,r2", "--rule", rule
    found = records(*flags, "--by", "set", "--average", "macro", "--ci", "10", "two.tsv")
    for record, part in zip(found, (rows[:2], rows[2:]), strict=False):
        score = chrf.corpus_score([row[0] for row in part], [row[1:3] for row in part], rule=rule)
        assert {key: record[key] for key in score.to_dict()} == score.to_dict()
    assert [record["tied_segments"] for record in found[:2]] == [2, 1]


def test_tables_of_an_average(printed):
    flags = *TABLE, "--average", "macro", "-par", "--all-pairs", "--width", "2"
    lines = printed(*flags, "a.tsv", "b.tsv").splitlines()
    assert lines[0].split()[:4] == ["set", "system", "chrF2", "segments"]
    assert lines[1].split()[0] == "a.tsv"
    assert lines[1].split()[4:] == ["-"] * 7
    assert lines[5].split()[:3] == ["macro", "average", "one"]
    assert "|sets:2|average:macro|segments:120|" in "\n".join(lines)
    assert lines[-1].startswith("macro average  one")
    header, *rows = printed(*flags[:-3], "-f", "tsv", "a.tsv", "b.tsv").splitlines()
    cells = [dict(zip(header.split("\t"), row.split("\t"), strict=True)) for row in rows]
    assert [row["average"] for row in cells] == [""] * 4 + ["macro"] * 2
    assert [row["p"] == "" for row in cells] == [True] * 5 + [False]
    assert "macro average" in printed(*flags, "-f", "latex", "a.tsv", "b.tsv")


def test_an_average_is_no_part_to_merge(printed, run, folder):
    """Its counts are in the sets already."""
    for average in ("macro", "micro"):
        out = printed(*TABLE, "--average", average, "--ci", "10", "-f", "json", "a.tsv", "b.tsv")
        assert ["orders" in json.loads(line) for line in out.splitlines()] == [True] * 4 + [
            False
        ] * 2


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--documents", "page", "a.tsv"), 2, "--documents goes with --ci or --paired"),
        (("--average", "macro", "a.tsv", "b.tsv"), 2, "--average goes with --ci or --paired"),
        (("--by", "page", "--ci", "a.tsv"), 2, "--by goes with --average"),
        (("--average", "macro", "--ci", "a.tsv"), 2, "--average goes with several FILEs, or with"),
        (("--average", "macro", "--by", "page", "--ci", "a.tsv", "b.tsv"), 2, "--by goes with one"),
        (
            ("--average", "macro", "--orders", "--ci", "a.tsv", "b.tsv"),
            2,
            "--average has no --orde",
        ),
        (
            ("--average", "macro", "--by", "page", "--missing-reference", "skip", "--ci", "a.tsv"),
            2,
            "--by needs the references of every segment: skip leaves some out",
        ),
        (("--documents", "", "--ci", "a.tsv"), 2, "--documents is empty"),
        (("--documents", "1", "--document-file", "x", "--ci"), 2, "not allowed with argument"),
        (("--document-file", "pages.txt", "--ci", "a.tsv", "b.tsv"), 2, "goes with one table"),
        (("--document-file", "-", "--ci", "-"), 2, "standard input can be read only once"),
        (("--documents", "pages", "--ci", "a.tsv"), 1, "a.tsv:1: no column 'pages' among 6"),
        (("--documents", "one", "--ci", "a.tsv"), 1, "a.tsv:1: column 2 is used twice"),
        (("--documents", "bad", "--ci", "bad.tsv"), 1, "bad.tsv:4: bad: a blank label"),
        (
            ("--by", "bad", "--average", "macro", "--ci", "bad.tsv"),
            1,
            "bad.tsv:4: bad: a blank lab",
        ),
        (
            ("--documents", "same", "--ci", "bad.tsv"),
            1,
            "bad.tsv:1: documents has one label for all",
        ),
        (("--strata", "page", "--ci", "bad.tsv"), 1, "bad.tsv:1: strata has 'unique 2' for one se"),
        (
            ("--strata", "page", "--documents", "doc", "--ci", "a.tsv"),
            1,
            "a.tsv:1: documents has '0' in two of strata: 'unique 0' and",
        ),
        (
            ("--document-file", "short", "--ci", "a.tsv"),
            1,
            "short:3: the file has 2 lines, but a.tsv",
        ),
        (("--document-file", "blank", "--ci", "a.tsv"), 1, "blank:2: a blank label"),
        (("--document-file", "empty", "--ci", "a.tsv"), 1, "empty:1: the file is empty"),
        (("--document-file", "none", "--ci", "a.tsv"), 1, "none: No such file"),
        (("--document-file", "latin", "--ci", "a.tsv"), 1, "latin:2: byte 0xe9 at offset 2"),
        (("--average", "macro", "--ci", "a.tsv", "a.tsv"), 1, "a.tsv:1: the same set twice cannot"),
        (
            ("--average", "macro", "--by", "page", "--ci", "bad.tsv"),
            1,
            "bad.tsv:1: the set 'unique 2' has one segment only, within which",
        ),
        (
            ("--average", "macro", "--by", "page", "--documents", "same", "--ci", "bad.tsv"),
            1,
            "bad.tsv:1: unique 0: documents has one label for all segments, 'x'",
        ),
    ],
)
def test_what_cannot_be_done(call, folder, arguments, status, message):
    rows = [[*row, "x" if i != 2 else " ", "x"] for i, row in enumerate(ROWS[:5])]
    write(folder / "bad.tsv", [*HEADER, "bad", "same"], rows)
    (folder / "short").write_text("a\nb\n")
    (folder / "blank").write_text("a\n \t\nc\n")
    (folder / "empty").write_text("")
    (folder / "latin").write_bytes(b"a\n\xe9\n")
    found, out, err = call(*TABLE, *arguments)
    assert (found, out) == (status, "")
    assert message in err
    assert err.count("\n") == 1


def test_plain_text_has_no_columns(call):
    for flag in ("--documents", "--strata", "--by", "--average"):
        value = "macro" if flag == "--average" else "1"
        status, _, err = call("--reference-file", "ref.plain", flag, value, "--ci", "one.plain")
        assert (status, f"{flag} goes with tables, not with --reference-file" in err) == (2, True)


def test_systems_that_a_set_lacks(call, folder):
    header, rows = made(2)
    write(folder / "c.tsv", [*header[:2], "three", *header[3:]], rows)
    flags = "--header", "--reference", "ref", "--average", "macro", "--ci"
    status, out, err = call(*flags, "a.tsv", "c.tsv")
    assert (status, out) == (1, "")
    assert err.startswith("a.tsv:1: c.tsv has no system 'two', which a.tsv has")
