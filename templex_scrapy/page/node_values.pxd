from templex_scrapy.page.start_tags cimport StartTag


cdef class NodeValues:
    cdef readonly object arrays, base, url, directory
    cdef tuple _texts, _scopes
    cdef list _start_tags
    cdef const int[::1] _ids, _sizes, _parents
    cdef str _links_from
    cdef dict _digests
    cdef dict __dict__

    cpdef object value(self, Py_ssize_t position)
    cpdef bint has_value_of(self, Py_ssize_t position, NodeValues other, Py_ssize_t at)
    cpdef bint is_in_place_of(self, Py_ssize_t position, NodeValues other, Py_ssize_t at)
    cpdef object digest(self, Py_ssize_t position)
    cdef object _read(self, Py_ssize_t position)
    cdef object _digest_of(self, Py_ssize_t position)
    cdef list _pieces(self, Py_ssize_t position, str tag_string, int scope)
    cdef object _start_tag_value(self, Py_ssize_t position, str tag, str tag_string)
    cdef str _target(self, str href)
    cdef str _absolute(self, str href)
    cdef str _source(self, Py_ssize_t position)
    cdef str _address_base(self, int scope)
