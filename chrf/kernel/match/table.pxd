# The map of the kernel: an open-addressed hash table with exact 64-bit keys and linear probing.
#
# A key is (id of the n-gram without its last symbol) * 2^32 + (last symbol), and the id of an
# n-gram is the number of its cell. By induction over n, equal keys are equal n-grams: no
# comparison of text is ever needed, and hash equality is never taken for n-gram equality.

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset


cdef enum:
    NOT_FOUND = 0xFFFFFFFF


cdef struct Cell:
    uint64_t key
    uint32_t total     # occurrences in the reference; 0 says that the cell is empty
    uint32_t left      # occurrences that no hypothesis n-gram has matched yet


cdef struct Table:
    Cell *cells
    uint64_t mask      # number of cells in use - 1; that number is a power of two
    uint64_t size      # number of cells that are not empty
    int shift          # 64 - log2(number of cells in use)
    uint64_t seed      # unknown outside the process, so that no text can be built to collide


cdef inline uint64_t table_cells(uint64_t entries) noexcept nogil:
    """Return how many cells a table of `entries` has: it is at most half full."""
    cdef uint64_t cells = 64
    while cells < 2 * entries:
        cells *= 2
    return cells


cdef inline void table_clear(Table *table, uint64_t entries) noexcept nogil:
    """Empty the table, and make it large enough for `entries`."""
    cdef uint64_t cells = table_cells(entries)
    table.size = 0
    table.mask = cells - 1
    table.shift = 64
    while cells >> (64 - table.shift) > 1:
        table.shift -= 1
    memset(table.cells, 0, cells * sizeof(Cell))


cdef inline uint64_t table_start(const Table *table, uint64_t key) noexcept nogil:
    cdef uint64_t h = (key ^ table.seed) * <uint64_t>0x9E3779B97F4A7C15
    h ^= h >> 32
    h *= table.seed | 1
    return h >> table.shift


cdef inline uint32_t table_add(Table *table, uint64_t key) noexcept nogil:
    """Count one occurrence of the key; return its id."""
    cdef uint64_t i = table_start(table, key)
    while table.cells[i].total != 0 and table.cells[i].key != key:
        i = (i + 1) & table.mask
    table.size += table.cells[i].total == 0
    table.cells[i].key = key
    table.cells[i].total += 1
    table.cells[i].left += 1
    return <uint32_t>i


cdef inline uint32_t table_enter(Table *table, uint64_t key) noexcept nogil:
    """See that the key has a cell, with `left` 0 when it is new; return its id."""
    cdef uint64_t i = table_start(table, key)
    while table.cells[i].total != 0 and table.cells[i].key != key:
        i = (i + 1) & table.mask
    table.cells[i].key = key
    table.cells[i].total = 1
    return <uint32_t>i


cdef inline uint32_t table_find(const Table *table, uint64_t key) noexcept nogil:
    """Return the id of the key, or NOT_FOUND."""
    cdef uint64_t i = table_start(table, key)
    while table.cells[i].total != 0:
        if table.cells[i].key == key:
            return <uint32_t>i
        i = (i + 1) & table.mask
    return NOT_FOUND
