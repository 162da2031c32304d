"""Keeping Python's garbage collector away from what it would walk through in vain.

The collector looks at objects that it knows each time that some hundred new ones have come to stay. In a crawl they are
responses and requests on their way, which reference counting frees; the walk itself, mostly through the modules that
were imported before the crawl began, takes a seventh of a crawl's time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scrapy import signals

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


STANDING = 30_000
"""New objects that come to stay before the collector looks, while a spider is open; Python's own is 700 or 2,000."""


@contextmanager
def uncollected() -> Iterator[None]:
    """Hold back the collector for the time of one page.

    The thousands of small objects that a page is compared by die by reference counting. They only make the collector
    start.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class StandingObjects:
    """Spares the collector what stood before the crawl, and has it look less often, while a spider is open.

    What is spared is freed by reference counting as ever. Of several crawls in one process the first does it for all;
    in a process that spares objects itself, or collects no garbage, nothing is done, and a higher threshold stays.
    """

    def __init__(self) -> None:
        self._thresholds: tuple[int, int, int] | None = None

    def watch(self, crawler: Crawler) -> None:
        """Do so for the time of a crawl."""
        crawler.signals.connect(self.spare, signals.spider_opened)
        crawler.signals.connect(self.release, signals.spider_closed)

    def spare(self) -> None:
        """Collect once, and spare what is left."""
        if gc.isenabled() and not gc.get_freeze_count():
            # else what is garbage now would stay for as long as the crawl
            gc.collect()
            gc.freeze()
            self._thresholds = young, *older = gc.get_threshold()
            gc.set_threshold(max(young, STANDING), *older)

    def release(self) -> None:
        """Let the collector see all objects again, as often as before."""
        if self._thresholds is not None:
            gc.unfreeze()
            gc.set_threshold(*self._thresholds)
            self._thresholds = None
