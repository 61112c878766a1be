# cython: language_level=3
# cython: freethreading_compatible=True
"""Counts of every hypothesis against every reference: work in proportion to what matches.

The n-grams of all references are numbered, one order at a time. Each lists the references that
have it, and each hypothesis lists which of them it has, both with the number of occurrences. The
clipped matches of a hypothesis with all references at once are sums of minima along those lists.
Symbols are code points or numbers of words, any number of them, and texts have any length.
"""

cimport cython
from cpython cimport array
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from chrf.kernel import seed
from chrf.kernel.match.table cimport (
    NOT_FOUND, Cell, Table, table_add, table_cells, table_clear, table_find,
)


cdef enum:
    MAX_SYMBOLS = 0x3FFFFFFF   # of a side: a table has up to four cells for each, in 32 bits
    MAX_ORDERS = 14
    NO_ROW = 0xFFFFFFFF
    LARGEST_IN_ROW = 255
    BYTES_A_POSTING = 16       # bytes of a row that cost about as much as a posting


cdef struct Side:              # the texts of one side, one after another
    const uint32_t *symbols
    const int64_t *starts      # text t stands from starts[t] up to starts[t + 1]
    Py_ssize_t texts
    int64_t length


cdef struct Walk:              # both sides, one order after another
    Side hypotheses
    Side references
    Table table                # the references' n-grams of this order
    uint32_t *numbers          # cell of the table -> number of its n-gram, from 1 as they come
    uint32_t distinct          # the last number
    uint32_t *hypothesis_ids   # at each position, the cell of the n-gram that starts there
    uint32_t *reference_ids
    uint32_t *places           # number of an n-gram -> where it was last listed as found


cdef struct Occurrences:
    uint32_t which             # a reference, or the number of an n-gram
    uint32_t count


cdef struct Ngram:
    uint32_t total             # occurrences in all references
    uint32_t first             # the references that have it: postings[first] up to postings[last]
    uint32_t last
    uint32_t row               # a row of the counts in each reference, if that is faster


cdef struct Level:             # one order
    Py_ssize_t order
    Side hypotheses
    Side references
    int64_t reference_ngrams   # of all references
    int64_t *starts            # hypothesis h has found[starts[h]] up to found[starts[h + 1]]
    Occurrences *found
    Ngram *ngrams
    Occurrences *postings
    uint8_t *rows


# --- one order after another ------------------------------------------------------------------

cdef inline int64_t ngrams_of(const Side *side, Py_ssize_t text, Py_ssize_t order) noexcept nogil:
    return max(side.starts[text + 1] - side.starts[text] - order + 1, 0)


cdef void next_order(Walk *w, Py_ssize_t order) noexcept nogil:
    """Replace the ids of the n-grams one shorter by those of this order.

    A hypothesis n-gram that no reference has is NOT_FOUND, and so are the longer ones from there.
    """
    cdef const Side *side = &w.references
    cdef uint32_t *ids = w.reference_ids
    cdef Py_ssize_t text, i
    table_clear(&w.table, side.length)
    w.distinct = 0
    for text in range(side.texts):
        for i in range(side.starts[text], side.starts[text + 1] - order + 1):
            ids[i] = table_add(&w.table, <uint64_t>ids[i] << 32 | side.symbols[i + order - 1])
            if w.table.cells[ids[i]].total == 1:
                w.distinct += 1
                w.numbers[ids[i]] = w.distinct
    side = &w.hypotheses
    ids = w.hypothesis_ids
    for text in range(side.texts):
        for i in range(side.starts[text], side.starts[text + 1] - order + 1):
            if ids[i] != NOT_FOUND:
                ids[i] = table_find(
                    &w.table, <uint64_t>ids[i] << 32 | side.symbols[i + order - 1]
                )


