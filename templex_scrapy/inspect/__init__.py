"""Look at what is removed: the report of a crawl, and the view of a page. Both are HTML files without scripts."""

from templex_scrapy.inspect.archive_report import ArchiveReport
from templex_scrapy.inspect.extension import TemplexReport
from templex_scrapy.inspect.reasons import why_no_template
from templex_scrapy.inspect.view import view

__all__ = ["ArchiveReport", "TemplexReport", "view", "why_no_template"]
