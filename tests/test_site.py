"""SiteTemplates and Sites: which template serves, what is learnt, what is forgotten."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from templex_scrapy.page import Page
from templex_scrapy.site import SiteLimits, Sites, SiteTemplates
from templex_scrapy.template import Template

PAGE = Page("<!DOCTYPE html><p>x", "http://a.example/")


class FakeTemplate:
    """A template that fits pages whose source holds a word; it notes what it was asked."""

    def __init__(self, word: str, *, fits: bool = True, coverage: float = 1.0) -> None:
        self.word = word
        self.fits = fits
        self.coverage = coverage
        self.asked: list[tuple[str, ...]] = []

    def match(self, page: Page, *, preserve: tuple[str, ...] = ()) -> Any:
        self.asked.append(preserve)
        fits = self.fits and self.word in page.text
        return SimpleNamespace(page=page, fits=fits, same_kind=fits, coverage=self.coverage, template=self)


def site_with(*templates: Any, **limits: int) -> SiteTemplates:
    site = SiteTemplates("a.example", SiteLimits(**limits))
    for template in templates:
        site.begin_search()
        site.learn(template)
    return site


def test_a_new_site_fits_nothing() -> None:
    assert SiteTemplates("a.example").fit(PAGE) is None


def test_the_template_that_fits_is_taken_and_becomes_the_most_recently_used() -> None:
    one, two, three = FakeTemplate("one"), FakeTemplate("two"), FakeTemplate("three")
    site = site_with(one, two, three)
    assert site.templates == (three, two, one)
    match: Any = site.fit(Page("<html>one", "http://a.example/1"))
    assert match.template is one
    assert site.templates == (one, three, two)


def made_page(path: str, section: str) -> Page:
    menu = "".join(f'<li><a href="/{name}">{name} of all</a></li>' for name in ("home", "news", "shop"))
    side = "".join(f'<p class="{section}-note">A note that all of {section} has, number {n}.</p>' for n in range(4))
    own = f"<h1>Page {path}</h1><p>Text of {path}.</p>"
    source = f'<html><body><ul class="menu">{menu}</ul><div>{side}</div>{own}</body></html>'
    return Page(source, f"http://a.example/{section}/{path}")


def test_all_templates_that_fit_speak_for_a_page_and_its_own_kind_is_told() -> None:
    news = Template.from_pages(made_page("a", "news"), [made_page("b", "news"), made_page("c", "news")])
    shop = Template.from_pages(made_page("a", "shop"), [made_page("b", "shop"), made_page("c", "shop")])
    page = made_page("d", "shop")
    other = site_with(news).fit(page)
    assert other is not None
    assert (other.fits, other.same_kind) == (True, False)
    both = site_with(shop, news).fit(page)
    assert both is not None
    assert both.same_kind
    assert both.removable >= other.removable | shop.match(page).removable
    assert "number 3" in other.text()
    assert "number 3" not in both.text()
    assert "Text of d." in both.text()


def test_templates_that_do_not_fit_change_nothing() -> None:
    site = site_with(FakeTemplate("one"), FakeTemplate("two"))
    before = site.templates
    assert site.fit(Page("<html>three", "http://a.example/3")) is None
    assert site.templates == before


def test_preserve_reaches_the_template() -> None:
    template = FakeTemplate("x")
    site_with(template).fit(PAGE, (".toc",))
    assert template.asked == [(".toc",)]


def test_the_least_recently_used_template_makes_room() -> None:
    one, two, three = FakeTemplate("one"), FakeTemplate("two"), FakeTemplate("three")
    site = site_with(one, two, templates=2)
    site.fit(Page("<html>one", "http://a.example/1"))
    site.begin_search()
    assert site.learn(three) is two  # type: ignore[arg-type]
    assert site.templates == (three, one)
    assert site.forgotten == 1


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
            site.learn(FakeTemplate("x"))  # type: ignore[arg-type]
    assert site.given_up
    assert site.failures == 3
    with pytest.raises(RuntimeError, match="no search is left"):
        site.begin_search()
    assert site.fit(PAGE) is not None, "what was learnt still serves"


def test_searches_are_bounded() -> None:
    site = site_with(FakeTemplate("a"), FakeTemplate("b"), searches=2)
    assert site.given_up
    assert SiteTemplates("a.example", SiteLimits(searches=0)).given_up


def test_sites_are_bounded_and_the_least_recently_used_goes() -> None:
    sites = Sites(2, SiteLimits())
    a, b = sites.use("a"), sites.use("b")
    assert sites.use("a") is a
    sites.use("c")
    assert sites.known("b") is None
    assert sites.use("b") is not b
    assert (len(sites), sites.forgotten) == (2, 2)


def test_a_site_with_an_open_search_stays() -> None:
    sites = Sites(1, SiteLimits())
    a = sites.use("a")
    a.begin_search()
    sites.use("b")
    assert sites.known("a") is a
    a.fail()
    sites.use("c")
    assert [site.site for site in sites] == ["c"]


def test_looking_a_site_up_makes_none() -> None:
    sites = Sites(2, SiteLimits())
    assert sites.known("a") is None
    assert len(sites) == 0
