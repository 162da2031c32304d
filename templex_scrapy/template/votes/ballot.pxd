cimport cython


cpdef bint in_same_place(object arrays, Py_ssize_t position, object other_arrays, Py_ssize_t other)

@cython.locals(start=Py_ssize_t, other=Py_ssize_t, length=Py_ssize_t)
cpdef bint run_is_equal(object key, object page, tuple run)
