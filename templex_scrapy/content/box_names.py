"""Boxes beside the content: what HTML, WAI-ARIA and conventional names declare to be something else."""

from __future__ import annotations

import re
from functools import lru_cache

from templex_scrapy.page import INLINE, TEXT, StartTag

SECTION, DECLARED, EDGE, NAMED, COMMENTS, REVIEWS, OF_LINKS, INSIDE = (1 << bit for bit in range(8))
"""What a start tag declares, as bits: a section, a box, the header or footer of what is around it; and by its names, a
box, readers' comments, reviews, a box of links or buttons, a box inside a text."""

# <article><header><h1>Rain</h1></header>: the header and footer of a section have its headline and its author
_SECTIONS = frozenset({"article", "main", "section"})
EDGES = frozenset({"footer", "header"})

# what can be operated, and what HTML defines as beside the content; <form> has the login, the search, the order
_BOXES = frozenset("aside button dialog form nav option select textarea".split())
_OF_TAGS = dict.fromkeys(_SECTIONS, SECTION) | dict.fromkeys(EDGES, EDGE) | dict.fromkeys(_BOXES, DECLARED)
_ROLES = frozenset(
    "alertdialog banner complementary contentinfo dialog menu menubar navigation search tablist toolbar".split()
)
_OF_ROLES = dict.fromkeys(_SECTIONS, SECTION) | dict.fromkeys(_ROLES, DECLARED)
_ROLE = re.compile(r'\srole="([^"]*)"', re.ASCII)

# conventional names in English, as themes and frameworks write them; each was tried on the saved sites and WCXB
_NAMES = """
    related recommend[a-z]* newsletter subscribe
    cookies? consent disclaimer legal copyright footnotes?
    """.split()
_NAMES_OF_LINKS = """
    breadcrumbs? crumbs? menu nav navbar navigation pagination pager paging filters? facets? sort sorting
    shar(?:e|ing) social tags
    """.split()
# small boxes in and below an article; elsewhere such names are the page's own ("form", "footer" of a card), and so are
# names that only begin so: <div class="form-of-poem">
_NAMES_INSIDE = "cta footer form lightbox modal popover popups? signup textwidget".split()
# readers' comments have the names of the site's language: "kommentare", "comentarios"; a "commentary" is an article
_COMMENTS = """
    comment(?!ary)[a-z]* commentaires comentarios kom+entar[a-z]* koment[a-z]* disqus[a-z]* replies
    """.split()
# themes write there what is on the page: <body class="has-menu">, <article class="with-comments">
_NEVER_NAMED = frozenset({TEXT, "html", "body", "main", "article"})
# an author's text has targets of links there: <h2 id="cookies">Cookies</h2>, <section id="sorting">
_HAS_TARGETS = frozenset("a dd dt h1 h2 h3 h4 h5 h6 p pre section td".split())

# the popover of a word and the button of a manual are words of a sentence, the lightbox of a figure is the figure
_NO_BOXES_INSIDE = INLINE | {"figure"}

_WORD = re.compile("[a-z]+")
_TOPIC = re.compile(r"(?:^|\s)(?:category|tag)-\S*")  # names what a post is about
_MEANINGS = [
    (re.compile("|".join(words)), meaning)
    for words, meaning in (
        (_NAMES, NAMED),
        (_NAMES_OF_LINKS, NAMED | OF_LINKS),
        (_NAMES_INSIDE, INSIDE),
        ("btn buttons? teasers?".split(), INSIDE | OF_LINKS),
        (_COMMENTS, COMMENTS),
        (["reviews"], REVIEWS),
    )
]
_FEW = 200  # characters of a tag with its names whose meaning is remembered: at most 2 MB
_LONGEST = 32  # letters of a word that are read: what is longer can only begin with one of those above


def declared_by(start_tag: StartTag) -> int:
    """Return what a start tag declares."""
    found = _of_names(start_tag.tag_and_classes)
    if start_tag.id and start_tag.tag not in _HAS_TARGETS:
        found |= _of_names(f"{start_tag.tag} {start_tag.id}")
    if " role=" in start_tag.tag_string:
        role = _ROLE.search(start_tag.tag_string)
        found |= 0 if role is None else _OF_ROLES.get(role[1].lower(), 0)
    return found


def _of_names(tag_and_names: str) -> int:
    return _remembered(tag_and_names) if len(tag_and_names) <= _FEW else _remembered.__wrapped__(tag_and_names)


@lru_cache(2**11)
def _remembered(tag_and_names: str) -> int:
    """Return what a tag and the words of some names declare, taken together; most of them are common to many pages."""
    tag, _, names = tag_and_names.lower().partition(" ")
    found = _OF_TAGS.get(tag, 0)
    if tag in _NEVER_NAMED:
        return found
    for name in (_TOPIC.sub("", names) if "category-" in names or "tag-" in names else names).split():
        words = _WORD.findall(name)
        for place, word in enumerate(words, 1):
            meaning = _of_word(word[:_LONGEST])
            if meaning & INSIDE and (place < len(words) or tag in _NO_BOXES_INSIDE):
                continue
            # highlighted code has inline elements of these names
            found |= meaning & ~COMMENTS if tag in INLINE else meaning
    return found


def last_words(start_tag: StartTag) -> set[str]:
    """Return the last word of each class and of the id, which names a box inside a text: ``class="post-footer"``."""
    names = f"{start_tag.tag_and_classes.partition(' ')[2]} {start_tag.id or ''}".lower().split()
    return {words[-1] for name in names if (words := _WORD.findall(name))}


@lru_cache(2**12)
def _of_word(word: str) -> int:
    """Return what a word of a class or id declares."""
    return sum(meaning for pattern, meaning in _MEANINGS if pattern.fullmatch(word))
