"""Boxes beside the content: what HTML, WAI-ARIA and conventional names declare to be something else."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from templex_scrapy.content._own_words import OwnWords
from templex_scrapy.page import INLINE, TEXT, NodeArrays, StartTag, subtree_flags

_MOST = 0.7  # a box with a larger share of the words is content, whatever its name
_DIALOG = 0.95  # a dialog with a larger share of the words is the page
_ENOUGH = 60  # long words that are an article without its comments

SECTIONS = frozenset({"article", "main", "section"})
"""Tags of elements whose header and footer are their own, not the page's."""

OF_A_SECTION = frozenset({"footer", "header"})

_DECLARED = frozenset("aside button footer form header nav option select textarea".split())
_DIALOGS = frozenset({"alertdialog", "dialog"})
_ROLES = frozenset("banner complementary contentinfo menu menubar navigation search tablist toolbar".split())
_ROLE = re.compile(r'\srole="([^"]*)"', re.ASCII)

_NAMES = """
    breadcrumbs? crumbs? menu nav navbar navigation pagination pager paging filters? facets? sort sorting
    review signature
    shar(?:e|ing) social related recommend[a-z]* tags newsletter subscribe
    cookies? consent disclaimer legal copyright footnotes?
    """.split()
_COMMENTS = """
    comment(?!ary)[a-z]* commentaires comentarios kom+entar[a-z]* koment[a-z]* disqus[a-z]* replies reviews
    """.split()
_NEVER_NAMED = frozenset({TEXT, "html", "body", "main", "article"})


def _pattern(names: Sequence[str]) -> re.Pattern[str]:
    # "category-…" and "tag-…" name what a post is about
    return re.compile(rf"(?:^|\s)(?!category-|tag-)(?:\S*[^a-z\s])?(?:{'|'.join(names)})(?![a-z])")


_NAMED = _pattern(_NAMES)
_NAMED_COMMENTS = _pattern(_COMMENTS)


class Boxes:
    """What the start tags of a page declare; each distinct start tag is read once."""

    def __init__(self, arrays: NodeArrays) -> None:
        self.arrays = arrays
        first: dict[str, int] = {}
        for position, tag_string in enumerate(arrays.tag_strings):
            first.setdefault(tag_string, position)
        self._start_tags = {tag_string: arrays.start_tag(position) for tag_string, position in first.items()}
        tags = {tag_string: start_tag.tag for tag_string, start_tag in self._start_tags.items()}
        self.tags = [tags[tag_string] for tag_string in arrays.tag_strings]

    def _positions(self, is_wanted: Callable[[StartTag], bool]) -> list[int]:
        wanted = {tag_string for tag_string, start_tag in self._start_tags.items() if is_wanted(start_tag)}
        tag_strings = enumerate(self.arrays.tag_strings if wanted else ())
        return [position for position, tag_string in tag_strings if tag_string in wanted]

    def sections(self, *tags: str) -> list[int]:
        """Return the positions of the elements that have one of some tags, or a WAI-ARIA role of that name."""
        return self._positions(lambda start_tag: start_tag.tag in tags or _role(start_tag) in tags)

    def dialogs(self) -> list[int]:
        """Return the positions of dialogs, such as those that ask for consent."""
        return self._positions(lambda start_tag: start_tag.tag in _DIALOGS or _role(start_tag) in _DIALOGS)

    def declared(self) -> list[int]:
        """Return the positions of what HTML or WAI-ARIA declares to be beside the content."""
        in_section = subtree_flags(self.arrays, self.sections(*SECTIONS))
        found = self._positions(lambda start_tag: start_tag.tag in _DECLARED or _role(start_tag) in _ROLES)
        return [
            position
            for position in found
            if self.tags[position] not in OF_A_SECTION
            or not in_section[position]
            or _role(self.arrays.start_tag(position)) in _ROLES
        ]

    def named(self) -> list[int]:
        """Return the positions of what class or id name so."""
        return self._positions(lambda start_tag: _has_name(start_tag, _NAMED))

    def comments(self) -> list[int]:
        """Return the positions of what class or id name as the comments of readers."""
        # highlighted code has inline elements of these names
        return self._positions(lambda tag: tag.tag not in INLINE and _has_name(tag, _NAMED_COMMENTS))


def _role(start_tag: StartTag) -> str:
    found = _ROLE.search(start_tag.tag_string) if " role=" in start_tag.tag_string else None
    return found[1].lower() if found is not None else ""


def _has_name(start_tag: StartTag, pattern: re.Pattern[str]) -> bool:
    if start_tag.tag in _NEVER_NAMED or not (start_tag.classes or start_tag.id):
        return False
    return pattern.search(" ".join([*sorted(start_tag.classes), start_tag.id]).lower()) is not None


def remove_boxes(own: OwnWords, boxes: Boxes, *, is_forum: bool) -> None:
    """Remove the boxes beside the content, unless most of the words are in them.

    Words in links count a quarter. Comments are removed even if they have most words, as long as an article remains.
    On a forum page they are posts: they are removed only if at least half of the long words remain.
    """
    _remove_by_share(own, boxes.dialogs(), _DIALOG)
    _remove_by_share(own, boxes.declared(), _MOST)
    _remove_by_share(own, boxes.named(), _MOST)
    weights, long = own.weights(), own.long_words()
    if is_forum:
        _remove(own, boxes.comments(), lambda box: 2 * long[box] < long[0], lambda: 2 * own.long_words()[0] >= long[0])
        return
    _remove(
        own,
        boxes.comments(),
        lambda box: weights[box] <= _MOST * weights[0] or long[0] - long[box] >= _ENOUGH,
        lambda: own.weights()[0] >= (1 - _MOST) * weights[0] or own.long_words()[0] >= _ENOUGH,
    )


def _remove_by_share(own: OwnWords, boxes: Sequence[int], most: float) -> None:
    weights = own.weights()
    _remove(
        own,
        boxes,
        lambda box: weights[box] <= most * weights[0],
        lambda: own.weights()[0] >= (1 - most) * weights[0],
    )


def _remove(
    own: OwnWords, boxes: Sequence[int], is_small: Callable[[int], bool], is_enough: Callable[[], bool]
) -> None:
    """Remove all boxes that are small; restore them if not enough is left."""
    before = bytes(own.own)
    end = 1
    for box in boxes:
        if box >= end and is_small(box):
            end = own.remove(box)
    if not is_enough():
        own.own[:] = before
