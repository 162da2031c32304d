"""A live line on the terminal that says how far a crawl is, below the log."""

from __future__ import annotations

import atexit
import io
import logging
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO, cast

from rich.ansi import AnsiDecoder
from rich.console import Console
from rich.live import Live
from rich.text import Text
from scrapy import signals
from scrapy.utils.asyncio import create_looping_call

from templex_scrapy.crawl.stats import Stat
from templex_scrapy.crawl.summary import counted, downloaded, in_bytes, number, share, templates

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

INTERVAL = 0.5
"""Seconds after which the line is drawn anew."""

RATE_SECONDS = 10.0
"""Seconds over which the rate is taken."""

_SPARE = 1  # how much matters what is left out before anything is told in fewer words


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


def line(stats: Mapping[str, Any], seconds: float, rate: float, width: int = 1000) -> str:
    """What the live line says.

    Args:
        stats: the crawl's stats.
        seconds: time since the crawl began.
        rate: pages downloaded in a second.
        width: columns that there are; where they do not suffice, what matters least is left out.
    """
    before, after = number(stats, Stat.BYTES_BEFORE), number(stats, Stat.BYTES_AFTER)
    running = number(stats, Stat.SEARCHES) - number(stats, Stat.SEARCHES_LEARNT) - number(stats, Stat.SEARCHES_FAILED)
    minutes, rest = divmod(int(seconds), 60)
    # each with how much it matters, and what is said of it where there is little room
    parts = [
        (0, "templex", None),
        (1, f"{minutes // 60}:{minutes % 60:02}:{rest:02}", None),
        (6, counted(downloaded(stats), "page"), None),
        (2, counted(int(stats.get("item_scraped_count", 0)), "item"), None),
        (5, counted(sum(templates(stats).values()), "template"), None),
        *([(4, f"{counted(running, 'search', 'searches')} running", f"{running:,} searching")] if running > 0 else []),
        (7, f"{in_bytes(before - after)} saved ({share(before, after)})", f"{in_bytes(before - after)} saved"),
        (3, f"{rate:.1f} pages/s", f"{rate:.1f}/s"),
    ]
    return _fitting(parts, width)


def _fitting(parts: Sequence[tuple[int, str, str | None]], width: int) -> str:
    """As much as there is room for: first without what nobody asks for, then in fewer words, then without more."""
    kept = list(parts)
    while len(kept) > 1 and sum(len(text) + 2 for _, text, _ in kept) - 2 > width:
        least = min(kept, key=lambda part: part[0])
        if least[0] > _SPARE and any(shorter for _, _, shorter in kept):
            kept = [(rank, shorter or text, None) for rank, text, shorter in kept]
        else:
            kept.remove(least)
    return "  ".join(text for _, text, _ in kept)


class _Above(io.TextIOBase):
    """A terminal on which what is written comes out above the live line, as it is: only the terminal wraps it.

    Args:
        console: has the line.
        stream: the terminal.
    """

    def __init__(self, console: Console, stream: TextIO) -> None:
        self._console = console
        self._stream = stream
        self._decoder = AnsiDecoder()
        self._begun = ""

    @property
    def rich_proxied_file(self) -> TextIO:
        """The terminal; under this name rich looks for what it writes to itself."""
        return self._stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        *lines, self._begun = f"{self._begun}{text}".split("\n")
        self._print(lines)
        return len(text)

    def flush(self) -> None:
        self._print([self._begun] if self._begun else [])
        self._begun = ""

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    def _print(self, lines: Sequence[str]) -> None:
        if lines:
            self._console.print(Text("\n").join(map(self._decoder.decode_line, lines)), soft_wrap=True)


class LiveLine:
    """The line; logs, and whatever else is written to the terminal, scroll by above it.

    Args:
        crawler: the crawl.
        console: the terminal.
    """

    def __init__(self, crawler: Crawler, console: Console) -> None:
        self._crawler = crawler
        self._console = console
        self._rate = Rate()
        self._start = time.monotonic()
        self._live = Live(
            console=console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            get_renderable=self._rendered,
        )
        self._loop = create_looping_call(self.refresh)
        self._moved: list[tuple[logging.StreamHandler[Any], Any]] = []
        self._streams: tuple[TextIO, TextIO] | None = None

    def start(self) -> None:
        """Show the line from now on."""
        stream = sys.stderr
        if isinstance(stream, _Above) or not _is_crawl(self._crawler):
            return  # another crawl of this process has its line there, or a person types or reads there
        self._start = time.monotonic()
        self._live.start()
        self._streams = sys.stdout, stream
        above = _Above(self._console, stream)
        sys.stderr = cast("TextIO", above)
        if sys.stdout.isatty():
            sys.stdout = cast("TextIO", _Above(self._console, sys.stdout))
        # handlers keep the stream that they were made with
        for handler in logging.getLogger().handlers:
            if isinstance(handler, logging.StreamHandler) and handler.stream is stream:
                handler.setStream(above)
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
        if self._streams is not None:
            for written in (sys.stdout, sys.stderr):
                written.flush()
            (sys.stdout, sys.stderr), self._streams = self._streams, None
        self._live.stop()

    def _rendered(self) -> Text:
        stats = self._crawler.stats.get_stats()
        now = time.monotonic() - self._start
        text = line(stats, now, self._rate.of(downloaded(stats)), self._console.width)
        return Text(text, no_wrap=True, overflow="ellipsis", style="bold")


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
