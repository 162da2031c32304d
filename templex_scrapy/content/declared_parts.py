"""Parts that the markup declares: the body of the article, and the article once more as data for machines."""

from __future__ import annotations

import re
from collections.abc import Callable

from templex_scrapy.content.selection import Selection
from templex_scrapy.content.thresholds import THRESHOLDS
from templex_scrapy.page import NodeArrays, StartTag, nodes_with

# hAtom and h-entry, https://microformats.org/wiki/h-entry; most weblogs have the first
_BODY_CLASSES = frozenset({"e-content", "entry-content"})
_ARTICLE_BODY = re.compile(r'\sitemprop="(?:[^"]*\s)?articleBody[\s"]', re.ASCII)
_HIDDEN = re.compile(r'\s(?:hidden="|style="[^"]*display:\s*none)', re.ASCII)


def declared_body(words: Selection) -> int:
    """Return the element that microdata or a microformat declares to be the body of the article.

    Return 0 if there is none, if there are several, such as in a list of posts, or if most running text is elsewhere.
    """
    arrays, bodies, end = words.arrays, list[int](), 0
    for body in _positions(arrays, _is_body):
        if body >= end and words.words(body):
            bodies.append(body)
            end = body + arrays.sizes[body]
    if len(bodies) != 1:
        return 0
    long = words.long_words(bodies[0])
    return bodies[0] if long and long >= THRESHOLDS.body_share * words.long_words(0) else 0


def without_data(words: Selection) -> Selection:
    """Return the selection without hidden elements with microdata, as long as an article remains.

    They repeat title, author and text for search engines. A page that a script shows is hidden as a whole.
    """
    boxes = _positions(words.arrays, _is_data)
    left = words.without(boxes) if boxes else words
    return left if left.long_words(0) >= THRESHOLDS.article_words else words


def _positions(arrays: NodeArrays, declares: Callable[[StartTag], bool]) -> list[int]:
    flags = bytes(arrays.of_start_tags(declares))
    return nodes_with(flags, arrays.ids) if any(flags) else []


def _is_body(start_tag: StartTag) -> bool:
    if not _BODY_CLASSES.isdisjoint(start_tag.classes):
        # a shop has the class at the tab with the description
        return ' role="tabpanel"' not in start_tag.tag_string
    return " itemprop=" in start_tag.tag_string and _ARTICLE_BODY.search(start_tag.tag_string) is not None


def _is_data(start_tag: StartTag) -> bool:
    return " itemscope=" in start_tag.tag_string and _HIDDEN.search(start_tag.tag_string) is not None
