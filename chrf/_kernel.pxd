# What other compiled modules count with: texts that they point to, wherever those stand.

from cpython cimport array

from chrf._segment cimport Text


cdef int check_length(str side, Py_ssize_t index, Py_ssize_t length) except -1

cdef array.array count_texts(
    const Text *texts, Py_ssize_t n, Py_ssize_t longest_hypothesis, Py_ssize_t longest_reference,
    int char_order, int word_order, bint whitespace,
)
