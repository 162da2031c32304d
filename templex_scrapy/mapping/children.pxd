cimport cython

from templex_scrapy.page.start_tags cimport StartTag as Tag


cdef class Siblings:
    cdef public object arrays
    cdef public list positions, start_tags, child_counts
    cdef public Py_ssize_t count

    @cython.locals(child=Py_ssize_t, end=Py_ssize_t)
    cdef object _read(
        self, Py_ssize_t parent, list start_tags, const int[::1] ids, const int[::1] sizes, const int[::1] counts
    )

    cpdef list word_sums(self)


@cython.locals(position=Py_ssize_t)
cdef list _word_sums(list positions, const int[::1] sizes, const long long[::1] sums)

@cython.locals(tag_a=Tag, tag_b=Tag)
cpdef bint only_children_pair(object a, Py_ssize_t i, object b, Py_ssize_t j, object similarity)

@cython.locals(index=Py_ssize_t, x=Tag, y=Tag, different=list)
cdef bint _pairs_by_index(Siblings a, Siblings b, object similarity)

@cython.locals(keys=list, index=Py_ssize_t, start_tag=Tag)
cdef list _equality_keys(Siblings siblings, list free)

@cython.locals(keys=list, index=Py_ssize_t, tag=Tag)
cdef list _id_keys(Siblings siblings)

cdef bint _are_common(dict of_a, dict of_b)

@cython.locals(keys=list, index=Py_ssize_t, start_tag=Tag)
cdef dict _by_words(Siblings siblings)

@cython.locals(keys=list, index=Py_ssize_t, start_tag=Tag)
cdef dict _by_first_text(Siblings siblings)

@cython.locals(keys=list, index=Py_ssize_t, start_tag=Tag)
cdef dict _by_look(Siblings siblings)

@cython.locals(found=dict, index=Py_ssize_t, is_unique=bint)
cdef dict _unique(list keys)


cdef class _Matcher:
    cdef Siblings _a, _b
    cdef object _similarity
    cdef list _free_a, _free_b, _pairs

    cpdef object pair(self, object max_steps)
    cdef object _pair_keys(self, list keys_a, list keys_b)

    @cython.locals(free_a=set, free_b=set)
    cdef object _pair_unique(self, dict of_a, dict of_b)

    @cython.locals(free_a=set, free_b=set, options=list, x=Tag, y=Tag)
    cdef object _pair_few(self)

    @cython.locals(a=Tag, b=Tag)
    cdef double _value(self, Py_ssize_t i, Py_ssize_t j)

    cdef dict _free_by_key(self, list keys_b)
    cdef object _pair_equals(self)

    @cython.locals(taken_a=set, taken_b=set)
    cdef object _take(self, list pairs)


cdef class _FreeIndexes:
    cdef list _all, _next, _previous

    cpdef append(self, index)

    @cython.locals(slot=Py_ssize_t)
    cpdef remove(self, index)

    @cython.locals(slot=Py_ssize_t)
    cpdef at_or_after(self, index)

    @cython.locals(slot=Py_ssize_t)
    cpdef before(self, index)


cdef Py_ssize_t _root(list links, Py_ssize_t slot)
