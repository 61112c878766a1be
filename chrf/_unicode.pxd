# The code points that are whitespace or punctuation; chrf/text.py lists the same two sets.

from libc.stdint cimport uint32_t


cdef inline bint is_whitespace(uint32_t c) noexcept nogil:
    """The set on which Python's str.split() splits."""
    if c < 0x85:
        return c == 0x20 or 0x09 <= c <= 0x0D or 0x1C <= c <= 0x1F
    return (
        c == 0x85 or c == 0xA0 or c == 0x1680 or 0x2000 <= c <= 0x200A
        or c == 0x2028 or c == 0x2029 or c == 0x202F or c == 0x205F or c == 0x3000
    )


cdef inline bint is_punctuation(uint32_t c) noexcept nogil:
    """ASCII string.punctuation, and nothing else (Popovic's chrF++.py)."""
    return 0x21 <= c <= 0x2F or 0x3A <= c <= 0x40 or 0x5B <= c <= 0x60 or 0x7B <= c <= 0x7E
