cimport cython

from templex_scrapy.content._outline cimport Outline
from templex_scrapy.content._unique_words cimport UniqueWords as Words


@cython.locals(outline=Outline, boxes=list, before=bytes, weight=int, most=double, box=Py_ssize_t, beside=list)
cpdef object remove_boxes(Words words, bint is_forum, bint has_reviews=*)

@cython.locals(root=Py_ssize_t)
cpdef Py_ssize_t content_root(Words words, object head)

cpdef bint is_prose(Words words, Py_ssize_t root)

@cython.locals(part=Py_ssize_t, child=Py_ssize_t, sibling=Py_ssize_t)
cpdef list text_beside(Words words, Py_ssize_t root, object headline)
