cimport cython

from templex_scrapy.template.votes.ballot cimport in_same_place, run_is_equal


@cython.locals(
    present=list, equal=list, values=tuple, tag_strings=tuple, texts=tuple, most_pages=list, key_tag_strings=tuple,
    key_texts=tuple, position=Py_ssize_t, other=Py_ssize_t, votes=int, flag=int, is_present=int, text=object, key_text=object,
    is_stable=int, is_equal=int, is_varying=int, is_same=bint,
)
cdef object _flag_single(object page, object key, bytes known, list single, int node, int stable, bytearray flags)

cdef bint _varies(object page, Py_ssize_t position, object key, Py_ssize_t other, int varies_elsewhere)

cdef bint _has_votes(object page, Py_ssize_t position, object key, Py_ssize_t other, int node)
