"""The main content of a page for reading: what the site repeats goes, then what the page itself sets apart.

None of the papers' detectors; a proposal that follows from measuring them. Template removal keeps nearly all words of
the main content and leaves much around it that is the page's own: breadcrumbs, teasers, lists of related links.
Page-level extraction finds where the content is and loses parts of it, most on pages that are lists. Here each does
what it is good at:

1. *What the site repeats.* A text that stands on more than half of the other pages, at the same path of tags, is
   template (the text segments of IWPTD, Wang et al., WWW 2008, with a share as the threshold). The votes of TemEx
   instead bring the same figures at many times the cost; they matter where nodes are *removed*, whose place must match.
2. *What HTML declares to be beside the content*: ``nav``, ``aside``, ``header`` and ``footer`` of the page, forms and
   their controls, dialogs, the WAI-ARIA landmarks of the same meaning. Then what is named so: class or id has one of
   the words that by wide convention stand for navigation, the voices of readers, invitations to something else, and
   small print (``_NAMES``). Never what holds most of the page's own words, but for dialogs, which cover the page.
3. *Which part.* A ``main`` that has a good part of the words is believed, and so is an ``article`` in it. Where several
   siblings bring a document with an ``h1`` each, which is how pages that scroll without end load the next ones, the one
   whose ``h1`` is in the page's title is the page's. Then the way leads down as long as one child holds nearly all
   words, those in links counting a quarter. The page's headline comes along if it stands outside of that.
4. *Lists of links* go where the page is not itself a list (ConEx and CETD judge by link density, too).

A page without any to compare with is judged alone, by steps 2 to 4.

Words on the 16 development sites (mean over sites of the mean over key pages; complete subdigraphs of size 8, or fewer
pages where there are no more) and on the pages of WCXB (mean over pages; siblings, one or two for most), as
``bench/scripts/content.py`` prints them beside all peers:

=====================================  =====  =====  =====  =====  =====  =====
P, R, F1 on sites; P, R, F1 on WCXB    P      R      F1     P      R      F1
=====================================  =====  =====  =====  =====  =====  =====
this one                               0.967  0.966  0.957  0.727  0.917  0.770
the same without any comparison pages  0.859  0.956  0.883  0.693  0.927  0.747
trafilatura 2.3.1                      0.858  0.832  0.804  0.748  0.770  0.708
=====================================  =====  =====  =====  =====  =====  =====

With subdigraphs of size 3, for half the loads: 0.943 on the sites; of size 4, where three pages must agree: 0.937.
Removing exactly the gold template gives 0.946. ``bench/scripts/content.py --cross-validate`` chooses each of the four
parameters without the site that is measured: 0.957 and 0.770, the defaults for all sites but one. The list of names was
put together on these very pages, so that the figures flatter it a little.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate

from templex_scrapy.content.tag_paths import numbers, path_numbers
from templex_scrapy.page import TEXT, NodeArrays, Page, count_words, subtree_sums
from templex_scrapy.template.voters import distinct

MOST = 0.7
"""What holds a larger share of the page's own words than this is the content, whatever it is called."""

SHARE = 0.9
"""The way down goes on while one child holds this share of the words."""

LINKED = 0.7
"""A block is a list of links if this share of its words is in links."""

LISTING = 0.3
"""A page is itself a list if more than this share of its content's words is in links."""

_LINK_WEIGHT = 4  # words in links that weigh as much as one outside of links, on the way down
_LINKS = 3  # links that a list of links has at least
_MAIN = 0.2  # a main is believed that holds this share of the words
_ARTICLE = 0.5  # an article is believed that holds this share of the words of main, or of the page
_NEARLY_ALL = 0.95  # a dialog that holds no larger share of the words covers the page and is not the page
_HEADING = 50  # nodes that a heading has at most
_EVEN = 0.3  # the page's own document is no mere headline: this share of the mean of all documents

_DECLARED = frozenset("aside button footer form header nav option select textarea".split())
_OF_A_SECTION = frozenset({"header", "footer"})
_DIALOGS = frozenset({"alertdialog", "dialog"})
_ROLES = frozenset("banner complementary contentinfo menu menubar navigation search tablist toolbar".split())
_ROLE = re.compile(r'\srole="([^"]*)"', re.ASCII)
_SECTIONS = ("main", "article")

