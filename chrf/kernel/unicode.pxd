# The code points that are whitespace or punctuation; chrf/kernel/text.py lists the same two sets.

from libc.stdint cimport uint8_t, uint32_t

cdef extern from *:
    """
    static const unsigned char chrf_latin_whitespace[256] = {
        [0x09] = 1, [0x0A] = 1, [0x0B] = 1, [0x0C] = 1, [0x0D] = 1,
        [0x1C] = 1, [0x1D] = 1, [0x1E] = 1, [0x1F] = 1, [0x20] = 1, [0x85] = 1, [0xA0] = 1,
    };
    """
    const uint8_t *chrf_latin_whitespace


cdef inline bint is_whitespace(uint32_t c) noexcept nogil:
    """Return whether Python's str.split() splits on the code point."""
    # Most texts mix code points on both sides of 256: a look-up costs less than a wrong guess.
    cdef bint latin = chrf_latin_whitespace[min(c, <uint32_t>255)]
    return latin or c >= 0x1680 and (
        c == 0x1680 or 0x2000 <= c <= 0x200A
        or c == 0x2028 or c == 0x2029 or c == 0x202F or c == 0x205F or c == 0x3000
    )


cdef inline bint is_punctuation(uint32_t c) noexcept nogil:
    """Return whether it is in ASCII string.punctuation (Popovic's chrF++.py: in nothing else)."""
    return 0x21 <= c <= 0x2F or 0x3A <= c <= 0x40 or 0x5B <= c <= 0x60 or 0x7B <= c <= 0x7E
