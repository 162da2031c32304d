"""A page without its template: HTML, text, Markdown and metadata."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from typing import Any, TypeAlias, TypeVar

from parsel import Selector, SelectorList

from templex_scrapy.page import (
    Page,
    cached_property,
    nodes_of,
    nodes_with,
    release,
    repaired,
    roots_outside,
    subtree_flags,
)
from templex_scrapy.papers import detect_menu
from templex_scrapy.render.html import annotated_html, cleaned_html, content_fragment
from templex_scrapy.render.markdown import markdown
from templex_scrapy.render.marked_body import Sourced
from templex_scrapy.render.menu_links import MenuLink, menu_links
from templex_scrapy.render.metadata import PageMetadata, recognized_language
from templex_scrapy.render.text import text

T = TypeVar("T")

_UNKNOWN = Sourced("", "")
# a picture may be all of the content that a page of a gallery has
_MEDIA = dict.fromkeys("audio canvas embed img input object picture select svg textarea video".split(), 1)

HASH_VERSION = 5
"""Version of :attr:`CleanPage.content_hash`. Raise it when other words are hashed, or hashed otherwise."""

Output: TypeAlias = "str | Callable[[CleanPage], Any]"
"""An output: the name of an attribute, or a function of the page."""


class _ItemValue(cached_property[T]):
    """An attribute that items may have: one of :data:`OUTPUT_NAMES`."""


class CleanPage:
    """A page without its template. Each attribute is computed when it is first asked for.

    If there is no main content, or only a part of a page, ``content_html`` is ``html``, ``content_text`` is ``text``,
    and so on.

    Args:
        match: the :class:`templex_scrapy.Match` of the page with the templates of the site.
        part: position of the only element that is rendered; 0 for the whole page.
        source: HTML of the part; by default that of the page.

    Attributes:
        source: HTML of the page, or of the part, as it was.
        url: URL of the page.
        template_url: URL of the key page of the template that serves the page; empty if there is none.
        fits: whether the page fits a template.
        coverage: the share of the template's stable nodes that the page has, in [0, 1].
    """

    def __init__(self, match: Any, part: int = 0, source: str | None = None) -> None:
        self._match = match
        self._page: Page = match.page
        self._part = part
        self.source: str = self._page.text if source is None else source
        self.url: str = match.page.url
        self.template_url: str = match.template_url
        self.fits: bool = match.fits
        self.coverage: float = match.coverage
        self._results: dict[Callable[[CleanPage], Any], Any] = {}

    def part(self, fragment: str) -> CleanPage | None:
        """Return the first element that has the HTML ``fragment``, cleaned; None if there is none."""
        position = find_part(self._page, fragment)
        return None if position is None else CleanPage(self._match, position, fragment)

    @cached_property
    def kept_whole(self) -> bool:
        """Whether nothing would be left of the page, so that the page is kept as it is."""
        roots, part, arrays = self._match.roots, self._part, nodes_of(self._page)
        sizes = arrays.sizes
        if not roots:
            return False
        # a field of an item that has the menu itself is not emptied
        if part and any(root <= part < root + sizes[root] for root in roots):
            return True
        if self._counted[1]:
            return False
        is_removed, media = subtree_flags(arrays, self._roots), nodes_with(arrays.of_tags(_MEDIA), arrays.ids)
        return all(is_removed[at] for at in media if part <= at < part + sizes[part])

    @cached_property
    def removed(self) -> tuple[int, ...]:
        """Positions of the roots of the removed subtrees, in node order."""
        return () if self.kept_whole else self._roots

    @cached_property
    def words(self) -> tuple[int, int]:
        """Number of words in the texts of the page, before and after."""
        before, after = self._counted
        return before, before if self.kept_whole else after

    @cached_property
    def _roots(self) -> tuple[int, ...]:
        """Roots of the subtrees in the part that would be removed."""
        roots, part = self._match.roots, self._part
        end = part + nodes_of(self._page).sizes[part]
        return tuple(root for root in roots if part < root < end) if part else roots

    @cached_property
    def _counted(self) -> tuple[int, int]:
        """Number of words in the texts of the part, and that without the roots."""
        sizes, before = nodes_of(self._page).sizes, nodes_of(self._page).words_before
        words, *removed = (before[root + sizes[root]] - before[root] for root in (self._part, *self._roots))
        return words, words - sum(removed)

    @_ItemValue
    def html(self) -> str:
        """HTML without the template; if nothing is removed, the source, unchanged."""
        removed = self.removed
        return cleaned_html(self._page, removed, part=self._part, consume_tree=True) if removed else self.source

    @_ItemValue
    def text(self) -> str:
        """The page without the template as text, blocks on lines of their own."""
        return text(self._page, self.removed, part=self._part)

    @_ItemValue
    def markdown(self) -> str:
        """The page without the template as Markdown, with absolute addresses."""
        return markdown(self._page, self.removed, part=self._part)

    def _of_content(self, of_page: str, write: Callable[..., str], **options: bool) -> str:
        """Return the main content as a function writes it; without a main content, an attribute of the page."""
        outside = self._outside_content
        return str(getattr(self, of_page) if outside is None else write(self._page, outside, **options))

    @_ItemValue
    def content_html(self) -> str:
        """HTML of the main content alone: a fragment with absolute addresses, without the site's head and scripts."""
        return self._of_content("html", content_fragment)

    @_ItemValue
    def content_document(self) -> str:
        """HTML of the document with the head, and with the main content as the only body; addresses as in the page."""
        return self._of_content("html", cleaned_html)

    @_ItemValue
    def content_text(self) -> str:
        """The main content as text."""
        return self._of_content("text", text)

    @_ItemValue
    def content_markdown(self) -> str:
        """The main content as Markdown."""
        return self._of_content("markdown", markdown)

    @_ItemValue
    def markdown_without_links(self) -> str:
        """As :attr:`markdown`, with the words of links but without their addresses."""
        return markdown(self._page, self.removed, part=self._part, links=False)

    @_ItemValue
    def markdown_without_images(self) -> str:
        """As :attr:`markdown`, without pictures."""
        return markdown(self._page, self.removed, part=self._part, images=False)

    @_ItemValue
    def content_markdown_without_links(self) -> str:
        """As :attr:`content_markdown`, with the words of links but without their addresses."""
        return self._of_content("markdown_without_links", markdown, links=False)

    @_ItemValue
    def content_markdown_without_images(self) -> str:
        """As :attr:`content_markdown`, without pictures."""
        return self._of_content("markdown_without_images", markdown, images=False)

    @_ItemValue
    def content_hash(self) -> str:
        """A hash of the words of the main content, in any case and spacing: ``4:`` (the version) and 32 hex digits.

        It stays when only frame or markup of the page change. Compare hashes of the same version only. Empty for a page
        without words.
        """
        nodes = frozenset() if self._part else self._match.steady_content
        content = text(self._page, roots_outside(nodes_of(self._page), nodes)) if nodes else self.content_text
        words = " ".join(content.casefold().split())
        digest = hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return f"{HASH_VERSION}:{digest}" if words else ""

    @cached_property
    def _outside_content(self) -> list[int] | None:
        """Roots of the subtrees outside the main content; None if there is no content to tell apart."""
        content = frozenset() if self._part else self._match.content
        return roots_outside(nodes_of(self._page), content) if content else None

    @_ItemValue
    def title(self) -> str:
        """The title without the parts that the site adds to every title.

        If nothing of the title is left, it is a heading of the main content.
        """
        return str(self._match.title)

    @cached_property
    def _metadata(self) -> PageMetadata:
        return PageMetadata(self._page, self.removed, lambda: self._match.dates)

    @_ItemValue
    def metadata(self) -> dict[str, dict[str, str]]:
        """Date, author, language and description: ``value`` and ``source`` of each, if the value is known.

        A source is ``url``, ``json-ld``, ``meta``, ``microdata``, ``microformat``, ``time``, ``name`` (a class or an
        address names an author), ``html`` (the attribute ``lang``) or, with the extra ``metadata``, ``place`` (a date
        where other pages of the site have theirs) and ``text`` (language and date).
        """
        page = self._metadata
        values = {"author": page.author, "date": page.date, "description": page.description, "language": self._language}
        return {name: value._asdict() for name, value in values.items() if value is not None}

    @cached_property
    def _language(self) -> Sourced | None:
        return self._metadata.language or recognized_language(self.content_text)

    @_ItemValue
    def date(self) -> str:
        """The day on which the page was published, as ``2026-01-31``; empty if it is not known."""
        return (self._metadata.date or _UNKNOWN).value

    @_ItemValue
    def author(self) -> str:
        """The name of the author, several with commas between them; empty if it is not known."""
        return (self._metadata.author or _UNKNOWN).value

    @_ItemValue
    def language(self) -> str:
        """The language as a code of ISO 639, such as ``en``; empty if it is not known."""
        return (self._language or _UNKNOWN).value

    @_ItemValue
    def description(self) -> str:
        """The description that the page gives of itself; empty if it gives none."""
        return (self._metadata.description or _UNKNOWN).value

    @_ItemValue
    def fields(self) -> dict[str, str]:
        """The values of the page under the labels that pages of the site share, such as ``{"Brand": "Acme"}``.

        Experimental: labels and values may change from version to version.
        """
        return dict(self._match.fields)

    @cached_property
    def menu(self) -> tuple[MenuLink, ...]:
        """The links of the site's main menu, each URL once."""
        root = detect_menu(self._page)
        return () if root is None else menu_links(self._page, root)

    @_ItemValue
    def annotated_html(self) -> str:
        """HTML of the whole page, with the class ``template_node`` on the template's elements."""
        return annotated_html(self._page, self._match.nodes)

    @_ItemValue
    def template_html(self) -> str:
        """HTML of the template alone."""
        return cleaned_html(self._page, roots_outside(nodes_of(self._page), self._match.nodes))

    @cached_property
    def selector(self) -> Selector:
        """A selector on :attr:`html`."""
        return Selector(repaired(self.html), type="html", base_url=self.url)

    def css(self, query: str) -> SelectorList[Selector]:
        """Apply a CSS selector to :attr:`html`."""
        return self.selector.css(query)

    def xpath(self, query: str) -> SelectorList[Selector]:
        """Apply an XPath expression to :attr:`html`."""
        return self.selector.xpath(query)

    def output(self, which: Output) -> Any:
        """Return an attribute by name, or the result of a function of this page, which is called once."""
        if isinstance(which, str):
            return getattr(self, which)
        if which not in self._results:
            self._results[which] = which(self)
        return self._results[which]

    def compute(self, outputs: Iterable[Output]) -> None:
        """Compute some outputs now and release the tree, so that only strings and positions stay in memory.

        An attribute that is asked for later is computed from the source.
        """
        # html last: it uses up the tree, and annotated_html would parse the page again
        asked = sorted(dict.fromkeys(outputs), key=lambda output: output == "html")
        for output in ("words", *asked):
            with suppress(Exception) if callable(output) else nullcontext():  # raised again where an item asks for it
                self.output(output)
        vars(self).pop("_metadata", None)  # which has the nodes of the page
        release(self._page)

    def __repr__(self) -> str:
        return f"<CleanPage {self.url}>"


OUTPUT_NAMES = tuple(name for name, value in vars(CleanPage).items() if isinstance(value, _ItemValue))
"""The attributes of :class:`CleanPage` that items may have."""


def find_part(page: Page, fragment: str) -> int | None:
    """Return the position of the first element that has the HTML of a fragment; None if there is none.

    Fragments of several elements, and of elements that the parser moves when they are alone (``tr``), are not found.
    O(length of the page and the fragment).
    """
    # nodes are compared, and no sources: the first p of <p>a<p>b ends where the second p begins
    wanted, arrays = nodes_of(Page(fragment, page.url)), nodes_of(page)
    size = len(wanted.sizes) - 1
    if not size or wanted.sizes[1] != size or wanted.texts[1] is not None:
        return None
    positions = (
        at
        for at, tag_string in enumerate(arrays.tag_strings)
        if tag_string == wanted.tag_strings[1]
        and arrays.sizes[at] == size
        and arrays.tag_strings[at : at + size] == wanted.tag_strings[1:]
        and arrays.texts[at : at + size] == wanted.texts[1:]
    )
    return next(positions, None)
