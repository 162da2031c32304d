"""What is removed below the root of the content: boxes and lists of links, labels of posts, copies."""

from __future__ import annotations

from templex_scrapy.content._own_words import OF_A_BLOCK, OwnWords

_LINKED = 0.7  # boxes and lists of links have this share of their words in links
_BOX_LINKS = 2  # links that a box of links has at least
_LIST_LINKS = 3  # links that a list of links has at least
_LISTING = 0.3  # a page with a larger share of its content's words in links is a listing
_PROSE = 0.4  # boxes of links and labels of posts are removed where so many words are in long blocks
_POSTS = 3  # posts that a thread has at least
_COPY = 10  # words of a block whose copy is removed, at least
_LISTS = frozenset("div dl nav ol section table ul".split())


def trim(own: OwnWords, root: int, headline: int | None, *, is_forum: bool, is_shop: bool) -> None:
    """Remove what is no content below a root; the headline is kept."""
    kept = {root, *own.arrays.ancestors(root)}
    if headline is not None:
        kept |= {headline, *own.arrays.ancestors(headline)}
    if not is_shop and _is_prose(own, root):
        _remove_boxes_of_links(own, root, kept)
    _remove_lists_of_links(own, root)
    if is_forum and _is_prose(own, root):
        _remove_labels_of_posts(own, root, kept)
    if is_forum or is_shop:
        _remove_copies(own, root)


def _is_prose(own: OwnWords, root: int) -> bool:
    return own.long_words()[root] >= _PROSE * own.words()[root]


def _remove_boxes_of_links(own: OwnWords, root: int, kept: set[int]) -> None:
    long, words, in_links, links = own.long_words(), own.words(), own.words(outside=0), _links(own)
    position = root + 1
    while position < root + own.arrays.sizes[root]:
        is_box = own.tags[position] not in OF_A_BLOCK and links[position] >= _BOX_LINKS and not long[position]
        is_linked = 0 < _LINKED * words[position] <= in_links[position]
        is_kept = position in kept or own.lines[position]
        position = own.remove(position) if is_box and is_linked and not is_kept else position + 1


def _remove_lists_of_links(own: OwnWords, root: int) -> None:
    """Remove the lists of links, unless the root is itself a listing (ConEx and CETD judge by link density, too)."""
    words, in_links, links = own.words(), own.words(outside=0), _links(own)
    if in_links[root] > _LISTING * words[root]:
        return
    position = root + 1
    while position < root + own.arrays.sizes[root]:
        is_list = own.tags[position] in _LISTS and links[position] >= _LIST_LINKS
        is_linked = 0 < _LINKED * words[position] <= in_links[position]
        position = own.remove(position) if is_list and is_linked and not own.lines[position] else position + 1


def _links(own: OwnWords) -> list[int]:
    return own.sums(tag == "a" for tag in own.tags)


def _remove_labels_of_posts(own: OwnWords, root: int, kept: set[int]) -> None:
    """Remove what stands beside each post of a thread, such as its author's rank and the controls.

    These are elements at one path of tags and class names, none of which contains a long block. Short posts are kept,
    because they are at the path of the long ones.
    """
    long = own.long_words()
    paths: dict[tuple[int, str], int] = {}
    path = {root: 0}
    elements: dict[int, list[int]] = {}
    for position in own.below(root):
        if own.arrays.texts[position] is None:
            step = path[own.arrays.parents[position]], own.arrays.start_tag(position).tag_and_classes
            path[position] = paths.setdefault(step, len(paths) + 1)
            elements.setdefault(path[position], []).append(position)
    for positions in elements.values():
        is_inline = own.tags[positions[0]] in OF_A_BLOCK
        if len(positions) >= _POSTS and not is_inline and not any(long[position] for position in positions):
            for position in positions:
                if own.own[position] and position not in kept:
                    own.remove(position)


def _remove_copies(own: OwnWords, root: int) -> None:
    """Remove blocks that repeat an earlier one word for word: quoted posts, and descriptions shown twice."""
    seen: set[str] = set()
    for texts in own.own_blocks(root).values():
        if sum(own.counts[position] for position in texts) < _COPY:
            continue
        text = " ".join(" ".join((own.arrays.texts[position] or "").split()) for position in texts)
        if text in seen:
            for position in texts:
                own.own[position] = 0
        seen.add(text)
