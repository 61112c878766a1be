"""Mistakes that people make on the command line, each with the one line that it gets."""

import bz2
import gzip
import lzma
import shlex

import pytest

from chrf.cli import main as front

HEADER = b"hyp\tref\n"
ROWS = b"the cat\tthe cat sat\na dog\ta dog\n"
TABLE = HEADER + ROWS
FILES = {
    "t.tsv": TABLE,
    "plain.tsv": ROWS,
    "hyp.txt": b"the cat\na dog\n",
    "ref.txt": b"the cat sat\na dog\n",
    "short.txt": b"the cat\n",
    "longer.txt": b"the cat\na dog\n\n",
    "three.tsv": b"a\tb\tc\n",
    "systems.tsv": b"source\tone\ttwo\treference\na\ta\tb\ta\n",
    "spaced.tsv": b"hyp\tref \na\ta\n",
    "index.tsv": b"\thyp\tref\n0\ta\ta\n",
    "twice.tsv": b"hyp\tref\tref\na\ta\ta\n",
    "header.tsv": HEADER,
    "blank.tsv": TABLE + b"\n",
    "ragged.tsv": TABLE + b"only\n",
    "joined.gz": gzip.compress(TABLE) * 2,
    "joined.tsv": TABLE + HEADER.replace(b"\n", b"\r\n") + ROWS,
    "empty.tsv": b"",
    "latin1.tsv": "Katze\tmüde\n".encode("latin-1"),
    "utf16.tsv": ROWS.decode().encode("utf-16-le"),
    "excel.txt": ROWS.decode().encode("utf-16"),
    "t.csv": b"hyp,ref\na,a\n",
    "semicolons.csv": b"hyp;ref\na;a\n",
    "lines.jsonl": b'{"hyp": "a", "ref": "a"}\n',
    "array.json": b'[\n  {"hyp": "a"}\n]\n',
    "packed.tsv": gzip.compress(ROWS),
    "t.tsv.xz": lzma.compress(ROWS),
    "t.tsv.bz2": bz2.compress(ROWS),
    "book.xlsx": b"PK\x03\x04\x14\0\6\0\x08\0",
    "t.parquet": b"PAR1\x15\x04\x15\x20",
    "paper.pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "notgz.gz": ROWS,
    "xz.gz": lzma.compress(ROWS),
    "cut.gz": gzip.compress(ROWS)[:-4],
    "wide.tsv": "\t".join(f"system number {i}" for i in range(500)).encode() + b"\n",
    "no.json": b"[1]\n",
}
EXPECTED = "2 are expected (hypothesis, reference)"
EXPORT = "write its columns as tab-separated text"
JSON = "is JSON; write its texts as columns separated by tabs, one row a line"
UTF = "text; convert it to UTF-8, as with iconv -f"
COLUMNS = "the columns are 'hyp', 'ref'"
PER_SYSTEM = "--score-only prints one number per system, without room for"
PER_SEGMENT = "--sentence-level prints one number per segment, without room for"

