cimport cython

from templex_scrapy.page.start_tags cimport StartTag as Tag


cdef int _MEDIUM, _LINK
cdef dict _WHOLES


@cython.locals(
    sizes="const int[::1]", ids="const int[::1]", start_tags=list, start_tag=Tag, position=Py_ssize_t, size=Py_ssize_t, end=Py_ssize_t,
    child=Py_ssize_t, whole=int, equal=int, removable=int,
)
cpdef object mark_removable(object arrays, const int[::1] counterparts, bytearray flags)
