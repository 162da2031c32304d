cimport cython

from templex_scrapy.page.node_values cimport NodeValues as Values, RelativeLinks as Links


cpdef bint in_same_place(object arrays, Py_ssize_t position, object other_arrays, Py_ssize_t other)

@cython.locals(links=Links, texts=tuple, other_texts=tuple)
cpdef bint run_is_equal(Values key, Values page, Py_ssize_t start, Py_ssize_t other, Py_ssize_t length)
