from templex_scrapy.page.start_tags cimport StartTag as Tag


cpdef int declared_by(Tag start_tag)

cdef int _of_names(str tag_and_names)
