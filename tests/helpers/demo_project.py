"""A download handler that answers for every host with the demo site."""

from __future__ import annotations

from urllib.parse import urlsplit

from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Request, Response, TextResponse

from sample_project.demo_site import build_site


class DemoDownloadHandler(BaseDownloadHandler):
    """Answers with the pages, robots.txt and the redirect of the demo site, and with 404 for everything else."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._site = build_site()

    async def download_request(self, request: Request) -> Response:
        path = urlsplit(request.url).path
        if path in self._site.redirects:
            return Response(request.url, 302, headers={"Location": self._site.redirects[path]}, request=request)
        if path in self._site.pages:
            return HtmlResponse(request.url, body=self._site.pages[path].html, encoding="utf-8", request=request)
        if path in self._site.files:
            return TextResponse(request.url, body=self._site.files[path][1], request=request)
        return TextResponse(request.url, 404, body=b"not found", request=request)
