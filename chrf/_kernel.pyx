# cython: language_level=3
# cython: freethreading_compatible=True
"""The kernel: text -> counts. Its twin, written for reading, is ``chrf/reference.py``."""

from cpython cimport array
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from array import array as new_array

from chrf._chains cimport LONGEST_ORDER, LONGEST_SEGMENT, PAD, Chains, count_chains
from chrf._codes cimport (
    PADDING, UNKNOWN, Alphabet, alphabet_clear, drop_removed, encode_hypothesis, encode_reference,
)
from chrf._table cimport (
    NOT_FOUND, Cell, Table, table_add, table_clear, table_find,
)
from chrf._unicode cimport is_whitespace
from chrf._words cimport Words, number_words

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
    MANY = 4000                # code points from which a call is worth a larger table


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
    Words words                # shares the memory of the table, hypothesis_ids and alive


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


cdef bint count_coded(Scratch *s, Py_ssize_t hypothesis, Py_ssize_t reference, int orders,
                      int64_t *out) noexcept nogil:
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


cdef void count_characters(Scratch *s, bint coded, int orders, bint whitespace, int64_t *out
                           ) noexcept nogil:
    cdef Py_ssize_t hypothesis, reference
    if coded:
        hypothesis = drop_removed(s.chains.hypothesis, s.hypothesis.length)
        reference = drop_removed(s.chains.reference, s.reference.length)
        if count_coded(s, hypothesis, reference, orders, out):
            return
    if not whitespace:
        remove_whitespace(&s.hypothesis)
        remove_whitespace(&s.reference)
    count_orders(s, &s.hypothesis, &s.reference, orders, out)


cdef void number_both(Scratch *s, bint coded) noexcept nogil:
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


cdef void count_words(Scratch *s, int orders, int64_t *out) noexcept nogil:
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
    count_orders(s, &s.hypothesis_words, &s.reference_words, orders, out)


cdef void count_segment(Scratch *s, const Text *hypothesis, const Text *reference, int char_order,
                        int word_order, bint whitespace, int64_t *out) noexcept nogil:
    cdef bint coded
    decode(hypothesis, &s.hypothesis)
    decode(reference, &s.reference)
    coded = encode(s)
    if word_order:
        number_both(s, coded)          # words are found before whitespace is removed
    if char_order:
        count_characters(s, coded, char_order, whitespace, out)
    if word_order:
        count_words(s, word_order, out + 3 * char_order)


# --- memory -----------------------------------------------------------------------------------

cdef Scratch *new_scratch(Py_ssize_t hypothesis, Py_ssize_t reference, bint many) noexcept nogil:
    """Memory for segments of at most so many code points, or NULL.

    For many segments it includes the table of bigrams, which takes some microseconds to come by.
    """
    cdef Py_ssize_t coded_hypothesis = min(hypothesis, LONGEST_SEGMENT) + PAD
    cdef Py_ssize_t coded_reference = min(reference, LONGEST_SEGMENT) + PAD
    cdef Py_ssize_t longest = max(hypothesis, reference)
    cdef size_t cells = 16, heads = 256
    cdef Scratch *s = <Scratch *>calloc(1, sizeof(Scratch))
    if not s:
        return NULL
    while cells < 2 * <size_t>reference:
        cells *= 2
    while heads < 4 * <size_t>coded_reference:
        heads *= 2
    s.table.cells = <Cell *>malloc(cells * sizeof(Cell))
    # One piece of memory for the rest: 32-bit arrays, then 16-bit ones, then bytes.
    s.hypothesis.items = <uint32_t *>malloc(
        sizeof(uint32_t) * (2 * hypothesis + 2 * longest + 3 * reference)
        + sizeof(uint16_t) * (heads + coded_reference) + 2 * coded_hypothesis + 2 * coded_reference
    )
    if many:
        s.chains.bigrams = <uint16_t *>calloc(1 << 16, sizeof(uint16_t))
    if not s.table.cells or not s.hypothesis.items or (many and not s.chains.bigrams):
        free_scratch(s)
        return NULL
    s.hypothesis_words.items = s.hypothesis.items + hypothesis
    s.hypothesis_ids = s.hypothesis_words.items + hypothesis
    s.alive = s.hypothesis_ids + longest
    s.reference.items = s.alive + longest
    s.reference_words.items = s.reference.items + reference
    s.reference_ids = s.reference_words.items + reference
    s.chains.heads = <uint16_t *>(s.reference_ids + reference)
    s.chains.next = s.chains.heads + heads
    s.chains.hypothesis = <uint8_t *>(s.chains.next + coded_reference)
    s.chains.matched = s.chains.hypothesis + coded_hypothesis
    s.chains.reference = s.chains.matched + coded_hypothesis
    s.chains.used = s.chains.reference + coded_reference
    s.words.table = s.table
    s.words.begins = s.hypothesis_ids
    s.words.ends = s.alive
    return s


cdef void free_scratch(Scratch *s) noexcept nogil:
    if s:
        free(s.table.cells)
        free(s.hypothesis.items)
        free(s.chains.bigrams)
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
    cdef bint many
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
        many = n * longest_reference > MANY
        scratch = new_scratch(longest_hypothesis, longest_reference, many)
        if not scratch:
            raise MemoryError()
        # It differs from process to process.
        scratch.table.seed = scratch.words.table.seed = <uint64_t><Py_hash_t>hash("chrf")
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
