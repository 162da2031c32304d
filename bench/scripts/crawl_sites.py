"""Crawl real saved sites with and without the plug-in: items, requests, quality, CPU time, memory.

    python bench/scripts/crawl_sites.py sites     # items, requests, quality
    python bench/scripts/crawl_sites.py speed     # CPU time, memory: the median of three pairs of crawls
    python bench/scripts/crawl_sites.py small     # what the complete subdigraph brings if a crawl takes few pages

The sites under ../shared/sites, or those that are named behind, are crawled at their own addresses, without a network.
Each crawl runs in a process of its own, one after the other. Small crawls run with the template of the subdigraph,
without it, and without the plug-in; those of one page begin at the first three key pages of a site, the others at the
first.
"""

from __future__ import annotations

import asyncio
import math
import re
import resource
import statistics
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Any, cast

from isolated import ADDON, SHARED, TimedExtractor, crawl_now, isolated
from parsel import Selector
from scrapy import Request, Spider, signals
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response, TextResponse
from templex_bench.measures.scores import score_counts, words_of
from templex_bench.suites import Site, open_suite

from templex_scrapy.learning import SiteLearning

SMALL = {"one page": 0, "ten items": 1, "every fifth link": 5}
"""Kind of small crawl → the spider follows each so many-th link; 0: it follows no link."""
OUTPUTS = {"html": "html", "content": "content_text", "readable": "content_markdown"}
_TARGET = r"\]\([^()]*(?:\([^()]*\)[^()]*)*\)"
_TEXTS = "//body//text()[not(ancestor::script or ancestor::style)]"
_MARKUP = re.compile(rf"!\[[^\]]*{_TARGET}|{_TARGET}|\\")  # images, targets of links, and escapes

SITES = sorted(path.parent.name for path in (SHARED / "sites").glob("*/site.json"))


@cache
def saved(name: str) -> Site:
    """Return a saved site."""
    (site,) = open_suite(SHARED / "sites" / name).sites
    return site


