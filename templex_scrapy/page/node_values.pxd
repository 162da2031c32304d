cimport cython

from templex_scrapy.page.start_tags cimport StartTag as Tag


cdef class NodeValues:
    cdef readonly object arrays, base, url, directory
    cdef tuple _texts
    cdef list _start_tags
    cdef const int[::1] _ids, _sizes, _parents
    cdef object _links_from
    cdef dict _digests, _targets, _values, _written_values
    cdef dict __dict__

    @cython.locals(start_tag=Tag)
    cpdef object value(self, Py_ssize_t position)

    cpdef bint has_value_of(self, Py_ssize_t position, NodeValues other, Py_ssize_t at)

    cpdef bint has_value(self, Py_ssize_t position)

    @cython.locals(start_tag=Tag, its=Tag)
    cpdef bint is_in_place_of(self, Py_ssize_t position, NodeValues other, Py_ssize_t at)

    cpdef bint is_media(self, Py_ssize_t position)

    cpdef object digest(self, Py_ssize_t position)

    @cython.locals(inside=Py_ssize_t, large=int)
    cdef object _read(self, Py_ssize_t position)

    @cython.locals(start_tag=Tag)
    cdef object _digest_of(self, Py_ssize_t position)

    @cython.locals(
        large=int, start_tag=Tag, tags=list, others=list, start=Py_ssize_t, child=Py_ssize_t, end=Py_ssize_t,
        inside=Py_ssize_t, sizes="const int[::1]",
    )
    cdef list _pieces(self, Py_ssize_t position, str tag_string, int dependence)

    @cython.locals(start_tag=Tag)
    cdef object _written(self, int number)
    cdef str _target(self, str href)


cdef class RelativeLinks:
    cdef const int[::1] _relative_before, _to_the_page_before

    cpdef bint any(self, Py_ssize_t start, Py_ssize_t end)
    cpdef bint depend_on_page(self, Py_ssize_t start, Py_ssize_t end)
