"""The add-on: a line in a project's settings enables everything, and each component finds the crawl's context."""

from __future__ import annotations

from functools import cached_property
from typing import Self

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.misc import load_object

from templex_scrapy.crawl.context import CrawlContext
from templex_scrapy.crawl.settings import TemplexSettings

MAX_ITEMS_AT_ONCE = 16
"""Items of a response that are in the pipelines at a time: Scrapy keeps so many tasks for each response that waits."""

MAX_ACTIVE_SIZE = 10_000_000
"""Bytes of the responses that wait in callbacks, twice Scrapy's default.

In 5 MB the sample of a site with pages of 130 kB is not complete, and the order of the pages changes the items.
"""


class Addon:
    """Enable the plug-in's components, unless the project has placed them itself.

    ``ADDONS = {"templex_scrapy.Addon": 500}``

    - ``TemplexDownloaderMiddleware`` at 110: after robots.txt, before everything that changes requests;
    - ``TemplexSpiderMiddleware`` at 40: before ``HttpErrorMiddleware``, so that items of errbacks know their response;
    - ``TemplexPipeline`` at 100: before the pipelines that store;
    - ``CONCURRENT_ITEMS`` = 16, ``SCRAPER_SLOT_MAX_ACTIVE_SIZE`` = 10 MB, unless the project sets them.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the add-on of a crawl."""
        return cls(crawler)

    def update_settings(self, settings: BaseSettings) -> None:
        """Enable the components.

        Raises:
            TemplexSettingsError: if a ``TEMPLEX_*`` setting is wrong. It stops the start of the crawl.
        """
        ours = TemplexSettings.from_crawler_settings(settings)
        if not ours.enabled:
            return
        # by their paths: all of them import this module, and scrapy-poet is an extra
        components = [
            ("DOWNLOADER_MIDDLEWARES", "crawl.downloader_middleware.TemplexDownloaderMiddleware", 110),
            ("SPIDER_MIDDLEWARES", "crawl.spider_middleware.TemplexSpiderMiddleware", 40),
            ("ITEM_PIPELINES", "crawl.pipeline.TemplexPipeline", 100),
        ]
        if ours.report is not None:
            components.append(("EXTENSIONS", "inspect.TemplexReport", 500))
        if any("scrapy_poet" in str(addon) for addon in settings.getdict("ADDONS")):
            components.append(("SCRAPY_POET_PROVIDERS", "crawl.poet_provider.CleanPageProvider", 500))
        for setting, path, order in components:
            component = load_object(f"templex_scrapy.{path}")
            settings.setdefault_in_component_priority_dict(setting, component, order)
        settings.set("CONCURRENT_ITEMS", MAX_ITEMS_AT_ONCE, priority="addon")
        settings.set("SCRAPER_SLOT_MAX_ACTIVE_SIZE", MAX_ACTIVE_SIZE, priority="addon")

    @cached_property
    def context(self) -> CrawlContext:
        """The context that the components share; made when the first component asks (see :func:`context_of`)."""
        if not TemplexSettings.from_crawler_settings(self._crawler.settings).enabled:
            raise NotConfigured
        if not is_asyncio_available():
            raise RuntimeError(
                "templex_scrapy needs asyncio: leave TWISTED_REACTOR at Scrapy's default, the AsyncioSelectorReactor"
            )
        return CrawlContext(self._crawler)


def context_of(crawler: Crawler) -> CrawlContext:
    """Return the context of a crawl.

    Raises:
        NotConfigured: if ``TEMPLEX_ENABLED`` is False.
        RuntimeError: if the add-on is not enabled, or the crawl runs without asyncio.
    """
    addon = crawler.get_addon(Addon)
    if addon is None:
        raise RuntimeError('the add-on is missing: ADDONS = {"templex_scrapy.Addon": 500} enables all components')
    return addon.context


class Component:
    """A Scrapy component of a crawl with the add-on."""

    def __init__(self, context: CrawlContext) -> None:
        self._context = context

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the component of a crawl; raises as :func:`context_of`."""
        return cls(context_of(crawler))
