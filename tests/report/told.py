"""What a crawl tells its observers, made from small pages without a crawl."""

from __future__ import annotations

from typing import Any

from templex_scrapy import Page, SubdigraphSearch, Template
from templex_scrapy.crawl.candidate_loader import SearchResult
from templex_scrapy.template.cleaned import Cleaned

MENU = ("/", "/news/", "/shop/", "/about/")


def page(
    path: str, *, host: str = "https://site.test", menu: tuple[str, ...] = MENU, body: str = "", title: str = ""
) -> Page:
    """A page with a menu that repeats, and words of its own."""
    links = "".join(f'<li><a href="{target}">Section {target}</a></li>' for target in menu)
    return Page(
        f"<!DOCTYPE html><html><head><title>{title or path}</title></head><body><ul class=menu>{links}</ul>"
        f"<main><h1>Headline of {path}</h1><p>own words of {path}</p>{body}</main>"
        "<footer><p>Repeated footer with imprint</p></footer></body></html>",
        host + path,
    )


class Told:
    """A search and what came of it.

    Args:
        host: the site.
        others: whether the candidates can be loaded.
        content: options of the pages.
    """

    def __init__(self, host: str = "https://site.test", *, others: bool = True, **content: Any) -> None:
        self.host = host
        self.key = page("/", host=host, **content)
        self.search = SubdigraphSearch(self.key, 3, 10)
        while wanted := self.search.wanted():
            path = wanted[0].removeprefix(host)
            self.search.add(wanted[0], page(path, host=host, **content) if others else None)
        self.result = SearchResult(pages=self.search.pages)
        self.template = Template.from_pages(self.key, self.result.pages) if self.result.pages else None

    def cleaned(self, path: str, **content: Any) -> Cleaned:
        """A page that the template has cleaned."""
        assert self.template is not None
        dirty = page(path, host=self.host, **content)
        return Cleaned.from_match(dirty.text, self.template.match(dirty), ("html",), self.template.key_url)


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now
