cimport cython


@cython.locals(least=int, position=Py_ssize_t)
cdef list _large(const unsigned char[::1] has_tag, const int[::1] ids, const int[::1] sizes)

@cython.locals(
    count=Py_ssize_t, least_nodes=int, least_words=int, share=double, numbers=list, powers=list, linked=list,
    bits="unsigned long long", base="unsigned long long", number="unsigned long long", power="unsigned long long",
    value="unsigned long long", in_links=int, end=Py_ssize_t, position=Py_ssize_t, behind=Py_ssize_t, in_all=int,
)
cdef tuple _read_candidates(
    list texts, list tags, const unsigned char[::1] is_link, const int[::1] ids, const int[::1] sizes, const int[::1] words
)
