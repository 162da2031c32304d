"""A live line on the terminal that says how far a crawl is, below the log."""

from __future__ import annotations

import atexit
import logging
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.file_proxy import FileProxy
from rich.live import Live
from rich.text import Text
from scrapy import signals
from scrapy.utils.asyncio import create_looping_call

from templex_scrapy.stats import Stat
from templex_scrapy.summary import counted, downloaded, in_bytes, number, share, templates

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

INTERVAL = 0.5
"""Seconds after which the line is drawn anew."""

RATE_SECONDS = 10.0
"""Seconds over which the rate is taken."""


class Rate:
    """How much a number grows in a second, over the last seconds.

    Args:
        clock: tells the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._past = deque([(clock(), 0)])

    def of(self, value: int) -> float:
        """The rate, now that the number has a value."""
        now = self._clock()
        self._past.append((now, value))
        while len(self._past) > 2 and self._past[1][0] <= now - RATE_SECONDS:
            self._past.popleft()
        then, before = self._past[0]
        return (value - before) / (now - then) if now > then else 0.0


def line(stats: Mapping[str, Any], seconds: float, rate: float) -> str:
    """What the live line says.

    Args:
        stats: the crawl's stats.
        seconds: time since the crawl began.
        rate: pages downloaded in a second.
    """
    before, after = number(stats, Stat.BYTES_BEFORE), number(stats, Stat.BYTES_AFTER)
    running = number(stats, Stat.SEARCHES) - number(stats, Stat.SEARCHES_LEARNT) - number(stats, Stat.SEARCHES_FAILED)
    minutes, rest = divmod(int(seconds), 60)
    parts = [
        f"{minutes // 60}:{minutes % 60:02}:{rest:02}",
        counted(downloaded(stats), "page"),
        counted(int(stats.get("item_scraped_count", 0)), "item"),
        counted(sum(templates(stats).values()), "template"),
        *([f"{counted(running, 'search', 'searches')} running"] if running > 0 else []),
        f"{in_bytes(before - after)} saved ({share(before, after)})",
        f"{rate:.1f} pages/s",
    ]
    return "  ".join(parts)


class LiveLine:
    """The line; logs, and whatever else is written to the terminal, scroll by above it.

    Args:
        crawler: the crawl.
        console: the terminal.
    """

    def __init__(self, crawler: Crawler, console: Console) -> None:
        self._crawler = crawler
        self._rate = Rate()
        self._start = time.monotonic()
        self._live = Live(
            console=console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=sys.stdout.isatty(),
            get_renderable=self._rendered,
        )
        self._loop = create_looping_call(self.refresh)
        self._moved: list[tuple[logging.StreamHandler[Any], Any]] = []

    def start(self) -> None:
        """Show the line from now on."""
        stream = sys.stderr
        if isinstance(stream, FileProxy) or not _is_crawl(self._crawler):
            return  # another crawl of this process has its line there, or a person types or reads there
        self._start = time.monotonic()
        self._live.start()
        # handlers keep the stream that they were made with
        for handler in logging.getLogger().handlers:
            if isinstance(handler, logging.StreamHandler) and handler.stream is stream:
                handler.setStream(FileProxy(self._live.console, stream))
                self._moved.append((handler, stream))
        # a second Ctrl-C ends the crawl without a signal, and the terminal must get its cursor back
        atexit.register(self.stop)
        self._loop.start(INTERVAL, now=False)

    def refresh(self) -> None:
        """Draw the line."""
        self._live.refresh()

    def stop(self) -> None:
        """Take the line away."""
        atexit.unregister(self.stop)
        if self._loop.running:
            self._loop.stop()
        while self._moved:
            handler, stream = self._moved.pop()
            handler.setStream(stream)
        self._live.stop()

    def _rendered(self) -> Text:
        stats = self._crawler.stats.get_stats()
        now = time.monotonic() - self._start
        text = line(stats, now, self._rate.of(downloaded(stats)))
        return Text(f"templex  {text}", no_wrap=True, overflow="ellipsis", style="bold")


def _is_crawl(crawler: Crawler) -> bool:
    """Whether it is no look at a page by ``scrapy shell``, ``fetch``, ``view`` or ``parse``, which use the terminal.

    The shell starts its engine without a crawl, the others put a start of their own in the place of the spider's.
    """
    start = getattr(crawler.spider, "start", None)
    return crawler.crawling and not getattr(start, "__module__", "").startswith("scrapy.commands.")


def show_progress(crawler: Crawler) -> None:
    """Show a live line as long as a crawl runs; nothing where standard error is no terminal."""
    console = Console(stderr=True)
    if not console.is_terminal or console.is_dumb_terminal or not sys.stderr.isatty():
        return
    live = LiveLine(crawler, console)
    crawler.signals.connect(live.start, signal=signals.spider_opened, weak=False)
    crawler.signals.connect(live.stop, signal=signals.spider_closed, weak=False)
    crawler.signals.connect(live.stop, signal=signals.engine_stopped, weak=False)
