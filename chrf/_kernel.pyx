# cython: language_level=3
# cython: freethreading_compatible=True
"""The kernel: text -> counts. Its twin, written for reading, is ``chrf/reference.py``."""

from cpython cimport array
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from array import array as new_array

from chrf._chains cimport LONGEST_ORDER, LONGEST_SEGMENT, Chains, count_chains
from chrf._codes cimport (
    PADDING, UNKNOWN, Alphabet, alphabet_clear, drop_removed, encode_hypothesis, encode_reference,
)
from chrf._table cimport (
    NOT_FOUND, Cell, Table, table_add, table_clear, table_find,
)
from chrf._unicode cimport is_punctuation, is_whitespace

cdef extern from *:
    """
    #if PY_VERSION_HEX < 0x030C0000
    #define chrf_ready(s) PyUnicode_READY(s)   /* strings made by old C APIs */
    #else
    #define chrf_ready(s) 0
    #endif
    """
    int chrf_ready(object) except -1
    int PyUnicode_KIND(object)
    void *PyUnicode_DATA(object)
    Py_ssize_t PyUnicode_GET_LENGTH(object)


cdef enum:
    # Cell numbers are 32 bits wide and a table has at most four cells for each code point.
    MAX_LENGTH = 0x3FFFFFFF


cdef struct Text:              # a Python string, read in place
    const void *data
    Py_ssize_t length
    int kind                   # bytes per code point: 1, 2 or 4


cdef struct Symbols:           # code points, or ids of words
    uint32_t *items
    Py_ssize_t length


cdef struct Scratch:           # one worker's memory, as large as its longest segment needs
    Table table
    Symbols hypothesis
    Symbols reference
    Symbols hypothesis_words
    Symbols reference_words
    uint32_t *hypothesis_ids   # at each position, the id of the n-gram that starts there
    uint32_t *reference_ids
    uint32_t *alive            # positions whose n-gram the reference has
    Alphabet alphabet
    Chains chains


# --- code points ------------------------------------------------------------------------------

cdef void decode(const Text *text, Symbols *symbols) noexcept nogil:
    cdef Py_ssize_t i
    symbols.length = text.length
    if text.kind == 1:
        for i in range(text.length):
            symbols.items[i] = (<const uint8_t *>text.data)[i]
    elif text.kind == 2:
        for i in range(text.length):
            symbols.items[i] = (<const uint16_t *>text.data)[i]
    else:
        for i in range(text.length):
            symbols.items[i] = (<const uint32_t *>text.data)[i]


cdef void remove_whitespace(Symbols *symbols) noexcept nogil:
    cdef Py_ssize_t i, kept = 0
    cdef uint32_t c
    for i in range(symbols.length):
        c = symbols.items[i]
        symbols.items[kept] = c
        kept += not is_whitespace(c)
    symbols.length = kept


# --- words ------------------------------------------------------------------------------------

cdef inline uint32_t word_id(
    Table *table, const uint32_t *word, const uint8_t *codes, Py_ssize_t length, bint adding
) noexcept nogil:
    """The id of a word: that of its last letters, each letter keyed by the id of those before.

    Four letters make one step where they have codes; no code is the 0xFF that fills the last step.
    """
    cdef uint64_t prefix = NOT_FOUND
    cdef uint32_t letters
    cdef Py_ssize_t i = 0
    while i < length:
        if codes:
            memcpy(&letters, codes + i, 4)
            if length - i < 4:
                memset(<uint8_t *>&letters + (length - i), 0xFF, 4 - (length - i))
            i += 4
        else:
            letters = word[i]
            i += 1
        if adding:
            prefix = table_add(table, prefix << 32 | letters)
        else:
            prefix = table_find(table, prefix << 32 | letters)
            if prefix == NOT_FOUND:
                break
    return <uint32_t>prefix


cdef void split_words(
    Table *table, const Symbols *text, const uint8_t *codes, Symbols *words, bint adding
) noexcept nogil:
    """Split on whitespace, then one ASCII punctuation mark off the end of a word of two code
    points or more, or else off its start; never both (Popovic's chrF++.py, kept as it is)."""
    cdef const uint32_t *c = text.items
    cdef Py_ssize_t begin, middle, end = 0
    words.length = 0
    while True:
        begin = end
        while begin < text.length and is_whitespace(c[begin]):
            begin += 1
        if begin == text.length:
            return
        end = begin + 1
        while end < text.length and not is_whitespace(c[end]):
            end += 1
        middle = end
        if end - begin > 1 and is_punctuation(c[end - 1]):
            middle = end - 1
        elif end - begin > 1 and is_punctuation(c[begin]):
            middle = begin + 1
        add_word(table, c, codes, begin, middle, words, adding)
        if middle < end:
            add_word(table, c, codes, middle, end, words, adding)


cdef inline void add_word(
    Table *table, const uint32_t *text, const uint8_t *codes, Py_ssize_t begin, Py_ssize_t end,
    Symbols *words, bint adding
) noexcept nogil:
    words.items[words.length] = word_id(
        table, text + begin, codes + begin if codes else NULL, end - begin, adding
    )
    words.length += 1


