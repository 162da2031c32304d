"""What the recorder keeps of a crawl, and that it stays small."""

from __future__ import annotations

import gc
import tracemalloc
from dataclasses import replace
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded import HOST, MENU, Clock, Search, page, record_page, report_of, unfit

from templex_scrapy import Page, SubdigraphSearch, Template
from templex_scrapy.report.page_texts import MAX_TEXTS, RemovedTexts, text_keys
from templex_scrapy.report.pictures import MAX_POINTS, Curve, means
from templex_scrapy.report.recorder import (
    EVERY,
    FIRST_PAGES,
    MAX_SITES,
    Recorder,
    why_failed,
)
from templex_scrapy.report.records import MAX_LISTED_TEMPLATES, Origin


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def recorder(clock) -> Recorder:
    return Recorder(clock)


@pytest.fixture
def search() -> Search:
    return Search()


def only_template(recorder: Recorder):
    (site,) = recorder.sites.values()
    (template,) = site.templates.values()
    return template


def test_a_template_with_its_subdigraph(recorder, clock, search):
    """A search that finds a template: key page, voters, nodes, and the pages of the subdigraph with their links."""
    clock.now += 5
    search.end(recorder)
    template = only_template(recorder)
    assert (template.number, template.key_url, template.since, template.origin) == (1, f"{HOST}/", 5.0, Origin.SEARCH)
    assert (
        sorted(template.subdigraph)
        == sorted(template.voters)
        == [f"{HOST}{path}" for path in ("/about/", "/news/", "/shop/")]
    )
    assert template.links_back == (True, True, True)
    assert (template.nodes, template.voter_count) == (len(search.template.nodes), 3)
    (site,) = recorder.sites.values()
    assert (site.searches, site.failed, len(recorder.failures)) == (1, 0, 0)


def test_a_template_of_pages_of_one_type_and_one_from_the_store(recorder, search):
    """They have no subdigraph; the first has voters."""
    recorder.page_cleaned(Search("https://stored.test").clean("/a"))
    recorder.template_learnt(search.template)
    recorder.page_cleaned(search.clean("/a"))
    origins = [
        (one.origin, one.subdigraph, one.pages, len(one.voters))
        for site in recorder.sites.values()
        for one in site.templates.values()
    ]
    assert origins == [(Origin.STORE, (), 1, 0), (Origin.PEERS, (), 1, 3)]


def test_a_template_that_grows(recorder, search):
    """Further voters are counted; the key page may be another one."""
    search.end(recorder)
    grown = Template.from_pages(search.pages[0], [search.key, *search.pages[1:], page("/joined")])
    recorder.template_grown(search.template, grown)
    template = only_template(recorder)
    assert (template.number, template.voter_count, template.key_url) == (1, 4, search.pages[0].url)


def test_a_template_that_grows_into_another(recorder, search):
    """The records of both are kept, each with its pages and a number of its own."""
    search.end(recorder)
    other = Template.from_pages(search.pages[0], [search.key, *search.pages[1:]])
    recorder.template_learnt(other)
    recorder.page_cleaned(replace(search.clean("/1"), template_url=other.key_url))
    recorder.template_grown(search.template, other)
    (site,) = recorder.sites.values()
    assert [(one.number, one.pages) for one in site.templates.values()] == [(1, 0), (2, 1)]


def test_pages_and_items(recorder, clock, search):
    """Coverage is kept as mean, minimum and over time, words for the site and over time."""
    search.end(recorder)
    for number in range(3):
        clock.now += 1
        clean = search.clean(f"/{number}")
        recorder.page_cleaned(clean)
        recorder.item_cleaned(clean)
    recorder.page_cleaned(replace(search.clean("/x"), coverage=0.7))
    template = only_template(recorder)
    assert (template.pages, template.lowest) == (4, 0.7)
    assert template.mean_coverage == pytest.approx((3 + 0.7) / 4)
    assert means(template.coverage)[-1] == (3.0, pytest.approx(0.7))
    (site,) = recorder.sites.values()
    assert recorder.words.points[-1] == (3.0, (site.words_before, site.words_after))


def test_removed_texts_and_a_sample_of_each_template(recorder, search):
    """The texts of the first pages and of each tenth are looked at, the sample is a later one."""
    search.end(recorder)
    for number in range(FIRST_PAGES + 2 * EVERY):
        record_page(recorder, search.clean(f"/{number}", body="<p>left <b>and bold</b> words</p>"))
    template = only_template(recorder)
    assert template.texts.pages == FIRST_PAGES + 2
    texts = {one.text: (one.removed, one.kept) for one in template.texts.largest(99)}
    assert texts["Section /news/"] == (FIRST_PAGES + 2, 0)
    assert "left" not in texts
    assert template.sample.url == f"{HOST}/9"
    blocks = [block for run in template.sample.runs for block in run]
    kept = [(block.text, block.is_heading) for block in blocks if not block.is_removed]
    assert kept == [("Headline of /9", True), ("own words of /9", False), ("left and bold words", False)]
    assert "Section /news/" in [block.text for block in blocks if block.is_removed]


