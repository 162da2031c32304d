"""A page without its template: HTML, text, Markdown and what else can be made of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import nullcontext, suppress
from typing import Any, Protocol, TypeAlias, TypedDict

from parsel import Selector, SelectorList

from templex_scrapy.page import NodeArrays, Page, absolute, cached_property, nodes_of, roots_outside, tag_of
from templex_scrapy.render import partial_page as rendering
from templex_scrapy.render.metadata import Found, read_metadata, recognized_language

_MEDIA = frozenset(
    {"img", "picture", "svg", "canvas", "video", "audio", "object", "embed", "input", "textarea", "select"}
)


OUTPUT_NAMES = (
    "html",
    "text",
    "markdown",
    "content_html",
    "content_text",
    "content_markdown",
    "content_document",
    "annotated_html",
    "template_html",
    "title",
    "date",
    "author",
    "language",
    "description",
    "metadata",
    "fields",
)
"""The attributes of :class:`CleanPage` that may be written into items."""

Output: TypeAlias = "str | Callable[[CleanPage], Any]"
"""An output: the name of an attribute, or a function of the page."""


class MenuLink(TypedDict):
    """A link of a menu: its text, and its absolute URL in canonical form. Plain data, for items and feeds."""

    text: str
    url: str


class Judgement(Protocol):
    """What is known about the nodes of a page; see :class:`templex_scrapy.template.Match`."""

    page: Page

    @property
    def roots(self) -> tuple[int, ...]:
        """Positions of the roots of the removed subtrees, in node order."""

    @property
    def nodes(self) -> frozenset[int]:
        """Positions of the template nodes."""

    @property
    def content(self) -> frozenset[int]:
        """Positions of the nodes of the main content."""

    @property
    def menu(self) -> int | None:
        """Position of the root of the main menu, if there is one."""

    @property
    def title(self) -> str:
        """The title of the page without what the site adds to every title."""

    @property
    def fields(self) -> dict[str, str]:
        """The values of the page under the labels that pages of its site share."""

    @property
    def fits(self) -> bool:
        """Whether the page fits a template."""

    @property
    def coverage(self) -> float:
        """Template nodes found in the page / template nodes."""

    @property
    def template_url(self) -> str:
        """URL of the key page of the template; empty if there is none."""

    def release(self) -> None:
        """Give up trees and what was read off them."""


class CleanPage:
    """A page without its template. Every attribute is computed when it is asked for, once.

    Args:
        judgement: the page, and what is known about its nodes.
        part: position of the element that alone is rendered; 0 for the whole page.
        source: HTML of the part; by default that of the page.

    Attributes:
        source: HTML of the page, or of the part, as it was.
    """

    def __init__(self, judgement: Judgement, part: int = 0, source: str | None = None) -> None:
        self._judgement = judgement
        self._page = judgement.page
        self._part = part
        self.source = judgement.page.text if source is None else source
        self._html: str | None = None
        self._made: dict[Callable[[CleanPage], Any], Any] = {}

    def part(self, fragment: str) -> CleanPage | None:
        """Return a part of the page, cleaned: the first element that is written as ``fragment``, or None."""
        position = rendering.find_part(self._page, fragment)
        return None if position is None else CleanPage(self._judgement, position, fragment)

    @property
    def url(self) -> str:
        """URL of the page."""
        return self._page.url

    @cached_property
    def template_url(self) -> str:
        """URL of the key page of the template that serves the page; empty if there is none."""
        return self._judgement.template_url

    @cached_property
    def fits(self) -> bool:
        """Whether the page fits a template."""
        return self._judgement.fits

    @cached_property
    def coverage(self) -> float:
        """Template nodes found in the page / template nodes, in [0, 1]."""
        return self._judgement.coverage

    @cached_property
    def kept_whole(self) -> bool:
        """Whether the page is kept as it is because nothing would be left of it."""
        roots = self._judgement.roots
        return bool(roots) and not _has_content_without(self._page, roots, self._part)

    @cached_property
    def removed(self) -> tuple[int, ...]:
        """Positions of the roots of the removed subtrees, in node order."""
        if self.kept_whole:
            return ()
        end = self._part + nodes_of(self._page).sizes[self._part] if self._part else 0
        return tuple(root for root in self._judgement.roots if not self._part or self._part < root < end)

    @cached_property
    def words(self) -> tuple[int, int]:
        """Number of words in the texts of the page, before and after."""
        return count_words_without(self._page, self.removed, self._part)

    @property
    def html(self) -> str:
        """HTML without the template; if nothing is removed, the source, unchanged."""
        if self._html is None:
            removed = self.removed
            self._html = rendering.cleaned_html(self._page, removed, part=self._part) if removed else self.source
        return self._html

    @cached_property
    def text(self) -> str:
        """What is left of the page as text, blocks on lines of their own."""
        return rendering.text(self._page, self.removed, part=self._part)

    @cached_property
    def markdown(self) -> str:
        """What is left of the page as Markdown, with absolute addresses."""
        return rendering.markdown(self._page, self.removed, part=self._part)

    @cached_property
    def content_html(self) -> str:
        """HTML of the main content alone: a fragment with absolute addresses, without the site's head and scripts.

        Without main content, and for a part of a page, :attr:`html`.
        """
        outside = self._outside_content
        return self.html if outside is None else rendering.content_fragment(self._page, outside)

    @cached_property
    def content_document(self) -> str:
        """The page with its head, and of its body the main content alone; addresses as the page has them.

        Without main content, and for a part of a page, :attr:`html`.
        """
        outside = self._outside_content
        return self.html if outside is None else rendering.cleaned_html(self._page, outside)

    @cached_property
    def content_text(self) -> str:
        """The main content as text. Without main content, and for a part of a page, :attr:`text`."""
        outside = self._outside_content
        return self.text if outside is None else rendering.text(self._page, outside)

    @cached_property
    def content_markdown(self) -> str:
        """The main content as Markdown. Without main content, and for a part of a page, :attr:`markdown`."""
        outside = self._outside_content
        return self.markdown if outside is None else rendering.markdown(self._page, outside)

    @cached_property
    def _outside_content(self) -> list[int] | None:
        """Roots of the subtrees outside the main content; None if there is no content to tell apart."""
        content = frozenset() if self._part else self._judgement.content
        return roots_outside(nodes_of(self._page), content) if content else None

    @cached_property
    def title(self) -> str:
        """The title of the page without what the site adds to every title.

        It is a heading of the main content if the title says nothing of the page.
        """
        return self._judgement.title

    @cached_property
    def _declared(self) -> dict[str, Found]:
        return read_metadata(self._page, self.removed)

    @cached_property
    def metadata(self) -> dict[str, dict[str, str]]:
        """Date, author, language and description, as far as they are known: the ``value`` of each, and its ``source``.

        A source is ``json-ld``, ``meta``, ``microdata``, ``microformat``, ``time``, ``html`` (its ``lang``) or
        ``text``, of which the extra ``metadata`` recognizes the language.
        """
        language = self._language
        found = self._declared if language is None else {**self._declared, "language": language}
        return {name: one._asdict() for name, one in sorted(found.items())}

    @cached_property
    def _language(self) -> Found | None:
        declared = self._declared.get("language")
        return recognized_language(self.content_text) if declared is None else declared

    @property
    def date(self) -> str:
        """The day on which the page was published, as ``2026-01-31``; empty if it is not known."""
        return _value_of(self._declared.get("date"))

    @property
    def author(self) -> str:
        """The name of the author, several with commas between them; empty if it is not known."""
        return _value_of(self._declared.get("author"))

    @property
    def language(self) -> str:
        """The language as a code of ISO 639, such as ``en``; empty if it is not known."""
        return _value_of(self._language)

    @property
    def description(self) -> str:
        """The description that the page gives of itself; empty if it gives none."""
        return _value_of(self._declared.get("description"))

    @cached_property
    def fields(self) -> dict[str, str]:
        """The values of the page under the labels that pages of its site share, such as ``{"Brand": "Acme"}``.

        Experimental: which labels and values are found may change from version to version.
        """
        return self._judgement.fields

    @cached_property
    def menu(self) -> tuple[MenuLink, ...]:
        """The links of the site's main menu, each URL once."""
        root = self._judgement.menu
        return () if root is None else menu_links(self._page, root)

    @cached_property
    def annotated_html(self) -> str:
        """HTML of the whole page, with the class ``template_node`` on the template's elements."""
        return rendering.annotated_html(self._page, self._judgement.nodes)

    @cached_property
    def template_html(self) -> str:
        """HTML of the template as a page of its own."""
        return rendering.cleaned_html(self._page, roots_outside(nodes_of(self._page), self._judgement.nodes))

    @cached_property
    def selector(self) -> Selector:
        """A selector on :attr:`html`."""
        return Selector(self.html, type="html", base_url=self.url)

    def css(self, query: str) -> SelectorList[Selector]:
        """Apply a CSS selector to :attr:`html`."""
        return self.selector.css(query)

    def xpath(self, query: str) -> SelectorList[Selector]:
        """Apply an XPath expression to :attr:`html`."""
        return self.selector.xpath(query)

    def output(self, which: Output) -> Any:
        """Return an attribute by its name, or what a function makes of this page; each is computed once."""
        if isinstance(which, str):
            return getattr(self, which)
        if which not in self._made:
            self._made[which] = which(self)
        return self._made[which]

    def compute(self, outputs: Iterable[Output]) -> None:
        """Compute some outputs now and release the trees: what is left costs strings and positions.

        The page's own tree is used up, which saves the copy that :attr:`html` needs otherwise. An attribute that is
        asked for later is computed from the source.
        """
        asked = dict.fromkeys(outputs)
        for output in ("template_url", "fits", "coverage", "words", *(one for one in asked if one != "html")):
            with suppress(Exception) if callable(output) else nullcontext():  # raised again where an item asks for it
                self.output(output)
        if "html" in asked and self._html is None and not self._part:
            self._html = rendering.cleaned_html(self._page, self.removed, consume_tree=True)
        self._judgement.release()

    def __repr__(self) -> str:
        return f"<CleanPage {self.url}>"


