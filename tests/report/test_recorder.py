"""What the recorder takes down, and that it stays small."""

from __future__ import annotations

import gc
import logging
import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from told import Clock, Told, page

from templex_scrapy import SubdigraphSearch, Template
from templex_scrapy.crawl.candidate_loader import SearchResult
from templex_scrapy.crawl.observer import Observer, Observers
from templex_scrapy.report.document import document
from templex_scrapy.report.recorder import MAX_SITES, Recorder, why_failed
from templex_scrapy.report.sites import MAX_TEMPLATES, SAMPLES
from templex_scrapy.report.snapshot import DETAILED_SITES, LISTED_SITES, Crawl, snapshot

CRAWL = Crawl(spider="test", began=datetime(2026, 1, 2, 3, 4, tzinfo=UTC), dry_run=False, stats={})


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def recorder(clock) -> Recorder:
    return Recorder(clock)


def learn(recorder: Recorder, told: Told) -> None:
    recorder.search_begins(told.key.url)
    recorder.search_ends(told.search, told.result, told.template)


def test_a_template_with_its_subdigraph(recorder, clock):
    """A search that succeeds leaves its template, the pages of its subdigraph and which link back."""
    clock.now += 5
    learn(recorder, Told())
    (site,) = recorder.sites.values()
    (template,) = site.templates
    assert (template.number, template.key_url, template.since) == (1, "https://site.test/", 5.0)
    assert sorted(template.subdigraph.pages) == [f"https://site.test{path}" for path in ("/about/", "/news/", "/shop/")]
    assert template.subdigraph.back == (True, True, True)
    assert (site.searches, site.failed, recorder.failures.seen) == (1, 0, 0)


def test_pages_that_do_not_link_back(recorder):
    """The drawing tells which pages of the subdigraph link to the key page and which do not."""
    told = Told()
    key = page("/deep/page", menu=("/", "/news/", "/shop/", "/about/"))
    search = SubdigraphSearch(key, 3, 10)
    for url in search.wanted():
        search.add(url, page(url.removeprefix("https://site.test")))
    recorder.search_ends(search, SearchResult(pages=search.pages), told.template)
    (site,) = recorder.sites.values()
    assert site.current[key.url].subdigraph.back == (False, False, False)


def test_pages_that_a_template_serves(recorder, clock):
    """Coverage is kept as mean, minimum and over time."""
    told = Told()
    learn(recorder, told)
    for number in range(3):
        clock.now += 1
        recorder.page_cleaned(told.cleaned(f"/{number}"))
    recorder.page_cleaned(replace(told.cleaned("/x"), coverage=0.7))
    (template,) = next(iter(recorder.sites.values())).templates
    assert template.pages == 4
    assert template.lowest == 0.7
    assert template.coverage_sum == pytest.approx(3.7)
    assert sum(pages for _, (pages, _) in template.coverage.rows()) == 4


def test_what_is_saved(recorder):
    """Items add up to the bytes and words before and after, of the site and over time."""
    told = Told()
    cleaned = [told.cleaned(f"/{number}") for number in range(3)]
    for one in cleaned:
        recorder.item_cleaned(one)
    (site,) = recorder.sites.values()
    assert site.bytes_before == sum(len(one.source.encode()) for one in cleaned)
    assert site.bytes_after == sum(len(one.outputs["html"].encode()) for one in cleaned)
    assert site.words_before > site.words_after > 0
    ((_, sums),) = recorder.savings.rows()
    assert sums == (3, site.bytes_before, site.bytes_after, site.words_before, site.words_after)


def test_samples_tell_what_goes(recorder):
    """A sample has the page's texts with their fate: the menu goes, the headline stays and is a heading."""
    told = Told()
    recorder.page_cleaned(told.cleaned("/story", body="<p>left <b>and bold</b> words</p>"))
    (sample,) = next(iter(recorder.sites.values())).samples
    blocks = [block for run in sample.runs for block in run]
    assert [block.text for block in blocks if not block.gone] == [
        "Headline of /story",
        "own words of /story",
        "left and bold words",
    ]
    assert [block.heading for block in blocks if not block.gone] == [True, False, False]
    assert "Section /news/" in [block.text for block in blocks if block.gone]
    assert sample.words[0] > sample.words[1]


