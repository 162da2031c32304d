cimport cython

cdef int _VALUE_CODE, _LINE_CODE, _SMALL_CODE, _LINK_CODE
cdef int _LINK, _CONTROL, _HEADING, _TABLE, _NO_LINE, _DIV, _DL, _VALUE


cdef class KeptParts:
    cdef object _arrays
    cdef int[::1] _sizes, _parents, _words_before, _links, _no_line, _controls, _tables
    cdef int[::1] _own, _own_outside, _outside_links, _own_and_no_teaser
    cdef bytes _varying
    cdef bytearray _left, _kept, _tag_bits, _linked, _own_flags, _own_outside_flags, _beside, _teasers

    @cython.locals(
        bits="const unsigned char[::1]", ids="int[::1]", parents="int[::1]", sizes="int[::1]", before="int[::1]",
        of_tag=int, position=Py_ssize_t, parent=Py_ssize_t, count=Py_ssize_t,
        tag_bits=bytearray, links=bytearray, no_line=bytearray, linked=bytearray,
    )
    cdef object _read_tags(self)

    @cython.locals(
        left=bytearray, linked=bytearray, varying=bytes, own=bytearray, own_outside=bytearray, outside=bytearray,
        texts=tuple, position=Py_ssize_t, count=Py_ssize_t,
    )
    cdef object _read_texts(self, bytes equal)

    cdef int _number(self, int[::1] before, Py_ssize_t node)
    cdef Py_ssize_t _end(self, Py_ssize_t position)

    @cython.locals(
        parents="int[::1]", links="int[::1]", numbers="int[::1]", seen=bytearray, position=Py_ssize_t, node=Py_ssize_t,
        parent=Py_ssize_t, teasers=list,
    )
    cdef object _find_teasers(self)

    @cython.locals(by_look=dict)
    cdef list _teasers_in(self, Py_ssize_t parent, bytearray has_link)

    @cython.locals(position=Py_ssize_t)
    cdef object _keep(self, Py_ssize_t start, Py_ssize_t end, int code)

    cdef bint _is_line(self, Py_ssize_t position)

    @cython.locals(own_outside=bytearray, position=Py_ssize_t)
    cdef object _keep_values(self)

    @cython.locals(position=Py_ssize_t, node=Py_ssize_t)
    cdef object _keep_links(self)

    cdef object _keep_ancestors(self, Py_ssize_t node, int code)

    @cython.locals(parents="int[::1]", inside=bytearray, position=Py_ssize_t, block=Py_ssize_t)
    cdef object _keep_lines(self)

    @cython.locals(child=Py_ssize_t, end=Py_ssize_t, start=Py_ssize_t)
    cdef object _keep_runs(self, Py_ssize_t block)

    cdef int _words(self, Py_ssize_t position)

    @cython.locals(child=Py_ssize_t, links=int)
    cdef bint _is_small(self, list siblings, Py_ssize_t index)

    @cython.locals(child=Py_ssize_t)
    cdef bint _is_label(self, list siblings, Py_ssize_t index)

    cdef bint _is_content(self, Py_ssize_t position)
