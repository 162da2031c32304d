cpdef double ratio(int common, int a, int b, double both_empty)

cpdef double children_ratio(int a, int b)

cpdef tuple position_window(int i, int n_a, int n_b)

cpdef double position_value(int i, int j, int n_a, int n_b)
