"""The add-on: one line in a project's settings switches everything on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from templex_scrapy.crawl.downloader_middleware import TemplexDownloaderMiddleware
from templex_scrapy.crawl.pipeline import TemplexPipeline
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.spider_middleware import TemplexSpiderMiddleware

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


class Addon:
    """Enables the three components of the plug-in, unless the project has placed them itself.

    ``ADDONS = {"templex_scrapy.Addon": 500}``

    - ``TemplexDownloaderMiddleware`` at 110: after robots.txt, before everything that changes requests;
    - ``TemplexSpiderMiddleware`` at 40: next to the engine, before HTTP errors are turned away;
    - ``TemplexPipeline`` at 100: before the pipelines that store.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Enable the components.

        Raises:
            TemplexSettingsError: if a ``TEMPLEX_*`` setting is wrong. It stops the start of the crawl.
        """
        if not TemplexSettings.from_crawler_settings(settings).enabled:
            return
        for setting, component, order in (
            ("DOWNLOADER_MIDDLEWARES", TemplexDownloaderMiddleware, 110),
            ("SPIDER_MIDDLEWARES", TemplexSpiderMiddleware, 40),
            ("ITEM_PIPELINES", TemplexPipeline, 100),
        ):
            settings.setdefault_in_component_priority_dict(setting, component, order)
