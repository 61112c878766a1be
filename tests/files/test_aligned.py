"""Plain text files, aligned by line."""

import gzip

import pytest

from chrf.files.names import InputError

BOM = "\ufeff".encode()


class TestAligned:
    def test_files_side_by_side(self, written, aligned):
        paths = [
            written(b"a\nb\n", "h1"),
            written(b"c\r\nd", "h2"),
            written(gzip.compress(BOM + b"e\nf\n"), "r1.gz"),
            written(b'\t\n"g\n', "r2"),
        ]
        source, found = aligned(paths[:2], paths[2:])
        assert found == [["a", "b"], ["c", "d"], ["e", "f"], ["\t", '"g']]
        assert [column.name for column in source.systems] == list(map(str, paths[:2]))

    def test_a_blank_line_is_an_empty_segment(self, written, aligned):
        _, found = aligned([written(b"\n\n", "h")], [written(b"a\n\n", "r")])
        assert found == [["", ""], ["a", ""]]

    @pytest.mark.parametrize("size", [1, 2, 5, 1000], ids="blocks-of-{}".format)
    @pytest.mark.parametrize("longer", ["h", "r"])
    def test_unequal_lengths(self, written, monkeypatch, size, longer, aligned):
        monkeypatch.setattr("chrf.files.lines.BLOCK_BYTES", size)
        files = {name: written(b"a\n" * (9 if name == longer else 5), name) for name in "hr"}
        with pytest.raises(InputError) as caught:
            aligned([files["h"]], [files["r"]])
        shorter = files["r" if longer == "h" else "h"]
        assert str(caught.value) == (
            f"{shorter}:6: the file ends after 5 lines, but {files[longer]} has 9"
        )

    def test_of_three_files_the_shortest_is_named(self, written, aligned):
        with pytest.raises(InputError, match=r"r1:2: the file ends after 1 line, but .*r2 has 3"):
            aligned([written(b"a\nb\n", "h")], [written(b"a\n", "r1"), written(b"a\nb\nc\n", "r2")])

    def test_an_empty_file(self, written, aligned):
        empty, other = written(b"", "empty"), written(b"a\n", "other")
        with pytest.raises(InputError, match=r"empty:1: the file ends after 0 lines"):
            aligned([empty], [other])
        with pytest.raises(InputError, match=r"empty:1: the file is empty; there are no segments"):
            aligned([empty], [empty])

    def test_invalid_utf_8(self, written, aligned):
        with pytest.raises(InputError, match=r"r:2: byte 0xff at offset 3 of the file"):
            aligned([written(b"a\nb\n", "h")], [written(b"a\nb\xff\n", "r")])


def test_tsv_and_aligned_files_give_one_score(written, table, aligned, tsv):
    """Also with several references, and whatever the order of the columns."""
    lines = [("a cat sat", "the cat sat", "a cat sits"), ("it rained", "rain", "it rains")]
    one = table(written(tsv(*lines)), ["1"], ["2", "3"])[1]
    files = [
        written("".join(f"{line[i]}\n" for line in lines).encode(), f"{i}.txt") for i in range(3)
    ]
    other = aligned(files[:1], files[1:])[1]
    assert one == other
    swapped = written(tsv(*([c, a, b] for a, b, c in lines)), "swapped.tsv")
    assert table(swapped, ["2"], ["3", "1"])[1] == one
