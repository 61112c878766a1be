# cython: language_level=3
# cython: freethreading_compatible=True
"""Columns of text in Arrow's memory -> counts, read in place through the PyCapsule interface."""

cimport cython
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from chrf.kernel.arrow cimport (
    GOOD, NOT_UTF8, NULL_TEXT, OUTSIDE, ArrowArray, ArrowArrayStream, ArrowSchema, Found, Layout,
    is_null, read_index, read_layout, read_text,
)
from chrf.kernel.count cimport _Job, check_length
from chrf.kernel.decode cimport Text

AT_LEAST_ONE = "a segment needs at least one reference"
ALL_NULL = "has no reference: every one is null"


@cython.final
cdef class Column:
    """Text of a column, checked; it keeps the Arrow arrays alive that it points into.

    Parameters
    ----------
    side : str
        What messages call the column.
    source
        Has the Arrow PyCapsule interface: ``__arrow_c_stream__`` or ``__arrow_c_array__``.
    lists : bool
        Whether a row may hold several texts.
    missing : bool
        Whether null is no text. It is left out of a list; without `lists` its row is empty, and
        the column is good for `beside` only. Otherwise a null is an error.
    """

    cdef readonly str side
    cdef readonly Py_ssize_t text_count
    cdef Py_ssize_t rows
    cdef Text *texts
    cdef Py_ssize_t room       # texts for which there is memory
    cdef int64_t *starts       # row r has the texts starts[r] up to starts[r + 1]; NULL: text r
    cdef Layout layout
    cdef ArrowArray *arrays    # the chunks
    cdef Py_ssize_t array_count
    cdef list columns          # those that texts of this one belong to
    cdef bint missing
    cdef bint holes            # rows may be empty: the length of their texts is -1

    def __init__(self, str side not None, source, bint lists, bint missing=False):
        if self.side is not None:
            raise TypeError("a column is read once")
        self.side = side
        self.missing = missing
        self.holes = missing and not lists
        if hasattr(source, "__arrow_c_stream__"):
            self.read_stream(source.__arrow_c_stream__(), lists)
        else:
            schema, chunk = source.__arrow_c_array__()
            self.read_array(schema, chunk, lists)

    def __dealloc__(self):
        cdef Py_ssize_t i
        for i in range(self.array_count):
            if self.arrays[i].release != NULL:
                self.arrays[i].release(&self.arrays[i])
        free(self.arrays)
        free(self.texts)
        free(self.starts)

    def __len__(self):
        return self.rows

    @property
    def grouped(self) -> bool:
        """Whether rows are lists of texts."""
        return self.starts != NULL

    def squares(self):
        """Return the sum of the squares of the rows' numbers of texts."""
        cdef Py_ssize_t i
        cdef int64_t total = 0
        if self.starts == NULL:
            return self.rows
        for i in range(self.rows):
            total += (self.starts[i + 1] - self.starts[i]) ** 2
        return total

    def group_starts(self, Py_ssize_t start, Py_ssize_t stop):
        """Return where the texts of rows `start` up to `stop` begin, and the last one ends."""
        cdef Py_ssize_t row
        cdef list starts = []
        self.check_rows(start, stop)
        for row in range(start, stop + 1):
            starts.append(self.first_text(row) - self.first_text(start))
        return starts

    def strings(self, Py_ssize_t start, Py_ssize_t stop):
        """Return the texts of rows `start` up to `stop` as strings, one list for all rows."""
        cdef Py_ssize_t i
        cdef list texts = []
        self.check_rows(start, stop)
        for i in range(self.first_text(start), self.first_text(stop)):
            texts.append(PyUnicode_DecodeUTF8(
                <const char *>self.texts[i].data, self.texts[i].length, NULL
            ))
        return texts

    cdef int check_rows(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        if not 0 <= start <= stop <= self.rows:
            raise ValueError(f"{start} and {stop} must be rows of {self.side}")
        if self.holes:
            raise ValueError(f"{self.side} may have rows without a text")
        return 0

    cdef Py_ssize_t first_text(self, Py_ssize_t row) noexcept:
        return row if self.starts == NULL else self.starts[row]

    # Capsules are emptied: from then on, what they held is released here.

    cdef int read_stream(self, capsule, bint lists) except -1:
        cdef ArrowArrayStream stream
        cdef ArrowArrayStream *given = <ArrowArrayStream *>PyCapsule_GetPointer(
            capsule, "arrow_array_stream"
        )
        cdef ArrowSchema schema
        cdef ArrowArray chunk
        cdef int failed
        if given.release == NULL:
            raise ValueError(f"the Arrow stream of {self.side} was read before")
        stream = given[0]
        given.release = NULL
        memset(&schema, 0, sizeof(schema))
        try:
            with nogil:
                failed = stream.get_schema(&stream, &schema)
            if failed:
                self.fail_stream(&stream, failed)
            read_layout(&self.layout, &schema, self.side, lists)
            while True:
                memset(&chunk, 0, sizeof(chunk))
                with nogil:        # it may run Python in another thread
                    failed = stream.get_next(&stream, &chunk)
                if failed:
                    self.fail_stream(&stream, failed)
                if chunk.release == NULL:
                    return 0
                self.take(&chunk)
        finally:
            if schema.release != NULL:
                schema.release(&schema)
            with nogil:
                stream.release(&stream)

    cdef int read_array(self, schema_capsule, array_capsule, bint lists) except -1:
        cdef ArrowSchema *schema = <ArrowSchema *>PyCapsule_GetPointer(
            schema_capsule, "arrow_schema"
        )
        cdef ArrowArray *given = <ArrowArray *>PyCapsule_GetPointer(array_capsule, "arrow_array")
        cdef ArrowArray chunk
        if schema.release == NULL or given.release == NULL:
            raise ValueError(f"the Arrow array of {self.side} was read before")
        read_layout(&self.layout, schema, self.side, lists)    # which its capsule releases
        chunk = given[0]
        given.release = NULL
        self.take(&chunk)
        return 0

    cdef int fail_stream(self, ArrowArrayStream *stream, int code) except -1:
        cdef const char *message = stream.get_last_error(stream)
        said = message.decode("utf-8", "replace") if message != NULL else f"error {code}"
        raise OSError(f"the Arrow stream of {self.side} failed: {said}")

    cdef int take(self, const ArrowArray *chunk) except -1:
        """Own the chunk, then point at its texts."""
        cdef const ArrowArray *a = chunk
        cdef const ArrowArray *table = NULL
        cdef int64_t first = 0
        cdef ArrowArray *arrays = <ArrowArray *>realloc(
            self.arrays, (self.array_count + 1) * sizeof(ArrowArray)
        )
        if arrays == NULL:
            (<ArrowArray *>chunk).release(<ArrowArray *>chunk)
            raise MemoryError()
        arrays[self.array_count] = chunk[0]
        self.arrays = arrays
        self.array_count += 1
        if chunk.length < 0:
            self.fail_array()
        if chunk.length == 0:
            return 0
        if self.layout.wrapped:
            table = chunk
            self.check_array(chunk, 1, 1)
            first = chunk.offset
            a = chunk.children[0]
        if not 0 <= first <= a.length - chunk.length:
            self.fail_array()
        if self.layout.group:
            self.take_lists(table, a, first, chunk.length)
        else:
            self.check_texts(a)
            self.reserve(chunk.length, 0)
            self.take_texts(table, a, first, chunk.length, -1)
            self.rows += chunk.length
        return 0

    cdef int64_t point(self, const ArrowArray *table, const ArrowArray *a, int64_t first,
                       int64_t n, bint items, Found *found) noexcept nogil:
        """Point at texts from `first`, or at the items of a list; return how many are good.

        They end before the first that is not.
        """
        cdef int64_t i
        cdef Text *text
        for i in range(n):
            text = &self.texts[self.text_count]
            if table != NULL and is_null(table, i):
                found[0] = NULL_TEXT
            else:
                found[0] = read_text(a, &self.layout, first + i, text)
            if found[0] == NULL_TEXT and self.missing and (items or self.holes):
                found[0] = GOOD
                text.length = -1
                self.text_count += self.holes
            elif found[0] == GOOD:
                self.text_count += 1
            else:
                return i
        return n

    cdef int take_texts(self, const ArrowArray *table, const ArrowArray *a, int64_t first,
                        int64_t n, Py_ssize_t row) except -1:
        """Take the texts from `first`; of one row if it is not -1."""
        cdef int64_t i, start = self.text_count
        cdef Found found = GOOD
        if row < 0:
            with nogil:
                i = self.point(table, a, first, n, False, &found)
        else:                  # to let go of the GIL for every row would be an invitation
            i = self.point(table, a, first, n, True, &found)
        if found != GOOD:
            where = f"[{row}][{i}]" if row >= 0 else f"[{self.rows + i}]"
            self.fail_text(where, found, "not a string")
        for i in range(self.text_count - start):
            check_length(self.side, row if row >= 0 else self.rows + i,
                         self.texts[start + i].length)
        return 0

    cdef int take_lists(self, const ArrowArray *table, const ArrowArray *a, int64_t first,
                        int64_t n) except -1:
        cdef int64_t i, at, begin, end
        cdef const ArrowArray *items
        cdef char offsets = c"i" if self.layout.group == c"l" else c"l"
        self.check_array(a, 1 if self.layout.group == c"w" else 2, 1)
        items = a.children[0]
        self.check_texts(items)
        for i in range(n):
            if is_null(a, first + i) or (table != NULL and is_null(table, i)):
                if self.missing:
                    raise ValueError(f"{self.side}[{self.rows}] is null; {AT_LEAST_ONE}")
                self.fail_text(f"[{self.rows}]", NULL_TEXT, "not a list of strings")
            at = a.offset + first + i
            if self.layout.group == c"w":
                begin, end = at * self.layout.size, (at + 1) * self.layout.size
            else:
                begin = read_index(a.buffers[1], offsets, at)
                end = read_index(a.buffers[1], offsets, at + 1)
            if not 0 <= begin <= end <= items.length:
                self.fail_text(f"[{self.rows}]", OUTSIDE, "")
            if begin == end:
                raise ValueError(f"{self.side}[{self.rows}] is empty; {AT_LEAST_ONE}")
            self.reserve(end - begin, n - i)
            self.take_texts(NULL, items, begin, end - begin, self.rows)
            if self.text_count == self.starts[self.rows]:
                raise ValueError(f"{self.side}[{self.rows}] {ALL_NULL}; {AT_LEAST_ONE}")
            self.rows += 1
            self.starts[self.rows] = self.text_count
        return 0

    cdef int reserve(self, int64_t texts, int64_t lists) except -1:
        """Make room for `texts` more, and for the ends of `lists` more."""
        cdef Text *more
        cdef int64_t *starts
        cdef Py_ssize_t needed = self.text_count + texts
        if needed > self.room:
            needed = max(needed, self.room + self.room // 2 if lists else 0)
            more = <Text *>realloc(self.texts, needed * sizeof(Text))
            if more == NULL:
                raise MemoryError()
            self.texts = more
            self.room = needed
        if lists:
            starts = <int64_t *>realloc(self.starts, (self.rows + lists + 1) * sizeof(int64_t))
            if starts == NULL:
                raise MemoryError()
            self.starts = starts
            starts[0] = 0
        return 0

    cdef int check_texts(self, const ArrowArray *a) except -1:
        """Raise ValueError for an array of texts that is not built as its layout says."""
        if self.layout.text == c"n":
            return 0
        if self.layout.index:
            self.check_array(a, 2, 0)
            if a.dictionary == NULL:
                self.fail_array()
            a = a.dictionary
        self.check_array(a, max(3, a.n_buffers) if self.layout.text == c"v" else 3, 0)
        if a.n_buffers > 3 and a.buffers[a.n_buffers - 1] == NULL:
            self.fail_array()
        return 0

    cdef int check_array(self, const ArrowArray *a, int64_t buffers, int64_t children) except -1:
        if (
            a.length < 0 or a.offset < 0 or a.n_buffers != buffers or a.n_children != children
            or a.buffers == NULL or (buffers > 1 and a.length and a.buffers[1] == NULL)
        ):
            self.fail_array()
        return 0

    cdef int fail_array(self) except -1:
        raise ValueError(f"an Arrow array of {self.side} is not built as its type demands")

    cdef int fail_text(self, str where, Found found, str expected) except -1:
        if found == NULL_TEXT:
            raise TypeError(f"{self.side}{where} is null, {expected}")
        if found == NOT_UTF8:
            raise ValueError(f"{self.side}{where} is not valid UTF-8")
        raise ValueError(f"{self.side}{where} lies outside of its Arrow buffers")


def beside(str side not None, list columns not None):
    """Return one column of lists: row r holds the text in row r of each column, if it has one.

    There is at least one column, and each row has a text in one of them.
    """
    cdef Column result = Column.__new__(Column)
    cdef Column column
    cdef Py_ssize_t i, width = len(columns), rows = -1
    for column in columns:
        if column is None:
            raise TypeError(f"a column of {side} is None")
        if rows < 0:
            rows = column.rows
        if column.rows != rows or column.starts != NULL:
            raise ValueError("the columns must have one text in each of equally many rows")
    if rows < 0:
        raise ValueError(f"{side} has no columns")
    columns = list(columns)
    result.side = side
    result.columns = columns
    result.reserve(width * rows, rows + 1)
    for i in range(rows):
        for column in columns:
            if column.texts[i].length >= 0:
                result.texts[result.text_count] = column.texts[i]
                result.text_count += 1
        if result.text_count == result.starts[i]:
            raise ValueError(f"{side}: row {i} {ALL_NULL}; {AT_LEAST_ONE}")
        result.rows += 1
        result.starts[result.rows] = result.text_count
    return result


def count(Column hypotheses not None, Column references not None, Py_ssize_t start,
          Py_ssize_t stop, int char_order, int word_order, bint whitespace,
          Py_ssize_t threads=1):
    """Count rows `start` up to `stop`, each reference with its hypothesis.

    See `chrf.kernel.count.count`.
    """
    cdef _Job job = _Job.__new__(_Job)
    cdef Py_ssize_t row, first, n, i = 0, longest_hypothesis = 0, longest_reference = 0
    cdef Text *texts
    hypotheses.check_rows(start, stop)
    references.check_rows(start, stop)
    if hypotheses.starts != NULL:
        raise ValueError("a hypothesis is one text")
    first = references.first_text(start)
    n = references.first_text(stop) - first
    texts = job.room(2 * n)
    for row in range(start, stop):
        while i < references.first_text(row + 1) - first:
            texts[i] = hypotheses.texts[row]
            texts[n + i] = references.texts[first + i]
            longest_hypothesis = max(longest_hypothesis, texts[i].length)
            longest_reference = max(longest_reference, texts[n + i].length)
            i += 1
    return job.count_pairs(n, longest_hypothesis, longest_reference, char_order, word_order,
                           whitespace, threads)
