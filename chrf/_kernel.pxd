# What other compiled modules count with: texts that they point to, wherever those stand.

from cpython cimport array
from libc.stdint cimport uint64_t

from chrf._segment cimport Text


cdef enum:
    MANY = 4000                # code points from which a call is worth a larger table

cdef Py_ssize_t read_texts(
    str side, list items, Py_ssize_t start, Py_ssize_t n, Text *texts
) except -1

cdef int check_length(str side, Py_ssize_t index, Py_ssize_t length) except -1

cdef uint64_t process_seed() except? 0

cdef array.array count_texts(
    const Text *texts, Py_ssize_t n, Py_ssize_t longest_hypothesis, Py_ssize_t longest_reference,
    int char_order, int word_order, bint whitespace,
)