def _value_of(found: Found | None) -> str:
    return "" if found is None else found.value


def menu_links(page: Page, root: int) -> tuple[MenuLink, ...]:
    """Return the links in a node of a page, each URL once."""
    arrays = nodes_of(page)
    links: dict[str, MenuLink] = {}
    for position in range(root, root + arrays.sizes[root]):
        start_tag = arrays.start_tag(position)
        href = dict(start_tag.attributes).get("href") if start_tag.tag == "a" else None
        url = absolute(page.base_url, href)[1] if href is not None else None
        if url is not None:
            links.setdefault(url, MenuLink(text=_link_text(arrays, position), url=url))
    return tuple(links.values())


def _link_text(arrays: NodeArrays, link: int) -> str:
    """Return the text of a link up to the next one, or else that of its pictures, or its title."""
    end = link + arrays.sizes[link]
    # links in links are those of unclosed ones
    next_link = next((inside for inside in range(link + 1, end) if tag_of(arrays.tag_strings[inside]) == "a"), end)
    subtree = range(link, next_link)
    pictures = [dict(arrays.start_tag(position).attributes).get("alt", "") for position in subtree]
    title = dict(arrays.start_tag(link).attributes).get("title", "")
    texts = (" ".join(arrays.texts[position] or "" for position in subtree), " ".join(pictures), title)
    return next((words for text in texts if (words := " ".join(text.split()))), "")


def count_words_without(page: Page, roots: Collection[int] = (), part: int = 0) -> tuple[int, int]:
    """Return the number of words in the texts of a page, or a part of it, and that without some subtrees.

    Args:
        page: the page.
        roots: positions of the roots of the subtrees.
        part: position of the part.
    """
    arrays = nodes_of(page)
    before = arrays.words(part, part + arrays.sizes[part])
    return before, before - sum(arrays.words(root, root + arrays.sizes[root]) for root in roots)


def _has_content_without(page: Page, roots: Collection[int], part: int) -> bool:
    """Return whether a text, an image or a control is left of a part without some subtrees; O(number of nodes)."""
    arrays, removed = nodes_of(page), set(roots)
    if part and not removed.isdisjoint((part, *arrays.ancestors(part))):
        return False
    end = part + arrays.sizes[part]
    inside = [root for root in roots if part <= root < end]
    if count_words_without(page, inside, part)[1]:
        return True
    position = part
    while position < end:
        if position in removed:
            position += arrays.sizes[position]
            continue
        if tag_of(arrays.tag_strings[position]) in _MEDIA:
            return True
        position += 1
    return False