class CountingHandler(BaseDownloadHandler):
    """Answers from the saved sites, 404 for what is not saved, with a count of each URL asked for."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.sites = [saved(name) for name in crawler.settings.getlist("BENCH_SITES")]

    async def download_request(self, request: Request) -> Response:
        """Answer from the archive."""
        cast("SiteSpider", self.crawler.spider).asked[request.url.partition("#")[0]] += 1
        # others have their turn before it answers
        await asyncio.sleep(0)
        for site in self.sites:
            path = site.path(request.url)
            if path is not None:
                body = (site.folder / path).read_bytes()
                return HtmlResponse(request.url, body=body, headers={"Content-Type": "text/html"}, request=request)
        plain = {"Content-Type": "text/plain"}
        return TextResponse(request.url, status=404, body=b"not saved", headers=plain, request=request)


class SiteSpider(Spider):
    """Crawls whole sites by their links; an item for each page."""

    name = "bench"

    def __init__(self, spec: dict[str, Any]) -> None:
        super().__init__()
        self.spec = spec
        self.asked: Counter[str] = Counter()
        self.sites = [saved(name) for name in spec["sites"]]
        self.hosts = {site.base_url.split("/")[2] for site in self.sites}
        self.extractor = TimedExtractor(allow_domains=sorted(self.hosts))
        starts = [site.base_url if site.path(site.base_url) else site.key_urls[0] for site in self.sites]
        self.start_urls = spec.get("starts", starts)

    def parse(self, response: Response, **_: Any) -> Iterator[Any]:
        """An item for the page, and its links."""
        if not isinstance(response, HtmlResponse):
            return
        # of addresses that differ in the fragment alone, any may come first
        yield {"url": response.url.partition("#")[0], "html": response.text}
        step = self.spec.get("step", 1)
        links = self.extractor.extract_links(response) if step else []
        yield from [Request(link.url) for link in links if link.url.split("/")[2] in self.hosts][:: step or 1]


def body_text(html: str) -> str:
    """The text under body, without script and style."""
    return " ".join(Selector(text=html, type="html").xpath(_TEXTS).getall())


def word_scores(text: str, wanted: str) -> tuple[float, float, float]:
    """Precision, recall and F1 of words."""
    score = score_counts(words_of(text), words_of(wanted))
    return score.precision or 0.0, score.recall or 0.0, score.f1 or 0.0


class Collect:
    """Counts the items of each URL and the empty ones, and keeps the items of wanted pages."""

    def __init__(self, wanted: set[str]) -> None:
        self.urls: Counter[str] = Counter()
        self.empty = 0
        self.items: dict[str, dict[str, str]] = {}
        self._wanted = wanted

    def take(self, item: dict[str, str]) -> None:
        """Note an item."""
        self.urls[item["url"]] += 1
        self.empty += not item["html"].strip() or (bool(self._wanted) and not body_text(item["html"]).strip())
        if item["url"] in self._wanted:
            self.items[item["url"]] = dict(item)


def crawl_here(spec: dict[str, Any]) -> dict[str, Any]:
    """Run one crawl in this process, and return what is reported."""
    if spec.get("without_subdigraph"):
        SiteLearning.end_search = lambda self, key, _=(), *, loads=0: _end(self, key, (), loads=loads)  # type: ignore[method-assign,assignment]
    settings: dict[str, Any] = {
        "BENCH_SITES": spec["sites"],
        "CLOSESPIDER_ITEMCOUNT": spec.get("most", 0),
        "ADDONS": ADDON if spec["addon"] else {},
        "TEMPLEX_OUTPUTS": OUTPUTS if spec.get("score") else None,
    }
    collect = Collect({url for name in spec["sites"] for url in saved(name).key_urls if spec.get("score")})
    crawler, _, cpu = crawl_now(SiteSpider, CountingHandler, settings, {signals.item_scraped: collect.take}, spec=spec)
    stats, spider = crawler.stats.get_stats(), cast("SiteSpider", crawler.spider)
    return {
        "reason": stats.get("finish_reason"),
        "items": dict(collect.urls),
        "empty": collect.empty,
        "asked": dict(spider.asked),
        "cpu": cpu,
        "extracting": spider.extractor.seconds,
        "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "stats": {name: value for name, value in stats.items() if name.startswith(("templex/", "spider_exc"))},
        "scores": [scores(name, url, item) for name in spec["sites"] for url, item in collect.items.items()],
    }


_end = SiteLearning.end_search


def scores(name: str, url: str, item: dict[str, str]) -> list[float]:
    """P, R, F1 of the words of the item, of the page and of the content, against the gold standard of a key page.

    The last value is F1 of the words of the content as Markdown, without images and targets, against those as text.
    """
    key = saved(name).key_page(url)
    gold, text, markdown = key.gold.text or "", item.get("content", ""), item.get("readable", "")
    measured = body_text(item["html"]), body_text(key.page.text), text
    return [*chain(*(word_scores(words, gold) for words in measured)), word_scores(_MARKUP.sub("", markdown), text)[2]]


def pair(spec: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The same crawl without and with the add-on, each in a process of its own."""
    return isolated(crawl_here, {**spec, "addon": False}), isolated(crawl_here, {**spec, "addon": True})


def mean(values: list[list[float]]) -> list[float]:
    """Column means."""
    return [statistics.fmean(column) for column in zip(*values, strict=True)] if values else [math.nan] * 10


