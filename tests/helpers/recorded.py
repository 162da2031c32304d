"""Events of a crawl, made from small pages without a crawl."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from helpers.web import html_page
from templex_scrapy import Page, SubdigraphSearch, Template
from templex_scrapy.inspect.recorder import Recorder
from templex_scrapy.inspect.removed_texts import read_texts
from templex_scrapy.inspect.report import CrawlFacts, report_html

HOST = "https://site.test"


def page_at(path: str, *, host: str = HOST, title: str = "", **content: Any) -> Page:
    """A page of a site, with another title or the path."""
    return Page(html_page(path, **content).replace(f"<title>{path}", f"<title>{title or path}", 1), host + path)


@dataclass(kw_only=True)
class Clean:
    """A cleaned page, as far as the report reads it."""

    url: str
    source: str = ""
    template_url: str = ""
    coverage: float = 0.0
    words: tuple[int, int] = (0, 0)
    removed: tuple[int, ...] = ()

    @property
    def fits(self) -> bool:
        return bool(self.template_url)


def record_page(recorder: Recorder, clean: Any) -> None:
    """Let a recorder receive a page with an item, and read the texts if it asks for them."""
    texts = recorder.page_cleaned(clean)
    if texts is not None:
        texts.add(*read_texts(clean))
    if clean.fits:
        recorder.item_cleaned(clean)


class Search:
    """A search from a key page, and its result; ``others`` tells whether the candidates can be loaded."""

    def __init__(self, host: str = HOST, *, others: bool = True, **content: Any) -> None:
        self.host = host
        self.key = page_at("/", host=host, **content)
        self.search = SubdigraphSearch(self.key, 3, 10)
        while wanted := self.search.wanted():
            path = wanted[0].removeprefix(host)
            self.search.add(wanted[0], page_at(path, host=host, **content) if others else None)
        self.pages = self.search.pages
        self.template = Template.from_pages(self.key, self.pages)

    def end(self, recorder: Recorder) -> None:
        """Let a recorder receive the end of the search."""
        if self.pages:
            recorder.template_learnt(self.template)
        recorder.search_ends(self.search, self.template if self.pages else None, cut_short=False)

    def clean(self, path: str, **content: Any) -> Clean:
        """A page that the template has cleaned."""
        dirty = page_at(path, host=self.host, **content)
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


def record_crawl(recorder: Recorder) -> None:
    """A search, some pages with items, a failed search and a page without a template."""
    search = Search()
    search.end(recorder)
    for number in range(4):
        record_page(recorder, search.clean(f"/{number}", body="<p>kept words</p>"))
    Search(others=False).end(recorder)
    recorder.page_cleaned(Clean(url=f"{search.host}/unfit"))


def crawl_of(**options: Any) -> CrawlFacts:
    """A crawl that took a minute."""
    began, now = (datetime(2026, 1, 2, 3, minute, tzinfo=UTC) for minute in (4, 5))
    return CrawlFacts(**{"spider": "test", "began": began, "now": now, "stats": {}, "reason": "finished", **options})


def report_of(recorder: Recorder, **options: Any) -> str:
    return report_html(recorder, crawl_of(**options))
