"""Published numbers: the chrF2 of 84 WMT23 systems, and the twins on their texts."""

import gzip
from fractions import Fraction

import pytest

import chrf
from chrf.kernel import count as kernel
from chrf.kernel import reference

PAIRS = {"cs-uk": 13, "en-cs": 15, "en-de": 12, "en-zh": 15, "he-en": 12, "ja-en": 17}
SLICE = 20


def read_columns(folder, pair):
    """The columns of a file under their names: the reference refA, then the systems."""
    lines = gzip.decompress((folder / f"{pair}.tsv.gz").read_bytes()).split(b"\n")
    assert lines.pop() == b""
    rows = [[cell.decode("utf-8") for cell in line.split(b"\t")] for line in lines]
    header, *rows = rows
    assert all(len(row) == len(header) for row in rows)
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def read_published(folder):
    lines = (folder / "published.tsv").read_text(encoding="utf-8").split("\n")
    assert lines[0] == "pair\tsystem\tchrF2"
    return [line.split("\t") for line in lines[1:] if line]


@pytest.mark.parametrize("pair", PAIRS)
def test_published_chrf2(wmt23, pair):
    published = [row[1:] for row in read_published(wmt23) if row[0] == pair]
    assert len(published) == PAIRS[pair]
    columns = read_columns(wmt23, pair)
    for system, text in published:
        score = chrf.corpus_score(columns[system], columns["refA"], rule="sacrebleu")
        assert abs(Fraction(text) - score.fraction) <= score.fraction / 10**12, system


@pytest.mark.parametrize("pair", PAIRS)
def test_kernel_equals_twin(wmt23, pair):
    columns = read_columns(wmt23, pair)
    references = columns.pop("refA")
    hypotheses = columns[min(columns)]
    for start in (0, len(references) // 2, len(references) - SLICE):
        arguments = (hypotheses, references, start, start + SLICE, 6, 2, False)
        assert kernel.count(*arguments) == reference.count(*arguments)
