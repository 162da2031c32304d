"""What is removed below the root of the content: boxes of links.

Compiled where there is a compiler (_trimming.pxd has the types).
"""

from __future__ import annotations

from templex_scrapy.content._own_words import OwnWords
from templex_scrapy.content.rules import RULES


def trim(own: OwnWords, root: int, headline: int | None) -> None:
    """Remove what is no content below a root; the headline is kept."""
    kept = {root, *own.arrays.ancestors(root)}
    if headline is not None:
        kept |= {headline, *own.arrays.ancestors(headline)}
    if _is_prose(own, root):
        _remove_boxes_of_links(own, root, kept)


def _is_prose(own: OwnWords, root: int) -> bool:
    return own.long_words()[root] >= RULES.running * own.words()[root]


def _remove_boxes_of_links(own: OwnWords, root: int, kept: set[int]) -> None:
    long, words, in_links, links = own.long_words(), own.words(), own.words(outside=0), own.links()
    blocks, most, least = own.blocks, RULES.most, RULES.box_links
    position, end = root + 1, root + own.arrays.sizes[root]
    while position < end:
        # an element that is not inline is its own block
        is_box = blocks[position] == position and links[position] >= least and not long[position]
        if (
            is_box
            and 0 < most * words[position] <= in_links[position]
            and position not in kept
            and not own.lines[position]
        ):
            position = own.remove(position)
        else:
            position += 1
