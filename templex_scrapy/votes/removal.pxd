cimport cython

cdef int _REPEATED, _LINKED, _SELECTED
cdef tuple _KEPT


@cython.locals(removed=list, kept=dict, text=Py_ssize_t, code=int)
cdef tuple _of_texts(bytes codes, tuple texts)

@cython.locals(root=Py_ssize_t, position=Py_ssize_t)
cdef object _number_reasons(
    unsigned char[::1] codes, tuple roots, const int[::1] sizes, unsigned char[::1] repeated, unsigned char[::1] links
)

@cython.locals(
    sizes="const int[::1]", texts_before="const int[::1]", roots=list, position=Py_ssize_t, end=Py_ssize_t,
)
cdef list _largest_subtrees(object arrays, bytearray removable, object selected)

@cython.locals(position=Py_ssize_t)
cdef bint _is_visible(object arrays, Py_ssize_t start, Py_ssize_t end)
