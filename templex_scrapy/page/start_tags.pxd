cdef class StartTag:
    cdef readonly str tag_string, tag, id, tag_and_classes
    cdef readonly frozenset classes
    cdef object _attributes
    cdef dict _read
    cdef public tuple value

    cpdef object read(self, object function)


cpdef StartTag start_tag_of(str tag_string)
