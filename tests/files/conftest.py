"""What the tests of files share: how to write one, and how to read it back whole."""

import os
from itertools import chain

import pytest

from chrf.files.aligned import open_aligned
from chrf.files.names import InputError
from chrf.files.table import open_table


def columns(source):
    parts = [
        [fields.texts() for fields in source.parse(chunks).columns] for chunks in source.chunks
    ]
    return [list(chain(*column)) for column in zip(*parts, strict=True)]


@pytest.fixture(scope="session")
def tsv():
    """Rows as the bytes of a table."""
    return lambda *rows: "".join("\t".join(row) + "\n" for row in rows).encode()


@pytest.fixture(scope="session")
def table():
    """The source that a file is, and its columns, whole."""

    def read(path, hypothesis=(), reference=(), header=False, quoting="none"):
        source = open_table(os.fspath(path), hypothesis, reference, header, lambda _: None, quoting)
        return source, columns(source)

    return read


@pytest.fixture(scope="session")
def aligned():
    """The source that aligned files are, and its columns, whole."""

    def read(hypotheses, references):
        source = open_aligned(
            [os.fspath(path) for path in hypotheses],
            [os.fspath(path) for path in references],
            lambda _: None,
        )
        return source, columns(source)

    return read


@pytest.fixture(scope="session")
def refusal(table):
    """What is wrong with a file, without its folder."""

    def message(path, *arguments, **keywords):
        with pytest.raises(InputError) as caught:
            table(path, *arguments, **keywords)
        return str(caught.value).removeprefix(f"{os.path.dirname(path)}{os.sep}")

    return message


@pytest.fixture
def written(tmp_path):
    def write(data, name="f.tsv"):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


@pytest.fixture(params=[None, 1, 2, 3, 7, 64], ids=lambda size: f"blocks-of-{size}")
def blocks(request, monkeypatch):
    """Blocks so small that their borders fall everywhere."""
    if request.param:
        monkeypatch.setattr("chrf.files.lines.BLOCK_BYTES", request.param)
