cimport cython

from templex_scrapy.mapping.siblings cimport Siblings, Tree
from templex_scrapy.mapping.similarity cimport (
    Weights as Numbers, attribute_ratio, children_ratio, class_ratio, position_value, position_window
)
from templex_scrapy.page.start_tags cimport StartTag as Tag


cdef class Pairing:
    cdef readonly list pairs
    cdef readonly object steps
    cdef readonly bint is_cut


@cython.locals(is_by_index=bint, same_words=list)
cpdef Pairing pair_children(Siblings a, Siblings b, object similarity, object max_steps)

@cython.locals(tag_a=Tag, tag_b=Tag, weights=Numbers, children=double, classes=double, attributes=double)
cpdef bint only_children_pair(Tree a, Py_ssize_t i, Tree b, Py_ssize_t j, object similarity)

@cython.locals(index=Py_ssize_t, x=Tag, y=Tag, different=list)
cdef bint _pairs_by_index(Siblings a, Siblings b, object similarity)

@cython.locals(words=Py_ssize_t, texts=Py_ssize_t, index=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t)
cdef bint _may_cross(Siblings a, Siblings b)

@cython.locals(start_tag=Tag, looks=set, keys=set, other=Tag)
cdef bint _any_equal(list start_tags, list others)

@cython.locals(start_tag=Tag, looks=set, index=Py_ssize_t)
cdef set _free_looks(Siblings siblings, bytearray taken)

@cython.locals(start_tag=Tag, keys=list, index=Py_ssize_t)
cdef list _equality_keys(Siblings siblings, bytearray taken, set looks)

@cython.locals(keys=list, index=Py_ssize_t, tag=Tag)
cdef list _id_keys(Siblings siblings)

@cython.locals(words_a=dict, words_b=dict, first_a=dict, first_b=dict, found=list)
cdef list _same_words(Siblings a, Siblings b)

cdef bint _are_common(dict of_a, dict of_b)

@cython.locals(of_a=dict, of_b=dict)
cdef bint _any_cross(list same_words)

@cython.locals(found=dict, repeated=int, index=Py_ssize_t, words="long long")
cdef dict _by_words(Siblings siblings)

@cython.locals(found=dict, repeated=int, index=Py_ssize_t, start_tag=Tag, text="long long")
cdef dict _by_first_text(Siblings siblings)

@cython.locals(found=dict, repeated=int, index=Py_ssize_t, start_tag=Tag)
cdef dict _by_look(Siblings siblings)

@cython.locals(first=Py_ssize_t)
cdef bint _add(dict found, object key, Py_ssize_t index)

cdef dict _unique(dict found)

@cython.locals(index=Py_ssize_t)
cdef list _free(bytearray taken)


cdef class _Matcher:
    cdef Siblings _a, _b
    cdef object _similarity
    cdef Numbers _weights
    cdef bytearray _taken_a, _taken_b
    cdef list _pairs

    @cython.locals(a=Siblings, b=Siblings, of_a=dict, of_b=dict, free_a=list, free_b=list)
    cdef Pairing pair(self, list same_words, object max_steps)

    @cython.locals(pairs=Py_ssize_t)
    cdef bint _is_any_free(self)

    cdef object _take(self, Py_ssize_t i, Py_ssize_t j)

    @cython.locals(waiting=dict, i=Py_ssize_t, found=list)
    cdef object _pair_keys(self, list keys_a, list keys_b)

    @cython.locals(i=Py_ssize_t, j=Py_ssize_t)
    cdef object _pair_unique(self, dict of_a, dict of_b)

    @cython.locals(options=list, start_tag=Tag, other=Tag, i=Py_ssize_t, j=Py_ssize_t, value=double)
    cdef object _pair_few(self, list free_a, list free_b)

    @cython.locals(a=Tag, b=Tag, children=double, classes=double)
    cdef double _value(self, Py_ssize_t i, Py_ssize_t j)

    @cython.locals(found=dict, j=Py_ssize_t)
    cdef dict _free_by_key(self, list keys_b)

    @cython.locals(waiting=dict, i=Py_ssize_t, equals=list, keys_a=list, keys_b=list, looks=set)
    cdef object _pair_equals(self)
