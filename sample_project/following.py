"""What the spiders of this project have in common: an item for each page, and its links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

from sample_project.items import PageItem


class FollowingSpider(Spider):
    """Makes an item of each HTML page and follows its links.

    Args:
        links: says which links.
    """

    def __init__(self, links: LinkExtractor, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._links = links

    def parse(self, response: Response) -> Iterator[Any]:
        """Makes the item of a page and follows its links."""
        if not isinstance(response, HtmlResponse):
            return
        self.crawler.stats.inc_value("sample/pages")
        yield PageItem.from_response(response)
        for link in self._links.extract_links(response):
            yield Request(link.url)


def is_web_address(url: str) -> bool:
    """Whether a page can be asked for at an address."""
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
