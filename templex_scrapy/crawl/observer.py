"""What can be watched of a crawl while it runs: an observer is told what the plug-in does, and changes nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from templex_scrapy.crawl.candidate_loader import SearchResult
    from templex_scrapy.render import CleanPage
    from templex_scrapy.search import SubdigraphSearch
    from templex_scrapy.template import Template

logger = logging.getLogger(__name__)


class Observer:
    """Is told what happens in a crawl; this one takes no notice.

    All methods are called one at a time, as a rule in the thread of the event loop, and must be quick. What they are
    given belongs to the crawl: it is read at once, and not kept where it holds a tree.
    """

    def search_begins(self, key_url: str) -> None:
        """A search has begun, from a key page with this address."""

    def search_ends(
        self, search: SubdigraphSearch, result: SearchResult, template: Template | None, *, too_large: bool = False
    ) -> None:
        """A search has ended.

        Args:
            search: the search.
            result: how it ended, with the complete subdigraph.
            template: what came of it; None if it failed.
            too_large: whether it failed because the template takes more memory than it may.
        """

    def template_stands_in(self, template: Template) -> None:
        """A template has come without a complete subdigraph: pages of its kind stand in for one."""

    def template_grows(self, old: Template, new: Template) -> None:
        """Further pages have joined the voters of a template."""

    def template_retired(self, template: Template) -> None:
        """A template serves no longer, because no page of the site has it any more."""

    def template_revived(self, template: Template) -> None:
        """A retired template serves again, because a page of the site has it after all."""

    def template_forgotten(self, template: Template) -> None:
        """A template had to make room for a newer one."""

    def page_cleaned(self, cleaned: CleanPage) -> None:
        """A page with items was cleaned by a template that fits it; told once for each response."""

    def page_unfit(self, url: str) -> None:
        """A page with items fits no template in the end."""

    def item_cleaned(self, cleaned: CleanPage) -> None:
        """An item's page fits a template, and the item is written, or would be but for ``TEMPLEX_DRY_RUN``."""


class Observers(Observer):
    """Several observers told as one. An observer that fails is told nothing further, and the crawl goes on.

    Args:
        observers: who is told.
    """

    def __init__(self, observers: Iterable[Observer]) -> None:
        self._observers = list(observers)

    def search_begins(self, key_url: str) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.search_begins(key_url))

    def search_ends(
        self, search: SubdigraphSearch, result: SearchResult, template: Template | None, *, too_large: bool = False
    ) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.search_ends(search, result, template, too_large=too_large))

    def template_stands_in(self, template: Template) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.template_stands_in(template))

    def template_grows(self, old: Template, new: Template) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.template_grows(old, new))

    def template_retired(self, template: Template) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.template_retired(template))

    def template_revived(self, template: Template) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.template_revived(template))

    def template_forgotten(self, template: Template) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.template_forgotten(template))

    def page_cleaned(self, cleaned: CleanPage) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.page_cleaned(cleaned))

    def page_unfit(self, url: str) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.page_unfit(url))

    def item_cleaned(self, cleaned: CleanPage) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.item_cleaned(cleaned))

    def _tell(self, tell: Callable[[Observer], None]) -> None:
        for observer in list(self._observers):
            try:
                tell(observer)
            except Exception:
                self._observers.remove(observer)
                logger.exception("%s failed and takes no further notice of the crawl", type(observer).__name__)
