# Symbols as bytes: a small alphabet that the segments of a call share.
#
# One byte a symbol lets the kernel compare eight symbols at once. The alphabet holds the symbols
# of references; a hypothesis symbol that no reference has cannot match, so that one code serves
# for all of them. When it is full it is emptied and begun again: codes only have to be the same
# within a segment.

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from chrf._unicode cimport is_whitespace


cdef enum:
    FIRST_CODE = 1         # no symbol has the code 0
    LAST_CODE = 252
    REMOVED = 253          # whitespace that is to be removed
    NOTHING = 256          # what `dropped` is when every symbol is to have its place
    UNKNOWN = 254          # in a hypothesis: a symbol that no reference has, and the padding
    PADDING = 255          # after the end of a reference, so that nothing matches beyond it
    CELLS = 2048           # open addressing by the low bits: alphabets below U+0800 never collide


cdef struct Alphabet:
    uint32_t symbols[CELLS]      # symbol + 1; 0 is an empty cell
    uint8_t codes[CELLS]
    int next_code
    bint whitespace              # whether whitespace has codes of its own


cdef inline void alphabet_clear(Alphabet *alphabet) noexcept nogil:
    memset(alphabet.symbols, 0, sizeof(alphabet.symbols))
    alphabet.next_code = FIRST_CODE


cdef inline Py_ssize_t encode_reference(
    Alphabet *alphabet, const uint32_t *symbols, Py_ssize_t length, int dropped, uint8_t *codes
) noexcept nogil:
    """Write the symbols' codes but for `dropped`; return how many they are.

    A negative number says that the alphabet is too small for them.
    """
    cdef Py_ssize_t i, kept = 0
    cdef uint32_t c, cell
    for i in range(length):
        c = symbols[i]
        cell = c & (CELLS - 1)
        while alphabet.symbols[cell] != c + 1:
            if alphabet.symbols[cell] == 0:
                if alphabet.next_code > LAST_CODE:
                    return -1
                alphabet.symbols[cell] = c + 1
                if is_whitespace(c) and not alphabet.whitespace:
                    alphabet.codes[cell] = REMOVED
                else:
                    alphabet.codes[cell] = <uint8_t>alphabet.next_code
                    alphabet.next_code += 1
                break
            cell = (cell + 1) & (CELLS - 1)
        codes[kept] = alphabet.codes[cell]
        kept += alphabet.codes[cell] != dropped
    return kept


cdef inline Py_ssize_t encode_hypothesis(
    const Alphabet *alphabet, const uint32_t *symbols, Py_ssize_t length, int dropped,
    uint8_t *codes
) noexcept nogil:
    """Write the symbols' codes but for `dropped`; return how many they are."""
    cdef Py_ssize_t i, kept = 0
    cdef uint32_t c, cell
    cdef uint8_t code
    for i in range(length):
        c = symbols[i]
        cell = c & (CELLS - 1)
        while alphabet.symbols[cell] != c + 1 and alphabet.symbols[cell] != 0:
            cell = (cell + 1) & (CELLS - 1)
        if alphabet.symbols[cell] != 0:
            code = alphabet.codes[cell]
        elif is_whitespace(c) and not alphabet.whitespace:
            code = REMOVED
        else:
            code = UNKNOWN
        codes[kept] = code
        kept += code != dropped
    return kept


cdef inline Py_ssize_t drop_removed(uint8_t *codes, Py_ssize_t length) noexcept nogil:
    """Close the gaps of removed whitespace; return the length that is left."""
    cdef Py_ssize_t i, kept = 0
    cdef uint8_t code
    for i in range(length):
        code = codes[i]
        codes[kept] = code
        kept += code != REMOVED
    return kept
