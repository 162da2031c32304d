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
    "archives": {"clean_table"},
    "content": {"find_content"},
    "crawl": {"Addon", "clean_page", "signals"},
    "crawl.parquet_exporter": {"ParquetItemExporter"},
    "learning": {"SiteCleaner"},
    "page": {"Node", "Page"},
    "papers": {"detect_content", "detect_content_site", "detect_menu", "detect_template", "detect_template_hybrid"},
    "render": {"CleanPage"},
    "search": {"SubdigraphSearch", "rank_links"},
    "template": {"Match", "Template", "extract_content", "find_template", "find_template_async"},
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
