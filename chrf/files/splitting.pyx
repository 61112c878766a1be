# cython: language_level=3
# cython: freethreading_compatible=True
"""Blocks of bytes -> rows and columns, without a Python object for each field."""

from cpython cimport array
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memchr

from array import array as new_array

from chrf.kernel.unicode cimport is_whitespace
from chrf.kernel.utf8 cimport valid_utf8

cdef enum:
    MOST_COLUMNS = 0x7FFFFFFF


cdef Py_ssize_t count_lines(const char *start, const char *end) noexcept nogil:
    """Count the lines up to `end`, the last with or without its line feed."""
    cdef Py_ssize_t lines = 0
    while start < end:
        lines += 1
        start = <const char *>memchr(start, 10, end - start)
        if not start:
            break
        start += 1
    return lines


cdef const char *line_end(
    const char *start, const char *line_feed, const char *end
) noexcept nogil:
    """Return where a line's text ends: a carriage return before a line feed is not text."""
    if not line_feed:
        return end
    if line_feed > start and (line_feed - 1)[0] == 13:
        return line_feed - 1
    return line_feed


cdef Py_ssize_t split_line(const char *block, const char *start, const char *end,
                           Py_ssize_t width, int64_t *fields) noexcept nogil:
    """Write where each field begins and ends; return how many there are, at most `width` + 1."""
    cdef Py_ssize_t n = 0
    cdef const char *tab
    while n < width:
        tab = <const char *>memchr(start, 9, end - start)
        fields[2 * n] = start - block
        fields[2 * n + 1] = (tab if tab else end) - block
        n += 1
        if not tab:
            return n
        start = tab + 1
    return width + 1


def split_rows(bytes block not None, Py_ssize_t width, list used not None):
    """Split a block into rows at line feeds and into columns at tabs.

    A carriage return directly before a line feed belongs to the line end.

    Parameters
    ----------
    block : bytes
    width : int
        Fields that every row must have.
    used : list of int
        The columns that are wanted, 0-based.

    Returns
    -------
    columns : list of array.array of type "q"
        For each wanted column two numbers a row: where its field begins and ends.
    good : int
        Rows before the first that has another number of fields: all of them, if none has.
    """
    cdef const char *data = block
    cdef const char *end = data + len(block)
    cdef const char *start = data
    cdef const char *line_feed
    cdef Py_ssize_t row, i, column, n_used = len(used)
    cdef Py_ssize_t rows = count_lines(start, end), good = rows
    cdef array.array fields, flat, wanted = new_array("q", used)
    cdef list columns = []
    cdef int64_t *f
    cdef int64_t *out
    if not 0 < width <= MOST_COLUMNS:
        raise ValueError(f"a table has 1 to {MOST_COLUMNS} columns, not {width}")
    fields = array.clone(SPANS, 2 * width, zero=False)
    flat = array.clone(SPANS, 2 * rows * n_used, zero=False)
    f = <int64_t *>fields.data.as_longlongs
    out = <int64_t *>flat.data.as_longlongs
    for i in range(n_used):
        if not 0 <= wanted.data.as_longlongs[i] < width:
            raise ValueError(f"there is no column {used[i]} among {width}")
    with nogil:
        for row in range(rows):
            line_feed = <const char *>memchr(start, 10, end - start)
            if split_line(data, start, line_end(start, line_feed, end), width, f) != width:
                good = row
                break
            for i in range(n_used):
                column = wanted.data.as_longlongs[i]
                out[2 * (i * rows + row)] = f[2 * column]
                out[2 * (i * rows + row) + 1] = f[2 * column + 1]
            start = line_feed + 1 if line_feed else end
    for i in range(n_used):
        columns.append(flat[2 * i * rows:2 * (i * rows + good)])
    return columns, good


def split_lines(bytes block not None):
    """Return where each line of a block begins and ends: two numbers a line."""
    cdef const char *data = block
    cdef const char *end = data + len(block)
    cdef const char *start = data
    cdef const char *line_feed
    cdef Py_ssize_t row, rows = count_lines(start, end)
    cdef array.array spans = array.clone(SPANS, 2 * rows, zero=False)
    cdef int64_t *out = <int64_t *>spans.data.as_longlongs
    with nogil:
        for row in range(rows):
            line_feed = <const char *>memchr(start, 10, end - start)
            out[2 * row] = start - data
            out[2 * row + 1] = line_end(start, line_feed, end) - data
            start = line_feed + 1 if line_feed else end
    return spans


def is_utf8(bytes block not None):
    """Return whether the block is valid UTF-8, as Python's strict decoder sees it."""
    cdef const uint8_t *data = block
    cdef Py_ssize_t length = len(block)
    cdef bint valid
    with nogil:
        valid = valid_utf8(data, length)
    return valid


def blank_fields(bytes data not None, array.array spans not None):
    """Return which fields of a column, 0-based, hold nothing or only whitespace."""
    cdef const uint8_t *text = data
    cdef Py_ssize_t i, n = len(spans) // 2, a, b
    check_spans(spans, len(data))
    found = new_array("q")
    for i in range(n):
        a, b = spans.data.as_longlongs[2 * i], spans.data.as_longlongs[2 * i + 1]
        if a == b or text[a] <= 32 or text[a] > 127:
            if is_blank(text + a, text + b):
                found.append(i)
    return found


cdef bint is_blank(const uint8_t *at, const uint8_t *end) noexcept nogil:
    cdef uint32_t c
    while at < end:
        c = at[0]
        if c < 0x80:
            at += 1
        elif c == 0xC2 and end - at > 1:
            c = at[1]
            at += 2
        elif 0xE1 <= c <= 0xE3 and end - at > 2:      # no whitespace is beyond U+3000
            c = (c & 0x0F) << 12 | (at[1] & 0x3F) << 6 | (at[2] & 0x3F)
            at += 3
        else:
            return False
        if not is_whitespace(c):
            return False
    return True


def quoted_fields(bytes data not None, array.array spans not None):
    """Return which fields of a column, 0-based, look like those that CSV writers quote.

    They begin and end with a quote, and the quotes between come in pairs, at least one pair.
    """
    cdef const char *text = data
    cdef Py_ssize_t i, n = len(spans) // 2, a, b
    check_spans(spans, len(data))
    found = new_array("q")
    for i in range(n):
        a, b = spans.data.as_longlongs[2 * i], spans.data.as_longlongs[2 * i + 1]
        if b - a >= 4 and text[a] == 34 and text[b - 1] == 34:
            if has_pairs(text + a + 1, text + b - 1):
                found.append(i)
    return found


cdef bint has_pairs(const char *at, const char *end) noexcept nogil:
    cdef bint some = False
    while True:
        at = <const char *>memchr(at, 34, end - at)
        if not at:
            return some
        if at + 1 == end or (at + 1)[0] != 34:
            return False
        some = True
        at += 2


cdef int check_spans(array.array spans, Py_ssize_t size) except -1:
    cdef Py_ssize_t i, n = len(spans) // 2, a, b
    if spans.typecode != "q":
        raise TypeError("spans must be of type 'q'")
    for i in range(n):
        a, b = spans.data.as_longlongs[2 * i], spans.data.as_longlongs[2 * i + 1]
        if not 0 <= a <= b <= size:
            raise ValueError(f"field {i} lies outside of the data")
    return 0


cdef array.array SPANS = new_array("q")
