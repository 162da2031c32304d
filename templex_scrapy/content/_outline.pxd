cimport cython

cdef int _LINK, _IN_BLOCK, _NO_TEXT, _TABLE, _CELL, _LIST, _CONTROL, _HEADING, _OF_VALUES


cdef class Outline:
    cdef readonly bytearray linked, is_link
    cdef readonly dict headings
    cdef readonly set of_links
    cdef readonly object blocks, links, controls, tables, no_text
    cdef readonly list lone_links, declared, named, comments, reviews

    @cython.locals(
        linked="unsigned char[::1]", blocks="int[::1]", ids="const int[::1]", parents="const int[::1]",
        all_bits=bytearray, position=Py_ssize_t, parent=Py_ssize_t, bits=int,
    )
    cdef bytearray _read(self, object arrays, const unsigned char[::1] of_tags)

    cdef bint _is_alone(self, object arrays, Py_ssize_t link)

    @cython.locals(
        sizes="const int[::1]", ids="const int[::1]", section_end=Py_ssize_t, box=Py_ssize_t, declared=int,
    )
    cdef object _read_boxes(self, object arrays, bytes of_start_tags)
