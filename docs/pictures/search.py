"""A search on the demo site, without a crawl."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from sample_project.demo_site import DemoSite, build_site
from templex_scrapy import Match, Page, SubdigraphSearch, Template

HOST = "https://example.com"
ARTICLE = "/repairs/brakes-that-squeal/"


@dataclass(frozen=True, kw_only=True)
class Search:
    """A search that has ended.

    Attributes:
        key: the key page.
        state: the search itself.
        loaded: what it loaded, by the URL that was asked for, in this order.
        template: what it found.
        match: the key page compared with that template.
    """

    key: Page
    state: SubdigraphSearch
    loaded: Mapping[str, Page]
    template: Template
    match: Match


def search(path: str) -> Search:
    """Search the template of a page of the demo site, without a crawl."""
    site = build_site()
    key = _page(site, HOST + path)
    state = SubdigraphSearch(key)
    loaded: dict[str, Page] = {}
    while wanted := state.wanted():
        loaded[wanted[0]] = _page(site, wanted[0])
        state.add(wanted[0], loaded[wanted[0]])
    template = Template.from_pages(key, state.pages)
    return Search(key=key, state=state, loaded=loaded, template=template, match=template.match(key))


def _page(site: DemoSite, url: str) -> Page:
    path = site.redirects.get(path_of(url), path_of(url))
    return Page(site.pages[path].html, HOST + path)


def path_of(url: str) -> str:
    """Path of a URL."""
    return urlsplit(url).path
