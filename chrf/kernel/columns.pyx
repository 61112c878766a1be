# cython: language_level=3
# cython: freethreading_compatible=True
"""Columns of text in Arrow's memory -> counts, read in place through the PyCapsule interface."""

cimport cython
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset, strchr, strcmp, strncmp

from chrf.kernel.arrow cimport (
    GOOD, NOT_UTF8, NULL_TEXT, OUTSIDE, ArrowArray, ArrowArrayStream, ArrowSchema, Found, Layout,
    is_null, read_index, read_text, type_name,
)
from chrf.kernel.count cimport _Job, check_length
from chrf.kernel.decode cimport Text


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

    def __init__(self, str side not None, source, bint lists):
        if self.side is not None:
            raise TypeError("a column is read once")
        self.side = side
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
        self.check_rows(start, stop)
        return [self.first_text(i) - self.first_text(start) for i in range(start, stop + 1)]

    def strings(self, Py_ssize_t start, Py_ssize_t stop):
        """Return the texts of rows `start` up to `stop` as strings, one list for all rows."""
        self.check_rows(start, stop)
        return [
            PyUnicode_DecodeUTF8(<const char *>self.texts[i].data, self.texts[i].length, NULL)
            for i in range(self.first_text(start), self.first_text(stop))
        ]

    cdef int check_rows(self, Py_ssize_t start, Py_ssize_t stop) except -1:
        if not 0 <= start <= stop <= self.rows:
            raise ValueError(f"{start} and {stop} must be rows of {self.side}")
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
            self.read_schema(&schema, lists)
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
        self.read_schema(schema, lists)        # which its capsule releases
        chunk = given[0]
        given.release = NULL
        self.take(&chunk)
        return 0

    cdef int fail_stream(self, ArrowArrayStream *stream, int code) except -1:
        cdef const char *message = stream.get_last_error(stream)
        said = message.decode("utf-8", "replace") if message != NULL else f"error {code}"
        raise OSError(f"the Arrow stream of {self.side} failed: {said}")

    cdef int read_schema(self, const ArrowSchema *schema, bint lists) except -1:
        cdef Layout *layout = &self.layout
        cdef const ArrowSchema *inner
        memset(layout, 0, sizeof(Layout))
        if strcmp(schema.format, "+s") == 0:
            if schema.n_children != 1:
                names = ", ".join([
                    schema.children[i].name.decode("utf-8", "replace")
                    if schema.children[i].name != NULL else "" for i in range(schema.n_children)
                ])
                raise TypeError(
                    f"{self.side} is a table of {schema.n_children} columns ({names}); choose one "
                    "by its name, as in table['name'] or relation.select('name')"
                )
            layout.wrapped = True
            schema = schema.children[0]
        inner = schema
        if lists and (
            strcmp(schema.format, "+l") == 0 or strcmp(schema.format, "+L") == 0
            or strncmp(schema.format, "+w:", 3) == 0
        ):
            layout.group = schema.format[1]
            if layout.group == c"w":
                layout.size = int(schema.format[3:])
            inner = schema.children[0]
        if inner.dictionary != NULL:
            layout.index = inner.format[0]
            inner = inner.dictionary
        if strcmp(inner.format, "vu") == 0:
            layout.text = c"v"
        elif strcmp(inner.format, "u") == 0 or strcmp(inner.format, "U") == 0 or (
            strcmp(inner.format, "n") == 0
        ):
            layout.text = inner.format[0]
        if not layout.text or inner.dictionary != NULL or (
            layout.index and strchr("cCsSiIlL", layout.index) == NULL
        ):
            found = type_name(schema)
            raise TypeError(f"{self.side} is a column of {found}, not of strings"
                            + (" or of lists of strings" if lists else ""))
        return 0

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
                       int64_t n, Found *found) noexcept nogil:
        """Point at texts from `first`; return how many were good before the first that is not."""
        cdef int64_t i
        for i in range(n):
            if table != NULL and is_null(table, i):
                found[0] = NULL_TEXT
            else:
                found[0] = read_text(a, &self.layout, first + i, &self.texts[self.text_count + i])
            if found[0] != GOOD:
                return i
        return n

    cdef int take_texts(self, const ArrowArray *table, const ArrowArray *a, int64_t first,
                        int64_t n, Py_ssize_t row) except -1:
        """Take the texts from `first`; of one row if it is not -1."""
        cdef int64_t i
        cdef Found found = GOOD
        if row < 0:
            with nogil:
                i = self.point(table, a, first, n, &found)
        else:                  # to let go of the GIL for every row would be an invitation
            i = self.point(table, a, first, n, &found)
        if found != GOOD:
            where = f"[{row}][{i}]" if row >= 0 else f"[{self.rows + i}]"
            self.fail_text(where, found, "not a string")
        for i in range(n):
            check_length(self.side, row if row >= 0 else self.rows + i,
                         self.texts[self.text_count + i].length)
        self.text_count += n
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
                raise ValueError(
                    f"{self.side}[{self.rows}] is empty; a segment needs at least one reference"
                )
            self.reserve(end - begin, n - i)
            self.take_texts(NULL, items, begin, end - begin, self.rows)
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
    """Return one column of lists: row r holds the text in row r of each column."""
    cdef Column result = Column.__new__(Column)
    cdef Column column
    cdef Py_ssize_t i, j, width = len(columns), rows = len(columns[0])
    for column in columns:
        if column.rows != rows or column.starts != NULL:
            raise ValueError("the columns must have one text in each of equally many rows")
    result.side = side
    result.columns = columns
    result.reserve(width * rows, rows + 1)
    for j in range(width):
        column = columns[j]
        for i in range(rows):
            result.texts[i * width + j] = column.texts[i]
    for i in range(rows + 1):
        result.starts[i] = i * width
    result.rows = rows
    result.text_count = width * rows
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
