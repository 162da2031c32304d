"""What the plug-in does to crawls of real saved sites, printed as figures: items, requests, quality, CPU time, memory.

    python bench/scripts/crawl_sites.py                    # everything
    python bench/scripts/crawl_sites.py sites speed   # some of: sites, speed

The sites under ../shared/sites are crawled at their own addresses, without a network. Each crawl runs in a process of
its own, one after the other. Words are runs of letters and digits, case-folded.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import math
import re
import resource
import statistics
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

from isolated import ADDON, TimedExtractor, crawl_now, run_isolated
from parsel import Selector
from scrapy import Request, Spider, signals
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response, TextResponse
from templex_bench.measures.scores import score_counts
from templex_bench.suites import Site, open_suite

SHARED = Path(__file__).resolve().parents[3] / "shared"

OUTPUTS = {"html": "html", "content": "content_text", "readable": "content_markdown"}
_TARGET = r"\]\([^()]*(?:\([^()]*\)[^()]*)*\)"
_TEXTS = "//body//text()[not(ancestor::script or ancestor::style)]"
_WORD = re.compile(r"\w+")
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
        self.start_urls = [site.base_url if site.path(site.base_url) else site.key_urls[0] for site in self.sites]

    def parse(self, response: Response, **_: Any) -> Iterator[Any]:
        """An item for the page, and its links."""
        if not isinstance(response, HtmlResponse):
            return
        # of addresses that differ in the fragment alone, any may come first
        yield {"url": response.url.partition("#")[0], "html": response.text}
        for link in self.extractor.extract_links(response):
            if link.url.split("/")[2] in self.hosts:
                yield Request(link.url)


def body_text(html: str) -> str:
    """The text under body, without script and style."""
    return " ".join(Selector(text=html, type="html").xpath(_TEXTS).getall())


def word_scores(text: str, wanted: str) -> tuple[float, float, float]:
    """Precision, recall and F1 of words."""
    score = score_counts(*(Counter(_WORD.findall(one.lower())) for one in (text, wanted)))
    return score.precision or 0.0, score.recall or 0.0, score.f1 or 0.0


class Collect:
    """Keeps of the items what is reported: how often each URL came, how many are empty, and wanted pages."""

    def __init__(self, wanted: set[str]) -> None:
        self.urls: Counter[str] = Counter()
        self.empty = 0
        self.html: dict[str, str] = {}
        self.content: dict[str, tuple[str, str]] = {}
        self._wanted = wanted

    def take(self, item: dict[str, str]) -> None:
        """Note an item."""
        url, html = item["url"], item["html"]
        self.urls[url] += 1
        self.empty += not html.strip() or (bool(self._wanted) and not body_text(html).strip())
        if url in self._wanted:
            self.html[url] = html
            self.content[url] = item.get("content", ""), item.get("readable", "")


def crawl_here(spec: dict[str, Any]) -> dict[str, Any]:
    """Run one crawl in this process and say what came of it."""
    logging.getLogger("scrapy").setLevel(logging.ERROR)
    settings: dict[str, Any] = {
        "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), CountingHandler),
        "BENCH_SITES": spec["sites"],
        "LOG_LEVEL": "ERROR",
        "ADDONS": ADDON if spec["addon"] else {},
        "TEMPLEX_OUTPUTS": OUTPUTS if spec.get("score") else None,
    }
    sites = [saved(name) for name in spec["sites"]]
    keys = {url for site in sites for url in site.key_urls if spec.get("score")}
    collect = Collect(keys)
    crawler, _, cpu = crawl_now(SiteSpider, settings, {signals.item_scraped: collect.take}, spec=spec)
    stats = crawler.stats.get_stats()
    return {
        "reason": stats.get("finish_reason"),
        "items": dict(collect.urls),
        "empty": collect.empty,
        "asked": dict(cast("SiteSpider", crawler.spider).asked),
        "cpu": cpu,
        "extracting": cast("SiteSpider", crawler.spider).extractor.seconds,
        "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "stats": {name: value for name, value in stats.items() if name.startswith(("templex/", "spider_exc"))},
        "scores": scores(spec, collect) if spec.get("score") else {},
    }


def scores(spec: dict[str, Any], collect: Collect) -> dict[str, list[list[float]]]:
    """Site → for each gold key page that was crawled: P, R, F1 of the words of the item, the page and its content.

    The last value is F1 of the words of the content as Markdown, without images and targets, against those as text.
    """
    found: dict[str, list[list[float]]] = {}
    for name in spec["sites"]:
        site = saved(name)
        for url in site.key_urls:
            if url not in collect.html:
                continue
            key = site.key_page(url)
            source, content = key.page.text, key.gold.text or ""
            text, markdown = collect.content[url]
            values = [
                *word_scores(body_text(collect.html[url]), content),
                *word_scores(body_text(source), content),
                *word_scores(text, content),
                word_scores(_MARKUP.sub("", markdown), text)[2],
            ]
            found.setdefault(name, []).append(values)
    return found


def crawl(spec: dict[str, Any]) -> dict[str, Any]:
    """Run one crawl in a process of its own."""
    return cast("dict[str, Any]", run_isolated(__file__, json.dumps(spec)))


def pair(spec: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The same crawl without and with the add-on."""
    return crawl({**spec, "addon": False}), crawl({**spec, "addon": True})


