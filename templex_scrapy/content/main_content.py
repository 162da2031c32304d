"""The main content of a page for reading: remove what the site repeats, then choose the page's own part.

None of the papers' detectors; a proposal that follows from measuring them. Template removal keeps nearly all words of
the main content, and with them much that is the page's own: breadcrumbs, teasers, related links. Page-level extraction
finds the place of the content and loses parts of it, mostly on listings. The steps:

1. *Repeated texts* are no content (:mod:`templex_scrapy.content.repetition`).
2. *Declared and named boxes* are removed: dialogs, navigation, asides, forms, and elements whose class or id has a
   conventional name, such as ``related``. A box that contains most of the page's own words is kept, dialogs excepted.
3. *Sections*: a ``main`` with enough words is the content, and so is an ``article`` in it. Where several siblings bring
   a document with an ``h1`` each, as pages with endless scrolling do, the one whose ``h1`` is in the page's title is.
4. *The way down*: to the lowest element that contains nearly all words, linked ones counted a quarter.
5. *Lists of links* are removed, unless the page is itself a listing (ConEx and CETD judge by link density, too).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import accumulate

from templex_scrapy.content.boxes import Boxes
from templex_scrapy.content.head import Head
from templex_scrapy.content.own_words import INLINE, OwnWords
from templex_scrapy.content.repetition import repeated_texts, without_copies
from templex_scrapy.page.page import Page
from templex_scrapy.page.words import sums

MOST = 0.7
"""A box that contains a larger share of the page's own words is content, whatever its name."""

SHARE = 0.9
"""The way down goes on while one child contains this share of the words."""

LINKED = 0.7
"""A block is a list of links if this share of its words is in links."""

LISTING = 0.3
"""A page is a listing if a larger share of its content's words is in links."""

_LINK_WEIGHT = 4  # words in links that weigh as much as one outside, on the way down
_LINKS = 3  # links that a list of links has at least
_MAIN = 0.2  # a main needs this share of the words
_ARTICLE = 0.5  # an article needs this share of the words of main, or of the page
_DIALOG = 0.95  # a dialog with a larger share of the words is the page
_HEADING = 50  # nodes that a heading has at most
_EVEN = 0.3  # the page's own document is more than a headline: this share of the mean of all documents

_PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|£|zł|kr\b|Kč|USD|EUR|руб)")
_LISTS = frozenset("div dl nav ol section table ul".split())
_HEADINGS = ("h1", "h2", "h3")


def find_content(page: Page, pages: Iterable[Page] = ()) -> frozenset[int]:
    """Return the positions of the nodes that are the main content of a page, for reading.

    Args:
        page: any page.
        pages: other pages of its site, any number, in any order; without any, the page is judged alone. Copies are
            dropped.

    Returns:
        Positions in ``page.nodes``, without elements of which nothing is left.

    Complexity:
        O(number of nodes of all pages).
    """
    others = without_copies(page, pages)
    return content_nodes(page, repeated_texts(page.arrays, [other.arrays for other in others]))


def content_nodes(page: Page, repeated: Collection[int] = ()) -> frozenset[int]:
    """Return what :func:`find_content` returns, given the positions of the texts that the site repeats."""
    search = _Search(page, repeated)
    search.remove_boxes()
    forum = search.head.is_forum and R['forum']
    root = search.section("main", 0, _MAIN)
    if not forum:
        root = search.document(root)
        root = search.section("article", root, _ARTICLE)
        if R['prose'] and search.is_prose(root):
            root = search.prose_root(root)
    root = search.narrowest(root)
    headline = search.headline(_HEADINGS)
    if R['trim']:
        search.trim(root, headline)
    search.remove_link_lists(root)
    roots = [root] if headline is None else [root, headline]
    if R['between'] and headline is not None:
        roots.extend(search.between(headline, root))
    return search.own.nodes(roots)

R = dict(forum=1,prose=1,trim=1,between=1)