_NAMES = """
    breadcrumbs? crumbs? menu nav navbar navigation pagination pager paging filters? facets? sort sorting
    comments? reviews? signature
    shar(?:e|ing) social related recommend[a-z]* tags newsletter subscribe
    cookies? consent disclaimer legal copyright footnotes?
    """.split()
# "category-…" and "tag-…" name what a post is about
_NAMED = re.compile(rf"(?:^|\s)(?!category-|tag-)(?:\S*[^a-z\s])?(?:{'|'.join(_NAMES)})(?![a-z])")
_NEVER_NAMED = frozenset({TEXT, "html", "body", *_SECTIONS})

_LISTS = frozenset("div dl nav ol section table ul".split())
_HEADINGS = ("h1", "h2", "h3")
_WORD = re.compile(r"\w+")


def find_content(
    key: Page,
    pages: Iterable[Page],
    *,
    most: float = MOST,
    share: float = SHARE,
    linked: float = LINKED,
    listing: float = LISTING,
) -> frozenset[int]:
    """Positions of the nodes of a key page that are its main content, for reading.

    Args:
        key: the key page.
        pages: pages of the same site to compare it with, in any order; a complete subdigraph of 8 is what was measured.
            Copies of the key page, or of each other, are dropped first. Without any, the page is judged alone.
        most: what holds a larger share of the page's own words than this is not beside the content, in (0, 1).
        share: the way down to the content goes on while one child holds this share of the words, above 0.5 to 1.
        linked: a block with this share of its words in links is a list of links, above 0 to 1.
        listing: a page with a larger share of its content's words in links keeps such lists, in [0, 1].

    Returns:
        Positions in ``key.nodes``: the nodes of the content, without those elements of which nothing is left. All other
        nodes of the page can be taken out without changing it.

    Raises:
        ValueError: if an argument is out of range.

    Complexity:
        O(n) for n nodes in all pages.
    """
    others = distinct([key, *pages])[1:]
    repeated = repeated_texts(key.arrays, [page.arrays for page in others])
    return content_without(key, repeated, most=most, share=share, linked=linked, listing=listing)


def content_without(
    page: Page,
    repeated: Collection[int],
    *,
    most: float = MOST,
    share: float = SHARE,
    linked: float = LINKED,
    listing: float = LISTING,
) -> frozenset[int]:
    """As :func:`find_content`, where it is known already which texts of the page the site repeats.

    Args:
        page: the page.
        repeated: positions of these texts, as :func:`repeated_texts` finds them.
        most: as there.
        share: as there.
        linked: as there.
        listing: as there.

    Raises:
        ValueError: if an argument is out of range.
    """
    _check("most", 0 < most < 1, most, "more than 0 and less than 1")
    _check("share", 0.5 < share <= 1, share, "more than 0.5, up to 1")
    _check("linked", 0 < linked <= 1, linked, "more than 0, up to 1")
    _check("listing", 0 <= listing <= 1, listing, "0 to 1")
    own = _Own(page.arrays, repeated)
    own.take_out_beside(own.is_dialog, max(most, _NEARLY_ALL))
    own.take_out_beside(own.is_declared, most)
    own.take_out_beside(own.is_named, most)
    title = _title(page)
    root = own.section("main", 0, _MAIN)
    root = own.document(root, title)
    root = own.section("article", root, _ARTICLE)
    root = own.narrowest(root, share)
    own.take_out_links(root, linked, listing)
    return own.found(root, own.headline(title, _HEADINGS))


def _check(argument: str, allowed: bool, value: float, range_: str) -> None:  # noqa: FBT001 - a fact about the value
    if not allowed:
        raise ValueError(f"{argument} is {value!r}: allowed is {range_}")


