cimport cython

from templex_scrapy.page.node_values cimport NodeValues as Values, RelativeLinks as Links


@cython.locals(links=Links, texts=tuple, other_texts=tuple)
cpdef bint run_is_equal(Values key, Values page, Py_ssize_t start, Py_ssize_t other, Py_ssize_t length)
