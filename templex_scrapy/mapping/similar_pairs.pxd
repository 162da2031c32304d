cimport cython


cdef class _FreeIndexes:
    cdef list _all, _next, _previous

    cpdef append(self, index)

    @cython.locals(slot=Py_ssize_t)
    cpdef remove(self, index)

    @cython.locals(slot=Py_ssize_t)
    cpdef at_or_after(self, index)

    @cython.locals(slot=Py_ssize_t)
    cpdef before(self, index)


cdef Py_ssize_t _root(list links, Py_ssize_t slot)
