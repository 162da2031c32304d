from templex_scrapy.content.outline cimport Outline


cdef class KeptParts:
    cdef object _arrays
    cdef Outline _outline
    cdef const int[::1] _sizes, _parents
    cdef readonly bytearray removable, codes, beside
    cdef list _outside, _no_links

    cdef object _read_texts(self, bytes equal, bytes varying)
    cdef Py_ssize_t _end(self, Py_ssize_t position)
    cdef int _number(self, list texts, Py_ssize_t start, Py_ssize_t end)
    cdef int _words(self, Py_ssize_t position)
    cdef int _links(self, Py_ssize_t position)
    cdef object _keep(self, Py_ssize_t start, Py_ssize_t end, int code)
    cdef object _keep_upwards(self, Py_ssize_t node, int code)
    cdef object _keep_links(self, bytes varying)
    cdef list _roots(self)
    cdef bint _is_line(self, Py_ssize_t position)
    cdef object _keep_lines(self)
    cdef object _keep_runs(self, Py_ssize_t block)
    cdef object _keep_small_parts(self)
    cdef bint _is_small(self, list siblings, Py_ssize_t index)
    cdef bint _is_label(self, list siblings, Py_ssize_t index)
    cdef bint _is_link(self, list siblings, Py_ssize_t index)
