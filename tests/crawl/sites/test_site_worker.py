"""The worker of a site: pages wait for others to vote, and for a search; nobody waits longer than needed."""

import asyncio
import sys
from collections import Counter
from types import SimpleNamespace

from helpers.crawling import BREADTH_FIRST, SiteSpider
from helpers.web import Reply, html_page
from scrapy import Request
from scrapy.core.scheduler import Scheduler

from templex_scrapy.crawl.page_executor import PageExecutor
from templex_scrapy.crawl.running_crawl import POLL_SECONDS, WaitingRoom
from templex_scrapy.crawl.sites.jobs import Job, Stage
from templex_scrapy.crawl.sites.site_worker import SiteWorker
from templex_scrapy.learning import Patience, SiteLearning
from templex_scrapy.learning.site_learning import MAX_VOTERS
from templex_scrapy.page import Page, ParseCache


def test_the_scheduler_is_asked_once_an_interval_for_all_pages_that_wait(crawl, new_site):
    """A scheduler may ask a server, and the crawl stands still meanwhile."""
    site, other, looks = new_site(), new_site(), []
    paths = ["/", *(f"/{number}.html" for number in range(30))]
    for path in paths:
        site.add(path, menu=paths[:5])
    other.add("/slow", Reply(html_page("/slow"), delay=1.0))

    class OneBehind(SiteSpider):
        """The last page of the site comes after the slow page of another."""

        def links(self, response):
            if response.url == f"{site.url}/":
                yield from (response.follow(path) for path in paths[1:-1])
                yield Request(f"{other.url}/slow", priority=-98)
                yield response.follow(paths[-1], priority=-99)

    class Counting(Scheduler):
        def has_pending_requests(self):
            looks.append(sys._getframe(1).f_code.co_name)
            return super().has_pending_requests()

    crawled = crawl(OneBehind, f"{site.url}/", CONCURRENT_REQUESTS=1, SCHEDULER=Counting)
    assert crawled.count("pages/waited") == len(paths) + 1
    assert 0 < looks.count("has_requests") <= crawled.stats["elapsed_time_seconds"] / POLL_SECONDS + 1


ROOM = Counter(SCRAPER_SLOT_MAX_ACTIVE_SIZE=10**6)


async def nothing(*_):
    return []


def worker_of(learning, room, load_changed=nothing):
    """A worker of a site, the first search of which is over, in a crawl that goes on."""
    learning.budget.searches = 1
    stored = SimpleNamespace(began=0, load=nothing, load_changed=load_changed, save=nothing, forget=nothing)
    stored.used = lambda *_: None
    crawl = SimpleNamespace(executor=PageExecutor(), is_closing=False, has_requests=True, is_starting=True, room=room)
    crawl.count = crawl.send = lambda *_, **__: None
    crawl.render = lambda match: match.clean
    loader = SimpleNamespace(downloads=SimpleNamespace(has_ahead=lambda _: True, is_busy=lambda _: True))
    return SiteWorker("a.example", learning, crawl, loader, stored)


def test_a_page_whose_callback_is_cancelled_takes_no_room():
    room = WaitingRoom(ROOM.__getitem__)
    worker = worker_of(SiteLearning(), room)

    async def run():
        job = Job(Page("<p>text</p>", "http://a.example/"), Patience.VOTERS, links=["http://a.example/1"], size=500_000)
        callback = asyncio.ensure_future(worker.clean(job))
        while job.stage is not Stage.VOTERS:
            await asyncio.sleep(0)
        room.fill("b.example", [500_001])
        assert room.is_short_for("b.example")
        callback.cancel()
        while worker.is_working:
            await asyncio.sleep(0)

    asyncio.run(run())
    assert not room.is_short_for("b.example")


