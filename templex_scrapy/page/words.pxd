cimport cython


cdef int _HAN_OF_A_WORD, _LETTERS_OF_A_WORD

@cython.locals(text=str, counts="int[::1]", index=Py_ssize_t)
cdef object _count_compiled(tuple texts)

@cython.locals(count=int, han=int, letters=int, in_word=bint, character=Py_UCS4)
cdef int _count(str text)

cdef bint _is_han(Py_UCS4 character)

cdef bint _is_letter_without_blanks(Py_UCS4 character)

cdef int _MOST_BYTES
cdef unsigned char _BLANK, _ZERO
cdef int _SPACE, _DIGIT, _LETTER, _OTHER
cdef bytes _KINDS

cdef int _kind(Py_UCS4 character)

@cython.locals(
    size=Py_ssize_t, text=str, written="unsigned char*", count=Py_ssize_t, number=Py_ssize_t, is_of_word=bint,
    is_blank=bint, kinds="const unsigned char*", kind=int, character=Py_UCS4,
)
cdef bytes _mask_compiled(tuple texts)

cdef Py_ssize_t _end_number(unsigned char* written, Py_ssize_t number, Py_ssize_t count)

cdef Py_ssize_t _write(unsigned char* written, Py_ssize_t count, unsigned int code)
