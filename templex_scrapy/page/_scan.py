"""The nodes in a tree as libxml2 writes it: one pass over the string.

Compiled where there is a compiler (_scan.pxd has the types).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection
from typing import NamedTuple, TypeVar

from templex_scrapy.compiled import IS_COMPILED
from templex_scrapy.page.start_tags import TEXT, StartTag, start_tag_of

T = TypeVar("T")

_FRAMES = frozenset({"iframe", "noscript"})
# of a start tag: it is new on the page; its element is left out; that is a frame
_NEW, _LEFT, _FRAME = -3, -1, -2
_LESS, _GREATER, _SLASH, _BLANK, _EXCLAMATION, _QUESTION, _BRACKET, _TAB, _RETURN = b"<>/ !?[\t\r"
_COMPILED = IS_COMPILED  # compiled, a constant of C
_MIX = 0x9E3779B1  # 2**32 by the golden ratio, as is usual: numbers that differ little are spread
_ZERO = array("i", [0])
_SLOTS = 1024  # seven times as many as a page has distinct start tags


class Scan(NamedTuple):
    """What :class:`~templex_scrapy.page.node_arrays.NodeArrays` is made of; see there.

    Attributes:
        start_tags: the distinct start tags, that of texts first.
        ids: for each node the index of its start tag.
    """

    start_tags: list[StartTag]
    ids: array[int]
    texts: list[str | None]
    sizes: array[int]
    parents: array[int]
    slots: array[int]
    frame_parents: list[int]
    continued: list[int]
    depth: int


class Texts(NamedTuple):
    """Where the texts of a page are.

    Attributes:
        positions: their positions.
        before: how many are before each node, and in all.
        sums: sums of the hashes of the texts before each node, and of all.
    """

    positions: tuple[int, ...]
    before: array[int]
    sums: array[int]


def read_texts(texts: tuple[str | None, ...]) -> Texts:
    """Return where the texts are, given the text of each node; None for elements."""
    positions: list[int] = []
    all_before, all_sums = integers(len(texts) + 1), array("q", bytes(8 * (len(texts) + 1)))
    before, sums = all_before, all_sums
    count = total = 0
    for position in range(len(texts)):
        text = texts[position]
        if text is not None:
            positions.append(position)
            count += 1
            total += hash(text) >> 24  # 40 bits each: the sums of 16 million texts have less than 64
        before[position + 1], sums[position + 1] = count, total
    return Texts(tuple(positions), all_before, all_sums)


def integers(count: int) -> array[int]:
    """Return so many zeros."""
    return _ZERO * count


def spread(values: list[T], ids: array[int]) -> tuple[T, ...]:
    """Return for each node the value of its start tag."""
    return tuple([values[number] for number in ids])


def renumbered(numbers: array[int], ids: array[int]) -> array[int]:
    """Return for each node the number of its start tag."""
    found = integers(len(ids))
    for position in range(len(ids)):
        found[position] = numbers[ids[position]]
    return found


def sums_before(numbers: array[int]) -> array[int]:
    """Return the sum of the numbers before each node, and that of all."""
    found = sums = integers(len(numbers) + 1)
    total = 0
    for position in range(len(numbers)):
        total += numbers[position]
        sums[position + 1] = total
    return found


def nodes_with(flags: bytes, ids: array[int]) -> list[int]:
    """Return the positions of the nodes whose start tags have flag 1."""
    return [position for position in range(len(ids)) if flags[ids[position]]]


def children_of(sizes: array[int], position: int) -> list[int]:
    """Return the positions of a node's children."""
    end = position + sizes[position]
    child = position + 1
    found = []
    while child < end:
        found.append(child)
        child += sizes[child]
    return found


def count_children(parents: array[int]) -> array[int]:
    """Return the number of children of each node."""
    counts = integers(len(parents))
    for position in range(1, len(parents)):
        counts[parents[position]] += 1
    return counts


