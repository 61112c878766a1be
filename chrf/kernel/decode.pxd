# Texts where they stand, and their code points.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from chrf.kernel.match.orders cimport Symbols


cdef struct Text:              # read in place: a Python string, or valid UTF-8
    const void *data
    Py_ssize_t length          # code points, or bytes
    int kind                   # bytes per code point: 1, 2 or 4; 0 for UTF-8


cdef inline Py_ssize_t decode_utf8(
    const uint8_t *bytes, Py_ssize_t length, uint32_t *items
) noexcept nogil:
    """Write the code points of valid UTF-8; return how many there are."""
    cdef Py_ssize_t i = 0, j, n = 0
    cdef uint64_t eight
    cdef uint32_t c
    while i < length:
        c = bytes[i]
        if c < 0x80:
            if i + 8 <= length:
                memcpy(&eight, bytes + i, 8)
                if eight & <uint64_t>0x8080808080808080 == 0:
                    for j in range(8):
                        items[n + j] = bytes[i + j]
                    n += 8
                    i += 8
                    continue
            items[n] = c
            i += 1
        elif c < 0xE0:
            items[n] = (c & 0x1F) << 6 | (bytes[i + 1] & 0x3F)
            i += 2
        elif c < 0xF0:
            items[n] = (c & 0x0F) << 12 | (bytes[i + 1] & 0x3F) << 6 | (bytes[i + 2] & 0x3F)
            i += 3
        else:
            items[n] = ((c & 0x07) << 18 | (bytes[i + 1] & 0x3F) << 12
                        | (bytes[i + 2] & 0x3F) << 6 | (bytes[i + 3] & 0x3F))
            i += 4
        n += 1
    return n


cdef inline void decode(const Text *text, Symbols *symbols) noexcept nogil:
    """Write the code points of any text."""
    cdef Py_ssize_t i
    symbols.length = text.length
    if text.kind == 0:
        symbols.length = decode_utf8(<const uint8_t *>text.data, text.length, symbols.items)
    elif text.kind == 1:
        for i in range(text.length):
            symbols.items[i] = (<const uint8_t *>text.data)[i]
    elif text.kind == 2:
        for i in range(text.length):
            symbols.items[i] = (<const uint16_t *>text.data)[i]
    else:
        for i in range(text.length):
            symbols.items[i] = (<const uint32_t *>text.data)[i]
