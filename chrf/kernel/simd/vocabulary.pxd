# Texts as numbers: of their symbols, and of their words.

from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from chrf.kernel.match.chains cimport cells_at, chrf_little_endian, shift_for

cdef extern from *:
    """
    /* From 8 - n on: ones where the first four of n symbols are. From 12 - n on: the next four. */
    static const uint64_t chrf_symbols[13] = {
        ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, 0xFFFFFFFFFFFF, 0xFFFFFFFF, 0xFFFF, 0, 0, 0, 0, 0
    };
    """
    const uint64_t *chrf_symbols


cdef enum:
    SPACES = 29                # whitespace has the numbers 1 to 29,
    MARKS = 32                 # punctuation the next ones,
    FIRST_NUMBER = SPACES + MARKS + 1      # and then come the others of a reference
    SLACK = 8                  # symbols after the end that may be read
    CELLS_A_WORD = 16


cdef struct Numbered:          # a text
    uint16_t *symbols          # without whitespace, unless it is kept; and SLACK more
    uint16_t *ends             # how many symbols stand before each whitespace, and before the end
    uint16_t *begins           # where each word begins among the symbols
    uint16_t *lengths
    uint16_t *words            # their numbers
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


cdef inline uint64_t four_symbols(const uint16_t *symbols) noexcept nogil:
    cdef uint64_t four
    memcpy(&four, symbols, 8)
    return chrf_little_endian(four)


cdef inline bint is_mark(uint32_t number) noexcept nogil:
    return number - (SPACES + 1) < MARKS


cdef inline void split_words(Numbered *text, bint whitespace) noexcept nogil:
    """Find the words, without a branch: words are short.

    Of a run of two symbols or more, one ASCII punctuation mark is split off its end, or else off
    its start; never both (Popovic's chrF++.py, kept as it is).
    """
    cdef const uint16_t *symbols = text.symbols
    cdef uint16_t *begins = text.begins
    cdef uint16_t *lengths = text.lengths
    cdef Py_ssize_t run, count = 0
    cdef uint32_t begin = 0, end, length, first, last, two
    for run in range(text.spaces + 1):
        end = text.ends[run]
        length = end - begin
        last = is_mark(symbols[end - (length > 0)])
        two = (length > 1) & (last | is_mark(symbols[begin]))
        first = length - two * (length - 1 - last * (length - 2))
        begins[count] = <uint16_t>begin
        lengths[count] = <uint16_t>first
        count += length > 0
        begins[count] = <uint16_t>(begin + first)
        lengths[count] = <uint16_t>(length - first)
        count += two
        begin = end + whitespace
    text.word_count = count


cdef inline bint same_rest(const uint16_t *a, const uint16_t *b, Py_ssize_t length) noexcept nogil:
    """Return whether two words of one length are the same from the ninth symbol on."""
    cdef Py_ssize_t i
    for i in range(8, length):
        if a[i] != b[i]:
            return False
    return True


cdef inline uint32_t look_on(
    const Vocabulary *vocabulary, const uint16_t *reference, const uint16_t *word, uint32_t length,
    uint64_t first, uint64_t second, uint32_t *cell
) noexcept nogil:
    """Return the number of a word whose place is not empty; go on from it to its own or an empty.

    Words are equal if their first eight symbols, their lengths and what comes after them are.
    """
    cdef uint32_t number = vocabulary.cells[cell[0]]
    while number != 0 and (
        vocabulary.keys[2 * number] != first or vocabulary.keys[2 * number + 1] != second
        or vocabulary.lengths[number] != length
        or not same_rest(reference + vocabulary.begins[number], word, length)
    ):
        cell[0] = (cell[0] + 1) & (<uint32_t>cells_at(vocabulary.shift) - 1)
        number = vocabulary.cells[cell[0]]
    return number


cdef inline void number_words(
    Vocabulary *vocabulary, Numbered *text, const Numbered *reference, bint adding
) noexcept nogil:
    """Write the numbers of a text's words, 0 for those that the reference does not have.

    The hash only says where to look. Nearly always the first cell answers, and that it is empty or
    not makes no branch.
    """
    cdef uint64_t *keys = vocabulary.keys
    cdef uint16_t *begins = vocabulary.begins
    cdef uint16_t *lengths = vocabulary.lengths
    cdef uint16_t *cells = vocabulary.cells
    cdef const uint16_t *our_begins = text.begins
    cdef const uint16_t *our_lengths = text.lengths
    cdef uint16_t *words = text.words
    cdef const uint16_t *word
    cdef const uint64_t *masks
    cdef uint64_t first, second, other, h, seed = vocabulary.seed, odd = seed | 1
    cdef uint32_t length, number, cell, new, size = 0
    cdef int shift = vocabulary.shift
    cdef Py_ssize_t i
    for i in range(text.word_count):
        word = text.symbols + our_begins[i]
        length = our_lengths[i]
        masks = chrf_symbols + (8 - min(length, <uint32_t>8))
        first = four_symbols(word) & masks[0]
        second = four_symbols(word + 4) & masks[4]
        h = (first ^ seed) * <uint64_t>0x9E3779B97F4A7C15
        h = ((h ^ h >> 32) + second + length) * odd
        cell = <uint32_t>((h ^ h >> 32) * <uint64_t>0x9E3779B97F4A7C15 >> shift)
        number = cells[cell]
        other = (keys[2 * number] ^ first) | (keys[2 * number + 1] ^ second)
        other |= (lengths[number] ^ length) | (length > 8)
        if number & (0 - <uint32_t>(other != 0)):          # one branch, which is seldom taken
            number = look_on(vocabulary, reference.symbols, word, length, first, second, &cell)
        if adding:
            # What is written behind the last word stays if this one is new.
            new = number == 0
            keys[2 * size + 2] = first
            keys[2 * size + 3] = second
            begins[size + 1] = our_begins[i]
            lengths[size + 1] = <uint16_t>length
            size += new
            number |= (0 - new) & size
            cells[cell] = <uint16_t>number
        words[i] = <uint16_t>number
    if adding:
        vocabulary.size = size


cdef inline void number_reference_words(
    Vocabulary *vocabulary, Numbered *text, bint whitespace
) noexcept nogil:
    """Number the words of a reference, in so many cells that most are empty."""
    split_words(text, whitespace)
    vocabulary.shift = shift_for(CELLS_A_WORD * text.word_count, 62)
    memset(vocabulary.cells, 0, cells_at(vocabulary.shift) * sizeof(uint16_t))
    number_words(vocabulary, text, text, True)
