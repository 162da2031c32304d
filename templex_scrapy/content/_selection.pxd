from templex_scrapy.content._outline cimport Outline


cdef class Selection:
    cdef readonly object arrays, counts
    cdef readonly bytearray flags
    cdef readonly Outline outline
    cdef const int[::1] _sizes, _texts_before
    cdef int[::1] _words, _outside, _long
    cdef int _link_weight
    cdef bint _is_summed, _is_long_summed
    cdef dict _read, _paragraphs

    cpdef Selection without(self, object roots)
    cdef Selection _other(self, bytearray flags, Selection before)
    cpdef int words(self, Py_ssize_t node)
    cpdef int weight(self, Py_ssize_t node)
    cpdef int long_words(self, Py_ssize_t node)
    cpdef int long_between(self, Py_ssize_t first, Py_ssize_t end)
    cpdef bint is_text(self, Py_ssize_t node)
    cdef int _number(self, int[::1] before, Py_ssize_t node)
    cdef object _sum(self)
    cdef object _sum_words(self, tuple texts)
    cdef object _sum_long(self, int least, double linked_share)
    cpdef Py_ssize_t lowest(self, Py_ssize_t root, double share, bint is_prose)
    cpdef bint is_whole(self, Py_ssize_t node)
    cdef Py_ssize_t _last_paragraph(self, Py_ssize_t parent)
    cdef bint _is_list_of_text(self, Py_ssize_t node)
    cdef list _boxes_of_links(self, Py_ssize_t root, Py_ssize_t headline, double most, int least)
    cdef bint _is_box(self, Py_ssize_t node, int links, int least)
    cpdef list headings(self, str tag)
    cpdef object headline(self, str title)
    cpdef object first_in(self, str title, object headings)
    cdef bint _is_within(self, Py_ssize_t node, set words, dict known)
    cdef bint _is_in(self, Py_ssize_t text, set words, dict known)
    cdef str _words_of(self, Py_ssize_t text)
    cdef Py_ssize_t _first_text(self, Py_ssize_t node)
    cdef list _left(self, list roots)
