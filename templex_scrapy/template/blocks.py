"""Blocks that stand word for word on several pages, wherever they stand there.

The equal top-down mapping finds what is repeated at the same place. A submenu that only some pages have, or a box that
follows a text of varying shape, moves; as it stands the same, tags, targets and words, it is found all the same. Only
blocks of some size count: a date or a word may recur by chance, and a teaser may be content in two lists.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from templex_scrapy.page import NodeArrays, NodeValues

MIN_NODES = 5
"""Nodes that a block has at least."""

MIN_WORDS = 3
"""Words that a block has at least."""

LINKED = 0.5
"""With a smaller share of its words in links a block must stand on three pages: two lists may show one article."""

_Shape = tuple[str, int]


class Blocks:
    """The blocks that stand on at least two of some pages.

    Args:
        pages: for each block, as :func:`block_key` names it, on how many of them it stands.
        shapes: start tag and number of nodes of each of them.
    """

    def __init__(self, pages: dict[str, int], shapes: Iterable[_Shape]) -> None:
        self.pages = pages
        self.shapes = frozenset(shapes)

    @classmethod
    def common_to(cls, pages: Sequence[NodeValues]) -> Blocks:
        """The blocks that stand on at least two of the pages; O(number of all nodes)."""
        names: dict[object, int] = {}
        identities = [_identities(page.arrays, names) for page in pages]
        counts = Counter(name for page in identities for name in set(page))
        found: dict[str, int] = {}
        shapes: set[_Shape] = set()
        for page, identity in zip(pages, identities, strict=True):
            keys: set[str] = set()
            for position, least in _candidates(page.arrays):
                if counts[identity[position]] >= least:
                    keys.add(block_key(page, position))
                    shapes.add(_shape(page.arrays, position))
            for key in keys:
                found[key] = found.get(key, 0) + 1
        return cls({key: count for key, count in found.items() if count > 1}, shapes)

    @classmethod
    def merged(cls, known: Iterable[tuple[Blocks, int]]) -> Blocks:
        """Blocks of several templates as one.

        Args:
            known: blocks, and on how many pages one of them must stand.

        Returns:
            The blocks that stand on enough pages in one of them, each with the number of pages above what it must, plus
            1: so that ``found_in`` finds them with ``least=1``, and with 2 those that one page less would do for.
        """
        pages: dict[str, int] = {}
        shapes: set[_Shape] = set()
        for blocks, least in known:
            shapes |= blocks.shapes
            for key, count in blocks.pages.items():
                if count >= least:
                    pages[key] = max(pages.get(key, 0), count - least + 1)
        return cls(pages, shapes)

    def joined(self, pages: Sequence[NodeValues]) -> Blocks:
        """The blocks with those of further pages.

        A block that stood on one of the earlier pages only is not remembered, so it has to stand on two of these.
        """
        if not pages:
            return self
        new = Blocks.common_to(pages)
        found = {**new.pages, **self.pages}
        for page in pages:
            for key in self._known_in(page):
                found[key] += 1
        return Blocks(found, self.shapes | new.shapes)

    def _known_in(self, page: NodeValues) -> set[str]:
        large = page.arrays.large_subtrees(MIN_NODES)
        positions = (position for shape in self.shapes & large.keys() for position in large[shape])
        return {block_key(page, position) for position in positions} & self.pages.keys()

    def found_in(self, page: NodeValues, passed: bytearray, least: int) -> Iterator[int]:
        """Positions of the largest subtrees of a page that are blocks on enough pages.

        Args:
            page: what the page says.
            passed: flag 1 for nodes that need not be looked at, with what they hold.
            least: pages, of those the blocks were taken from, on which a block must stand.
        """
        large = page.arrays.large_subtrees(MIN_NODES)
        end = 0
        for position in sorted(position for shape in self.shapes & large.keys() for position in large[shape]):
            known = position >= end and not passed[position] and position > 0
            if known and self.pages.get(block_key(page, position), 0) >= least:
                yield position
                end = position + page.arrays.sizes[position]


def _shape(arrays: NodeArrays, position: int) -> _Shape:
    return arrays.tag_strings[position], arrays.sizes[position]


def _candidates(arrays: NodeArrays) -> Iterator[tuple[int, int]]:
    """Positions of the subtrees that are large enough, with the pages each must stand on; O(number of nodes)."""
    words = [0, *accumulate(0 if text is None else len(text.split()) for text in arrays.texts)]
    linked = [0, *accumulate(_linked_words(arrays))]
    for position in range(1, len(arrays.sizes)):
        size = arrays.sizes[position]
        count = words[position + size] - words[position]
        if size >= MIN_NODES and count >= MIN_WORDS:
            yield position, 2 if linked[position + size] - linked[position] >= LINKED * count else 3


def _linked_words(arrays: NodeArrays) -> Iterator[int]:
    """For each node the words that it is, if it is a text in a link."""
    end = 0
    for position, text in enumerate(arrays.texts):
        if text is None and position >= end and arrays.tag_strings[position].startswith("<a "):
            end = position + arrays.sizes[position]
        yield len(text.split()) if text is not None and position < end else 0


def _identities(arrays: NodeArrays, names: dict[object, int]) -> list[int]:
    """A number for each subtree, the same for subtrees that are the same, on whatever page."""
    children: list[list[int]] = [[] for _ in arrays.sizes]
    identities = [0] * len(arrays.sizes)
    for position in range(len(arrays.sizes) - 1, -1, -1):
        text = arrays.texts[position]
        what = (arrays.tag_strings[position], text and " ".join(text.split()), tuple(children[position]))
        identity = identities[position] = names.setdefault(what, len(names))
        if position:
            children[arrays.parents[position]].append(identity)
    return identities


def block_key(page: NodeValues, position: int) -> str:
    """A name for a block: the same for blocks with the same tags, targets and words."""
    # each template of the site asks for the same few
    name = page.block_names.get(position)
    if name is None:
        name = page.block_names[position] = _block_key(page, position)
    return name


def _block_key(page: NodeValues, position: int) -> str:
    arrays = page.arrays
    end = position + arrays.sizes[position]
    texts = [" ".join(text.split()) for text in arrays.texts[position:end] if text is not None]
    # the same relative link leads elsewhere from another directory
    tag_strings = arrays.tag_strings[position:end]
    source = "\n".join([page.address_base(tag_strings), *tag_strings, *map(str, arrays.sizes[position:end]), *texts])
    return hashlib.blake2b(source.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