def test_the_menu_of_a_site_is_listed_once(recorder, search):
    search.end(recorder)
    for number in range(3):
        record_page(recorder, search.clean(f"/{number}"))
    (site,) = recorder.sites.values()
    assert [link["text"] for link in site.menu] == [f"Section {path}" for path in MENU]
    assert report_of(recorder).count('target="_blank"><bdi>Section /shop/') == 1


def test_why_searches_fail(recorder, search):
    """Each reason has its words and its number."""
    lonely, nowhere = SubdigraphSearch(page("/", menu=()), 3, 10), Search(others=False).search
    cases = [
        (lonely, False, "links to no other page"),
        (nowhere, False, "no two of the linked pages"),
        (nowhere, True, "by its deadline"),
        (search.search, False, "too little in common"),
    ]
    for failed, cut_short, words in cases:
        assert words in why_failed(failed, cut_short=cut_short)
        recorder.search_ends(failed, None, cut_short=cut_short)
    assert recorder.reasons.total() == len(recorder.failures) == len(cases)
    assert next(iter(recorder.sites.values())).failed == len(cases)


def test_why_pages_have_no_template(recorder):
    """The reason is that of the site at that time."""
    recorder.page_cleaned(unfit(f"{HOST}/first"))
    Search(others=False).end(recorder)
    recorder.page_cleaned(unfit(f"{HOST}/second"))
    Search().end(recorder)
    recorder.page_cleaned(unfit(f"{HOST}/third"))
    first, second, third = (unfit.why for unfit in recorder.unfit)
    assert first == "no template of the site yet"
    assert "no two of the linked pages" in second
    assert third == "too little of the template of the site is in it"


def test_many_templates(recorder, search):
    """Beyond the limit they are counted."""
    for number in range(MAX_LISTED_TEMPLATES + 5):
        recorder.template_learnt(Template.from_pages(page(f"/key{number}"), search.pages))
    (site,) = recorder.sites.values()
    assert (len(site.templates), site.template_count) == (MAX_LISTED_TEMPLATES, MAX_LISTED_TEMPLATES + 5)


def feed(recorder: Recorder, clock: Clock, search: Search, events: int) -> None:
    """Pages with items on many sites, failed searches and pages without a template."""
    clean = search.clean("/page", body="".join(f"<p>{'word ' * 40}{number}</p>" for number in range(5)))
    failed = Search(others=False)
    for number in range(events):
        clock.now += 0.7
        host = f"https://site{number % 601 if number % 3 else number % 20}.test"
        if number % 50 == 0:
            failed.end(recorder)
        if number % 7 == 0:
            recorder.page_cleaned(unfit(f"{host}/{'long/' * 40}{number}"))
        else:
            one = replace(clean, url=f"{host}/{number}", template_url=f"{host}/key{number % 30}")
            record_page(recorder, one)
            recorder.item_cleaned(one)


def test_a_long_crawl_stays_small(recorder, clock, search):
    """Memory does not grow any more, the report has a limited size, and everything is counted."""
    feed(recorder, clock, search, 3_000)
    gc.collect()
    tracemalloc.start()
    feed(recorder, clock, search, 700)
    gc.collect()
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < 1_000_000
    assert len(report_of(recorder).encode()) < 2_000_000
    assert len(recorder.sites) == MAX_SITES
    unfit = sum(site.unfit for site in recorder.all_sites())
    assert unfit == len(range(0, 3_000, 7)) + len(range(0, 700, 7))


@given(st.lists(st.tuples(st.floats(0, 1e6), st.integers(0, 1000)), max_size=400))
def test_a_curve_is_short_and_right_at_each_of_its_points(added):
    curve, added = Curve(1), sorted(added)
    for at, value in added:
        curve.add(at, value)
    assert len(curve.points) <= MAX_POINTS
    assert curve.points[-1][1] == (sum(value for _, value in added),)
    for end, (total,) in curve.points[1:]:
        assert total in accumulate(value for at, value in added if at <= end)


def add(texts: RemovedTexts, body: str, removed: str) -> None:
    """Count a page of which the texts in elements ``b`` with a class are removed."""
    page = Page(f"<body>{body}</body>", "https://site.test/")
    arrays = page._arrays
    roots = [at for at in range(len(page)) if removed in arrays.start_tag(at).classes]
    texts.add(*text_keys(arrays, roots))


def test_the_largest_come_first():
    """A text of many words, or of many pages, is before one of few; how often it is kept is counted."""
    texts = RemovedTexts()
    for number in range(9):
        box = '<div class="gone"><p class="stock">In stock</p></div>' if number < 3 else '<p class="stock">In stock</p>'
        add(texts, f'<nav class="gone"><a>Home</a></nav>{box}<h1>Own {number}</h1>', "gone")
    rows = [(row.text, row.removed, row.kept, row.selector) for row in texts.largest(9)]
    assert texts.pages == 9
    assert rows == [("Home", 9, 0, "nav.gone a"), ("In stock", 3, 6, "p.stock")]


def test_the_number_of_texts_is_limited():
    """The most frequent ones are kept."""
    texts = RemovedTexts()
    for number in range(MAX_TEXTS // 4):
        own = "".join(f"<li>{number} {one}</li>" for one in range(5))
        add(texts, f'<ul class="gone"><li>Always</li>{own}</ul><p>{number}</p>', "gone")
    assert texts.largest(1)[0].text == "Always"
    assert len(texts.largest(10_000)) <= MAX_TEXTS
