# What is done with a reference before its hypothesis comes: codes, chains, words.

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from chrf.kernel.match.chains cimport LONGEST_CHAINED, PAD, Chains, build_chains, cells_at
from chrf.kernel.match.codes cimport Alphabet, alphabet_clear, encode_reference
from chrf.kernel.match.orders cimport Symbols
from chrf.kernel.match.words cimport (
    CodedWords, Runs, find_runs, number_coded_words, start_coded_words,
)


cdef struct Reference:
    Chains chains
    CodedWords words
    uint32_t *numbers          # of its words, one after another
    Py_ssize_t word_count


cdef inline bint prepare(
    Reference *reference, Alphabet *alphabet, const Symbols *text, Runs *runs, int char_order,
    int word_order, bint whitespace,
) noexcept nogil:
    """Fill the reference's arrays; return False if it has too many symbols or words for them."""
    cdef Py_ssize_t length
    cdef uint8_t *codes = reference.chains.codes
    if word_order and text.length > LONGEST_CHAINED:
        return False
    length = encode_reference(alphabet, text.items, text.length, codes)
    if length < 0:
        alphabet_clear(alphabet)
        length = encode_reference(alphabet, text.items, text.length, codes)
        if length < 0:
            return False
    reference.chains.length = length
    build_chains(&reference.chains, char_order)
    reference.words.shift = 64         # no cells
    if word_order:
        find_runs(text.items, text.length, runs)
        start_coded_words(&reference.words, codes, runs)
        reference.word_count = number_coded_words(
            &reference.words, runs, text.items, codes, whitespace, True, reference.numbers
        )
    return True


cdef inline Py_ssize_t heads(const Reference *reference) noexcept nogil:
    return cells_at(reference.chains.shift)


cdef inline Py_ssize_t chained(const Reference *reference) noexcept nogil:
    return 0 if reference.chains.shift == 64 else reference.chains.length


cdef inline Py_ssize_t word_cells(const Reference *reference) noexcept nogil:
    return cells_at(reference.words.shift)


cdef inline size_t arrays_size(const Reference *reference) noexcept nogil:
    """Return how many bytes the arrays take where they are kept."""
    cdef size_t items = 2 * reference.words.size + word_cells(reference)
    items += chained(reference) + heads(reference)
    return (
        reference.word_count * sizeof(uint32_t) + items * sizeof(uint16_t)
        + reference.chains.length + PAD + 7
    ) // 8 * 8


cdef inline void lay_out(Reference *reference, uint8_t *memory) noexcept nogil:
    """Let the arrays stand one after another: those of 32 bits first, then those of 16."""
    cdef uint16_t *items
    reference.numbers = <uint32_t *>memory
    items = <uint16_t *>(reference.numbers + reference.word_count)
    reference.words.begins = items
    items += reference.words.size
    reference.words.lengths = items
    items += reference.words.size
    reference.words.cells = items
    items += word_cells(reference)
    reference.chains.heads = items
    items += heads(reference)
    reference.chains.next = items
    items += chained(reference)
    reference.chains.codes = <uint8_t *>items
    reference.words.codes = reference.chains.codes


cdef inline void copy_arrays(const Reference *source, const Reference *target) noexcept nogil:
    """Copy what the arrays hold to where `lay_out` has pointed the target's."""
    cdef Py_ssize_t words = source.words.size
    memcpy(target.chains.heads, source.chains.heads, heads(source) * sizeof(uint16_t))
    memcpy(target.chains.next, source.chains.next, chained(source) * sizeof(uint16_t))
    memcpy(target.numbers, source.numbers, source.word_count * sizeof(uint32_t))
    memcpy(target.words.begins, source.words.begins, words * sizeof(uint16_t))
    memcpy(target.words.lengths, source.words.lengths, words * sizeof(uint16_t))
    memcpy(target.words.cells, source.words.cells, word_cells(source) * sizeof(uint16_t))
    memcpy(target.chains.codes, source.chains.codes, source.chains.length + PAD)
