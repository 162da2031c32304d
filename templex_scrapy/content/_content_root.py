"""Where the content of a page is: beside which boxes, in which section, and how far down."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection
from itertools import pairwise

from templex_scrapy import cython
from templex_scrapy.content._box_names import last_words
from templex_scrapy.content._head import Head
from templex_scrapy.content._outline import Outline
from templex_scrapy.content._selection import Selection
from templex_scrapy.content.thresholds import THRESHOLDS

_ARTICLES = frozenset({"article", "main"})
_NO_PARTS = frozenset({"figure", "footer"})
# whatever a part of these is called: <tr class="footer"> has the total
_AROUND_PARTS = ("dl", "figure", "ol", "table", "ul")
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
        most = THRESHOLDS.most * weight
        # <div id="menu"> of a restaurant has what is served, in sentences
        beside = [box for box in boxes if not (box in outline.of_links and words.is_text(box))]
        left = words.without([box for box in beside if words.weight(box) <= most])
        # a page made of small boxes, such as a list of <div class="sort">, would lose most of its words
        if left.weight(0) >= (1 - THRESHOLDS.most) * weight:
            words = left
    comments = outline.comments if has_reviews else sorted([*outline.comments, *outline.reviews])
    if not comments:
        return words
    weight = words.weight(0)
    # <div class="post has-comments"> contains the article, and its comments
    wrappers = {box for box, inside in pairwise(comments) if inside < box + words.arrays.sizes[box]}
    # all or none: of a thread in <div class="comment"> boxes, the longest one would be left alone
    left = words.without(
        [box for box in comments if box not in wrappers or words.weight(box) <= THRESHOLDS.most * weight]
    )
    is_article = left.weight(0) >= (1 - THRESHOLDS.most) * weight or left.long_words(0) >= THRESHOLDS.article
    return left if (2 * left.weight(0) >= weight if is_forum else is_article) else words


@cython.ccall
@cython.returns(Selection)
@cython.locals(
    words=Selection, root="Py_ssize_t", weight="int", box="Py_ssize_t", behind="Py_ssize_t", lead="Py_ssize_t",
    left=Selection,
)  # fmt: skip
def without_boxes_inside(words: Selection, root: int, headline: int, *, is_alone: bool) -> Selection:
    """Return the selection without boxes that are named so inside a text: the footer of an article, a form, a popup.

    Each has a small part of the words, and so have all of them, or none goes. No part of a list, a table or a figure
    goes. A form has a control, and a teaser is not the lead of the text.

    Args:
        words: the page's unique words.
        root: the root of the text.
        headline: the position of the headline, which is in no box; -1 without one.
        is_alone: no other page is known; then teasers and buttons go as well.
    """
    sizes, outline, weight = words.arrays.sizes, words.outline, words.weight(root)
    boxes, lead = list[int](), max(root, headline)
    for box in _in_no_list(words, root):
        behind, names = box + sizes[box], last_words(words.arrays.start_tag(box))
        if (
            words.weight(box) > (1 - THRESHOLDS.most) * weight
            or box <= headline < behind
            or (not is_alone and box in outline.of_links)
            # <div class="verb-form"> in a grammar
            or ("form" in names and outline.controls[behind] == outline.controls[box])
        ):
            continue
        if names & {"teaser", "teasers"} and (box < lead or not words.long_between(lead, box)):
            lead = max(lead, behind)
            continue
        boxes.append(box)
    left = words.without(boxes)
    return left if left.weight(root) >= THRESHOLDS.most * weight else words


def _in_no_list(words: Selection, root: int) -> list[int]:
    """Return the boxes inside a text that are in no list, table or figure of it."""
    sizes, end, found, around, index = words.arrays.sizes, root + words.arrays.sizes[root], list[int](), 0, 0
    wholes = sorted(whole for tag in _AROUND_PARTS for whole in words.arrays.positions(tag) if root <= whole < end)
    for box in words.outline.inside:
        while index < len(wholes) and wholes[index] < box:
            around, index = max(around, wholes[index] + sizes[wholes[index]]), index + 1
        if root < box < end and box >= around:
            found.append(box)
    return found


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
            root = words.lowest(root, THRESHOLDS.most, is_prose=True)
    return words.lowest(root, THRESHOLDS.nearly_all, is_prose=False)


@cython.ccall
@cython.returns(list)
@cython.locals(words=Selection, root="Py_ssize_t", part="Py_ssize_t", child="Py_ssize_t", sibling="Py_ssize_t")
def text_beside(words: Selection, root: int, headline: int | None) -> list[int]:
    """Return the other parts of an article whose longest part is the root: the lead above it, a section below it.

    They are siblings of the root, or of what is around it below the ``article`` or ``main`` and below what contains
    the headline, have three long blocks or as many words, and nearly all of their words are in such: teasers and
    ratings have others as well. If the headline is known, a part with another ``h1`` is another article: pages with
    endless scrolling have such.

    Args:
        words: the page's unique words.
        root: the content root.
        headline: the position of the headline.
    """
    arrays, found, part = words.arrays, list[int](), root
    others = [] if headline is None else [h1 for h1 in words.outline.headings.get("h1", ()) if h1 != headline]
    around = [node for node in (root, *arrays.ancestors(root)) if arrays.start_tag(node).tag in _ARTICLES]
    while around and part != around[0]:
        part, child = arrays.parents[part], part
        for sibling in arrays.children(part):
            if (
                sibling != child
                and words.long_words(sibling) >= 3 * THRESHOLDS.long
                and words.long_words(sibling) >= THRESHOLDS.nearly_all * words.words(sibling)
                and arrays.start_tag(sibling).tag not in _NO_PARTS
                and bisect_left(others, sibling) == bisect_left(others, sibling + arrays.sizes[sibling])
            ):
                found.append(sibling)
        if headline is not None and part < headline < part + arrays.sizes[part]:
            break
    return sorted(found)


def find_facts(words: Selection, labels: Collection[int]) -> list[int]:
    """Return the labels that have a short unique text before or behind them.

    ``<tr><th>Weight</th><td>1.2 kg</td></tr>``: the site repeats the label, and the value is unique. Each label
    counts once: rows of a listing and comments have the same ones again and again, such as "by".

    Args:
        words: the page's unique words.
        labels: the repeated texts that may be labels.
    """
    arrays = words.arrays

    def is_label(position: int) -> bool:
        return bool(words.flags[arrays.parents[position]]) and not words.outline.linked[position]

    def is_value(position: int) -> bool:
        is_unique = words.flags[position] and not words.outline.linked[position]
        return bool(is_unique) and words.counts[position] <= THRESHOLDS.small

    texts, before = arrays.text_positions, arrays.texts_before
    candidates = [label for label in sorted(labels) if is_label(label)]
    found = [label for label in candidates if before[label] + 1 < len(texts) and is_value(texts[before[label] + 1])]
    found += [label for label in candidates if before[label] and is_value(texts[before[label] - 1])]
    by_name = {" ".join(_LETTERS.findall((arrays.texts[label] or "").lower())): label for label in found}
    return sorted(label for name, label in by_name.items() if name)


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
    return long >= THRESHOLDS.article and long >= THRESHOLDS.prose * words.words(root)


def _document(words: Selection, title: str) -> int:
    """Return, of siblings with an ``h1`` each, the one whose ``h1`` is in the title; else node 0.

    Pages with endless scrolling have such siblings. If another heading contains the same words, they are the posts of a
    thread.
    """
    arrays, headings = words.arrays, list(words.headings("h1"))
    heading = words.first_in(title, headings) if len(headings) > 1 else None
    if heading is None:
        return 0
    text = words.text(heading)
    same = [position for position in headings if text in words.text(position)]
    for part in arrays.ancestors(heading):
        if not part:
            break
        parts = [
            sibling
            for sibling in arrays.children(arrays.parents[part])
            if arrays.start_tag(sibling).tag == arrays.start_tag(part).tag
            and bisect_left(headings, sibling + 1) < bisect_left(headings, sibling + arrays.sizes[sibling])
        ]
        if len(parts) == 1:
            continue
        is_document = words.words(part) * len(parts) >= (1 - THRESHOLDS.most) * words.words(0)
        if is_document and part <= same[0] and same[-1] < part + arrays.sizes[part]:
            return part
    return 0
