cimport cython


@cython.locals(min_nodes=int, position=Py_ssize_t)
cdef list _large(const unsigned char[::1] has_tag, const int[::1] ids, const int[::1] sizes)

@cython.locals(
    nodes=Py_ssize_t, min_nodes=int, min_words=int, min_linked=double, hashes=list, powers=list, linked_words=list,
    mask="unsigned long long", base="unsigned long long", running_hash="unsigned long long", power="unsigned long long",
    node_hash="unsigned long long", hash_after="unsigned long long", hash_before="unsigned long long",
    linked=int, link_end=Py_ssize_t, position=Py_ssize_t, end=Py_ssize_t, subtree_words=int,
)
cdef tuple _read_candidates(
    list texts, list tags, const unsigned char[::1] is_link, const int[::1] ids, const int[::1] sizes, const int[::1] words
)
