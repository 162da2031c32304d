cimport cython


cpdef str spaced(str text)

@cython.locals(words=str, was_space=bint)
cdef str _spaced(str text)


cdef class TextWriter:
    cdef list _pieces
    cdef str _before
    cdef int _gap
    cdef bint _is_apart

    cpdef object end(self, int kind)

    @cython.locals(words=str, before=str)
    cpdef object write(self, str text, bint continues)

    cpdef object write_code(self, str code)

    cpdef str text(self)


@cython.locals(
    texts=tuple, sizes="const int[::1]", ids="const int[::1]", continued=frozenset, left_out=bytearray,
    writer=TextWriter, position=Py_ssize_t, end=Py_ssize_t, root=Py_ssize_t, kind=int, ends=list, gaps=list,
)
cpdef str write_nodes(object arrays, bytes kinds, object roots, Py_ssize_t part, object code)
