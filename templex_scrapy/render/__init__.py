"""Node positions in, HTML, text or Markdown out."""

from templex_scrapy.render.clean_page import OUTPUT_NAMES, CleanPage, Output, find_part
from templex_scrapy.render.dates import load_dates
from templex_scrapy.render.html import cleaned_html
from templex_scrapy.render.markdown import markdown
from templex_scrapy.render.menu_links import menu_links
from templex_scrapy.render.text import text

__all__ = [
    "OUTPUT_NAMES",
    "CleanPage",
    "Output",
    "cleaned_html",
    "find_part",
    "load_dates",
    "markdown",
    "menu_links",
    "text",
]
