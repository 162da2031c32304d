"""Node positions in, HTML, text or Markdown out."""

from templex_scrapy.render.clean_page import OUTPUT_NAMES, CleanPage, Output
from templex_scrapy.render.dates import load_dates
from templex_scrapy.render.fragments import find_part
from templex_scrapy.render.html import annotated_html, cleaned_html
from templex_scrapy.render.markdown import markdown
from templex_scrapy.render.menu_links import MenuLink, menu_links
from templex_scrapy.render.text import text
from templex_scrapy.render.tree_copy import copy_document
from templex_scrapy.render.word_counts import count_words_without
from templex_scrapy.render.writable import writable

__all__ = [
    "OUTPUT_NAMES",
    "CleanPage",
    "MenuLink",
    "Output",
    "annotated_html",
    "cleaned_html",
    "copy_document",
    "count_words_without",
    "find_part",
    "load_dates",
    "markdown",
    "menu_links",
    "text",
    "writable",
]
