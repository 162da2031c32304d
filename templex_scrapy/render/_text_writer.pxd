cdef class TextWriter:
    cdef list _pieces
    cdef str _before
    cdef int _gap
    cdef bint _is_apart

    cpdef object end(self, int kind)
    cpdef object write(self, str text, bint continues)
    cpdef object write_code(self, str code)
    cpdef str text(self)
