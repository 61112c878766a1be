# Small numbers for the symbols of texts that have too many of them for codes of one byte.

from libc.stdint cimport uint16_t, uint32_t
from libc.string cimport memset

from chrf.kernel.match.orders cimport Symbols


cdef enum:
    PAGE = 256                 # code points
    PAGES = 0x2000             # for 21 bits, which is more than Unicode has


cdef struct PageMap:           # code point -> its number + 1, or 0; pages not used cost nothing
    uint16_t page_of[PAGES]
    uint32_t pages[(PAGES + 1) * PAGE]     # the first is all zeros, for those that have no page


cdef inline uint32_t number_symbols(
    PageMap *map, Symbols *hypothesis, Symbols *reference
) noexcept nogil:
    """Replace the symbols by numbers; return how many different ones the reference has.

    They are numbered in the order of appearance there; those that only the hypothesis has become
    NOT_FOUND. Where there was no memory for `map` every code point stays its own number.
    """
    cdef Py_ssize_t i
    cdef uint32_t size = 0, symbol, pages = 1
    cdef uint32_t *number
    if not map:
        return PAGES * PAGE
    memset(map.page_of, 0, sizeof(map.page_of))
    memset(map.pages, 0, PAGE * sizeof(uint32_t))
    for i in range(reference.length):
        symbol = reference.items[i]
        if map.page_of[symbol // PAGE] == 0:
            memset(map.pages + pages * PAGE, 0, PAGE * sizeof(uint32_t))
            map.page_of[symbol // PAGE] = <uint16_t>pages
            pages += 1
        number = map.pages + map.page_of[symbol // PAGE] * PAGE + symbol % PAGE
        if number[0] == 0:
            size += 1
            number[0] = size
        reference.items[i] = number[0] - 1
    for i in range(hypothesis.length):
        symbol = hypothesis.items[i]
        number = map.pages + map.page_of[symbol // PAGE] * PAGE + symbol % PAGE
        hypothesis.items[i] = number[0] - 1                # of 0: NOT_FOUND
    return size