def test_why_searches_fail(recorder):
    """Each reason has its words and its count."""
    lonely = SubdigraphSearch(page("/", menu=()), 3, 10)
    nowhere = Told(others=False)
    common = Told()
    cases = [
        (lonely, SearchResult(pages=()), "links to no other page"),
        (nowhere.search, SearchResult(pages=()), "no two of the linked pages"),
        (nowhere.search, SearchResult(pages=(), timed_out=True), "the time was up"),
        (nowhere.search, SearchResult(pages=(), cut_short=True), "was closing"),
        (common.search, common.result, "too little in common"),
    ]
    for search, result, words in cases:
        assert words in why_failed(search, result)
        recorder.search_ends(search, result, None)
    assert "TEMPLEX_TEMPLATE_MEMORY" in why_failed(common.search, common.result, too_large=True)
    assert recorder.reasons.total() == recorder.failures.seen == len(cases)
    assert next(iter(recorder.sites.values())).failed == len(cases)


def test_why_pages_fit_nothing(recorder):
    """A page that fits nothing says whether the site has a template at all, and why not."""
    told = Told(others=False)
    recorder.page_unfit("https://site.test/first")
    recorder.search_ends(told.search, told.result, None)
    recorder.page_unfit("https://site.test/second")
    learn(recorder, Told())
    recorder.page_unfit("https://site.test/third")
    first, second, third = (unfit.why for unfit in recorder.unfit)
    assert first == "no template of the site yet"
    assert "no two of the linked pages" in second
    assert third == "it has too little of the site's template"


def test_templates_from_the_store(recorder):
    """A template whose search was not seen has no subdigraph, and is told as from the store."""
    recorder.page_cleaned(Told().cleaned("/a"))
    (template,) = next(iter(recorder.sites.values())).templates
    assert template.subdigraph is None
    assert "from the store" in document(snapshot(recorder, CRAWL))


def test_forgotten_templates(recorder, clock):
    """A template that made room for another says when."""
    told = Told()
    learn(recorder, told)
    clock.now += 9
    recorder.template_forgotten(told.template)
    assert "made room for another after 0:09" in document(snapshot(recorder, CRAWL))


def test_templates_that_grow_and_retire(recorder, clock):
    """Pages that have joined are counted, and a template that no page has any more says when it ended."""
    told = Told()
    learn(recorder, told)
    grown = Template.from_pages(told.key, [*told.result.pages, page("/joined")])
    recorder.template_grows(told.template, grown)
    clock.now += 30
    recorder.template_retired(grown)
    written = document(snapshot(recorder, CRAWL))
    assert "1 page has joined its voters; retired, since no page had it any more, after 0:30" in written
    recorder.template_revived(grown)
    assert "retired" not in document(snapshot(recorder, CRAWL))


def test_templates_that_stand_in(recorder):
    """A template without a complete subdigraph says so, and which pages stand in for it."""
    told = Told()
    recorder.template_stands_in(told.template)
    recorder.page_cleaned(told.cleaned("/a"))
    (template,) = next(iter(recorder.sites.values())).templates
    assert (template.origin, template.pages) == ("stand-in", 1)
    written = document(snapshot(recorder, CRAWL))
    assert "stand in for a complete subdigraph" in written
    for number, url in enumerate(told.template.page_urls, start=1):
        assert f'<li><b>{number}</b> <a class="url" href="{url}"' in written


def test_a_key_page_that_learns_twice(recorder):
    """After the site has changed, the same key page may have another template: both are told."""
    told = Told()
    learn(recorder, told)
    recorder.page_cleaned(told.cleaned("/a"))
    learn(recorder, told)
    recorder.page_cleaned(told.cleaned("/b"))
    recorder.page_cleaned(told.cleaned("/c"))
    (site,) = recorder.sites.values()
    assert [(template.number, template.pages) for template in site.templates] == [(1, 1), (2, 2)]


