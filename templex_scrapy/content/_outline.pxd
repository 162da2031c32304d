cimport cython

cdef int _IN_BLOCK, _LINK, COMMENTS, DECLARED, EDGE, NAMED, REVIEWS, SECTION


cdef class Outline:
    cdef readonly bytearray linked, has_block
    cdef readonly object blocks, links
    cdef readonly list declared, named, comments, reviews

    @cython.locals(
        linked="unsigned char[::1]", has_block="unsigned char[::1]", in_section="unsigned char[::1]", blocks="int[::1]",
        links="int[::1]", ids="const int[::1]", parents="const int[::1]", position=Py_ssize_t, parent=Py_ssize_t,
        block=Py_ssize_t, bits=int, declared=int, number=int,
    )
    cdef object _read(self, object arrays, const unsigned char[::1] of_tags, const unsigned char[::1] of_start_tags)
