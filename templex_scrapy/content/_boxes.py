"""Boxes beside the content: what HTML, WAI-ARIA and conventional names declare to be something else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, pairwise

from templex_scrapy.content._own_words import OwnWords
from templex_scrapy.content.rules import RULES
from templex_scrapy.page import INLINE, TEXT, NodeArrays, StartTag, nodes_with, subtree_flags

# <article><header><h1>Rain</h1></header>: the header and footer of a section have its headline and its author
_SECTIONS = frozenset({"article", "main", "section"})

OF_A_SECTION = frozenset({"footer", "header"})

# what can be operated, and what HTML defines as beside the content; <form> has the login, the search, the order
_DECLARED = frozenset("aside button dialog form nav option select textarea".split())
_ROLES = frozenset(
    "alertdialog banner complementary contentinfo dialog menu menubar navigation search tablist toolbar".split()
)
_ROLE = re.compile(r'\srole="([^"]*)"', re.ASCII)

# conventional names in English, as themes and frameworks write them; each was tried on the saved sites and WCXB
_NAMES = """
    breadcrumbs? crumbs? menu nav navbar navigation pagination pager paging filters? facets? sort sorting
    signature
    shar(?:e|ing) social related recommend[a-z]* tags newsletter subscribe
    cookies? consent disclaimer legal copyright footnotes?
    """.split()
# readers' comments have the names of the site's language: "kommentare", "comentarios"; a "commentary" is an article
_COMMENTS = """
    comment(?!ary)[a-z]* commentaires comentarios kom+entar[a-z]* koment[a-z]* disqus[a-z]* replies
    """.split()
# themes write there what is on the page: <body class="has-menu">, <article class="with-comments">
_NEVER_NAMED = frozenset({TEXT, "html", "body", "main", "article"})


_WORD = re.compile("[a-z]+")
_TOPIC = re.compile(r"(?:^|\s)(?:category|tag)-\S*")  # names what a post is about
_BOX, _OF_COMMENTS, _OF_REVIEWS = 1, 2, 4  # what a word says
_MEANINGS = [
    (re.compile("|".join(words)), meaning)
    for words, meaning in ((_NAMES, _BOX), (_COMMENTS, _OF_COMMENTS), (["reviews"], _OF_REVIEWS))
]
_FEW = 200  # characters of the class names of one element whose meaning is remembered: at most 2 MB
_LONGEST = 32  # letters of a word that are read: what is longer can only begin with one of those above


class Boxes:
    """What the start tags of a page declare; each distinct start tag is read once."""

    def __init__(self, arrays: NodeArrays) -> None:
        self.tags = arrays.tags
        kinds = arrays.of_start_tags(_kinds)
        self._positions: dict[str, list[int]] = {}
        for position in nodes_with(bytes(map(bool, kinds)), arrays.ids):
            for kind in kinds[arrays.ids[position]]:
                self._positions.setdefault(kind, []).append(position)
        in_section = subtree_flags(arrays, self._positions.get("section", ()))
        of_the_page = (position for position in self._positions.get("edge", ()) if not in_section[position])
        self._declared = sorted([*self._positions.get("declared", ()), *of_the_page])

    def declared(self) -> list[int]:
        """Return the positions of what HTML or WAI-ARIA declares to be beside the content."""
        return self._declared

    def named(self) -> list[int]:
        """Return the positions of what class or id name so."""
        return self._positions.get("named", [])

    def comments(self, *, has_reviews: bool = False) -> list[int]:
        """Return the positions of what class or id name as comments, or as reviews, unless these are content."""
        kinds = ("comments",) if has_reviews else ("comments", "reviews")
        return sorted(chain.from_iterable(self._positions.get(kind, ()) for kind in kinds))


def _kinds(start_tag: StartTag) -> list[str]:
    """Return what a start tag declares."""
    role = _role(start_tag)
    kinds = [] if _SECTIONS.isdisjoint({start_tag.tag, role}) else ["section"]
    if role in _ROLES or start_tag.tag in _DECLARED:
        kinds.append("declared")
    elif start_tag.tag in OF_A_SECTION:
        kinds.append("edge")
    if start_tag.tag not in _NEVER_NAMED and (start_tag.classes or start_tag.id):
        # tag and class names, one blank apart
        meaning = _meaning_of_names(start_tag.tag_and_classes.partition(" ")[2]) | _meaning_of_names(start_tag.id)
        if meaning & _BOX:
            kinds.append("named")
        # highlighted code has inline elements of these names
        if meaning & _OF_COMMENTS and start_tag.tag not in INLINE:
            kinds.append("comments")
        elif meaning & _OF_REVIEWS:
            kinds.append("reviews")
    return kinds


def _meaning_of_names(names: str) -> int:
    """Return what the words of some names say, taken together."""
    return _known_meaning(names) if len(names) <= _FEW else _known_meaning.__wrapped__(names)


@lru_cache(2**11)
def _known_meaning(names: str) -> int:
    names, meaning = names.lower(), 0
    for word in _WORD.findall(_TOPIC.sub("", names) if "category-" in names or "tag-" in names else names):
        meaning |= _meaning(word[:_LONGEST])
    return meaning


@lru_cache(2**12)
def _meaning(word: str) -> int:
    """Return what a word of a class or id says; most of them are common to many pages."""
    return sum(meaning for pattern, meaning in _MEANINGS if pattern.fullmatch(word))


def _role(start_tag: StartTag) -> str:
    found = _ROLE.search(start_tag.tag_string) if " role=" in start_tag.tag_string else None
    return found[1].lower() if found is not None else ""


def remove_boxes(own: OwnWords, boxes: Boxes, *, is_forum: bool, has_reviews: bool = False) -> None:
    """Remove the boxes beside the content, unless most of the words are in them.

    Words in links count a quarter. Readers' comments are removed, all or none, even if they have most words, as long as
    an article remains. On a forum page they are posts: they are removed only if at least half of the words remain.
    Reviews are comments, unless the page has them as its content.
    """
    for found in (boxes.declared(), boxes.named()):
        before, weights = bytes(own.own), own.weights()
        _remove(own, (box for box in found if weights[box] <= RULES.most * weights[0]))
        # a page made of small boxes, such as a list of <div class="sort">, would lose most of its words
        if own.weights()[0] < (1 - RULES.most) * weights[0]:
            own.own[:] = before
    before, weights, comments = bytes(own.own), own.weights(), boxes.comments(has_reviews=has_reviews)
    # <div class="post has-comments"> contains the article, and its comments
    wrappers = {box for box, inside in pairwise(comments) if inside < box + own.arrays.sizes[box]}
    comments = [box for box in comments if box not in wrappers or weights[box] <= RULES.most * weights[0]]
    # all or none: of a thread in <div class="comment"> boxes, the longest one would be left alone
    _remove(own, comments)
    is_article = own.weights()[0] >= (1 - RULES.most) * weights[0] or own.long_words()[0] >= RULES.article
    if not (2 * own.weights()[0] >= weights[0] if is_forum else is_article):
        own.own[:] = before


def _remove(own: OwnWords, boxes: Iterable[int]) -> None:
    end = 1
    for box in boxes:
        if box >= end:
            end = own.remove(box)
