"""Crawls with a store: what one has learnt the next one knows, and nothing that happens to the store costs an item."""

import logging
import re
from contextlib import closing
from dataclasses import dataclass, make_dataclass

import pytest
from helpers.crawling import SiteSpider, spider_of
from helpers.web import Reply
from itemadapter import ItemAdapter

from templex_scrapy import clean_page, signals
from templex_scrapy.crawl.sites import template_persistence
from templex_scrapy.crawl.sites.template_persistence import TemplatePersistence
from templex_scrapy.learning.drift import PAGES_IN_A_ROW
from templex_scrapy.page import site_of
from templex_scrapy.stores import open_store
from templex_scrapy.template import Template

ITEMS = 12
"""One for each of eleven pages, and one more for the home page, which is linked as well as begun with."""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "templates.sqlite3"


@pytest.fixture
def crawl_with(crawl, site):
    """Crawl the site with a store, and check that nothing is missing."""

    def run(where):
        crawled = crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=str(where))
        assert crawled.count("items/cleaned") == len(crawled.items) == ITEMS
        assert (crawled.reason, crawled.count("errors")) == ("finished", 0)
        return crawled

    return run


@pytest.fixture
def name(site):
    return site_of(site.url) or ""


def templates(where, site):
    with closing(open_store(where, strict=True)) as store:
        return store.load(site)


def test_the_next_crawl_uses_what_this_one_has_learnt(crawl_with, path, name):
    first = crawl_with(path)
    assert (first.count("searches"), first.count("store/loaded"), first.count("store/errors")) == (1, 0, 0)
    assert first.count("store/saved") == 1 + first.count("templates/grown")
    (learnt,) = templates(path, name)
    second = crawl_with(path)
    assert (second.count("searches"), second.count("candidates/requested"), second.count("store/loaded")) == (0, 0, 1)
    assert second.by_path() == first.by_path()
    (used,) = templates(path, name)
    assert (used.learnt, used.key) == (learnt.learnt, learnt.key)
    assert used.used > learnt.used


def test_a_stored_template_that_fails_is_learnt_anew(crawl_with, path, name, monkeypatch):
    first = crawl_with(path)
    (learnt,) = templates(path, name)
    read = Template.from_dict

    def broken(data):
        template = read(data)
        template.key_page.ballot.varying.add(10**6)  # no such node
        return template

    monkeypatch.setattr(Template, "from_dict", broken)
    second = crawl_with(path)
    monkeypatch.undo()
    assert (second.count("store/loaded"), second.count("store/errors")) == (1, 1)
    assert second.by_path() == first.by_path()
    (anew,) = templates(path, name)
    assert anew.learnt > learnt.learnt


def test_a_job_directory_keeps_the_templates(crawl, site, tmp_path):
    crawl(SiteSpider, f"{site.url}/", JOBDIR=str(tmp_path / "one"))
    again = crawl(SiteSpider, f"{site.url}/about/", JOBDIR=str(tmp_path / "one"))
    assert again.items
    assert (again.count("searches"), again.count("store/loaded")) == (0, 1)


