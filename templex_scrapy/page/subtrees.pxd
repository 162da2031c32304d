cimport cython


@cython.locals(position=Py_ssize_t)
cdef object _add_up(int[::1] totals, int[::1] parents)

@cython.locals(position=Py_ssize_t, count=int)
cdef object _count(const unsigned char[::1] flags, int[::1] before)

@cython.locals(position=Py_ssize_t)
cdef list _roots_outside(unsigned char[::1] kept, const int[::1] parents)

@cython.locals(sizes="const int[::1]", flags=bytearray, root=Py_ssize_t, position=Py_ssize_t)
cpdef bytearray subtree_flags(object arrays, object roots)
