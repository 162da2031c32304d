cdef class Tree:
    cdef public list start_tags
    cdef public tuple text_positions
    cdef const int[::1] ids, sizes, child_counts, texts_before
    cdef const long long[::1] text_sums

    cdef long long text_sum(self, Py_ssize_t position)
    cdef long long first_text(self, Py_ssize_t position)


cdef class Siblings:
    cdef readonly Tree tree
    cdef public list positions, start_tags, child_counts
    cdef public Py_ssize_t count
    cdef public bint has_ids
    cdef readonly bytearray taken