def repeated_texts(key: NodeArrays, others: Sequence[NodeArrays]) -> frozenset[int]:
    """Positions of the texts of a page that stand on more than half of the others, at the same path of tags.

    Texts are the same if their words are, however they are spaced. Where that is all that the page says, the others are
    copies of it in all but their source, which tells nothing: then there are none. O(number of nodes in all pages).
    """
    known = numbers()
    pages = Counter(text for other in others for text in set(_texts(other, path_numbers(other, "tags", known))))
    paths = path_numbers(key, "tags", known)
    repeated = frozenset(
        position
        for position, text in enumerate(key.texts)
        if text is not None and 2 * pages[paths[position], " ".join(text.split())] > len(others)
    )
    return repeated if len(repeated) < len(key.texts) - key.texts.count(None) else frozenset()


def _texts(arrays: NodeArrays, paths: Sequence[int]) -> Iterator[tuple[int, str]]:
    for path, text in zip(paths, arrays.texts, strict=True):
        if text is not None:
            yield path, " ".join(text.split())


def _title(page: Page) -> str:
    title = next(page.root.iter("title"), None)
    return _words_of(title.text or "") if title is not None else ""


def _words_of(text: str) -> str:
    """The words of a text, in lower case, one blank apart."""
    return " ".join(_WORD.findall(text.lower()))


