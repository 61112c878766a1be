# One segment: two texts in, the counts of every order out.

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from chrf.kernel.decode cimport Text, decode
from chrf.kernel.match.chains cimport (
    LONGEST_CHAINED, LONGEST_ORDER, PAD, Chains, Marks, build_chains, count_chains,
)
from chrf.kernel.match.codes cimport (
    UNKNOWN, Alphabet, alphabet_clear, encode_hypothesis, number_codes,
)
from chrf.kernel.memory cimport Arena, chrf_malloc, take
from chrf.kernel.match.orders cimport Grams, Symbols, count_orders
from chrf.kernel.match.prepare cimport Reference, prepare
from chrf.kernel.match.windows cimport Windows, count_sorted, free_windows
from chrf.kernel.match.numbers cimport PageMap, number_symbols
from chrf.kernel.match.table cimport Cell, table_cells, table_clear
from chrf.kernel.simd.short cimport (
    LONGEST_HYPOTHESIS, Short, count_short, forget, free_short, new_short, prepare_short,
)
from chrf.kernel.unicode cimport is_whitespace
from chrf.kernel.match.words cimport Runs, Words, find_runs, number_coded_words, number_words


cdef struct Hypothesis:
    Text text                  # whose code points these are
    Symbols symbols
    uint8_t *codes             # and bytes of padding
    Py_ssize_t length          # how many codes
    uint32_t alphabet          # when they were given, if they still hold
    int next_code
    Symbols words


cdef struct Scratch:           # one worker's memory, as large as its longest segment needs
    Short *short
    void *memory               # in which the buffers stand; see `give_buffers`
    Hypothesis hypothesis
    Symbols reference_text
    Symbols reference_words
    Reference reference
    Alphabet alphabet
    Marks marks
    Chains word_chains
    uint8_t *word_codes
    PageMap *page_map          # NULL until it is needed
    Windows windows
    Grams grams
    Words words
    Runs runs


cdef inline void remove_whitespace(Symbols *symbols) noexcept nogil:
    cdef Py_ssize_t i, kept = 0
    cdef uint32_t c
    for i in range(symbols.length):
        c = symbols.items[i]
        symbols.items[kept] = c
        kept += not is_whitespace(c)
    symbols.length = kept


cdef inline void take_hypothesis(Scratch *s, const Text *text) noexcept nogil:
    """Decode the text, unless it is the one before: several references may share it."""
    cdef Text *taken = &s.hypothesis.text
    if taken.data == text.data and taken.length == text.length and taken.kind == text.kind:
        return
    taken[0] = text[0]
    decode(text, &s.hypothesis.symbols)
    s.hypothesis.next_code = 0


cdef inline void give_codes(Hypothesis *hypothesis, const Alphabet *alphabet) noexcept nogil:
    """Give the hypothesis its codes, unless it has them."""
    if hypothesis.alphabet != alphabet.emptied or hypothesis.next_code != alphabet.next_code:
        hypothesis.length = encode_hypothesis(
            alphabet, hypothesis.symbols.items, hypothesis.symbols.length, hypothesis.codes
        )
        memset(hypothesis.codes + hypothesis.length, UNKNOWN, PAD)
        hypothesis.alphabet = alphabet.emptied
        hypothesis.next_code = alphabet.next_code


cdef inline void write_counts(
    Py_ssize_t hypothesis, Py_ssize_t reference, const int64_t *matching, int orders, int64_t *out
) noexcept nogil:
    cdef Py_ssize_t order
    for order in range(orders):
        out[3 * order] = max(hypothesis - order, 0)
        out[3 * order + 1] = max(reference - order, 0)
        out[3 * order + 2] = matching[order]


cdef inline bint count_codes(
    Scratch *s, const Chains *reference, const uint8_t *hypothesis, Py_ssize_t length, int orders,
    int64_t *out,
) noexcept nogil:
    """Fill the orders 1..orders along the chains; False where it would take too long."""
    cdef int64_t matching[LONGEST_ORDER]
    if orders > LONGEST_ORDER or not count_chains(
        reference, hypothesis, length, &s.marks, orders, matching
    ):
        return False
    write_counts(length, reference.length, matching, orders, out)
    return True


