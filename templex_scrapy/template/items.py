"""Items that stand in the same list on several pages, wherever they stand in it and however they look there.

The equal top-down mapping finds what is at the same place of the key page. It does not find a submenu that the key page
lacks, nor the entry of a menu that leads to the page itself, which often has another class and no link. Yet what these
say stands in the same list on other pages. An *item* is a text or a medium with the elements around it that hold
nothing else that speaks. Its *list* is the element that holds the item, known by its tag path: the tags from ``body``
down to it. This is weaker evidence than a block that stands word for word: it takes as many pages as let a node go, it
makes template nodes only, and nothing goes because of it.

Over whole crawls the F1 of template nodes is 0.01 higher with items than without (``bench/scripts/matured.py 12``).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate

from templex_scrapy.page import NodeArrays, NodeValues

TIMES = 2
"""Times that a page may have an item, as with the same links at both ends of a long list.

What it has more often is a label of its rows, or a word of its text.
"""


class Items:
    """The items that at least two of some pages have.

    Args:
        pages: for each item, as :func:`items_of` names it, on how many of them it stands.
    """

    def __init__(self, pages: dict[str, int]) -> None:
        self.pages = pages

    @classmethod
    def common_to(cls, pages: Sequence[NodeValues]) -> Items:
        """The items that at least two of the pages have; O(number of all nodes)."""
        counts = Counter(item for page in pages for item in items_of(page))
        return cls({item: count for item, count in counts.items() if count > 1})

    def joined(self, pages: Sequence[NodeValues]) -> Items:
        """The items with those of further pages.

        An item that stood on one of the earlier pages only is not remembered, so it has to stand on two of these.
        """
        counts = Counter(item for page in pages for item in items_of(page))
        earlier = self.pages
        known = {item: count + earlier.get(item, 0) for item, count in counts.items() if count > 1 or item in earlier}
        return Items({**earlier, **known})

    def found_in(self, page: NodeValues) -> Iterator[tuple[int, int]]:
        """The items that a page has: position of each, and on how many pages it stands."""
        for item, positions in items_of(page).items():
            if item in self.pages:
                yield from ((position, self.pages[item]) for position in positions)


def items_of(page: NodeValues) -> dict[str, list[int]]:
    """The items of a page, each with the positions at which it stands; O(number of nodes)."""
    arrays = page.arrays
    speaking = list(_speaking(page))
    speaks = bytearray(len(arrays.sizes))
    for position in speaking:
        speaks[position] = 1
    before = [0, *accumulate(speaks)]
    paths = _tag_paths(arrays)
    found: dict[str, list[int]] = {}
    for position in speaking:
        said = _said(page, position)
        if said is None:
            continue
        item = position
        while (parent := arrays.parents[item]) > 0 and before[parent + arrays.sizes[parent]] - before[parent] == 1:
            item = parent
        found.setdefault(_digest(paths[arrays.parents[item]], said).hex(), []).append(item)
    return {name: positions for name, positions in found.items() if len(positions) <= TIMES}


def _speaking(page: NodeValues) -> Iterator[int]:
    """Positions of the texts and media of a page; a medium speaks for all that it holds."""
    end = 1
    for position, text in enumerate(page.arrays.texts):
        if position >= end and (text is not None or page.is_media(position)):
            end = position + page.arrays.sizes[position]
            yield position


def _said(page: NodeValues, position: int) -> str | None:
    """What an item says; None for numbers and signs, such as those of a pager, which say too little."""
    text = page.arrays.texts[position]
    if text is None:
        return page.value(position)
    return page.value(position) if any(map(str.isalpha, text)) else None


def _tag_paths(arrays: NodeArrays) -> list[bytes]:
    """A name for the tag path of each element: a chain of digests, since elements may be nested without end."""
    names: dict[tuple[bytes, str], bytes] = {}
    paths = [b""] * len(arrays.parents)
    for position, parent in enumerate(arrays.parents):
        if position and arrays.texts[position] is None:
            step = (paths[parent], arrays.start_tag(position).tag)
            path = names.get(step)
            if path is None:
                path = names[step] = _digest(*step)
            paths[position] = path
    return paths


def _digest(path: bytes, said: str) -> bytes:
    return hashlib.blake2b(path + said.encode("utf-8", "surrogatepass"), digest_size=8).digest()
