"""What the recorder keeps of a crawl, and that it stays small."""

from __future__ import annotations

import gc
import tracemalloc
from dataclasses import replace

import pytest
from helpers.growth import growth
from helpers.made_sites import page as bare_page
from helpers.recorded import HOST, Clean, Search, page_at, record_page, report_of

from templex_scrapy import Match, SubdigraphSearch, Template
from templex_scrapy.inspect.reasons import why_no_template
from templex_scrapy.inspect.recorder import MAX_SITES, MAX_TEMPLATES, READ_PAGES, Recorder
from templex_scrapy.inspect.removed_texts import MAX_TEXTS, RemovedTexts, read_texts


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def search() -> Search:
    return Search()


def only_site(recorder: Recorder):
    (site,) = recorder.sites.values()
    return site


def only_template(recorder: Recorder):
    ((key_url, template),) = only_site(recorder).templates.items()
    return key_url, template


def test_a_template_and_its_pages(recorder, search):
    """Key page, voters, pages and their coverage; a template from the store has no voters."""
    search.end(recorder)
    record_page(recorder, search.clean("/1"))
    record_page(recorder, replace(search.clean("/2"), coverage=0.7))
    key_url, template = only_template(recorder)
    assert (key_url, template.voters, template.pages) == (f"{HOST}/", 3, 2)
    assert template.coverage == pytest.approx(1.7)
    site = only_site(recorder)
    assert (site.searches, site.failed, site.pages, site.words_before // site.words_after) == (1, 0, 2, 2)
    record_page(recorder, Search("https://stored.test").clean("/a"))
    assert [stored.voters for stored in recorder.sites["stored.test"].templates.values()] == [0]


def test_a_template_that_grows(recorder, search):
    """Further voters are counted; the key page may be another page, or that of another template."""
    search.end(recorder)
    grown = Template.from_pages(search.pages[0], [search.key, *search.pages[1:], page_at("/joined")])
    recorder.template_grown(search.template, grown)
    key_url, template = only_template(recorder)
    assert (template.voters, key_url) == (4, search.pages[0].url)
    recorder.template_learnt(search.template)
    recorder.template_grown(search.template, grown)
    assert len(only_site(recorder).templates) == 2


@pytest.mark.parametrize("pages", [READ_PAGES, READ_PAGES + 2])
def test_removed_texts_are_counted_on_the_first_pages(recorder, search, pages):
    search.end(recorder)
    for number in range(pages):
        record_page(recorder, search.clean(f"/{number}", body="<p>left words</p>"))
    texts = only_template(recorder)[1].texts
    assert texts.pages == READ_PAGES
    rows = {text: counts for text, _, *counts in texts.largest(99)}
    assert rows["Section /news/"] == [READ_PAGES, 0]
    assert "left words" not in rows


def test_why_searches_fail(recorder, search):
    """Each reason has its words and its number."""
    lonely, nowhere = SubdigraphSearch(page_at("/", menu=()), 3, 10), Search(others=False).search
    cases = [
        (lonely, False, "links to no other page"),
        (nowhere, False, "no two of the linked pages"),
        (nowhere, True, "by its deadline"),
        (search.search, False, "too little in common"),
    ]
    for failed, cut_short, words in cases:
        assert words in why_no_template(failed, cut_short=cut_short)
        recorder.search_ends(failed, None, cut_short=cut_short)
    assert recorder.reasons.total() == len(recorder.failures) == only_site(recorder).failed == len(cases)


def test_why_pages_have_no_template(recorder):
    """The reason is that of the site at that time."""
    for number, event in enumerate((None, Search(others=False), Search())):
        if event is not None:
            event.end(recorder)
        recorder.page_cleaned(Clean(url=f"{HOST}/{number}"))
    first, second, third = (why for _, why in recorder.unfit)
    assert first == "no template of the site yet"
    assert "no two of the linked pages" in second
    assert third == "the page has too little of the templates of the site"


def feed(recorder: Recorder, search: Search, events: int) -> None:
    """Pages with items on many sites, failed searches and pages without a template."""
    clean = search.clean("/page", body="".join(f"<p>{'word ' * 40}{number}</p>" for number in range(5)))
    failed = Search(others=False)
    for number in range(events):
        host = f"https://site{number % 601 if number % 3 else number % 20}.test"
        if number % 50 == 0:
            failed.end(recorder)
        if number % 7 == 0:
            recorder.page_cleaned(Clean(url=f"{host}/{'long/' * 40}{number}"))
        else:
            key = f"{host}/key{number % (MAX_TEMPLATES + 7)}"
            record_page(recorder, replace(clean, url=f"{host}/{number}", template_url=key))


def test_a_long_crawl_stays_small(recorder, search):
    """Memory does not grow any more, the report has a limited size, and every page is counted."""
    feed(recorder, search, 3_000)
    gc.collect()
    tracemalloc.start()
    feed(recorder, search, 700)
    gc.collect()
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < 1_000_000
    assert len(report_of(recorder).encode()) < 2_000_000
    assert len(recorder.sites) == MAX_SITES
    assert max(len(site.templates) for site in recorder.sites.values()) == MAX_TEMPLATES
    sites = [*recorder.sites.values(), recorder.others]
    assert sum(site.unfit for site in sites) == len(range(0, 3_000, 7)) + len(range(0, 700, 7))
    assert {why for url, why in recorder.unfit if url.split("/")[2] not in recorder.sites} == {""}


def add(texts: RemovedTexts, body: str) -> None:
    """Count a page whose elements of the class "gone" are removed."""
    made = bare_page(body)
    roots = tuple(node.position for node in made.nodes if node.text is None and node.element.get("class") == "gone")
    texts.add(*read_texts(Clean(url=made.url, source=made.text, removed=roots)))


def test_the_largest_come_first():
    """A text of many words, or of many pages, is before others; how often it is kept is counted."""
    texts = RemovedTexts()
    for number in range(9):
        box = '<div class="gone"><p class="stock">In stock</p></div>' if number < 3 else '<p class="stock">In stock</p>'
        add(texts, f'<nav class="gone"><a>Home</a></nav>{box}<h1>Own {number}</h1>')
    assert texts.pages == 9
    assert texts.largest(9) == [("Home", "nav.gone a", 9, 0), ("In stock", "p.stock", 3, 6)]


def test_the_number_of_texts_is_limited():
    """The most frequent texts are kept."""
    texts = RemovedTexts()
    for number in range(MAX_TEXTS // 4):
        own = "".join(f"<li>{number} {entry}</li>" for entry in range(5))
        add(texts, f'<ul class="gone"><li>Always</li>{own}</ul><p>{number}</p>')
    assert texts.largest(1)[0][0] == "Always"
    assert len(texts.largest(10_000)) <= MAX_TEXTS


@pytest.mark.parametrize("tag", ["span", "div"])
def test_texts_in_deep_elements_take_linear_time(tag):
    def read(size):
        clean = Match(bare_page(f"<{tag}>" * (size // 8) + "word<br>" * size)).clean
        assert clean.removed == ()
        return lambda: read_texts(clean)

    assert growth(read, 8_000) < 3
