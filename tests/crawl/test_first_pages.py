"""The first pages of a type wait until the template has all voters, so that they are cleaned as later ones are."""

import pytest
from helpers.crawling import SiteSpider
from helpers.web import Reply, html_page

from templex_scrapy import clean_page
from templex_scrapy.crawl import running_crawl
from templex_scrapy.crawl.sites import site_worker

BOX = "<div class=box><p>A box that most of the pages have, and some have not.</p><a href='/'>Back</a></div>"
PAGES = 24


@pytest.fixture
def pages(new_site):
    """A site of one type of pages; the first ones lack a box that the others have."""
    site = new_site()
    paths = ["/", *(f"/p/{number}.html" for number in range(PAGES))]
    links = "".join(f'<p><a href="{path}">Page</a></p>' for path in paths[1:])
    for number, path in enumerate(paths):
        site.add(path, menu=paths[:4], body=BOX * (number > 3) + links * (path == "/"))
    return site


class Ordered(SiteSpider):
    """Requests the pages of the first page in their order, which Scrapy's queue would turn round."""

    def links(self, response):
        if response.url.endswith("/"):
            for number, path in enumerate(response.css("main a::attr(href)").getall()):
                yield response.follow(path, self.parse, priority=-number)


def boxes(crawled):
    """The pages on which the box is left."""
    return [path for path, html in crawled.by_path().items() if "A box that" in html]


@pytest.mark.parametrize("settings", [{}, {"CONCURRENT_REQUESTS": 1, "DOWNLOAD_DELAY": 0.02}])
def test_all_pages_are_cleaned_as_the_final_templates_do_it(crawl, pages, tmp_path, settings):
    first = crawl(Ordered, f"{pages.url}/", TEMPLEX_STORE=tmp_path / "store.sqlite3", **settings)
    again = crawl(Ordered, f"{pages.url}/", TEMPLEX_STORE=tmp_path / "store.sqlite3", **settings)
    assert len(first.items) == len(pages.replies)
    assert first.by_path() == again.by_path()
    assert boxes(first) == []


@pytest.mark.parametrize(
    ("seconds", "limits", "reason"),
    [(0.2, {}, "finished"), (3600.0, {"CLOSESPIDER_ITEMCOUNT": 5}, "closespider_itemcount")],
)
def test_pages_wait_a_limited_time_and_no_more_of_them_than_items_close_the_crawl(
    crawl, pages, late, monkeypatch, seconds, limits, reason
):
    monkeypatch.setattr(running_crawl, "WAIT_SECONDS", seconds)
    pages.add("/p/5.html", late.reply)
    crawled = crawl(Ordered, f"{pages.url}/", CONCURRENT_REQUESTS=1, **late.settings, **limits)
    assert crawled.reason == reason
    assert False not in late.came_second


def test_a_callback_that_awaits_its_page_is_not_held_up(crawl, pages):
    """Its requests come after the page is cleaned, so that nothing may come while it waits."""

    class Chain(SiteSpider):
        async def parse(self, response, number=0):
            cleaned = await clean_page(response)
            yield {"url": response.url, "html": cleaned.html}
            if number < PAGES:
                yield response.follow(f"/p/{number}.html", self.parse, cb_kwargs={"number": number + 1})

    assert len(crawl(Chain, f"{pages.url}/").items) == PAGES + 1


def test_pages_wait_for_those_of_their_site_behind_pages_of_another(crawl, pages, new_site):
    """Else they vote one by one, while the other site is downloaded for longer than pages wait for nothing."""
    other = new_site()
    slow = Reply(html_page("/"), delay=6 * site_worker.POLL_SECONDS)
    other.replies |= {f"/?{number}": slow for number in range(PAGES)}

    class InTurns(SiteSpider):
        def links(self, response):
            if response.url == f"{pages.url}/":
                for number in range(PAGES):
                    yield response.follow(f"/p/{number}.html", self.parse, priority=-2 * number)
                    yield response.follow(f"{other.url}/?{number}", self.parse, priority=-2 * number - 1)

    crawled = crawl(InTurns, f"{pages.url}/", CONCURRENT_REQUESTS=1)
    assert len(crawled.items) == 2 * PAGES + 1
    assert boxes(crawled) == []
