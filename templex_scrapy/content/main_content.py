"""The main content of a page for reading: remove what the site repeats, then choose a part of the rest.

None of the papers' detectors; a proposal that follows from measuring them. Template removal keeps nearly all words of
the main content, and with them much that is unique to the page: breadcrumbs, teasers, related links. Page-level
extraction finds the place of the content and loses parts of it, mostly on listings. The steps:

1. *Repeated texts* are no content (:mod:`~templex_scrapy.content.repeated_texts`), unless they belong to it
   (:mod:`~templex_scrapy.content.kept_repetitions`).
2. *Boxes* are removed: dialogs, navigation, asides, forms, and elements whose class or id has a conventional name, such
   as ``related``. A box that contains most of the unique words is kept. Readers' comments are removed if an article
   remains without them.
3. *The root*: of several documents the one with the page's title. From there down to the lowest element with most words
   of running text, if the page is prose, and then to the lowest with nearly all words; a table, a list or code is
   entered as a whole, and what has a paragraph beside it is not. Other parts of the same ``article`` or ``main`` that
   have long texts belong to it. If the page has many facts, such as a product's, up again to the lowest element with
   nearly all of them, and the reviews come back.
4. *Trimming*: boxes of links are removed from prose, small boxes with names such as ``form``, and headings at its end;
   if no other page of the site is known, single links, teasers and buttons as well. A list in the flow of the text is
   no box.
5. *The headline* outside the root is added, with the texts between both; without one in the title, the only ``h1``.

``templex-bench`` prints word F1 (method ``content-words``) beside trafilatura's. The numbers are in
:mod:`templex_scrapy.content.thresholds`; the names of boxes were chosen on the saved sites and WCXB.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping
from itertools import accumulate, pairwise
from types import MappingProxyType

from templex_scrapy.content._content_root import (
    content_root,
    find_facts,
    is_prose,
    text_beside,
    with_facts,
    without_boxes,
    without_boxes_inside,
)
from templex_scrapy.content._head import Head
from templex_scrapy.content._selection import Selection
from templex_scrapy.content.kept_repetitions import Kept, KeptParts
from templex_scrapy.content.repeated_texts import repeated_texts
from templex_scrapy.content.thresholds import THRESHOLDS
from templex_scrapy.page import HEADINGS, NodeArrays, Page, nodes_of, text_digest_of


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
    root, headline = content_root(words, head), words.headline(head.title)
    labels = [text for text, reason in kept.items() if reason is not Kept.VALUE]
    # on a product's page the description is the prose; its table and its reviews are beside it, and content as well
    if len(labels) >= THRESHOLDS.facts and len(facts := find_facts(words, labels)) >= THRESHOLDS.facts:
        words = without_boxes(own, is_forum=head.is_forum, has_reviews=True)
        root = with_facts(words, root, facts)
    roots = [root]
    is_text = not head.is_forum and is_prose(words, root)
    if is_text:
        roots = [root, *text_beside(words, root, headline)]
    is_alone, title = is_text and not (repeated or kept), -1 if headline is None else headline
    for part in roots:
        if is_text:
            words = without_boxes_inside(words, part, title, is_alone=is_alone)
        words = words.without_boxes_of_links(part, title, is_alone=is_alone)
    if is_text:
        words = words.without_last_headings(roots, headline)
    # "Brand", "In stock": repeated on other pages, and kept in the content of this one
    words = words.with_texts(kept) if kept else words
    if headline is None:
        # the only h1 is a headline, though some of its words are not in the title
        above = [heading for heading in words.headings("h1") if words.words(heading)]
        return words.nodes([*roots, *(above if len(above) == 1 and above[0] < root else ())])
    return words.nodes([*roots, headline, *_between(words, headline, root, set(kept))])


def _between(words: Selection, headline: int, root: int, kept: Collection[int]) -> list[int]:
    """Return the texts between the headline and the root, such as a subtitle; if they are many, their long blocks.

    Lists of links are left out, but not values, and what follows a label.
    """
    texts, counts, outline = words.arrays.text_positions, words.counts, words.outline
    # a headline has a text, so that one is before the first
    first, end = bisect_left(texts, headline + words.arrays.sizes[headline]), bisect_left(texts, root)
    # <div>Brand</div><a href="/acme">Acme</a> is a fact, <a href="/">Home</a> beside it is not
    values = {text for label, text in pairwise(texts[first - 1 : end]) if text in kept or label in kept}
    unique = [text for text in texts[first:end] if words.flags[text] and counts[text]]
    links = [text for text in unique if outline.linked[text] and text not in values]
    start_tag, blocks = words.arrays.start_tag, {outline.blocks[text] for text in links}
    lines = {block for block in blocks if words.is_line(block) or start_tag(block).tag in HEADINGS}
    in_lists = {text for text in links if outline.blocks[text] not in lines}
    found = [text for text in unique if text not in in_lists]
    if sum(counts[text] for text in found) <= THRESHOLDS.article:
        return found
    # two hundred times "Tuesday" are a list; a paragraph among them is the beginning of the text
    return [text for text in found if words.long_words(outline.blocks[text])]
