"""Report a run on stored pages: the items are the pages, and nothing was downloaded."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

from templex_scrapy.archives import Counts, ObservedPage, Outcome
from templex_scrapy.crawl import Stat
from templex_scrapy.inspect.recorder import Recorder
from templex_scrapy.inspect.removed_texts import read_texts
from templex_scrapy.inspect.report import CrawlFacts, report_html
from templex_scrapy.template import Template

logger = logging.getLogger(__name__)

# the report has the words of stats: a page that is too large is a page that fits no template
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
    """Records the templates and the cleaned pages of a run on stored pages, after the run."""

    def __init__(self) -> None:
        self._began = self._ended = time.time()
        self._recorder = Recorder()

    def templates_learnt(self, templates: Iterable[Template]) -> None:
        """Record new templates."""
        for template in templates:
            self._recorder.template_learnt(template)

    def page_cleaned(self, page: ObservedPage) -> None:
        """Record a page; an error here is logged and does not fail the run."""
        # a run that was resumed began before this program
        self._began, self._ended = min(self._began, page.at), max(self._ended, page.at)
        try:
            if (texts := self._recorder.page_cleaned(page)) is not None:
                texts.add(*read_texts(page))
            self._recorder.item_cleaned(page)
        except Exception:
            logger.exception("The report lacks the page %s", page.url)

    def document(self, name: str, counts: Counts) -> str:
        """Return the report, to be encoded as UTF-8; ``name`` stands in place of the spider's."""
        stats = Counter({Stat.ITEMS.value: counts.pages, Stat.TEMPLATES_FROM_PEERS.value: counts.templates})
        stats |= {Stat.WORDS_BEFORE.value: counts.words_before, Stat.WORDS_AFTER.value: counts.words_after}
        stats["response_received_count"] = counts.pages
        for outcome, stat in _STATS.items():
            stats[stat.value] += counts.outcomes[outcome]
        began, ended = (datetime.fromtimestamp(at, UTC) for at in (self._began, self._ended))
        facts = CrawlFacts(spider=name, began=began, now=ended, stats=stats, reason="finished")
        return report_html(self._recorder, facts)
