"""The part of a page that its markup declares to be the body of the article."""

from __future__ import annotations

import re

from templex_scrapy.content.selection import Selection
from templex_scrapy.content.thresholds import THRESHOLDS
from templex_scrapy.page import StartTag, nodes_with

# hAtom and h-entry, https://microformats.org/wiki/h-entry; most weblogs have "entry-content"
_BODY_CLASSES = frozenset({"e-content", "entry-content"})
_ARTICLE_BODY = re.compile(r'\sitemprop="(?:[^"]*\s)?articleBody[\s"]', re.ASCII)
_ARTICLES = frozenset({"article", "main"})


def declared_body(words: Selection) -> int:
    """Return the element that microdata or a microformat declares to be the body of the article; 0 without one.

    Return 0 as well if there are several, such as in a list of posts, if the body is no article, or if much is beside
    it: running text anywhere, or words of any kind in the ``article`` or ``main`` around, such as a recipe's card.
    """
    arrays, bodies, end = words.arrays, list[int](), 0
    flags = bytes(arrays.of_start_tags(_is_body))
    for body in nodes_with(flags, arrays.ids) if any(flags) else ():
        if body >= end and words.words(body):
            bodies.append(body)
            end = body + arrays.sizes[body]
    if len(bodies) != 1:
        return 0
    body = bodies[0]
    around = next((node for node in arrays.ancestors(body) if arrays.start_tag(node).tag in _ARTICLES), body)
    is_article = words.long_words(body) >= max(
        THRESHOLDS.article_words, THRESHOLDS.body_share * words.long_words(0)
    ) and words.weight(body) >= THRESHOLDS.large_share * words.weight(around)
    return body if is_article else 0


def _is_body(start_tag: StartTag) -> bool:
    if not _BODY_CLASSES.isdisjoint(start_tag.classes):
        # a shop has the class at the tab with the description
        return ' role="tabpanel"' not in start_tag.tag_string
    return " itemprop=" in start_tag.tag_string and _ARTICLE_BODY.search(start_tag.tag_string) is not None
