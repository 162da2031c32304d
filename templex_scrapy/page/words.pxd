cimport cython


cpdef list count_each(object texts)

@cython.locals(count=int, in_word=bint, character=Py_UCS4)
cdef int _count(str text)

@cython.locals(pieces=list, written=Py_ssize_t, position=Py_ssize_t, count=Py_ssize_t, start=Py_ssize_t)
cdef str _masked(str text)

cdef bint _is_of_word(Py_UCS4 character)
