cimport cython

from templex_scrapy.content._unique_texts cimport UniqueTexts as Texts

cdef int _VALUE_CODE, _LINE_CODE, _SMALL_CODE, _LINK_CODE


cdef class KeptParts:
    cdef object _arrays
    cdef const int[::1] _sizes, _parents
    cdef readonly bytearray removable, codes, beside
    cdef bytearray _teasers
    cdef Texts _texts
    cdef list _outside_teasers

    cdef Py_ssize_t _end(self, Py_ssize_t position)

    @cython.locals(position=Py_ssize_t)
    cdef object _keep(self, Py_ssize_t start, Py_ssize_t end, int code)

    cdef object _keep_upwards(self, Py_ssize_t node, int code)

    @cython.locals(linked=bytearray, position=Py_ssize_t, node=Py_ssize_t)
    cdef object _keep_links(self, bytes varying)

    @cython.locals(position=Py_ssize_t, found=list)
    cdef list _roots(self)

    cdef bint _is_line(self, Py_ssize_t position)

    @cython.locals(inside=bytearray, position=Py_ssize_t, block=Py_ssize_t)
    cdef object _keep_lines(self)

    @cython.locals(child=Py_ssize_t, end=Py_ssize_t, start=Py_ssize_t)
    cdef object _keep_runs(self, Py_ssize_t block)

    @cython.locals(
        texts=Texts, parent=Py_ssize_t, child=Py_ssize_t, siblings=list, small=list, index=Py_ssize_t,
        heads_a_block=bint, is_repeated=bint,
    )
    cdef object _keep_small_parts(self)

    @cython.locals(child=Py_ssize_t, links=int)
    cdef bint _is_small(self, list siblings, Py_ssize_t index)

    @cython.locals(child=Py_ssize_t)
    cdef bint _is_label(self, list siblings, Py_ssize_t index)

    cdef bint _is_link(self, list siblings, Py_ssize_t index)

    cdef bint _is_content(self, Py_ssize_t position)
