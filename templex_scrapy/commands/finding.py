"""What a search for the template of one page has found, and what can be made of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, Self

from templex_scrapy.content.conex import detect_content
from templex_scrapy.content.menex import detect_menu
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.site import SPARE_PAGES
from templex_scrapy.page import Page, join
from templex_scrapy.render import CleanPage
from templex_scrapy.search import SubdigraphSearch
from templex_scrapy.template import (
    FEWEST_PAGES,
    Match,
    PendingPages,
    Template,
    template_from_peers,
    template_from_subdigraph,
)

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


class Progress(Protocol):
    """Told in a few words what is being done."""

    def __call__(self, text: str, *shorter: str) -> None:
        """Take what is being done, and the same in fewer words."""


@dataclass(frozen=True, kw_only=True)
class MenuLink:
    """A link in a page's main menu.

    Attributes:
        text: its words, or those that stand for its picture, on one line.
        url: where it leads, absolute if it can be parsed.
        is_template: whether it is template, wherever in the menu it stands.
    """

    text: str
    url: str
    is_template: bool


@dataclass(kw_only=True)
class Finding:
    """A page, the search for its template, and what came of it.

    Attributes:
        key: the page.
        name: what the user calls it: its address, or the file that it is saved in.
        encoding: its charset.
        search: the search.
        settings: the settings that it went by.
        loaded: number of candidates that brought a page.
        timed_out: whether the search was ended by its deadline.
        files: style sheets and pictures of the page that were brought along, as the view takes them.
        called: address → what people call the page there, if that is not its address.
        kin: pages of the page's kind that stand in for a complete subdigraph, if there is none.
        kin_template: their template.
    """

    key: Page
    name: str
    encoding: str
    search: SubdigraphSearch
    settings: TemplexSettings
    loaded: int = 0
    timed_out: bool = False
    files: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    called: Callable[[str], str] = str
    kin: tuple[Page, ...] = ()
    kin_template: Template | None = None

    @property
    def pages(self) -> tuple[Page, ...]:
        """The complete subdigraph, or the pages that stand in for it."""
        return self.kin or self.search.pages

    def standing_in(self, pages: Iterable[Page]) -> Self:
        """What is found if pages stand in for a complete subdigraph where there is none, as those of a crawl do.

        Args:
            pages: pages of the site. Those of another kind than the key page are left aside.

        Returns:
            Another finding; this one if the page has a template already, or gets none by these pages either.
        """
        if self.found or self.key.is_cut:
            return self
        kept = PendingPages(sys.maxsize, sys.maxsize)
        for page in pages:
            kept.add(page)
        like = kept.peers_of(self.key)[:SPARE_PAGES]
        template = template_from_peers(self.key, like, self.settings.votes)
        if template is None:
            return self
        other = replace(self, kin=tuple(one.page for one in like), kin_template=template)
        return other if other.found else self

    @cached_property
    def template(self) -> Template:
        """What the pages of the subdigraph agree on, or those that stand in for it, as a crawl would learn it."""
        if self.kin_template is not None:
            return self.kin_template
        return template_from_subdigraph(self.key, self.pages, self.settings.votes)

    @cached_property
    def match(self) -> Match:
        """The page laid over its template."""
        return self.template.match(self.key, preserve=self.settings.preserve)

    @property
    def template_share(self) -> float:
        """The share of the page's nodes that are template, 0 to 1."""
        return len(self.match.nodes) / len(self.key) if self.found else 0.0

    @cached_property
    def why_not(self) -> str:
        """Why there is no template, in a few words; empty where there is one."""
        why = "" if self.kin else self._why_too_few()
        return why or ("" if self.match.fits else "the pages that link each other have nothing in common")

    def _why_too_few(self) -> str:
        """Why there is no complete subdigraph; empty where there is one."""
        search = self.search
        if not search.candidates:
            return "the page links to no other page of its site"
        if self.key.is_cut:
            return "the page nests deeper than the parser goes"
        if not self.loaded:
            return f"none of {_counted(search.loads, 'linked page')} could be loaded"
        if len(self.pages) < FEWEST_PAGES or len(self.template.page_urls) < FEWEST_PAGES:
            return f"of {_counted(self.loaded, 'linked page')} no two link each other and differ"
        return ""

    @property
    def found(self) -> bool:
        """Whether there is a template."""
        return not self.why_not

    @cached_property
    def cleaned(self) -> CleanPage:
        """What a crawl would write into an item."""
        return self.match.clean

    def output(self, kind: str) -> str:
        """The page as ``"html"``, ``"text"``, ``"markdown"`` or ``"annotated"``, or its ``"template"`` as a page."""
        return str(getattr(self.cleaned, f"{kind}_html" if kind in {"annotated", "template"} else kind))

    @property
    def words(self) -> tuple[int, int]:
        """Number of words in the texts of the page, before and after, as a crawl counts them."""
        return self.cleaned.words

    @cached_property
    def menu(self) -> int | None:
        """Position of the root of the main menu."""
        return detect_menu(self.key)

    @cached_property
    def content(self) -> frozenset[int]:
        """Positions of the main content nodes."""
        return detect_content(self.key)

    @cached_property
    def menu_links(self) -> Sequence[MenuLink]:
        """The links of the main menu, in document order, each target once."""
        if self.menu is None:
            return ()
        base = self.key.base_url
        template = self._template_links(self.menu)
        links: dict[str, MenuLink] = {}
        for element in self.key.nodes[self.menu].element.iter("a"):
            href = element.get("href")
            if href is not None:
                url = join(base, href) or href
                known = links.get(url)
                if known is None:
                    links[url] = MenuLink(text=_words_of(element), url=url, is_template=element in template)
                elif element in template:
                    links[url] = replace(known, is_template=True)
        return tuple(links.values())

    def _template_links(self, root: int) -> set[Element]:
        """The links in a subtree that are template."""
        if not self.found:
            return set()
        subtree = self.key.nodes[root : root + self.key.arrays.sizes[root]]
        return {node.element for node in subtree if node.tag == "a" and node.position in self.match.nodes}

    def as_data(self) -> dict[str, Any]:
        """Everything, as JSON takes it."""
        before, after = self.words
        return {
            "url": self.key.url,
            "found": self.found,
            "reason": self.why_not or None,
            "method": self.settings.method,
            "coverage": self.match.coverage,
            "pages": [page.url for page in self.pages],
            "stands_in": bool(self.kin),
            "loads": self.search.loads,
            "loaded": self.loaded,
            "candidates": len(self.search.candidates),
            "timed_out": self.timed_out,
            "votes": self.template.votes,
            "words": {"before": before, "after": after},
            "menu": {
                "node": self.menu,
                "links": [asdict(link) for link in self.menu_links],
            },
            "nodes": len(self.key),
            "template_nodes": sorted(self.match.nodes) if self.found else [],
            "removable_nodes": sorted(self.match.removable) if self.found else [],
            "content_nodes": sorted(self.content),
            "kept_whole": self.found and self.cleaned.kept_whole,
            **({kind: self.output(kind) for kind in TEXT_OUTPUTS} if self.found else {}),
        }


TEXT_OUTPUTS = ("template", "html", "text", "markdown", "annotated")
"""What can be written of a page whose template was found, beside JSON and the view."""


def _words_of(link: Element) -> str:
    """What a link says: its words, or else those that stand for its pictures, or its title."""
    pictures = (picture.get("alt") or "" for picture in link.iter("img"))
    said = ("".join(link.itertext()), " ".join(pictures), link.get("title") or "")
    return next((words for text in said if (words := " ".join(text.split()))), "")


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
