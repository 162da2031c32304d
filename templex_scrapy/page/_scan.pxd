cimport cython

from templex_scrapy.page.start_tags cimport StartTag, start_tag_of


cdef bint _COMPILED
cdef int _NEW, _LEFT, _FRAME
cdef unsigned int _MIX, _SLOTS
cdef unsigned char _LESS, _GREATER, _SLASH, _BLANK, _EXCLAMATION, _QUESTION, _BRACKET, _TAB, _RETURN

@cython.locals(
    data="const unsigned char*", size=Py_ssize_t, ids="int[::1]", sizes="int[::1]", parents="int[::1]",
    slots="int[::1]", seen="int[::1]", indices="int[::1]", start_tags=list, texts=list, known=dict,
    most=int, count=int, depth=int, level=int, passed=int, parent=int, element=int, place=int, index=int, slot=int,
    start=Py_ssize_t, end=Py_ssize_t, behind=Py_ssize_t, mark="unsigned char", is_empty=bint, token=bytes,
    text=str,
)
cpdef object scan(bytes written, object left_out, object unescape)

cdef Py_ssize_t _end_of_no_tag(bytes written, Py_ssize_t start)

@cython.locals(whole=bytes, index=int)
cdef int _number(bytes token, dict known, list start_tags, object left_out)

cdef int add_start_tag(StartTag start_tag, list start_tags, object left_out)

@cython.locals(position=Py_ssize_t)
cdef Py_ssize_t _find(const unsigned char* data, unsigned char byte, Py_ssize_t start, Py_ssize_t end)

@cython.locals(position=Py_ssize_t)
cdef bint _is_blank(const unsigned char* data, Py_ssize_t start, Py_ssize_t end)

@cython.locals(position=Py_ssize_t, total="unsigned int", sums="unsigned int")
cdef int _slot(const unsigned char* data, Py_ssize_t start, Py_ssize_t end)

cdef bint _is_same_token(const unsigned char* data, Py_ssize_t one, Py_ssize_t other)

@cython.locals(
    positions=list, before="int[::1]", sums="long long[::1]", count=int, total="long long", position=Py_ssize_t
)
cpdef object read_texts(tuple texts)

@cython.locals(flags="const unsigned char[::1]", ids="int[::1]", position=Py_ssize_t)
cpdef list nodes_with(flags, ids)

@cython.locals(end=Py_ssize_t, child=Py_ssize_t, found=list)
cpdef list children_of(const int[::1] sizes, Py_ssize_t position)

@cython.locals(parents="int[::1]", counts="int[::1]", position=Py_ssize_t)
cpdef object count_children(parents)

@cython.locals(numbers="const int[::1]", ids="const int[::1]", found="int[::1]", position=Py_ssize_t)
cpdef object renumbered(numbers, ids)

@cython.locals(numbers="const int[::1]", sums="int[::1]", total=int, position=Py_ssize_t)
cpdef object sums_before(numbers)

@cython.locals(ids="const int[::1]", number=int)
cpdef tuple spread(list values, ids)
