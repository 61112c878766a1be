# Texts as numbers: of their symbols, and of their words.

from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from chrf.kernel.match.chains cimport cells_at, chrf_little_endian, shift_for

cdef extern from *:
    """
    /* Ones where the first n of four symbols are. */
    static const uint64_t chrf_first_symbols[5] = {
        0, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF
    };
    """
    const uint64_t *chrf_first_symbols


cdef enum:
    SPACES = 29                # whitespace has the numbers 1 to 29,
    MARKS = 32                 # punctuation the next ones,
    FIRST_NUMBER = SPACES + MARKS + 1      # and then come the others of a reference
    SLACK = 8                  # symbols after the end that may be read


cdef struct Numbered:          # a text
    uint16_t *symbols          # without whitespace, unless it is kept; and SLACK more
    uint16_t *ends             # how many symbols stand before each whitespace, and before the end
    uint16_t *words
    Py_ssize_t length          # symbols
    Py_ssize_t spaces          # whitespace, kept or not
    Py_ssize_t word_count


cdef struct Vocabulary:        # the different words of a reference, numbered from 1
    uint64_t *keys             # two of each word: its first eight symbols
    uint16_t *begins           # where it stands among the symbols
    uint16_t *lengths
    uint16_t *cells            # hash -> number; 0 is an empty cell
    uint32_t size              # words
    int shift                  # 64 - log2(number of cells)
    uint64_t seed


cdef inline uint32_t first_of_run(const uint16_t *run, uint32_t length) noexcept nogil:
    """Return the length of a run's first word, as `chrf.kernel.match.words.first_word` does."""
    cdef bint last = <uint32_t>(run[length - 1] - SPACES - 1) < MARKS
    cdef bint first = <uint32_t>(run[0] - SPACES - 1) < MARKS
    if length > 1 and last | first:
        return length - 1 if last else 1
    return length


cdef inline uint64_t four_symbols(const uint16_t *symbols, Py_ssize_t length) noexcept nogil:
    """Return up to four symbols as one number, filled with zeros."""
    cdef uint64_t four
    memcpy(&four, symbols, 8)
    return chrf_little_endian(four) & chrf_first_symbols[max(min(length, 4), 0)]


cdef inline bint same_rest(const uint16_t *a, const uint16_t *b, Py_ssize_t length) noexcept nogil:
    """Return whether two words of one length are the same from the ninth symbol on."""
    cdef Py_ssize_t i
    for i in range(8, length, 4):
        if four_symbols(a + i, length - i) != four_symbols(b + i, length - i):
            return False
    return True


cdef inline uint32_t word_number(
    Vocabulary *vocabulary, const uint16_t *symbols, uint32_t begin, uint32_t length,
    const uint16_t *theirs, bint adding
) noexcept nogil:
    """Return the number of the word, or 0 if the reference, of symbols `theirs`, has none."""
    cdef const uint16_t *word = symbols + begin
    cdef uint64_t first = four_symbols(word, length)
    cdef uint64_t second = four_symbols(word + 4, <Py_ssize_t>length - 4)
    cdef uint64_t h = (first ^ vocabulary.seed) * <uint64_t>0x9E3779B97F4A7C15
    cdef uint64_t cell, mask = cells_at(vocabulary.shift) - 1
    cdef uint32_t number
    cdef Py_ssize_t i
    h = ((h ^ h >> 32) + second) * <uint64_t>0x9E3779B97F4A7C15
    for i in range(8, length, 4):
        h = ((h ^ h >> 32) + four_symbols(word + i, length - i)) * <uint64_t>0x9E3779B97F4A7C15
    h = (h ^ h >> 32) * (vocabulary.seed | 1)
    cell = h >> vocabulary.shift
    while vocabulary.cells[cell] != 0:
        number = vocabulary.cells[cell]
        if (
            vocabulary.keys[2 * number] == first and vocabulary.keys[2 * number + 1] == second
            and vocabulary.lengths[number] == length
            and (length <= 8 or same_rest(theirs + vocabulary.begins[number], word, length))
        ):
            return number
        cell = (cell + 1) & mask
    if not adding:
        return 0
    vocabulary.size += 1
    number = vocabulary.size
    vocabulary.keys[2 * number] = first
    vocabulary.keys[2 * number + 1] = second
    vocabulary.begins[number] = <uint16_t>begin
    vocabulary.lengths[number] = <uint16_t>length
    vocabulary.cells[cell] = <uint16_t>number
    return number


cdef inline void number_words(
    Vocabulary *vocabulary, Numbered *text, const Numbered *reference, bint whitespace, bint adding
) noexcept nogil:
    """Write the numbers of a text's words."""
    cdef Py_ssize_t run, count = 0
    cdef uint32_t begin = 0, length, first
    for run in range(text.spaces + 1):
        length = text.ends[run] - begin
        if length:
            first = first_of_run(text.symbols + begin, length)
            text.words[count] = <uint16_t>word_number(
                vocabulary, text.symbols, begin, first, reference.symbols, adding
            )
            count += 1
            if first < length:
                text.words[count] = <uint16_t>word_number(
                    vocabulary, text.symbols, begin + first, length - first, reference.symbols,
                    adding
                )
                count += 1
        begin = text.ends[run] + whitespace
    text.word_count = count


cdef inline void number_reference_words(
    Vocabulary *vocabulary, Numbered *text, bint whitespace
) noexcept nogil:
    """Number the words of a reference: two for each run at most, in twice as many cells."""
    vocabulary.size = 0
    vocabulary.shift = shift_for(4 * (text.spaces + 1), 62)
    memset(vocabulary.cells, 0, cells_at(vocabulary.shift) * sizeof(uint16_t))
    number_words(vocabulary, text, text, whitespace, True)