# --- one order, one segment -------------------------------------------------------------------

cdef int64_t count_order(Scratch *s, const Symbols *hypothesis, const Symbols *reference,
                         Py_ssize_t order, Py_ssize_t *alive) noexcept nogil:
    """Clipped matches of one order, given the ids of the n-grams one shorter.

    A hypothesis n-gram that the reference lacks cannot be extended to one that it has, so only
    the `alive` positions are looked at again by the next order.
    """
    cdef Py_ssize_t i, kept = 0
    cdef int64_t matching = 0
    cdef uint32_t position, found
    cdef Cell *cell
    table_clear(&s.table, reference.length)
    for i in range(reference.length - order + 1):
        s.reference_ids[i] = table_add(
            &s.table, <uint64_t>s.reference_ids[i] << 32 | reference.items[i + order - 1]
        )
    for i in range(alive[0]):
        position = s.alive[i]
        if position + order > hypothesis.length:
            break
        found = table_find(
            &s.table,
            <uint64_t>s.hypothesis_ids[position] << 32 | hypothesis.items[position + order - 1],
        )
        if found == NOT_FOUND:
            continue
        cell = &s.table.cells[found]
        if cell.left != 0:
            cell.left -= 1
            matching += 1
        s.hypothesis_ids[position] = found
        s.alive[kept] = position
        kept += 1
    alive[0] = kept
    return matching


cdef void count_orders(Scratch *s, const Symbols *hypothesis, const Symbols *reference,
                       Py_ssize_t orders, int64_t *out) noexcept nogil:
    """Fill (hypothesis_ngrams, reference_ngrams, matching_ngrams) for the orders 1..orders."""
    cdef Py_ssize_t i, order, alive = hypothesis.length
    for i in range(hypothesis.length):
        s.alive[i] = <uint32_t>i
        s.hypothesis_ids[i] = 0
    for i in range(reference.length):
        s.reference_ids[i] = 0
    for order in range(1, orders + 1):
        out[0] = max(hypothesis.length - order + 1, 0)
        out[1] = max(reference.length - order + 1, 0)
        out[2] = count_order(s, hypothesis, reference, order, &alive)
        out += 3


cdef bint encode(Scratch *s) noexcept nogil:
    """Give both texts their codes; False where they are too long or of too many symbols."""
    if s.reference.length > LONGEST_SEGMENT or s.hypothesis.length > LONGEST_SEGMENT:
        return False
    if not encode_reference(
        &s.alphabet, s.reference.items, s.reference.length, s.chains.reference
    ):
        alphabet_clear(&s.alphabet)
        if not encode_reference(
            &s.alphabet, s.reference.items, s.reference.length, s.chains.reference
        ):
            return False
    encode_hypothesis(&s.alphabet, s.hypothesis.items, s.hypothesis.length, s.chains.hypothesis)
    return True


cdef bint count_coded_characters(Scratch *s, int orders, int64_t *out) noexcept nogil:
    """Fill the character orders from the codes; False where it would take too long."""
    cdef Py_ssize_t order
    cdef Py_ssize_t hypothesis = drop_removed(s.chains.hypothesis, s.hypothesis.length)
    cdef Py_ssize_t reference = drop_removed(s.chains.reference, s.reference.length)
    cdef int64_t matching[LONGEST_ORDER]
    memset(s.chains.hypothesis + hypothesis, UNKNOWN, 8)
    memset(s.chains.reference + reference, PADDING, 8)
    if not count_chains(&s.chains, hypothesis, reference, orders, matching):
        return False
    for order in range(orders):
        out[3 * order] = max(hypothesis - order, 0)
        out[3 * order + 1] = max(reference - order, 0)
        out[3 * order + 2] = matching[order]
    return True


cdef void count_segment(Scratch *s, const Text *hypothesis, const Text *reference, int char_order,
                        int word_order, bint whitespace, int64_t *out) noexcept nogil:
    cdef bint coded
    decode(hypothesis, &s.hypothesis)
    decode(reference, &s.reference)
    coded = encode(s)
    if word_order:
        table_clear(&s.table, s.reference.length)
        split_words(&s.table, &s.reference, s.chains.reference if coded else NULL,
                    &s.reference_words, True)
        split_words(&s.table, &s.hypothesis, s.chains.hypothesis if coded else NULL,
                    &s.hypothesis_words, False)
        count_orders(s, &s.hypothesis_words, &s.reference_words, word_order, out + 3 * char_order)
    if not char_order:
        return
    if coded and char_order <= LONGEST_ORDER and count_coded_characters(s, char_order, out):
        return
    if not whitespace:
        remove_whitespace(&s.hypothesis)
        remove_whitespace(&s.reference)
    count_orders(s, &s.hypothesis, &s.reference, char_order, out)


# --- memory -----------------------------------------------------------------------------------

