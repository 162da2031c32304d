"""Crawls of the real saved sites one after the other, with the template store of the first.

    python bench/scripts/recrawl.py                                # all sites in one crawl, three times
    python bench/scripts/recrawl.py --each --site fraser-lab --site kks-company

The second and third crawl are to need no search and to be equal to each other byte for byte; the pages that
they clean otherwise than the first crawl, which was still learning, are counted and shown. The sites are those under
../shared/sites, at their own addresses, without a network; each crawl runs in a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import difflib
import html
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from crawl_sites import ADDON, SHARED, SITES, SiteSpider, archive
from scrapy import Request, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response

CRAWLS = 3
SHOWN = 8
"""Pages that are shown, of those that differ."""


class SlowArchive(archive.ArchiveDownloadHandler):  # type: ignore[misc]
    """The archive, which lets others have their turn before it answers."""

    async def download_request(self, request: Request) -> Response:
        """Answer from the archive."""
        await asyncio.sleep(0)
        response: Response = await super().download_request(request)
        return response


@dataclass(frozen=True)
class Recrawled:
    """What came of one crawl.

    Attributes:
        items: URL → the field with the page, of each of its items, sorted.
        reason: why it ended.
        stats: stats of the plug-in.
    """

    items: dict[str, list[str]]
    reason: str
    stats: dict[str, int]

    def stat(self, name: str) -> int:
        """A stat of the plug-in."""
        return int(self.stats.get(f"templex/{name}", 0))

    @property
    def count(self) -> int:
        """Items in all."""
        return sum(map(len, self.items.values()))

    def text(self, url: str) -> str:
        """The items of a URL, one behind the other."""
        return "".join(self.items.get(url, []))

    def differing(self, other: Recrawled) -> list[str]:
        """The URLs whose items are not the same in another crawl."""
        urls = self.items.keys() | other.items.keys()
        return sorted(url for url in urls if self.items.get(url) != other.items.get(url))


def crawl_here(names: list[str], store: str, target: str) -> None:
    """Crawl sites in this process, and write down what came of it.

    Args:
        names: the sites.
        store: path of the template store.
        target: path of the file to write.
    """
    logging.getLogger("scrapy").setLevel(logging.ERROR)
    process = AsyncCrawlerProcess(
        {
            "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), SlowArchive),
            "SITE_ARCHIVE": [str(SHARED / "sites" / name) for name in names],
            "TELNETCONSOLE_ENABLED": False,
            "REMOTE_CONTROL_ENABLED": False,
            "LOG_LEVEL": "WARNING",
            "DOWNLOAD_DELAY": 0,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
            "ADDONS": ADDON,
            "TEMPLEX_STORE": store,
        }
    )
    crawler = process.create_crawler(RecrawlSpider)
    items: dict[str, list[str]] = {}
    reasons: list[str] = []

    def scraped(item: dict[str, str]) -> None:
        insort(items.setdefault(item["url"], []), item["html"])

    def closed(reason: str) -> None:
        reasons.append(reason)

    crawler.signals.connect(scraped, signals.item_scraped)
    crawler.signals.connect(closed, signals.spider_closed)
    process.crawl(crawler, spec={"sites": names})
    process.start()
    stats = {name: value for name, value in crawler.stats.get_stats().items() if name.startswith("templex/")}
    answer = {"items": items, "reason": "".join(reasons), "stats": stats}
    Path(target).write_text(json.dumps(answer), encoding="utf-8")


class RecrawlSpider(SiteSpider):
    """The spider of bench/scripts/crawl_sites.py, which needs a counter in its handler; not here."""


def crawl(names: list[str], store: Path) -> Recrawled:
    """Crawl sites in a process of its own.

    Raises:
        subprocess.CalledProcessError: if it fails.
    """
    target = store.with_suffix(".json")
    subprocess.run(  # noqa: S603 - this very script
        [sys.executable, __file__, "--one", json.dumps(names), str(store), str(target)],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    return Recrawled(**json.loads(target.read_text(encoding="utf-8")))


def recrawl(names: list[str]) -> list[Recrawled]:
    """Crawl sites three times over, with one store."""
    with tempfile.TemporaryDirectory() as folder:
        return [crawl(names, Path(folder, "templates.sqlite3")) for _ in range(CRAWLS)]


def changed_words(before: str, after: str) -> Iterator[str]:
    """What of a page's words only one of two crawls has, in short."""
    texts = [
        html.unescape(re.sub(r"(?s)<(script|style)\b.*?</\1\s*>|<[^>]*>", " ", one)).split() for one in (before, after)
    ]
    matcher = difflib.SequenceMatcher(None, texts[0], texts[1], autojunk=False)
    for _, low, high, other_low, other_high in (code for code in matcher.get_opcodes() if code[0] != "equal"):
        for sign, words in (("-", texts[0][low:high]), ("+", texts[1][other_low:other_high])):
            if words:
                yield f"{sign} {len(words)} words: {' '.join(words)[:90]}"


def report(title: str, crawls: list[Recrawled], *, shown: int = SHOWN) -> bool:
    """Print what came of the crawls; whether all is as it is to be."""
    first, second, third = crawls
    for number, one in enumerate(crawls, 1):
        print(
            f"{title} crawl {number}: items {one.count}, {one.reason}; searches {one.stat('searches')},"
            f" candidates requested {one.stat('candidates/requested')}, templates loaded {one.stat('store/loaded')},"
            f" saved {one.stat('store/saved')}; cleaned {one.stat('items/cleaned')},"
            f" no template {one.stat('items/no_template')}"
        )
    unequal, later = second.differing(third), first.differing(second)
    longer = sum(len(second.text(url)) > len(first.text(url)) for url in later)
    print(
        f"{title} second and third: {len(unequal)} of {len(second.items)} pages differ;"
        f" first and second: {len(later)} differ, {longer} of them longer in the second"
    )
    for url in unequal[:shown]:
        _show(url, second, third)
    for url in later[:shown]:
        _show(url, first, second)
    same_urls = first.items.keys() == second.items.keys() == third.items.keys()
    return same_urls and not unequal and not second.stat("searches") and not third.stat("searches")


def _show(url: str, one: Recrawled, other: Recrawled) -> None:
    before, after = one.text(url), other.text(url)
    # addresses and words come from foreign sites: nothing of them may steer the terminal
    print(f"  {url!a}: {len(before):,} -> {len(after):,} characters")
    for line in list(changed_words(before, after))[:4]:
        print(f"    {line if line.isprintable() else ascii(line)}")


def main() -> None:
    """Run what the command line asks for; exit code 1 if a recrawl searches, or two recrawls differ."""
    if sys.argv[1:2] == ["--one"]:
        crawl_here(json.loads(sys.argv[2]), *sys.argv[3:5])
        return
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--each", action="store_true", help="a crawl for each site, instead of one for all")
    parser.add_argument("--site", action="append", choices=SITES, help="only this site")
    parser.add_argument("--shown", type=int, default=SHOWN, help="pages to show, of those that differ")
    options = parser.parse_args()
    names = options.site or SITES
    groups = [[name] for name in names] if options.each else [names]
    fine = [
        report(group[0] if len(group) == 1 else "all sites,", recrawl(group), shown=options.shown) for group in groups
    ]
    sys.exit(0 if all(fine) else 1)


if __name__ == "__main__":
    main()
