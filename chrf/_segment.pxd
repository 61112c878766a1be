# One segment: two texts in, the counts of every order out.

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from chrf._chains cimport LONGEST_ORDER, LONGEST_SEGMENT, PAD, Chains, count_chains
from chrf._codes cimport (
    NOTHING, PADDING, REMOVED, UNKNOWN, Alphabet, alphabet_clear, drop_removed,
    encode_hypothesis, encode_reference,
)
from chrf._orders cimport Grams, Symbols, count_orders
from chrf._table cimport Cell, table_cells, table_clear
from chrf._unicode cimport is_whitespace
from chrf._words cimport Words, number_words


cdef struct Text:              # read in place: a Python string, or valid UTF-8
    const void *data
    Py_ssize_t length          # code points, or bytes
    int kind                   # bytes per code point: 1, 2 or 4; 0 for UTF-8


cdef struct Scratch:           # one worker's memory, as large as its longest segment needs
    Symbols hypothesis
    Symbols reference
    Symbols hypothesis_words
    Symbols reference_words
    Alphabet alphabet
    Chains chains
    Py_ssize_t hypothesis_codes        # how many codes the chains hold
    Py_ssize_t reference_codes
    Grams grams
    Words words                # shares the memory of grams


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


cdef inline void remove_whitespace(Symbols *symbols) noexcept nogil:
    cdef Py_ssize_t i, kept = 0
    cdef uint32_t c
    for i in range(symbols.length):
        c = symbols.items[i]
        symbols.items[kept] = c
        kept += not is_whitespace(c)
    symbols.length = kept


cdef inline bint encode(Scratch *s, int dropped) noexcept nogil:
    """Give both texts their codes; False where they are too long or of too many symbols."""
    cdef Py_ssize_t length = -1
    if s.reference.length > LONGEST_SEGMENT or s.hypothesis.length > LONGEST_SEGMENT:
        return False
    length = encode_reference(
        &s.alphabet, s.reference.items, s.reference.length, dropped, s.chains.reference
    )
    if length < 0:
        alphabet_clear(&s.alphabet)
        length = encode_reference(
            &s.alphabet, s.reference.items, s.reference.length, dropped, s.chains.reference
        )
        if length < 0:
            return False
    s.reference_codes = length
    s.hypothesis_codes = encode_hypothesis(
        &s.alphabet, s.hypothesis.items, s.hypothesis.length, dropped, s.chains.hypothesis
    )
    return True


cdef inline bint count_coded(
    Scratch *s, Py_ssize_t hypothesis, Py_ssize_t reference, int orders, int64_t *out
) noexcept nogil:
    """Fill the orders 1..orders from codes; False where it would take too long."""
    cdef Py_ssize_t order
    cdef int64_t matching[LONGEST_ORDER]
    memset(s.chains.hypothesis + hypothesis, UNKNOWN, PAD)
    memset(s.chains.reference + reference, PADDING, PAD)
    if orders > LONGEST_ORDER or not count_chains(
        &s.chains, hypothesis, reference, orders, matching
    ):
        return False
    for order in range(orders):
        out[3 * order] = max(hypothesis - order, 0)
        out[3 * order + 1] = max(reference - order, 0)
        out[3 * order + 2] = matching[order]
    return True


cdef inline void count_characters(
    Scratch *s, bint coded, int orders, bint whitespace, int64_t *out
) noexcept nogil:
    if coded and count_coded(s, s.hypothesis_codes, s.reference_codes, orders, out):
        return
    if not whitespace:
        remove_whitespace(&s.hypothesis)
        remove_whitespace(&s.reference)
    count_orders(&s.grams, &s.hypothesis, &s.reference, orders, out)


cdef inline void number_both(Scratch *s, bint coded) noexcept nogil:
    """Turn the words of both texts into numbers."""
    table_clear(&s.words.table, s.reference.length)
    s.words.size = 0
    s.reference_words.length = number_words(
        &s.words, s.reference.items, s.chains.reference if coded else NULL, s.reference.length,
        True, s.reference_words.items,
    )
    s.hypothesis_words.length = number_words(
        &s.words, s.hypothesis.items, s.chains.hypothesis if coded else NULL, s.hypothesis.length,
        False, s.hypothesis_words.items,
    )


