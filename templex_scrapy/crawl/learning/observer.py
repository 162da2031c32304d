"""What can be observed of a crawl while it runs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from templex_scrapy.crawl.learning.template_search import SearchResult
    from templex_scrapy.render import CleanPage
    from templex_scrapy.search import SubdigraphSearch
    from templex_scrapy.template import Template

logger = logging.getLogger(__name__)


class Observer:
    """Receives the events of a crawl; this one ignores them.

    All methods are called one at a time in the thread of the event loop, and must be quick. Their arguments belong to
    the crawl.
    """

    def search_begins(self, key_url: str) -> None:
        """Receive the URL of the key page of a search."""

    def search_ends(self, search: SubdigraphSearch, result: SearchResult, template: Template | None) -> None:
        """Receive a search, how it ended, and its template (None: no template was found)."""

    def template_learnt(self, template: Template) -> None:
        """Receive a template that a search found, or that was made of pages of one type."""

    def template_grown(self, old: Template, new: Template) -> None:
        """Receive a template before and after further pages joined its voters."""

    def template_dropped(self, template: Template) -> None:
        """Receive a template that is no longer used, because newer ones are."""

    def page_cleaned(self, clean: CleanPage) -> None:
        """Receive a page that fits a template; once for each response with items."""

    def page_unfit(self, url: str) -> None:
        """Receive the URL of a page with items that fits no template."""

    def item_cleaned(self, clean: CleanPage) -> None:
        """Receive the page of an item that was written, or would be but for ``TEMPLEX_DRY_RUN``."""


class Observers(list[Observer]):
    """Several observers. One that raises is removed, and the crawl goes on."""

    def notify(self, event: Callable[[Observer], None]) -> None:
        """Call a method of all of them: ``observers.notify(lambda o: o.page_unfit(url))``."""
        for observer in list(self):
            try:
                event(observer)
            except Exception:
                self.remove(observer)
                logger.exception("%s failed and receives no further events of the crawl", type(observer).__name__)
