"""`render` of one result in each format, to the letter.

What else the formats show is tested where a user meets it, through the command line:
``tests/cli/test_outputs.py``, ``test_notes.py`` and ``test_statistics.py``.
"""

import json

import pytest

import chrf
from chrf.report.layout import FORMATS, Layout
from chrf.report.render import render
from chrf.report.results import Result

SIGNATURE = "nrefs:1|case:mixed|eff:yes|nc:2|nw:0|space:no|beta:2|rule:all|segments:2|version:chrf-"
SIGNATURE += chrf.__version__
TEXT = f"""\
system      chrF2  segments
a & b   73.333333         2

{SIGNATURE}
"""
TSV = f"""\
file\tsystem\tmetric\tscore\tsegment_count\treference_count\ttied_segments\trule\tsignature
t.tsv\ta & b\tchrF2\t73.333333\t2\t1\t0\tall\t{SIGNATURE}
"""
LATEX = rf"""\begin{{tabular}}{{lrr}}
\toprule
system & chrF2 & segments \\
\midrule
a \& b & 73.333333 & 2 \\
\bottomrule
\end{{tabular}}
% {SIGNATURE}
"""


@pytest.fixture
def result():
    score = chrf.corpus_score(["aa", "xyz"], ["ab", "xyz"], char_order=2)
    other = chrf.corpus_score(["aa", "xyz"], ["ab", "xyz"], char_order=2, rule="sacrebleu")
    return Result(file="t.tsv", system="a & b", score=score, other=other, short=0)


@pytest.mark.parametrize(("form", "text"), [("text", TEXT), ("tsv", TSV), ("latex", LATEX)])
def test_tables(result, form, text):
    assert render([result], Layout(format=form)) == text


def test_json(result):
    text = render([result], Layout(format="json"))
    record = json.loads(text)
    assert text == json.dumps(record) + "\n"
    doubles = {key: record.pop(key) for key in list(record) if key.endswith("_double")}
    assert doubles == {
        "average_precision_double": 11 / 15,
        "average_recall_double": 11 / 15,
        "score_double": 220 / 3,
    }
    for order in record["orders"]:
        for key in ("precision_double", "recall_double", "f_score_double"):
            assert order.pop(key) == {1: 4 / 5, 2: 2 / 3}[order["n"]]
    assert record == {"file": "t.tsv", "system": "a & b", **result.score.to_dict()}


@pytest.mark.parametrize("form", FORMATS)
def test_the_number_alone_in_any_format(result, form):
    layout = Layout(format=form, width=2, score_only=True)
    assert render([result, result], layout) == "73.33\n73.33\n"