cdef inline void count_numbers(
    Scratch *s, const Symbols *hypothesis, const Symbols *reference, uint32_t size, int orders,
    int64_t *out,
) noexcept nogil:
    """Fill the orders 1..orders from numbers below `size`, or NOT_FOUND in the hypothesis."""
    cdef int64_t matching[LONGEST_ORDER]
    if count_sorted(&s.windows, hypothesis, reference, size, orders, matching):
        write_counts(hypothesis.length, reference.length, matching, orders, out)
    else:
        count_orders(&s.grams, hypothesis, reference, orders, out)


cdef inline void count_coded_characters(
    Scratch *s, const Chains *reference, int orders, int64_t *out
) noexcept nogil:
    """Count the characters; the reference's text is lost."""
    cdef const Hypothesis *hypothesis = &s.hypothesis
    cdef Symbols numbers = Symbols(hypothesis.words.items, hypothesis.length)
    cdef Symbols reference_numbers = Symbols(s.reference_text.items, reference.length)
    cdef uint32_t size
    if count_codes(s, reference, hypothesis.codes, hypothesis.length, orders, out):
        return
    size = number_codes(hypothesis.codes, hypothesis.length, numbers.items,
                        reference.codes, reference.length, reference_numbers.items)
    count_numbers(s, &numbers, &reference_numbers, size, orders, out)


cdef inline void count_coded_words(
    Scratch *s, Reference *reference, bint whitespace, int orders, int64_t *out
) noexcept nogil:
    """Count the words as characters are counted: their numbers are the symbols."""
    cdef Hypothesis *hypothesis = &s.hypothesis
    cdef Symbols numbers = Symbols(reference.numbers, reference.word_count)
    cdef Py_ssize_t i
    find_runs(hypothesis.symbols.items, hypothesis.symbols.length, &s.runs)
    hypothesis.words.length = number_coded_words(
        &reference.words, &s.runs, hypothesis.symbols.items, hypothesis.codes, whitespace, False,
        hypothesis.words.items,
    )
    if reference.words.size < UNKNOWN:
        for i in range(hypothesis.words.length):
            s.word_codes[i] = <uint8_t>min(hypothesis.words.items[i], <uint32_t>UNKNOWN)
        memset(s.word_codes + hypothesis.words.length, UNKNOWN, PAD)
        for i in range(numbers.length):
            s.word_chains.codes[i] = <uint8_t>numbers.items[i]
        s.word_chains.length = numbers.length
        build_chains(&s.word_chains, orders)
        if count_codes(s, &s.word_chains, s.word_codes, hypothesis.words.length, orders, out):
            return
    count_numbers(s, &hypothesis.words, &numbers, reference.words.size, orders, out)


cdef inline void count_any_words(Scratch *s, int orders, int64_t *out) noexcept nogil:
    """Count the words of any two texts."""
    table_clear(&s.words.table, s.reference_text.length)
    s.words.size = 0
    find_runs(s.reference_text.items, s.reference_text.length, &s.runs)
    s.reference_words.length = number_words(
        &s.words, &s.runs, s.reference_text.items, True, s.reference_words.items
    )
    find_runs(s.hypothesis.symbols.items, s.hypothesis.symbols.length, &s.runs)
    s.hypothesis.words.length = number_words(
        &s.words, &s.runs, s.hypothesis.symbols.items, False, s.hypothesis.words.items
    )
    count_numbers(s, &s.hypothesis.words, &s.reference_words, s.words.size, orders, out)


