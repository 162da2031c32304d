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

from collections.abc import Collection, Iterable
from itertools import accumulate

from templex_scrapy.content.boxes import Boxes
from templex_scrapy.content.own_words import OwnWords, words_of
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
    root = search.section("main", 0, _MAIN)
    root = search.document(root)
    root = search.section("article", root, _ARTICLE)
    root = search.narrowest(root)
    search.remove_link_lists(root)
    headline = search.headline(_HEADINGS)
    return search.own.nodes([root] if headline is None else [root, headline])


class _Search:
    """The steps on one page."""

    def __init__(self, page: Page, repeated: Collection[int]) -> None:
        self.arrays = page.arrays
        self.boxes = Boxes(page.arrays)
        self.own = OwnWords(page.arrays, self.boxes.tags, repeated)
        title = next(page.root.iter("title"), None)
        self.title = words_of(title.text or "") if title is not None else ""

    def remove_boxes(self) -> None:
        self.own.remove_boxes(self.boxes.is_dialog, _DIALOG)
        self.own.remove_boxes(self.boxes.is_declared, MOST)
        self.own.remove_boxes(self.boxes.is_named, MOST)

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

    def narrowest(self, root: int) -> int:
        """Return the lowest element below a node that contains nearly all of its words."""
        words = self.own.words(outside=_LINK_WEIGHT)
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
