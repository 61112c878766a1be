# cython: language_level=3
# cython: freethreading_compatible=True
"""Sums of resamples: rows of 64-bit words that were drawn by index, or chosen by bits.

What a word holds is the caller's affair: one number, or several counts side by side in bit fields
that no sum of theirs can fill (`chrf.core.resampling.Packed`). Adding words then adds all fields at
once, exactly, because no field ever carries into its neighbour.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc

cdef enum:
    LANES = 6         # words added up at a time, in registers
    GROUP = 8         # segments to a table
    SUBSETS = 256     # of a group
    TABLES = 3        # looked up at a time: 24 bits, and up to 7 before them, are in 4 bytes

LANE_COUNT = LANES    # rows for `add_drawn` are as wide as a multiple of this


cdef Py_ssize_t add_lanes(const int64_t *words, Py_ssize_t rows, Py_ssize_t width,
                          const int64_t[:] drawn, int64_t *sums) noexcept nogil:
    """Add six words of every drawn row to the sums; return -1, or the first place without a row."""
    cdef int64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, index
    cdef const int64_t *row
    cdef Py_ssize_t place
    for place in range(drawn.shape[0]):
        index = drawn[place]
        if index < 0 or index >= rows:
            return place
        row = words + index * width
        a += row[0]
        b += row[1]
        c += row[2]
        d += row[3]
        e += row[4]
        f += row[5]
    sums[0] += a
    sums[1] += b
    sums[2] += c
    sums[3] += d
    sums[4] += e
    sums[5] += f
    return -1


def add_drawn(const int64_t[:, ::1] words not None, const int64_t[:, :] indices not None,
              int64_t[:, ::1] sums not None):
    """Add the drawn rows of each resample to its sums.

    Parameters
    ----------
    words : int64 buffer [rows, width]
        `width` is a multiple of LANE_COUNT.
    indices : int64 buffer [resamples, draws]
        Rows, in any memory layout.
    sums : int64 buffer [resamples, width]
        Changed in place.
    """
    cdef Py_ssize_t rows = words.shape[0], width = words.shape[1], resample, lane
    cdef Py_ssize_t outside = -1
    if sums.shape[1] != width or width % LANES:
        raise ValueError(f"rows of {width} words and sums of {sums.shape[1]}")
    if sums.shape[0] != indices.shape[0]:
        raise ValueError(f"{indices.shape[0]} resamples and {sums.shape[0]} sums")
    if not rows and indices.shape[1]:
        raise IndexError("there are no rows to draw from")
    with nogil:
        for resample in range(sums.shape[0]):
            for lane in range(width // LANES):
                outside = add_lanes(&words[0, lane * LANES], rows, width, indices[resample],
                                    &sums[resample, lane * LANES])
                if outside >= 0:
                    break
            if outside >= 0:
                break
    if outside >= 0:
        raise IndexError(f"row {indices[resample, outside]} of {rows}")


cdef void fill_table(const int64_t *words, Py_ssize_t members, Py_ssize_t width,
                     int64_t *table) noexcept nogil:
    """Fill row s of the table with the sum of the members whose bits are set in s.

    Every subset whose highest member is k is one without k plus k: one addition each. Bits beyond
    the members add nothing.
    """
    cdef Py_ssize_t k, subset, word
    cdef int64_t *upper = table
    for word in range(width):
        table[word] = 0
    for k in range(GROUP):
        for subset in range(1 << k):
            upper += width
            for word in range(width):
                upper[word] = table[subset * width + word]
                if k < members:
                    upper[word] += words[k * width + word]


cdef void add_groups(const int64_t *tables, Py_ssize_t width, const uint8_t *bits,
                     Py_ssize_t first, Py_ssize_t stride, Py_ssize_t subsets,
                     int64_t *sums) noexcept nogil:
    """Add to each subset's sums the rows of three tables that its next 24 bits name."""
    cdef Py_ssize_t subset, word, position
    cdef const uint8_t *part
    cdef const int64_t *a
    cdef const int64_t *b
    cdef const int64_t *c
    cdef uint32_t window
    for subset in range(subsets):
        position = subset * stride + first
        part = bits + (position >> 3)
        window = (
            part[0] | (<uint32_t>part[1] << 8) | (<uint32_t>part[2] << 16) |
            (<uint32_t>part[3] << 24)
        ) >> (position & 7)
        a = tables + (window & 255) * width
        b = tables + (SUBSETS + ((window >> 8) & 255)) * width
        c = tables + (2 * SUBSETS + ((window >> 16) & 255)) * width
        for word in range(width):
            sums[word] += a[word] + b[word] + c[word]
        sums += width


def add_subsets(const int64_t[:, ::1] words not None, const uint8_t[::1] bits not None,
                Py_ssize_t stride, int64_t[:, ::1] sums not None):
    """Add to the sums of each subset the rows that it holds.

    One table of the 256 sums of eight rows turns eight additions into one look-up: the same
    integers, added in another order.

    Parameters
    ----------
    words : int64 buffer [rows, width]
    bits : uint8 buffer
        Row i is in subset s where bit ``s * stride + i`` is set; bits count from the lowest of
        each byte. Four bytes more than these bits need are there, and may hold anything.
    stride : int
        Bits from one subset to the next.
    sums : int64 buffer [subsets, width]
        Changed in place. No sum of rows of one sign, whatever the subset, may pass 64 bits.
    """
    cdef Py_ssize_t rows = words.shape[0], width = words.shape[1], subsets = sums.shape[0]
    cdef Py_ssize_t tile, table, first, room
    cdef int64_t *tables
    if sums.shape[1] != width:
        raise ValueError(f"rows of {width} words and sums of {sums.shape[1]}")
    if not rows or not width or not subsets:
        return
    room = 8 * (bits.shape[0] - 4) - rows        # for what the strides skip
    if stride < 0 or room < 0 or (subsets > 1 and stride > room // (subsets - 1)):
        raise ValueError(f"{bits.shape[0]} bytes are not {subsets} subsets of {rows} rows")
    tables = <int64_t *>malloc(TABLES * SUBSETS * width * sizeof(int64_t))
    if tables == NULL:
        raise MemoryError
    with nogil:
        for tile in range((rows + TABLES * GROUP - 1) // (TABLES * GROUP)):
            for table in range(TABLES):
                first = (tile * TABLES + table) * GROUP
                first = min(first, rows)
                fill_table(&words[0, 0] + first * width, rows - first, width,
                           tables + table * SUBSETS * width)
            add_groups(tables, width, &bits[0], tile * TABLES * GROUP, stride, subsets,
                       &sums[0, 0])
    free(tables)
