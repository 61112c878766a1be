"""``python -m chrf.merge``: the fraction of the whole from the JSON of its parts, or an error."""

import contextlib
import copy
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chrf
from chrf.cli import merge
from chrf.cli import score as batch
from chrf.core import record
from chrf.core.accumulator import Accumulator
from chrf.core.record import read_score

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def score(folder, capsys):
    """What `chrf.batch` prints as JSON, written to a file if one is named."""

    def score(*arguments, into=None):
        assert batch.main(["-q", "--format", "json", *map(str, arguments)]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        if into:
            (folder / into).write_text(out)
        return [json.loads(line) for line in out.splitlines()]

    return score


@pytest.fixture
def merged(capsys):
    """What `chrf.merge` prints: the records, the notes."""

    def merged(*arguments):
        status = merge.main(["--format", "json", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert status == 0, err
        return [json.loads(line) for line in out.splitlines()], err

    return merged


@pytest.fixture
def failure(capsys):
    """The one line in which `chrf.merge` says what is wrong."""

    def failure(*arguments, status=1):
        if status == 2:
            with pytest.raises(SystemExit, match=r"^2$"):
                merge.main([*arguments])
        else:
            assert merge.main([*arguments]) == status
        out, err = capsys.readouterr()
        assert out == ""
        assert err.endswith("\n")
        assert err.count("\n") == 1
        return err[:-1]

    return failure


@pytest.fixture
def piped(folder, monkeypatch):
    """Gives a text to standard input."""
    with contextlib.ExitStack() as stack:

        def piped(text):
            (folder / "stdin").write_text(text)
            monkeypatch.setattr(sys, "stdin", stack.enter_context((folder / "stdin").open()))

        yield piped


def table(rows, seed=1):
    """Rows of two systems and two references: some equal, some blank, some where references tie."""
    choose = random.Random(seed)
    words = ["the", "cat", "sat", "on", "a", "Mat", ".", "ÉTÉ", "\U0001f44d", "été", "rained"]

    def text():
        return " ".join(choose.choices(words, k=choose.randint(0, 7)))

    lines = []
    for _ in range(rows):
        reference = text()
        other = choose.choice([reference, text()])
        lines.append([choose.choice([reference, text()]), text(), reference, other])
    return lines


def write(name, rows, header=None):
    lines = ([header] if header else []) + rows
    Path(name).write_text("".join("\t".join(row) + "\n" for row in lines), encoding="utf-8")
    return name


def numbers(records):
    """Everything but where it came from."""
    return [{key: value for key, value in record.items() if key != "file"} for record in records]


HEADER = ["tuned", "baseline", "reference", "other"]
ONE_REFERENCE = ("--header", "--hypothesis", "tuned,baseline", "--reference", "reference")
METRICS = {
    "chrF2": (),
    "sacrebleu": ("--rule", "sacrebleu"),
    "chrF++": ("-cw", "2", "--rule", "sacrebleu"),
    "beta": ("--beta", "3/2", "-cc", "3"),
    "per order": ("--averaging", "per_order_f", "--lowercase", "--whitespace"),
}


# --- the very fraction of a single run -------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("references", ["reference", "reference,other"])
def test_several_systems(score, merged, metric, references):
    rows = table(60)
    arguments = ["--header", "--hypothesis", "tuned,baseline", "--reference", references]
    arguments += METRICS[metric]
    whole = score(*arguments, write("whole.tsv", rows, HEADER))
    parts = [rows[:1], rows[1:40], rows[40:]]
    for i, part in enumerate(parts):
        score(*arguments, write(f"{i}.tsv", part, HEADER), into=f"{i}.json")
    for order in permutations(["0.json", "1.json", "2.json"]):
        records, notes = merged(*order)
        assert numbers(records) == numbers(whole)
        assert {record["file"] for record in records} == {"<merged>"}
        assert notes == ""
    if "," in references:
        assert whole[0]["tied_segments"] > 0
    assert whole[0]["score_fraction"] != whole[1]["score_fraction"]


@pytest.mark.parametrize("metric", METRICS)
def test_one_system_in_files_without_names(score, merged, metric):
    rows = [[hypothesis, reference] for hypothesis, _, reference, _ in table(50)]
    (whole,) = score(*METRICS[metric], write("whole.tsv", rows))
    for i in range(10):
        score(*METRICS[metric], write(f"{i}.tsv", rows[5 * i : 5 * i + 5]), into=f"{i}.json")
    (record,), notes = merged(*(f"{i}.json" for i in range(10)))
    assert {**record, "file": "whole.tsv", "system": "whole.tsv"} == whole
    assert (record["file"], record["system"]) == ("<merged>", "<merged>")
    assert notes == ("note: added as one system: 0.tsv, 1.tsv, 2.tsv, 3.tsv, 4.tsv, and 5 more\n")
    assert merged("-q", "0.json", "1.json")[1] == ""


@pytest.mark.parametrize("metric", ["chrF2", "chrF++"])
@pytest.mark.parametrize("pair", ["en-de", "en-zh"])
def test_wmt23(score, merged, wmt23, pair, metric):
    header, *rows = gzip.decompress((wmt23 / f"{pair}.tsv.gz").read_bytes()).splitlines()
    references = [name for name in header.decode().split("\t") if name.startswith("ref")]
    arguments = ["--header", "--reference", ",".join(references), *METRICS[metric]]
    whole = score(*arguments, wmt23 / f"{pair}.tsv.gz")
    for i in range(7):
        part = rows[i * len(rows) // 7 : (i + 1) * len(rows) // 7]
        Path(f"{i}.tsv").write_bytes(b"\n".join([header, *part, b""]))
        score(*arguments, f"{i}.tsv", into=f"{i}.json")
    records, _ = merged(*(f"{i}.json" for i in (3, 0, 6, 1, 5, 4, 2)))
    assert numbers(records) == numbers(whole)
    assert len(records) > 9


def test_merged_output_merges(score, merged, folder):
    rows = table(30)
    whole = score(*ONE_REFERENCE, write("whole.tsv", rows, HEADER))
    for i in range(3):
        part = write(f"{i}.tsv", rows[10 * i : 10 * i + 10], HEADER)
        score(*ONE_REFERENCE, part, into=f"{i}.json")
    records, _ = merged("0.json", "1.json")
    (folder / "01.json").write_text("\n".join(map(json.dumps, records)))
    assert numbers(merged("01.json", "2.json")[0]) == numbers(whole)
    assert merged("01.json")[0] == records


def test_merged_output_without_names_merges(score, merged, folder):
    rows = [row[1:3] for row in table(30)]
    for i in range(3):
        score(write(f"{i}.tsv", rows[10 * i : 10 * i + 10]), into=f"{i}.json")
    (record,), _ = merged("0.json", "1.json")
    (folder / "01.json").write_text(json.dumps(record))
    (again,), notes = merged("01.json", "2.json")
    assert again == merged("0.json", "1.json", "2.json")[0][0]
    assert notes == "note: added as one system: <merged>, 2.tsv\n"


def test_short_signatures_merge(score, merged):
    rows = [row[1:3] for row in table(20)]
    (whole,) = score(write("whole.tsv", rows))
    score("--short", write("0.tsv", rows[:5]), into="0.json")
    score(write("1.tsv", rows[5:]), into="1.json")
    assert merged("0.json", "1.json")[0][0]["signature"] == whole["signature"]
    assert merged("-sh", "0.json", "1.json")[0][0]["signature"].startswith("#:1|c:mixed|")


def test_scores_of_the_library_merge(merged, folder):
    texts = [row[1] for row in table(9)], [row[2] for row in table(9)]
    for i in range(3):
        accumulator = Accumulator(word_order=2)
        accumulator.update(*(side[3 * i : 3 * i + 3] for side in texts))
        (folder / f"{i}.json").write_text(json.dumps(accumulator.compute().to_dict()))
    (record,), _ = merged("0.json", "1.json", "2.json")
    assert read_score(record) == chrf.corpus_score(*texts, word_order=2)


def test_different_numbers_of_references_vary(merged, folder):
    one = chrf.corpus_score(["a b"], ["a c"])
    two = chrf.corpus_score(["a b", "c"], [["a c", "b"], ["c", "c"]])
    both = chrf.corpus_score(["a b", "a b", "c"], [["a c"], ["a c", "b"], ["c", "c"]])
    for name, part in (("1", one), ("2", two), ("3", both)):
        (folder / f"{name}.json").write_text(json.dumps(part.to_dict()))
    assert read_score(merged("1.json", "2.json")[0][0]) == both
    assert merged("1.json", "3.json")[0][0]["reference_count"] is None


def test_past_2_63(merged, folder):
    part = chrf.corpus_score(["the cat"], ["the cat sat"])
    counts = tuple(tuple(n * 2**62 for n in row) for row in part.counts)
    part = chrf.Score(counts, part.options, segment_count=2**62)
    for i in range(5):
        values = {"file": f"{i}", "system": "huge", **part.to_dict()}
        (folder / f"{i}.json").write_text(json.dumps(values))
    (record,), _ = merged(*(f"{i}.json" for i in range(5)))
    assert record["score_fraction"] == part.to_dict()["score_fraction"]
    assert record["segment_count"] == 5 * 2**62
    assert record["orders"][0]["reference_ngrams"] == 5 * counts[0][1]


# --- what belongs together -------------------------------------------------------------------


def test_standard_input_of_runs_on_named_systems(score, merged, folder, piped):
    rows = table(20)
    whole = score(*ONE_REFERENCE, write("whole.tsv", rows, HEADER))
    score(*ONE_REFERENCE, write("0.tsv", rows[:8], HEADER), into="0.json")
    score(*ONE_REFERENCE, write("1.tsv", rows[8:], HEADER), into="1.json")
    both = (folder / "0.json").read_text() + (folder / "1.json").read_text()
    for arguments in ((), ("-",)):
        piped(both)
        assert numbers(merged(*arguments)[0]) == numbers(whole)


def test_compressed_parts(score, merged, folder):
    rows = [row[1:3] for row in table(20)]
    (whole,) = score(write("whole.tsv", rows))
    for i, part in enumerate((rows[:8], rows[8:])):
        values = score(write(f"{i}.tsv", part))
        (folder / f"{i}.json.gz").write_bytes(gzip.compress(json.dumps(values[0]).encode()))
    (record,), _ = merged("0.json.gz", "1.json.gz")
    assert record["score_fraction"] == whole["score_fraction"]


def test_a_stream_of_unnamed_systems_says_how(score, merged, failure, folder):
    rows = [row[1:3] for row in table(20)]
    (whole,) = score(write("whole.tsv", rows))
    score(write("0.tsv", rows[:8]), write("1.tsv", rows[8:]), into="both.json")
    assert failure("both.json") == (
        "both.json:2: no two results are of the same system, so there is nothing to add; "
        "--by none adds all as parts of one system"
    )
    (record,), _ = merged("--by", "none", "both.json")
    assert record["score_fraction"] == whole["score_fraction"]


def aligned(score, rows, parts):
    """Runs on line-aligned text, in which systems are called after their files."""
    for i, part in enumerate(parts):
        names = [f"{name}.{i}.txt" for name in ("tuned", "baseline", "reference")]
        for name, column in zip(names, list(zip(*part, strict=True))[:3], strict=True):
            write(name, [[text] for text in column])
        score("--reference-file", names[2], *names[:2], into=f"{i}.json")
    return score(*ONE_REFERENCE, write("whole.tsv", rows, HEADER))


def test_by_position(score, merged, failure):
    rows = table(20)
    whole = aligned(score, rows, [rows[:8], rows[8:]])
    records, _ = merged("--by", "position", "0.json", "1.json")
    assert [record["score_fraction"] for record in records] == [
        record["score_fraction"] for record in whole
    ]
    assert [record["system"] for record in records] == ["tuned.0.txt", "baseline.0.txt"]
    assert failure("0.json", "1.json") == (
        "0.json:1: tuned.0.txt has no result of system 'tuned.1.txt' here, but 1.json:1 is one; "
        "--by says what else belongs together"
    )


def test_by_position_needs_as_many_everywhere(score, failure, folder):
    rows = table(20)
    aligned(score, rows, [rows[:8], rows[8:]])
    text = (folder / "1.json").read_text().splitlines(keepends=True)
    (folder / "1.json").write_text(text[0])
    assert failure("--by", "position", "0.json", "1.json") == (
        "1.json:1: 1 result here, but 2 up to 0.json:2"
    )


def test_a_system_missing_from_a_part_is_named(score, failure, folder):
    rows = table(20)
    score(*ONE_REFERENCE, write("0.tsv", rows[:8], HEADER), into="0.json")
    score(*ONE_REFERENCE, write("1.tsv", rows[8:], HEADER), into="1.json")
    lines = (folder / "1.json").read_text().splitlines(keepends=True)
    (folder / "1.json").write_text(lines[1])
    assert failure("0.json", "1.json") == (
        "1.json:1: 1.tsv has no result of system 'tuned' here, but 0.json:1 is one; "
        "--by says what else belongs together"
    )


def test_systems_of_different_lengths(score, failure, folder, piped):
    rows = table(20)
    piped("".join("\t".join(row) + "\n" for row in [HEADER, *rows[:8]]))
    score(*ONE_REFERENCE, "-", into="0.json")
    piped("".join("\t".join(row) + "\n" for row in [HEADER, *rows[8:]]))
    score(*ONE_REFERENCE, "-", into="1.json")
    text = (folder / "0.json").read_text() + (folder / "1.json").read_text()
    (folder / "all.json").write_text("\n".join(text.splitlines()[:3]))
    assert failure("all.json") == (
        "all.json:2: system 'baseline' has 8 segments in all, but 'tuned' has 20"
    )


def test_files_of_the_same_name_in_different_folders(score, merged):
    rows = [row[1:3] for row in table(20)]
    (whole,) = score(write("news.tsv", rows))
    for i, part in enumerate((rows[:8], rows[8:])):
        score(write("news.tsv", part), into=f"{i}.json")
    (record,), notes = merged("0.json", "1.json")
    assert record == whole
    assert notes == ""


# --- repeats ---------------------------------------------------------------------------------


def test_repeated_results(score, merged, failure, folder):
    rows = [row[1:3] for row in table(20)]
    (whole,) = score(write("whole.tsv", rows))
    for i, part in enumerate((rows[:8], rows[8:])):
        score(write(f"{i}.tsv", part), into=f"{i}.json")
    shutil.copy(folder / "0.json", folder / "again.json")
    parts = ("0.json", "1.json", "again.json")
    assert failure(*parts) == (
        "again.json:1: the same result as at 0.json:1; --on-repeat drop leaves it out, "
        "--on-repeat add counts it again"
    )
    (record,), notes = merged("--on-repeat", "drop", *parts)
    assert record["score_fraction"] == whole["score_fraction"]
    assert notes == (
        "note: 1 repeated result was left out\nnote: added as one system: 0.tsv, 1.tsv\n"
    )
    (record,), _ = merged("--on-repeat", "add", *parts)
    assert record["segment_count"] == 28


def test_what_was_piped_in_may_repeat(score, merged, piped):
    for i in range(2):
        piped("ab\tac\n")
        score("-", into=f"{i}.json")
    assert merged("0.json", "1.json")[0][0]["segment_count"] == 2


def test_a_copy_of_what_was_merged(score, merged, failure, folder):
    for i in range(2):
        score(write(f"{i}.tsv", [["a", f"b{i}"]]), into=f"{i}.json")
    records, _ = merged("-q", "0.json", "1.json")
    for name in ("m.json", "copy.json"):
        (folder / name).write_text(json.dumps(records[0]) + "\n")
    assert failure("m.json", "copy.json").startswith("copy.json:1: the same result as at m.json:1")
    records, _ = merged("--on-repeat", "drop", "m.json", "copy.json")
    assert records[0]["segment_count"] == 2


def test_names_that_no_file_has(score, folder, capsys, failure):
    """A lone surrogate is shown as an escape, in results and in messages."""
    [record] = score(write("0.tsv", [["a", "b"]]))
    (folder / "0.json").write_text(json.dumps({**record, "system": "\ud800"}) + "\n")
    for form in ("text", "tsv", "latex", "json"):
        assert merge.main(["0.json", "-f", form]) == 0
        assert "ud800" in capsys.readouterr().out
    (folder / "1.json").write_text(json.dumps({**record, "signature": "\ud800"}) + "\n")
    assert failure("1.json").startswith("1.json:1: the signature says \\ud800; here it is nrefs:1")


def test_values_that_python_cannot_print(score, folder, failure):
    [record] = score("-cc", "1", write("0.tsv", [["a", "a"]]))
    deep = json.dumps({**record, "beta": "here"}).replace('"here"', '{"a":' * 950 + "1" + "}" * 950)
    (folder / "deep.json").write_text(deep + "\n")
    assert failure("deep.json").startswith("deep.json:1: ")
    sums = {key: 10**4299 for key in record["orders"][0] if key.endswith("_ngrams")}
    parts = [{**record, "orders": [{**record["orders"][0], **sums}]} for _ in range(10)]
    (folder / "large.json").write_text("".join(json.dumps(part) + "\n" for part in parts))
    arguments = ("--on-repeat", "add", "--by", "none", "--orders", "large.json")
    assert "for integer string conversion" in failure(*arguments)


def test_a_part_given_twice(score, failure, folder):
    score(write("0.tsv", [["a", "b"]]), into="0.json")
    (folder / "link.json").symlink_to("0.json")
    for twice in (("0.json", "./0.json"), ("0.json", "link.json"), ("-", "-")):
        assert "is given twice" in failure(*twice, status=2)


# --- refused ---------------------------------------------------------------------------------

DIFFERENT = {
    "word_order (2 and 0)": ("-cw", "2"),
    "char_order (3 and 6)": ("-cc", "3"),
    "beta (1/2 and 2)": ("--beta", "0.5"),
    "rule (sacrebleu and all)": ("--rule", "sacrebleu"),
    "lowercase (True and False)": ("--lowercase",),
    "whitespace (True and False)": ("--whitespace",),
    "averaging (per_order_f and precision_recall)": ("--averaging", "per_order_f"),
}


@pytest.mark.parametrize("difference", DIFFERENT)
def test_different_options(score, failure, difference):
    score(write("0.tsv", [["a", "b"]]), into="0.json")
    score(write("1.tsv", [["a", "b"]]), into="1.json")
    score(*DIFFERENT[difference], write("2.tsv", [["a", "b"]]), into="2.json")
    assert failure("0.json", "1.json", "2.json") == (
        f"2.json:1: the options differ from those of 0.json:1: {difference}"
    )


def test_another_version_or_unicode(score, failure, folder, monkeypatch):
    score("--lowercase", write("0.tsv", [["a", "b"]]), into="0.json")
    monkeypatch.setattr(record.unicodedata, "unidata_version", "99.0.0")
    message = failure("0.json")
    assert message.startswith("0.json:1: the signature says unicode:")
    assert message.endswith("; here it is unicode:99.0.0")
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    values = json.loads((folder / "0.json").read_text())
    values["signature"] = values["signature"].replace("version:chrf-", "version:chrf-9.")
    (folder / "0.json").write_text(json.dumps(values))
    assert failure("0.json") == (
        f"0.json:1: the signature says version:chrf-9.{chrf.__version__}; "
        f"here it is version:chrf-{chrf.__version__}"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "PART:1: the file is empty; the run that should fill it failed"),
        (b"\n", "PART:1: no JSON object; merge what --format json prints"),
        (b"{}\n", "PART:1: 'orders' is missing"),
        (b"[]\n", "PART:1: no JSON object; merge what --format json prints"),
        (b'"score"', "PART:1: no JSON object; merge what --format json prints"),
        (b"chrF2 = 72.5\n", "PART:1: no JSON object; merge what --format json prints"),
        (b"{" * 100_000, "PART:1: no JSON object; merge what --format json prints"),
        (b'{"orders": ' + b"9" * 5000 + b"}", "PART:1: no JSON object; merge what --format json"),
        (b'{"file": 1}', "PART:1: file and system must be strings"),
        (b'{"orders": 1}', "PART:1: orders is not a list of dictionaries"),
        (b'{"orders": [{}]}', "PART:1: 'hypothesis_ngrams' is missing"),
        (b"\xff\n", "PART:1: no JSON object; merge what --format json prints"),
        (b"GOOD\n\nGOOD", "PART:2: no JSON object; merge what --format json prints"),
    ],
)
def test_what_is_no_result(score, failure, folder, content, message):
    (values,) = score(write("0.tsv", [["a", "b"]]))
    content = content.replace(b"GOOD", json.dumps(values).encode())
    (folder / "PART").write_bytes(content)
    assert failure("PART").startswith(message)


def test_a_part_that_is_not_there(failure, folder):
    assert failure("none.json") == "none.json: No such file or directory"


def edits(values, path=()):
    """Every change of one value, with the path to it."""
    for key, value in values.items() if isinstance(values, dict) else enumerate(values):
        if isinstance(value, (dict, list)):
            yield from edits(value, (*path, key))
            continue
        others = [value + 1, -1, float(value), str(value)] if type(value) is int else [None, 7, "x"]
        if isinstance(value, bool):
            others = [not value, "true", None]
        elif isinstance(value, str):
            others = [f"{value}0", "", None, 3]
        for other in others:
            yield (*path, key), other


@pytest.mark.parametrize("references", [["a bc", "b"], [["a bc", "b c"], ["b", "b"]]])
def test_any_changed_value_is_refused(references, failure, folder):
    values = chrf.corpus_score(["a b c", "b"], references, word_order=1, lowercase=True).to_dict()
    tried = 0
    for path, other in edits(values):
        changed = copy.deepcopy(values)
        place = changed
        for key in path[:-1]:
            place = place[key]
        if place[path[-1]] == other:  # 1 and True
            continue
        if path == ("tied_segments",) and references[1] == ["b", "b"] and other == 2:
            continue  # nothing else says how many tie
        if place.get("matching_ngrams") == 0 and path[-1].endswith("_ngrams") and other == 2:
            continue  # nothing follows from how many do not match
        place[path[-1]] = other
        (folder / "0.json").write_text(json.dumps(changed))
        assert failure("0.json").startswith("0.json:1: "), path
        tried += 1
    assert tried > 150


def test_results_with_and_without_numbers(score, merged, failure, folder, exact):
    """Those of an older run have none; one that is not the nearest double is an error."""
    (folder / "a.tsv").write_text("ab\tac\nxyz\txyz\n")
    (new,) = score("a.tsv", into="new.json")
    (folder / "old.json").write_text(json.dumps(exact(new)))
    (both,), _ = merged("--on-repeat", "add", "new.json", "old.json")
    assert both["segment_count"] == 4
    assert both["score_double"] == new["score_double"]
    for path in (["score_double"], ["average_recall_double"], ["orders", 1, "f_score_double"]):
        for wrong in (0.5, True, "82.2", None):
            changed = copy.deepcopy(new)
            place = changed
            for key in path[:-1]:
                place = place[key]
            right, place[path[-1]] = place[path[-1]], wrong
            (folder / "0.json").write_text(json.dumps(changed))
            where = "char order 2: " if len(path) > 1 else ""
            assert failure("0.json") == (
                f"0.json:1: {where}{path[-1]} is {wrong!r}, but {right} is nearest"
            )


def test_any_missing_value_is_refused(failure, folder):
    values = chrf.corpus_score(["a b c"], ["a bc"], word_order=1).to_dict()
    for key in values:
        changed = {other: value for other, value in values.items() if other != key}
        (folder / "0.json").write_text(json.dumps(changed))
        assert failure("0.json") == f"0.json:1: {key!r} is missing"
    for key in values["orders"][0]:
        changed = copy.deepcopy(values)
        del changed["orders"][0][key]
        (folder / "0.json").write_text(json.dumps(changed))
        assert f"{key!r} is missing" in failure("0.json")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-w", "101"], "width is 101"),
        (
            ["-b", "--orders"],
            "--score-only prints one number per system, without room for --orders",
        ),
        (["--by", "luck"], "argument --by: invalid choice: 'luck'"),
        (["--format", "yaml"], "invalid choice: 'yaml'"),
    ],
)
def test_usage(failure, folder, arguments, message):
    assert message in failure(*arguments, "0.json", status=2)


