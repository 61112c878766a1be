# cython: language_level=3
# cython: freethreading_compatible=True
"""Short texts -> counts: numbers for their symbols and words, which are then matched by bits.

A table addressed by the code point holds the number of each symbol: those of whitespace and of
ASCII punctuation are always the same, those of the reference's other symbols are entered for as
long as its segment is counted, and 0 is for all that the reference does not have.

Vectors have the widest width that this machine has. ``CHRF_SIMD`` names another when the module is
imported: scalar, baseline, v3 (AVX2) or v4 (AVX-512).
"""

import os

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from chrf.kernel.match.chains cimport LONGEST_ORDER, cells_at
from chrf.kernel.memory cimport Arena, take
from chrf.kernel.simd.vocabulary cimport (
    CELLS_A_WORD, FIRST_NUMBER, SLACK, SPACES, Numbered, Vocabulary, number_reference_words,
    number_words, split_words,
)
from chrf.kernel.unicode cimport is_punctuation, is_whitespace

cdef extern from "chrf/kernel/simd/widths.h":
    ctypedef struct ChrfWidth:
        const char *name
        int longest
    const ChrfWidth *chrf_widths
    enum:
        CHRF_MOST_WORDS
        WIDTHS "(int)(sizeof(chrf_widths) / sizeof(chrf_widths[0]))"
    int chrf_missing_widths()
    void chrf_match(
        const ChrfWidth *, const uint16_t *, Py_ssize_t, const uint16_t *, Py_ssize_t, size_t, int,
        uint64_t *, int64_t *
    ) noexcept nogil

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    #define chrf_exchange(p, value) _InterlockedExchangePointer(p, value)
    #else
    static void *chrf_exchange(void **p, void *value) {
        return __atomic_exchange_n(p, value, __ATOMIC_ACQ_REL);
    }
    #endif
    /* Tables that no thread uses: their pages cost more to come by than a short segment, and a
       table that is freed makes malloc keep what is freed after it. */
    enum { CHRF_SPARE_TABLES = 64 };
    static void *chrf_spare_tables[CHRF_SPARE_TABLES];
    """
    void *chrf_exchange(void **, void *) noexcept nogil
    enum:
        CHRF_SPARE_TABLES
    void **chrf_spare_tables


NAMES = ("scalar", "baseline", "v3", "v4")

cdef const ChrfWidth *chosen = &chrf_widths[chrf_missing_widths()]


cdef enum:
    CODE_POINTS = 1 << 21      # which is more than Unicode has


ctypedef fused Unit:
    uint8_t
    uint16_t
    uint32_t


# --- the table ------------------------------------------------------------------------------------

cdef uint16_t *take_table() noexcept nogil:
    """Return a table in which only whitespace and punctuation have numbers, or NULL."""
    cdef uint16_t *table
    cdef uint32_t c, space = 0, mark = SPACES
    cdef int i
    for i in range(CHRF_SPARE_TABLES):
        table = <uint16_t *>chrf_exchange(&chrf_spare_tables[i], NULL)
        if table:
            return table
    table = <uint16_t *>calloc(CODE_POINTS, sizeof(uint16_t))
    if table:
        for c in range(0x3001):
            if is_whitespace(c):
                space += 1
                table[c] = <uint16_t>space
            elif is_punctuation(c):
                mark += 1
                table[c] = <uint16_t>mark
    return table


cdef void *give_table(uint16_t *table) noexcept nogil:
    """Keep the table for the next call; return one that is to be freed instead, or NULL."""
    cdef void *spare = table
    cdef int i
    for i in range(CHRF_SPARE_TABLES):
        spare = chrf_exchange(&chrf_spare_tables[i], spare)
        if not spare:
            break
    return spare


cdef void forget(Short *s, const ShortReference *reference) noexcept nogil:
    """Take the symbols of a reference out of the table."""
    cdef uint32_t i
    for i in range(reference.size):
        s.table[reference.alphabet[i]] = 0


cdef void recall(Short *s, const ShortReference *reference) noexcept nogil:
    """Enter the symbols of a reference that was numbered before."""
    cdef uint32_t i
    for i in range(reference.size):
        s.table[reference.alphabet[i]] = <uint16_t>(FIRST_NUMBER + i)


# --- symbols --------------------------------------------------------------------------------------

cdef void number_symbols(
    const uint16_t *table, const Unit *text, Py_ssize_t length, uint32_t removed, bint with_ends,
    Numbered *numbered,
) noexcept nogil:
    """Write the numbers of a hypothesis' symbols; those up to `removed` are left out.

    There is no branch but that of the loop, here and for a reference.
    """
    cdef Py_ssize_t i, kept = 0, spaces = 0
    cdef uint32_t number
    cdef uint16_t *symbols = numbered.symbols
    cdef uint16_t *ends = numbered.ends
    for i in range(length):
        number = table[text[i]]
        symbols[kept] = <uint16_t>number
        if with_ends:
            ends[spaces] = <uint16_t>kept
            spaces += number - 1 < SPACES
        kept += number - 1 >= removed
    ends[spaces] = <uint16_t>kept
    numbered.length = kept
    numbered.spaces = spaces


cdef void number_reference_symbols(
    uint16_t *table, const Unit *text, Py_ssize_t length, uint32_t removed, bint with_ends,
    ShortReference *reference,
) noexcept nogil:
    """Enter the reference's symbols in the table, and write their numbers."""
    cdef Py_ssize_t i, kept = 0, spaces = 0
    cdef uint32_t c, number, new, size = 0
    cdef uint16_t *symbols = reference.text.symbols
    cdef uint16_t *ends = reference.text.ends
    cdef uint32_t *alphabet = reference.alphabet
    for i in range(length):
        c = text[i]
        number = table[c]
        alphabet[size] = c
        new = <uint32_t>(<int32_t>(number - 1) >> 31)      # all ones for one that has no number
        number |= new & (FIRST_NUMBER + size)
        size -= new
        table[c] = <uint16_t>number
        symbols[kept] = <uint16_t>number
        if with_ends:
            ends[spaces] = <uint16_t>kept
            spaces += number - 1 < SPACES
        kept += number - 1 >= removed
    ends[spaces] = <uint16_t>kept
    reference.size = size
    reference.text.length = kept
    reference.text.spaces = spaces


