from templex_scrapy.mapping.siblings cimport Siblings
from templex_scrapy.mapping.similarity cimport Weights


cdef class Pairing:
    cdef readonly list pairs
    cdef readonly object steps
    cdef readonly bint is_cut


cpdef Pairing pair_children(Siblings a, Siblings b, object similarity, object max_steps)


cdef class _Matcher:
    cdef Siblings _a, _b
    cdef object _similarity
    cdef Weights _weights
    cdef bytearray _taken_a, _taken_b
    cdef list _pairs

    cdef Pairing pair(self, list same_words, object max_steps)
    cdef bint _is_any_free(self)
    cdef object _take(self, Py_ssize_t i, Py_ssize_t j)
    cdef object _pair_keys(self, list keys_a, list keys_b)
    cdef object _pair_unique(self, dict of_a, dict of_b)
    cdef object _pair_few(self, list free_a, list free_b)
    cdef double _value(self, Py_ssize_t i, Py_ssize_t j)
    cdef dict _free_by_key(self, list keys_b)
    cdef object _pair_equals(self)
