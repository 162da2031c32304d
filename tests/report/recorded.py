"""Events of a crawl, made from small pages without a crawl."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from templex_scrapy import Page, SubdigraphSearch, Template
from templex_scrapy.report.document import Crawl, document
from templex_scrapy.report.page_texts import read_texts
from templex_scrapy.report.recorder import Recorder

MENU = ("/", "/news/", "/shop/", "/about/")
HOST = "https://site.test"


def page(path: str, *, host: str = HOST, menu: tuple[str, ...] = MENU, body: str = "", title: str = "") -> Page:
    """A page with a menu that repeats, and words of its own."""
    links = "".join(f'<li><a href="{target}">Section {target}</a></li>' for target in menu)
    return Page(
        f"<!DOCTYPE html><html><head><title>{title or path}</title></head><body><ul class=menu>{links}</ul>"
        f"<main><h1>Headline of {path}</h1><p>own words of {path}</p>{body}</main>"
        "<footer><p>Repeated footer with imprint</p></footer></body></html>",
        host + path,
    )


@dataclass(kw_only=True)
class Clean:
    """A cleaned page, as far as the report reads it."""

    url: str
    source: str
    template_url: str
    coverage: float
    words: tuple[int, int]
    removed: tuple[int, ...]
    fits: bool = True


def record_page(recorder: Recorder, clean: Any) -> None:
    """Let a recorder receive a page, and read its texts if it asks for them."""
    template = recorder.page_cleaned(clean)
    if template is not None:
        template.add_texts(read_texts(clean, with_menu=not template.menu))


def unfit(url: str) -> Clean:
    """A page that fits no template."""
    return Clean(url=url, source="", template_url="", coverage=0.0, words=(0, 0), removed=(), fits=False)


class Search:
    """A search from a key page and what it found.

    Args:
        host: the site.
        others: whether the candidates can be loaded.
        content: options of the pages.
    """

    def __init__(self, host: str = HOST, *, others: bool = True, **content: Any) -> None:
        self.host = host
        self.key = page("/", host=host, **content)
        self.search = SubdigraphSearch(self.key, 3, 10)
        while wanted := self.search.wanted():
            path = wanted[0].removeprefix(host)
            self.search.add(wanted[0], page(path, host=host, **content) if others else None)
        self.pages = self.search.pages
        self.template = Template.from_pages(self.key, self.pages)

    def end(self, recorder: Recorder) -> None:
        """Let a recorder receive the end of the search."""
        template = self.template if self.pages else None
        recorder.search_ends(self.search, template, cut_short=False)
        if template is not None:
            recorder.template_learnt(template)

    def clean(self, path: str, **content: Any) -> Clean:
        """A page that the template has cleaned."""
        dirty = page(path, host=self.host, **content)
        match = self.template.match(dirty)
        words = len(dirty.text.split())
        return Clean(
            url=dirty.url,
            source=dirty.text,
            template_url=self.template.key_url,
            coverage=match.coverage,
            words=(words, words // 2),
            removed=match.roots,
        )


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def record_pages(recorder: Recorder, clock: Clock, search: Search) -> None:
    """A search, some pages with items, a failed search and a page without a template."""
    search.end(recorder)
    for number in range(4):
        clock.now += 1
        clean = search.clean(f"/{number}", body="<p>kept words</p>")
        record_page(recorder, clean)
        recorder.item_cleaned(clean)
    Search(others=False).end(recorder)
    recorder.page_cleaned(unfit(f"{search.host}/unfit"))


def crawl_of(spider: str = "test", reason: str | None = "finished", **stats: int) -> Crawl:
    """A crawl with some stats: ``items_cleaned=3`` is ``templex/items/cleaned``."""
    named = {f"templex/{name.replace('_', '/', 1)}": value for name, value in stats.items()}
    began = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    return Crawl(spider=spider, began=began, dry_run=False, stats=named, reason=reason)


def report_of(recorder: Recorder) -> str:
    """The report of a recorder."""
    return document(recorder, crawl_of())
