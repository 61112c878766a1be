# Whether bytes are valid UTF-8, as Python's strict decoder sees it (Unicode, table 3-7).
#
# A finite automaton without a branch for each byte: a row of the table holds, for every state, the
# state that follows, six bits wide, and a state is how far its bits stand to the left. What no row
# mentions leads to 0, which nothing leaves.

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy

cdef extern from *:
    """
    #include <stdint.h>
    enum { CHRF_GOOD = 6, CHRF_ONE = 12, CHRF_TWO = 18, CHRF_THREE = 24,  /* bytes to come */
           CHRF_E0 = 30, CHRF_ED = 36, CHRF_F0 = 42, CHRF_F4 = 48 };      /* after these bytes */
    #define CHRF_TO(from, to) ((uint64_t)CHRF_##to << CHRF_##from)
    #define CHRF_NEXT CHRF_TO(ONE, GOOD) | CHRF_TO(TWO, ONE) | CHRF_TO(THREE, TWO)
    #define CHRF_2(x) x, x
    #define CHRF_4(x) CHRF_2(x), CHRF_2(x)
    #define CHRF_16(x) CHRF_4(x), CHRF_4(x), CHRF_4(x), CHRF_4(x)
    #define CHRF_32(x) CHRF_16(x), CHRF_16(x)
    static const uint64_t chrf_utf8[256] = {
        CHRF_32(CHRF_TO(GOOD, GOOD)), CHRF_32(CHRF_TO(GOOD, GOOD)),
        CHRF_32(CHRF_TO(GOOD, GOOD)), CHRF_32(CHRF_TO(GOOD, GOOD)),
        CHRF_16(CHRF_NEXT | CHRF_TO(ED, ONE) | CHRF_TO(F4, TWO)),          /* 80 */
        CHRF_16(CHRF_NEXT | CHRF_TO(ED, ONE) | CHRF_TO(F0, TWO)),          /* 90 */
        CHRF_32(CHRF_NEXT | CHRF_TO(E0, ONE) | CHRF_TO(F0, TWO)),          /* A0 */
        0, 0, CHRF_2(CHRF_TO(GOOD, ONE)), CHRF_4(CHRF_TO(GOOD, ONE)),      /* C0 */
        CHRF_4(CHRF_TO(GOOD, ONE)), CHRF_4(CHRF_TO(GOOD, ONE)), CHRF_16(CHRF_TO(GOOD, ONE)),
        CHRF_TO(GOOD, E0), CHRF_4(CHRF_TO(GOOD, TWO)),                     /* E0 */
        CHRF_4(CHRF_TO(GOOD, TWO)), CHRF_4(CHRF_TO(GOOD, TWO)),
        CHRF_TO(GOOD, ED), CHRF_2(CHRF_TO(GOOD, TWO)),                     /* ED */
        CHRF_TO(GOOD, F0), CHRF_2(CHRF_TO(GOOD, THREE)),                   /* F0 */
        CHRF_TO(GOOD, THREE), CHRF_TO(GOOD, F4)                            /* F3; F5 and on: 0 */
    };
    """
    enum:
        CHRF_GOOD
    const uint64_t chrf_utf8[256]


cdef inline bint valid_utf8(const uint8_t *bytes, Py_ssize_t length) noexcept nogil:
    """Return whether the bytes are valid UTF-8."""
    cdef Py_ssize_t i = 0, stop
    cdef uint64_t state = CHRF_GOOD
    cdef uint64_t words[4]
    while i < length:
        stop = i + 32
        if stop <= length:
            memcpy(words, bytes + i, 32)
            if (
                (words[0] | words[1] | words[2] | words[3]) & <uint64_t>0x8080808080808080 == 0
                and state & 63 == CHRF_GOOD
            ):
                i = stop
                continue
        else:
            stop = length
        while i < stop:
            state = chrf_utf8[bytes[i]] >> (state & 63)
            i += 1
    return state & 63 == CHRF_GOOD
