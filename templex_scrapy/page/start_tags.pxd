cimport cython


cdef class StartTag:
    cdef readonly str tag_string, tag, id, tag_and_classes
    cdef readonly frozenset classes
    cdef object _attributes
    cdef dict _read

    cpdef object read(self, object function)


@cython.locals(found=list, start_tag=StartTag)
cpdef list read_each(list start_tags, object function)

@cython.locals(start_tag=StartTag)
cpdef bytes of_tags(list start_tags, dict values, int other)