cdef inline void count_words(Scratch *s, int orders, int64_t *out) noexcept nogil:
    """Words are counted as characters are: their numbers are the symbols."""
    cdef Py_ssize_t i
    if (
        s.words.size < UNKNOWN
        and s.hypothesis_words.length <= LONGEST_SEGMENT
        and s.reference_words.length <= LONGEST_SEGMENT
    ):
        for i in range(s.hypothesis_words.length):
            s.chains.hypothesis[i] = <uint8_t>min(s.hypothesis_words.items[i], UNKNOWN)
        for i in range(s.reference_words.length):
            s.chains.reference[i] = <uint8_t>s.reference_words.items[i]
        if count_coded(s, s.hypothesis_words.length, s.reference_words.length, orders, out):
            return
    count_orders(&s.grams, &s.hypothesis_words, &s.reference_words, orders, out)


cdef inline void count_segment(
    Scratch *s, const Text *hypothesis, const Text *reference, int char_order, int word_order,
    bint whitespace, int64_t *out,
) noexcept nogil:
    cdef bint coded
    decode(hypothesis, &s.hypothesis)
    decode(reference, &s.reference)
    if word_order:                     # words are found before whitespace is removed
        coded = encode(s, NOTHING)
        number_both(s, coded)
        if coded:
            s.hypothesis_codes = drop_removed(s.chains.hypothesis, s.hypothesis_codes)
            s.reference_codes = drop_removed(s.chains.reference, s.reference_codes)
    else:
        coded = encode(s, REMOVED)
    if char_order:
        count_characters(s, coded, char_order, whitespace, out)
    if word_order:
        count_words(s, word_order, out + 3 * char_order)


cdef inline Scratch *new_scratch(
    Py_ssize_t hypothesis, Py_ssize_t reference, bint many
) noexcept nogil:
    """Memory for segments of at most so many code points, or NULL.

    For many segments it includes the table of bigrams, which takes some microseconds to come by.
    """
    cdef Py_ssize_t coded_hypothesis = min(hypothesis, LONGEST_SEGMENT) + PAD
    cdef Py_ssize_t coded_reference = min(reference, LONGEST_SEGMENT) + PAD
    cdef Py_ssize_t longest = max(hypothesis, reference)
    cdef size_t heads = 256
    cdef Scratch *s = <Scratch *>calloc(1, sizeof(Scratch))
    if not s:
        return NULL
    while heads < 4 * <size_t>coded_reference:
        heads *= 2
    s.grams.table.cells = <Cell *>malloc(table_cells(reference) * sizeof(Cell))
    # One piece of memory for the rest: 32-bit arrays, then 16-bit ones, then bytes.
    s.hypothesis.items = <uint32_t *>malloc(
        sizeof(uint32_t) * (2 * hypothesis + 2 * longest + 3 * reference)
        + sizeof(uint16_t) * (heads + coded_reference) + 2 * coded_hypothesis + 2 * coded_reference
    )
    if many:
        s.chains.bigrams = <uint16_t *>calloc(1 << 16, sizeof(uint16_t))
    if not s.grams.table.cells or not s.hypothesis.items or (many and not s.chains.bigrams):
        free_scratch(s)
        return NULL
    s.hypothesis_words.items = s.hypothesis.items + hypothesis
    s.grams.hypothesis_ids = s.hypothesis_words.items + hypothesis
    s.grams.alive = s.grams.hypothesis_ids + longest
    s.reference.items = s.grams.alive + longest
    s.reference_words.items = s.reference.items + reference
    s.grams.reference_ids = s.reference_words.items + reference
    s.chains.heads = <uint16_t *>(s.grams.reference_ids + reference)
    s.chains.next = s.chains.heads + heads
    s.chains.hypothesis = <uint8_t *>(s.chains.next + coded_reference)
    s.chains.matched = s.chains.hypothesis + coded_hypothesis
    s.chains.reference = s.chains.matched + coded_hypothesis
    s.chains.used = s.chains.reference + coded_reference
    s.words.table = s.grams.table
    s.words.begins = s.grams.hypothesis_ids
    s.words.ends = s.grams.alive
    return s


cdef inline void free_scratch(Scratch *s) noexcept nogil:
    if s:
        free(s.grams.table.cells)
        free(s.hypothesis.items)
        free(s.chains.bigrams)
        free(s)
