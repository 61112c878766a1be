# All orders of two texts at once, by sorting: the same time a symbol whatever the text.
#
# Each position of either text is taken as the window of symbols that starts there, as many as the
# longest n-gram has. Once all windows are sorted, those that begin with the same n symbols stand
# side by side, for every n at once. So the n-grams of order n are the runs of windows between two
# neighbours that differ in their first n symbols, and the matches of a run are the smaller number
# of either text's windows in it. Nothing is hashed.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from chrf._chains cimport LONGEST_ORDER
from chrf._orders cimport Symbols

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define chrf_bit_length(x) (64 - __builtin_clzll(x))
    #else
    static int chrf_bit_length(unsigned long long x) {
        int n = 0;
        while (x) { x >>= 1; n++; }
        return n;
    }
    #endif
    """
    int chrf_bit_length(uint64_t) noexcept nogil   # of a number that is not 0


cdef enum:
    DIGIT = 11                 # bits by which windows are sorted in one pass
    SMALL_DIGIT = 8            # for so few windows that 2048 counters cost more than they spare
    FEW_WINDOWS = 2048
    MOST_PASSES = 8


cdef struct Windows:           # memory for both texts
    uint64_t *items            # the symbols, the first highest; the lowest bit: of the reference
    uint64_t *spare            # where a pass of sorting writes
    Py_ssize_t room
    uint32_t *counters         # 2048 for each pass


cdef inline void write_windows(
    const Symbols *text, int bits, int orders, uint32_t after, uint64_t side, uint64_t *windows
) noexcept nogil:
    """Write the window of each position. Beyond the end every symbol is `after`."""
    cdef Py_ssize_t i
    cdef int top = bits * (orders - 1)
    cdef uint64_t window = 0
    for _ in range(orders):
        window = window << bits | after
    for i in range(text.length - 1, -1, -1):
        window = window >> bits | <uint64_t>(text.items[i] + 1) << top     # NOT_FOUND becomes 0
        windows[i] = window << 1 | side


cdef inline void count_digits(const Windows *windows, Py_ssize_t n, int digit, int passes
                              ) noexcept nogil:
    """Count how often each digit has each value, for four digits at a time."""
    cdef uint32_t *counters = windows.counters
    cdef uint32_t values = <uint32_t>1 << digit, mask = values - 1
    cdef uint64_t window
    cdef Py_ssize_t j
    cdef int i
    memset(counters, 0, (passes + 3) // 4 * 4 * sizeof(uint32_t) << digit)
    for i in range(0, passes, 4):
        for j in range(n):
            window = windows.items[j] >> (1 + i * digit)
            counters[window & mask] += 1
            window >>= digit
            counters[values + (window & mask)] += 1
            window >>= digit
            counters[2 * values + (window & mask)] += 1
            window >>= digit
            counters[3 * values + (window & mask)] += 1
        counters += 4 * values


cdef inline void sort_windows(Windows *windows, Py_ssize_t n, int bits) noexcept nogil:
    """Sort by all bits but the lowest: by a few of them, from the low to the high, in each pass."""
    cdef int most = DIGIT if n > FEW_WINDOWS else SMALL_DIGIT
    cdef int passes = (bits + most - 1) // most
    cdef int digit = (bits + passes - 1) // passes, shift = 1
    cdef uint32_t values = <uint32_t>1 << digit, begin, number
    cdef uint32_t *places = windows.counters
    cdef uint32_t *place
    cdef Py_ssize_t j
    count_digits(windows, n, digit, passes)
    for _ in range(passes):
        begin = 0
        for j in range(values):
            number = places[j]
            places[j] = begin
            begin += number
        for j in range(n):
            place = places + (windows.items[j] >> shift & (values - 1))
            windows.spare[place[0]] = windows.items[j]
            place[0] += 1
        windows.items, windows.spare = windows.spare, windows.items
        places += values
        shift += digit


cdef inline void match_runs(
    const uint64_t *windows, Py_ssize_t n, int bits, int orders, int64_t *matching
) noexcept nogil:
    """Add up the matches of the runs of each order.

    Without branches: all orders are looked at where a window differs from the one before it, and
    those whose run goes on are masked out.
    """
    cdef uint8_t equal[64]                 # highest bit that differs + 1 -> symbols before it
    cdef int32_t ends[LONGEST_ORDER + 1][LONGEST_ORDER]      # symbols that are equal -> order -> -1
    cdef int32_t begin[LONGEST_ORDER]      # windows before the run
    cdef int32_t begin_reference[LONGEST_ORDER]      # those of the reference
    cdef int32_t matched[LONGEST_ORDER]
    cdef int32_t end, end_reference = 0, theirs, more
    cdef const int32_t *mask
    cdef uint64_t difference
    cdef Py_ssize_t i
    cdef int order, bit
    for bit in range(bits * orders):
        equal[bit + 1] = <uint8_t>(orders - 1 - bit // bits)
    for i in range(LONGEST_ORDER + 1):
        for order in range(LONGEST_ORDER):
            ends[i][order] = -(order >= i)
    memset(begin, 0, sizeof(begin))
    memset(begin_reference, 0, sizeof(begin_reference))
    memset(matched, 0, sizeof(matched))
    for i in range(1, n + 1):
        end_reference += windows[i - 1] & 1
        mask = ends[0]                     # all runs end with the last window
        if i < n:
            difference = (windows[i] ^ windows[i - 1]) >> 1
            if difference == 0:
                continue
            mask = ends[equal[chrf_bit_length(difference)]]
        end = <int32_t>i
        for order in range(LONGEST_ORDER):
            theirs = end_reference - begin_reference[order]
            more = end - begin[order] - theirs - theirs      # of the hypothesis than of the other
            matched[order] += theirs + (more & more >> 31) & mask[order]
            begin[order] ^= (begin[order] ^ end) & mask[order]
            begin_reference[order] ^= (begin_reference[order] ^ end_reference) & mask[order]
    for order in range(orders):
        matching[order] = matched[order]


cdef inline bint count_sorted(
    Windows *windows, const Symbols *hypothesis, const Symbols *reference, uint32_t size,
    int orders, int64_t *matching,
) noexcept nogil:
    """Clipped matches of the orders 1..orders; False if a window has too many bits, or no memory.

    Symbols are numbered from 0 to below `size`; the hypothesis may also have NOT_FOUND. A window
    that goes beyond a text's end has a symbol there that the other text never has.
    """
    cdef int bits = chrf_bit_length(size + <uint64_t>1)
    cdef Py_ssize_t n = hypothesis.length + reference.length
    if orders > LONGEST_ORDER or bits * orders > 63 or not make_room(windows, n):
        return False
    write_windows(hypothesis, bits, orders, 0, 0, windows.items)
    write_windows(reference, bits, orders, size + 1, 1, windows.items + hypothesis.length)
    sort_windows(windows, n, bits * orders)
    match_runs(windows.items, n, bits, orders, matching)
    return True


cdef inline bint make_room(Windows *windows, Py_ssize_t n) noexcept nogil:
    """See that there is memory for so many windows; False if there is not."""
    if n > windows.room:
        free_windows(windows)
        windows.items = <uint64_t *>malloc(n * sizeof(uint64_t))
        windows.spare = <uint64_t *>malloc(n * sizeof(uint64_t))
        windows.counters = <uint32_t *>malloc(MOST_PASSES * sizeof(uint32_t) << DIGIT)
        if not windows.items or not windows.spare or not windows.counters:
            free_windows(windows)
            return False
        windows.room = n
    return True


cdef inline void free_windows(Windows *windows) noexcept nogil:
    free(windows.items)
    free(windows.spare)
    free(windows.counters)
    windows.items = windows.spare = NULL
    windows.counters = NULL
    windows.room = 0
