from templex_scrapy.page cimport StartTag


cdef class Weights:
    cdef readonly double position, classes, children, attributes, least

    cpdef double value(self, double position, double classes, double children, double attributes)


cpdef double class_ratio(StartTag a, StartTag b)
cpdef double attribute_ratio(StartTag a, StartTag b)
cpdef double ratio(int common, int a, int b, double both_empty)
cpdef double children_ratio(int a, int b)
cpdef (int, int) position_window(int i, int n_a, int n_b)
cpdef double position_value(int i, int j, int n_a, int n_b)
