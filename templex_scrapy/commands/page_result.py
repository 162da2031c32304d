"""What the crawl of one page found, and the outputs that are made of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from templex_scrapy.commands.fetch import FetchTask
from templex_scrapy.figures import counted
from templex_scrapy.page import Page
from templex_scrapy.render import OUTPUT_NAMES, CleanPage
from templex_scrapy.template import FIT_RULES, LearntTemplate, Match

OUTPUTS: Mapping[str, str] = MappingProxyType(
    {**{name: name for name in OUTPUT_NAMES}, "annotated": "annotated_html", "template": "template_html"}
)
"""Option → attribute of :class:`CleanPage`."""

_PLAIN = frozenset({"text", "markdown"})


class PageResult:
    """A page, the template that the crawl chose for it, and what is left of it.

    Args:
        task: a task whose crawl has found a page.
    """

    def __init__(self, task: FetchTask) -> None:
        if task.response is None:
            raise ValueError("the crawl of this task has found no page")
        self._task = task
        self._encoding = task.response.encoding
        self.match = task.match or Match(Page.from_response(task.response))
        self.page = self.match.page
        self.name = task.name if task.saved is not None else self.page.url
        self.search = task.search
        self.voters = task.search.pages if task.search is not None else ()
        self.was_cut_short = task.was_cut_short
        self.loaded = len(task.loaded)

    @property
    def template(self) -> LearntTemplate | None:
        """The template that serves the page; None if none fits."""
        return self.match.template if self.match.fits else None

    @property
    def is_stored(self) -> bool:
        """Whether the template comes from the store."""
        stored = {one.template.identity for one in self._task.stored}
        return self.template is not None and self.template.identity in stored

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
        search = self.search
        loads, candidates = (search.loads, len(search.candidates)) if search is not None else (0, 0)
        # the first one that holds: each supposes that those above it do not
        reasons = {
            "": self.template is not None,
            "the page nests deeper than the parser goes": self.page.is_cut,
            "no known template fits, and TEMPLEX_MAX_SEARCHES allows no search": search is None,
            "the page links to no other page of its site": not candidates,
            f"none of {counted(loads, 'linked page')} could be loaded": not self.loaded,
            f"of {counted(self.loaded, 'linked page')} no two link to each other and differ": (
                len(self.voters) < FIT_RULES.fewest_pages
            ),
        }
        others = "the pages that link to each other are copies, or have too little in common"
        return next((reason for reason, holds in reasons.items() if holds), others)

    @property
    def clean(self) -> CleanPage:
        """The page without its template; as it is if there is none."""
        return self.match.clean

    @property
    def template_share(self) -> float:
        """The share of the page's nodes that are template, 0 to 1."""
        return len(self.match.nodes) / len(self.page) if self.template is not None else 0.0

    def name_of(self, url: str) -> str:
        """Return what people call the page at an address."""
        return url if self._task.saved is None else self._task.saved.name_of(url)

    def output(self, form: str) -> bytes | None:
        """Make an output: ``"json"``, ``"view"`` or one of :data:`OUTPUTS`; None for want of a template.

        Pages have their own charset, which they may declare; everything else is UTF-8.
        """
        if form == "json":
            return (json.dumps(self.as_data(), ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")
        # the main content needs no template
        if self.template is None and not form.startswith("content_"):
            return None
        if form == "view":
            return self._view().encode("utf-8")
        written: str = getattr(self.clean, OUTPUTS[form])
        # a terminal or a file of lines wants an end of the last line
        if form == "content_html" or form.removeprefix("content_") in _PLAIN:
            # a fragment declares no charset
            return f"{written.rstrip()}\n".encode("utf-8", "replace")
        # HTML parsers read character references where the charset lacks a character
        return written.encode(self._encoding, "xmlcharrefreplace")

    def _view(self) -> str:
        from templex_scrapy.view import view  # noqa: PLC0415 - needs an extra

        return view(
            self.match,
            pages=self.voters,
            base=None if self._task.saved is None else self._task.saved.key.as_uri(),
            called=self.name_of,
        )

    def as_data(self) -> dict[str, Any]:
        """Return everything, as JSON takes it."""
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
