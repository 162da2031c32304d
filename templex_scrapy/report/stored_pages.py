"""The crawl report of a run on stored pages: its items are the pages, and nothing was downloaded for it."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

from templex_scrapy.archives import Counts, ObservedPage, Outcome
from templex_scrapy.crawl import Stat
from templex_scrapy.report.document import Crawl, document
from templex_scrapy.report.page_texts import read_texts
from templex_scrapy.report.recorder import Recorder
from templex_scrapy.template import Template

logger = logging.getLogger(__name__)

# the words of the report are those of stats: a page that is too large is one that no template fits
_STATS = {
    Outcome.CLEANED: Stat.ITEMS_CLEANED,
    Outcome.UNCHANGED: Stat.ITEMS_UNCHANGED,
    Outcome.KEPT_WHOLE: Stat.ITEMS_KEPT_WHOLE,
    Outcome.NO_TEMPLATE: Stat.ITEMS_NO_TEMPLATE,
    Outcome.TOO_LARGE: Stat.ITEMS_NO_TEMPLATE,
    Outcome.NO_SITE: Stat.ITEMS_NO_TEMPLATE,
    Outcome.NO_PAGE: Stat.ITEMS_NO_PAGE,
    Outcome.ERROR: Stat.ERRORS,
}


class ArchiveReport:
    """Records what a run on stored pages has learnt and cleaned, after it."""

    def __init__(self) -> None:
        self._began = time.time()
        self._seconds = 0.0
        self._recorder = Recorder(lambda: self._seconds)

    def templates_learnt(self, templates: Iterable[Template]) -> None:
        """Record templates that were not known before."""
        for template in templates:
            self._recorder.template_learnt(template)

    def page_cleaned(self, page: ObservedPage) -> None:
        """Record a page; nothing that goes wrong here fails the run."""
        # a run that was ended may have cleaned it
        self._began = min(self._began, page.at)
        # of several processes, one may be behind the others
        self._seconds = max(self._seconds, page.at - self._began)
        try:
            template = self._recorder.page_cleaned(page)
            if template is not None:
                template.add_texts(read_texts(page, with_menu=not template.menu))
            self._recorder.item_cleaned(page)
        except Exception:
            logger.exception("The report lacks the page %s", page.url)

    def document(self, name: str, counts: Counts) -> str:
        """Return the source of the report, to be written as UTF-8.

        Args:
            name: what stands for the name of the spider.
            counts: what became of all pages.
        """
        stats = Counter({Stat.ITEMS.value: counts.pages, "response_received_count": counts.pages})
        stats |= {Stat.WORDS_BEFORE.value: counts.words_before, Stat.WORDS_AFTER.value: counts.words_after}
        for outcome, count in counts.outcomes.items():
            stats[_STATS[Outcome(outcome)].value] += count
        began = datetime.fromtimestamp(self._began, UTC)
        return document(self._recorder, Crawl(spider=name, began=began, dry_run=False, stats=stats, reason="finished"))
