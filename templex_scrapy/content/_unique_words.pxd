cimport cython

from templex_scrapy.content._outline cimport Outline as PageOutline


cdef class UniqueWords:
    cdef readonly object arrays, counts
    cdef readonly bytearray unique
    cdef readonly PageOutline outline
    cdef const int[::1] _sizes, _texts_before
    cdef int[::1] _outside, _linked, _long
    cdef bint _is_summed, _is_long_summed

    cpdef int words(self, Py_ssize_t node)
    cpdef int weight(self, Py_ssize_t node)
    cpdef int long_words(self, Py_ssize_t node)
    cdef int _number(self, int[::1] before, Py_ssize_t node)
    cdef object _sum(self)

    @cython.locals(
        counts="const int[::1]", unique="unsigned char[::1]", linked="unsigned char[::1]", outside="int[::1]",
        in_links="int[::1]", position=Py_ssize_t, index=Py_ssize_t, words=int, words_in_links=int,
    )
    cdef object _sum_words(self, tuple texts)

    @cython.locals(
        counts="const int[::1]", unique="unsigned char[::1]", linked="unsigned char[::1]", blocks="int[::1]",
        words="int[::1]", in_links="int[::1]", before="int[::1]", position=Py_ssize_t, count=Py_ssize_t, total=int,
    )
    cdef object _sum_long(self, int least, double linked_share)

    @cython.locals(
        blocks="int[::1]", links="int[::1]", position=Py_ssize_t, end=Py_ssize_t, behind=Py_ssize_t, found=list,
    )
    cdef list _boxes_of_links(self, Py_ssize_t root, set kept, double most, int least)

    @cython.locals(
        unique="unsigned char[::1]", before="const int[::1]", position=Py_ssize_t, root=Py_ssize_t, found=list
    )
    cdef list _left(self, list roots)
