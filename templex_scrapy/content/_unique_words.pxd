cimport cython

from templex_scrapy.content._outline cimport Outline as PageOutline


cdef class UniqueWords:
    cdef readonly object arrays, counts
    cdef readonly bytearray unique
    cdef readonly PageOutline outline
    cdef const int[::1] _sizes, _texts_before
    cdef int[::1] _words, _outside, _long
    cdef int _link_weight
    cdef bint _is_summed, _is_long_summed
    cdef dict _read

    cpdef int words(self, Py_ssize_t node)
    cpdef int weight(self, Py_ssize_t node)
    cpdef int long_words(self, Py_ssize_t node)
    cpdef bint is_text(self, Py_ssize_t node)
    cdef int _number(self, int[::1] before, Py_ssize_t node)
    cdef object _sum(self)

    @cython.locals(
        counts="const int[::1]", unique=bytearray, linked=bytearray, every="int[::1]", outside="int[::1]",
        position=Py_ssize_t, index=Py_ssize_t, words=int, words_outside=int,
    )
    cdef object _sum_words(self, tuple texts)

    @cython.locals(
        counts="const int[::1]", unique=bytearray, linked=bytearray, blocks="int[::1]",
        words="int[::1]", in_links="int[::1]", before="int[::1]", position=Py_ssize_t, count=Py_ssize_t, total=int,
    )
    cdef object _sum_long(self, int least, double linked_share)

    @cython.locals(
        sizes="const int[::1]", texts=tuple, least=double, child=Py_ssize_t, end=Py_ssize_t, other=Py_ssize_t,
    )
    cpdef Py_ssize_t lowest(self, Py_ssize_t root, double share, bint is_prose)

    @cython.locals(texts=tuple, inside=Py_ssize_t)
    cpdef bint is_whole(self, Py_ssize_t node)

    @cython.locals(parent=Py_ssize_t)
    cdef bint _is_list_of_text(self, Py_ssize_t node)

    @cython.locals(texts=tuple, other=Py_ssize_t)
    cdef bint _has_paragraph(self, Py_ssize_t parent, Py_ssize_t first, Py_ssize_t child)

    @cython.locals(
        blocks="int[::1]", links="int[::1]", position=Py_ssize_t, end=Py_ssize_t, behind=Py_ssize_t, found=list,
    )
    cdef list _boxes_of_links(self, Py_ssize_t root, Py_ssize_t headline, double most, int least)

    @cython.locals(position=Py_ssize_t, found=list)
    cpdef list headings(self, str tag)

    cpdef object headline(self, str title)

    @cython.locals(words=set, known=dict, position=Py_ssize_t, text=Py_ssize_t, first=str)
    cpdef object first_in(self, str title, object headings)

    @cython.locals(texts=tuple, position=Py_ssize_t, has_words=bint)
    cdef bint _is_within(self, Py_ssize_t node, set words, dict known)

    cdef bint _is_in(self, Py_ssize_t text, set words, dict known)

    cdef str _words_of(self, Py_ssize_t text)

    @cython.locals(first=Py_ssize_t, behind=Py_ssize_t)
    cdef Py_ssize_t _first_text(self, Py_ssize_t node)

    @cython.locals(
        unique=bytearray, sizes="const int[::1]", before="const int[::1]", left="int[::1]",
        texts_before="const int[::1]", position=Py_ssize_t, end=Py_ssize_t, root=Py_ssize_t, found=list,
    )
    cdef list _left(self, list roots)
