cimport cython

from templex_scrapy.page.node_values cimport NodeValues as Values
from templex_scrapy.votes.ballot cimport run_is_equal


@cython.locals(
    flags=bytearray, known=bytes, key_values=Values, counterparts="int[::1]", start=Py_ssize_t, other=Py_ssize_t, length=Py_ssize_t,
    offset=Py_ssize_t,
)
cpdef bytearray find_flags(Values page, object key, object mapping, int self_vote)

@cython.locals(
    present=list, equal=list, values=tuple, tag_strings=tuple, texts=tuple, most_others=list, key_tag_strings=tuple,
    key_texts=tuple, position=Py_ssize_t, other=Py_ssize_t, votes=int, most=int, flag=int, is_present=int, text=object, key_text=object,
    is_stable=int, is_equal=int, is_varying=int, is_same=bint,
)
cdef object _flag_single(
    Values page, object key, bytes known, const int[::1] counterparts, int node, int stable, bytearray flags
)

cdef bint _varies(Values page, Py_ssize_t position, object key, Py_ssize_t other, int varies_elsewhere)

cdef bint _has_votes(Values page, Py_ssize_t position, object key, Py_ssize_t other, int node)
