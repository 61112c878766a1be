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

from chrf.kernel.match.chains cimport LONGEST_ORDER
from chrf.kernel.memory cimport chrf_malloc
from chrf.kernel.match.orders cimport Symbols

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
    MOST_PASSES = 8            # over one word


cdef struct Wide:              # a window of two words
    uint64_t first
    uint64_t last


ctypedef fused Window:         # the first symbol stands highest; the lowest bit of the only or the
    uint64_t                   # last word says that it is the reference's
    Wide


cdef struct Windows:           # memory for both texts
    uint64_t *items            # or Wide *
    uint64_t *spare            # where a pass of sorting writes
    Py_ssize_t room            # words
    uint32_t *counters         # 2048 for each pass


cdef struct Shape:             # of a window
    int orders                 # symbols
    int bits                   # of a symbol
    int last                   # symbols in its only or its last word


cdef inline void write_windows(
    const Symbols *text, Shape shape, uint32_t after, uint64_t side, Window *windows
) noexcept nogil:
    """Write the window of each position. Beyond the end every symbol is `after`."""
    cdef Py_ssize_t i
    cdef int top = shape.bits * (shape.orders - shape.last - 1)
    cdef int last_top = shape.bits * (shape.last - 1)
    cdef uint64_t symbol, first = 0, last = 0, mask = (<uint64_t>1 << shape.bits) - 1
    for _ in range(shape.last):
        last = last << shape.bits | after
    for _ in range(shape.orders - shape.last):
        first = first << shape.bits | after
    for i in range(text.length - 1, -1, -1):
        symbol = <uint32_t>(text.items[i] + 1)             # NOT_FOUND becomes 0
        if Window is Wide:
            last = last >> shape.bits | (first & mask) << last_top
            first = first >> shape.bits | symbol << top
            windows[i].first = first
            windows[i].last = last << 1 | side
        else:
            last = last >> shape.bits | symbol << last_top
            windows[i] = last << 1 | side