def sites(names: list[str]) -> None:
    """Crawl each site whole, and print its items, requests and scores."""
    print(f"{'site':30} pages items = requests extra twice search learnt  fit  whole | words, untouched F1 | content")
    total: Counter[str] = Counter()
    means: list[list[float]] = []
    for name in names:
        plain, clean = pair({"sites": [name], "score": True})
        stats, asked = clean["stats"], plain["asked"]
        extra = sum(clean["asked"].values()) - sum(asked.values())
        twice = sum(times > max(1, asked.get(url, 0)) for url, times in clean["asked"].items())
        same, pages = plain["items"] == clean["items"], sum(plain["items"].values())
        total.update(pages=pages, extra=extra, twice=twice, empty=clean["empty"] - plain["empty"], wrong=not same)
        means.append(mean(clean["scores"]))
        row = [f"{value:.3f}" for value in means[-1]]
        print(
            f"{name:30} {pages:5} {'yes' if same else 'NO':>7} {sum(asked.values()):8} {extra:5} {twice:5}"
            f" {stats.get('templex/searches', 0):6} {stats.get('templex/searches/learnt', 0):6}"
            f" {pages - stats.get('templex/items/no_template', 0):4} {stats.get('templex/items/kept_whole', 0):6}"
            f" | {' '.join(row[:3])} {row[5]} | {' '.join(row[6:9])}"
            + (f"  ended: {clean['reason']}" if clean["reason"] != "finished" else "")
        )
    mean_of = mean(means)
    row = [f"{value:.3f}" for value in mean_of]
    print(
        f"{'all':30} {total['pages']:5}, other items: {total['wrong']}, fields empty because of us: {total['empty']},"
        f" fetched twice: {total['twice']}, extra: {total['extra']}"
        f" = {100 * total['extra'] / total['pages']:.2f} per 100 pages\n"
        f"{'words, mean over sites':30} P {row[0]} R {row[1]} F1 {row[2]};"
        f" untouched P {row[3]} R {row[4]} F1 {row[5]}; recall kept {mean_of[1] / mean_of[4]:.4f}\n"
        f"{'content, mean over sites':30} P {row[6]} R {row[7]} F1 {row[8]};"
        f" as Markdown the same words: F1 {mean_of[9]:.4f}"
    )


def speed(names: list[str]) -> None:
    """Print the CPU time and memory of a crawl of all saved pages; a unit is the time of Scrapy's extract_links."""
    runs = [pair({"sites": names}) for _ in range(3)]
    for title, crawls in zip(("without", "with"), zip(*runs, strict=True), strict=True):
        cpu, unit, memory = (statistics.median(run[name] for run in crawls) for name in ("cpu", "extracting", "rss"))
        print(f"{title:8} CPU {cpu:6.2f} s = {cpu / unit:5.2f} units of {unit:.2f} s, peak {memory:.0f} MB")
    raw = [clean["cpu"] / plain["cpu"] for plain, clean in runs]
    units = [
        ratio / (clean["extracting"] / plain["extracting"]) for ratio, (plain, clean) in zip(raw, runs, strict=True)
    ]
    memory = statistics.median(clean["rss"] - plain["rss"] for plain, clean in runs)
    print(
        f"{sum(runs[0][0]['items'].values())} pages, with / without, median:"
        f" CPU {statistics.median(raw):.2f} x, in units {statistics.median(units):.2f} x, +{memory:.0f} MB"
    )


def small(names: list[str]) -> None:
    """Crawl few pages of each site, and print the scores of the words of the items."""
    print("crawl             template         words P     R    F1, recall kept; items, requests")
    for kind, step in SMALL.items():
        for mode in ("subdigraph", "no subdigraph", "no plug-in"):
            spec = {"score": True, "step": step, "most": 10 if step == 1 else 0, "addon": mode != "no plug-in"}
            spec["without_subdigraph"] = mode == "no subdigraph"
            total: Counter[str] = Counter()
            means = []
            for name in names:
                starts = saved(name).key_urls[: 1 if step else 3]
                crawls = [isolated(crawl_here, {**spec, "sites": [name], "starts": [start]}) for start in starts]
                for crawl in crawls:
                    total.update(items=sum(crawl["items"].values()), requests=sum(crawl["asked"].values()))
                means.append(mean([row for crawl in crawls for row in crawl["scores"]]))
            row = mean(means)
            print(
                f"{kind:17} {mode:15} {row[0]:7.3f} {row[1]:.3f} {row[2]:.3f} {row[1] / row[4]:.4f};"
                f" {total['items']}, {total['requests']}",
                flush=True,
            )


if __name__ == "__main__":
    {"sites": sites, "speed": speed, "small": small}[sys.argv[1]](sys.argv[2:] or SITES)
