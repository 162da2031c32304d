cimport cython


cpdef list count_each(object texts)

cdef int _HAN_OF_A_WORD, _LETTERS_OF_A_WORD

@cython.locals(count=int, han=int, letters=int, in_word=bint, character=Py_UCS4)
cdef int _count(str text)

cdef bint _is_han(Py_UCS4 character)

cdef bint _is_letter_without_blanks(Py_UCS4 character)

@cython.locals(pieces=list, written=Py_ssize_t, position=Py_ssize_t, count=Py_ssize_t, start=Py_ssize_t)
cdef str _masked(str text)

cdef bint _is_of_word(Py_UCS4 character)