def scan(written: bytes, left_out: Collection[str], unescape: Callable[[str, int], str]) -> Scan:  # noqa: C901, PLR0912, PLR0915 - calls would double its time
    """Read the nodes of an element.

    Args:
        written: the element as XML, in UTF-8.
        left_out: tags of elements that are no nodes, and whose content is none.
        unescape: reads a text with references, given its place.
    """
    data, size = written, len(written)  # compiled, a pointer to its bytes
    # elements, and texts before and behind each
    most = 2 * written.count(b"<") + 1
    texts: list[str | None] = [None] * most
    all_ids, all_sizes, all_parents, all_slots = integers(most), integers(most), integers(most), integers(most)
    ids, sizes, parents, slots = all_ids, all_sizes, all_parents, all_slots
    start_tags = [start_tag_of(TEXT)]
    known: dict[bytes, int] = {}  # a token → index of its start tag; _LEFT, _FRAME
    # slots with where a token was seen last, or -1, and its index
    seen, indices = array("i", [-1]) * _SLOTS, integers(_SLOTS)
    frame_parents: list[int] = []
    continued: list[int] = []
    behind = -1  # where a text, and the comments behind it, end
    count = depth = level = passed = 0  # passed: level in an element that is left out
    parent = element = place = -1  # place: that of a text here
    start = written.find(_LESS)
    while start >= 0:
        mark = data[start + 1]
        if mark == _EXCLAMATION or mark == _QUESTION:  # noqa: PLR1714, SIM109 - compares bytes
            end = _end_of_no_tag(written, start)
            # a CDATA section is no element; a comment is one, and the text behind it is its tail
            if data[start + 2] != _BRACKET:
                element += 1
                if not passed:
                    place = ~element
                    # "1<!-- ad -->2" is one line to a reader, and two texts
                    if start == behind:
                        behind = end
        else:
            end = (_find(data, _GREATER, start, size) if _COMPILED else written.find(_GREATER, start)) + 1
            is_empty = data[end - 2] == _SLASH
            if mark == _SLASH:
                if passed:
                    passed -= 1
                else:
                    sizes[parent] = count - parent
                    place = ~slots[parent]
                    parent = parents[parent]
                    level -= 1
            else:
                element += 1
                # what is in a <noscript> is counted, so that slots fit the tree, and is no node
                if passed:
                    passed += not is_empty
                else:
                    slot = _slot(data, start, end) if _COMPILED else 0
                    if _COMPILED and seen[slot] >= 0 and _is_same_token(data, seen[slot], start):
                        index = indices[slot]
                    else:
                        token = data[start:end]
                        index = known.get(token, _NEW)
                        if index == _NEW:
                            index = _number(token, known, start_tags, left_out)
                        seen[slot], indices[slot] = start, index
                    if index < 0:
                        if index == _FRAME:
                            frame_parents.append(parent)
                        place = ~element
                        passed = not is_empty
                    else:
                        ids[count], sizes[count], parents[count], slots[count] = index, 1, parent, element
                        if is_empty:
                            place = ~element
                        else:
                            parent, place = count, element
                            level += 1
                            if level > depth:  # noqa: PLR1730 - a call takes three times as long
                                depth = level
                        count += 1
        if not end:
            break  # libxml2 ends each tag
        start = _find(data, _LESS, end, size) if _COMPILED else written.find(_LESS, end)
        if passed or start == end or start < 0:
            continue
        # most are line breaks between tags: no string is made of them
        if _is_blank(data, end, start) if _COMPILED else written[end:start].isspace():
            continue
        text = written[end:start].decode("utf-8")
        if "&" in text:
            text = unescape(text, place)
        if text.isspace():  # "&nbsp;" alone, as in empty cells
            continue
        if end == behind:
            continued.append(count)
        behind = start
        texts[count] = text
        sizes[count], parents[count], slots[count] = 1, parent, place
        count += 1
    return Scan(
        start_tags,
        all_ids[:count],
        texts[:count],
        all_sizes[:count],
        all_parents[:count],
        all_slots[:count],
        frame_parents,
        continued,
        depth,
    )


def _end_of_no_tag(written: bytes, start: int) -> int:
    """Return the position behind a comment, a CDATA section or a processing instruction."""
    for begin, end in ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>")):
        if written.startswith(begin, start):
            return written.find(end, start + len(begin)) + len(end)
    return written.find(b">", start) + 1


def _number(token: bytes, known: dict[bytes, int], start_tags: list[StartTag], left_out: Collection[str]) -> int:
    """Number a start tag that is new on the page."""
    index, whole = _NEW, token
    if token[-2] == _SLASH:  # <p/> is a <p> without content
        whole = token[:-2] + b">"
        index = known.get(whole, _NEW)
    if index == _NEW:
        index = known[whole] = add_start_tag(start_tag_of(whole.decode("utf-8")), start_tags, left_out)
    known[token] = index
    return index


def add_start_tag(start_tag: StartTag, start_tags: list[StartTag], left_out: Collection[str]) -> int:
    """Add one to those of the page and return its index; ``_FRAME`` or ``_LEFT`` if its element is left out."""
    if start_tag.tag in left_out:
        return _FRAME if start_tag.tag in _FRAMES else _LEFT
    start_tags.append(start_tag)
    return len(start_tags) - 1


# The rest is compiled or not used: it reads bytes in place where Python would make an object of each token.


def _find(data: bytes, byte: int, start: int, end: int) -> int:
    for position in range(start, end):
        if data[position] == byte:
            return position
    return -1


def _is_blank(data: bytes, start: int, end: int) -> bool:
    for position in range(start, end):
        if data[position] != _BLANK and not _TAB <= data[position] <= _RETURN:
            return False
    return True


def _slot(data: bytes, start: int, end: int) -> int:
    """Return where a token is remembered; two that share a slot replace each other, so that no page makes this slow."""
    total = sums = 0
    for position in range(start, end):
        total += data[position]
        sums += total
    return ((sums + total) * _MIX >> 16) % _SLOTS


def _is_same_token(data: bytes, one: int, other: int) -> bool:
    while data[one] == data[other]:
        if data[one] == _GREATER:
            return True
        one += 1
        other += 1
    return False
