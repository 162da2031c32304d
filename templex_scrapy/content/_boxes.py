"""Boxes beside the content: what HTML, WAI-ARIA and conventional names declare to be something else."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import accumulate

from templex_scrapy.content._own_words import OwnWords
from templex_scrapy.page import TEXT, NodeArrays

_MOST = 0.7  # a box with a larger share of the words is content, whatever its name
_DIALOG = 0.95  # a dialog with a larger share of the words is the page
_ENOUGH = 60  # long words that are an article without its comments

SECTIONS = ("main", "article")

_DECLARED = frozenset("aside button footer form header nav option select textarea".split())
_OF_A_SECTION = frozenset({"header", "footer"})
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
_NEVER_NAMED = frozenset({TEXT, "html", "body", *SECTIONS})


def _pattern(names: Sequence[str]) -> re.Pattern[str]:
    # "category-…" and "tag-…" name what a post is about
    return re.compile(rf"(?:^|\s)(?!category-|tag-)(?:\S*[^a-z\s])?(?:{'|'.join(names)})(?![a-z])")


_NAMED = _pattern(_NAMES)
_HAS_COMMENTS = _pattern(_COMMENTS)


class Boxes:
    """What the start tags of a page declare."""

    def __init__(self, arrays: NodeArrays) -> None:
        self.arrays = arrays
        self.tags = [arrays.start_tag(position).tag for position in range(len(arrays.tag_strings))]
        self._in_section = self._inside(SECTIONS)

    def _inside(self, tags: Sequence[str]) -> list[int]:
        """Count for each node the sections that it is in, itself included."""
        steps = [0] * (len(self.tags) + 1)
        for position in range(len(self.tags)):
            if any(self.is_(tag, position) for tag in tags):
                steps[position] += 1
                steps[position + self.arrays.sizes[position]] -= 1
        return list(accumulate(steps[:-1]))

    def is_(self, tag: str, position: int) -> bool:
        """Tell whether a node has a tag, or a WAI-ARIA role of that name."""
        return self.tags[position] == tag or self._role(position) == tag

    def _role(self, position: int) -> str:
        tag_string = self.arrays.tag_strings[position]
        found = _ROLE.search(tag_string) if " role=" in tag_string else None
        return found[1].lower() if found is not None else ""

    def is_dialog(self, position: int) -> bool:
        """Tell whether a node is a dialog, such as one that asks for consent."""
        return self.tags[position] in _DIALOGS or self._role(position) in _DIALOGS

    def is_declared(self, position: int) -> bool:
        """Tell whether HTML or WAI-ARIA declares a node to be beside the content."""
        if self._role(position) in _ROLES:
            return True
        tag = self.tags[position]
        return tag in _DECLARED and not (tag in _OF_A_SECTION and self._in_section[position])

    def is_named(self, position: int) -> bool:
        """Tell whether class or id name a node so."""
        return self._has_name(position, _NAMED)

    def is_comments(self, position: int) -> bool:
        """Tell whether class or id name a node as the comments of readers."""
        return self._has_name(position, _HAS_COMMENTS)

    def _has_name(self, position: int, pattern: re.Pattern[str]) -> bool:
        tag_string = self.arrays.tag_strings[position]
        if self.tags[position] in _NEVER_NAMED or not (" class=" in tag_string or " id=" in tag_string):
            return False
        start_tag = self.arrays.start_tag(position)
        return pattern.search(" ".join([*sorted(start_tag.classes), start_tag.id]).lower()) is not None


def remove_boxes(own: OwnWords, boxes: Boxes, *, is_forum: bool) -> None:
    """Remove the boxes beside the content, unless most of the words are in them.

    Words in links count a quarter. Comments are removed even if they have most words, as long as an article remains.
    On a forum page they are posts: they are removed only if at least half of the long words remain.
    """
    _remove_by_share(own, boxes.is_dialog, _DIALOG)
    _remove_by_share(own, boxes.is_declared, _MOST)
    _remove_by_share(own, boxes.is_named, _MOST)
    weights, long = own.weights(), own.long_words()
    if is_forum:
        _remove(
            own, boxes.is_comments, lambda box: 2 * long[box] <= long[0], lambda: 2 * own.long_words()[0] >= long[0]
        )
        return
    _remove(
        own,
        boxes.is_comments,
        lambda box: weights[box] <= _MOST * weights[0] or long[0] - long[box] >= _ENOUGH,
        lambda: own.weights()[0] >= (1 - _MOST) * weights[0] or own.long_words()[0] >= _ENOUGH,
    )


def _remove_by_share(own: OwnWords, is_box: Callable[[int], bool], most: float) -> None:
    weights = own.weights()
    _remove(
        own,
        is_box,
        lambda box: weights[box] <= most * weights[0],
        lambda: own.weights()[0] >= (1 - most) * weights[0],
    )


def _remove(
    own: OwnWords, is_box: Callable[[int], bool], is_small: Callable[[int], bool], is_enough: Callable[[], bool]
) -> None:
    """Remove all boxes that are small; restore them if not enough is left."""
    before = bytes(own.own)
    position = 1
    while position < len(own.tags):
        if is_small(position) and is_box(position):
            position = own.remove(position)
        else:
            position += 1
    if not is_enough():
        own.own[:] = before
