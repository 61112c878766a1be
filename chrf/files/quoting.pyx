# cython: language_level=3
# cython: freethreading_compatible=True
"""Tables with CSV quoting: a field in quotes may hold tabs, line feeds and, doubled, quotes.

A quote inside a field that does not begin with one is text. A line feed, CRLF, or carriage return
at the end of the block ends a record; other carriage returns are text.
"""

from cpython cimport array
from libc.stdint cimport int64_t
from libc.string cimport memchr, memmove

from array import array as new_array

cdef enum:
    MOST_COLUMNS = 0x7FFFFFFF

cdef enum After:               # what follows a field
    TAB
    LINE                       # the record ends
    LOOSE                      # text, although a quote has closed the field
    OPEN                       # nothing: no quote closes the field

cdef struct Field:
    const char *start          # of its text
    const char *end
    const char *next           # where the next field starts
    Py_ssize_t doubled         # doubled quotes in it
    bint quoted
    After after


cdef void find_quote(const char *at, const char *end, Field *field) noexcept nogil:
    """Find the quote that closes the field; without one, the field goes up to `end`."""
    field.end = end
    field.next = end
    field.after = OPEN
    while True:
        at = <const char *>memchr(at, 34, end - at)
        if not at:
            return
        if at + 1 == end or (at + 1)[0] != 34:
            break
        field.doubled += 1
        at += 2
    field.end = at
    at += 1
    field.after = LINE
    if at == end:
        return
    if at[0] == 13 and (at + 1 == end or (at + 1)[0] == 10):
        at += 1
        if at == end:
            return
    field.next = at + 1
    if at[0] == 9:
        field.after = TAB
    elif at[0] != 10:
        field.after = LOOSE
        field.next = at


cdef void find_end(const char *at, const char *end, const char **feed,
                   Field *field) noexcept nogil:
    """Find the end of a field without quotes; `feed` is the last line feed that was looked for."""
    if feed[0] < at:
        feed[0] = <const char *>memchr(at, 10, end - at)
        if not feed[0]:
            feed[0] = end
    field.end = <const char *>memchr(at, 9, feed[0] - at)
    if field.end:
        field.after = TAB
        field.next = field.end + 1
        return
    field.after = LINE
    field.end = feed[0]
    field.next = feed[0] + (feed[0] < end)
    if field.end > at and (field.end - 1)[0] == 13:
        field.end -= 1


cdef void next_field(const char *at, const char *end, const char **feed,
                     Field *field) noexcept nogil:
    field.doubled = 0
    field.quoted = at < end and at[0] == 34
    field.start = at + field.quoted
    if field.quoted:
        find_quote(at + 1, end, field)
    else:
        find_end(at, end, feed, field)


cdef Py_ssize_t line_feeds(const char *at, const char *end) noexcept nogil:
    cdef Py_ssize_t lines = 0
    while True:
        at = <const char *>memchr(at, 10, end - at)
        if not at:
            return lines
        lines += 1
        at += 1


def whole_records(bytes block not None, bint inside):
    """Return where the last whole record of a block ends, and whether a quote is open there after.

    Parameters
    ----------
    block : bytes
        Whole lines of a file, or its end.
    inside : bool
        Whether the block begins inside a field in quotes.
    """
    cdef const char *data = block
    cdef const char *at = data
    cdef const char *end = data + len(block)
    cdef const char *whole = data
    cdef const char *feed = NULL
    cdef Field field
    if not inside and not memchr(at, 34, end - at):
        return len(block), False
    field.after = LINE
    with nogil:
        if inside:
            field.doubled = 0
            find_quote(at, end, &field)
            at = field.next
            if field.after == LINE:
                whole = at
        while at < end:
            if field.after == LOOSE:       # for whoever parses it to say
                find_end(at, end, &feed, &field)
            else:
                next_field(at, end, &feed, &field)
            at = field.next
            if field.after == LINE:
                whole = at
    return whole - data, field.after == OPEN


def first_record(bytes block not None):
    """Return the fields of the first record as bytes, and where the record ends.

    The fields are None where a quote is not closed, or text follows one that is.
    """
    cdef const char *data = block
    cdef const char *at = data
    cdef const char *end = data + len(block)
    cdef const char *feed = NULL
    cdef Field field
    fields = []
    while True:
        next_field(at, end, &feed, &field)
        text = block[field.start - data:field.end - data]
        fields.append(text.replace(b'""', b'"') if field.quoted else text)
        at = field.next
        if field.after == LINE:
            return fields, at - data
        if field.after != TAB:
            return None, at - data


