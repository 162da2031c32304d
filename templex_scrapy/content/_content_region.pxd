cimport cython

from templex_scrapy.content._outline cimport Outline as PageOutline
from templex_scrapy.content._unique_texts cimport UniqueTexts as Texts
from templex_scrapy.content._unique_words cimport UniqueWords as Words


@cython.locals(
    outline=PageOutline, words=Words, root=Py_ssize_t, beside=bytearray, unique=list, least=double, start=Py_ssize_t,
    end=Py_ssize_t, position=Py_ssize_t,
)
cpdef bytearray find_beside(object arrays, Texts texts, list outside_teasers, object head)

@cython.locals(named=frozenset, removed=list, box=Py_ssize_t)
cdef bytearray _boxes_beside(object arrays, Texts texts, PageOutline outline, Words words)
