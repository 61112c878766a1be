# Columns of text in Arrow's memory, and one row of them.
#
# https://arrow.apache.org/docs/format/CDataInterface.html

from libc.stdint cimport (
    int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
)
from libc.string cimport memcpy, memset, strchr, strcmp, strncmp

from chrf.kernel.decode cimport Text
from chrf.kernel.utf8 cimport valid_utf8


cdef struct ArrowSchema:
    const char *format
    const char *name
    const char *metadata
    int64_t flags
    int64_t n_children
    ArrowSchema **children
    ArrowSchema *dictionary
    void (*release)(ArrowSchema *) noexcept nogil
    void *private_data


cdef struct ArrowArray:
    int64_t length
    int64_t null_count
    int64_t offset
    int64_t n_buffers
    int64_t n_children
    const void **buffers
    ArrowArray **children
    ArrowArray *dictionary
    void (*release)(ArrowArray *) noexcept nogil
    void *private_data


cdef struct ArrowArrayStream:
    int (*get_schema)(ArrowArrayStream *, ArrowSchema *) noexcept nogil
    int (*get_next)(ArrowArrayStream *, ArrowArray *) noexcept nogil
    const char *(*get_last_error)(ArrowArrayStream *) noexcept nogil
    void (*release)(ArrowArrayStream *) noexcept nogil
    void *private_data


cdef enum Found:
    GOOD, NULL_TEXT, NOT_UTF8, OUTSIDE


cdef struct Layout:
    bint wrapped               # a table of this one column
    char group                 # lists of texts: "l" or "L", "w" of a fixed size; 0: texts
    int64_t size               # of a fixed-size list
    char index                 # format of a dictionary's index; 0: no dictionary
    char text                  # "u", "U", "v" for utf8_view, "n" for null


cdef inline bint is_null(const ArrowArray *a, int64_t i) noexcept nogil:
    cdef const uint8_t *valid
    if a.null_count == 0 or a.n_buffers == 0 or a.buffers[0] == NULL:
        return False
    valid = <const uint8_t *>a.buffers[0]
    i += a.offset
    return not valid[i >> 3] >> (i & 7) & 1


cdef inline int64_t read_index(const void *buffer, char index, int64_t i) noexcept nogil:
    """Return item `i` of a buffer of integers; what does not fit is negative."""
    if index == c"c":
        return (<const int8_t *>buffer)[i]
    if index == c"C":
        return (<const uint8_t *>buffer)[i]
    if index == c"s":
        return (<const int16_t *>buffer)[i]
    if index == c"S":
        return (<const uint16_t *>buffer)[i]
    if index == c"i":
        return (<const int32_t *>buffer)[i]
    if index == c"I":
        return (<const uint32_t *>buffer)[i]
    return (<const int64_t *>buffer)[i]


cdef inline Found read_text(
    const ArrowArray *a, const Layout *layout, int64_t i, Text *text
) noexcept nogil:
    """Point at text `i`, and return whether it is one."""
    cdef const uint8_t *view
    cdef const uint8_t *data
    cdef int64_t begin, end
    cdef int32_t numbers[4]    # of a view: length, prefix, buffer, offset
    if layout.text == c"n":
        return NULL_TEXT
    if layout.index:
        if is_null(a, i):
            return NULL_TEXT
        i = read_index(a.buffers[1], layout.index, a.offset + i)
        a = a.dictionary
        if not 0 <= i < a.length:
            return OUTSIDE
    if is_null(a, i):
        return NULL_TEXT
    i += a.offset
    if layout.text == c"v":
        view = <const uint8_t *>a.buffers[1] + 16 * i
        memcpy(numbers, view, 16)
        begin, end = 0, numbers[0]
        data = view + 4
        if end > 12:
            if not 0 <= numbers[2] < a.n_buffers - 3:
                return OUTSIDE
            begin, end = numbers[3], <int64_t>numbers[3] + end
            data = <const uint8_t *>a.buffers[2 + numbers[2]]
            if end > (<const int64_t *>a.buffers[a.n_buffers - 1])[numbers[2]]:
                return OUTSIDE
    else:
        data = <const uint8_t *>a.buffers[2]
        begin = read_index(a.buffers[1], c"i" if layout.text == c"u" else c"l", i)
        end = read_index(a.buffers[1], c"i" if layout.text == c"u" else c"l", i + 1)
    if not 0 <= begin <= end or (data == NULL and begin < end):
        return OUTSIDE
    text.kind = 0
    text.data = data + begin
    text.length = end - begin
    return GOOD if valid_utf8(data + begin, end - begin) else NOT_UTF8


cdef inline str children_names(const ArrowSchema *schema):
    """Return the names of a table's columns, as a message lists them."""
    cdef int64_t i
    cdef list names = []
    for i in range(schema.n_children):
        if schema.children[i].name == NULL:
            names.append("")
        else:
            names.append(schema.children[i].name.decode("utf-8", "replace"))
    return ", ".join(names)


cdef inline str type_name(const ArrowSchema *schema):
    """Return what Arrow calls the type, about."""
    cdef dict types = {
        "n": "null", "b": "bool", "c": "int8", "C": "uint8", "s": "int16", "S": "uint16",
        "i": "int32", "I": "uint32", "l": "int64", "L": "uint64", "f": "float32", "g": "float64",
        "z": "binary", "Z": "large binary", "vz": "binary view", "u": "string", "U": "large string",
        "vu": "string view", "tdD": "date", "+s": "struct", "+m": "map", "+l": "list",
        "+L": "large list", "+vl": "list view", "+vL": "large list view",
    }
    code = schema.format.decode("ascii", "replace")
    if schema.dictionary != NULL:
        return f"dictionary of {type_name(schema.dictionary)}"
    name = types.get(code, f"Arrow type {code!r}")
    return f"{name} of {type_name(schema.children[0])}" if schema.n_children == 1 else name


cdef inline int read_layout(
    Layout *layout, const ArrowSchema *schema, str side, bint lists
) except -1:
    """Write how the column lies; TypeError where it is not one of strings or, if so, of lists."""
    cdef const ArrowSchema *inner
    memset(layout, 0, sizeof(Layout))
    if strcmp(schema.format, "+s") == 0:
        if schema.n_children != 1:
            raise TypeError(
                f"{side} is a table of {schema.n_children} columns "
                f"({children_names(schema)}); choose one "
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
        if schema.n_children != 1:
            raise ValueError(f"an Arrow array of {side} is not built as its type demands")
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
        raise TypeError(f"{side} is a column of {found}, not of strings"
                        + (" or of lists of strings" if lists else ""))
    return 0
