"""Files that are no text in UTF-8, known by their first bytes."""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chrf.files import kinds

TEXT = "ja\tnein\nthe cat\tthe cat sat\n"
GREEK = "ναι\tόχι\n"
CJK = "上海\t北京\n一\t二\n"
CYRILLIC = "да\tнет\nпочему\tзачем\n"


def zipped():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    return out.getvalue()


def tarred():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("f.tsv"), io.BytesIO())
    return out.getvalue()


def iconv(encoding):
    return f"convert it to UTF-8, as with iconv -f {encoding} -t UTF-8"


EXPORT = "write its columns as tab-separated text"
FILES = {
    "gzip": (gzip.compress(TEXT.encode()), "gzip-compressed; name it .gz or decompress it"),
    "xz": (lzma.compress(TEXT.encode()), "xz-compressed; decompress it first"),
    "bzip2": (bz2.compress(TEXT.encode()), "bzip2-compressed; decompress it first"),
    "bzip2 of nothing": (bz2.compress(b""), "bzip2-compressed; decompress it first"),
    "zstd": (b"\x28\xb5\x2f\xfd\x04\0", "zstd-compressed; decompress it first"),
    "lz4": (b"\x04\x22\x4d\x18\x64", "lz4-compressed; decompress it first"),
    "xlsx": (zipped(), f"a zip archive, as .xlsx is; unpack it, or {EXPORT}"),
    "7z": (b"7z\xbc\xaf\x27\x1c\0\4", "a 7z archive; unpack it"),
    "tar": (tarred(), "a tar archive; unpack it"),
    "xls": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0",
        f"an old Office file, as .xls is; {EXPORT}",
    ),
    "PDF": (b"%PDF-1.7\n%\xe2\xe3", "PDF; extract its text first"),
    "UTF-16 with a mark": (TEXT.encode("utf-16"), f"UTF-16 text; {iconv('UTF-16')}"),
    "UTF-32 with a mark": (TEXT.encode("utf-32"), f"UTF-32 text; {iconv('UTF-32')}"),
    **{
        f"{name} in {encoding} without a mark": (
            text.encode(encoding),
            f"{encoding} text; {iconv(encoding)}",
        )
        for name, text in (
            ("ASCII", TEXT),
            ("a short text", "a\tb\n"),
            ("Greek", GREEK),
            ("Chinese", CJK),
            ("Russian", CYRILLIC),
            ("Hindi", "हाँ\tनहीं\nक्यों\tकब\n"),
            ("Thai", "ใช่\tไม่\nไป\tมา\n"),
        )
        for encoding in ("UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE")
    },
}


@pytest.mark.parametrize("kind", FILES)
def test_what_a_file_is(kind, written, refusal, aligned, tmp_path):
    data, message = FILES[kind]
    path = written(data)
    assert refusal(path) == f"f.tsv: is {message}"
    (tmp_path / "ref.txt").write_bytes(b"a\n")
    with pytest.raises(ValueError, match=r"f\.tsv: is "):
        aligned([tmp_path / "ref.txt"], [path])


def test_within_gzip(written, refusal):
    path = written(gzip.compress(FILES["xz"][0]), "f.gz")
    assert refusal(path) == "f.gz: its content is xz-compressed; decompress it first"
    path = written(gzip.compress(FILES["gzip"][0]), "f.gz")
    assert refusal(path) == "f.gz: its content is gzip-compressed; decompress it first"


def test_gz_in_name_only(written, refusal):
    path = written(FILES["xz"][0], "f.gz")
    assert refusal(path) == "f.gz: is not gzip-compressed, but xz-compressed; decompress it first"
    path = written(b"ja\tnein\n", "f.gz")
    assert refusal(path) == (
        "f.gz: is not gzip-compressed, as its name says; rename it, or compress it"
    )


@pytest.mark.parametrize("library", ["parquet", "feather"])
def test_columns_of_arrow(library, tmp_path, refusal):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not needed by the package")
    path = tmp_path / "f.tsv"
    for rows in ([], ["ja"]):
        table = pyarrow.table({"mt": pyarrow.array(rows, pyarrow.string())})
        if library == "parquet":
            import pyarrow.parquet

            pyarrow.parquet.write_table(table, os.fspath(path))
        else:
            import pyarrow.feather

            pyarrow.feather.write_feather(table, os.fspath(path))
        kind = "Parquet" if library == "parquet" else "an Arrow file"
        assert refusal(path) == f"f.tsv: is {kind}; {EXPORT}"


@pytest.mark.parametrize(
    "data",
    [
        b"PK 35\tBZh9\n",
        b"PAR1 is a name\ta\n",
        b"7z\tBZh91\n",
        b"%PDF-1.7 is a version\ta\n",
        b"a\0b\0\tc\0\n",
        b"\0\t\0\n\0\0\t\0\0\n",
        b"a\0\0\0b\tc\n",
        b"word\0\tword\0\n" * 9,
        b"a\0a\0\t\0a\0\n",
        "\ufeffja\tnein\n".encode(),
        "\ufffe\tnein\n".encode(),
        b'{"a": 1}\t["b"]\n',
        b"[1]\t[{\n",
        ("x" * (kinds.HEAD_BYTES - 1) + "é\ta\n").encode(),
    ],
)
def test_text_that_may_begin_so(data, written, table):
    text = data.decode("utf-8-sig")
    columns = [[row.split("\t")[i] for row in text.split("\n")[:-1]] for i in range(2)]
    assert table(written(data))[1] == columns


@settings(derandomize=True)  # two in 300,000 such tables are doubtful
@given(st.lists(st.tuples(st.text("\0a上", max_size=5), st.text("\0a", max_size=5)), min_size=1))
def test_no_table_with_nul_is_wide(rows):
    """Unless it begins with NUL, for NUL before every character is UTF-16."""
    data = "".join(f"a{a}\t{b}\n" for a, b in rows).encode()
    assert kinds.kind_of(data[: kinds.HEAD_BYTES]) is None


@given(st.sampled_from(["UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"]), st.data())
def test_any_text_in_other_encodings(encoding, data):
    words = st.text(
        st.characters(
            exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff", max_codepoint=0x3FFFF
        ),
        min_size=1,
        max_size=8,
    )
    rows = data.draw(st.lists(st.tuples(words, words), min_size=2, max_size=5))
    text = "".join(f"{a}\t{b}\n" for a, b in rows)
    found = kinds.kind_of(text.encode(encoding))
    assert found is None or found[0] == f"{encoding} text"


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b'{"hyp": "a", "ref": "b"}\n', True),
        (b"{}\n", True),
        (b'[{"hyp": "a"}]\n', True),
        (b'[\n  {"hyp": "a"}\n]\n', True),
        (b'{\n  "hyp": ["a"]\n}\n', True),
        (b'  [["a", "b"]]\n', True),
        (b"[noise]\n", False),
        (b"{laughs}\n", False),
    ],
)
def test_json(data, found, written, refusal):
    message = refusal(written(data), header=True, reference=["hyp"])
    assert ("is JSON" in message) is found


@pytest.mark.parametrize(
    "text",
    [
        "0" * 256 + "\nustar is an archive format\n",
        "%PDF-1.4\nis how such files begin\n",
        "\0" * 8 + "\n",
    ],
)
def test_text_that_begins_like_something_else_is_text(text):
    assert kinds.kind_of(text.encode()) is None
