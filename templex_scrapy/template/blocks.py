"""Blocks that several pages have word for word, at whatever position.

The equal top-down mapping finds what is repeated at the same place. A submenu that only some pages have, or a box
behind a text of varying shape, moves; it is found by its tags, targets and words, which are the same. Only blocks of
some size count: a date or a word may recur by chance, and a teaser may be content in two lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from templex_scrapy.page import NodeArrays, NodeValues

# a date in its element has two nodes, a link with its entry of a list three
MIN_NODES = 5
"""Nodes of a block, at least."""

# a row of empty cells, or five stars, is the same anywhere and tells nothing
MIN_WORDS = 3
"""Words of a block, at least."""

# front page and category of a blog both show the newest post in full: nothing else is its own page's content
LINKED = 0.5
"""A block with a smaller share of its words in links must be on three pages: two lists may show one article."""

_Shape = tuple[str, int]


class Blocks:
    """The blocks that at least two of some pages have.

    Args:
        pages: for each block, by its digest (:meth:`NodeValues.digest`), the number of pages that have it.
        shapes: start tag and number of nodes of each block.
    """

    def __init__(self, pages: dict[str, int] | None = None, shapes: Iterable[_Shape] = ()) -> None:
        self.pages = pages or {}
        self.shapes = frozenset(shapes)

    @classmethod
    def common_to(cls, pages: Sequence[NodeValues]) -> Blocks:
        """Return the blocks that at least two of the pages have; O(number of all nodes)."""
        # a digest resolves all links of its subtree: only what is equal by start tags and texts gets one
        names: dict[object, int] = {}
        identities = [_identities(page.arrays, names) for page in pages]
        counts = Counter(name for page in identities for name in set(page))
        found: dict[str, int] = {}
        shapes: set[_Shape] = set()
        for page, identity in zip(pages, identities, strict=True):
            keys: set[str] = set()
            for position, least in _candidates(page.arrays):
                if counts[identity[position]] >= least:
                    keys.add(page.digest(position))
                    shapes.add(_shape(page.arrays, position))
            for key in keys:
                found[key] = found.get(key, 0) + 1
        return cls({key: count for key, count in found.items() if count > 1}, shapes)

    @classmethod
    def merged(cls, known: Iterable[tuple[Blocks, int]]) -> Blocks:
        """Merge the blocks of several templates.

        Args:
            known: the blocks of each template, and how many of its pages must have one.

        Returns:
            The blocks that enough pages of some template have. Each counts the pages beyond those needed, plus 1:
            ``found_in`` finds all of them with ``least=1``, and with 2 those that would do with one page less.
        """
        pages: dict[str, int] = {}
        shapes: set[_Shape] = set()
        for blocks, least in known:
            shapes |= blocks.shapes
            for key, count in blocks.pages.items():
                if count >= least:
                    # templates of one site share pages, so their counts must not be added up
                    pages[key] = max(pages.get(key, 0), count - least + 1)
        return cls(pages, shapes)

    def found_in(self, page: NodeValues, passed: bytearray, least: int) -> Iterator[int]:
        """Yield the positions of the largest subtrees of a page that are blocks of enough pages.

        A block has moved only if it is not at its usual position as well: the front page of a manual has the table of
        contents in the sidebar, as all pages have it, and once more as its content.

        Args:
            page: the page's nodes and their values.
            passed: flag 1 for subtrees that are left out: for each of their nodes.
            least: pages that must have a block.
        """
        arrays, end = page.arrays, 1
        large = [position for position, size in enumerate(arrays.sizes) if size >= MIN_NODES]
        tag_strings, sizes, shapes = arrays.tag_strings, arrays.sizes, self.shapes
        candidates = [position for position in large if (tag_strings[position], sizes[position]) in shapes]
        not_moved: set[str] | None = None
        for position in candidates:
            if position < end or passed[position] or self.pages.get(page.digest(position), 0) < least:
                continue
            end = position + arrays.sizes[position]
            # most pages have no candidate that is not at its position already
            if not_moved is None:
                not_moved = {page.digest(other) for other in candidates if passed[other]}
            if page.digest(position) not in not_moved:
                yield position


def _shape(arrays: NodeArrays, position: int) -> _Shape:
    return arrays.tag_strings[position], arrays.sizes[position]


def _candidates(arrays: NodeArrays) -> Iterator[tuple[int, int]]:
    """Yield the positions of the subtrees that are large enough, and how many pages must have each; O(nodes)."""
    words = [0, *accumulate(0 if text is None else len(text.split()) for text in arrays.texts)]
    linked = [0, *accumulate(_linked_words(arrays))]
    for position in range(1, len(arrays.sizes)):
        size = arrays.sizes[position]
        count = words[position + size] - words[position]
        if size >= MIN_NODES and count >= MIN_WORDS:
            yield position, 2 if linked[position + size] - linked[position] >= LINKED * count else 3


def _linked_words(arrays: NodeArrays) -> Iterator[int]:
    """Yield for each node its words if it is a text in a link, else 0."""
    # of links in links, which unclosed ones become, the outermost counts
    end = 0
    for position, text in enumerate(arrays.texts):
        if text is None and position >= end and arrays.tag_strings[position].startswith("<a "):
            end = position + arrays.sizes[position]
        yield len(text.split()) if text is not None and position < end else 0


def _identities(arrays: NodeArrays, names: dict[object, int]) -> list[int]:
    """Return a number for each subtree; equal subtrees of any pages have the same number."""
    children: list[list[int]] = [[] for _ in arrays.sizes]
    identities = [0] * len(arrays.sizes)
    for position in range(len(arrays.sizes) - 1, -1, -1):
        text = arrays.texts[position]
        # templates of a site indent one box differently on different pages
        content = (arrays.tag_strings[position], text and " ".join(text.split()), tuple(children[position]))
        identity = identities[position] = names.setdefault(content, len(names))
        if position:
            children[arrays.parents[position]].append(identity)
    return identities
