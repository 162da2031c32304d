cimport cython


cdef class StartTag:
    cdef readonly str tag_string, tag, id, tag_and_classes
    cdef readonly frozenset classes
    cdef object _attributes
    cdef dict _read

    cpdef object read(self, object function)


cdef dict _kept

@cython.locals(found=StartTag)
cpdef StartTag start_tag_of(str tag_string)

@cython.locals(found=list, start_tag=StartTag)
cpdef list read_each(list start_tags, object function)

@cython.locals(found=bytearray, start_tag=StartTag, index=Py_ssize_t)
cpdef bytes of_tags(list start_tags, dict values, int other)

@cython.locals(end=Py_ssize_t)
cpdef str tag_of(str tag_string)

cpdef str classes_of(str tag_string)

@cython.locals(begin=Py_ssize_t)
cdef str _value(str start, str tag_string)

cpdef str unescape(str written)
