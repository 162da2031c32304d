"""Where the content of a page is: beside which boxes, in which section, and how far down."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection
from itertools import pairwise

from templex_scrapy import cython
from templex_scrapy.content.head import Head
from templex_scrapy.content.headlines import first_in, heading_text, headings
from templex_scrapy.content.outline import Outline
from templex_scrapy.content.selection import Selection
from templex_scrapy.content.thresholds import THRESHOLDS
from templex_scrapy.page import StartTag, nodes_with

_ARTICLES = frozenset({"article", "main"})
# hAtom and h-entry, https://microformats.org/wiki/h-entry; most weblogs have "entry-content"
_BODY_CLASSES = frozenset({"e-content", "entry-content"})
_ARTICLE_BODY = re.compile(r'\sitemprop="(?:[^"]*\s)?articleBody[\s"]', re.ASCII)
_ITEMS = frozenset({"article", "li", "p", "tr"})
_NO_PARTS = frozenset({"figure", "footer"})
_LETTERS = re.compile(r"[^\W\d_]+")


@cython.ccall
@cython.returns(Selection)
@cython.locals(
    words=Selection, is_forum="bint", has_reviews="bint", outline=Outline, boxes=list, left=Selection, weight="int",
    most="double", box="Py_ssize_t", beside=list,
)  # fmt: skip
def without_boxes(words: Selection, *, is_forum: bool, has_reviews: bool = False) -> Selection:
    """Return the selection without the boxes beside the content, unless most of the words are in them.

    Words in links count a quarter. Readers' comments are removed, all or none, even if they have most words, as long as
    an article remains. On a forum page they are posts: they are removed only if at least half of the words remain.
    Reviews are comments, unless the page has them as its content.
    """
    outline = words.outline
    for boxes in (outline.declared, outline.named):
        if not boxes:
            continue
        weight = words.weight(0)
        most = THRESHOLDS.large_share * weight
        # <div id="menu"> of a restaurant has what is served, in sentences
        beside = [box for box in boxes if not (box in outline.of_links and words.is_text(box))]
        left = words.without([box for box in beside if words.weight(box) <= most])
        # a page made of small boxes, such as a list of <div class="sort">, would lose most of its words
        if left.weight(0) >= THRESHOLDS.small_share * weight:
            words = left
    comments = outline.comments if has_reviews else sorted([*outline.comments, *outline.reviews])
    if not comments:
        return words
    weight = words.weight(0)
    # <div class="post has-comments"> contains the article, and its comments
    wrappers = {box for box, inside in pairwise(comments) if inside < box + words.arrays.sizes[box]}
    # all or none: of a thread in <div class="comment"> boxes, the longest one would be left alone
    left = words.without(
        [box for box in comments if box not in wrappers or words.weight(box) <= THRESHOLDS.large_share * weight]
    )
    is_article = left.weight(0) >= THRESHOLDS.small_share * weight or left.long_words(0) >= THRESHOLDS.article_words
    return left if (2 * left.weight(0) >= weight if is_forum else is_article) else words


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


@cython.ccall
@cython.returns("Py_ssize_t")
@cython.locals(words=Selection, root="Py_ssize_t")
def content_root(words: Selection, head: Head) -> int:
    """Return the lowest element that contains the main content, except perhaps the headline.

    Args:
        words: the page's unique words.
        head: what its head declares.
    """
    root = 0
    if not head.is_forum:
        root = _document(words, head.title)
        if is_prose(words, root):
            root = _lowest(words, root, THRESHOLDS.large_share, is_prose=True)
    return _lowest(words, root, THRESHOLDS.nearly_all, is_prose=False)


@cython.cfunc
@cython.returns("Py_ssize_t")
@cython.locals(
    words=Selection, root="Py_ssize_t", share="double", is_prose="bint", sizes="const int[::1]", texts=tuple,
    least="double", child="Py_ssize_t", end="Py_ssize_t",
)  # fmt: skip
def _lowest(words: Selection, root: int, share: float, *, is_prose: bool) -> int:
    """Return the lowest element below a node that contains a share of its weight, and is not one of several items.

    Of prose, a share of its words in long blocks.
    """
    sizes, texts, start_tag = words.arrays.sizes, words.arrays.texts, words.arrays.start_tag
    least = share * (words.long_words(root) if is_prose else words.weight(root))
    # the rows of a table without its head are no table
    while least > 0 and not words.is_whole(root):
        child, end = root + 1, root + sizes[root]
        while child < end and (words.long_words(child) if is_prose else words.weight(child)) < least:
            child += sizes[child]
        if child >= end or texts[child] is not None:
            break
        # a sentence above and below a listing of code, not a notice beside the text
        is_part = words.is_whole(child) or not _has_paragraphs(words, child)
        if is_part and words.last_paragraph(root) not in {0, child}:
            break
        if start_tag(child).tag in _ITEMS and _is_one_of_several(words, root, child):
            break
        root = child
    return root


def _has_paragraphs(words: Selection, node: int) -> bool:
    paragraphs = words.arrays.positions("p")
    return bisect_left(paragraphs, node + words.arrays.sizes[node]) > bisect_left(paragraphs, node)


def _is_one_of_several(words: Selection, parent: int, item: int) -> bool:
    """Return whether it is the longest post of a blog's list, or the paragraph below a short one."""
    arrays, tag = words.arrays, words.arrays.start_tag(item).tag
    siblings = [child for child in arrays.children(parent) if child != item and words.words(child)]
    return tag in [arrays.start_tag(sibling).tag for sibling in siblings]


