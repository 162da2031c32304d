"""SiteTemplates and Sites: which template serves, what is learnt, what is forgotten."""

from __future__ import annotations

import asyncio

import pytest

from templex_scrapy.crawl.site import IN_USE_PAGES, SiteLimits, SiteTemplates
from templex_scrapy.crawl.sites import Sites
from templex_scrapy.page import Page
from templex_scrapy.template.template import Template


def page(kind: str, number: int = 0) -> Page:
    """A page of a kind of its own: other elements, other classes, other words than the pages of other kinds."""
    tag = {"a": "section", "b": "article", "c": "table"}[kind]
    cell = "td" if tag == "table" else "p"
    row, end = ("<tr>", "</tr>") if tag == "table" else ("", "")
    fixed = "".join(
        f'<{tag} class="{kind}{i}">{row}<{cell} class="{kind}x{i}">Fixed words {kind} {i}</{cell}>{end}</{tag}>'
        for i in range(8)
    )
    own = f'<div class="{kind}own"><h2>Own {kind}{number}</h2></div>'
    return Page(f"<!DOCTYPE html><html><body>{fixed}{own}</body></html>", f"http://a.example/{kind}{number}")


def template(kind: str) -> Template:
    return Template.from_pages(page(kind, 1), [page(kind, 2), page(kind, 3)])


def site_with(*templates: Template, **limits: int) -> SiteTemplates:
    site = SiteTemplates("a.example", SiteLimits(**limits))
    for learnt in templates:
        site.begin_search()
        site.learn(learnt)
    return site


def test_a_new_site_fits_nothing() -> None:
    assert SiteTemplates("a.example").fit(page("a")) is None


def test_the_template_that_fits_serves_and_becomes_the_last_to_go() -> None:
    a, b, c = template("a"), template("b"), template("c")
    site = site_with(a, b, c)
    assert site.templates == (c, b, a)
    match = site.fit(page("a", 9))
    assert match is not None
    assert "Fixed words" not in match.strip()
    assert "Own a9" in match.strip()
    assert site.templates == (a, c, b)


def test_templates_that_do_not_fit_change_nothing() -> None:
    site = site_with(template("a"), template("b"))
    before = site.templates
    assert site.fit(page("c", 9)) is None
    assert site.templates == before


def test_preserve_reaches_the_template() -> None:
    match = site_with(template("a")).fit(page("a", 9), (".ax3",))
    assert match is not None
    assert "Fixed words a 3" in match.strip()
    assert "Fixed words a 4" not in match.strip()


def test_the_least_recently_used_template_makes_room() -> None:
    a, b, c = template("a"), template("b"), template("c")
    site = site_with(a, b, templates=2)
    site.fit(page("a", 9))
    site.begin_search()
    assert site.learn(c) is b
    assert site.templates == (c, a)
    assert site.forgotten == 1


def test_templates_that_are_all_in_use_make_no_room() -> None:
    """Else each page of a kind too many would push out a template that the next page needs, for ever."""
    site = site_with(template("a"), template("b"), templates=2)
    for number in range(2 * IN_USE_PAGES):
        site.fit(page("abc"[number % 3], 20 + number))
        assert site.is_full
        assert not site.may_search
        assert site.stand_in(page("c", 5000 + number), 2) is None
    assert not site.given_up
    assert site.forgotten == 0


def test_a_template_that_is_long_out_of_use_makes_room() -> None:
    a, b, c = template("a"), template("b"), template("c")
    site = site_with(a, b, templates=2)
    for number in range(IN_USE_PAGES):
        assert site.is_full
        site.fit(page("ac"[number % 2], 20 + number))
    assert site.may_search
    site.begin_search()
    assert site.learn(c) is b
    assert site.is_full


def test_one_search_at_a_time() -> None:
    site = SiteTemplates("a.example")
    site.begin_search()
    with pytest.raises(RuntimeError, match="a search is open"):
        site.begin_search()
    site.fail()
    site.begin_search()
    assert site.searches == 2


def test_a_site_is_given_up_after_failures_in_a_row() -> None:
    site = SiteTemplates("a.example", SiteLimits(failures=2))
    for outcome in ("fail", "learn", "fail", "fail"):
        assert not site.given_up
        site.begin_search()
        if outcome == "fail":
            site.fail()
        else:
            site.learn(template("a"))
    assert site.given_up
    assert site.failures == 3
    with pytest.raises(RuntimeError, match="no search is left"):
        site.begin_search()
    assert site.fit(page("a", 9)) is not None, "what was learnt still serves"


def test_searches_are_bounded() -> None:
    assert site_with(template("a"), template("b"), searches=2).given_up
    assert SiteTemplates("a.example", SiteLimits(searches=0)).given_up


def test_sites_are_bounded_and_the_least_recently_used_goes() -> None:
    sites = Sites(2, SiteLimits())
    a, b = sites.use("a"), sites.use("b")
    assert sites.use("a") is a
    sites.use("c")
    assert "b" not in sites
    assert sites.use("b") is not b
    assert (len(sites), sites.forgotten) == (2, 2)


def test_a_site_with_pages_under_way_stays() -> None:
    """Else what they wait for would be learnt by an object that nobody knows any more."""
    sites = Sites(1, SiteLimits())
    with sites.in_use("a") as a:
        with sites.in_use("a"):
            sites.use("b")
        sites.use("c")
        assert sites.use("a") is a
        sites.use("d")
    assert [site.site for site in sites] == ["d"], "it goes as soon as they are through"


def test_a_page_that_fails_is_no_longer_under_way() -> None:
    sites = Sites(1, SiteLimits())
    for error in (ValueError, asyncio.CancelledError, GeneratorExit):
        with pytest.raises(error), sites.in_use("a"):
            raise error
    sites.use("b")
    assert [site.site for site in sites] == ["b"]


def test_the_site_used_last_stays_whatever_it_takes() -> None:
    """It would only have to come back with its next page."""
    sites = Sites(5, SiteLimits(), max_bytes=1)
    for _ in range(2):
        with sites.in_use("a") as a:
            a.adopt(template("a"))
        assert [site.site for site in sites] == ["a"]
        assert sites.bytes == a.bytes > 1
    sites.use("b")
    assert [site.site for site in sites] == ["b"]


def test_looking_a_site_up_makes_none() -> None:
    sites = Sites(2, SiteLimits())
    assert "a" not in sites
    assert len(sites) == 0
