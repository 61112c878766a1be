# What other compiled modules count with: texts that they point to, wherever those stand.

from cpython cimport array
from libc.stdint cimport int64_t, uint64_t

from chrf.kernel.segment cimport Scratch, Text


cdef enum:
    WORTH_BIGRAMS = 4000       # code points from which a call is worth the table of bigrams
    PART = 1 << 22             # code points of both sides between two looks for signals, about

cdef Py_ssize_t read_texts(
    str side, list items, Py_ssize_t start, Py_ssize_t n, Text *texts
) except -1

cdef int check_orders(int char_order, int word_order) except -1

cdef int check_length(str side, Py_ssize_t index, Py_ssize_t length) except -1

cdef class _Job:                # segments that any number of threads count together
    cdef Text *texts           # the n hypotheses
    cdef const Text *others    # the reference of each
    cdef Py_ssize_t n
    cdef Py_ssize_t longest_hypothesis
    cdef Py_ssize_t longest_reference
    cdef int char_order
    cdef int word_order
    cdef bint whitespace
    cdef bint with_bigrams
    cdef array.array counts
    cdef int64_t *out          # where they stand
    cdef uint64_t seed
    cdef Py_ssize_t turn       # segments that a thread takes at a time
    cdef int64_t next          # the first segment that no thread has taken
    cdef Py_ssize_t stop       # where the part ends that threads take segments from

    cdef Text *room(self, Py_ssize_t texts) except NULL
    cdef array.array count_pairs(
        self, Py_ssize_t n, Py_ssize_t longest_hypothesis, Py_ssize_t longest_reference,
        int char_order, int word_order, bint whitespace, Py_ssize_t threads
    )
    cdef array.array count(self, Py_ssize_t threads)
    cdef int count_part(self, Py_ssize_t threads) except -1
    cdef void take_turns(self) noexcept nogil
    cdef void count_range(
        self, Scratch *scratch, Py_ssize_t begin, Py_ssize_t end, int64_t *out
    ) noexcept nogil
