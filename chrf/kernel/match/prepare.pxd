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


cdef inline bint narrow(const Reference *reference) noexcept nogil:
    """Return whether its positions fit bytes, as which they are then kept."""
    return reference.chains.length < 256


cdef inline size_t arrays_size(const Reference *reference) noexcept nogil:
    """Return how many bytes the arrays take where they are kept."""
    cdef size_t positions = chained(reference) + heads(reference)
    cdef size_t items = 2 * reference.words.size + word_cells(reference)
    return (
        reference.word_count * sizeof(uint32_t) + items * sizeof(uint16_t)
        + positions * (1 if narrow(reference) else sizeof(uint16_t))
        + reference.chains.length + PAD + 7
    ) // 8 * 8


cdef inline void lay_out(Reference *reference, uint8_t *memory) noexcept nogil:
    """Let the arrays stand one after another: those of 32 bits first, then those of 16.

    `heads` and `next` of a narrow reference then point to bytes, which `widen` reads.
    """
    cdef uint16_t *items
    cdef size_t width = 1 if narrow(reference) else sizeof(uint16_t)
    reference.numbers = <uint32_t *>memory
    items = <uint16_t *>(reference.numbers + reference.word_count)
    reference.words.begins = items
    items += reference.words.size
    reference.words.lengths = items
    items += reference.words.size
    reference.words.cells = items
    items += word_cells(reference)
    memory = <uint8_t *>items
    reference.chains.heads = <uint16_t *>memory
    memory += heads(reference) * width
    reference.chains.next = <uint16_t *>memory
    memory += chained(reference) * width
    reference.chains.codes = memory
    reference.words.codes = memory


cdef inline void keep_positions(
    const uint16_t *source, uint16_t *target, Py_ssize_t n, bint narrow
) noexcept nogil:
    cdef Py_ssize_t i
    if narrow:
        for i in range(n):
            (<uint8_t *>target)[i] = <uint8_t>source[i]
    else:
        memcpy(target, source, n * sizeof(uint16_t))


cdef inline void copy_arrays(const Reference *source, const Reference *target) noexcept nogil:
    """Copy what the arrays hold to where `lay_out` has pointed the target's."""
    cdef Py_ssize_t words = source.words.size
    keep_positions(source.chains.heads, target.chains.heads, heads(source), narrow(source))
    keep_positions(source.chains.next, target.chains.next, chained(source), narrow(source))
    memcpy(target.numbers, source.numbers, source.word_count * sizeof(uint32_t))
    memcpy(target.words.begins, source.words.begins, words * sizeof(uint16_t))
    memcpy(target.words.lengths, source.words.lengths, words * sizeof(uint16_t))
    memcpy(target.words.cells, source.words.cells, word_cells(source) * sizeof(uint16_t))
    memcpy(target.chains.codes, source.chains.codes, source.chains.length + PAD)


cdef inline void widen(Reference *kept, uint16_t *memory) noexcept nogil:
    """Let the positions of a narrow reference stand in other memory, as numbers of 16 bits.

    Sixteen are read and written at a time, so up to 15 more than there are.
    """
    cdef const uint8_t *bytes = <const uint8_t *>kept.chains.heads
    cdef Py_ssize_t i, j
    for i in range(0, heads(kept) + chained(kept), 16):
        for j in range(16):
            memory[i + j] = bytes[i + j]
    kept.chains.heads = memory
    kept.chains.next = memory + heads(kept)
