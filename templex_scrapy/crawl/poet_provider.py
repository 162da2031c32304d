"""Cleaned pages for scrapy-poet: page objects and callbacks declare ``CleanPage`` and receive it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy_poet.page_input_providers import PageObjectInputProvider

from templex_scrapy.crawl.addon import context_of
from templex_scrapy.render import CleanPage


class CleanPageProvider(PageObjectInputProvider):
    """Provides the cleaned page of a response; the add-on enables it if scrapy-poet's add-on is enabled."""

    provided_classes = {CleanPage}  # noqa: RUF012 - scrapy-poet's own way
    name = "templex_clean_page"

    async def __call__(
        self,
        to_provide: set[Callable[..., Any]],  # noqa: ARG002 - scrapy-poet's signature
        request: Request,
        response: Response,
        crawler: Crawler,
    ) -> Sequence[CleanPage]:
        """Clean the page, after a search if need be, as :func:`clean_page` does."""
        return [await context_of(crawler).clean_in_download(request, response)]