def difference(plain: dict[str, Any], clean: dict[str, Any]) -> tuple[bool, int, int]:
    """Whether the items are the same, requests beyond the plain crawl, URLs fetched more often than in it."""
    same = plain["items"] == clean["items"]
    extra = sum(clean["asked"].values()) - sum(plain["asked"].values())
    twice = sum(1 for url, times in clean["asked"].items() if times > max(1, plain["asked"].get(url, 0)))
    return same, extra, twice


def mean(values: list[list[float]]) -> list[float]:
    """Column means."""
    return [statistics.fmean(column) for column in zip(*values, strict=True)] if values else [math.nan] * 10


def sites(names: list[str] | None) -> None:
    """All sites crawled whole."""
    print("\n== Whole sites: plain crawl and with the add-on ==")
    print(
        f"{'site':30} pages items = requests extra twice search learnt  fit  whole | words P/R/F1, untouched F1"
        " | content P/R/F1"
    )
    total: Counter[str] = Counter()
    means: list[list[float]] = []
    for name in names or SITES:
        plain, clean = pair({"sites": [name], "score": True})
        same, extra, twice = difference(plain, clean)
        stats = clean["stats"]
        row = mean(clean["scores"].get(name, []))
        means.append(row)
        pages = sum(plain["items"].values())
        total.update(pages=pages, extra=extra, twice=twice, empty=clean["empty"] - plain["empty"], wrong=not same)
        print(
            f"{name:30} {pages:5} {'yes' if same else 'NO':>7} {sum(plain['asked'].values()):8} {extra:5} {twice:5}"
            f" {stats.get('templex/searches', 0):6} {stats.get('templex/searches/learnt', 0):6}"
            f" {pages - stats.get('templex/items/no_template', 0):4} {stats.get('templex/items/kept_whole', 0):6}"
            f" | {row[0]:.3f} {row[1]:.3f} {row[2]:.3f} {row[5]:.3f} | {row[6]:.3f} {row[7]:.3f} {row[8]:.3f}"
            + (f"  ended: {clean['reason']}" if clean["reason"] != "finished" else "")
        )
    row = mean(means)
    print(
        f"{'all':30} {total['pages']:5}, other items: {total['wrong']}, fields empty because of us: {total['empty']},"
        f" fetched twice: {total['twice']}, extra: {total['extra']}"
        f" = {100 * total['extra'] / total['pages']:.2f} per 100 pages\n"
        f"{'words, mean over sites':30} P {row[0]:.3f} R {row[1]:.3f} F1 {row[2]:.3f};"
        f" untouched P {row[3]:.3f} R {row[4]:.3f} F1 {row[5]:.3f}; recall kept {row[1] / row[4]:.4f}\n"
        f"{'content, mean over sites':30} P {row[6]:.3f} R {row[7]:.3f} F1 {row[8]:.3f};"
        f" as Markdown the same words: F1 {row[9]:.4f}"
    )


_COSTS = ("cpu", "extracting", "rss")


def speed(rounds: int, names: list[str] | None = None) -> None:
    """CPU time and memory of a crawl of all saved pages."""
    print("\n== CPU time and memory: all sites in one crawl; a unit is the time of Scrapy's extract_links ==")
    runs = [pair({"sites": names or SITES}) for _ in range(rounds)]
    for title, side in ("without", 0), ("with", 1):
        cpu, extracting, memory = (statistics.median(run[side][name] for run in runs) for name in _COSTS)
        print(f"{title:8} CPU {cpu:6.2f} s = {cpu / extracting:5.2f} units of {extracting:.2f} s, peak {memory:.0f} MB")
    raw = statistics.median(clean["cpu"] / plain["cpu"] for plain, clean in runs)
    units = statistics.median(
        clean["cpu"] / clean["extracting"] / (plain["cpu"] / plain["extracting"]) for plain, clean in runs
    )
    memory = statistics.median(clean["rss"] - plain["rss"] for plain, clean in runs)
    pages = sum(runs[0][0]["items"].values())
    print(
        f"{pages} pages, with / without, median of {rounds}: CPU {raw:.2f} x, in units {units:.2f} x, +{memory:.0f} MB"
    )


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", nargs="*", default=["sites", "speed"])
    parser.add_argument("--site", action="append", help="only this site")
    parser.add_argument("--rounds", type=int, default=3, help="pairs of crawls, for speed")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(crawl_here(json.loads(arguments.one))))
        return
    if "sites" in arguments.what:
        sites(arguments.site)
    if "speed" in arguments.what:
        speed(arguments.rounds, arguments.site)


if __name__ == "__main__":
    main()
