"""Node positions in, HTML, text or Markdown out."""

from templex_scrapy.render.clean_page import (
    OUTPUT_NAMES,
    CleanPage,
    Judgement,
    MenuLink,
    Output,
    count_words_without,
    menu_links,
)
from templex_scrapy.render.partial_page import annotated_html, cleaned_html, find_part, markdown, text
from templex_scrapy.render.trees import writable

__all__ = [
    "OUTPUT_NAMES",
    "CleanPage",
    "Judgement",
    "MenuLink",
    "Output",
    "annotated_html",
    "cleaned_html",
    "count_words_without",
    "find_part",
    "markdown",
    "menu_links",
    "text",
    "writable",
]