class _Search:
    """The steps on one page."""

    def __init__(self, page: Page, repeated: Collection[int]) -> None:
        self.arrays = page.arrays
        self.boxes = Boxes(page.arrays)
        self.own = OwnWords(page.arrays, self.boxes.tags, repeated)
        self.head = Head(page)
        self.title = self.head.title

    def remove_boxes(self) -> None:
        self.own.remove_boxes(self.boxes.is_dialog, _DIALOG)
        self.own.remove_boxes(self.boxes.is_declared, MOST)
        self.own.remove_boxes(self.boxes.is_named, MOST)
        self.own.remove_comments(self.boxes.is_comments, MOST, forum=self.head.is_forum and bool(R['forum']))

    def section(self, tag: str, root: int, share: float) -> int:
        """Return the element of a tag, or role, below a node with the most words; the node if it has too few."""
        words = self.own.words()
        found = [position for position in self.own.below(root) if self.boxes.is_(tag, position)]
        best = max(found, key=lambda position: words[position], default=root)
        return best if words[best] >= share * words[root] else root

    def headline(self, tags: Iterable[str]) -> int | None:
        """Return the first heading, of the first tag that has one, whose words are in the page's title."""
        everywhere = range(len(self.arrays.sizes))
        for tag in tags:
            for position in self.own.headings(tag, everywhere, _HEADING):
                if (text := self.own.text(position)) and f" {text} " in f" {self.title} ":
                    return position
        return None

    def document(self, root: int) -> int:
        """Return, of siblings with an ``h1`` each, the one whose ``h1`` is in the title; else the node itself.

        None of the other headings may contain the same words: those are the posts of a thread.
        """
        headings = self.own.headings("h1", self.own.below(root), _HEADING)
        text = {position: self.own.text(position) for position in headings}
        heading = self.headline(("h1",)) if len(text) > 1 else None
        if heading not in text:
            return root
        words = self.own.words()
        before = [0, *accumulate(position in text for position in range(len(self.arrays.sizes)))]
        for part in self.arrays.ancestors(heading):
            if part == root:
                break
            parts = [
                sibling
                for sibling in self.arrays.children(self.arrays.parents[part])
                if self.boxes.tags[sibling] == self.boxes.tags[part]
                and before[sibling + 1] < before[sibling + self.arrays.sizes[sibling]]
            ]
            if len(parts) == 1:
                continue
            others = (text[each] for each in text if not part <= each < part + self.arrays.sizes[part])
            if words[part] * len(parts) >= _EVEN * sum(words[each] for each in parts) and all(
                text[heading] not in other for other in others
            ):
                return part
        return root

    def is_prose(self, root: int) -> bool:
        """Tell whether running text is a good part of a node, and the page does not present products."""
        long, words = self.own.long_words(), self.own.words()
        if long[root] < 40 or long[root] < 0.12 * words[root]:
            return False
        return not (self.head.is_product or self._prices(root) >= 3)

    def _prices(self, root: int) -> int:
        counts, texts, own = self.own.counts, self.arrays.texts, self.own.own
        return sum(
            own[position] and counts[position] <= 6 and _PRICE.search(texts[position] or "") is not None
            for position in self.own.below(root)
        )

    def prose_root(self, root: int) -> int:
        """Return the lowest element below a node that contains most of its long words."""
        long = self.own.long_words()
        least = 0.7 * long[root]
        while True:
            child = next((child for child in self.arrays.children(root) if long[child] >= least), None)
            if child is None or self.arrays.texts[child] is not None:
                return root
            root = child

    def trim(self, root: int, headline: int | None) -> None:
        """Remove boxes of links from prose."""
        long, words, in_links = self.own.long_words(), self.own.words(), self.own.words(outside=0)
        if long[root] < 0.4 * words[root]:
            return
        links = sums(self.arrays, (tag == "a" for tag in self.boxes.tags))
        end = root + self.arrays.sizes[root]
        position = root + 1
        while position < end:
            if (
                self.boxes.tags[position] not in INLINE
                and not long[position]
                and links[position] >= 2
                and words[position]
                and in_links[position] >= 0.7 * words[position]
                and not (headline is not None and position <= headline < position + self.arrays.sizes[position])
            ):
                position = self.own.remove(position)
            else:
                position += 1

    def between(self, headline: int, root: int) -> list[int]:
        """Return the own texts outside links between the headline and the content, if they are few."""
        positions = [
            position
            for position in range(headline + self.arrays.sizes[headline], root)
            if self.arrays.texts[position] is not None and self.own.own[position] and not self.own.linked[position]
        ]
        return positions if sum(self.own.counts[position] for position in positions) <= 150 else []

    def narrowest(self, root: int) -> int:
        """Return the lowest element below a node that contains nearly all of its words."""
        words = self.own.weights()
        least = SHARE * words[root]
        while least:
            child = next((child for child in self.arrays.children(root) if words[child] >= least), None)
            if child is None or self.arrays.texts[child] is not None:
                break
            root = child
        return root

    def remove_link_lists(self, root: int) -> None:
        """Remove the lists of links below a node, unless it is itself a listing."""
        words, in_links = self.own.words(), self.own.words(outside=0)
        if in_links[root] > LISTING * words[root]:
            return
        links = sums(self.arrays, (tag == "a" for tag in self.boxes.tags))
        end = root + self.arrays.sizes[root]
        position = root + 1
        while position < end:
            is_list = self.boxes.tags[position] in _LISTS and links[position] >= _LINKS
            if is_list and words[position] and in_links[position] >= LINKED * words[position]:
                position = self.own.remove(position)
            else:
                position += 1
