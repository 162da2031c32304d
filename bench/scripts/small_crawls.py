"""What the complete subdigraph brings in small crawls, printed as a table: one page of a site, ten items, few links.

    python bench/scripts/small_crawls.py

Each site under ../shared/sites is crawled with the template of the subdigraph, without it, and without the plug-in. The
crawls of one page begin at the first three key pages of a site, the others at the first key page.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

from crawl_sites import SITES, Collect, CountingHandler, SiteSpider, body_text, saved, word_scores
from isolated import ADDON, crawl_now, isolated
from scrapy import signals
from scrapy.http import Response

from templex_scrapy.learning import SiteLearning

KINDS = {"one page": None, "ten items": 1, "every fifth link": 5}
"""Kind of crawl → the spider follows each so many-th link; None: it follows no link."""

MODES = ("subdigraph", "no subdigraph", "no plug-in")


class SmallSpider(SiteSpider):
    """Follows some of the links."""

    def __init__(self, spec: dict[str, Any]) -> None:
        super().__init__(spec)
        self.start_urls = [spec["start"]]

    def parse(self, response: Response, **_: Any) -> Iterator[Any]:
        """An item for the page, and some of its links."""
        step = KINDS[self.spec["kind"]]
        item, *requests = list(super().parse(response)) or [None]
        yield item
        yield from requests[::step] if step else ()


def crawl_here(spec: dict[str, Any]) -> dict[str, Any]:
    """Run one crawl in this process; return the scores of key pages, and the numbers of items and requests."""
    if spec["mode"] == "no subdigraph":
        SiteLearning.end_search = lambda self, key, _=(), *, loads=0: _end(self, key, (), loads=loads)  # type: ignore[method-assign,assignment]
    site = saved(spec["sites"][0])
    settings = {
        "BENCH_SITES": spec["sites"],
        "CLOSESPIDER_ITEMCOUNT": 10 if spec["kind"] == "ten items" else 0,
        "ADDONS": {} if spec["mode"] == "no plug-in" else ADDON,
    }
    collect = Collect(set(site.key_urls))
    crawler, _, _ = crawl_now(SmallSpider, CountingHandler, settings, {signals.item_scraped: collect.take}, spec=spec)
    golds = ((item, site.key_page(url)) for url, item in collect.items.items())
    return {
        "items": sum(collect.urls.values()),
        "requests": sum(cast("SmallSpider", crawler.spider).asked.values()),
        "scores": [
            [
                *word_scores(body_text(item["html"]), key.gold.text or ""),
                word_scores(body_text(key.page.text), key.gold.text or "")[1],
            ]
            for item, key in golds
        ],
    }


_end = SiteLearning.end_search


def main() -> None:
    """Print the table."""
    print("crawl             template         words P     R    F1, recall kept; items, requests")
    for kind in KINDS:
        for mode in MODES:
            total: Counter[str] = Counter()
            means = []
            for name in SITES:
                starts = saved(name).key_urls[: 3 if kind == "one page" else 1]
                specs = [{"sites": [name], "kind": kind, "mode": mode, "start": start} for start in starts]
                crawls = [isolated(crawl_here, spec) for spec in specs]
                total.update(items=sum(c["items"] for c in crawls), requests=sum(c["requests"] for c in crawls))
                rows = [row for crawl in crawls for row in crawl["scores"]]
                means.append([statistics.fmean(column) for column in zip(*rows, strict=True)])
            precision, recall, f1, of_page = (statistics.fmean(column) for column in zip(*means, strict=True))
            print(
                f"{kind:17} {mode:15} {precision:7.3f} {recall:.3f} {f1:.3f} {recall / of_page:.4f};"
                f" {total['items']}, {total['requests']}",
                flush=True,
            )


if __name__ == "__main__":
    main()