# What is typed after `python -m chrf`, the line that it gets and, for wrong usage, how that begins.
INPUT = {
    # Which file is what.
    "hyp.txt ref.txt": f"hyp.txt:1: 1 field where {EXPECTED}; to score plain text, say "
    "--reference-file ref.txt hyp.txt",
    "ref.txt hyp.txt": f"ref.txt:1: 1 field where {EXPECTED}; to score plain text, say "
    "--reference-file ref.txt hyp.txt",
    "hyp.txt short.txt longer.txt": f"hyp.txt:1: 1 field where {EXPECTED}; to score plain text, "
    "say --reference-file longer.txt hyp.txt short.txt",
    "hyp.txt": f"hyp.txt:1: 1 field where {EXPECTED}; to score plain text, give its reference "
    "with --reference-file",
    "--reference-file ref.txt nofile.txt": "nofile.txt: No such file or directory",
    "nofile.tsv": "nofile.tsv: No such file or directory",
    "nofile.gz": "nofile.gz: No such file or directory",
    "'*.csv'": "*.csv: No such file or directory",
    "--reference-file ref.txt .": ".: Is a directory",
    "--segments nowhere/out.tsv plain.tsv": "nowhere/out.tsv: No such file or directory",
    # Columns.
    "--header --reference Ref t.tsv": "t.tsv:1: no column 'Ref' among 2; did you mean 'ref'? The "
    "columns are 'hyp', 'ref'",
    "--header --reference refernce systems.tsv": "systems.tsv:1: no column 'refernce' among 4; "
    "did you mean 'reference'? The columns are 'source', 'one', 'two', 'reference'",
    "--header --reference ref spaced.tsv": "spaced.tsv:1: no column 'ref' among 2; did you mean "
    "'ref '? The columns are 'hyp', 'ref '",
    "--header --reference target t.tsv": f"t.tsv:1: no column 'target' among 2; {COLUMNS}",
    "--header --reference 3 t.tsv": f"t.tsv:1: no column '3' among 2; {COLUMNS}",
    "--header --hypothesis 0 --reference ref t.tsv": f"t.tsv:1: no column '0' among 2; {COLUMNS}",
    "--reference ref t.tsv": "t.tsv:1: no column 'ref' among 2; columns have names only with "
    "--header",
    "--header --reference ref --hypothesis ref t.tsv": "t.tsv:1: column 2 is used twice",
    "--header --reference ref twice.tsv": "twice.tsv:1: two columns are called 'ref'; give the "
    "position",
    "--header --reference hyp,ref t.tsv": "t.tsv:1: no column is left for a hypothesis",
    "--header --reference ref index.tsv": "index.tsv:1: column 1 has no name; name the systems "
    "with --hypothesis",
    "three.tsv": f"three.tsv:1: 3 fields where {EXPECTED}; name the columns with --hypothesis and "
    "--reference",
    "--header --reference ref t.csv": "t.csv:1: the first row has no tab; write the columns "
    "separated by tabs",
    "--header --reference ref semicolons.csv": "semicolons.csv:1: the first row has no tab; write "
    "the columns separated by tabs",
    "--header --reference ref wide.tsv": "wide.tsv:1: no column 'ref' among 500; the columns are "
    + ", ".join(f"'system number {i}'" for i in range(8))
    + " and 492 more",
    # Rows.
    "--header --reference ref blank.tsv": "blank.tsv:4: a blank line where 2 fields are expected; "
    "delete it",
    "--header --reference ref ragged.tsv": "ragged.tsv:4: 1 field where 2 are expected",
    "--header --reference ref header.tsv": "header.tsv:2: there are no segments under the header",
    "empty.tsv": "empty.tsv:1: the file is empty; there are no segments",
    "--header --reference ref joined.gz": "joined.gz:4: the row is the header again; delete it, "
    "or give each table as a file of its own",
    "--header --reference ref joined.tsv": "joined.tsv:4: the row is the header again; delete it, "
    "or give each table as a file of its own",
    "--header --reference ref --quoting csv joined.tsv": "joined.tsv:4: the row is the header "
    "again; delete it, or give each table as a file of its own",
    "--reference-file short.txt hyp.txt": "short.txt:2: the file ends after 1 line, but hyp.txt "
    "has 2",
    "--reference-file longer.txt hyp.txt": "hyp.txt:3: the file ends after 2 lines, but longer.txt "
    "has 3",
    # Files that are no text in UTF-8.
    "latin1.tsv": "latin1.tsv:1: byte 0xfc at offset 7 of the file is not valid UTF-8",
    "utf16.tsv": f"utf16.tsv: is UTF-16LE {UTF} UTF-16LE -t UTF-8",
    "--reference-file ref.txt excel.txt": f"excel.txt: is UTF-16 {UTF} UTF-16 -t UTF-8",
    "--header --reference ref lines.jsonl": f"lines.jsonl: {JSON}",
    "array.json": f"array.json: {JSON}",
    "packed.tsv": "packed.tsv: is gzip-compressed; name it .gz or decompress it",
    "t.tsv.xz": "t.tsv.xz: is xz-compressed; decompress it first",
    "t.tsv.bz2": "t.tsv.bz2: is bzip2-compressed; decompress it first",
    "book.xlsx": f"book.xlsx: is a zip archive, as .xlsx is; unpack it, or {EXPORT}",
    "t.parquet": f"t.parquet: is Parquet; {EXPORT}",
    "--reference-file ref.txt paper.pdf": "paper.pdf: is PDF; extract its text first",
    "notgz.gz": "notgz.gz: is not gzip-compressed, as its name says; rename it, or compress it",
    "xz.gz": "xz.gz: is not gzip-compressed, but xz-compressed; decompress it first",
    "cut.gz": "cut.gz:1: not a complete gzip file (Compressed file ended before the "
    "end-of-stream marker was reached)",
    "merge packed.tsv": "packed.tsv: is gzip-compressed; name it .gz or decompress it",
    "merge nofile.json": "nofile.json: No such file or directory",
    "merge no.json": "no.json:1: no JSON object; merge what --format json prints",
    "tools run --input t.tsv.xz chrf-compute 1.0.0": "t.tsv.xz: is xz-compressed; decompress it "
    "first",
    "tools run --input utf16.tsv chrf-compute 1.0.0": f"utf16.tsv: is UTF-16LE {UTF} UTF-16LE -t "
    "UTF-8",
    "tools run --input nofile.json chrf-compute 1.0.0": "nofile.json: No such file or directory",
    "tools describe chrf-computer 1.0.0": "not_found: there is no tool "
    "'chrf-computer'; there are chrf-compute, chrf-plus-plus-compute, chrf-components",
    # Statistics.
    "-par plain.tsv": "plain.tsv:1: a paired test needs at least two systems",
    "--header --reference reference -par --baseline tow systems.tsv": "systems.tsv:1: no system "
    "'tow'; did you mean 'two'? The systems are 'source', 'one', 'two'",
    "--reference-file ref.txt -par hyp.txt hyp.txt": "hyp.txt: the same system twice cannot be "
    "compared",
}
USAGE = {
    "-cw 5 plain.tsv": "--word-order is 5; it must be an integer from 0 to 4",
    "--char-order 11 plain.tsv": "--char-order is 11; it must be an integer from 0 to 10",
    "--char-order 0 plain.tsv": "--char-order and --word-order are both 0; at least one must be "
    "positive",
    "--beta -2 plain.tsv": "argument --beta/--chrf-beta: '-2' is not a positive number such as 2, "
    "1.5 or 3/2, in digits",
    "--beta 1e5 plain.tsv": "argument --beta/--chrf-beta: '1e5' is not a positive number such as "
    "2, 1.5 or 3/2, in digits",
    "--threads 0 plain.tsv": "--threads is 0; it must be an integer of at least 1",
    "--width 101 plain.tsv": "--width is 101; it must be an integer from 0 to 100",
    "--ci --alpha 5 plain.tsv": "--alpha is 5.0; it must lie between 0 and 1",
    "--ci --seed -1 plain.tsv": "--seed is '-1'; it must be an integer of at least 0, or none for "
    "a fresh one",
    "--ci 0 plain.tsv": "--ci is 0; it must be an integer from 1 to 1000000000000000",
    "--seed 1 plain.tsv": "--seed goes with --ci or --paired",
    "-b --ci plain.tsv": f"{PER_SYSTEM} --ci",
    "-b --orders plain.tsv": f"{PER_SYSTEM} --orders",
    "-b --fractions plain.tsv": f"{PER_SYSTEM} --fractions",
    "-b -f json plain.tsv": f"{PER_SYSTEM} --format json",
    "-sl --ci plain.tsv": f"{PER_SEGMENT} --ci",
    "-sl --orders plain.tsv": f"{PER_SEGMENT} --orders",
    "--reference-file ref.txt --header hyp.txt": "--reference-file goes with plain text, which "
    "has no columns",
    "-i hyp.txt --reference-file ref.txt": "there is no option -i; give the FILEs of the systems "
    "without one, beside --reference-file",
    "ref.txt -i hyp.txt -m chrf": "there is no option -i; give the FILEs of the systems without "
    "one, beside --reference-file",
    "-m chrf plain.tsv": "there is no option -m; chrF is the only metric",
    "--metric=chrf plain.tsv": "there is no option --metric; chrF is the only metric",
    "--word-oder 2 plain.tsv": "there is no option '--word-oder'; did you mean '--word-order'?",
    "plain.tsv -x t.tsv": "there is no option '-x'",
    "--format xml plain.tsv": "argument --format/-f: invalid choice: 'xml' (choose from 'text', "
    "'json', 'tsv', 'latex')",
    "score --threads 0 plain.tsv": "--threads is 0; it must be an integer of at least 1",
    "merge -b --orders no.json": f"{PER_SYSTEM} --orders",
    "merge no.json ./no.json": "'./no.json' is given twice",
    "merge --bye none no.json": "there is no option '--bye'; did you mean '--by'?",
    "tools describe chrf-compute 1.0.0 extra": "'extra' is one argument too many",
    "tools run chrf-compute 1.0.0": "the following arguments are required: --input",
    "serve --port 70000": "argument --port: '70000' is not an integer from 0 to 65535",
    "serve 8000": "'8000' is one argument too many",
    "mcp --port 1": "there is no option '--port'",
}


