"""The crawl report: one HTML file about what a crawl removed, with which templates, and what failed.

Needs the extra ``report``.
"""

from templex_scrapy.report.extension import TemplexReport
from templex_scrapy.report.stored_pages import ArchiveReport

__all__ = ["ArchiveReport", "TemplexReport"]
