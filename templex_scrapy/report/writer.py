"""When and where the report is written: while the crawl runs now and then, and at its end, whatever ends it."""

from __future__ import annotations

import asyncio
import logging
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.utils.asyncio import run_in_thread

from templex_scrapy.commands.replacing import beside
from templex_scrapy.crawl.settings import TemplexSettingsError
from templex_scrapy.report.recorder import Recorder
from templex_scrapy.report.snapshot import Crawl, Snapshot, snapshot

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

INTERVAL = 60.0
"""Seconds between two reports while the crawl runs, at least."""

COST = 0.02
"""Share of the crawl's time that writing reports may take meanwhile."""


class ReportWriter:
    """Writes the report of a crawl.

    Args:
        crawler: the crawl.
        path: the file.
        recorder: what was taken down.
        dry_run: whether items are left as they are.
    """

    def __init__(self, crawler: Crawler, path: Path, recorder: Recorder, *, dry_run: bool) -> None:
        self._crawler = crawler
        self._path = path
        self._recorder = recorder
        self._dry_run = dry_run
        self._began = datetime.now(UTC)
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._has_failed = False

    def spider_opened(self) -> None:
        """Write the report now and then from now on."""
        self._task = asyncio.ensure_future(self._write_in_between())

    async def _write_in_between(self) -> None:
        pause = INTERVAL
        while not self._closing.is_set():
            try:
                await asyncio.wait_for(self._closing.wait(), pause)
            except TimeoutError:
                begun = time.monotonic()
                if not self._recorder.is_empty:
                    await self._write(None)
                pause = max(INTERVAL, (time.monotonic() - begun) / COST)

    async def spider_closed(self, reason: str) -> None:
        """Write the last report, and say where it is."""
        self._closing.set()
        if self._task is not None:
            await self._task
        extra = {"spider": self._crawler.spider}
        if self._recorder.is_empty and self._path.exists():
            # a look at a page with `scrapy fetch` or `scrapy shell` must not cost the report of a crawl
            logger.info("Nothing to report; what was there stays: %s", self._path.as_uri(), extra=extra)
        elif await self._write(reason):
            logger.info("The crawl report, open me: %s", self._path.as_uri(), extra=extra)

    async def _write(self, reason: str | None) -> bool:
        try:
            taken = snapshot(self._recorder, self._crawl(reason))
            await run_in_thread(write, taken, self._path)
        except Exception:
            if not self._has_failed or reason is not None:
                logger.exception("The crawl report %s cannot be written; the crawl goes on", self._path)
            self._has_failed = True
            return False
        return True

    def _crawl(self, reason: str | None) -> Crawl:
        return Crawl(
            spider=self._crawler.spider.name if self._crawler.spider is not None else "",
            began=self._began,
            dry_run=self._dry_run,
            stats=dict(self._crawler.stats.get_stats()),
            reason=reason,
        )


def write(taken: Snapshot, path: Path) -> None:
    """Write a report; whoever reads the file meanwhile sees the old one or the new one, and never half of one.

    Raises:
        OSError: if the file cannot be written.
    """
    # what it needs takes a second to import, which a crawl does not spend before it has something to draw
    from templex_scrapy.report.document import document  # noqa: PLC0415

    source = document(taken).encode("utf-8")
    with beside(path) as stream:
        stream.write(source)


def record(crawler: Crawler, written_path: str, *, dry_run: bool) -> Recorder:
    """Take down what happens in a crawl, and write its report.

    Args:
        crawler: the crawl.
        written_path: the setting ``TEMPLEX_REPORT``.
        dry_run: whether items are left as they are.

    Returns:
        Who is to be told what happens.

    Raises:
        TemplexSettingsError: if the file cannot be written.
    """
    path = _prepared(written_path, _name(crawler))
    recorder = Recorder()
    writer = ReportWriter(crawler, path, recorder, dry_run=dry_run)
    crawler.signals.connect(writer.spider_opened, signal=signals.spider_opened, weak=False)
    crawler.signals.connect(writer.spider_closed, signal=signals.spider_closed, weak=False)
    return recorder


def _name(crawler: Crawler) -> str:
    return str(getattr(crawler.spider or crawler.spidercls, "name", None) or "spider")


def _prepared(written: str, name: str) -> Path:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S")
    path = Path(written.replace("%(name)s", name).replace("%(time)s", now)).expanduser().absolute()
    try:
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except (OSError, ValueError) as error:
        raise TemplexSettingsError(
            f"TEMPLEX_REPORT = {written!r} cannot be written: {error}; allowed: None or the path of an HTML file in a"
            " folder that can be written to"
        ) from error
    return path
