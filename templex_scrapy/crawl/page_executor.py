"""Work on pages without stopping the event loop: heavy pages in a thread, light ones several in a turn."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

THREAD_WEIGHT = 10_000
"""Weight from which work is done in a thread: less takes some 100 ms."""

TURN_SECONDS = 0.1
"""Seconds of work after which others have their turn."""

_T = TypeVar("_T")


class PageExecutor:
    """Works on heavy pages in a thread, and on light ones in the event loop, several in each turn.

    A pause after each light page would cost more than the page: Scrapy runs several tasks for each response.
    """

    def __init__(self) -> None:
        # more threads would do no more at a time, and the C library keeps for each of them the memory of the largest
        # pages that it has parsed
        self._thread = ThreadPoolExecutor(1)
        self._turn = asyncio.Lock()
        self._seconds = 0.0  # of work in this turn of the event loop

    async def do(self, page_weight: int, work: Callable[[], _T]) -> _T:
        """Do a piece of work on pages that have this weight together."""
        if page_weight >= THREAD_WEIGHT:
            queued = self._thread.submit(work)
            thread = asyncio.wrap_future(queued)
            try:
                return await asyncio.shield(thread)
            except asyncio.CancelledError:
                # the thread uses the site, which the caller unlocks when this returns
                if not queued.cancel():
                    await asyncio.wait([thread])
                raise
        # 200 pages that waited for a search become ready together: without turns no socket would be read for seconds
        async with self._turn:
            if self._seconds > TURN_SECONDS:
                # after sleep(0) this task would run before the sockets that are ready
                await asyncio.sleep(0.001)
            if not self._seconds:
                # after everything that is ready now, which is part of the same turn
                asyncio.get_running_loop().call_later(0, setattr, self, "_seconds", 0.0)
            began = time.perf_counter()
            try:
                return work()
            finally:
                self._seconds += time.perf_counter() - began

    async def catch_up(self) -> None:
        """Wait for a turn, so that the crawl does not download pages faster than it works on them."""
        async with self._turn:
            return