def test_without_store_and_job_directory_no_file_is_left(crawl, site, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(crawl(SiteSpider, f"{site.url}/").items) == ITEMS
    assert list(tmp_path.iterdir()) == []


def test_a_new_design_is_told_in_the_next_crawl(crawl, site, path, name, tmp_path):
    settings = {"TEMPLEX_STORE": str(path), "TEMPLEX_REPORT": str(tmp_path / "report.html")}
    changes = []

    def template_changed(site, old, new, pages):
        changes.append((site, old, new, pages))

    class Watching(SiteSpider):
        async def start(self):
            self.crawler.signals.connect(template_changed, signal=signals.template_changed)
            async for request in super().start():
                yield request

    crawls = [crawl(Watching, f"{site.url}/", **settings) for _ in range(2)]
    assert changes == []
    assert [crawled.count("templates/changed") for crawled in crawls] == [0, 0]
    (learnt,) = templates(path, name)
    for at, reply in list(site.replies.items()):
        body = re.sub('class="', 'class="new-', re.sub(r"<(/?)(header|main|footer|ul)", r"<\1section", reply.body))
        site.replies[at] = Reply(body.replace("<section", "<div><section", 1).replace("</body>", "</div></body>"))
    crawled = crawl(Watching, f"{site.url}/", **settings)
    ((told, old, new, pages),) = changes
    assert (told, old.identity) == (name, learnt.template.identity)
    assert new is not None
    assert new.key_url.startswith(site.url)
    assert len(set(pages)) == PAGES_IN_A_ROW
    (message,) = crawled.messages()
    assert message.startswith(f"{name}: a new design: pages like {old.key_url}, such as {site.url}/")
    assert crawled.count("templates/changed") == 1
    assert ", 1 changed since they were stored, " in "".join(crawled.messages(logging.INFO))
    assert "A new design: pages like " in (tmp_path / "report.html").read_text()


@pytest.fixture
def crawl_again(crawl, site, path):
    """Crawl the site with TEMPLEX_SKIP_UNCHANGED; the items' marks by path, and the crawl."""

    def run(skip, spider=SiteSpider, **settings):
        crawled = crawl(spider, f"{site.url}/", TEMPLEX_STORE=str(path), TEMPLEX_SKIP_UNCHANGED=skip, **settings)
        assert crawled.count("errors") == 0
        return {
            item["url"].removeprefix(site.url): item.get("templex_unchanged")
            for item in map(ItemAdapter, crawled.items)
        }, crawled

    return run


def change(site, path, word):
    """Change the frame of all pages, and a word of the content of a single page."""
    for at, reply in list(site.replies.items()):
        body = reply.body.replace("</body>", "<footer>Printed on 4 April</footer></body>")
        site.replies[at] = Reply(body.replace("Story", word, 1) if at == path else body)


def test_items_of_pages_with_the_content_of_the_last_crawl_are_marked(crawl_again, site):
    marks, crawled = crawl_again("mark")
    assert (set(marks.values()), crawled.count("items/same_content")) == ({False}, 0)
    change(site, "/shop/", "Tale")
    marks, crawled = crawl_again("mark")
    assert [at for at, mark in marks.items() if not mark] == ["/shop/"]
    assert crawled.count("items/same_content") == crawled.count("items/cleaned") - 1 == ITEMS - 1
    assert all("banner" not in item["html"] for item in crawled.items)


def test_they_are_dropped_if_the_setting_says_so_but_not_in_a_dry_run(crawl_again, site):
    marks, _ = crawl_again("drop")
    assert set(marks.values()) == {None}
    change(site, "/shop/", "Tale")
    assert [crawl_again("drop", TEMPLEX_DRY_RUN=True)[0] for _ in range(2)] == [marks, marks]
    left, crawled = crawl_again("drop")
    assert (list(left), crawled.count("items/same_content")) == (["/shop/"], ITEMS - 1)
    assert crawled.messages() == []
    assert crawl_again("drop")[0] == {}


@dataclass
class Marked:
    url: str
    templex_unchanged: bool | None = None


class FieldsSpider(SiteSpider):
    """Yields several items of each page, with fields of the cleaned page and without the page."""

    async def parse(self, response, **_):
        page = await clean_page(response)
        assert page.css("h1")
        for _ in range(3):
            yield Marked(response.url)
        for request in self.links(response):
            yield request


def test_all_items_of_a_page_have_the_same_mark_also_without_the_page(crawl_again, site, monkeypatch):
    """However often hashes are stored meanwhile."""
    monkeypatch.setattr(template_persistence, "MAX_NOTES", 1)
    _, crawled = crawl_again("mark", FieldsSpider)
    assert [item.templex_unchanged for item in crawled.items] == [False] * 3 * ITEMS
    change(site, "/shop/", "Tale")
    _, crawled = crawl_again("mark", FieldsSpider)
    marks = [item.templex_unchanged for item in crawled.items if not item.url.endswith(f"{site.url}/")]
    assert marks.count(False) == 3


def test_only_items_that_the_same_spider_has_stored_are_dropped(crawl_again):
    class Other(SiteSpider):
        """Makes other items of the same pages."""

        name = "other"

    class Raising(SiteSpider):
        """Raises after the first item of a page."""

        def parse(self, response, **_):
            yield from self.links(response)
            yield self.item(response)
            raise ValueError("a bug")

    class Away:
        """A pipeline behind that of the add-on: a database."""

        def process_item(self, item):
            raise OSError(f"away: {item['url']}")

    first = crawl_again("drop", Other)[0]
    assert crawl_again("drop", Raising)[0] == first
    assert crawl_again("drop", ITEM_PIPELINES={Away: 900})[0] == {}
    assert crawl_again("drop")[0] == first
    assert crawl_again("drop")[0] == crawl_again("drop", Other)[0] == {}


def test_pages_of_a_crawl_that_was_killed_are_not_known(crawl_again, monkeypatch):
    """A feed may be written at the crawl's end."""
    monkeypatch.setattr(template_persistence, "MAX_NOTES", 1)
    with monkeypatch.context() as killed:
        killed.setattr(TemplatePersistence, "close", TemplatePersistence.save_dropped)
        first = crawl_again("drop")[0]
    assert crawl_again("drop")[0] == first
    assert len(crawl_again("drop")[0]) < len(first)


def test_items_without_the_field_are_cleaned_and_not_marked(crawl_again):
    unmarked = make_dataclass("Unmarked", ["url", "html"])
    _, crawled = crawl_again("mark", spider_of(lambda response: unmarked(response.url, response.text)))
    assert crawled.count("items/cleaned") == ITEMS
    assert "have no field 'templex_unchanged'" in crawled.messages()[0]


def test_skipping_needs_a_store_that_stays(crawl, site):
    with pytest.raises(ValueError, match="TEMPLEX_SKIP_UNCHANGED needs TEMPLEX_STORE or JOBDIR"):
        crawl(SiteSpider, f"{site.url}/", TEMPLEX_SKIP_UNCHANGED="mark")
