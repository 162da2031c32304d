"""What the project of the tests has besides: the demo site in place of the web, and stats in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from scrapy import Spider, signals
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Request, Response, TextResponse

from sample_project.demo_site import build_site


class DemoDownloadHandler(BaseDownloadHandler):
    """Answers for every host with the pages, robots.txt and the redirect of the demo site; everything else is 404.

    Args:
        crawler: the crawl.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._site = build_site()

    async def download_request(self, request: Request) -> Response:
        """The answer to a request."""
        path = urlsplit(request.url).path
        if path in self._site.redirects:
            return Response(request.url, 302, headers={"Location": self._site.redirects[path]}, request=request)
        if path in self._site.pages:
            body = self._site.pages[path].html.encode()
            headers = {"Content-Type": "text/html; charset=utf-8"}
            return HtmlResponse(request.url, body=body, headers=headers, request=request)
        if path in self._site.files:
            kind, body = self._site.files[path]
            return TextResponse(request.url, body=body, headers={"Content-Type": kind}, request=request)
        return TextResponse(request.url, 404, body=b"not found", request=request)


class StatsFile:
    """Writes the numbers among a crawl's stats into stats-NAME.json, whatever is logged.

    Args:
        crawler: the crawl.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        crawler.signals.connect(self.write, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the extension of a crawl."""
        return cls(crawler)

    def write(self, spider: Spider) -> None:
        """Write the file."""
        stats = self._crawler.stats.get_stats() if self._crawler.stats else {}
        numbers = {name: value for name, value in stats.items() if isinstance(value, int)}
        Path(f"stats-{spider.name}.json").write_text(json.dumps(numbers), encoding="utf-8")
