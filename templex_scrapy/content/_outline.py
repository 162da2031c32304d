"""The outline of a page: its blocks, links and boxes, whatever its texts are.

Compiled where there is a compiler (_outline.pxd has the types).
"""

from __future__ import annotations

from templex_scrapy.content._boxes import COMMENTS, DECLARED, EDGE, NAMED, REVIEWS, SECTION, declared_by
from templex_scrapy.page import INLINE, TEXT, NodeArrays, integers

OF_A_BLOCK = INLINE | {TEXT, "br", "img"}
"""Tags of nodes that belong to the block around them."""

_IN_BLOCK, _LINK = 1, 2
_BITS = dict.fromkeys(OF_A_BLOCK, _IN_BLOCK) | {"a": _IN_BLOCK | _LINK}


class Outline:
    """What the tags of a page say of its nodes. Made once for a page: ``arrays.computed(Outline)``.

    Attributes:
        linked: flag 1 for each link and all nodes in it.
        links: how many links are before each node, and in all.
        blocks: for each node the nearest element that is not inline, the node itself included.
        has_block: flag 1 for each block that directly contains another one.
        declared: positions of what HTML or WAI-ARIA declares to be beside the content.
        named: positions of what class or id name so.
        comments: positions of what class or id name as readers' comments.
        reviews: positions of what they name as reviews.
    """

    def __init__(self, arrays: NodeArrays) -> None:
        count = len(arrays.ids)
        self.linked, self.has_block = bytearray(count), bytearray(count)
        self.blocks, self.links = integers(count), integers(count + 1)
        self.declared: list[int] = []
        self.named: list[int] = []
        self.comments: list[int] = []
        self.reviews: list[int] = []
        self._read(arrays, arrays.of_tags(_BITS), bytes(arrays.of_start_tags(declared_by)))

    def _read(self, arrays: NodeArrays, of_tags: bytes, of_start_tags: bytes) -> None:
        linked, has_block, blocks, links = self.linked, self.has_block, self.blocks, self.links
        ids, parents = arrays.ids, arrays.parents
        in_section = bytearray(len(ids))
        number = 0
        for position in range(len(ids)):
            parent, bits, declared = parents[position], of_tags[ids[position]], of_start_tags[ids[position]]
            if position:
                linked[position], in_section[position] = linked[parent], in_section[parent]
                block = blocks[parent]
                if bits & _IN_BLOCK:
                    blocks[position] = block
                else:
                    blocks[position] = position
                    has_block[block] = 1
                if bits & _LINK:
                    linked[position] = 1
                    number += 1
            links[position + 1] = number
            if declared:
                in_section[position] |= declared & SECTION
                if declared & DECLARED or (declared & EDGE and not in_section[position]):
                    self.declared.append(position)
                if declared & NAMED:
                    self.named.append(position)
                if declared & COMMENTS:
                    self.comments.append(position)
                elif declared & REVIEWS:
                    self.reviews.append(position)