# --- segments -------------------------------------------------------------------------------------

cdef void prepare_short(
    Short *s, const Text *text, int word_order, bint whitespace
) noexcept nogil:
    """Number the symbols and words of a reference, which is to be forgotten afterwards."""
    cdef uint32_t removed = 0 if whitespace else SPACES
    cdef bint with_ends = word_order != 0
    cdef ShortReference *theirs = &s.reference
    if text.kind == 1:
        number_reference_symbols(
            s.table, <const uint8_t *>text.data, text.length, removed, with_ends, theirs)
    elif text.kind == 2:
        number_reference_symbols(
            s.table, <const uint16_t *>text.data, text.length, removed, with_ends, theirs)
    else:
        number_reference_symbols(
            s.table, <const uint32_t *>text.data, text.length, removed, with_ends, theirs)
    theirs.text.word_count = theirs.vocabulary.size = 0
    if word_order:
        number_reference_words(&theirs.vocabulary, &theirs.text, whitespace)


cdef void prepare_hypothesis(
    Short *s, const Text *text, int word_order, bint whitespace
) noexcept nogil:
    """Number the symbols of a hypothesis."""
    cdef uint32_t removed = 0 if whitespace else SPACES
    cdef bint with_ends = word_order != 0
    cdef Numbered *ours = &s.hypothesis
    if text.kind == 1:
        number_symbols(
            s.table, <const uint8_t *>text.data, text.length, removed, with_ends, ours)
    elif text.kind == 2:
        number_symbols(
            s.table, <const uint16_t *>text.data, text.length, removed, with_ends, ours)
    else:
        number_symbols(
            s.table, <const uint32_t *>text.data, text.length, removed, with_ends, ours)


