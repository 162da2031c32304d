"""The extension that records a crawl and writes the report, every minute and at the end."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.utils.asyncio import create_looping_call

from templex_scrapy.crawl import TemplexSettingsError, context_of
from templex_scrapy.crawl import signals as templex_signals
from templex_scrapy.files import written_whole
from templex_scrapy.inspect.recorder import Recorder
from templex_scrapy.inspect.removed_texts import RemovedTexts, read_texts
from templex_scrapy.inspect.report import CrawlFacts, report_html

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from templex_scrapy.render import CleanPage

logger = logging.getLogger(__name__)

MAX_WAITING = 50  # pages whose texts are not read yet, with their sources: a fast crawl only counts the others
INTERVAL = 60.0  # seconds between two reports while the crawl runs; the event loop stands still meanwhile


class TemplexReport:
    """Write the report to ``TEMPLEX_REPORT``; an error here never fails the crawl.

    Attributes:
        recorder: records the crawl from the signals of the add-on.

    Raises:
        TemplexSettingsError: if the file cannot be written.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings, self._began = context_of(crawler).settings, datetime.now(UTC)
        path, spider = str(settings.report), str(getattr(crawler.spider or crawler.spidercls, "name", None) or "spider")
        named = path.replace("%(name)s", spider).replace("%(time)s", f"{self._began:%Y-%m-%dT%H-%M-%S}")
        self._path = Path(named).expanduser().absolute()
        try:
            if self._path.is_dir():
                raise IsADirectoryError(f"{self._path} is a folder")
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # tried now, and not after a crawl of a day; os.access does not know read-only file systems
            tempfile.TemporaryFile(dir=self._path.parent).close()
        except (OSError, ValueError) as error:
            raise TemplexSettingsError(
                f"TEMPLEX_REPORT = {path!r} cannot be written: {error}; allowed: None or the path of an HTML file in a"
                " folder that can be written to"
            ) from error
        self._crawler = crawler
        self._dry_run = settings.dry_run
        self._one_at_a_time = asyncio.Lock()
        self._reading: set[asyncio.Future[None]] = set()
        self._loop: Any = None
        self.recorder = Recorder()
        for signal, handler in (
            (templex_signals.search_ends, self.recorder.search_ends),
            (templex_signals.template_learnt, self.recorder.template_learnt),
            (templex_signals.template_grown, self.recorder.template_grown),
            (templex_signals.template_changed, self.recorder.template_changed),
            (templex_signals.page_cleaned, self.page_cleaned),
            (templex_signals.item_cleaned, self.recorder.item_cleaned),
            (signals.spider_opened, self.spider_opened),
            (signals.spider_closed, self.spider_closed),
        ):
            crawler.signals.connect(handler, signal=signal)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the extension; the add-on enables it if there is a path."""
        return cls(crawler)

    def spider_opened(self) -> None:
        """Begin to write the report every minute."""
        self._loop = create_looping_call(self.write)
        self._loop.start(INTERVAL, now=False)

    def page_cleaned(self, clean: CleanPage) -> None:
        """Record a page; a thread reads the texts, because to parse the page here would stop the event loop."""
        texts = self.recorder.page_cleaned(clean)
        if texts is not None and len(self._reading) < MAX_WAITING:
            task = asyncio.ensure_future(self._read(clean, texts))
            self._reading.add(task)
            task.add_done_callback(self._reading.discard)

    async def _read(self, clean: CleanPage, texts: RemovedTexts) -> None:
        try:
            # not by the page executor, where pages of the crawl would wait for the report
            async with self._one_at_a_time:
                texts.add(*await asyncio.to_thread(read_texts, clean))
        except Exception:
            logger.exception("The report lacks the texts of %s", clean.url)

    async def spider_closed(self, reason: str) -> None:
        """Write the last report, and log where it is."""
        await asyncio.gather(*self._reading)
        if self._loop is not None and self._loop.running:
            self._loop.stop()
        self.write(reason)

    def write(self, reason: str | None = None) -> None:
        """Write the report; ``reason`` is why the crawl ended, None while it runs."""
        extra = {"spider": self._crawler.spider}
        # `scrapy fetch` and `scrapy shell` must not replace the report of a crawl
        if not self.recorder.sites:
            if reason is not None:
                logger.info("Nothing to report; %s is left as it is", self._path.as_uri(), extra=extra)
            return
        try:
            facts = CrawlFacts(
                spider=getattr(self._crawler.spider, "name", ""),
                began=self._began,
                now=datetime.now(UTC),
                dry_run=self._dry_run,
                stats=self._crawler.stats.get_stats(),
                reason=reason,
            )
            with written_whole(self._path) as file:
                file.write(report_html(self.recorder, facts).encode("utf-8"))
        except Exception:
            logger.exception("The crawl report %s cannot be written; the crawl continues", self._path)
        else:
            if reason is not None:
                logger.info("Crawl report: %s", self._path.as_uri(), extra=extra)
