"""What the crawl of one page found: the outputs that are made of it, and a summary for people."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from templex_scrapy.archives import SavedSite
from templex_scrapy.commands.terminal import printable
from templex_scrapy.figures import counted, percent, share
from templex_scrapy.inspect import view
from templex_scrapy.page import Page
from templex_scrapy.render import OUTPUT_NAMES, CleanPage
from templex_scrapy.search import SubdigraphSearch
from templex_scrapy.template import FIT_RULES, Match, Template

_ATTRIBUTES = {"annotated": "annotated_html", "template": "template_html"}
"""Option → attribute of :class:`CleanPage`, where they differ."""

_MOST_PAGES = 5  # of a template in the summary: it has up to twelve voters, and the rest has five lines


@dataclass(frozen=True, kw_only=True)
class PageResult:
    """A page, the template that the crawl chose for it, and what is left of it.

    Attributes:
        saved: the folder that it is from; None for a page from the web.
        voters: the pages that the search found.
        was_cut_short: whether the search for its template ended before it was done.
        loaded: number of linked pages that were downloaded.
        stored: identities of the templates that the store has of its site.
    """

    match: Match
    encoding: str
    saved: SavedSite | None
    search: SubdigraphSearch | None
    voters: Sequence[Page]
    was_cut_short: bool
    loaded: int
    stored: Collection[object]

    @property
    def page(self) -> Page:
        """The page."""
        return self.match.page

    @property
    def name(self) -> str:
        """What the user calls the page."""
        return self.page.url if self.saved is None else str(self.saved.key)

    @property
    def template(self) -> Template | None:
        """The template that serves the page; None if none fits."""
        return self.match.template if self.match.fits else None

    @property
    def is_stored(self) -> bool:
        """Whether the template comes from the store."""
        return self.template is not None and self.template.identity in self.stored

    @property
    def is_from_peers(self) -> bool:
        """Whether the template was made of pages of one type, because no pages link to each other."""
        return self.template is not None and not self.is_stored and len(self.voters) < FIT_RULES.fewest_pages

    @property
    def template_pages(self) -> list[str]:
        """The addresses of the other pages of the template."""
        urls = [self.template.key_url, *self.template.page_urls] if self.template is not None else []
        # the key page of the template may be the page itself
        return [url for url in dict.fromkeys(urls) if url != self.page.url]

    @property
    def why_not(self) -> str:
        """Why there is no template, in a few words; empty if there is one."""
        if self.template is not None:
            return ""
        if self.page.is_cut:
            return "the page nests deeper than the parser goes"
        if self.search is None:
            return "no known template fits, and TEMPLEX_MAX_SEARCHES allows no search"
        # the first one that holds
        reasons = {
            "the page links to no other page of its site": not self.search.candidates,
            f"none of {counted(self.search.loads, 'linked page')} could be loaded": not self.loaded,
            f"of {counted(self.loaded, 'linked page')} no two link to each other and differ": (
                len(self.voters) < FIT_RULES.fewest_pages
            ),
            "the pages that link to each other are copies, or have too little in common": True,
        }
        return next(reason for reason, holds in reasons.items() if holds)

    @property
    def clean(self) -> CleanPage:
        """The page without its template; as it is if there is none."""
        return self.match.clean

    def name_of(self, url: str) -> str:
        """Return what people call the page at an address."""
        return url if self.saved is None else self.saved.name_of(url)

    def output(self, form: str) -> bytes | None:
        """Make an output: ``"json"``, ``"view"`` or one of a :class:`CleanPage`; None for want of a template.

        Pages have their own charset, which they may declare; everything else is UTF-8.
        """
        if form == "json":
            return (json.dumps(self._data(), ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")
        # the main content needs no template
        if self.template is None and not form.startswith("content_"):
            return None
        if form == "view":
            return view(self.match, called=self.name_of).encode("utf-8")
        written: str = getattr(self.clean, _ATTRIBUTES.get(form, form))
        # a terminal or a file of lines wants an end of the last line, and a fragment declares no charset
        if form.startswith("content_") or form in {"text", "markdown"}:
            return f"{written.rstrip()}\n".encode("utf-8", "replace")
        # HTML parsers read character references where the charset lacks a character
        return written.encode(self.encoding, "xmlcharrefreplace")

    def _data(self) -> dict[str, Any]:
        template, search = self.template, self.search
        before, after = self.clean.words
        return {
            "url": self.page.url,
            "title": self.clean.title,
            "found": template is not None,
            "reason": self.why_not or None,
            "template_url": template.key_url if template is not None else None,
            "template_pages": self.template_pages,
            "from_peers": self.is_from_peers,
            "from_store": self.is_stored,
            "votes": template.votes if template is not None else None,
            "coverage": self.match.coverage,
            "candidates": len(search.candidates) if search is not None else 0,
            "loads": search.loads if search is not None else 0,
            "loaded": self.loaded,
            "cut_short": self.was_cut_short,
            "words": {"before": before, "after": after},
            "menu": {"node": self.match.menu, "links": list(self.clean.menu)},
            "nodes": len(self.page),
            "template_nodes": sorted(self.match.nodes) if template is not None else [],
            "removable_nodes": sorted(self.match.removable) if template is not None else [],
            "content_nodes": sorted(self.match.content),
            **({name: getattr(self.clean, name) for name in OUTPUT_NAMES} if template is not None else {}),
        }


def summary(result: PageResult, file: str | None) -> str:
    """Describe a page that a template fits, in a few lines; the last one says where it is written, or how it can be."""
    if file is None:
        last = "next", "--html, --text or --markdown writes what is left, --view shows what is removed and why"
    else:
        last = "written", file
    rows = [*_rows(result), *([] if file == "-" else [last])]
    return "\n".join([printable(result.name), *(f"  {label:<10}{printable(text)}" for label, text in rows), ""])


def _rows(result: PageResult) -> Iterator[tuple[str, str]]:
    if title := result.page.title:
        yield "title", title
    yield (
        "template",
        f"found, {percent(len(result.match.nodes) / len(result.page))} of the page's nodes{_source(result)}",
    )
    pages = result.template_pages
    for number, url in enumerate(pages[:_MOST_PAGES]):
        yield "" if number else "pages", result.name_of(url)
    if len(pages) > _MOST_PAGES:
        yield "", f"and {len(pages) - _MOST_PAGES:,} more"
    before, after = result.clean.words
    if result.clean.kept_whole:
        yield "words", f"{before:,}; nothing would be left, so the page is kept whole"
    else:
        yield "words", f"{before:,} before, {after:,} after ({share(before, after)} removed)"
    if result.search is not None:
        deadline = ", then the time was up" if result.was_cut_short else ""
        yield "loaded", f"{result.loaded:,} of {len(result.search.candidates):,} linked pages{deadline}"
    else:
        yield "loaded", "no other page"


def _source(result: PageResult) -> str:
    if result.is_stored:
        return ", from the store"
    if result.is_from_peers:
        return ", from pages of its type, since no two of the linked pages link to each other"
    search = result.search
    # with fewer pages than were wanted, more may be removed that belongs to the content
    if search is None or len(result.voters) >= search.size:
        return ""
    return f", from {len(result.voters)} pages ({search.size} were wanted)"
