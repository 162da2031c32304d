cimport cython

from templex_scrapy.mapping.children cimport Pairing, only_children_pair, pair_children
from templex_scrapy.mapping.siblings cimport Siblings as Children, Tree as Nodes


@cython.locals(
    pairs=list, runs=list, waiting=list, sizes_a="const int[::1]", sizes_b="const int[::1]", ids_a="const int[::1]",
    ids_b="const int[::1]", pairs_equals=bint, i=Py_ssize_t, j=Py_ssize_t, size=Py_ssize_t, tree_a=Nodes, tree_b=Nodes, of_a=Children, of_b=Children,
    pairing=Pairing, own_steps=Py_ssize_t, x=Py_ssize_t, y=Py_ssize_t,
)
cpdef object map_trees(object a, object b, object similarity=*)

@cython.locals(known=dict, distinct=tuple, numbers="int[::1]", index=Py_ssize_t)
cdef object _ids_in(object a, object b)

@cython.locals(offset=Py_ssize_t)
cdef bint _same_below(
    const int[::1] ids_a, const int[::1] sizes_a, Py_ssize_t i, const int[::1] ids_b, const int[::1] sizes_b, Py_ssize_t j
)
