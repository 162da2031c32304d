from templex_scrapy.content.outline cimport Outline


cdef class Selection:
    cdef readonly object arrays, counts
    cdef readonly bytearray flags
    cdef readonly Outline outline
    cdef readonly dict read
    cdef const int[::1] _sizes, _texts_before
    cdef int[::1] _words, _outside, _long
    cdef int _link_weight
    cdef dict _paragraphs

    cpdef Selection without(self, object roots)
    cdef Selection _other(self, bytearray flags, Selection before)
    cpdef int words(self, Py_ssize_t node)
    cpdef int words_in_links(self, Py_ssize_t node)
    cpdef int weight(self, Py_ssize_t node)
    cpdef int long_words(self, Py_ssize_t node)
    cpdef int long_between(self, Py_ssize_t first, Py_ssize_t end)
    cpdef bint is_text(self, Py_ssize_t node)
    cdef int _number(self, int[::1] before, Py_ssize_t node)
    cdef object _sum(self)
    cdef object _sum_words(self, tuple texts)
    cdef object _sum_long(self, int least, double linked_share)
    cpdef bint is_whole(self, Py_ssize_t node)
    cpdef Py_ssize_t last_paragraph(self, Py_ssize_t parent)
    cdef list _left(self, list roots)
