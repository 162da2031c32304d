"""Stored pages of a site: learnt from a sample, cleaned one by one."""

import hashlib
import json
import random

import pytest
from helpers.made_sites import made_site
from hypothesis import given
from hypothesis import strategies as st

from templex_scrapy import Page, SiteCleaner
from templex_scrapy.learning import Patience, SiteLearning, site_cleaner

FOOTER = "Footer of the made site"


def pairs(pages):
    return [(page.url, page.text) for page in pages]


def directories(count):
    """A site with a directory of many pages and some of few."""
    pages = pairs(made_site(count, text="Own words {number}."))
    return [
        (url.replace("/", f"/{'large' if n % 4 else n % 12}/").replace("https:/", "https://x.test/"), html)
        for n, (url, html) in enumerate(pages)
    ]


@pytest.mark.parametrize(("count", "votes", "voters"), [(3, 2, 2), (12, 5, 11), (80, 6, 12)])
def test_the_frame_goes_and_every_page_keeps_its_own_words(count, votes, voters):
    pages = made_site(count)
    cleaner = SiteCleaner.learn(pages)
    assert [(template.votes, len(template.page_urls)) for template in cleaner.templates] == [(votes, voters)]
    assert SiteCleaner.learn_held(pages)[0].templates == cleaner.templates
    cleaned = list(cleaner.clean(pairs(pages)))
    assert [clean.url for clean in cleaned] == [page.url for page in pages]
    for number, clean in enumerate(cleaned):
        assert clean.fits
        assert FOOTER not in clean.html
        assert f"Headline {number}" in clean.html
        assert f"Words of page {number} alone." in clean.content_text


def test_templates_that_are_known_serve_pages_and_others_are_learnt():
    known = SiteCleaner.learn(made_site(12)).templates
    other = made_site(
        12, text='<table class="other"><tr><td>Price of {number}</td></tr></table>', host="https://two.test"
    )
    assert SiteCleaner.learn(made_site(1), templates=known).templates == known
    both = SiteCleaner.learn(other, templates=known).templates
    assert set(known) < set(both)


@pytest.mark.parametrize("has_other", [True, False])
def test_a_template_that_raises_stops_no_page(has_other):
    """A store may hold what passes all checks and fails at a match."""
    pages = made_site(12)
    (broken,), (good,) = (SiteCleaner.learn(made_site(count)).templates for count in (12, 11))
    broken.key_page.ballot.varying.add(10**6)  # no such node
    for clean in SiteCleaner([broken, good][: 1 + has_other]).clean(pages):
        assert clean.fits or not has_other
        assert (FOOTER in clean.html) != clean.fits


def test_the_order_of_the_pages_does_not_matter(monkeypatch):
    monkeypatch.setattr(site_cleaner, "_PARSE_BYTES", 10_000)
    pages = directories(60)
    wanted = SiteCleaner.learn(pages, sample=20).to_dict()
    assert wanted["templates"]
    for seed in range(3):
        random.Random(seed).shuffle(pages)
        assert SiteCleaner.learn(iter(pages), sample=20).to_dict() == wanted


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 60)), max_size=60), st.integers(1, 20), st.randoms())
def test_the_sample_is_the_lowest_ranks_of_all_directories(numbers, most, rnd):
    urls = {f"https://site.test/{directory}/{number}" for directory, number in numbers}

    def sampled(order):
        chosen = site_cleaner._Spread(most)
        for url in order:
            chosen.offer(url, "<p>page")
        return [url for url, _ in chosen]

    shuffled = sorted(urls)
    rnd.shuffle(shuffled)
    found = sampled(shuffled)
    assert found == sampled(sorted(urls)) == sampled([*shuffled, *shuffled])
    assert len(found) == min(most, len(urls))
    taken = [sum(url.startswith(f"https://site.test/{n}/") for url in found) for n in range(5)]
    there = [sum(url.startswith(f"https://site.test/{n}/") for url in urls) for n in range(5)]
    assert all(one + 1 >= max(taken) for one, all_ in zip(taken, there, strict=True) if one < all_), "spread evenly"


def test_what_is_learnt_outlives_the_process():
    pages = made_site(12)
    cleaner = SiteCleaner.learn(pages, preserve=["footer"], remove=["h1"])
    again = SiteCleaner.from_dict(json.loads(json.dumps(cleaner.to_dict())))
    assert again.to_dict() == cleaner.to_dict()
    html = [clean.html for clean in again.clean(pages)]
    assert html == [clean.html for clean in cleaner.clean(pages)]
    assert all(FOOTER in one and "<nav>" not in one and "<h1>" not in one for one in html)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"version": 2},
        {"version": 1, "templates": [], "preserve": []},
        {"version": 1, "templates": [3], "preserve": [], "remove": []},
    ],
)
def test_other_data_is_refused(data):
    with pytest.raises(ValueError, match=r"SiteCleaner|template"):
        SiteCleaner.from_dict(data)


def test_odd_pages_stay_as_they_are_and_cost_no_other_page():
    pages = [
        ("https://site.test/none", ""),
        ("no url", "<p>words"),
        ("https://[", b"\xff\xfe<"),
        ("https://site.test/\ud800", "<p>\ud800"),
        ("https://site.test/large", "<p>" * 50_000),
        *pairs(made_site(8)),
    ]
    cleaned = list(SiteCleaner.learn(pages).clean(pages))
    assert len(cleaned) == len(pages)
    assert cleaned[4].html == pages[4][1]
    assert not any(FOOTER in clean.html for clean in cleaned[5:])
    assert SiteCleaner.learn([]).match(Page("<p>words", "https://site.test/")).clean.html == "<p>words"


OLD_KEY = 8  # bytes of the digest by which pages were once ordered, whatever the others were


def low_address(directory, number):
    """An address that its author has chosen to come first where pages are ordered by the hash of their addresses."""
    tried = (f"https://site.test/{directory}/{number}-{tail}.html" for tail in range(200))
    return min(tried, key=lambda url: hashlib.blake2b(url.encode(), digest_size=OLD_KEY).digest())


def framed(number, name):
    """A page in a frame; the elements of some sites have classes, and those of others have none."""
    frame = "".join(f"<div{name.format(i)}><p>Frame words {i}</p></div>" for i in range(5))
    return Page(f"<html><body>{frame}<h1>Honest {number}</h1></body></html>", f"https://site.test/{number}.html")


@pytest.mark.parametrize("count", [121, 401])
@pytest.mark.parametrize("chosen", [8, 12, 20])
@pytest.mark.parametrize("name", [' class="frame{}"', ""])
def test_whoever_may_choose_addresses_does_not_switch_off_the_template(count, chosen, name):
    """The pages of one author, without the frame: eight of them once had all votes of the site."""
    honest = [framed(number, name) for number in range(count)]
    evil = [Page(f"<h1>evil{number}</h1>", low_address(f"u{number}", number)) for number in range(chosen)]
    cleaner = SiteCleaner.learn([*honest, *evil])
    learning = SiteLearning()
    for page in [*evil, *honest]:
        learning.judge(page, patience=Patience.VOTERS)
        learning.plan.answer(page.url, size=len(page.text))
        if learning.is_complete:
            learning.learn()
    for page in honest:
        assert cleaner.match(page).clean.text == learning.match(page).clean.text == page.css("h1::text").get()