cdef void list_references(const Walk *w, Level *level) noexcept nogil:
    """For each n-gram, list the references that have it; numbers come in order of their first."""
    cdef const Side *side = &w.references
    cdef uint32_t number, seen = 0, room = 0
    cdef Py_ssize_t text, i
    cdef Ngram *ngram
    for text in range(side.texts):
        for i in range(side.starts[text], side.starts[text + 1] - level.order + 1):
            number = w.numbers[w.reference_ids[i]]
            ngram = &level.ngrams[number]
            if number > seen:
                seen = number
                ngram[0] = Ngram(w.table.cells[w.reference_ids[i]].total, room, room, NO_ROW)
                room += ngram.total
            if ngram.last > ngram.first and level.postings[ngram.last - 1].which == text:
                level.postings[ngram.last - 1].count += 1
            else:
                level.postings[ngram.last] = Occurrences(<uint32_t>text, 1)
                ngram.last += 1
    level.reference_ngrams = room


cdef void list_found(const Walk *w, Level *level) noexcept nogil:
    """For each hypothesis, list its n-grams that a reference has."""
    cdef const Side *side = &w.hypotheses
    cdef uint32_t number, place, first, end = 0
    cdef Py_ssize_t text, i
    for text in range(side.texts):
        level.starts[text] = first = end
        for i in range(side.starts[text], side.starts[text + 1] - level.order + 1):
            if w.hypothesis_ids[i] == NOT_FOUND:
                continue
            number = w.numbers[w.hypothesis_ids[i]]
            place = w.places[number]
            if first <= place < end and level.found[place].which == number:
                level.found[place].count += 1
            else:
                w.places[number] = end
                level.found[end] = Occurrences(number, 1)
                end += 1
    level.starts[side.texts] = end


cdef uint32_t choose_rows(Level *level, uint32_t distinct) noexcept nogil:
    """Give a row to each n-gram of enough references to be faster so; return how many have one."""
    cdef uint32_t number, j, largest, rows = 0
    cdef Ngram *ngram
    for number in range(1, distinct + 1):
        ngram = &level.ngrams[number]
        if (ngram.last - ngram.first) * <Py_ssize_t>BYTES_A_POSTING < level.references.texts:
            continue
        largest = 0
        for j in range(ngram.first, ngram.last):
            largest = max(largest, level.postings[j].count)
        if largest <= LARGEST_IN_ROW:
            ngram.row = rows
            rows += 1
    return rows


cdef void fill_rows(Level *level, uint32_t distinct) noexcept nogil:
    cdef uint32_t number, j
    cdef const Ngram *ngram
    cdef uint8_t *row
    for number in range(1, distinct + 1):
        ngram = &level.ngrams[number]
        if ngram.row != NO_ROW:
            row = level.rows + ngram.row * <size_t>level.references.texts
            for j in range(ngram.first, ngram.last):
                row[level.postings[j].which] = <uint8_t>level.postings[j].count


# --- one hypothesis against all references ----------------------------------------------------

cdef void add_row(uint32_t *matching, const uint8_t *row, uint8_t count, Py_ssize_t references
                  ) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(references):
        matching[i] += min(row[i], count)


cdef void match_row(const Level *level, Py_ssize_t hypothesis, uint32_t *matching) noexcept nogil:
    """Count the clipped matches of one order with each reference."""
    cdef Py_ssize_t references = level.references.texts
    cdef const Ngram *ngram
    cdef uint32_t count, j
    cdef int64_t i
    memset(matching, 0, references * sizeof(uint32_t))
    for i in range(level.starts[hypothesis], level.starts[hypothesis + 1]):
        ngram = &level.ngrams[level.found[i].which]
        count = level.found[i].count
        if ngram.row == NO_ROW:
            for j in range(ngram.first, ngram.last):
                matching[level.postings[j].which] += min(count, level.postings[j].count)
        else:   # no count in a row is larger than LARGEST_IN_ROW
            add_row(matching, level.rows + ngram.row * <size_t>references,
                    <uint8_t>min(count, <uint32_t>LARGEST_IN_ROW), references)


cdef void count_row(const Level *level, Py_ssize_t hypothesis, uint32_t *matching,
                    Py_ssize_t stride, int64_t *out) noexcept nogil:
    """Fill one order of the counts with each reference, which are `stride` apart."""
    cdef int64_t ngrams = ngrams_of(&level.hypotheses, hypothesis, level.order)
    cdef Py_ssize_t reference
    match_row(level, hypothesis, matching)
    for reference in range(level.references.texts):
        out[0] = ngrams
        out[1] = ngrams_of(&level.references, reference, level.order)
        out[2] = matching[reference]
        out += stride