@pytest.fixture
def mistaken(tmp_path, monkeypatch, call_main):
    """A command line in a folder of small inputs."""
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    return lambda line: call_main(*shlex.split(line), main=front.main)


@pytest.mark.parametrize("line", INPUT)
def test_input(mistaken, line):
    assert mistaken(line) == (1, "", f"{INPUT[line]}\n")


@pytest.mark.parametrize("line", USAGE)
def test_usage(mistaken, line):
    status, out, err = mistaken(line)
    words = line.split()
    name = f"python -m chrf {words[0]}" if words[0] in front.COMMANDS else "python -m chrf"
    if line.startswith("tools run"):
        name += " run"
    assert (status, out, err) == (2, "", f"{name}: {USAGE[line]} (see --help)\n")


def test_there_are_many():
    assert len(INPUT) + len(USAGE) >= 50


def test_every_line_is_short():
    assert max(map(len, [*INPUT.values(), *USAGE.values()])) < 400


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("packed.tsv", "is gzip-compressed; decompress it first"),
        ("book.xlsx", f"is a zip archive, as .xlsx is; unpack it, or {EXPORT}"),
        ("utf16.tsv", f"is UTF-16LE {UTF} UTF-16LE -t UTF-8"),
        ("lines.jsonl", JSON),
    ],
)
def test_standard_input(run, name, message):
    for arguments in ([], ["-"]):
        assert run(*arguments, input=FILES[name], status=1, err=f"<stdin>: {message}\n") == ""


def test_files_may_stand_between_options(mistaken):
    """Wherever they stand, and after -- whatever they are called."""
    expected = (0, "61.797486\n100.000000\n", "")
    for line in (
        "-q -b --reference-file ref.txt hyp.txt ref.txt",
        "hyp.txt -q -b --reference-file ref.txt ref.txt",
        "hyp.txt -b --reference-file ref.txt ref.txt -q",
        "hyp.txt --reference-file ref.txt -q -b -- ref.txt",
        "-q -b --reference-file ref.txt -- hyp.txt ref.txt",
    ):
        assert mistaken(line) == expected
    assert mistaken("-q -- -b") == (1, "", "-b: No such file or directory\n")
    assert mistaken("plain.tsv -q --ci 20 -- -b")[2] == "-b: No such file or directory\n"
