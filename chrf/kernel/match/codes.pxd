# Symbols as bytes: a small alphabet that the segments of a call share.
#
# One byte a symbol lets the kernel compare eight symbols at once. The alphabet holds the symbols
# of references; a hypothesis symbol that no reference has cannot match, so that one code serves
# for all of them. When it is full it is emptied and begun again: codes only have to be the same
# within a segment.

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from chrf.kernel.match.table cimport NOT_FOUND
from chrf.kernel.unicode cimport is_whitespace


cdef enum:
    FIRST_CODE = 1         # no symbol has the code 0
    LAST_CODE = 252
    REMOVED = 253          # whitespace that is to be removed
    UNKNOWN = 254          # in a hypothesis: a symbol that no reference has, and the padding
    PADDING = 255          # after the end of a reference, so that nothing matches beyond it
    # Open addressing by the low bits: alphabets below U+0800 never collide. There is no seed, so
    # texts can be built to collide; but no search passes more symbols than there are codes.
    CELLS = 2048


cdef struct Alphabet:
    uint32_t cells[CELLS]        # symbol + 1; 0 is an empty cell
    uint8_t codes[CELLS]
    uint32_t symbols[LAST_CODE + 1]      # code -> symbol
    int next_code
    uint32_t emptied             # how many times
    bint whitespace              # whether whitespace has codes of its own


cdef inline void alphabet_clear(Alphabet *alphabet) noexcept nogil:
    memset(alphabet.cells, 0, sizeof(alphabet.cells))
    alphabet.next_code = FIRST_CODE
    alphabet.emptied += 1


cdef inline uint32_t cell_of(const Alphabet *alphabet, uint32_t symbol) noexcept nogil:
    """Return the cell that a symbol has, or would have."""
    cdef uint32_t cell = symbol & (CELLS - 1)
    while alphabet.cells[cell] != symbol + 1 and alphabet.cells[cell] != 0:
        cell = (cell + 1) & (CELLS - 1)
    return cell


cdef inline bint alphabet_add(Alphabet *alphabet, uint32_t symbol, uint32_t cell) noexcept nogil:
    """Give a symbol the next code, in its empty cell; return False if none is left."""
    if is_whitespace(symbol) and not alphabet.whitespace:
        alphabet.codes[cell] = REMOVED
    elif alphabet.next_code > LAST_CODE:
        return False
    else:
        alphabet.codes[cell] = <uint8_t>alphabet.next_code
        alphabet.symbols[alphabet.next_code] = symbol
        alphabet.next_code += 1
    alphabet.cells[cell] = symbol + 1
    return True


cdef inline Py_ssize_t encode_reference(
    Alphabet *alphabet, const uint32_t *symbols, Py_ssize_t length, uint8_t *codes
) noexcept nogil:
    """Write the symbols' codes but for REMOVED; return how many codes there are.

    A negative number says that the alphabet is too small for them.
    """
    cdef Py_ssize_t i, kept = 0
    cdef uint32_t c, cell
    cdef uint8_t code
    for i in range(length):
        c = symbols[i]
        cell = c & (CELLS - 1)         # nearly always the right one
        if alphabet.cells[cell] != c + 1:
            cell = cell_of(alphabet, c)
            if alphabet.cells[cell] == 0 and not alphabet_add(alphabet, c, cell):
                return -1
        code = alphabet.codes[cell]
        codes[kept] = code
        kept += code != REMOVED
    return kept


cdef inline uint8_t rare_code(const Alphabet *alphabet, uint32_t symbol) noexcept nogil:
    """Return the code of a hypothesis symbol that is not in the first cell."""
    cdef uint32_t cell = cell_of(alphabet, symbol)
    if alphabet.cells[cell] != 0:
        return alphabet.codes[cell]
    return REMOVED if is_whitespace(symbol) and not alphabet.whitespace else UNKNOWN


cdef inline Py_ssize_t encode_hypothesis(
    const Alphabet *alphabet, const uint32_t *symbols, Py_ssize_t length, uint8_t *codes
) noexcept nogil:
    """Write the symbols' codes but for REMOVED; return how many codes there are."""
    cdef Py_ssize_t i, kept = 0
    cdef uint32_t c, cell
    cdef uint8_t code
    for i in range(length):
        c = symbols[i]
        cell = c & (CELLS - 1)
        code = alphabet.codes[cell]
        if alphabet.cells[cell] != c + 1:
            code = rare_code(alphabet, c)
        codes[kept] = code
        kept += code != REMOVED
    return kept


cdef inline uint32_t number_codes(
    const uint8_t *hypothesis, Py_ssize_t hypothesis_length, uint32_t *hypothesis_numbers,
    const uint8_t *reference, Py_ssize_t reference_length, uint32_t *reference_numbers,
) noexcept nogil:
    """Number the codes that the reference has from 0; return how many there are.

    All others are NOT_FOUND. An alphabet may have many more symbols than one segment.
    """
    cdef uint32_t numbers[256]
    cdef uint32_t size = 0
    cdef Py_ssize_t i
    memset(numbers, 0xFF, sizeof(numbers))             # NOT_FOUND
    for i in range(reference_length):
        numbers[reference[i]] = 0
    for i in range(256):
        if numbers[i] == 0:
            numbers[i] = size
            size += 1
    for i in range(reference_length):
        reference_numbers[i] = numbers[reference[i]]
    for i in range(hypothesis_length):
        hypothesis_numbers[i] = numbers[hypothesis[i]]
    return size