@cython.ccall
@cython.returns(list)
@cython.locals(words=Selection, root="Py_ssize_t", part="Py_ssize_t", child="Py_ssize_t", sibling="Py_ssize_t")
def text_beside(words: Selection, root: int, headline: int) -> list[int]:
    """Return the other parts of an article whose longest part is the root: the lead above it, a section below it.

    They are siblings of the root, or of what is around it below the ``article`` or ``main`` and below what contains
    the headline, have three long blocks or as many words, and nearly all of their words are in such: teasers and
    ratings have others as well. If the headline is known, a part with another ``h1`` is another article: pages with
    endless scrolling have such.

    Args:
        words: the page's unique words.
        root: the content root.
        headline: the position of the headline; -1 without one.
    """
    arrays, found, part = words.arrays, list[int](), root
    others = [] if headline < 0 else [h1 for h1 in words.outline.headings.get("h1", ()) if h1 != headline]
    around = [node for node in (root, *arrays.ancestors(root)) if arrays.start_tag(node).tag in _ARTICLES]
    while around and part != around[0]:
        part, child = arrays.parents[part], part
        for sibling in arrays.children(part):
            if (
                sibling != child
                and words.long_words(sibling) >= 3 * THRESHOLDS.long_block
                and words.long_words(sibling) >= THRESHOLDS.nearly_all * words.words(sibling)
                and arrays.start_tag(sibling).tag not in _NO_PARTS
                and bisect_left(others, sibling) == bisect_left(others, sibling + arrays.sizes[sibling])
            ):
                found.append(sibling)
        if part < headline < part + arrays.sizes[part]:
            break
    return sorted(found)


def find_facts(words: Selection, labels: Collection[int]) -> list[int]:
    """Return the labels that have a short unique text before or behind them; if they are few, none.

    ``<tr><th>Weight</th><td>1.2 kg</td></tr>``: the site repeats the label, and the value is unique. Each label
    counts once: rows of a listing and comments have the same ones again and again, such as "by".

    Args:
        words: the page's unique words.
        labels: the repeated texts that may be labels.
    """
    arrays = words.arrays
    if len(labels) < THRESHOLDS.fact_labels:
        return []

    def is_label(position: int) -> bool:
        return bool(words.flags[arrays.parents[position]]) and not words.outline.linked[position]

    def is_value(position: int) -> bool:
        is_unique = words.flags[position] and not words.outline.linked[position]
        return bool(is_unique) and words.counts[position] <= THRESHOLDS.label_words

    texts, before = arrays.text_positions, arrays.texts_before
    candidates = [label for label in sorted(labels) if is_label(label)]
    found = [label for label in candidates if before[label] + 1 < len(texts) and is_value(texts[before[label] + 1])]
    found += [label for label in candidates if before[label] and is_value(texts[before[label] - 1])]
    by_name = {" ".join(_LETTERS.findall((arrays.texts[label] or "").lower())): label for label in found}
    facts = sorted(label for name, label in by_name.items() if name)
    return facts if len(facts) >= THRESHOLDS.fact_labels else []


def with_facts(words: Selection, root: int, facts: list[int]) -> int:
    """Return the lowest element that contains a node and nearly all facts."""
    arrays = words.arrays
    while bisect_left(facts, root + arrays.sizes[root]) - bisect_left(facts, root) < THRESHOLDS.nearly_all * len(facts):
        root = arrays.parents[root]
    return root


@cython.ccall
@cython.returns("bint")
@cython.locals(words=Selection, root="Py_ssize_t")
def is_prose(words: Selection, root: int) -> bool:
    """Return whether most of a subtree is running text, or enough of it."""
    long = words.long_words(root)
    return long >= THRESHOLDS.article_words and long >= THRESHOLDS.prose_share * words.words(root)


def _document(words: Selection, title: str) -> int:
    """Return, of siblings with an ``h1`` each, the one whose ``h1`` is in the title; else node 0.

    Pages with endless scrolling have such siblings. If another heading contains the same words, they are the posts of a
    thread.
    """
    arrays, h1s = words.arrays, headings(words, "h1")
    heading = first_in(words, title, h1s) if len(h1s) > 1 else -1
    if heading < 0:
        return 0
    text = heading_text(words, heading)
    same = [position for position in h1s if text in heading_text(words, position)]
    for part in arrays.ancestors(heading):
        if not part:
            break
        parts = [
            sibling
            for sibling in arrays.children(arrays.parents[part])
            if arrays.start_tag(sibling).tag == arrays.start_tag(part).tag
            and bisect_left(h1s, sibling + 1) < bisect_left(h1s, sibling + arrays.sizes[sibling])
        ]
        if len(parts) == 1:
            continue
        is_document = words.words(part) * len(parts) >= THRESHOLDS.small_share * words.words(0)
        if is_document and part <= same[0] and same[-1] < part + arrays.sizes[part]:
            return part
    return 0
