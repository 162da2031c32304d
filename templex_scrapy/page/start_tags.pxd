cimport cython


cdef class StartTag:
    cdef readonly str tag_string, tag, id, tag_and_classes
    cdef readonly frozenset classes
    cdef object _attributes
    cdef dict _read

    cpdef object read(self, object function)


@cython.locals(found=list, start_tag=StartTag)
cpdef list read_each(list start_tags, object function)

@cython.locals(known=dict, start_tag=StartTag, numbers="int[::1]", index=Py_ssize_t)
cpdef tuple number_tags(list start_tags)

@cython.locals(of_tag="const unsigned char[::1]", found=bytearray, index=Py_ssize_t)
cpdef bytes of_tags(list tags, const int[::1] numbers, dict values, int other)

@cython.locals(end=Py_ssize_t)
cpdef str tag_of(str tag_string)

cpdef str classes_of(str tag_string)

@cython.locals(begin=Py_ssize_t)
cdef str _value(str start, str tag_string)

cpdef str unescape(str written)