def test_many_templates(recorder):
    """Beyond the limit, templates are counted."""
    told = Told()
    for number in range(MAX_TEMPLATES + 5):
        key = page(f"/key{number}")
        search = SubdigraphSearch(key, 3, 10)
        recorder.search_ends(search, told.result, told.template)
    (site,) = recorder.sites.values()
    assert (len(site.templates), site.further_templates) == (MAX_TEMPLATES, 5)
    assert "And 5 more templates." in document(snapshot(recorder, CRAWL))


def test_an_observer_that_fails_is_left_out(caplog):
    """A failing observer is logged once, and the others are still told."""

    class Broken(Observer):
        def page_unfit(self, url: str) -> None:
            raise RuntimeError(url)

    recorder = Recorder()
    observers = Observers([Broken(), recorder])
    with caplog.at_level(logging.ERROR):
        for number in range(3):
            observers.page_unfit(f"https://site.test/{number}")
    assert recorder.unfit.seen == 3
    assert len(caplog.records) == 1
    assert "Broken" in caplog.text


def test_every_event_reaches_every_observer():
    """The composite passes on all events of the protocol."""
    told = Told()
    seen: list[str] = []
    names = [name for name in vars(Observer) if not name.startswith("_")]

    class Listening(Observer):
        def __getattribute__(self, name: str) -> object:
            if name in names:
                return lambda *_, **__: seen.append(name)
            return object.__getattribute__(self, name)

    composite = Observers([Listening()])
    cleaned = told.cleaned("/a")
    arguments = {
        "search_begins": ("https://site.test/",),
        "search_ends": (told.search, told.result, told.template),
        "template_stands_in": (told.template,),
        "template_grows": (told.template, told.template),
        "template_retired": (told.template,),
        "template_revived": (told.template,),
        "template_forgotten": (told.template,),
        "page_cleaned": (cleaned,),
        "page_unfit": ("https://site.test/a",),
        "item_cleaned": (cleaned,),
    }
    assert sorted(arguments) == sorted(names)
    for name, given in arguments.items():
        getattr(composite, name)(*given)
    assert seen == list(arguments)


def feed(recorder: Recorder, clock: Clock, told: Told, events: int) -> None:
    """So many pages with their items, on many sites, with failed searches and pages that fit nothing."""
    long_body = "".join(f"<p>{'word ' * 40}</p>" for _ in range(60))
    cleaned = told.cleaned("/page", body=long_body)
    failed = Told(others=False)
    for number in range(events):
        clock.now += 0.7
        host = f"https://site{number % 2000 if number % 3 else number % 20}.test"
        if number % 50 == 0:
            recorder.search_ends(failed.search, failed.result, None)
        if number % 7 == 0:
            recorder.page_unfit(f"{host}/{'long/' * 40}{number}")
        else:
            one = replace(cleaned, url=f"{host}/{number}", template=f"{host}/key{number % 30}")
            recorder.page_cleaned(one)
            recorder.item_cleaned(one)


@pytest.mark.parametrize(("first", "then"), [(4_000, 2_000), pytest.param(20_000, 80_000, marks=pytest.mark.slow)])
def test_a_long_crawl_stays_small(recorder, clock, first, then):
    """Of 100,000 pages, memory grows no further, and the report is a few megabytes at most; all is counted."""
    told = Told()
    feed(recorder, clock, told, first)
    gc.collect()
    tracemalloc.start()
    feed(recorder, clock, told, then)
    gc.collect()
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < 2_000_000
    written = document(snapshot(recorder, CRAWL))
    assert len(written.encode()) < 3_000_000
    print(f"grown by {grown:,} bytes, report of {len(written.encode()):,} bytes")
    assert len(recorder.sites) == MAX_SITES
    assert recorder.further_sites == 2000 + 1 - MAX_SITES
    assert f"And {2001 - LISTED_SITES:,} more sites" in written
    assert f"{LISTED_SITES - DETAILED_SITES} more sites</summary>" in written
    unfit = recorder.others.unfit + sum(site.unfit for site in recorder.sites.values())
    assert unfit == recorder.unfit.seen == sum(1 for events in (first, then) for number in range(0, events, 7))
    assert all(len(list(site.samples)) <= SAMPLES for site in recorder.sites.values())
