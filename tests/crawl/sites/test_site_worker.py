"""Pages of a site wait for others to vote, and downloads wait for pages."""

import asyncio
import threading
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest

from templex_scrapy.crawl.sites.site_memory import MAX_UNDER_WAY, Site, Sites
from templex_scrapy.crawl.sites.waiting_for_voters import WaitingPages
from templex_scrapy.learning import SiteLearning


class Learning:
    """Has one page to learn from, and then nothing but a last round; the first round ends when it may."""

    def __init__(self):
        self.rounds, self.new, self.is_decided, self.may_end = [], 1, True, threading.Event()

    def is_due(self, *, wait=False, are_last=False):
        return (bool(self.new) and not wait) or (are_last and not self.is_decided)

    def voters_arrived(self, *, are_last):
        self.new = 0
        self.rounds.append(are_last)
        assert are_last or self.may_end.wait(5)
        self.is_decided = are_last


class NoSites:
    """Sites of one process, without a store."""

    @asynccontextmanager
    async def turn(self, _site, _seconds):
        yield True

    async def add_changed(self, _site):
        pass

    async def use(self, _site, _weight, work, **_):
        await asyncio.to_thread(work)


def test_a_page_has_the_last_ones_vote_after_those_that_vote_just_now():
    learning = Learning()

    async def crawl():
        pages, site = WaitingPages(None, None, NoSites(), None), Site("a.example", learning)
        voting = asyncio.create_task(pages.learn(site, 0))
        while not learning.rounds:
            await asyncio.sleep(0.01)
        others = [asyncio.create_task(pages.learn(site, 0, are_last=True)) for _ in range(3)]
        await asyncio.sleep(0.05)
        learning.may_end.set()
        await asyncio.gather(voting, *others)

    asyncio.run(crawl())
    assert learning.rounds == [False, True]


@pytest.mark.parametrize(
    ("users", "url", "waits"),
    [
        (MAX_UNDER_WAY, "http://a.example/1", False),
        (MAX_UNDER_WAY + 1, "http://a.example/1", True),
        (MAX_UNDER_WAY + 1, "http://b.example/1", False),
    ],
)
def test_a_download_waits_for_work_on_its_site_if_many_pages_are_under_way(users, url, waits):
    sites = Sites(SimpleNamespace(), SimpleNamespace(), SimpleNamespace(), 0)

    async def crawl():
        site = sites._sites["a.example"] = Site("a.example", SiteLearning(), users=users)
        async with site.lock:
            download = asyncio.create_task(sites.catch_up(url))
            await asyncio.sleep(0.01)
            has_waited = not download.done()
        await download
        return has_waited

    assert asyncio.run(crawl()) == waits