def test_a_page_that_cannot_be_cleaned_holds_up_no_other(crawl, site, monkeypatch):
    judge = SiteLearning.judge

    def fails(self, page, **options):
        if page.url.endswith("/news/3.html"):
            raise ValueError("in the work")
        return judge(self, page, **options)

    monkeypatch.setattr(SiteLearning, "judge", fails)
    crawled = crawl(SiteSpider, f"{site.url}/")
    assert (len(crawled.items), crawled.count("items/cleaned")) == (12, 11)


def test_a_site_is_not_settled_with_the_pages_that_came_before_its_vote():
    """Five pages may wait no longer; the other 35 of the sample come while the store is asked before the vote."""
    urls, rest, late = [f"http://a.example/{number}" for number in range(40)], [], []
    learning = SiteLearning()

    def new_page(number):
        note = "Sold out until the end of November" if number < 10 else f"In stock with {number} pieces"
        menu = "".join(f"<li><a href='/{i}'>menu {i}</a></li>" for i in range(8))
        story = f"<h1>title {number}</h1><p>story number {number} of many</p>"
        html = f"<html><body><ul>{menu}</ul><div>{story}</div><div class=box><p>{note}</p></div></body></html>"
        return Page(html, urls[number], parse_cache=ParseCache(10**6))

    async def load_changed(_):
        late.extend(asyncio.ensure_future(clean(number)) for number in rest)
        rest.clear()
        for _ in range(3):
            await asyncio.sleep(0)

    def clean(number):
        return worker.clean(Job(new_page(number), Patience.VOTERS, links=[] if number else urls, size=1000))

    room = WaitingRoom(ROOM.__getitem__)
    room.seconds = 0.0
    worker = worker_of(learning, room, load_changed)

    async def run():
        rest.extend(range(5, 40))
        await asyncio.gather(*map(clean, range(5)))
        return [page.html for page in await asyncio.gather(*late)]

    pages = asyncio.run(run())
    assert [len(template.page_urls) for template in learning.templates] == [MAX_VOTERS]
    assert all("Sold out" in html for html in pages[:5]), "on a quarter of the pages"


def typed_site(site, jitter):
    """Three types of pages, a page that is alone, and answers that take as long as ``jitter`` says of their path."""
    lists = {
        "news": "<div class=story><p class=by>By the desk</p><p>{}</p></div>",
        "shop": "<table class=offer><tr><th class=label>Price</th><td class=value>{}</td></tr></table>",
        "forum": "<ul class=thread><li class=post><b class=poster>{}</b></li></ul>",
    }
    paths = [f"/{kind}/{number}.html" for kind in lists for number in range(24)]
    add = {"/": "", "/imprint": "<address class=imprint>Only here</address>"}
    for kind, body in lists.items():
        links = "".join(f'<p><a href="{path}">Page</a></p>' for path in paths if path.startswith(f"/{kind}/"))
        add[f"/{kind}/"] = f"<section class=list>{links}</section>"
        add |= {
            path: body.format(" ".join(f"{path}-{i}" for i in range(9)))
            for path in paths
            if path.startswith(f"/{kind}/")
        }
    menu = ["/", *(f"/{kind}/" for kind in lists), "/imprint"]
    for path, body in add.items():
        site.add(path, Reply(html_page(path, menu=menu, body=body), delay=jitter(path)))


def test_the_order_of_the_crawl_and_of_the_answers_changes_no_item(crawl, new_site):
    site, found = new_site(), []
    for settings, jitter in (
        ({}, lambda _: 0.0),
        (BREADTH_FIRST, lambda _: 0.0),
        ({}, lambda path: sum(map(ord, path)) % 7 / 50),
        ({"CONCURRENT_REQUESTS": 1}, lambda _: 0.0),
    ):
        typed_site(site, jitter)
        crawled = crawl(SiteSpider, f"{site.url}/", **settings)
        assert crawled.count("items/cleaned") == len(crawled.items)
        found.append(crawled.by_path())
    assert len(found[0]) == len(site.replies)
    assert [[path for path in found[0] if found[0][path] != other.get(path)] for other in found[1:]] == [[], [], []]