cdef inline void count_any_characters(
    Scratch *s, int orders, bint whitespace, int64_t *out
) noexcept nogil:
    """Count the characters of any two texts, which are lost."""
    cdef Symbols *hypothesis = &s.hypothesis.symbols
    cdef uint32_t size
    if not whitespace:
        remove_whitespace(hypothesis)
        remove_whitespace(&s.reference_text)
    s.hypothesis.text.data = NULL
    if not s.page_map:
        s.page_map = <PageMap *>malloc(sizeof(PageMap))
    size = number_symbols(s.page_map, hypothesis, &s.reference_text)
    count_numbers(s, hypothesis, &s.reference_text, size, orders, out)


cdef inline void count_prepared(
    Scratch *s, Reference *reference, int char_order, int word_order, bint whitespace, int64_t *out
) noexcept nogil:
    """Count the hypothesis that was taken; the reference's text is lost."""
    give_codes(&s.hypothesis, &s.alphabet)
    # Characters come first: chains of words take the place of theirs.
    if char_order:
        count_coded_characters(s, &reference.chains, char_order, out)
    if word_order:
        count_coded_words(s, reference, whitespace, word_order, out + 3 * char_order)


cdef inline bint in_code_points(
    Text *text, Symbols *symbols, Py_ssize_t longest
) noexcept nogil:
    """See that a text is one of code points; return False where it has more than `longest`.

    What is decoded from UTF-8 for that stands in `symbols`.
    """
    if text.kind == 0 and text.length <= 4 * longest:
        decode(text, symbols)
        text[0] = Text(symbols.items, symbols.length, 4)
    return text.kind != 0 and text.length <= longest


cdef inline bint short_orders(int char_order, int word_order) noexcept nogil:
    return char_order <= LONGEST_ORDER and word_order <= LONGEST_ORDER


cdef inline bint count_as_short(
    Scratch *s, Text hypothesis, Text reference, int char_order, int word_order, bint whitespace,
    int64_t *out,
) noexcept nogil:
    """Count two texts, if they are short; return whether they were."""
    if (
        not short_orders(char_order, word_order)
        or not in_code_points(&reference, &s.reference_text, s.short.longest)
        or not in_code_points(&hypothesis, &s.hypothesis.words, LONGEST_HYPOTHESIS)
    ):
        return False
    prepare_short(s.short, &reference, word_order, whitespace)
    count_short(s.short, &s.short.reference, &hypothesis, char_order, word_order, whitespace, out)
    forget(s.short, &s.short.reference)
    return True


cdef inline void count_segment(
    Scratch *s, const Text *hypothesis, const Text *reference, int char_order, int word_order,
    bint whitespace, int64_t *out,
) noexcept nogil:
    """Count all orders of two texts, the characters' before the words'."""
    if count_as_short(s, hypothesis[0], reference[0], char_order, word_order, whitespace, out):
        return
    decode(reference, &s.reference_text)
    take_hypothesis(s, hypothesis)
    if prepare(
        &s.reference, &s.alphabet, &s.reference_text, &s.runs, char_order, word_order, whitespace
    ):
        count_prepared(s, &s.reference, char_order, word_order, whitespace, out)
        return
    if word_order:
        count_any_words(s, word_order, out + 3 * char_order)
    if char_order:
        count_any_characters(s, char_order, whitespace, out)


# What shares memory, and who writes it in which step of a segment (a step may follow another,
# never come before it; a buffer that is not named here holds one thing and has its own memory):
#
#   buffer               1 read        2 prepare    3 count characters       4 count words
#   hypothesis.symbols   code points   .            (numbers, if not coded)  .
#   hypothesis.words     .             .            numbers of codes         numbers of words
#   reference_text       code points   .            numbers                  .
#   reference_words,     .             numbers of   .                        (numbers of words,
#     reference.numbers                  words                                 if not coded)
#   chains.heads, next   .             characters   .                        words (word_chains)
#   hypothesis_ids,      .             runs of the  ids by count_orders      runs of either text,
#     alive                              reference                             then ids
#   table                .             .            n-grams of an order      words, if not coded;
#                                                                              then n-grams
#
# A segment whose symbols have no codes has no step 2, and counts its words before its characters.

