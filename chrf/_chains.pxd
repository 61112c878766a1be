# All character orders of a short segment at once, by comparing the two texts where they could match.
#
# The reference's positions are chained by the hash of their bigram. For a hypothesis position, each
# position of the chain is compared eight symbols at once, which says up to which order n the
# n-grams at the two positions are equal. An order is matched by the first reference position that
# is equal up to it and that no earlier hypothesis position has used for that order. This is exact:
# all positions with the same n-gram stand in one chain and are interchangeable, so that each of the
# hypothesis' occurrences finds an unused one until min(occurrences) are used up.

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

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
    LONGEST_SEGMENT = 8192     # positions are 16 bits wide
    LONGEST_ORDER = 8          # bytes compared at once
    STEPS_A_SYMBOL = 24        # longer chains are left to the tables, whose time is linear


cdef struct Chains:
    uint16_t heads[2 * LONGEST_SEGMENT]    # bigram hash -> last position + 1
    uint16_t *previous                     # position -> the one before it in its chain, + 1
    uint8_t *used                          # reference position -> bit n - 1: matched at order n
    uint8_t *matched                       # hypothesis position -> the same
    uint8_t *hypothesis                    # codes, and eight bytes of padding
    uint8_t *reference


cdef inline uint64_t eight_codes(const uint8_t *codes) noexcept nogil:
    """The next eight codes, the first in the lowest byte."""
    cdef uint64_t window
    memcpy(&window, codes, 8)
    return chrf_little_endian(window)


cdef inline uint32_t bigram_hash(uint64_t window, int shift) noexcept nogil:
    return (<uint32_t>window << 16) * <uint32_t>0x9E3779B1 >> shift


cdef inline uint32_t equal_orders(uint64_t a, uint64_t b) noexcept nogil:
    """Bit n - 1 is set where the first n codes of the two windows are equal."""
    cdef uint64_t difference = a ^ b
    if difference == 0:
        return 0xFF
    return (<uint32_t>1 << (chrf_trailing_zeros(difference) >> 3)) - 1


cdef inline int64_t count_unigrams(
    const uint8_t *hypothesis, Py_ssize_t hypothesis_length,
    const uint8_t *reference, Py_ssize_t reference_length,
) noexcept nogil:
    """Clipped matches of order 1."""
    cdef uint32_t left[256]
    cdef Py_ssize_t i
    cdef int64_t matching = 0
    cdef uint32_t n
    memset(left, 0, sizeof(left))
    for i in range(reference_length):
        left[reference[i]] += 1
    for i in range(hypothesis_length):
        n = left[hypothesis[i]]
        matching += n != 0
        left[hypothesis[i]] = n - (n != 0)
    return matching


cdef inline bint count_chains(
    Chains *s, Py_ssize_t hypothesis_length, Py_ssize_t reference_length, int orders,
    int64_t *matching,
) noexcept nogil:
    """Clipped matches of the orders 1..orders; False where the chains are too long for it."""
    cdef uint32_t all_orders = (1 << orders) - 2       # order 1 is counted by itself
    cdef uint32_t wanted, found, position, next_guess = 0
    cdef uint64_t window
    cdef Py_ssize_t i, steps = STEPS_A_SYMBOL * hypothesis_length
    cdef int order, shift = 24
    matching[0] = count_unigrams(s.hypothesis, hypothesis_length, s.reference, reference_length)
    if orders == 1:
        return True
    while 1 << (32 - shift) < 2 * reference_length:
        shift -= 1
    memset(s.heads, 0, sizeof(uint16_t) << (32 - shift))
    memset(s.used, 0, reference_length)
    memset(s.matched, 0, hypothesis_length)
    for i in range(reference_length - 1):
        position = bigram_hash(eight_codes(s.reference + i), shift)
        s.previous[i] = s.heads[position]
        s.heads[position] = <uint16_t>(i + 1)
    for i in range(hypothesis_length - 1):
        window = eight_codes(s.hypothesis + i)
        wanted = all_orders
        # Where the text before matched it often goes on: that position is tried first.
        if next_guess < reference_length:
            found = equal_orders(window, eight_codes(s.reference + next_guess))
            found &= wanted & ~<uint32_t>s.used[next_guess]
            s.used[next_guess] |= found
            wanted ^= found
            next_guess += 1
            if wanted == 0:
                s.matched[i] = <uint8_t>all_orders
                continue
        position = s.heads[bigram_hash(window, shift)]
        while position != 0:
            steps -= 1
            position -= 1
            found = equal_orders(window, eight_codes(s.reference + position))
            found &= wanted & ~<uint32_t>s.used[position]
            if found:
                s.used[position] |= found
                wanted ^= found
                next_guess = position + 1
                if wanted == 0:
                    break
            position = s.previous[position]
        s.matched[i] = <uint8_t>(all_orders ^ wanted)
        if steps < 0:
            return False
    for order in range(1, orders):
        matching[order] = 0
        for i in range(hypothesis_length):
            matching[order] += s.matched[i] >> order & 1
    return True
