"""What is removed below the root of the content: boxes of links, copies."""

from __future__ import annotations

from collections.abc import Sequence

from templex_scrapy.content._own_words import OF_A_BLOCK, OwnWords
from templex_scrapy.content.rules import RULES


def trim(own: OwnWords, root: int, headline: int | None, *, is_forum: bool) -> None:
    """Remove what is no content below a root; the headline is kept."""
    kept = {root, *own.arrays.ancestors(root)}
    if headline is not None:
        kept |= {headline, *own.arrays.ancestors(headline)}
    if _is_prose(own, root):
        _remove_boxes_of_links(own, root, kept)
    if is_forum:
        _remove_copies(own, root)


def _is_prose(own: OwnWords, root: int) -> bool:
    return own.long_words()[root] >= RULES.running * own.words()[root]


def _remove_boxes_of_links(own: OwnWords, root: int, kept: set[int]) -> None:
    long, words, in_links, links = own.long_words(), own.words(), own.words(outside=0), _links(own)
    position = root + 1
    while position < root + own.arrays.sizes[root]:
        is_box = own.tags[position] not in OF_A_BLOCK and links[position] >= RULES.box_links and not long[position]
        is_linked = 0 < RULES.most * words[position] <= in_links[position]
        is_kept = position in kept or own.lines[position]
        position = own.remove(position) if is_box and is_linked and not is_kept else position + 1


def _links(own: OwnWords) -> Sequence[int]:
    return own.sums(tag == "a" for tag in own.tags)


def _remove_copies(own: OwnWords, root: int) -> None:
    """Remove blocks that repeat an earlier one word for word: quoted posts."""
    seen: set[str] = set()
    for texts in own.own_blocks(root).values():
        if sum(own.counts[position] for position in texts) < RULES.long:
            continue
        text = " ".join(" ".join((own.arrays.texts[position] or "").split()) for position in texts)
        if text in seen:
            for position in texts:
                own.own[position] = 0
        seen.add(text)
