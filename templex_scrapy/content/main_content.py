"""The main content of a page for reading: remove what the site repeats, then choose a part of the rest.

None of the papers' detectors; a proposal that follows from measuring them. Template removal keeps nearly all words of
the main content, and with them much that is unique to the page: breadcrumbs, teasers, related links. Page-level
extraction finds the place of the content and loses parts of it, mostly on listings. The steps:

1. *Repeated texts* are no content (:mod:`~templex_scrapy.content.repeated_texts`), unless they belong to it
   (:mod:`~templex_scrapy.content.kept_repetitions`).
2. *Boxes* are removed: dialogs, navigation, asides, forms, and elements whose class or id has a conventional name, such
   as ``related``. A box that contains most of the unique words is kept. Readers' comments are removed if an article
   remains without them.
3. *The root*: the declared body of the article, if there is one. Else, of several documents the one with the page's
   title; from there down to the lowest element with most words of running text, if the page is prose, and then to the
   lowest with nearly all words; a table, a list or code is entered as a whole, and what has a paragraph beside it is
   not. Other parts of the same ``article`` or ``main`` that have long texts belong to it. If the page has many facts,
   such as a product's, up again to the lowest element with nearly all of them, and the reviews come back.
4. *Trimming*: boxes of links are removed from prose, boxes with teasers of other pages behind a long text, small boxes
   with names such as ``form``, and headings at the end; if no other page of the site is known, single links, boxes
   named teaser and buttons as well. A list in the flow of the text is no box.
5. *The headline* outside the root is added, with the texts between both; without one in the title, the only ``h1``.

Steps 2 and 3 are in :mod:`~templex_scrapy.content.content_root`, step 4 in :mod:`~templex_scrapy.content.trimming`, and
step 5 in :mod:`~templex_scrapy.content.headlines`.

``templex-bench`` prints word F1 (method ``content-words``) beside trafilatura's. The numbers are in
:mod:`templex_scrapy.content.thresholds`; the names of boxes were chosen on the saved sites and WCXB.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType

from templex_scrapy.content.content_root import (
    content_root,
    declared_body,
    find_facts,
    is_prose,
    text_beside,
    with_facts,
    without_boxes,
)
from templex_scrapy.content.head import Head
from templex_scrapy.content.headlines import find_headline, headings, texts_between
from templex_scrapy.content.kept_repetitions import Kept, KeptParts
from templex_scrapy.content.repeated_texts import repeated_texts
from templex_scrapy.content.selection import Selection
from templex_scrapy.content.trimming import (
    without_boxes_inside,
    without_boxes_of_links,
    without_last_headings,
    without_teasers,
)
from templex_scrapy.page import NodeArrays, Page, nodes_of, text_digest_of


def find_content(page: Page, pages: Iterable[Page] = ()) -> frozenset[int]:
    """Return the positions of the nodes that are the main content of a page, for reading.

    Args:
        page: any page.
        pages: other pages of its site, any number, in any order; without any, the page is judged alone.
            Duplicates are ignored, and so are copies of the page: they have the same text, but for numbers.

    Returns:
        Positions in ``page.nodes``, without elements of which nothing is left.

    Complexity:
        O(number of nodes of all pages).
    """
    arrays = nodes_of(page)
    others = {text_digest_of(other): other for other in pages}
    others.pop(text_digest_of(page), None)  # /news?print=1 would repeat every text of /news
    repeated, varying = repeated_texts(arrays, [nodes_of(other) for other in others.values()])
    head = Head.of(page)
    if 1 not in repeated:
        return content_nodes(page, head)
    kept = KeptParts(arrays, _with_elements(arrays, repeated), repeated, varying, head)
    texts = [position for position in arrays.text_positions if repeated[position]]
    reasons = {position: reason for position in texts if (reason := kept.reason(position)) is not None}
    return content_nodes(page, head, texts, reasons)


def _with_elements(arrays: NodeArrays, repeated: bytearray) -> bytearray:
    """Return the flags of texts with those of the elements below the root that contain no other text."""
    flags = bytearray(repeated)
    unique = [0, *accumulate(text is not None and not flag for text, flag in zip(arrays.texts, repeated, strict=True))]
    for node in range(1, len(flags)):
        # an element of which all texts are repeated is repeated: the <p> around "All rights reserved"
        flags[node] = unique[node + arrays.sizes[node]] == unique[node]
    return flags


def content_nodes(
    page: Page, head: Head, repeated: Collection[int] = (), kept: Mapping[int, Kept] = MappingProxyType({})
) -> frozenset[int]:
    """Return what :func:`find_content` returns, given what the site repeats.

    Args:
        page: the page.
        head: what it declares.
        repeated: positions of the texts that the site repeats.
        kept: those of them that belong to the content all the same, and why.
    """
    # the author's name at twelve replies would count as words of the text
    kept = {text: reason for text, reason in kept.items() if reason is not Kept.VARYING_LINK}
    unique = bytearray(b"\1") * len(page)
    for text in repeated:
        unique[text] = 0
    own = Selection(nodes_of(page), unique)
    words = without_boxes(own, is_forum=head.is_forum)
    body, headline = 0 if head.is_forum else declared_body(words), find_headline(words, head.title)
    root = body or content_root(words, head)
    # on a product's page the description is the prose; its table and its reviews are beside it, and content as well
    if facts := find_facts(words, [text for text, reason in kept.items() if reason is not Kept.VALUE]):
        words = without_boxes(own, is_forum=head.is_forum, has_reviews=True)
        root = with_facts(words, root, facts)
    roots, is_text = [root], not head.is_forum and is_prose(words, root)
    # beside the declared body the same article has its author and its teasers
    if is_text and root != body:
        roots += text_beside(words, root, headline)
    words = _trimmed(words, roots, headline, is_text=is_text, is_alone=not (repeated or kept))
    # "Brand", "In stock": repeated on other pages, and kept in the content of this one
    words = words.with_texts(kept) if kept else words
    if headline >= 0:
        return words.nodes([*roots, headline, *texts_between(words, headline, root, set(kept))])
    # the only h1 is a headline, though some of its words are not in the title
    above = [heading for heading in headings(words, "h1") if words.words(heading)]
    return words.nodes([*roots, *(above if len(above) == 1 and above[0] < root else ())])


def _trimmed(words: Selection, roots: Sequence[int], headline: int, *, is_text: bool, is_alone: bool) -> Selection:
    """Return the selection without what is no content in some subtrees; of a text more than of other pages."""
    for root in roots:
        if is_text:
            words = without_boxes_inside(words, root, headline, is_alone=is_alone)
            words = without_teasers(words, root, headline)
        words = without_boxes_of_links(words, root, headline, is_alone=is_text and is_alone)
    return without_last_headings(words, roots, headline) if is_text else words
