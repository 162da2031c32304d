"""SiteTemplates and Sites: which template is used, what is learnt, what is dropped."""

from __future__ import annotations

from templex_scrapy.crawl.site import MAX_FAILURES, MAX_TEMPLATES, MAX_VOTERS, SiteTemplates
from templex_scrapy.crawl.sites import Sites
from templex_scrapy.page import Page
from templex_scrapy.stores import StoredTemplate
from templex_scrapy.template import Template


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


def site_with(*templates: Template) -> SiteTemplates:
    site = SiteTemplates("a.example", max_searches=40)
    for learnt in templates:
        site.begin_search()
        site.end_search(learnt)
    return site


def test_a_new_site_fits_nothing() -> None:
    assert not site_with().match(page("a"), ()).fits


def test_the_template_that_fits_is_used_and_becomes_the_first() -> None:
    a, b, c = template("a"), template("b"), template("c")
    site = site_with(a, b, c)
    assert site.templates == [c, b, a]
    match = site.match(page("a", 9), ())
    assert match.fits
    assert "Fixed words" not in match.clean.html
    assert "Own a9" in match.clean.html
    assert site.templates == [a, c, b]


def test_a_page_of_another_type_changes_nothing() -> None:
    site = site_with(template("a"), template("b"))
    before = list(site.templates)
    assert not site.match(page("c", 9), ()).fits
    assert site.templates == before


def test_the_least_recently_used_template_is_dropped() -> None:
    site = site_with()
    templates = [Template.from_pages(page("a", n), [page("a", n + 1), page("a", n + 2)]) for n in range(MAX_TEMPLATES)]
    assert [site.add(one, grows=False) for one in templates] == [None] * MAX_TEMPLATES
    assert site.add(template("b"), grows=False) is templates[0]
    assert len(site.templates) == MAX_TEMPLATES


def test_searches_end_when_they_are_used_up_or_fail_in_a_row() -> None:
    site = SiteTemplates("a.example", max_searches=5)
    for _ in range(MAX_FAILURES):
        assert site.may_learn
        site.begin_search()
        site.end_search(None)
    assert site.given_up
    again = SiteTemplates("a.example", max_searches=5, searches=site.search_counts)
    assert again.given_up, "the counts survive that the site is dropped"
    site = SiteTemplates("a.example", max_searches=1)
    site.begin_search()
    site.end_search(template("a"))
    assert site.given_up


def joined(site: SiteTemplates, page: Page) -> tuple[Template, Template] | None:
    return site.grow(votes=2) if site.join(page) else None


def test_pages_of_its_type_join_the_voters_of_a_template() -> None:
    site = site_with(template("a"))
    grown = []
    for number in range(10, 30):
        assert site.match(page("a", number), ()).same_page_type
        change = joined(site, page("a", number))
        if change is not None:
            grown.append(tuple(len(one.page_urls) for one in change))
    assert grown == [(2, 4), (4, 8), (8, MAX_VOTERS)]
    assert joined(site, page("a", 99)) is None


def test_pages_of_one_type_make_a_template_without_links() -> None:
    site = site_with()
    assert [site.learn_from_peers(page("a", number), votes=2) for number in range(2)] == [None, None]
    made = site.learn_from_peers(page("a", 2), votes=2)
    assert made is not None
    assert len(made.page_urls) == 2


def test_stored_templates_of_an_earlier_crawl_do_not_grow() -> None:
    site = site_with()
    earlier, here = template("a"), template("b")
    stored = [StoredTemplate(earlier, learnt=10.0, used=10.0), StoredTemplate(here, learnt=30.0, used=30.0)]
    assert site.add_stored(stored, began=20.0) == 2
    assert site.add_stored(stored, began=20.0) == 0, "they are known"
    assert site.is_known
    for number in range(10, 14):
        site.match(page("a", number), ())
        assert joined(site, page("a", number)) is None
    site.match(page("b", 10), ())
    assert joined(site, page("b", 10)) is None
    site.match(page("b", 11), ())
    assert joined(site, page("b", 11)) is not None


def test_sites_are_dropped_by_memory_but_not_while_they_are_in_use() -> None:
    sites = Sites(max_bytes=1, max_searches=5)
    with sites.in_use("a.example") as a:
        a.begin_search()
        with sites.in_use("b.example"):
            pass
        assert [site.site for site in sites] == ["a.example", "b.example"]
    with sites.in_use("c.example"):
        pass
    assert [site.site for site in sites] == ["c.example"]
    with sites.in_use("a.example") as again:
        assert again is not a
        assert again.searches == 1
