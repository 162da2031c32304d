"""The spider of the crawls whose reports are looked at."""

from __future__ import annotations

from typing import Any

from crawling import SiteSpider


class ReportSpider(SiteSpider):
    """Crawls whole sites from some addresses on.

    Args:
        urls: the addresses, with blanks between them.
    """

    name = "reported"

    def __init__(self, urls: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_urls = urls.split()