cdef Scratch *new_scratch(Py_ssize_t hypothesis, Py_ssize_t reference) noexcept nogil:
    """Memory for segments of at most so many code points; NULL where there is none."""
    cdef Py_ssize_t coded_hypothesis = min(hypothesis, LONGEST_SEGMENT) + 8
    cdef Py_ssize_t coded_reference = min(reference, LONGEST_SEGMENT) + 8
    cdef size_t cells = 16
    cdef Scratch *s = <Scratch *>malloc(sizeof(Scratch))
    if not s:
        return NULL
    while cells < 2 * <size_t>reference:
        cells *= 2
    s.table.cells = <Cell *>malloc(cells * sizeof(Cell))
    # One piece of memory for the rest: three 32-bit arrays a side and one more, then the codes.
    s.hypothesis.items = <uint32_t *>malloc(
        sizeof(uint32_t) * (4 * hypothesis + 3 * reference)
        + sizeof(uint16_t) * coded_reference + 2 * coded_hypothesis + 2 * coded_reference
    )
    if not s.table.cells or not s.hypothesis.items:
        free_scratch(s)
        return NULL
    s.hypothesis_words.items = s.hypothesis.items + hypothesis
    s.hypothesis_ids = s.hypothesis_words.items + hypothesis
    s.alive = s.hypothesis_ids + hypothesis
    s.reference.items = s.alive + hypothesis
    s.reference_words.items = s.reference.items + reference
    s.reference_ids = s.reference_words.items + reference
    s.chains.previous = <uint16_t *>(s.reference_ids + reference)
    s.chains.hypothesis = <uint8_t *>(s.chains.previous + coded_reference)
    s.chains.matched = s.chains.hypothesis + coded_hypothesis
    s.chains.reference = s.chains.matched + coded_hypothesis
    s.chains.used = s.chains.reference + coded_reference
    return s


cdef void free_scratch(Scratch *s) noexcept nogil:
    if s:
        free(s.table.cells)
        free(s.hypothesis.items)
        free(s)


# --- the Python surface -----------------------------------------------------------------------

cdef Py_ssize_t read_texts(str side, list items, Py_ssize_t start, Py_ssize_t n, Text *texts
                           ) except -1:
    """Point `texts` at the strings' own memory; return the length of the longest."""
    cdef Py_ssize_t i, longest = 0
    cdef object item
    for i in range(n):
        item = items[start + i]
        if not isinstance(item, str):
            found = type(item).__name__
            raise TypeError(f"{side}[{start + i}] is {found}, not a string")
        chrf_ready(item)
        texts[i].data = PyUnicode_DATA(item)
        texts[i].kind = PyUnicode_KIND(item)
        texts[i].length = PyUnicode_GET_LENGTH(item)
        if texts[i].length > MAX_LENGTH:
            raise ValueError(
                f"{side}[{start + i}] has {texts[i].length} code points; "
                f"at most {MAX_LENGTH} can be counted in one segment"
            )
        longest = max(longest, texts[i].length)
    return longest


def count(list hypotheses not None, list references not None, Py_ssize_t start, Py_ssize_t stop,
          int char_order, int word_order, bint whitespace):
    """Count the n-grams of segments ``start`` up to ``stop``.

    Parameters
    ----------
    hypotheses, references : list of str
        Segment i is the pair ``hypotheses[i]``, ``references[i]``. No other thread may change
        the lists while the call runs: the strings are read in place, without the GIL.
    start, stop : int
        Positions in both lists.
    char_order, word_order : int
        Longest n-grams of either kind, already checked (``chrf.options``).
    whitespace : bool
        Whether character n-grams keep whitespace.

    Returns
    -------
    array.array of type "q"
        For each segment and order (characters, then words) three numbers: hypothesis n-grams,
        reference n-grams, clipped matches.

    Raises
    ------
    TypeError
        Naming the side and the position of an item that is not a string.
    """
    cdef Py_ssize_t i, n = stop - start, width = 3 * (char_order + word_order)
    cdef Py_ssize_t longest_hypothesis, longest_reference
    cdef array.array counts
    cdef int64_t *out
    cdef Text *texts
    cdef Scratch *scratch = NULL
    if not 0 <= start <= stop <= min(len(hypotheses), len(references)):
        raise ValueError("start and stop must be positions in both lists")
    counts = array.clone(COUNTS, n * width, zero=False)
    if n == 0:
        return counts
    out = <int64_t *>counts.data.as_longlongs
    texts = <Text *>malloc(2 * n * sizeof(Text))
    if not texts:
        raise MemoryError()
    try:
        longest_hypothesis = read_texts("hypotheses", hypotheses, start, n, texts)
        longest_reference = read_texts("references", references, start, n, texts + n)
        scratch = new_scratch(longest_hypothesis, longest_reference)
        if not scratch:
            raise MemoryError()
        scratch.table.seed = <uint64_t><Py_hash_t>hash("chrf")  # differs from process to process
        scratch.alphabet.whitespace = whitespace
        alphabet_clear(&scratch.alphabet)
        with nogil:
            for i in range(n):
                count_segment(scratch, &texts[i], &texts[n + i], char_order, word_order,
                              whitespace, out + i * width)
    finally:
        free_scratch(scratch)
        free(texts)
    return counts


cdef array.array COUNTS = new_array("q")