cdef void write_counts(
    Py_ssize_t hypothesis, Py_ssize_t reference, const int64_t *matching, int orders, int64_t *out
) noexcept nogil:
    cdef Py_ssize_t order
    for order in range(orders):
        out[3 * order] = max(hypothesis - order, 0)
        out[3 * order + 1] = max(reference - order, 0)
        out[3 * order + 2] = matching[order]


cdef void count_short(
    Short *s, ShortReference *reference, const Text *text, int char_order, int word_order,
    bint whitespace, int64_t *out,
) noexcept nogil:
    """Count a hypothesis against a reference whose symbols are in the table."""
    cdef Numbered *ours = &s.hypothesis
    cdef const Numbered *theirs = &reference.text
    cdef int64_t matching[LONGEST_ORDER]
    prepare_hypothesis(s, text, word_order, whitespace)
    if char_order:
        chrf_match(chosen, ours.symbols, ours.length, theirs.symbols, theirs.length,
                   FIRST_NUMBER + reference.size, char_order, s.masks, matching)
        write_counts(ours.length, theirs.length, matching, char_order, out)
    if word_order:
        split_words(ours, whitespace)
        memset(matching, 0, sizeof(matching))
        if theirs.word_count:              # else there is no vocabulary
            number_words(&reference.vocabulary, ours, theirs, False)
            chrf_match(chosen, ours.words, ours.word_count, theirs.words, theirs.word_count,
                       reference.vocabulary.size + 1, word_order, s.masks, matching)
        write_counts(ours.word_count, theirs.word_count, matching, word_order,
                     out + 3 * char_order)


# --- references that are kept ---------------------------------------------------------------------

cdef void lay_out(ShortReference *reference, Arena *arena) noexcept nogil:
    """Take as much memory for the arrays as they need: none for words if there are none."""
    cdef Vocabulary *words = &reference.vocabulary
    cdef Numbered *text = &reference.text
    cdef Py_ssize_t n = text.word_count
    words.keys = <uint64_t *>take(arena, 2 * (words.size + 1) if n else 0, sizeof(uint64_t))
    reference.alphabet = <uint32_t *>take(arena, reference.size, sizeof(uint32_t))
    text.symbols = <uint16_t *>take(arena, text.length + SLACK, sizeof(uint16_t))
    text.words = <uint16_t *>take(arena, n, sizeof(uint16_t))
    words.begins = <uint16_t *>take(arena, words.size + 1 if n else 0, sizeof(uint16_t))
    words.lengths = <uint16_t *>take(arena, words.size + 1 if n else 0, sizeof(uint16_t))
    words.cells = <uint16_t *>take(arena, cells_at(words.shift) if n else 0, sizeof(uint16_t))


cdef size_t kept_size(const ShortReference *reference) noexcept nogil:
    """Return how many bytes a reference takes where it is kept."""
    cdef ShortReference copy = reference[0]
    cdef Arena arena = Arena(NULL, 0)
    lay_out(&copy, &arena)
    return sizeof(ShortReference) + (arena.taken + 7) // 8 * 8


cdef ShortReference *keep(const ShortReference *reference, void *memory) noexcept nogil:
    """Copy a reference with all that it points to."""
    cdef ShortReference *kept = <ShortReference *>memory
    cdef const Vocabulary *words = &reference.vocabulary
    cdef const Numbered *text = &reference.text
    cdef Arena arena = Arena(<char *>memory, sizeof(ShortReference))
    kept[0] = reference[0]
    lay_out(kept, &arena)
    memcpy(kept.alphabet, reference.alphabet, reference.size * sizeof(uint32_t))
    memcpy(kept.text.symbols, text.symbols, text.length * sizeof(uint16_t))
    if text.word_count:
        memcpy(kept.text.words, text.words, text.word_count * sizeof(uint16_t))
        memcpy(kept.vocabulary.keys, words.keys, 2 * (words.size + 1) * sizeof(uint64_t))
        memcpy(kept.vocabulary.begins, words.begins, (words.size + 1) * sizeof(uint16_t))
        memcpy(kept.vocabulary.lengths, words.lengths, (words.size + 1) * sizeof(uint16_t))
        memcpy(kept.vocabulary.cells, words.cells, cells_at(words.shift) * sizeof(uint16_t))
    return kept