cdef void count_mean_row(const Level *level, Py_ssize_t hypothesis, int64_t *out) noexcept nogil:
    """Fill one order of the counts with the mean of the references, times their number."""
    cdef int64_t references = level.references.texts, i
    cdef const Occurrences *found
    out[0] = references * ngrams_of(&level.hypotheses, hypothesis, level.order)
    out[1] = level.reference_ngrams
    out[2] = 0
    for i in range(level.starts[hypothesis], level.starts[hypothesis + 1]):
        found = &level.found[i]
        out[2] += min(references * found.count, <int64_t>level.ngrams[found.which].total)


# --- the Python surface -----------------------------------------------------------------------

cdef void *room(list owner, size_t size) except NULL:
    """Return `size` bytes, all zero, that live as long as `owner`; answer signals meanwhile."""
    cdef array.array memory = array.clone(BYTES, size + 1, zero=True)
    PyErr_CheckSignals()
    owner.append(memory)
    return memory.data.as_voidptr


cdef Side read_side(str name, list owner, const uint32_t[::1] symbols, const int64_t[::1] starts
                    ) except *:
    """Check the symbols and starts of one side; `owner` keeps them alive."""
    cdef Side side
    cdef Py_ssize_t text
    if symbols is None or starts is None:
        raise TypeError(f"{name} must be two buffers, of symbols and of starts")
    if not symbols.shape[0] or not starts.shape[0]:
        raise ValueError(f"{name} has no symbols or no starts")
    side = Side(&symbols[0], &starts[0], starts.shape[0] - 1, 0)
    side.length = starts[side.texts]
    if side.length > MAX_SYMBOLS:
        raise ValueError(
            f"{name} has {side.length} code points or words in all; "
            f"at most {MAX_SYMBOLS} can be compared in one call"
        )
    if starts[0] < 0 or side.length >= symbols.shape[0]:
        raise ValueError(f"the texts of {name} do not begin and end among its symbols")
    for text in range(side.texts):
        if starts[text] > starts[text + 1]:
            raise ValueError(f"{name}[{text}] ends before it begins")
    owner.append((symbols, starts))
    return side


cdef Walk new_walk(list owner, Side hypotheses, Side references) except *:
    """Return a walk that stands before order 1; `owner` has its memory."""
    cdef Walk w
    cdef size_t cells = table_cells(references.length)
    w.hypotheses, w.references, w.distinct = hypotheses, references, 0
    w.table.seed = seed.SEED
    w.table.cells = <Cell *>room(owner, cells * sizeof(Cell))
    w.numbers = <uint32_t *>room(owner, cells * sizeof(uint32_t))
    w.hypothesis_ids = <uint32_t *>room(owner, hypotheses.length * sizeof(uint32_t))
    w.reference_ids = <uint32_t *>room(owner, references.length * sizeof(uint32_t))
    w.places = <uint32_t *>room(owner, (references.length + 1) * sizeof(uint32_t))
    return w


cdef Level new_level(list owner, Walk *w, Py_ssize_t order) except *:
    """Walk on to the next order and return its lists; `owner` has their memory."""
    cdef Level level
    cdef size_t rows
    with nogil:
        next_order(w, order)
    level.order, level.hypotheses, level.references = order, w.hypotheses, w.references
    level.starts = <int64_t *>room(owner, (w.hypotheses.texts + 1) * sizeof(int64_t))
    level.found = <Occurrences *>room(owner, w.hypotheses.length * sizeof(Occurrences))
    level.ngrams = <Ngram *>room(owner, (<size_t>w.distinct + 1) * sizeof(Ngram))
    level.postings = <Occurrences *>room(owner, w.references.length * sizeof(Occurrences))
    with nogil:
        list_references(w, &level)
        list_found(w, &level)
        rows = choose_rows(&level, w.distinct)
    level.rows = <uint8_t *>room(owner, rows * w.references.texts)
    with nogil:
        fill_rows(&level, w.distinct)
    return level


