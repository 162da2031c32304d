"""The parts of a crawl that the workers of all sites share."""

from __future__ import annotations

from templex_scrapy.crawl.downloads.candidate_loader import CandidateLoader
from templex_scrapy.crawl.running_crawl import RunningCrawl
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.sites.jobs import WaitingRoom
from templex_scrapy.crawl.sites.template_persistence import TemplatePersistence
from templex_scrapy.render import CleanPage
from templex_scrapy.template import Match, Selectors


class SelectorUse:
    """Which of the user's selectors have selected something on the cleaned pages.

    Attributes:
        has_removed: whether something was removed from some page, or would have been but for ``TEMPLEX_PRESERVE``.
        unmatched: the selectors that selected nothing on such pages.
    """

    def __init__(self, settings: TemplexSettings) -> None:
        self.has_removed, self.unmatched = False, {*settings.preserve, *settings.remove}

    def note(self, match: Match) -> None:
        """Note the selectors that have matched on a page."""
        if match.selection is not None:
            self.has_removed = True
            self.unmatched -= match.selection.matched


class Tools:
    """The parts of a crawl that all workers share.

    Attributes:
        room: the limits within which pages wait.
        outputs: the names of the outputs.
        selectors: the user's selectors.
    """

    def __init__(
        self, crawl: RunningCrawl, settings: TemplexSettings, loader: CandidateLoader, persistence: TemplatePersistence
    ) -> None:
        self.crawl, self.settings, self.loader, self.persistence = crawl, settings, loader, persistence
        self.room = WaitingRoom(crawl.crawler.settings.getint)
        hashes = ("content_hash",) if settings.skip_unchanged else ()
        self.outputs = ("html", *hashes, *settings.item_outputs.values())
        self.selectors, self.selector_use = Selectors(settings.preserve, settings.remove), SelectorUse(settings)

    def render(self, match: Match) -> CleanPage:
        """Compute the outputs of a match."""
        clean = match.clean
        clean.compute(self.outputs)
        return clean
