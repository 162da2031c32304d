cimport cython

from templex_scrapy.content._unique_texts cimport UniqueTexts as Texts
from templex_scrapy.page.start_tags cimport StartTag as Tag


cpdef bytearray find_teasers(object arrays, Texts texts)

@cython.locals(
    by_look=dict, start_tags=list, ids="const int[::1]", child=Py_ssize_t, start_tag=Tag, teasers=list
)
cdef list _teasers_in(object arrays, Texts texts, Py_ssize_t parent)
