"""Scrapy's side: the add-on, three components, and the context that they share."""

from templex_scrapy.crawl import signals
from templex_scrapy.crawl.addon import Addon, context_of
from templex_scrapy.crawl.context import CrawlContext, clean_page
from templex_scrapy.crawl.downloads.acting_links import acts
from templex_scrapy.crawl.downloads.candidate_requests import is_same_or_safer
from templex_scrapy.crawl.downloads.page_memory import is_html, is_usable
from templex_scrapy.crawl.settings import PREFIX, TemplexSettings, TemplexSettingsError
from templex_scrapy.crawl.stats import Stat, downloaded, extra_loads, number, summary

__all__ = [
    "PREFIX",
    "Addon",
    "CrawlContext",
    "Stat",
    "TemplexSettings",
    "TemplexSettingsError",
    "acts",
    "clean_page",
    "context_of",
    "downloaded",
    "extra_loads",
    "is_html",
    "is_same_or_safer",
    "is_usable",
    "number",
    "signals",
    "summary",
]