class _Own:
    """The nodes that are a page's own, fewer with each step; and the words in them."""

    def __init__(self, arrays: NodeArrays, repeated: Collection[int]) -> None:
        self.arrays = arrays
        self.tags = [arrays.start_tag(position).tag for position in range(len(arrays.tag_strings))]
        self.own = bytearray(b"\1" * len(self.tags))
        for position in repeated:
            self.own[position] = 0
        self._counts = [0 if text is None else count_words(text) for text in arrays.texts]
        self._linked = bytearray(len(self.tags))
        for position in range(1, len(self.tags)):
            self._linked[position] = self._linked[arrays.parents[position]] or self.tags[position] == "a"
        self._in_section = self._inside(_SECTIONS)

    def _words(self, *, outside: int = 1, inside: int = 1) -> list[int]:
        """For each node the words of the page's own in it, each times a weight outside and inside of links."""
        weights = (outside, inside)
        words = zip(self._counts, self.own, self._linked, strict=True)
        return subtree_sums(self.arrays, (count * weights[link] if own else 0 for count, own, link in words))

    def _inside(self, tags: Collection[str]) -> list[int]:
        """For each node, how many sections it is in, itself counted."""
        steps = [0] * (len(self.tags) + 1)
        for position in range(len(self.tags)):
            if any(self._is(tag, position) for tag in tags):
                steps[position] += 1
                steps[position + self.arrays.sizes[position]] -= 1
        return list(accumulate(steps[:-1]))

    def _is(self, tag: str, position: int) -> bool:
        return self.tags[position] == tag or self._role(position) == tag

    def _role(self, position: int) -> str:
        tag_string = self.arrays.tag_strings[position]
        found = _ROLE.search(tag_string) if " role=" in tag_string else None
        return found[1].lower() if found is not None else ""

    def is_dialog(self, position: int) -> bool:
        """Whether a node is a dialog, such as those that ask for consent."""
        return self.tags[position] in _DIALOGS or self._role(position) in _DIALOGS

    def is_declared(self, position: int) -> bool:
        """Whether HTML or WAI-ARIA says that a node is beside the content."""
        if self._role(position) in _ROLES:
            return True
        tag = self.tags[position]
        return tag in _DECLARED and not (tag in _OF_A_SECTION and self._in_section[position])

    def is_named(self, position: int) -> bool:
        """Whether class or id say so."""
        tag_string = self.arrays.tag_strings[position]
        if self.tags[position] in _NEVER_NAMED or not (" class=" in tag_string or " id=" in tag_string):
            return False
        features = self.arrays.start_tag(position)
        return _NAMED.search(" ".join([*sorted(features.classes), features.id]).lower()) is not None

    def take_out_beside(self, is_beside: Callable[[int], bool], most: float) -> None:
        """Take out what is beside the content, unless it holds most of the words, each by itself or all together."""
        before, words = bytes(self.own), self._words()
        position = 1
        while position < len(self.tags):
            if words[position] <= most * words[0] and is_beside(position):
                position = self._take_out(position)
            else:
                position += 1
        if self._words()[0] < (1 - most) * words[0]:
            self.own[:] = before

    def _take_out(self, position: int) -> int:
        """Take out a node with what it holds; the position behind it."""
        size = self.arrays.sizes[position]
        self.own[position : position + size] = bytes(size)
        return position + size

    def section(self, tag: str, root: int, share: float) -> int:
        """The element of a tag, or role, below a node that holds most words; the node itself if it holds too few."""
        words = self._words()
        found = [position for position in self._below(root) if self._is(tag, position)]
        best = max(found, key=lambda position: words[position], default=root)
        return best if words[best] >= share * words[root] else root

    def _below(self, root: int) -> range:
        return range(root + 1, root + self.arrays.sizes[root])

    def headline(self, title: str, tags: Iterable[str]) -> int | None:
        """The first heading, of the first tag that has one, whose words are in the title; None if there is none."""
        for tag in tags:
            for position in self._headings(tag, range(len(self.tags))):
                if (said := self._said(position)) and f" {said} " in f" {title} ":
                    return position
        return None

    def _headings(self, tag: str, within: Iterable[int]) -> Iterator[int]:
        """The elements of a tag that are the page's own, at least in part."""
        ends = self.arrays.sizes
        return (
            position
            for position in within
            if self.tags[position] == tag
            and ends[position] <= _HEADING
            and 1 in self.own[position : position + ends[position]]
        )

    def _said(self, position: int) -> str:
        end = position + self.arrays.sizes[position]
        return _words_of(" ".join(text for text in self.arrays.texts[position:end] if text is not None))

    def document(self, root: int, title: str) -> int:
        """Of siblings with an ``h1`` each, the one whose ``h1`` is in the title; else the node itself.

        None of the others says the same in its own: those are the posts of a thread.
        """
        said = {position: self._said(position) for position in self._headings("h1", self._below(root))}
        own = self.headline(title, ("h1",)) if len(said) > 1 else None
        if own not in said:
            return root
        words, before = self._words(), [0, *accumulate(position in said for position in range(len(self.tags)))]
        for part in self.arrays.ancestors(own):
            if part == root:
                break
            parts = [
                sibling
                for sibling in self.arrays.children(self.arrays.parents[part])
                if self.tags[sibling] == self.tags[part]
                and before[sibling + 1] < before[sibling + self.arrays.sizes[sibling]]
            ]
            if len(parts) == 1:
                continue
            others = (said[each] for each in said if each not in range(part, part + self.arrays.sizes[part]))
            if words[part] * len(parts) >= _EVEN * sum(words[each] for each in parts) and all(
                said[own] not in other for other in others
            ):
                return part
        return root

    def narrowest(self, root: int, share: float) -> int:
        """The lowest element below a node that holds nearly all of its words."""
        words = self._words(outside=_LINK_WEIGHT)
        least = share * words[root]
        while least:
            heavy = (child for child in self.arrays.children(root) if words[child] >= least)
            child = next(heavy, None)
            if child is None or self.arrays.texts[child] is not None:
                break
            root = child
        return root

    def take_out_links(self, root: int, linked: float, listing: float) -> None:
        """Take out the lists of links below a node, unless it is itself a list."""
        words, in_links = self._words(), self._words(outside=0)
        if in_links[root] > listing * words[root]:
            return
        links = subtree_sums(self.arrays, (tag == "a" for tag in self.tags))
        end = root + self.arrays.sizes[root]
        position = root + 1
        while position < end:
            is_list = self.tags[position] in _LISTS and links[position] >= _LINKS
            if is_list and words[position] and in_links[position] >= linked * words[position]:
                position = self._take_out(position)
            else:
                position += 1

    def found(self, root: int, headline: int | None) -> frozenset[int]:
        """The page's own nodes below a node and in its headline, without elements of which no words are left."""
        sizes = self.arrays.sizes
        positions = set(range(root, root + sizes[root]))
        if headline is not None:
            positions.update(range(headline, headline + sizes[headline]))
        before, now = subtree_sums(self.arrays, self._counts), self._words()
        return frozenset(
            position for position in positions if self.own[position] and (now[position] or not before[position])
        )