# --- output ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("-w", "2"),
        ("-b",),
        ("--orders", "--fractions"),
        ("--format", "tsv", "--fractions"),
        ("--format", "tsv", "--orders"),
        ("--format", "latex", "--short"),
        ("--format", "json"),
    ],
)
def test_output_is_that_of_one_run(score, capsys, arguments):
    rows = table(20)
    assert batch.main(["-q", *ONE_REFERENCE, *arguments, write("whole.tsv", rows, HEADER)]) == 0
    expected = capsys.readouterr().out.replace("whole.tsv", "<merged>")
    for i, part in enumerate((rows[:8], rows[8:])):
        score(*ONE_REFERENCE, write(f"{i}.tsv", part, HEADER), into=f"{i}.json")
    assert merge.main([*arguments, "0.json", "1.json"]) == 0
    assert capsys.readouterr().out == expected


def test_nothing_is_printed_of_a_merge_that_fails(score, failure):
    score(write("0.tsv", [["a", "b"]]), into="0.json")
    failure("0.json", "none.json")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_output_that_cannot_be_written(score):
    score(write("0.tsv", [["a", "b"]]), into="0.json")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "chrf.merge", "0.json"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == b"<stdout>: No space left on device\n"


# --- records ---------------------------------------------------------------------------------

texts = st.text(st.sampled_from("ab .\U0001f44dÉ\ud800"), max_size=8)


