# All orders of a short segment at once, by comparing the two texts where they could match.
#
# The reference's positions are chained by the hash of their first two or three symbols. For a
# hypothesis position, each position of its chain is compared eight symbols at once, which says up
# to which order n the n-grams at the two positions are equal. An order is matched by a reference
# position that is equal up to it and that no hypothesis position before has used for that order.
# This is exact: all reference positions with the same n-gram stand in one chain and are
# interchangeable, so each of the hypothesis' occurrences finds an unused one until
# min(occurrences) are used up.

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from chrf.kernel.match.codes cimport PADDING

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define chrf_trailing_zeros(x) __builtin_ctzll(x)
    #else
    static int chrf_trailing_zeros(unsigned long long x) {
        int n = 0;
        while (!(x & 1)) { x >>= 1; n++; }
        return n;
    }
    #endif
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    #define chrf_little_endian(x) __builtin_bswap64(x)
    #else
    #define chrf_little_endian(x) (x)
    #endif
    """
    int chrf_trailing_zeros(uint64_t) noexcept nogil
    uint64_t chrf_little_endian(uint64_t) noexcept nogil


cdef enum:
    LONGEST_CHAINED = 8192     # symbols of a reference: positions are 16 bits wide
    LONGEST_ORDER = 8          # symbols compared at once
    STEPS_A_SYMBOL = 12        # longer chains are left to sorting, whose time is linear
    LONGEST_CHAINS = 2         # on average; then the steps need not be tried
    PAD = 16                   # bytes after the end that may be read


cdef struct Chains:            # the positions of a reference
    uint8_t *codes             # and PAD bytes that match nothing
    Py_ssize_t length
    int first                  # the order by which positions are chained: 2 or 3
    int shift                  # 64 - log2(number of heads); 64 if there are none
    bint short_enough          # to be walked along
    uint16_t *heads            # hash -> first position of its chain, + 1; 0 is none
    uint16_t *next             # position -> the one after it in its chain, + 1


cdef struct Marks:             # working memory of one comparison
    uint8_t *used              # reference position -> bit n - 1: matched at order n
    uint8_t *matched           # hypothesis position -> the same
    uint16_t *bigrams          # 65536 zeros, with which chains need to begin at trigrams only


cdef inline uint64_t eight_codes(const uint8_t *codes) noexcept nogil:
    """Return the next eight codes, the first in the lowest byte."""
    cdef uint64_t window
    memcpy(&window, codes, 8)
    return chrf_little_endian(window)


cdef inline uint32_t equal_orders(uint64_t a, uint64_t b) noexcept nogil:
    """Return a number whose bit n - 1 says whether the first n codes of two windows are equal."""
    cdef uint64_t difference = a ^ b
    if difference == 0:
        return 0xFF
    return (<uint32_t>1 << (chrf_trailing_zeros(difference) >> 3)) - 1


cdef inline int64_t count_unigrams(
    const uint8_t *hypothesis, Py_ssize_t hypothesis_length,
    const uint8_t *reference, Py_ssize_t reference_length,
) noexcept nogil:
    """Count the clipped matches of order 1."""
    cdef uint16_t left[256]
    cdef Py_ssize_t i
    cdef int64_t matching = 0
    cdef uint16_t n
    memset(left, 0, sizeof(left))
    for i in range(reference_length):
        left[reference[i]] += 1
    for i in range(hypothesis_length):
        n = left[hypothesis[i]]
        matching += n != 0
        left[hypothesis[i]] = n - (n != 0)
    return matching


cdef inline int64_t count_bigrams(
    uint16_t *left,
    const uint8_t *hypothesis, Py_ssize_t hypothesis_length,
    const uint8_t *reference, Py_ssize_t reference_length,
) noexcept nogil:
    """Count the clipped matches of order 2; `left` is all zeros before and after."""
    cdef Py_ssize_t i
    cdef int64_t matching = 0
    cdef uint16_t bigram, n            # the two codes; the one before them is shifted out
    if reference_length == 0 or hypothesis_length == 0:
        return 0
    bigram = reference[0]
    for i in range(1, reference_length):
        bigram = <uint16_t>(bigram << 8 | reference[i])
        left[bigram] += 1
    bigram = hypothesis[0]
    for i in range(1, hypothesis_length):
        bigram = <uint16_t>(bigram << 8 | hypothesis[i])
        n = left[bigram]
        matching += n != 0
        left[bigram] = n - (n != 0)
    bigram = reference[0]
    for i in range(1, reference_length):
        bigram = <uint16_t>(bigram << 8 | reference[i])
        left[bigram] = 0
    return matching


cdef inline int64_t bits_set(const uint8_t *bytes, Py_ssize_t length, int bit) noexcept nogil:
    """Count the bytes that have the bit; eight are read at once, zeros after the end included."""
    cdef uint64_t lanes, sums = 0
    cdef uint64_t even_bytes = 0x00FF00FF00FF00FF
    cdef int64_t total = 0
    cdef Py_ssize_t i
    for i in range(0, length, 8):
        memcpy(&lanes, bytes + i, 8)
        sums += lanes >> bit & <uint64_t>0x0101010101010101
        if i % (255 * 8) == 254 * 8 or i + 8 >= length:
            # No lane is past 255: add the eight by way of four 16-bit lanes.
            sums = (sums & even_bytes) + (sums >> 8 & even_bytes)
            total += sums * <uint64_t>0x0001000100010001 >> 48
            sums = 0
    return total


cdef inline int shift_for(Py_ssize_t cells, int most) noexcept nogil:
    """Return by how much 64 bits of hash are shifted to address `cells` cells; at most `most`."""
    while <int64_t>1 << (64 - most) < cells:
        most -= 1
    return most


cdef inline Py_ssize_t cells_at(int shift) noexcept nogil:
    """Return how many cells there are at a shift; 64 says that there are none."""
    return 0 if shift == 64 else <Py_ssize_t>1 << (64 - shift)


cdef inline uint64_t head_of(const Chains *chains, uint64_t window) noexcept nogil:
    cdef uint64_t first_codes = (<uint64_t>1 << 8 * chains.first) - 1
    return (window & first_codes) * <uint64_t>0x9E3779B97F4A7C15 >> chains.shift


cdef inline void build_chains(Chains *chains, int orders) noexcept nogil:
    """Chain the positions of the codes, if there are orders for which it is needed."""
    cdef Py_ssize_t i, used = 0
    cdef uint64_t head
    memset(chains.codes + chains.length, PADDING, PAD)
    chains.shift = 64
    chains.short_enough = chains.length <= LONGEST_CHAINED
    if orders < chains.first or not chains.short_enough:
        return
    chains.shift = shift_for(4 * chains.length, 56)
    memset(chains.heads, 0, cells_at(chains.shift) * sizeof(uint16_t))
    for i in range(chains.length - chains.first, -1, -1):
        head = head_of(chains, eight_codes(chains.codes + i))
        chains.next[i] = chains.heads[head]
        used += chains.heads[head] == 0
        chains.heads[head] = <uint16_t>(i + 1)
    if chains.length > LONGEST_CHAINS * (used + chains.first):
        chains.short_enough = False
        chains.shift = 64              # no heads


cdef inline bint count_chains(
    const Chains *chains, const uint8_t *hypothesis, Py_ssize_t length, const Marks *marks,
    int orders, int64_t *matching,
) noexcept nogil:
    """Count the matches of the orders 1..orders; return False where it would take too long."""
    cdef uint32_t all_orders = (1 << orders) - (1 << (chains.first - 1))
    cdef uint32_t wanted, found, position, guess = 0
    cdef uint64_t window
    cdef Py_ssize_t i, steps = STEPS_A_SYMBOL * length, reference_length = chains.length
    cdef int order
    cdef const uint8_t *reference = chains.codes
    cdef const uint16_t *next_position = chains.next
    cdef uint8_t *used = marks.used
    cdef uint8_t *matched = marks.matched
    if not chains.short_enough:
        return False
    matching[0] = count_unigrams(hypothesis, length, reference, reference_length)
    if chains.first > 2 and orders > 1:
        matching[1] = count_bigrams(marks.bigrams, hypothesis, length, reference, reference_length)
    if orders < chains.first:
        return True
    memset(used, 0, reference_length)
    memset(matched + max(length - chains.first + 1, 0), 0, chains.first - 1 + 8)
    for i in range(length - chains.first + 1):
        window = eight_codes(hypothesis + i)
        wanted = all_orders
        # Where the text before matched it often goes on: that position is tried first.
        if guess < reference_length:
            found = equal_orders(window, eight_codes(reference + guess))
            found &= wanted & ~<uint32_t>used[guess]
            used[guess] |= found
            wanted ^= found
            guess += 1
            if wanted == 0:
                matched[i] = <uint8_t>all_orders
                continue
        position = chains.heads[head_of(chains, window)]
        while position != 0:
            steps -= 1
            position -= 1
            found = equal_orders(window, eight_codes(reference + position))
            found &= wanted & ~<uint32_t>used[position]
            if found:
                used[position] |= found
                wanted ^= found
                guess = position + 1
                if wanted == 0:
                    break
            position = next_position[position]
        matched[i] = <uint8_t>(all_orders ^ wanted)
        if steps < 0:
            return False
    for order in range(chains.first, orders + 1):
        matching[order - 1] = bits_set(matched, length, order - 1)
    return True
