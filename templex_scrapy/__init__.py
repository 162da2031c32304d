"""A Scrapy plug-in that takes the template of a site out of the items of a crawl.

Switch it on with ``ADDONS = {"templex_scrapy.Addon": 500}``; from Python the core is used as it is:

    template = find_template(Page(html, url), fetch)
    html = template.match(page).clean.html
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from templex_scrapy import compiled  # noqa: F401 - before what is compiled

if TYPE_CHECKING:
    from templex_scrapy.archives import clean_table
    from templex_scrapy.content import find_content
    from templex_scrapy.crawl import Addon, clean_page, signals
    from templex_scrapy.crawl.parquet_exporter import ParquetItemExporter
    from templex_scrapy.learning import SiteCleaner
    from templex_scrapy.page import Node, Page
    from templex_scrapy.papers import (
        detect_content,
        detect_content_site,
        detect_menu,
        detect_template,
        detect_template_hybrid,
    )
    from templex_scrapy.render import CleanPage
    from templex_scrapy.search import SubdigraphSearch, rank_links
    from templex_scrapy.template import Match, Template, extract_content, find_template, find_template_async

__version__ = "0.1.0"

__all__ = [
    "Addon",
    "CleanPage",
    "Match",
    "Node",
    "Page",
    "ParquetItemExporter",
    "SiteCleaner",
    "SubdigraphSearch",
    "Template",
    "clean_page",
    "clean_table",
    "detect_content",
    "detect_content_site",
    "detect_menu",
    "detect_template",
    "detect_template_hybrid",
    "extract_content",
    "find_content",
    "find_template",
    "find_template_async",
    "rank_links",
    "signals",
]

# Scrapy imports this package whatever it does, for the command that it brings; so it costs nothing until it is used.
_HOMES = {
    "Addon": "templex_scrapy.crawl",
    "CleanPage": "templex_scrapy.render",
    "Match": "templex_scrapy.template",
    "Node": "templex_scrapy.page",
    "Page": "templex_scrapy.page",
    "ParquetItemExporter": "templex_scrapy.crawl.parquet_exporter",
    "SiteCleaner": "templex_scrapy.learning",
    "SubdigraphSearch": "templex_scrapy.search",
    "Template": "templex_scrapy.template",
    "clean_page": "templex_scrapy.crawl",
    "clean_table": "templex_scrapy.archives",
    "detect_content": "templex_scrapy.papers",
    "detect_content_site": "templex_scrapy.papers",
    "detect_menu": "templex_scrapy.papers",
    "detect_template": "templex_scrapy.papers",
    "detect_template_hybrid": "templex_scrapy.papers",
    "extract_content": "templex_scrapy.template",
    "find_content": "templex_scrapy.content",
    "find_template": "templex_scrapy.template",
    "find_template_async": "templex_scrapy.template",
    "rank_links": "templex_scrapy.search",
    "signals": "templex_scrapy.crawl",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
