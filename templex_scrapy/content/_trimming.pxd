cimport cython

from templex_scrapy.content._own_words cimport OwnWords as Words


@cython.locals(
    long="int[::1]", words="int[::1]", in_links="int[::1]", links="int[::1]", blocks="int[::1]", most=double, least=int,
    position=Py_ssize_t, end=Py_ssize_t,
)
cdef object _remove_boxes_of_links(Words own, Py_ssize_t root, set kept)
