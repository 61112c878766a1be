# Any text, order by order, through a hash table: linear time for whatever comes.

from libc.stdint cimport int64_t, uint32_t, uint64_t

from chrf.kernel.match.table cimport NOT_FOUND, Cell, Table, table_add, table_clear, table_find


cdef struct Symbols:           # code points, or numbers of words
    uint32_t *items
    Py_ssize_t length


cdef struct Grams:
    Table table
    uint32_t *hypothesis_ids   # at each position, the id of the n-gram that starts there
    uint32_t *reference_ids
    uint32_t *alive            # positions whose n-gram the reference has


cdef inline int64_t count_order(
    Grams *s, const Symbols *hypothesis, const Symbols *reference, Py_ssize_t order,
    uint64_t most, Py_ssize_t *alive,
) noexcept nogil:
    """Count the clipped matches of one order, given the ids of the n-grams one shorter.

    The reference has at most `most` different n-grams.

    A hypothesis n-gram that the reference lacks cannot be extended to one that it has, so only
    the `alive` positions are looked at again by the next order.
    """
    cdef Py_ssize_t i, kept = 0
    cdef int64_t matching = 0
    cdef uint32_t position, found
    cdef Cell *cell
    table_clear(&s.table, most)
    for i in range(reference.length - order + 1):
        s.reference_ids[i] = table_add(
            &s.table, <uint64_t>s.reference_ids[i] << 32 | reference.items[i + order - 1]
        )
    for i in range(alive[0]):
        position = s.alive[i]
        if position + order > hypothesis.length:
            break
        found = table_find(
            &s.table,
            <uint64_t>s.hypothesis_ids[position] << 32 | hypothesis.items[position + order - 1],
        )
        if found == NOT_FOUND:
            continue
        cell = &s.table.cells[found]
        if cell.left != 0:
            cell.left -= 1
            matching += 1
        s.hypothesis_ids[position] = found
        s.alive[kept] = position
        kept += 1
    alive[0] = kept
    return matching


cdef inline void count_orders(
    Grams *s, const Symbols *hypothesis, const Symbols *reference, Py_ssize_t orders, int64_t *out,
) noexcept nogil:
    """Fill (hypothesis_ngrams, reference_ngrams, matching_ngrams) for the orders 1..orders."""
    cdef Py_ssize_t i, order, alive = hypothesis.length
    cdef uint64_t most = reference.length, symbols = 0
    for i in range(hypothesis.length):
        s.alive[i] = <uint32_t>i
        s.hypothesis_ids[i] = 0
    for i in range(reference.length):
        s.reference_ids[i] = 0
    for order in range(1, orders + 1):
        out[0] = max(hypothesis.length - order + 1, 0)
        out[1] = max(reference.length - order + 1, 0)
        out[2] = count_order(s, hypothesis, reference, order, most, &alive)
        if order == 1:
            symbols = s.table.size
        # An n-gram of the next order is one of this and a symbol.
        most = min(<uint64_t>reference.length, s.table.size * symbols)
        out += 3
