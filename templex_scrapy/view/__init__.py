"""The toggle view: one HTML file that shows what of a page is template, and why."""

from templex_scrapy.view.document import view

__all__ = ["view"]
