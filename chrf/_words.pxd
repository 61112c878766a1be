# Words: where they begin and end, and small numbers that stand for them.

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from chrf._chains cimport eight_codes
from chrf._table cimport NOT_FOUND, Table, table_enter, table_find
from chrf._unicode cimport is_punctuation, is_whitespace


cdef struct Words:
    uint32_t *begins           # of the runs between whitespace
    uint32_t *ends
    Table table                # a trie: the cell of a word is that of its last symbols
    uint32_t size              # different words of the reference so far


cdef inline Py_ssize_t find_runs(
    const uint32_t *text, Py_ssize_t length, uint32_t *begins, uint32_t *ends
) noexcept nogil:
    """Where the runs between whitespace begin and end. (Without branches: words are short.)"""
    cdef Py_ssize_t i, begun = 0, ended = 0
    cdef bint space, after_space = True
    for i in range(length):
        space = is_whitespace(text[i])
        begins[begun] = <uint32_t>i
        ends[ended] = <uint32_t>i
        begun += after_space & (not space)
        ended += (not after_space) & space
        after_space = space
    if not after_space:
        ends[ended] = <uint32_t>length
    return begun


cdef inline uint64_t coded_key(const uint8_t *codes, Py_ssize_t length) noexcept nogil:
    """Up to eight codes as one number, filled with 0xFF, which is no symbol's code."""
    cdef uint64_t key = eight_codes(codes)
    if length < 8:
        key |= ~<uint64_t>0 << 8 * length
    return key


cdef inline uint32_t word_cell(
    Table *table, const uint32_t *word, const uint8_t *codes, Py_ssize_t length, bint adding
) noexcept nogil:
    """The cell of a word, or NOT_FOUND.

    Symbol by symbol, each keyed by the cell before it; by eight and then three at a time where
    they have codes. The two kinds of key differ in their highest byte: that of a word's start is
    not 0, since no symbol has the code 0.
    """
    cdef Py_ssize_t i = 0, step = 1
    cdef uint64_t key
    cdef uint32_t cell = NOT_FOUND
    while i < length:
        if not codes:
            key = <uint64_t>cell << 32 | word[i]
        elif i == 0:
            key = coded_key(codes, length)
            step = 8
        else:
            key = (coded_key(codes + i, length - i) & 0xFFFFFF) << 32 | cell
            step = 3
        cell = table_enter(table, key) if adding else table_find(table, key)
        if cell == NOT_FOUND:
            break
        i += step
    return cell


cdef inline uint32_t word_number(
    Words *words, const uint32_t *word, const uint8_t *codes, Py_ssize_t length, bint adding
) noexcept nogil:
    """The number of a word among the reference's, in the order of their appearance."""
    cdef uint32_t cell = word_cell(&words.table, word, codes, length, adding)
    if cell == NOT_FOUND:
        return NOT_FOUND
    if adding and words.table.cells[cell].left == 0:
        words.size += 1
        words.table.cells[cell].left = words.size
    return words.table.cells[cell].left - 1            # NOT_FOUND where only longer words begin so


cdef inline Py_ssize_t number_words(
    Words *words, const uint32_t *text, const uint8_t *codes, Py_ssize_t length, bint adding,
    uint32_t *numbers
) noexcept nogil:
    """Write the numbers of the words; return how many there are.

    Of a run of two symbols or more, one ASCII punctuation mark is split off its end, or else off
    its start; never both (Popovic's chrF++.py, kept as it is).
    """
    cdef Py_ssize_t i, begin, middle, end, count = 0
    for i in range(find_runs(text, length, words.begins, words.ends)):
        begin, end = words.begins[i], words.ends[i]
        middle = end
        if end - begin > 1:
            if is_punctuation(text[end - 1]):
                middle = end - 1
            elif is_punctuation(text[begin]):
                middle = begin + 1
        numbers[count] = word_number(
            words, text + begin, codes + begin if codes else NULL, middle - begin, adding
        )
        count += 1
        if middle < end:
            numbers[count] = word_number(
                words, text + middle, codes + middle if codes else NULL, end - middle, adding
            )
            count += 1
    return count
