# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The nodes of a body read in place from libxml2's tree: what `_scan.scan` reads of the bytes that libxml2 writes of it.

This takes a third of the time. It is no Python, as it reads the structures of C that lxml's public headers declare, and
it is not linked to libxml2: it runs with the versions of lxml and libxml2 that it was built with, and with no other.
It changes nothing, and calls nothing that may change the tree.
"""

from cpython.array cimport array, clone
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint64_t, uintptr_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, strcmp, strlen

from templex_scrapy.page._scan cimport _FRAME, add_start_tag
from templex_scrapy.page.start_tags cimport start_tag_of

from lxml import etree

from templex_scrapy.page._scan import Scan
from templex_scrapy.page.start_tags import TEXT


ctypedef const unsigned char* String

cdef extern from *:
    """
    #include "libxml/xmlversion.h"
    /* the header of iconv is not in lxml's wheels */
    #undef LIBXML_ICONV_ENABLED
    #include "libxml/tree.h"
    """
    const char* LIBXML_DOTTED_VERSION

    ctypedef enum xmlElementType:
        XML_ELEMENT_NODE
        XML_TEXT_NODE
        XML_CDATA_SECTION_NODE
        XML_PI_NODE
        XML_COMMENT_NODE

    ctypedef struct xmlNs:
        pass

    ctypedef struct xmlAttr:
        String name
        xmlNode* children
        xmlAttr* next
        xmlNs* ns

    ctypedef struct xmlNode:
        xmlElementType type
        String name
        xmlNode* children
        xmlNode* parent
        xmlNode* next
        xmlNs* ns
        unsigned char* content
        xmlAttr* properties
        xmlNs* nsDef


cdef extern from "lxml-version.h":
    const char* LXML_VERSION_STRING


cdef extern from "lxml.etree.h":
    struct LxmlElement:
        xmlNode* _c_node


BUILT_WITH = LXML_VERSION_STRING.decode(), LIBXML_DOTTED_VERSION.decode()

cdef _run_with():
    compiled, loaded = (".".join(map(str, version)) for version in (etree.LIBXML_COMPILED_VERSION, etree.LIBXML_VERSION))
    return etree.__version__, compiled, loaded

if _run_with() != (*BUILT_WITH, BUILT_WITH[1]):
    raise ImportError("built with lxml {} and libxml2 {}, runs with {} and {} ({})".format(*BUILT_WITH, *_run_with()))
# lxml 7 guards its trees by other locks
if not etree.__version__.startswith("6."):
    raise ImportError("lxml is not of version 6")
# before, libxml2 wrote the attributes of the first element in ASCII
if etree.LIBXML_VERSION < (2, 14):
    raise ImportError("libxml2 is older than 2.14")


cdef enum:
    SLOTS = 1024  # seven times as many as a page has distinct start tags
    COLUMNS = 4

cdef uint64_t MIX = 0x9E3779B97F4A7C15ULL  # 2**64 by the golden ratio

# Of a byte in the value of an attribute: written as it is, as a reference, or as something that is left to libxml2.
cdef enum:
    PLAIN, REFERENCE, ODD
cdef unsigned char KINDS[256]
for _code in range(256):
    KINDS[_code] = PLAIN if _code >= 0x20 else ODD
for _code in [ord(mark) for mark in '<>&"\n\r\t']:
    KINDS[_code] = REFERENCE
KINDS[0xEF] = ODD  # U+FFFE and U+FFFF begin so, and others

cdef array INTEGERS = array("i")


cdef struct Written:
    char* data
    Py_ssize_t size, room


cdef inline int put(Written* written, const char* data, Py_ssize_t size) except -1:
    cdef char* larger
    if written.size + size > written.room:
        larger = <char*>realloc(written.data, 2 * (written.size + size))
        if larger == NULL:
            raise MemoryError
        written.data, written.room = larger, 2 * (written.size + size)
    memcpy(written.data + written.size, data, size)
    written.size += size
    return 0


cdef inline int put_name(Written* written, String name) except -1:
    return put(written, <const char*>name, strlen(<const char*>name))


cdef bint put_value(Written* written, String value) except -1:
    """Write the value of an attribute as libxml2 does; return whether that is known here."""
    cdef String start = value
    while True:
        while KINDS[value[0]] == PLAIN or value[0] == 0xEF and not (value[1] == 0xBF and value[2] >= 0xBE):
            value += 1
        put(written, <const char*>start, value - start)
        if value[0] == 0:
            return True
        if KINDS[value[0]] == ODD:
            return False
        if value[0] == c"<":
            put(written, "&lt;", 4)
        elif value[0] == c">":
            put(written, "&gt;", 4)
        elif value[0] == c"&":
            put(written, "&amp;", 5)
        elif value[0] == c'"':
            put(written, "&quot;", 6)
        elif value[0] == c"\n":
            put(written, "&#10;", 5)
        elif value[0] == c"\r":
            put(written, "&#13;", 5)
        else:
            put(written, "&#9;", 4)
        value += 1
        start = value


cdef inline const char* value_of(xmlAttr* attribute) noexcept nogil:
    """Return the value of an attribute that has no more than one text."""
    cdef xmlNode* text = attribute.children
    if text == NULL or text.content == NULL:
        return ""
    return <const char*>text.content


cdef bint put_start_tag(Written* written, xmlNode* element) except -1:
    """Write a start tag as libxml2 does; return whether that is known here."""
    cdef xmlAttr* attribute = element.properties
    written.size = 0
    put(written, "<", 1)
    put_name(written, element.name)
    while attribute != NULL:
        put(written, " ", 1)
        put_name(written, attribute.name)
        put(written, '="', 2)
        if not put_value(written, <String>value_of(attribute)):
            return False
        put(written, '"', 1)
        attribute = attribute.next
    put(written, ">", 1)
    return True


cdef inline uint64_t mixed(uint64_t total, uint64_t value) noexcept nogil:
    total = (total ^ value) * MIX
    return total ^ (total >> 32)


cdef inline int slot_of(xmlNode* element) noexcept nogil:
    """Return where a start tag is remembered, or -1 if this module cannot write it.

    Two that share a slot replace each other, so that no page makes this slow.
    """
    cdef uint64_t total = <uintptr_t>element.name
    cdef uint64_t word
    cdef xmlAttr* attribute = element.properties
    cdef const char* value
    cdef Py_ssize_t size
    if element.ns != NULL or element.nsDef != NULL:
        return -1
    while attribute != NULL:
        if attribute.ns != NULL:
            return -1
        total = mixed(total, <uintptr_t>attribute.name)
        if attribute.children != NULL:
            if attribute.children.type != XML_TEXT_NODE or attribute.children.next != NULL:
                return -1
            value = value_of(attribute)
            size = strlen(value)
            while size >= 8:
                memcpy(&word, value, 8)
                total = mixed(total, word)
                value += 8
                size -= 8
            word = size
            memcpy(&word, value, size)
            total = mixed(total, word)
        attribute = attribute.next
    return (total >> 24) % SLOTS


cdef inline bint is_same_start_tag(xmlNode* one, xmlNode* other) noexcept nogil:
    """Return whether two start tags are written alike; names are in the dictionary of the document, once each."""
    cdef xmlAttr* first = one.properties
    cdef xmlAttr* second = other.properties
    if one.name != other.name:
        return False
    while first != NULL and second != NULL:
        if first.name != second.name or strcmp(value_of(first), value_of(second)) != 0:
            return False
        first, second = first.next, second.next
    return first == second


cdef inline unsigned char first_mark(String text) noexcept nogil:
    """Return the first byte that is no blank; 0 if there is none."""
    while text[0] == c" " or c"\t" <= text[0] <= c"\r":
        text += 1
    return text[0]


cdef int count_below(xmlNode* top) noexcept nogil:
    """Return how many elements, comments and processing instructions are in an element; -1 if there is anything else."""
    cdef xmlNode* node = top.children
    cdef int count = 0
    while node != NULL:
        if node.type == XML_ELEMENT_NODE:
            count += 1
            if node.children != NULL:
                node = node.children
                continue
        elif node.type == XML_COMMENT_NODE or node.type == XML_PI_NODE:
            count += 1
        elif node.type != XML_TEXT_NODE and node.type != XML_CDATA_SECTION_NODE:
            return -1
        while node.next == NULL:
            node = node.parent
            if node == top:
                return count
        node = node.next
    return count


cdef int number(Written* written, dict known, list start_tags, object left_out):
    """Number a start tag that is new on the page, or that was forgotten."""
    cdef str tag_string = PyUnicode_DecodeUTF8(written.data, written.size, NULL)
    cdef int index
    found = known.get(tag_string)
    if found is not None:
        return found
    index = known[tag_string] = add_start_tag(start_tag_of(tag_string), start_tags, left_out)
    return index


def read_tree(body, left_out):
    """Read the nodes of an element.

    Args:
        body: the element.
        left_out: tags of elements that are no nodes, and whose content is none.

    Returns:
        What `_scan.scan` returns; None if there is something that this module leaves to it: a namespace, an entity, a
        CDATA section outside of what is left out, two texts side by side, a character in an attribute that XML has not.
    """
    if not isinstance(body, etree._Element):
        raise TypeError("body is no element")
    cdef xmlNode* top = (<LxmlElement*>body)._c_node
    cdef xmlNode* node = top
    cdef xmlNode* seen[SLOTS]
    cdef int indices[SLOTS]
    cdef Written written
    cdef int* numbers = NULL
    cdef int* ids
    cdef int* sizes
    cdef int* parents
    cdef int* slots
    cdef int room = 1024, count = 0, depth = 0, level = 0, parent = -1, element = -1, place = -1, slot, index, below
    cdef bint is_behind = False  # whether there are only comments since the text before
    cdef list start_tags = [start_tag_of(TEXT)], texts = [], frame_parents = [], continued = []
    cdef dict known = {}
    cdef str text
    cdef unsigned char mark
    if top == NULL or top.type != XML_ELEMENT_NODE:
        return None
    for slot in range(SLOTS):
        seen[slot] = NULL
    written.size, written.room = 0, 512
    written.data = <char*>malloc(written.room)
    numbers = <int*>malloc(COLUMNS * room * sizeof(int))
    try:
        if written.data == NULL or numbers == NULL:
            raise MemoryError
        ids, sizes, parents, slots = numbers, numbers + room, numbers + 2 * room, numbers + 3 * room
        while True:
            if count == room:
                numbers = grown(numbers, room)
                room *= 2
                ids, sizes, parents, slots = numbers, numbers + room, numbers + 2 * room, numbers + 3 * room
            if node.type == XML_ELEMENT_NODE:
                element += 1
                is_behind = False
                slot = slot_of(node)
                if slot < 0:
                    return None
                if seen[slot] != NULL and is_same_start_tag(seen[slot], node):
                    index = indices[slot]
                else:
                    if not put_start_tag(&written, node):
                        return None
                    index = number(&written, known, start_tags, left_out)
                    seen[slot], indices[slot] = node, index
                if index < 0:
                    if index == _FRAME:
                        frame_parents.append(parent)
                    place = ~element
                    below = count_below(node)
                    if below < 0:
                        return None
                    element += below
                else:
                    ids[count], sizes[count], parents[count], slots[count] = index, 1, parent, element
                    texts.append(None)
                    count += 1
                    if node.children != NULL:
                        parent, place = count - 1, element
                        level += 1
                        if level > depth:
                            depth = level
                        node = node.children
                        continue
                    place = ~element
            elif node.type == XML_TEXT_NODE:
                if node.next != NULL and node.next.type == XML_TEXT_NODE:
                    return None
                if node.content != NULL and node.content[0] != 0:
                    mark = first_mark(node.content)
                    # most are line breaks between tags: no string is made of them
                    text = None if mark == 0 else PyUnicode_DecodeUTF8(
                        <const char*>node.content, strlen(<const char*>node.content), NULL
                    )
                    if mark == 0 or not c"!" <= mark <= c"~" and text.isspace():
                        is_behind = False
                    else:
                        if is_behind:
                            continued.append(count)
                        is_behind = True
                        ids[count], sizes[count], parents[count], slots[count] = 0, 1, parent, place
                        texts.append(text)
                        count += 1
            elif node.type == XML_COMMENT_NODE or node.type == XML_PI_NODE:
                element += 1
                place = ~element
            else:
                return None
            while node != top and node.next == NULL:
                node = node.parent
                is_behind = False
                sizes[parent] = count - parent
                place = ~slots[parent]
                parent = parents[parent]
                level -= 1
            if node == top:
                break
            node = node.next
        return Scan(
            start_tags,
            made_array(ids, count),
            texts,
            made_array(sizes, count),
            made_array(parents, count),
            made_array(slots, count),
            frame_parents,
            continued,
            depth,
        )
    finally:
        free(written.data)
        free(numbers)


cdef int* grown(int* numbers, int room) except NULL:
    """Return columns of twice the length."""
    cdef int* larger = <int*>malloc(2 * COLUMNS * room * sizeof(int))
    cdef int column
    if larger == NULL:
        raise MemoryError
    for column in range(COLUMNS):
        memcpy(larger + 2 * column * room, numbers + column * room, room * sizeof(int))
    free(numbers)
    return larger


cdef array made_array(int* numbers, int count):
    cdef array made = clone(INTEGERS, count, False)
    memcpy(made.data.as_ints, numbers, count * sizeof(int))
    return made
