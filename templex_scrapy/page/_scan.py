"""The nodes in a tree as libxml2 writes it: one pass over the string.

Compiled where there is a compiler (_scan.pxd has the types).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection
from typing import NamedTuple, TypeVar

TEXT = "#text"
"""The tag of text nodes."""

T = TypeVar("T")

_FRAMES = frozenset({"iframe", "noscript"})


class Scan(NamedTuple):
    """What :class:`~templex_scrapy.page.nodes.NodeArrays` is made of; see there.

    Attributes:
        start_tags: the distinct start tags, ``"#text"`` first.
        ids: for each node the index of its start tag.
    """

    start_tags: list[str]
    ids: array[int]
    texts: list[str | None]
    sizes: array[int]
    parents: array[int]
    places: array[int]
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
    return array("i", bytes(4 * count))


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


def first_texts(
    texts: tuple[str | None, ...], positions: tuple[int, ...], before: array[int], sizes: array[int], nodes: list[int]
) -> list[str | None]:
    """Return the first text of each of some subtrees; None for those without."""
    found: list[str | None] = []
    for node in nodes:
        index = before[node]
        found.append(texts[positions[index]] if index < before[node + sizes[node]] else None)
    return found


def count_children(parents: array[int]) -> array[int]:
    """Return the number of children of each node."""
    counts = integers(len(parents))
    for position in range(1, len(parents)):
        counts[parents[position]] += 1
    return counts


def scan(written: str, left_out: Collection[str], unescape: Callable[[str, int], str]) -> Scan:  # noqa: C901, PLR0912, PLR0915 - calls would double its time
    """Read the nodes of an element.

    Args:
        written: the element as XML.
        left_out: tags of elements that are no nodes, and whose content is none.
        unescape: reads a text with references, given its place.
    """
    # elements, and texts before and behind each
    most = 2 * written.count("<") + 1
    texts: list[str | None] = [None] * most
    all_ids, all_sizes, all_parents, all_places = integers(most), integers(most), integers(most), integers(most)
    ids, sizes, parents, places = all_ids, all_sizes, all_parents, all_places
    start_tags = [TEXT]
    known = {TEXT: 0}  # a token → index of its start tag; -1, -2: of what is left out, of a frame
    frame_parents: list[int] = []
    continued: list[int] = []
    behind = -1  # where a text, and the comments behind it, end
    count = depth = level = passed = 0  # passed: level in an element that is left out
    parent = element = place = -1  # place: that of a text here
    start = written.find("<")
    while start >= 0:
        mark = written[start + 1]
        if mark == "!" or mark == "?":  # noqa: PLR1714 - compares characters
            end = _end_of_no_tag(written, start)
            if written[start + 2] != "[":
                element += 1
                if not passed:
                    place = ~element
                    if start == behind:
                        behind = end
        else:
            end = written.find(">", start) + 1
            is_empty = written[end - 2] == "/"
            if mark == "/":
                if passed:
                    passed -= 1
                else:
                    sizes[parent] = count - parent
                    place = ~places[parent]
                    parent = parents[parent]
                    level -= 1
            else:
                element += 1
                if passed:
                    passed += not is_empty
                else:
                    token = written[start:end]
                    found = known.get(token)
                    index = _number(token, known, start_tags, left_out) if found is None else found
                    if index < 0:
                        if index == -2:
                            frame_parents.append(parent)
                        place = ~element
                        passed = not is_empty
                    else:
                        ids[count], sizes[count], parents[count], places[count] = index, 1, parent, element
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
        start = written.find("<", end)
        if passed or start == end or start < 0:
            continue
        text = written[end:start]
        if text.isspace():
            continue
        if "&" in text:
            text = unescape(text, place)
            if text.isspace():
                continue
        if end == behind:
            continued.append(count)
        behind = start
        texts[count] = text
        sizes[count], parents[count], places[count] = 1, parent, place
        count += 1
    return Scan(
        start_tags,
        all_ids[:count],
        texts[:count],
        all_sizes[:count],
        all_parents[:count],
        all_places[:count],
        frame_parents,
        continued,
        depth,
    )


def _end_of_no_tag(written: str, start: int) -> int:
    """Return the position behind a comment, a CDATA section or a processing instruction."""
    for begin, end in (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")):
        if written.startswith(begin, start):
            return written.find(end, start + len(begin)) + len(end)
    return written.find(">", start) + 1


def _number(token: str, known: dict[str, int], start_tags: list[str], left_out: Collection[str]) -> int:
    """Number a start tag that is new on the page."""
    name = token.rstrip("/>").partition(" ")[0][1:]
    if name in left_out:
        index = -2 if name in _FRAMES else -1
    else:
        # <p/> is a <p> without content
        tag_string = f"{token[:-2]}>" if token.endswith("/>") else token
        index = known.setdefault(tag_string, len(start_tags))
        if index == len(start_tags):
            start_tags.append(tag_string)
    known[token] = index
    return index