# --- memory ---------------------------------------------------------------------------------------

cdef void give_numbered(Numbered *text, Arena *arena, Py_ssize_t length) noexcept nogil:
    text.symbols = <uint16_t *>take(arena, length + SLACK, sizeof(uint16_t))
    text.ends = <uint16_t *>take(arena, length + 1, sizeof(uint16_t))
    # Beyond the last word, two more are written that are none.
    text.begins = <uint16_t *>take(arena, length + 2, sizeof(uint16_t))
    text.lengths = <uint16_t *>take(arena, length + 2, sizeof(uint16_t))
    text.words = <uint16_t *>take(arena, length, sizeof(uint16_t))


cdef void give_buffers(
    Short *s, Arena *arena, Py_ssize_t hypothesis, Py_ssize_t reference
) noexcept nogil:
    """Take the buffers for texts of at most these code points."""
    cdef Vocabulary *words = &s.reference.vocabulary
    cdef size_t masks = min(CHRF_MOST_WORDS, reference // (65 - LONGEST_ORDER) + 1), cells = 4
    while cells < CELLS_A_WORD * <size_t>reference:
        cells *= 2
    s.masks = <uint64_t *>take(arena, (FIRST_NUMBER + reference) * masks, sizeof(uint64_t))
    words.keys = <uint64_t *>take(arena, 2 * (reference + 2), sizeof(uint64_t))
    s.reference.alphabet = <uint32_t *>take(arena, reference + 1, sizeof(uint32_t))
    words.begins = <uint16_t *>take(arena, reference + 2, sizeof(uint16_t))
    words.lengths = <uint16_t *>take(arena, reference + 2, sizeof(uint16_t))
    words.cells = <uint16_t *>take(arena, cells, sizeof(uint16_t))
    give_numbered(&s.reference.text, arena, reference)
    give_numbered(&s.hypothesis, arena, hypothesis)


cdef Short *new_short(Py_ssize_t hypothesis, Py_ssize_t reference, uint64_t seed) noexcept nogil:
    """Return memory for short texts among those of at most these code points, or NULL."""
    cdef Arena arena = Arena(NULL, 0)
    cdef Short *s = <Short *>calloc(1, sizeof(Short))
    if not s:
        return NULL
    s.longest = chosen.longest
    hypothesis = min(hypothesis, LONGEST_HYPOTHESIS)
    reference = min(reference, s.longest)
    give_buffers(s, &arena, hypothesis, reference)
    s.table = take_table()
    s.memory = malloc(arena.taken)
    if not s.table or not s.memory:
        free_short(s)
        return NULL
    arena = Arena(<char *>s.memory, 0)
    give_buffers(s, &arena, hypothesis, reference)
    s.reference.vocabulary.seed = seed
    return s


cdef void free_short(Short *s) noexcept nogil:
    if s:
        if s.table:
            free(give_table(s.table))
        free(s.memory)
        free(s)


# --- the widths -----------------------------------------------------------------------------------

def available():
    """Return the names of the widths that this machine has, the widest first."""
    cdef int i
    names = []
    for i in range(chrf_missing_widths(), WIDTHS):
        names.append(chrf_widths[i].name.decode())
    return names


def longest():
    """Return how many code points the reference of a short segment has at most."""
    return chosen.longest


def in_use():
    """Return the name of the width that is in use."""
    return chosen.name.decode()


def use(str name not None):
    """Count in another width from now on; no call may run meanwhile.

    Raises
    ------
    ValueError
        There is no width of that name, or this machine does not have it.
    """
    global chosen
    here = available()
    if name not in NAMES:
        raise ValueError(f"CHRF_SIMD is {name!r}; it can be {', '.join(NAMES)}")
    if name not in here:
        raise ValueError(
            f"CHRF_SIMD is {name!r}, which this machine or build does not have; "
            f"it has {', '.join(here)}"
        )
    chosen = &chrf_widths[chrf_missing_widths() + <int>here.index(name)]


if os.environ.get("CHRF_SIMD"):
    use(os.environ["CHRF_SIMD"])