cdef inline void count_digits(
    const uint64_t *words, Py_ssize_t n, int words_a_window, int shift, int digit, int passes,
    uint32_t *counters,
) noexcept nogil:
    """Count how often each digit of the words has each value, for four digits at a time."""
    cdef uint32_t values = <uint32_t>1 << digit, mask = values - 1
    cdef uint64_t word
    cdef Py_ssize_t j
    cdef int i
    memset(counters, 0, (passes + 3) // 4 * 4 * sizeof(uint32_t) << digit)
    for i in range(0, passes, 4):
        for j in range(n):
            word = words[words_a_window * j] >> (shift + i * digit)
            counters[word & mask] += 1
            word >>= digit
            counters[values + (word & mask)] += 1
            word >>= digit
            counters[2 * values + (word & mask)] += 1
            word >>= digit
            counters[3 * values + (word & mask)] += 1
        counters += 4 * values


cdef inline void sort_by_word(
    Windows *windows, Window *items, Py_ssize_t n, int word, int shift, int bits
) noexcept nogil:
    """Sort by the bits of a word from `shift` on: by a few of them, the low ones first, a pass.

    `items` are those of the windows. Those that do not differ in the bits keep their order.
    """
    cdef int most = DIGIT if n > FEW_WINDOWS else SMALL_DIGIT
    cdef int passes = (bits + most - 1) // most
    cdef int digit = (bits + passes - 1) // passes
    cdef uint32_t values = <uint32_t>1 << digit, begin, number
    cdef uint32_t *places = windows.counters
    cdef uint32_t *place
    cdef int words_a_window = sizeof(Window) // sizeof(uint64_t)
    cdef Window *spare = <Window *>windows.spare
    cdef Py_ssize_t j
    count_digits(windows.items + word, n, words_a_window, shift, digit, passes, places)
    for _ in range(passes):
        begin = 0
        for j in range(values):
            number = places[j]
            places[j] = begin
            begin += number
        for j in range(n):
            place = places + (
                (<const uint64_t *>items)[words_a_window * j + word] >> shift & (values - 1)
            )
            spare[place[0]] = items[j]
            place[0] += 1
        items, spare = spare, items
        places += values
        shift += digit
    windows.items, windows.spare = <uint64_t *>items, <uint64_t *>spare


cdef inline void match_runs(
    const Window *windows, Py_ssize_t n, Shape shape, int64_t *matching
) noexcept nogil:
    """Add up the matches of the runs of each order.

    Without branches: all orders are looked at where a window differs from the one before it, and
    those whose run goes on are masked out. (In a loop of unknown length, four or eight times: that
    compilers turn into vectors whatever stands around it; one of known length, only by luck.)
    """
    cdef uint8_t after[64]                 # highest bit that differs + 1 -> symbols after it
    cdef int32_t ends[LONGEST_ORDER + 1][LONGEST_ORDER]      # symbols that are equal -> order -> -1
    cdef int32_t begin[LONGEST_ORDER]      # windows before the run
    cdef int32_t begin_reference[LONGEST_ORDER]      # those of the reference
    cdef int32_t matched[LONGEST_ORDER]
    cdef int32_t end, end_reference = 0, theirs, more
    cdef uint64_t difference
    cdef Py_ssize_t i
    cdef int order, bit, equal, lanes = 4 if shape.orders <= 4 else 8
    for bit in range(63):
        after[bit + 1] = <uint8_t>(bit // shape.bits)
    for i in range(LONGEST_ORDER + 1):
        for order in range(LONGEST_ORDER):
            ends[i][order] = -(order >= i)
    memset(begin, 0, sizeof(begin))
    memset(begin_reference, 0, sizeof(begin_reference))
    memset(matched, 0, sizeof(matched))
    for i in range(1, n + 1):
        equal = 0                          # symbols; all runs end with the last window
        if Window is Wide:
            end_reference += windows[i - 1].last & 1
        else:
            end_reference += windows[i - 1] & 1
        if i < n:
            equal = shape.orders - 1
            if Window is Wide:
                difference = windows[i].first ^ windows[i - 1].first
                if difference:
                    equal -= shape.last
                else:
                    difference = (windows[i].last ^ windows[i - 1].last) >> 1
            else:
                difference = (windows[i] ^ windows[i - 1]) >> 1
            if difference == 0:
                continue
            equal -= after[chrf_bit_length(difference)]
        end = <int32_t>i
        for order in range(lanes):
            theirs = end_reference - begin_reference[order]
            more = end - begin[order] - theirs - theirs      # of the hypothesis than of the other
            matched[order] += theirs + (more & more >> 31) & ends[equal][order]
            begin[order] ^= (begin[order] ^ end) & ends[equal][order]
            begin_reference[order] ^= (begin_reference[order] ^ end_reference) & ends[equal][order]
    for order in range(shape.orders):
        matching[order] = matched[order]


cdef inline bint count_sorted(
    Windows *windows, const Symbols *hypothesis, const Symbols *reference, uint32_t size,
    int orders, int64_t *matching,
) noexcept nogil:
    """Count the matches of the orders 1..orders; return False if it cannot be done.

    A window may have too many bits, or there may be no memory for them.

    Symbols are numbered from 0 to below `size`; the hypothesis may also have NOT_FOUND. A window
    that goes beyond a text's end has a symbol there that the other text never has.
    """
    cdef Py_ssize_t n = hypothesis.length + reference.length
    cdef Shape shape = Shape(orders, chrf_bit_length(size + <uint64_t>1), orders)
    cdef Wide *wide
    if orders > LONGEST_ORDER:
        return False
    if n == 0:                             # there may be no memory at all yet
        memset(matching, 0, orders * sizeof(int64_t))
        return True
    if shape.bits * orders <= 63:
        if not make_room(windows, n):
            return False
        write_windows(hypothesis, shape, 0, 0, windows.items)
        write_windows(reference, shape, size + 1, 1, windows.items + hypothesis.length)
        sort_by_word(windows, windows.items, n, 0, 1, shape.bits * orders)
        match_runs(windows.items, n, shape, matching)
        return True
    shape.last = orders // 2
    if shape.bits * (orders - shape.last) > 63 or not make_room(windows, 2 * n):
        return False
    wide = <Wide *>windows.items
    write_windows(hypothesis, shape, 0, 0, wide)
    write_windows(reference, shape, size + 1, 1, wide + hypothesis.length)
    sort_by_word(windows, wide, n, 1, 1, shape.bits * shape.last)
    sort_by_word(windows, <Wide *>windows.items, n, 0, 0, shape.bits * (orders - shape.last))
    match_runs(<Wide *>windows.items, n, shape, matching)
    return True


cdef inline bint make_room(Windows *windows, Py_ssize_t words) noexcept nogil:
    """See that there is memory for `words` of windows; return False if there is none."""
    if words > windows.room:
        free_windows(windows)
        windows.items = <uint64_t *>chrf_malloc(words * sizeof(uint64_t))
        windows.spare = <uint64_t *>chrf_malloc(words * sizeof(uint64_t))
        windows.counters = <uint32_t *>malloc(MOST_PASSES * sizeof(uint32_t) << DIGIT)
        if not windows.items or not windows.spare or not windows.counters:
            free_windows(windows)
            return False
        windows.room = words
    return True


cdef inline void free_windows(Windows *windows) noexcept nogil:
    free(windows.items)
    free(windows.spare)
    free(windows.counters)
    windows.items = windows.spare = NULL
    windows.counters = NULL
    windows.room = 0
