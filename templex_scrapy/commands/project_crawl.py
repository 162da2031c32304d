"""The crawl of a command: it fetches as the project does, leaves no trace, and is alone in the process."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, Self, cast

from scrapy import Request, Spider
from scrapy.exceptions import UsageError
from scrapy.http import Response
from scrapy.utils.project import inside_project

from templex_scrapy.commands.terminal import INTERRUPTED, Progress, printable, tell
from templex_scrapy.crawl import Addon, TemplexSettingsError, is_html

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


class UnusableError(Exception):
    """There is no usable page; the message names the page and the reason."""


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
        """Enable the add-on, for a crawl that leaves no trace and shares no queue with the project's crawls.

        Pages are fetched as the model does in the project: downloader middlewares and handlers, other add-ons, user
        agent, robots.txt.
        """
        cls.model.update_settings(settings)
        ours = {"templex_scrapy.Addon", "templex_scrapy.crawl.addon.Addon"}
        # the project may have the add-on with another order, or under the longer name
        addons = {name: order for name, order in settings.getdict("ADDONS").items() if name not in ours}
        settings.set("ADDONS", {**addons, Addon: 500}, priority="cmdline")
        settings.setdict(_ISOLATED, priority="cmdline")
        if settings["TEMPLEX_MAX_SEARCHES"] not in {0, "0"}:
            # pages that are tried as voters afterwards need no search
            settings.set("TEMPLEX_MAX_SEARCHES", 1, priority="cmdline")
        if not inside_project():
            # without a project, Scrapy's default ignores robots.txt
            settings.set("ROBOTSTXT_OBEY", value=True, priority="command")

    @classmethod
    def run(cls, process: AsyncCrawlerProcess) -> Self:
        """Crawl with a process that was not started, and return the spider. Ctrl-C ends the program at once.

        Raises:
            UsageError: if a setting of the spider is wrong.
            UnusableError: if the crawl cannot be started.
        """

        def leave(*_: object) -> NoReturn:
            tell(f"interrupted: {crawler.spider.so_far() if isinstance(crawler.spider, cls) else 'no page loaded'}")
            os._exit(INTERRUPTED)

        try:
            crawler = process.create_crawler(cls)
            crawl = process.crawl(crawler)
            # Scrapy would wait for downloads and name resolution
            signal.signal(signal.SIGINT, leave)
            process.start(install_signal_handlers=False)
            crawl.result()
        except TemplexSettingsError as error:
            raise UsageError(str(error), print_help=False) from error
        except Exception as error:
            raise UnusableError(f"the crawl cannot be started: {type(error).__name__}: {error}") from error
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return cast("Self", crawler.spider)

    def so_far(self) -> str:
        """Return how far the crawl has got, for the message after Ctrl-C."""
        raise NotImplementedError

    def request(self, url: str, callback: Callable[..., Any], **options: Any) -> Request:
        """Return a request with the :attr:`meta` of all requests."""
        return Request(url, callback, meta=dict(self.meta), **options)


def why_failed(error: BaseException | None) -> str:
    """Return why a page was not fetched."""
    return f"not fetched: {printable(str(error or '')).rstrip('.') or type(error or Exception()).__name__}"


def why_unusable(response: Response) -> str:
    """Return why no template can be learnt from a response."""
    if response.status != 200:
        return f"answered with status {response.status}"
    if not is_html(response):
        media_type = (response.headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip()
        return f"no HTML page, but {media_type or 'of unknown type'}"
    return "the page came incomplete" if response.body else "the page is empty"
