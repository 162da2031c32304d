"""HybEx: TemEx on what page-level ConEx leaves."""

from __future__ import annotations

import pytest
import strategies
from detector_cases import figures, needs_sites, odd_pages, page, site_cases
from hypothesis import given
from templex_scrapy.template.hybrid import content_to_take_out, detect_template_hybrid
from templex_scrapy.template.temex import detect_template

from templex_scrapy.content.conex import detect_content
from templex_scrapy.page import Page

URL = "https://site.test/"


def site_page(url: str, text: str) -> Page:
    return page(
        '<div><div><ul><li><a href="/">Home</a></li><li><a href="/b">Blog</a></li></ul></div>'
        f"<div><div><h2>Notes</h2><p>{text}</p><p>It was read by all, and then once more.</p>"
        "<p>Nothing else.</p></div></div>"
        "<div><p>Imprint</p></div></div>",
        url,
    )


KEY = site_page(URL, "The rain fell in torrents on the roofs of the town.")
OTHERS = [
    site_page(URL + "1", "The wind swept up the streets and rattled at the doors."),
    site_page(URL + "2", "The lamps struggled against the darkness of the night."),
]


def test_the_content_is_no_template_though_the_others_have_its_place() -> None:
    content = detect_content(KEY)
    place = detect_template(KEY, OTHERS, same=False)
    assert content < place
    assert detect_template_hybrid(KEY, OTHERS, same=False) == place - content
    said = detect_template_hybrid(KEY, OTHERS)
    # what follows the content among its siblings is laid over the others' content, and says something else than that
    imprint = len(KEY) - 1
    assert {0, 1, 2, 3, 4, imprint} < said < place - content


def test_where_all_that_a_page_says_is_taken_for_content_temex_does_without() -> None:
    """Else no crawl with this method would take anything out, where the markup does not tell a menu from a text."""
    assert content_to_take_out(KEY) == detect_content(KEY) != frozenset()
    plain = page("<div><p>The rain fell in torrents.</p><p>It was read by all, and then once more.</p></div>", URL)
    assert detect_content(plain) >= set(plain.arrays.text_positions)
    assert content_to_take_out(plain) == frozenset()


def test_without_pages_there_is_no_template() -> None:
    assert detect_template_hybrid(KEY, []) == frozenset()
    assert detect_template_hybrid(KEY, [Page(KEY.text, URL + "copy")]) == frozenset()


def test_votes_below_1_are_refused() -> None:
    with pytest.raises(ValueError, match="votes"):
        detect_template_hybrid(KEY, OTHERS, 0)


@given(strategies.page_groups)
def test_never_in_the_content_and_deterministic(pages: list[str]) -> None:
    key, *others = [Page(html, f"{URL}{number}") for number, html in enumerate(pages)]
    for same in (True, False):
        found = detect_template_hybrid(key, others, same=same)
        assert found <= frozenset(range(len(key))) - detect_content(key)
        again = [Page(html, f"{URL}{number}") for number, html in enumerate(pages)]
        assert found == detect_template_hybrid(again[0], iter(again[1:]), same=same)


@odd_pages
def test_odd_pages(html: str) -> None:
    odd = Page(html, URL)
    assert detect_template_hybrid(odd, OTHERS) <= frozenset(range(len(odd)))
    assert detect_template_hybrid(KEY, [odd, *OTHERS]) <= frozenset(range(len(KEY)))


@pytest.mark.shared
@needs_sites
def test_figures_on_real_sites() -> None:
    """More precise than TemEx, as published; it finds less."""
    run = figures()
    hybrid, _ = run.measure(
        site_cases(), lambda c: run.template_scores(c, detect_template_hybrid(c.key, c.subdigraphs[3]))
    )
    temex, _ = run.measure(site_cases(), lambda c: run.template_scores(c, detect_template(c.key, c.subdigraphs[3])))
    assert hybrid[0] >= temex[0]
    assert hybrid[0] > 0.96
    assert hybrid[2] > 0.72
