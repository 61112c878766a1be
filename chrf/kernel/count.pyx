# cython: language_level=3
# cython: freethreading_compatible=True
"""The kernel: text -> counts. Its twin, written for reading, is ``chrf/kernel/reference.py``."""

from cpython cimport array
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from array import array as new_array

from chrf.kernel import seed
from chrf.kernel.segment cimport Scratch, Text, count_segment, free_scratch, new_scratch
from chrf.kernel.threads cimport Helper, start_helpers, wait_for_helpers

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

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    #define chrf_fetch_add(p, n) _InterlockedExchangeAdd64(p, n)
    #else
    #define chrf_fetch_add(p, n) __atomic_fetch_add(p, n, __ATOMIC_RELAXED)
    #endif
    """
    int64_t chrf_fetch_add(int64_t *, int64_t) noexcept nogil


cdef enum:
    # Cell numbers are 32 bits wide and a table has at most four cells for each code point.
    MAX_LENGTH = 0x3FFFFFFF
    MAX_ORDERS = 14
    TURN = 6000                # code points of both sides that a thread takes at a time, about
    SMALLEST_SHARE = 12000     # of both sides; fewer are not worth another thread
    MOST_SHARES = 16           # threads for which a part gets longer


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
        check_length(side, start + i, texts[i].length)
        longest = max(longest, texts[i].length)
    return longest


cdef Py_ssize_t read_fields(str side, bytes block, array.array spans, Text *texts) except -1:
    """Point `texts` at fields of the block; return the length in bytes of the longest."""
    cdef Py_ssize_t i, begin, end, longest = 0
    cdef const char *start = block
    if spans.typecode != "q":
        raise ValueError(f"the spans of {side} have the type {spans.typecode!r}, not 'q'")
    for i in range(len(spans) // 2):
        begin = spans.data.as_longlongs[2 * i]
        end = spans.data.as_longlongs[2 * i + 1]
        if not 0 <= begin <= end <= len(block):
            raise ValueError(f"{side}[{i}] lies outside of the block")
        texts[i].data = start + begin
        texts[i].kind = 0
        texts[i].length = end - begin
        check_length(side, i, texts[i].length)
        longest = max(longest, texts[i].length)
    return longest


cdef int check_length(str side, Py_ssize_t index, Py_ssize_t length) except -1:
    """Raise ValueError for a text that is too long to be counted."""
    if length > MAX_LENGTH:
        raise ValueError(
            f"{side}[{index}] has a length of {length}; "
            f"at most {MAX_LENGTH} can be counted in one segment"
        )
    return 0


cdef int check_orders(int char_order, int word_order) except -1:
    """Raise ValueError for orders that the counts have no room for."""
    if not (0 <= char_order <= MAX_ORDERS and 0 <= word_order <= MAX_ORDERS - char_order):
        raise ValueError(
            f"char_order is {char_order} and word_order {word_order}; "
            f"there can be 0 to {MAX_ORDERS} orders in all"
        )
    return 0


cdef class _Job:
    """Segments that any number of threads count together, each with memory of its own."""

    def __dealloc__(self):
        free(self.texts)

    cdef Text *room(self, Py_ssize_t texts) except NULL:
        """Return memory for `texts` of them, as long as the job lives."""
        self.texts = <Text *>malloc(texts * sizeof(Text) + 1)
        if not self.texts:
            raise MemoryError()
        return self.texts

    cdef array.array count_pairs(self, Py_ssize_t n, Py_ssize_t longest_hypothesis,
                                 Py_ssize_t longest_reference, int char_order, int word_order,
                                 bint whitespace, Py_ssize_t threads):
        """Count `n` hypotheses against the `n` references that stand behind them."""
        self.n, self.others = n, self.texts + n
        self.longest_hypothesis = longest_hypothesis
        self.longest_reference = longest_reference
        self.char_order, self.word_order, self.whitespace = char_order, word_order, whitespace
        self.with_bigrams = n * longest_reference > WORTH_BIGRAMS
        return self.count(threads)

    cdef array.array count(self, Py_ssize_t threads):
        """Count them all in at most `threads` threads, of which this is the first.

        Between parts of them, signals are answered: a KeyboardInterrupt does not wait for the end.
        """
        check_orders(self.char_order, self.word_order)
        self.counts = array.clone(
            COUNTS, self.n * 3 * (self.char_order + self.word_order), zero=False
        )
        self.out = <int64_t *>self.counts.data.as_longlongs
        self.seed = seed.SEED
        self.count_part(threads)
        while self.stop < self.n:
            PyErr_CheckSignals()
            self.count_part(threads)
        return self.counts

    cdef int count_part(self, Py_ssize_t threads) except -1:
        """Count what comes after the last part."""
        cdef Helper *helpers
        cdef Py_ssize_t helper_count = 0, length = 0, begin = self.stop
        while self.stop < self.n and length < PART * max(1, min(threads, MOST_SHARES)):
            length += self.texts[self.stop].length + self.others[self.stop].length
            self.stop += 1
        self.next = begin
        self.turn = self.stop - begin
        if threads > 1:
            helper_count = min(min(threads - 1, self.turn), length // SMALLEST_SHARE)
        if helper_count:
            self.turn = max(TURN * self.turn // length, 1)
        with nogil:
            helpers = start_helpers(helper_count, take_turns, <void *>self)
            self.take_turns()
            wait_for_helpers(helpers, helper_count)
        if self.next < self.stop:
            raise MemoryError()
        return 0

    cdef void take_turns(self) noexcept nogil:
        """Count segments until none are left, or give up for want of memory."""
        cdef Py_ssize_t begin, width = 3 * (self.char_order + self.word_order)
        cdef int64_t *out = self.out
        cdef Scratch *scratch = new_scratch(self.longest_hypothesis, self.longest_reference,
                                            self.with_bigrams, self.seed, self.whitespace)
        if not scratch:
            return
        while True:
            begin = chrf_fetch_add(&self.next, self.turn)
            if begin >= self.stop:
                break
            self.count_range(scratch, begin, min(begin + self.turn, self.stop), out + begin * width)
        free_scratch(scratch)

    cdef void count_range(self, Scratch *scratch, Py_ssize_t begin, Py_ssize_t end, int64_t *out
                          ) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(begin, end):
            count_segment(scratch, &self.texts[i], &self.others[i], self.char_order,
                          self.word_order, self.whitespace, out)
            out += 3 * (self.char_order + self.word_order)


cdef void take_turns(void *job) noexcept nogil:
    (<_Job>job).take_turns()


def all_strings(list items not None):
    """Return whether every item is a str, and not of a subclass."""
    for item in items:
        if type(item) is not str:
            return False
    return True


def count(list hypotheses not None, list references not None, Py_ssize_t start, Py_ssize_t stop,
          int char_order, int word_order, bint whitespace, Py_ssize_t threads=1):
    """Count the n-grams of segments `start` up to `stop`.

    Parameters
    ----------
    hypotheses, references : list of str
        Segment i is the pair `hypotheses[i]`, `references[i]`. No other thread may change
        the lists while the call runs: the strings are read in place, without the GIL.
    start, stop : int
        Positions in both lists.
    char_order, word_order : int
        Longest n-grams of either kind, already checked (`chrf.core.options`).
    whitespace : bool
        Whether character n-grams keep whitespace.
    threads : int
        Threads that take turns. Fewer work where there is little to do.

    Returns
    -------
    array.array of type "q"
        For each segment and order (characters, then words) three numbers: hypothesis n-grams,
        reference n-grams, clipped matches.

    Raises
    ------
    TypeError
        Naming the side and the position of an item that is not a string.
    ValueError
        `start` and `stop` are no positions, a text is longer than 0x3FFFFFFF code points, or an
        order is negative, or there are more than 14.
    """
    cdef _Job job = _Job.__new__(_Job)
    cdef Py_ssize_t longest_hypothesis, longest_reference, n
    cdef Text *texts
    if not 0 <= start <= stop <= min(len(hypotheses), len(references)):
        raise ValueError("start and stop must be positions in both lists")
    n = stop - start
    texts = job.room(2 * n)
    longest_hypothesis = read_texts("hypotheses", hypotheses, start, n, texts)
    longest_reference = read_texts("references", references, start, n, texts + n)
    return job.count_pairs(n, longest_hypothesis, longest_reference, char_order, word_order,
                           whitespace, threads)


def count_fields(bytes hypotheses not None, array.array hypothesis_spans not None,
                 bytes references not None, array.array reference_spans not None,
                 int char_order, int word_order, bint whitespace):
    """Count segments that stand in blocks of valid UTF-8, as `count` does.

    Parameters
    ----------
    hypotheses, references : bytes
        Not checked: what is not valid UTF-8 gives counts of no meaning.
    hypothesis_spans, reference_spans : array.array of type "q"
        Where each text begins and ends in its block: two numbers a segment.
    """
    cdef _Job job = _Job.__new__(_Job)
    cdef Py_ssize_t longest_hypothesis, longest_reference, n = len(hypothesis_spans) // 2
    cdef Text *texts
    if len(hypothesis_spans) != len(reference_spans):
        raise ValueError(f"there are {n} hypotheses but {len(reference_spans) // 2} references")
    texts = job.room(2 * n)
    longest_hypothesis = read_fields("hypotheses", hypotheses, hypothesis_spans, texts)
    longest_reference = read_fields("references", references, reference_spans, texts + n)
    return job.count_pairs(n, longest_hypothesis, longest_reference, char_order, word_order,
                           whitespace, 1)


def add_up(array.array counts not None, Py_ssize_t orders):
    """Add up the segments' counts that `count` returned.

    Returns
    -------
    sums : list of int
        Three numbers for each order.
    left_out : list of int
        For each order, the hypothesis n-grams of the segments whose reference has none of it.
    short : int
        Segments that have such n-grams.
    """
    cdef Py_ssize_t width, i, n, order
    cdef const int64_t *row = <const int64_t *>counts.data.as_longlongs
    cdef int64_t sums[3 * MAX_ORDERS]
    cdef int64_t left_out[MAX_ORDERS]
    cdef Py_ssize_t short = 0
    cdef list totals = [], lacked = []
    cdef bint lacking
    if counts.typecode != "q" or not 0 < orders <= MAX_ORDERS or len(counts) % (3 * orders):
        raise ValueError(f"{len(counts)} counts do not make rows of {orders} orders")
    width = 3 * orders
    memset(sums, 0, sizeof(sums))
    memset(left_out, 0, sizeof(left_out))
    n = len(counts) // width
    with nogil:
        for _ in range(n):
            lacking = False
            for order in range(orders):
                sums[3 * order] += row[0]
                sums[3 * order + 1] += row[1]
                sums[3 * order + 2] += row[2]
                if row[1] == 0 and row[0] != 0:
                    left_out[order] += row[0]
                    lacking = True
                row += 3
            short += lacking
    for i in range(width):
        totals.append(sums[i])
    for i in range(orders):
        lacked.append(left_out[i])
    return totals, lacked, short


cdef array.array COUNTS = new_array("q")
