cimport cython


@cython.locals(
    parents="const int[::1]", ids="const int[::1]", in_block="const unsigned char[::1]", is_link="const unsigned char[::1]",
    position=Py_ssize_t, parent=Py_ssize_t, start_tag=Py_ssize_t,
)
cdef object _find_blocks(object arrays, unsigned char[::1] linked, int[::1] blocks)


cdef class OwnWords:
    cdef public object arrays
    cdef public object tags
    cdef public bytearray own
    cdef public object counts
    cdef public bytearray linked
    cdef public object blocks
    cdef dict _known_sums
    cdef bytearray _lines

    @cython.locals(
        counts="int[::1]", own="unsigned char[::1]", linked="unsigned char[::1]", values="int[::1]", position=Py_ssize_t
    )
    cdef object _weighted(self, int outside, int inside)

    @cython.locals(
        counts="int[::1]", own="unsigned char[::1]", linked="unsigned char[::1]", blocks="int[::1]", words="int[::1]",
        in_links="int[::1]", position=Py_ssize_t
    )
    cdef object _in_long_blocks(self, int least, double linked_share)

    @cython.locals(
        ids="const int[::1]", parents="const int[::1]", texts=tuple, blocks="int[::1]", linked="unsigned char[::1]",
        links="int[::1]", words=bytearray, position=Py_ssize_t, block=Py_ssize_t, start_tag=Py_ssize_t
    )
    cdef bytearray _find_lines(self, const unsigned char[::1] in_block, const unsigned char[::1] is_link, int most)

    @cython.locals(
        long="int[::1]", words="int[::1]", in_links="int[::1]", links="int[::1]", blocks="int[::1]", most=double,
        least=int, position=Py_ssize_t, end=Py_ssize_t,
    )
    cdef object _remove_boxes_of_links(self, Py_ssize_t root, set kept)

    @cython.locals(
        sizes="const int[::1]", before="int[::1]", now="int[::1]", own="unsigned char[::1]", found=set, position=Py_ssize_t,
        root=Py_ssize_t,
    )
    cdef object _left(self, list roots)
