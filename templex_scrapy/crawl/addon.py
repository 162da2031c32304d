"""The add-on: one line in a project's settings switches everything on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.utils.misc import load_object

from templex_scrapy.crawl.context import ContextAddon
from templex_scrapy.crawl.downloader_middleware import TemplexDownloaderMiddleware
from templex_scrapy.crawl.pipeline import TemplexPipeline
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.spider_middleware import TemplexSpiderMiddleware

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


MAX_ITEMS_AT_ONCE = 16
"""Items of one response that are in the pipelines at a time, unless the project sets ``CONCURRENT_ITEMS``.

Scrapy starts so many tasks for each response, and a response whose items wait keeps all of them in memory.
"""


class Addon(ContextAddon):
    """Enable the plug-in's components, unless the project has placed them itself.

    ``ADDONS = {"templex_scrapy.Addon": 500}``

    - ``TemplexDownloaderMiddleware`` at 110: after robots.txt, before everything that changes requests;
    - ``TemplexSpiderMiddleware`` at 40: before ``HttpErrorMiddleware``, so that items of errbacks know their response;
    - ``TemplexPipeline`` at 100: before the pipelines that store;
    - ``CONCURRENT_ITEMS`` = 16.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Enable the components.

        Raises:
            TemplexSettingsError: if a ``TEMPLEX_*`` setting is wrong. It stops the start of the crawl.
        """
        ours = TemplexSettings.from_crawler_settings(settings)
        if not ours.enabled:
            return
        components: list[tuple[str, type, int]] = [
            ("DOWNLOADER_MIDDLEWARES", TemplexDownloaderMiddleware, 110),
            ("SPIDER_MIDDLEWARES", TemplexSpiderMiddleware, 40),
            ("ITEM_PIPELINES", TemplexPipeline, 100),
        ]
        if ours.report is not None:
            # by their paths: they need extras, and import this package
            components.append(("EXTENSIONS", load_object("templex_scrapy.report.TemplexReport"), 500))
        # the provider imports scrapy-poet, which most projects have not
        if any("scrapy_poet" in str(addon) for addon in settings.getdict("ADDONS")):
            components.append(
                ("SCRAPY_POET_PROVIDERS", load_object("templex_scrapy.crawl.poet.CleanPageProvider"), 500)
            )
        settings.set("CONCURRENT_ITEMS", MAX_ITEMS_AT_ONCE, priority="addon")
        for setting, component, order in components:
            settings.setdefault_in_component_priority_dict(setting, component, order)