def split_records(bytes block not None, Py_ssize_t width, list used not None):
    """Split a block of whole records into columns.

    Parameters
    ----------
    block : bytes
    width : int
        Fields that every record must have.
    used : list of int
        The columns that are wanted, 0-based.

    Returns
    -------
    data : bytes
        The block, in the wanted columns of which doubled quotes are undone.
    columns : list of array.array of type "q"
        For each wanted column two numbers a record: where its field begins and ends in `data`.
    lines : array.array of type "q"
        The line of the block, 0-based, that each record begins in.
    problem : tuple or None
        What the first bad record has, the line of the block where that is, a number, and where
        the record ends: ("fields", line, fields or 0 for a blank line, end), ("loose", line,
        column, end) or ("open", line, column, end).
    """
    cdef const char *data = block
    cdef const char *at = data
    cdef const char *end = data + len(block)
    cdef const char *feed = NULL
    cdef char *out = NULL
    cdef Field field
    cdef Py_ssize_t i, column, n_used = len(used), row = 0, line = 0, first_line, n
    cdef Py_ssize_t rows = line_feeds(at, end) + 1, size = end - data
    cdef array.array spans, doubled, flat, lines, wanted = new_array("q", used)
    cdef int64_t *s
    cdef int64_t *d
    cdef int64_t *f
    cdef object changed = block
    problem = None
    if not 0 < width <= MOST_COLUMNS:
        raise ValueError(f"a table has 1 to {MOST_COLUMNS} columns, not {width}")
    spans = array.clone(LONGS, 2 * width, zero=False)
    doubled = array.clone(LONGS, width, zero=False)
    flat = array.clone(LONGS, 2 * rows * n_used, zero=False)
    lines = array.clone(LONGS, rows, zero=False)
    s = <int64_t *>spans.data.as_longlongs
    d = <int64_t *>doubled.data.as_longlongs
    f = <int64_t *>flat.data.as_longlongs
    for i in range(n_used):
        if not 0 <= wanted.data.as_longlongs[i] < width:
            raise ValueError(f"there is no column {used[i]} among {width}")
    while at < end:
        first_line, n = line, 0
        while True:
            next_field(at, end, &feed, &field)
            if n < width:
                s[2 * n] = field.start - data
                s[2 * n + 1] = field.end - data
                d[n] = field.doubled
            n += 1
            if field.after == OPEN:
                problem = "open", line, n, size
                break
            if field.quoted:
                line += line_feeds(field.start, field.end)
            at = field.next
            if field.after == LOOSE:
                find_end(at, end, &feed, &field)
                problem = "loose", line, n, field.next - data
                break
            if field.after == LINE:
                line += 1
                if n != width:
                    blank = n == 1 and not field.quoted and field.start == field.end
                    problem = "fields", first_line, 0 if blank else n, at - data
                break
        if problem is not None:
            break
        for i in range(n_used):
            column = wanted.data.as_longlongs[i]
            if d[column]:
                if out == NULL:
                    changed = bytes(bytearray(block))     # nobody else has seen it yet
                    out = <char *>(<bytes>changed)
                s[2 * column + 1] = undouble(out, s[2 * column], s[2 * column + 1])
                d[column] = 0
            f[2 * (i * rows + row)] = s[2 * column]
            f[2 * (i * rows + row) + 1] = s[2 * column + 1]
        lines.data.as_longlongs[row] = first_line
        row += 1
    columns = []
    for i in range(n_used):
        columns.append(flat[2 * i * rows:2 * (i * rows + row)])
    return changed, columns, lines[:row], problem


cdef Py_ssize_t undouble(char *text, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Leave one of every two neighbouring quotes; return where the field now ends."""
    cdef const char *at = text + start
    cdef const char *stop = text + end
    cdef const char *quote
    cdef char *to = text + start
    while True:
        quote = <const char *>memchr(at, 34, stop - at)
        if not quote:
            memmove(to, at, stop - at)
            return to + (stop - at) - text
        memmove(to, at, quote + 1 - at)
        to += quote + 1 - at
        at = quote + 2


cdef array.array LONGS = new_array("q")
