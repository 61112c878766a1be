# Words: where they begin and end, and small numbers that stand for them.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from chrf.kernel.match.chains cimport cells_at, eight_codes, shift_for
from chrf.kernel.match.orders cimport Symbols
from chrf.kernel.match.table cimport NOT_FOUND, Table, table_enter, table_find
from chrf.kernel.unicode cimport is_punctuation, is_whitespace


cdef struct Runs:              # between whitespace
    uint32_t *begins
    uint32_t *ends
    Py_ssize_t count


cdef struct CodedWords:        # the different words of a reference whose symbols have codes
    uint16_t *cells            # hash -> number + 1; 0 is an empty cell
    uint16_t *begins           # number -> where the word stands in the codes
    uint16_t *lengths
    const uint8_t *codes       # of the reference
    uint32_t size
    int shift                  # 64 - log2(number of cells)
    uint64_t seed              # as a table's


cdef struct Words:             # those of a reference of any symbols
    Table table                # a trie: the cell of a word is that of its last symbol
    uint32_t size              # different words so far


cdef inline void find_runs(const uint32_t *text, Py_ssize_t length, Runs *runs) noexcept nogil:
    """Find the runs between whitespace. (Without branches: words are short.)"""
    cdef Py_ssize_t i, begun = 0, ended = 0
    cdef bint space, after_space = True
    for i in range(length):
        space = is_whitespace(text[i])
        runs.begins[begun] = <uint32_t>i
        runs.ends[ended] = <uint32_t>i
        begun += after_space & (not space)
        ended += (not after_space) & space
        after_space = space
    if not after_space:
        runs.ends[ended] = <uint32_t>length
    runs.count = begun


cdef inline uint32_t first_word(const uint32_t *run, uint32_t length) noexcept nogil:
    """Return the length of a run's first word; what is left is its second.

    Of a run of two symbols or more, one ASCII punctuation mark is split off its end, or else off
    its start; never both (Popovic's chrF++.py, kept as it is).
    """
    if length > 1:
        if is_punctuation(run[length - 1]):
            return length - 1
        if is_punctuation(run[0]):
            return 1
    return length


# --- words of codes -----------------------------------------------------------------------------

cdef inline uint64_t coded_key(const uint8_t *codes, Py_ssize_t length) noexcept nogil:
    """Return up to eight codes as one number, filled with 0xFF, which is no symbol's code."""
    cdef uint64_t key = eight_codes(codes)
    if length < 8:
        key |= ~<uint64_t>0 << 8 * length
    return key


cdef inline uint64_t word_hash(
    const uint8_t *word, Py_ssize_t length, uint64_t seed
) noexcept nogil:
    cdef uint64_t h = seed
    cdef Py_ssize_t i
    for i in range(0, length, 8):
        h = (h ^ coded_key(word + i, length - i)) * <uint64_t>0x9E3779B97F4A7C15
        h ^= h >> 32
    return h * (seed | 1)


cdef inline bint same_word(
    const uint8_t *a, const uint8_t *b, Py_ssize_t length
) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(0, length, 8):
        if coded_key(a + i, length - i) != coded_key(b + i, length - i):
            return False
    return True


cdef inline void start_coded_words(
    CodedWords *words, const uint8_t *codes, const Runs *runs
) noexcept nogil:
    """Make room for the words of a reference: two for each run, in twice as many cells."""
    words.codes = codes
    words.size = 0
    words.shift = shift_for(4 * runs.count, 62)      # 62: four cells at least
    memset(words.cells, 0, cells_at(words.shift) * sizeof(uint16_t))


cdef inline uint32_t coded_word(
    CodedWords *words, const uint8_t *word, Py_ssize_t length, bint adding
) noexcept nogil:
    """Return the number of a word in the order of appearance in the reference, or NOT_FOUND.

    The hash only says where to look: words are equal if their codes are.
    """
    cdef uint64_t cell = word_hash(word, length, words.seed) >> words.shift
    cdef uint64_t mask = cells_at(words.shift) - 1
    cdef uint32_t number
    while words.cells[cell] != 0:
        number = words.cells[cell] - <uint32_t>1
        if words.lengths[number] == length and same_word(
            words.codes + words.begins[number], word, length
        ):
            return number
        cell = (cell + 1) & mask
    if not adding:
        return NOT_FOUND
    words.begins[words.size] = <uint16_t>(word - words.codes)
    words.lengths[words.size] = <uint16_t>length
    words.size += 1
    words.cells[cell] = <uint16_t>words.size
    return words.size - 1


cdef inline Py_ssize_t number_coded_words(
    CodedWords *words, const Runs *runs, const uint32_t *text, const uint8_t *codes,
    bint whitespace, bint adding, uint32_t *numbers
) noexcept nogil:
    """Write the numbers of the words; return how many there are.

    The codes are without whitespace, so that runs follow upon each other, or keep it.
    """
    cdef Py_ssize_t i, count = 0
    cdef uint32_t first, length
    cdef const uint8_t *run = codes
    for i in range(runs.count):
        if whitespace:
            run = codes + runs.begins[i]
        length = runs.ends[i] - runs.begins[i]
        first = first_word(text + runs.begins[i], length)
        numbers[count] = coded_word(words, run, first, adding)
        count += 1
        if first < length:
            numbers[count] = coded_word(words, run + first, length - first, adding)
            count += 1
        run += length
    return count


# --- words of any symbols -----------------------------------------------------------------------

cdef inline uint32_t word_number(
    Words *words, const uint32_t *word, Py_ssize_t length, bint adding
) noexcept nogil:
    """Return the number of a word in the order of appearance in the reference, or NOT_FOUND."""
    cdef Py_ssize_t i
    cdef uint64_t key
    cdef uint32_t cell = NOT_FOUND
    for i in range(length):
        key = <uint64_t>cell << 32 | word[i]
        cell = table_enter(&words.table, key) if adding else table_find(&words.table, key)
        if cell == NOT_FOUND:
            return NOT_FOUND
    if adding and words.table.cells[cell].left == 0:
        words.size += 1
        words.table.cells[cell].left = words.size
    return words.table.cells[cell].left - 1            # NOT_FOUND where only longer words begin so


cdef inline Py_ssize_t number_words(
    Words *words, const Runs *runs, const uint32_t *text, bint adding, uint32_t *numbers
) noexcept nogil:
    """Write the numbers of the words; return how many there are."""
    cdef Py_ssize_t i, count = 0
    cdef uint32_t first, length
    cdef const uint32_t *run
    for i in range(runs.count):
        run = text + runs.begins[i]
        length = runs.ends[i] - runs.begins[i]
        first = first_word(run, length)
        numbers[count] = word_number(words, run, first, adding)
        count += 1
        if first < length:
            numbers[count] = word_number(words, run + first, length - first, adding)
            count += 1
    return count
