"""The jobs of the workers: pages that are to be cleaned, and the limits within which they may wait."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from math import inf

from scrapy import Request

from templex_scrapy.learning import Patience
from templex_scrapy.page import Page
from templex_scrapy.render import CleanPage

WAIT_SECONDS = 10.0
"""Seconds that a page waits for voters at most, so that users who try a crawl soon see items."""

WAIT_ROOM = 0.9
"""Share of ``SCRAPER_SLOT_MAX_ACTIVE_SIZE`` that pages that wait for voters may fill: beyond it, Scrapy soon stops."""

_LEAST_SIZE = 1_024  # as which Scrapy counts a smaller response

MAX_WAITING = 200
"""Pages of a site that wait for voters at a time: more than a sample has."""


class WaitingRoom:
    """How long, how many and how large pages of all sites may wait; ``getint`` returns a setting of the crawl.

    Attributes:
        pages: pages of a site at a time.
        seconds: seconds that a page waits for voters.
        search_seconds: seconds that a search takes.
    """

    def __init__(self, getint: Callable[[str], int]) -> None:
        # of a crawl that Scrapy closes after ten pages without an item, five may wait
        items, pages = getint("CLOSESPIDER_ITEMCOUNT"), getint("CLOSESPIDER_PAGECOUNT_NO_ITEM")
        self.pages = min(items or MAX_WAITING, pages // 2 if pages else MAX_WAITING)
        half = getint("CLOSESPIDER_TIMEOUT_NO_ITEM") / 2 or inf
        self.seconds, self.search_seconds = min(WAIT_SECONDS, half), half / 2
        self._most = WAIT_ROOM * getint("SCRAPER_SLOT_MAX_ACTIVE_SIZE")
        self._sizes: Counter[str] = Counter()

    def fill(self, site: str, sizes: Iterable[int]) -> None:
        """Note the sizes of the responses of a site that wait, in bytes."""
        self._sizes[site] = sum(max(size, _LEAST_SIZE) for size in sizes)
        if not self._sizes[site]:
            del self._sizes[site]

    def is_short_for(self, site: str) -> bool:
        """Return whether the room is full and this site fills most of it: no other site has to give up the sample."""
        return self._sizes.total() > self._most and self._sizes[site] == max(self._sizes.values())


class Stage(Enum):
    """Where a page is; ``site_worker`` has the table of transitions."""

    NEW = "not judged yet"
    VOTERS = "waits for other pages"
    SEARCH = "waits for a search"


@dataclass(eq=False)
class Job:
    """A page that is to be cleaned.

    Attributes:
        patience: how long the page may still wait.
        learn: whether something may be learnt from it.
        request: the request of the page's response, from which a search derives requests.
        requests: the requests that the callback has made, by fingerprint.
        links: the addresses of these in the order of the ranking; None if the callback is not through.
        size: bytes of the response.
    """

    page: Page
    patience: Patience
    learn: bool = True
    request: Request | None = None
    requests: Mapping[bytes, Request] = field(default_factory=dict)
    links: Collection[str] | None = None
    size: int = 0
    stage: Stage = Stage.NEW
    deadline: float = inf  # until when the page waits for voters
    done: asyncio.Future[CleanPage] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    has_voted: bool = False
