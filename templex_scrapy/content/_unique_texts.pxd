cdef class UniqueTexts:
    cdef readonly object arrays
    cdef readonly bytearray flags, linked
    cdef readonly list outside
    cdef bytearray _is_link
    cdef const int[::1] _sizes, _parents, _texts_before, _words_before
    cdef int[::1] _links, _no_text, _controls, _tables, _unique, _unique_outside, _outside

    cdef object _leave_out(self, list links)
    cdef object _read_texts(self, tuple texts, bytes removable, bytes equal, bytes varying)
    cdef int _texts(self, int[::1] before, Py_ssize_t start, Py_ssize_t end)
    cpdef int unique(self, Py_ssize_t node)
    cpdef int unique_outside(self, Py_ssize_t start, Py_ssize_t end)
    cpdef bint has_outside(self, Py_ssize_t node)
    cpdef int words(self, Py_ssize_t node)
    cpdef int links(self, Py_ssize_t node)
    cpdef list teasers(self, int several)
    cdef list _around_links(self, int children)
    cpdef bint has_controls(self, Py_ssize_t node)
    cpdef bint is_text(self, Py_ssize_t node)
    cpdef bint is_heading(self, Py_ssize_t node)
