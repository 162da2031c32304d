"""Settings of a crawl that fetches as the project does, and leaves no trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Request, Response
from scrapy.utils.project import inside_project

from templex_scrapy.archives import SavedSite, Skipped
from templex_scrapy.crawl import Addon

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings


class SavedSiteHandler(BaseDownloadHandler):
    """The download handler of a crawl of saved pages: those that its spider was asked for."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        spider: Any = crawler.spider
        self._saved: SavedSite = spider.saved

    async def download_request(self, request: Request) -> Response:
        """Answer a request from the folder; with status 404 if there is no such page.

        Raises:
            IgnoreRequest: if the file is no page.
            OSError: if the file cannot be read.
        """
        found = self._saved.read(request.url)
        if found is None:
            return Response(request.url, status=404)
        address, page = found
        if isinstance(page, Skipped):
            raise IgnoreRequest(page.why)
        # the page has one address, as if all others redirected to it: links to "./" and "index.html" are to one page
        request.meta["redirect_urls"] = [request.url]
        if address.endswith("/"):
            request.meta["redirect_urls"].append(f"{address}index.html")
        return HtmlResponse(address, body=page.html)


# what a crawl of the project writes, sends, shares with other processes, or ends itself by
_ISOLATED: Mapping[str, Any] = {
    # one page is loaded, or sixty: a limit for a crawl would end the search
    "CLOSESPIDER_ERRORCOUNT": 0,
    "CLOSESPIDER_ITEMCOUNT": 0,
    "CLOSESPIDER_PAGECOUNT": 0,
    "CLOSESPIDER_PAGECOUNT_NO_ITEM": 0,
    "CLOSESPIDER_TIMEOUT": 0,
    "CLOSESPIDER_TIMEOUT_NO_ITEM": 0,
    # with scrapy-redis, those of the project are shared by all processes
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    # items would be stored, and people told of the crawl
    "EXTENSIONS": {},
    "FEEDS": {},
    # the message says which status the page has
    "HTTPERROR_ALLOW_ALL": True,
    "ITEM_PIPELINES": {},
    "JOBDIR": None,
    "MEMUSAGE_NOTIFY_MAIL": [],
    "REMOTE_CONTROL_ENABLED": False,
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    "SPIDER_MIDDLEWARES": {},
    "STATS_CLASS": "scrapy.statscollectors.MemoryStatsCollector",
    "TELNETCONSOLE_ENABLED": False,
    # the item is ours
    "TEMPLEX_DRY_RUN": False,
    "TEMPLEX_ENABLED": True,
    "TEMPLEX_HTML_FIELD": "html",
    "TEMPLEX_OUTPUTS": {"html": "html"},
    "TEMPLEX_REPORT": None,
    "TEMPLEX_STORE": None,
    "TEMPLEX_URL_FIELD": "url",
}
_SAVED: Mapping[str, Any] = {
    "AUTOTHROTTLE_ENABLED": False,
    "DOWNLOADER_MIDDLEWARES": {},
    "DOWNLOAD_DELAY": 0,
    "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), SavedSiteHandler),
    "HTTPCACHE_ENABLED": False,
    "RETRY_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
}


def isolate_settings(settings: BaseSettings, *, saved: bool = False) -> None:
    """Enable the add-on for a crawl that leaves no trace and shares no queue with the project's crawls.

    The project's way of fetching is kept: downloader middlewares and handlers, other add-ons, user agent, robots.txt.

    Args:
        settings: the settings of the crawl, which are changed.
        saved: whether saved pages are crawled, so that nothing of the project's way of fetching is needed.
    """
    ours = {"templex_scrapy.Addon", "templex_scrapy.crawl.addon.Addon"}
    # the project may have the add-on with another order, or under its longer name
    addons = {} if saved else {name: order for name, order in settings.getdict("ADDONS").items() if name not in ours}
    settings.set("ADDONS", {**addons, Addon: 500}, priority="cmdline")
    settings.setdict({**_ISOLATED, **(_SAVED if saved else {})}, priority="cmdline")
    if settings["TEMPLEX_MAX_SEARCHES"] not in {0, "0"}:
        # the pages that are tried as voters afterwards need no search of their own
        settings.set("TEMPLEX_MAX_SEARCHES", 1, priority="cmdline")
    if not inside_project():
        # no project says otherwise, and Scrapy's own default is to ignore it
        settings.set("ROBOTSTXT_OBEY", value=True, priority="command")
