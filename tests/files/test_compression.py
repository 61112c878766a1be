"""Compressed files, and files that cannot be opened."""

import gzip

import pytest

ROWS = [("the cat sat", "the cat sits"), ("it rained", "it rains")]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda data: data[:-9], "not a complete gzip file (Compressed file ended before the"),
        (lambda data: data[:-8] + b"\0" * 8, "not a complete gzip file (CRC check failed"),
        (lambda data: data[:14] + b"\xff" * 9 + data[23:], "not a complete gzip file ("),
        (lambda data: data + b"junk", "not a complete gzip file (other bytes follow)"),
        (lambda data: b"", "the file is empty; there are no segments"),
        (lambda data: gzip.compress(b""), "the file is empty; there are no segments"),
    ],
    ids=["truncated", "checksum", "body", "garbage-after", "no-bytes", "no-text"],
)
def test_a_gzip_file_that_is_none(written, make, message, refusal, tsv):
    path = written(make(gzip.compress(tsv(*ROWS))), "f.tsv.gz")
    assert refusal(path).startswith(f"f.tsv.gz:1: {message}")


def test_gzip_files_of_several_members_and_with_padding(written, table, tsv):
    data = gzip.compress(tsv(ROWS[0])) + gzip.compress(tsv(ROWS[1])) + b"\0" * 512
    assert table(written(data, "f.gz"))[1] == [list(column) for column in zip(*ROWS, strict=True)]


def test_offsets_in_a_gzip_file_are_those_of_its_text(written, refusal):
    path = written(gzip.compress(b"a\tb\nc\t\xff\n"), "f.tsv.gz")
    assert refusal(path) == ("f.tsv.gz:2: byte 0xff at offset 6 of the file is not valid UTF-8")


def test_what_cannot_be_opened(tmp_path, refusal):
    assert refusal(tmp_path / "missing.tsv") == "missing.tsv: No such file or directory"
    assert refusal(tmp_path / "missing.gz") == "missing.gz: No such file or directory"
    (tmp_path / "folder").mkdir()
    assert refusal(tmp_path / "folder") == "folder: Is a directory"
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    assert refusal(loop) == "loop: Too many levels of symbolic links"
