# Threads that work beside the calling one, and never need the interpreter.
#
# They come from Python's own portable layer, but have no Python state, so that they begin without
# waiting for the interpreter's lock.

from libc.stdlib cimport calloc, free

cdef extern from "pythread.h" nogil:
    ctypedef void *PyThread_type_lock
    enum:
        NOWAIT_LOCK
        WAIT_LOCK
    unsigned long PYTHREAD_INVALID_THREAD_ID
    unsigned long PyThread_start_new_thread(void (*)(void *) noexcept nogil, void *)
    PyThread_type_lock PyThread_allocate_lock()
    void PyThread_free_lock(PyThread_type_lock)
    int PyThread_acquire_lock(PyThread_type_lock, int)
    void PyThread_release_lock(PyThread_type_lock)


cdef struct Helper:
    void (*work)(void *) noexcept nogil
    void *argument
    PyThread_type_lock done    # held until the work is; NULL if the thread was not started


cdef inline void help_out(void *helper) noexcept nogil:
    (<Helper *>helper).work((<Helper *>helper).argument)
    PyThread_release_lock((<Helper *>helper).done)


cdef inline Helper *start_helpers(
    Py_ssize_t count, void (*work)(void *) noexcept nogil, void *argument
) noexcept nogil:
    """Call work(argument) in `count` other threads, or in as many as the system gives."""
    cdef Helper *helpers = NULL
    cdef Py_ssize_t i
    if count > 0:
        helpers = <Helper *>calloc(count, sizeof(Helper))
    if not helpers:
        return NULL
    for i in range(count):
        helpers[i].work, helpers[i].argument = work, argument
        helpers[i].done = PyThread_allocate_lock()
        if not helpers[i].done:
            break
        PyThread_acquire_lock(helpers[i].done, NOWAIT_LOCK)
        if PyThread_start_new_thread(help_out, &helpers[i]) == PYTHREAD_INVALID_THREAD_ID:
            PyThread_release_lock(helpers[i].done)
            PyThread_free_lock(helpers[i].done)
            helpers[i].done = NULL
            break
    return helpers


cdef inline void wait_for_helpers(Helper *helpers, Py_ssize_t count) noexcept nogil:
    """Wait until all are done, then free them."""
    cdef Py_ssize_t i
    for i in range(count):
        if not helpers or not helpers[i].done:
            break
        PyThread_acquire_lock(helpers[i].done, WAIT_LOCK)
        PyThread_release_lock(helpers[i].done)
        PyThread_free_lock(helpers[i].done)
    free(helpers)
