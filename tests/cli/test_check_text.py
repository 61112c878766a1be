"""--check-text: what is found, and where first."""


class TestCheckText:
    SUSPICIOUS = (
        "cafe\u0301\tcafe\u0301\n"  # not NFC, twice
        "a\u200bb\tab\n"
        "cafe\u0301\t\ufeffcafé\n"
        "a\rb\tab\r\r\n"
        "a\u00adb\ta\u2060b\n"
        "plain\tplain\r\n"
    )

    def test_what_is_found_and_where_first(self, call, folder):
        (folder / "f.tsv").write_bytes(("\ufeff" + self.SUSPICIOUS).encode())
        status, out, err = call("-q", "--check-text", "f.tsv")
        assert (status, out) == (0, call("f.tsv")[1])
        assert set(err.splitlines()) == {
            "f.tsv:1: column 1: not NFC in 2 segments, here first",
            "f.tsv:1: column 2: not NFC in 1 segment, here first",
            "f.tsv:2: column 1: zero-width character in 2 segments, here first",
            "f.tsv:3: column 2: byte-order mark in 1 segment, here first",
            "f.tsv:4: column 1: carriage return in 1 segment, here first",
            "f.tsv:4: column 2: carriage return in 1 segment, here first",
            "f.tsv:5: column 2: zero-width character in 1 segment, here first",
        }

    def test_columns_with_names_and_lines_under_a_header(self, call, folder):
        (folder / "f.tsv").write_text("hyp\tref\tother\na\tab\tx\u200b\na\u200bb\tab\ty\n")
        err = call("-q", "--check-text", "--header", "--hypothesis", "hyp", "f.tsv")[2]
        assert err == "f.tsv:3: hyp: zero-width character in 1 segment, here first\n"

    def test_aligned_files(self, call, folder):
        (folder / "h").write_text("ab\na\u200bb\n")
        (folder / "r").write_text("ab\na\u200bb\n")
        err = call("-q", "--check-text", "--reference-file", "r", "h")[2]
        assert err == "".join(
            f"{name}:2: zero-width character in 1 segment, here first\n" for name in "hr"
        )

    def test_a_file_that_is_read_twice(self, call, folder):
        (folder / "h").write_text("a\u200bb\n")
        err = call("-q", "--check-text", "--reference-file", "h", "h")[2]
        assert err == "h:1: zero-width character in 1 segment, here first\n" * 2

    def test_nothing(self, call):
        assert call("--check-text", "two.tsv")[2] == "check-text: nothing found in 2 segments\n"

    def test_the_threads_do_not_matter(self, call, folder, monkeypatch):
        monkeypatch.setattr("chrf.files.lines.BLOCK_BYTES", 50)
        monkeypatch.setattr("chrf.cli.settings.available_cpus", lambda: 8)
        (folder / "f.tsv").write_text(self.SUSPICIOUS * 50, newline="")
        found = {call("-q", "--check-text", "-j", threads, "f.tsv") for threads in "128"}
        assert len(found) == 1
        assert "not NFC in 100 segments" in found.pop()[2]