cdef inline void give_buffers(
    Scratch *s, Arena *arena, Py_ssize_t hypothesis, Py_ssize_t reference
) noexcept nogil:
    """Take the buffers for texts of at most these code points: the wide ones first."""
    cdef Py_ssize_t longest = max(hypothesis, reference)
    cdef Py_ssize_t chained = min(reference, LONGEST_CHAINED)
    cdef size_t heads = 256
    while heads < 4 * <size_t>chained:
        heads *= 2
    s.hypothesis.symbols.items = <uint32_t *>take(arena, hypothesis, sizeof(uint32_t))
    s.hypothesis.words.items = <uint32_t *>take(arena, hypothesis, sizeof(uint32_t))
    s.grams.hypothesis_ids = s.runs.begins = <uint32_t *>take(arena, longest, sizeof(uint32_t))
    s.grams.alive = s.runs.ends = <uint32_t *>take(arena, longest, sizeof(uint32_t))
    s.reference_text.items = <uint32_t *>take(arena, reference, sizeof(uint32_t))
    s.reference_words.items = <uint32_t *>take(arena, reference, sizeof(uint32_t))
    s.reference.numbers = s.reference_words.items
    s.grams.reference_ids = <uint32_t *>take(arena, reference, sizeof(uint32_t))
    s.reference.chains.heads = <uint16_t *>take(arena, heads, sizeof(uint16_t))
    s.reference.chains.next = <uint16_t *>take(arena, chained, sizeof(uint16_t))
    s.reference.words.cells = <uint16_t *>take(arena, heads, sizeof(uint16_t))
    s.reference.words.begins = <uint16_t *>take(arena, chained, sizeof(uint16_t))
    s.reference.words.lengths = <uint16_t *>take(arena, chained, sizeof(uint16_t))
    s.hypothesis.codes = <uint8_t *>take(arena, hypothesis + PAD, 1)
    s.marks.matched = <uint8_t *>take(arena, hypothesis + PAD, 1)
    s.word_codes = <uint8_t *>take(arena, hypothesis + PAD, 1)
    s.reference.chains.codes = <uint8_t *>take(arena, reference + PAD, 1)
    s.marks.used = <uint8_t *>take(arena, reference + PAD, 1)
    s.word_chains = s.reference.chains
    s.word_chains.codes = <uint8_t *>take(arena, reference + PAD, 1)


cdef inline Scratch *new_scratch(
    Py_ssize_t hypothesis, Py_ssize_t reference, bint with_bigrams, uint64_t seed, bint whitespace
) noexcept nogil:
    """Return memory for segments of at most these code points, or NULL.

    The table of bigrams takes some microseconds to come by, and is worth it for many segments.
    """
    cdef Arena arena = Arena(NULL, 0)
    cdef Scratch *s = <Scratch *>calloc(1, sizeof(Scratch))
    if not s:
        return NULL
    s.reference.chains.first = 3 if with_bigrams else 2
    give_buffers(s, &arena, hypothesis, reference)
    s.short = new_short(hypothesis, reference, seed)
    s.grams.table.cells = <Cell *>malloc(table_cells(reference) * sizeof(Cell))
    s.memory = chrf_malloc(arena.taken)
    if with_bigrams:
        s.marks.bigrams = <uint16_t *>calloc(1 << 16, sizeof(uint16_t))
    if (
        not s.short or not s.memory or not s.grams.table.cells
        or (with_bigrams and not s.marks.bigrams)
    ):
        free_scratch(s)
        return NULL
    arena = Arena(<char *>s.memory, 0)
    give_buffers(s, &arena, hypothesis, reference)
    s.grams.table.seed = s.reference.words.seed = seed
    s.words.table = s.grams.table
    s.alphabet.whitespace = whitespace
    alphabet_clear(&s.alphabet)
    return s


cdef inline void free_scratch(Scratch *s) noexcept nogil:
    if s:
        free_short(s.short)
        free(s.grams.table.cells)
        free(s.memory)
        free(s.marks.bigrams)
        free(s.page_map)
        free_windows(&s.windows)
        free(s)
