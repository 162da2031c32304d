cimport cython


@cython.locals(
    ids="int[::1]", sizes="int[::1]", parents="int[::1]", places="int[::1]", start_tags=list, texts=list, known=dict,
    most=int, count=int, depth=int, level=int, passed=int, parent=int, element=int, place=int, index=int,
    start=Py_ssize_t, end=Py_ssize_t, behind=Py_ssize_t, mark=Py_UCS4, is_empty=bint, token=str, text=str,
)
cpdef object scan(str written, object left_out, object unescape)

@cython.locals(
    positions=list, before="int[::1]", sums="long long[::1]", count=int, total="long long", position=Py_ssize_t
)
cpdef object read_texts(tuple texts)

cdef Py_ssize_t _end_of_no_tag(str written, Py_ssize_t start)

cdef int _number(str token, dict known, list start_tags, object left_out)

@cython.locals(flags="const unsigned char[::1]", ids="int[::1]", position=Py_ssize_t)
cpdef list nodes_with(flags, ids)

@cython.locals(end=Py_ssize_t, child=Py_ssize_t, found=list)
cpdef list children_of(const int[::1] sizes, Py_ssize_t position)

@cython.locals(found=list, node=Py_ssize_t, index=Py_ssize_t)
cpdef list first_texts(tuple texts, tuple positions, const int[::1] before, const int[::1] sizes, list nodes)

@cython.locals(parents="int[::1]", counts="int[::1]", position=Py_ssize_t)
cpdef object count_children(parents)

@cython.locals(numbers="const int[::1]", ids="const int[::1]", found="int[::1]", position=Py_ssize_t)
cpdef object renumbered(numbers, ids)

@cython.locals(numbers="const int[::1]", sums="int[::1]", total=int, position=Py_ssize_t)
cpdef object sums_before(numbers)

@cython.locals(ids="const int[::1]", number=int)
cpdef tuple spread(list values, ids)
