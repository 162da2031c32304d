"""Pages wait for others of their type, which vote with them: how long, how many of them, and until when in vain."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from templex_scrapy.crawl.downloads.candidate_loader import CandidateLoader
from templex_scrapy.crawl.page_executor import THREAD_WEIGHT
from templex_scrapy.crawl.running_crawl import RunningCrawl
from templex_scrapy.crawl.sites.site_memory import Site, Sites

WAIT_SECONDS = 10.0
"""Seconds that a page waits for voters at most, so that users who try a crawl soon see items."""

WAIT_ROOM = 0.9
"""Share of ``SCRAPER_SLOT_MAX_ACTIVE_SIZE`` from which on no page waits for voters: soon Scrapy would not download."""

MAX_WAITING = 200
"""Pages of a site that wait for voters at a time: more than a sample has."""

POLL_SECONDS, POLL_ATTEMPTS = 0.1, 3
"""Seconds between two polls of a page that waits, and polls in a row without a download until it waits no longer."""


class Patience:
    """How long and how many pages may wait: extensions of Scrapy close a crawl that brings no items for long.

    Attributes:
        seconds: seconds that a page waits for voters.
        search_seconds: seconds that a search takes, and waits for that of another process.
        pages: pages of a site at a time.
    """

    def __init__(self, getint: Callable[[str], int]) -> None:
        # of a crawl that is closed after ten pages without an item, five may wait
        items, pages = getint("CLOSESPIDER_ITEMCOUNT"), getint("CLOSESPIDER_PAGECOUNT_NO_ITEM")
        self.pages = min(items or MAX_WAITING, pages // 2 if pages else MAX_WAITING)
        half = getint("CLOSESPIDER_TIMEOUT_NO_ITEM") / 2 or inf
        self.seconds, self.search_seconds = min(WAIT_SECONDS, half), half / 2


@dataclass(frozen=True, eq=False)
class WaitingPages:
    """The pages of a crawl that wait for voters, site by site."""

    crawl: RunningCrawl
    loader: CandidateLoader
    sites: Sites
    patience: Patience

    def deadline(self) -> float:
        """Return the time until which a page that comes now may wait."""
        return asyncio.get_running_loop().time() + self.patience.seconds

    async def wait(self, site: Site, deadline: float) -> bool:
        """Let a page wait until voters have arrived.

        Without them, the first pages of a type are cleaned by few votes: a banner that three of the first four pages
        have is kept on these, and removed from later pages.

        Returns:
            False if waiting is in vain: the crawl downloads nothing of the site, is being closed, or too many wait.
        """
        loop, learning = asyncio.get_running_loop(), site.learning
        rounds, polls = site.rounds, 0
        # a crawl that CLOSESPIDER_ITEMCOUNT ends after ten items should not download fifty pages that wait
        if site.waiting >= self.patience.pages:
            return False
        site.waiting += 1
        try:
            while site.rounds == rounds and not learning.is_complete:
                if self.crawl.is_closing or polls >= POLL_ATTEMPTS:
                    await self.learn(site, deadline, are_last=True)
                    return False
                if loop.time() >= deadline or self.crawl.pages_waiting > WAIT_ROOM:
                    return False
                # a spider that takes five pages brings no sixth: its items wait 0.3 seconds, not ten
                is_busy = site.search_ended is not None or self._are_expected(site)
                polls = 0 if is_busy else polls + 1
                await asyncio.sleep(POLL_SECONDS)
            return True
        finally:
            site.waiting -= 1

    def _are_expected(self, site: Site) -> bool:
        """Return whether the crawl brings further pages of a site."""
        # between pages of other sites, those of this one come one by one: to vote for each would cost most. What
        # robots.txt forbids is noted and never comes, so that the scheduler is asked as well
        is_ahead = self.loader.downloads.has_pages_ahead(site.name) and self.crawl.has_requests
        return is_ahead or self.loader.is_downloading(site.name)

    async def learn(self, site: Site, deadline: float, *, wait: bool = False, are_last: bool = False) -> None:
        """Let the pages that have arrived vote, if that pays for a page that may wait for more, or may not.

        One process at a time does so, with what the others have learnt.
        """

        def work() -> None:
            site.learning.voters_arrived(are_last=are_last)
            site.rounds += 1

        # another page may have them vote just now: what is due is known when they have; all that wait go on together
        while site.voting_ended is not None:
            await site.voting_ended.wait()
        if not site.learning.is_due(wait=wait, are_last=are_last):
            return
        ended = site.voting_ended = asyncio.Event()
        try:
            seconds = deadline - asyncio.get_running_loop().time()
            async with self.sites.turn(site, seconds):
                await self.sites.add_changed(site)
                await self.sites.use(site, THREAD_WEIGHT, work, at_once=True)
        finally:
            ended.set()
            site.voting_ended = None
