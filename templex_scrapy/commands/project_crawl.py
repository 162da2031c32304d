"""The crawl of a command: it fetches as the project does, leaves no trace, and is alone in the process."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, Self, cast

from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.utils.misc import load_object
from scrapy.utils.project import inside_project

from templex_scrapy.commands.terminal import INTERRUPTED, Progress, tell
from templex_scrapy.crawl import Addon, is_html

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.settings import BaseSettings

_LIMITS = "ERRORCOUNT ITEMCOUNT PAGECOUNT PAGECOUNT_NO_ITEM TIMEOUT TIMEOUT_NO_ITEM".split()

# settings by which a crawl of the project writes, sends, shares with other processes, or ends early
_ISOLATED: Mapping[str, Any] = {
    **dict.fromkeys(("JOBDIR", "TEMPLEX_REPORT", "TEMPLEX_SKIP_UNCHANGED", "TEMPLEX_STORE"), None),
    **dict.fromkeys(("REMOTE_CONTROL_ENABLED", "TELNETCONSOLE_ENABLED", "TEMPLEX_DRY_RUN"), False),
    # a limit for the project's crawls would end the search
    **{f"CLOSESPIDER_{limit}": 0 for limit in _LIMITS},
    # items would be stored, and people told of the crawl
    **{name: {} for name in ("EXTENSIONS", "FEEDS", "ITEM_PIPELINES", "SPIDER_MIDDLEWARES")},
    "MEMUSAGE_NOTIFY_MAIL": [],
    # with scrapy-redis, all processes share the project's duplicate filter
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    "STATS_CLASS": "scrapy.statscollectors.MemoryStatsCollector",
    # the message says which status the page has
    "HTTPERROR_ALLOW_ALL": True,
    # the command decides the item
    "TEMPLEX_ENABLED": True,
    "TEMPLEX_HTML_FIELD": "html",
    "TEMPLEX_OUTPUTS": {"html": "html"},
    "TEMPLEX_URL_FIELD": "url",
}
# attributes of a spider that decide how pages are fetched
_SPIDER_ATTRIBUTES = ("user_agent", "http_user", "http_pass", "http_auth_domain", "download_delay", "download_timeout")


class ProjectSpider(Spider):
    """The spider of a command.

    Attributes:
        model: a spider of the project; it decides the settings and how pages are fetched.
        meta: ``Request.meta`` of all requests.
        store: the store of templates.
        progress: shows the current step.
    """

    name = "templex"
    model: type[Spider] = Spider
    meta: Mapping[str, Any]
    store: str | None
    progress: Progress

    @classmethod
    def of(cls, model: type[Spider] | None, **attributes: Any) -> type[Self]:
        """Return the spider with these attributes; name, settings and ways of fetching come from the model."""
        if model is not None:
            # the model is not created: it may need arguments, or open files
            attributes |= {name: getattr(model, name) for name in _SPIDER_ATTRIBUTES if hasattr(model, name)}
            attributes |= {"name": model.name, "model": model}
        return cast("type[Self]", type(cls.__name__, (cls,), attributes))

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Enable the add-on, for a crawl that fetches as the model does, but leaves no trace and shares no queue."""
        cls.model.update_settings(settings)
        # an add-on that is switched off need not be installed
        addons = {name: order for name, order in settings.getdict("ADDONS").items() if order is not None}
        others = {name: order for name, order in addons.items() if load_object(name) is not Addon}
        settings.set("ADDONS", {**others, Addon: 500}, priority="cmdline")
        settings.setdict(_ISOLATED, priority="cmdline")
        if settings["TEMPLEX_MAX_SEARCHES"] not in {0, "0"}:
            # pages that are tried as voters afterwards need no search
            settings.set("TEMPLEX_MAX_SEARCHES", 1, priority="cmdline")
        if not inside_project():
            # without a project, Scrapy's default ignores robots.txt
            settings.set("ROBOTSTXT_OBEY", value=True, priority="command")

    @classmethod
    def run(cls, process: AsyncCrawlerProcess) -> Self:
        """Crawl with a process that was not started, and return the spider. Ctrl-C ends the program at once."""

        def leave(*_: object) -> NoReturn:
            tell("interrupted", "scrapy templex")
            os._exit(INTERRUPTED)

        crawler = process.create_crawler(cls)
        crawl = process.crawl(crawler)
        # Scrapy would wait for downloads and name resolution
        before = signal.signal(signal.SIGINT, leave)
        process.start(install_signal_handlers=False)
        signal.signal(signal.SIGINT, before)
        crawl.result()
        return cast("Self", crawler.spider)

    def request(self, url: str, callback: Callable[..., Any], **options: Any) -> Request:
        """Return a request with the :attr:`meta` of all requests."""
        return Request(url, callback, meta=dict(self.meta), **options)


def why_failed(error: BaseException | None) -> str:
    """Return why a page was not fetched."""
    return f"not fetched: {str(error).rstrip('.') or type(error).__name__}"


def why_unusable(response: Response) -> str:
    """Return why no template can be learnt from a response."""
    if response.status != 200:
        return f"answered with status {response.status}"
    if not is_html(response):
        media_type = response.headers.get("Content-Type") or b"of unknown type"
        return f"no HTML page, but {media_type.decode('latin-1')}"
    return "the page came incomplete" if response.body else "the page is empty"