@cython.final
cdef class Pairs:
    """Hypotheses and references, prepared once for all pairs of them."""

    cdef Level levels[MAX_ORDERS]
    cdef Py_ssize_t orders
    cdef list memory

    def __cinit__(self):
        self.orders = 0
        self.memory = []

    def add_orders(self, hypotheses not None, references not None, Py_ssize_t orders):
        """Prepare the orders 1 to `orders` of one kind of symbols.

        Parameters
        ----------
        hypotheses, references : (uint32 buffer, int64 buffer)
            The symbols of all texts one after another, with at least one more at the end, and where
            each text starts, with where the last one ends. Each call has the same texts.
        orders : int
            Longest n-gram.

        Raises
        ------
        ValueError
            The starts are no places among the symbols, in order; there are other texts than before;
            there are more than 14 orders in all, or a side has more than 0x3FFFFFFF symbols.
        """
        cdef Walk w
        cdef Side hypothesis_side, reference_side
        cdef Py_ssize_t order
        cdef list scratch = []
        symbols, starts = hypotheses
        hypothesis_side = read_side("hypotheses", self.memory, symbols, starts)
        symbols, starts = references
        reference_side = read_side("references", self.memory, symbols, starts)
        if not 1 <= orders <= MAX_ORDERS - self.orders:
            raise ValueError(f"there can be 1 to {MAX_ORDERS} orders in all")
        if self.orders and (hypothesis_side.texts != self.levels[0].hypotheses.texts
                            or reference_side.texts != self.levels[0].references.texts):
            raise ValueError("every kind of symbols must have the same number of texts")
        w = new_walk(scratch, hypothesis_side, reference_side)
        for order in range(1, orders + 1):
            self.levels[self.orders] = new_level(self.memory, &w, order)
            self.orders += 1

    def count(self, Py_ssize_t start, Py_ssize_t stop, int64_t[:, :, :, ::1] counts not None):
        """Count the hypotheses `start` up to `stop` against each reference.

        Parameters
        ----------
        start, stop : int
            Positions of hypotheses.
        counts : int64 buffer [hypotheses, references, orders, 3]
            What is filled: the three numbers are those of `chrf.kernel.count.count`.
        """
        cdef Py_ssize_t references = counts.shape[1], hypothesis, order
        cdef list scratch = []
        cdef uint32_t *matching
        self.check(start, stop, (counts.shape[0], references, counts.shape[2], counts.shape[3]),
                   (stop - start, self.levels[0].references.texts, self.orders, 3))
        if references == 0:
            return
        matching = <uint32_t *>room(scratch, references * sizeof(uint32_t))
        with nogil:
            for hypothesis in range(start, stop):
                for order in range(self.orders):
                    count_row(&self.levels[order], hypothesis, matching, 3 * self.orders,
                              &counts[hypothesis - start, 0, order, 0])

    def count_mean(self, Py_ssize_t start, Py_ssize_t stop, int64_t[:, :, ::1] counts not None):
        """Count hypotheses against the mean of the references, times their number.

        The mean count of an n-gram is a fraction. Times the number of references, all three numbers
        are integers, and their quotients stay the same.

        Parameters
        ----------
        start, stop : int
            Positions of hypotheses.
        counts : int64 buffer [hypotheses, orders, 3]
            What is filled.
        """
        cdef Py_ssize_t hypothesis, order
        self.check(start, stop, (counts.shape[0], counts.shape[1], counts.shape[2]),
                   (stop - start, self.orders, 3))
        with nogil:
            for hypothesis in range(start, stop):
                for order in range(self.orders):
                    count_mean_row(&self.levels[order], hypothesis,
                                   &counts[hypothesis - start, order, 0])

    cdef check(self, Py_ssize_t start, Py_ssize_t stop, tuple shape, tuple expected):
        if not 0 <= start <= stop <= self.levels[0].hypotheses.texts:
            raise ValueError("start and stop must be positions of hypotheses")
        if shape != expected:
            raise ValueError(f"counts has the shape {shape}; it must be {expected}")


cdef array.array BYTES = array.array("b")
