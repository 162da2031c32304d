cimport cython

from templex_scrapy.content._outline cimport Outline
from templex_scrapy.content._unique_words cimport UniqueWords as Words


@cython.locals(words=Words, unique=bytearray, root=Py_ssize_t, text=Py_ssize_t, labels=list)
cpdef frozenset content_nodes(object page, object head, object repeated=*, object kept=*)

@cython.locals(texts=tuple, first=Py_ssize_t, end=Py_ssize_t, outline=Outline, text=Py_ssize_t)
cdef list _between(Words words, Py_ssize_t headline, Py_ssize_t root, set kept)
