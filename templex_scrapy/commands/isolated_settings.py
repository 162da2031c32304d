"""Settings of a crawl that fetches as the project does, and leaves no trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scrapy.utils.project import inside_project

from templex_scrapy.crawl import Addon

if TYPE_CHECKING:
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


def isolate_settings(settings: BaseSettings) -> None:
    """Enable the add-on for a crawl that leaves no trace and shares no queue with the project's crawls.

    Pages are fetched as in the project: downloader middlewares and handlers, other add-ons, user agent, robots.txt.
    """
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
