cdef class Outline:
    cdef readonly bytearray linked, is_link, in_menus
    cdef readonly dict headings
    cdef readonly set of_links
    cdef readonly object blocks, layout, links, menu_links, controls, tables, no_text
    cdef readonly list declared, named, inside, comments, reviews

    cdef bytearray _read(self, object arrays, const unsigned char[::1] of_tags)
    cdef object _read_boxes(self, object arrays, bytes of_start_tags)
