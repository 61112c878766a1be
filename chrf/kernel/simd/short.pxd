# Short texts: the memory of one worker, and what is made of a reference.

from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t

from chrf.kernel.decode cimport Text
from chrf.kernel.simd.vocabulary cimport Numbered, Vocabulary


cdef enum:
    LONGEST_HYPOTHESIS = 1 << 14


cdef struct ShortReference:
    Numbered text
    uint32_t *alphabet         # the symbols from FIRST_NUMBER on
    uint32_t size              # how many they are
    Vocabulary vocabulary


cdef struct Short:
    uint16_t *table            # code point -> number
    Py_ssize_t longest         # code points of a reference
    ShortReference reference
    Numbered hypothesis
    uint64_t *masks            # number -> the positions where it stands
    void *memory

cdef Short *new_short(Py_ssize_t hypothesis, Py_ssize_t reference, uint64_t seed) noexcept nogil
cdef void free_short(Short *s) noexcept nogil
cdef void prepare_short(
    Short *s, const Text *text, int word_order, bint whitespace
) noexcept nogil
cdef void recall(Short *s, const ShortReference *reference) noexcept nogil
cdef void forget(Short *s, const ShortReference *reference) noexcept nogil
cdef size_t kept_size(const ShortReference *reference) noexcept nogil
cdef ShortReference *keep(const ShortReference *reference, void *memory) noexcept nogil
cdef void count_short(
    Short *s, ShortReference *reference, const Text *text, int char_order, int word_order,
    bint whitespace, int64_t *out
) noexcept nogil
