"""What a file is by its first bytes, where that is certain and it is no text in UTF-8."""

from __future__ import annotations

import codecs
import contextlib
import re

from chrf.files.names import STANDARD_INPUT, InputError, file_name

HEAD_BYTES = 4096  # of a file: what is looked at
FEWEST = 8  # characters that tell an encoding without a mark
FIRST_PRINTABLE = 0x20  # code points of most alphabets are below 0x2000
CONTROLS = r"[\0-\x08\x0b\x0c\x0e-\x1f]"
FIRST_UNASSIGNED_PLANE = "\U00040000"  # and others above it

_DECOMPRESS = "decompress it first"
_EXPORT = "write its columns as tab-separated text"

_BZIP2 = tuple(
    b"BZh%d%b" % (size, magic)
    for size in range(1, 10)
    for magic in (b"1AY&SY", b"\x17rE8P\x90")  # the second is that of no data
)
_PDF = tuple(
    b"%%PDF-%b%b" % (version, end)
    for version in (b"1.0", b"1.1", b"1.2", b"1.3", b"1.4", b"1.5", b"1.6", b"1.7", b"2.0")
    for end in (b"\r", b"\n")
)

_PDF_FILE = "PDF"
_TAR = "a tar archive"

# How files of a kind begin, and where; what they are, and what to do.
_BEGINNINGS = (
    (0, b"\x1f\x8b", "gzip-compressed", _DECOMPRESS),
    (0, b"\x28\xb5\x2f\xfd", "zstd-compressed", _DECOMPRESS),
    (0, b"\xfd7zXZ\0", "xz-compressed", _DECOMPRESS),
    (0, _BZIP2, "bzip2-compressed", _DECOMPRESS),
    (0, b"\x04\x22\x4d\x18", "lz4-compressed", _DECOMPRESS),
    (0, (b"PK\x03\x04", b"PK\x05\x06"), "a zip archive, as .xlsx is", f"unpack it, or {_EXPORT}"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it"),
    (257, (b"ustar\0", b"ustar "), _TAR, "unpack it"),
    (0, b"PAR1\x15", "Parquet", _EXPORT),
    (0, b"ARROW1\0\0", "an Arrow file", _EXPORT),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file, as .xls is", _EXPORT),
    (0, _PDF, _PDF_FILE, "extract its text first"),
)
_IN_ASCII = (_PDF_FILE, _TAR)  # a text may begin so
_MARKS = (  # of UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


def check_head(path: str, head: bytes) -> None:
    """Raise InputError, which says what it is, for a file that is certainly no text in UTF-8.

    Parameters
    ----------
    path : str
        A file whose name ends in ``.gz`` is decompressed already.
    head : bytes
        Its first `HEAD_BYTES`, or all of it.
    """
    found = kind_of(head)
    if found is None:
        return
    kind, advice = found
    verb = "is"
    if path.endswith(".gz"):
        verb = "its content is"
    elif kind == "gzip-compressed" and path != STANDARD_INPUT:
        advice = "name it .gz or decompress it"
    raise InputError(f"{file_name(path)}: {verb} {kind}; {advice}")


def not_gzip(path: str, head: bytes) -> InputError:
    """Return the error that a file whose name ends in ``.gz`` begins otherwise."""
    kind, advice = kind_of(head) or (None, "rename it, or compress it")
    but = f", but {kind}" if kind else ", as its name says"
    return InputError(f"{file_name(path)}: is not gzip-compressed{but}; {advice}")


def kind_of(head: bytes) -> tuple[str, str] | None:
    """Return what a file is, and what to do; None for what may be text in UTF-8."""
    for offset, start, kind, advice in _BEGINNINGS:
        if head.startswith(start, offset) and (kind not in _IN_ASCII or _holds_bytes(head)):
            return kind, advice
    encoding = _wide_encoding(head)
    if encoding:
        return f"{encoding} text", f"convert it to UTF-8, as with iconv -f {encoding} -t UTF-8"
    return None


def _holds_bytes(head: bytes) -> bool:
    """Return whether there is what no text holds: NUL, or what is not UTF-8."""
    return b"\0" in head or not _decoded(head, "UTF-8")


def is_json(line: str) -> bool:
    """Return whether a row without a tab is where a JSON document begins, or JSON Lines."""
    text = line.strip()
    return text in ("{", "[") or re.match(r'\[\s*[\[{"]|\{\s*("|\})', text) is not None


def _wide_encoding(head: bytes) -> str | None:
    """Return the encoding of a file in UTF-16 or UTF-32, with its mark or without."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    if b"\0" not in head:
        return None
    for order in ("LE", "BE"):
        text = _decoded(head, f"UTF-32-{order}")
        if _says_enough(head, text, order) and "\0" < max(text) < FIRST_UNASSIGNED_PLANE:
            return f"UTF-32{order}"
    odd, even = head[1::2].count(0), head[::2].count(0)
    order, upper = ("LE", head[1::2]) if odd > even else ("BE", head[::2])
    text = _decoded(head, f"UTF-16-{order}")
    certain = "\n" in text or "\t" in text
    if _decoded(head, "UTF-8"):  # in which NUL is a character too: then nothing may be against it
        alphabetic = sum(byte < FIRST_PRINTABLE for byte in upper) > 0.9 * len(upper)
        certain &= alphabetic and min(odd, even) == 0 and len(head) % 2 == 0
        certain &= _says_enough(head, text, order) and re.search(CONTROLS, text) is None
    return f"UTF-16{order}" if certain else None


def _says_enough(head: bytes, text: str, order: str) -> bool:
    """Return whether the text may be meant: of some length, or ASCII, and not ended as UTF-8 is."""
    if order == "LE" and head.endswith(b"\n") and len(head) < HEAD_BYTES:
        return False
    return len(text) >= FEWEST or (len(text) > 1 and text.isascii())


def _decoded(head: bytes, encoding: str) -> str:
    """Return the text, whose last character may be cut; empty if it is not in this encoding."""
    with contextlib.suppress(UnicodeDecodeError):
        return codecs.getincrementaldecoder(encoding)().decode(head)
    return ""
