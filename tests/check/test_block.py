"""Every rule over blocks of rows, and the page of the rules."""

import ast
import doctest
import gzip
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chrf
from chrf.check.block import RULES, check_block, merge

PAGE = Path(__file__).parents[2] / "docs/check.md"
TEXTS = st.text(st.characters() | st.sampled_from("'’\u200f\u200e\u202a\u202b\ufe0fe\u0301 \r"))

PAIRS = ["cs-uk", "en-cs", "en-de", "en-zh", "he-en", "ja-en"]


def read_columns(folder, pair):
    """The columns of a WMT23 table by name; the reference, refA, comes first."""
    text = gzip.decompress((folder / f"{pair}.tsv.gz").read_bytes()).decode("utf-8")
    rows = [line.split("\t") for line in text.split("\n")[:-1]]
    return {name: texts for name, *texts in zip(*rows, strict=True)}


def lines(found):
    return [f"{column}:{finding.first}: {finding}" for (column, _), finding in found.items()]


def test_one_finding_a_column_and_rule():
    systems = [["\u200fa", "b", "\u200e\u200f\u202a\u202b", "don't"], ["e\u0301", "", "", "don't"]]
    found = check_block([*systems, ["a", "b", "c", "don’t"]], system_count=2, first=1)
    apostrophes = "other apostrophes than the reference in 1 segment, here first: U+0027 for U+2019"
    assert lines(found) == [
        "0:1: direction mark in 2 segments, here first: U+200F, U+200E, U+202A, ...",
        f"0:4: {apostrophes}",
        "1:1: not NFC in 1 segment, here first",
        f"1:4: {apostrophes}",
    ]


def test_the_references_are_checked_too_and_not_compared_with_themselves():
    found = check_block([["a"], ["don't\ufe0f"], ["don’t"]], system_count=1)
    assert list(found) == [(1, "variation-selector")]


def test_no_rows():
    assert check_block([[], []], system_count=1) == {}


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), max_size=6), st.integers(0, 6))
def test_blocks_add_up(rows, cut):
    def check(part, first):
        columns = [[row[column] for row in part] for column in range(3)]
        return check_block(columns, 2, first, whitespace=True)

    whole = check(rows, 10)
    assert merge(check(rows[:cut], 10), check(rows[cut:], 10 + len(rows[:cut]))) == whole
    assert all(1 <= finding.count <= len(rows) for finding in whole.values())
    assert all(len(finding.found) <= 3 for finding in whole.values())
    assert all(len(line) < 300 for line in lines(whole))


class TestPage:
    text = PAGE.read_text(encoding="utf-8")

    def test_its_examples(self):
        failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
        assert tried > 2 * len(RULES)
        assert not failed

    def test_it_has_a_section_for_every_rule_in_order(self):
        assert re.findall("^### (.*)$", self.text, re.MULTILINE) == list(RULES)

    @pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))
    def test_a_section_says_what_the_rule_says(self, rule):
        (section,) = re.findall(rf"^### {rule.id}\n(.*?)(?=^##|\Z)", self.text, re.S | re.M)
        words = " ".join(section.split())
        for sentence in (
            f"Reported as: *{rule.summary}*.",
            f"**Finds.** {rule.finds}",
            f"**Why it matters.** {rule.why}",
            f"**Fix.** {rule.fix}",
        ):
            assert sentence in words
        (block,) = re.findall(r"^```python\n(.*?)^```", section, re.S | re.M)
        calls = [example.source for example in doctest.DocTestParser().get_examples(block)]
        texts = [ast.literal_eval(text) for text in re.findall(r"\[(.*?)\]", calls[0])]
        assert tuple(texts) == rule.example

    def test_its_table_of_wmt23(self, wmt23):
        systems, references, most, outputs = {}, {}, {}, 0
        for pair in PAIRS:
            columns = list(read_columns(wmt23, pair).values())
            columns = columns[1:] + columns[:1]  # the reference comes first in the file
            outputs += sum(map(len, columns[:-1]))
            for (column, rule), finding in check_block(columns, len(columns) - 1).items():
                side = references if column == len(columns) - 1 else systems
                side[rule] = side.get(rule, 0) + 1
                most[rule] = max(most.get(rule, 0), finding.count)
        table = [
            f"| `{rule}` | {systems.get(rule, 0)} | {references.get(rule, 0)} | {most[rule]} |"
            for rule in RULES
            if rule in most
        ]
        assert re.findall(r"^\| `.*$", self.text, re.MULTILINE) == table
        assert f"{outputs:,}" in self.text

    def test_its_ranking_of_wmt23(self, wmt23):
        columns = read_columns(wmt23, "en-de")
        marks = str.maketrans(dict.fromkeys("“”„", '"'))

        def scores(change):
            references = list(map(change, columns["refA"]))
            return [
                str(chrf.corpus_score(list(map(change, columns[system])), references))
                for system in ("ONLINE-Y", "GPT4-5shot")
            ]

        written = re.findall(r"\d\d\.\d{6}", self.text[self.text.index("change a ranking") :])
        assert scores(str) + scores(lambda text: text.translate(marks)) == written[:4]
