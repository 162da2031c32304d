from libc.string cimport memchr


cdef inline Py_ssize_t find_byte(const unsigned char* data, unsigned char byte, Py_ssize_t start, Py_ssize_t end) noexcept:
    cdef const unsigned char* place = <const unsigned char*>memchr(data + start, byte, end - start)
    return -1 if place == NULL else place - data