@given(
    st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=6),
    st.fixed_dictionaries(
        {},
        optional={
            "beta": st.sampled_from([1, Fraction(1, 3), Fraction(10**100 - 1, 10**99)]),
            "char_order": st.integers(1, 10),
            "word_order": st.integers(0, 4),
            "lowercase": st.booleans(),
            "whitespace": st.booleans(),
            "averaging": st.sampled_from(["precision_recall", "per_order_f"]),
            "rule": st.sampled_from(["all", "sacrebleu"]),
        },
    ),
)
def test_every_score_is_read_back(rows, options):
    score = chrf.corpus_score(*zip(*rows, strict=True), **options)
    again = read_score(json.loads(json.dumps(score.to_dict())))
    assert again == score
    assert again.fraction == score.fraction
    assert record.read_options(json.loads(json.dumps(record.options_dict(score.options)))) == (
        score.options
    )


# --- documentation ---------------------------------------------------------------------------


@pytest.mark.skipif(
    "CHRF_SANITIZE" in os.environ, reason="split of coreutils does not run under the sanitizer"
)
def test_commands_of_the_documentation(tmp_path):
    text = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 3
    shutil.copy(ROOT / "sample" / "news.tsv", tmp_path)
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    for block in blocks:
        lines = block.splitlines()
        done = subprocess.run(
            ["sh", "-c", "\n".join(line[2:] for line in lines if line.startswith("$ "))],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        assert done.stdout.decode().splitlines() == [x for x in lines if not x.startswith("$ ")]
