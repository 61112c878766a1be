# Large pieces of memory, and one piece that holds many arrays.

cdef extern from *:
    """
    #include <stdlib.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif
    /* Like malloc. Linux hands out new memory by pages of 4 KiB, each at the cost of a fault; for
       large pieces it is asked for pages of 2 MiB instead. To be freed as any other. */
    static inline void *chrf_malloc(size_t size) {
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
        const size_t page = (size_t)1 << 21;
        void *memory = NULL;
        if (size >= page / 2) {
            size = (size + page - 1) & ~(page - 1);
            if (posix_memalign(&memory, page, size)) return NULL;
            madvise(memory, size, MADV_HUGEPAGE);      /* advice: nothing depends on it */
            return memory;
        }
    #endif
        return malloc(size);
    }
    """
    void *chrf_malloc(size_t) noexcept nogil


cdef struct Arena:             # one piece of memory, given out from its beginning
    char *memory               # NULL: what would be taken is only measured
    size_t taken               # bytes


cdef inline void *take(Arena *arena, size_t n, size_t size) noexcept nogil:
    """Take `n` items of `size` bytes, a power of two; NULL where it is only measured."""
    cdef size_t begin = (arena.taken + size - 1) & ~(size - 1)
    arena.taken = begin + n * size
    return arena.memory + begin if arena.memory else NULL
