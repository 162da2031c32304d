"""The types of the public API, which mypy checks; run, each line is true as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_type

from helpers.made_sites import made_site
from parsel import Selector, SelectorList
from scrapy.http import HtmlResponse, Response

from templex_scrapy import (
    CleanPage,
    Match,
    Node,
    Page,
    SubdigraphSearch,
    Template,
    clean_page,
    detect_content,
    detect_content_site,
    detect_menu,
    detect_template,
    detect_template_hybrid,
    find_content,
    find_template,
    rank_links,
)


def test_page() -> None:
    page = Page("<p>text", "https://site.test/")
    assert_type(Page(b"<p>text", "https://site.test/"), Page)
    assert_type(Page.from_response(HtmlResponse("https://site.test/", body=b"<p>text")), Page)
    assert_type(page.nodes, tuple[Node, ...])
    node = page.nodes[0]
    assert_type(node.position, int)
    assert_type(node.tag, str)
    assert_type(node.text, str | None)
    assert_type(node.parent, Node | None)
    assert_type(node.children, tuple[Node, ...])


def test_search() -> None:
    key, *others = made_site()
    assert_type(rank_links(key), list[str])
    search = SubdigraphSearch(key, size=3, max_loads=60)
    assert_type(search.wanted(), list[str])
    search.add(search.wanted()[0], others[0])
    search.add(search.wanted()[0], None)
    assert_type(search.done, bool)
    assert_type(search.loads, int)
    assert_type(search.pages, tuple[Page, ...])


def test_detectors() -> None:
    key, *others = made_site()
    assert_type(detect_template(key, others, votes=2), frozenset[int])
    assert_type(detect_template_hybrid(key, others), frozenset[int])
    assert_type(detect_content(key), frozenset[int])
    assert_type(detect_content_site(key, others), frozenset[int])
    assert_type(find_content(key, others), frozenset[int])
    assert_type(detect_menu(key), int | None)


def test_template() -> None:
    key, *others = made_site()
    fetch: Callable[[str], Page | None] = {page.url: page for page in others}.get
    assert_type(find_template(key, fetch, size=3, votes=2, max_loads=60), Template)
    template = Template.from_pages(key, others, votes=2)
    assert_type(template.key_url, str)
    assert_type(template.page_urls, tuple[str, ...])
    assert_type(template.votes, int)
    assert_type(Template.from_dict(template.to_dict()), Template)
    match = template.match(key, preserve=["main"])
    assert_type(match, Match)
    assert_type(match.fits, bool)
    assert_type(match.coverage, float)
    for positions in (match.nodes, match.removable, match.content):
        assert_type(positions, frozenset[int])


def test_clean_page() -> None:
    key, *others = made_site()
    clean = Template.from_pages(key, others).match(key).clean
    assert_type(clean, CleanPage)
    for html in (
        clean.html,
        clean.content_html,
        clean.annotated_html,
        clean.template_html,
        clean.url,
        clean.template_url,
    ):
        assert_type(html, str)
    for text in (clean.text, clean.markdown, clean.content_text, clean.content_markdown):
        assert_type(text, str)
    assert_type(clean.fits, bool)
    assert_type(clean.coverage, float)
    assert_type(clean.words, tuple[int, int])
    assert_type(clean.selector, Selector)
    assert_type(clean.css("h1"), SelectorList[Selector])
    assert_type(clean.xpath("//h1"), SelectorList[Selector])


async def parse(response: Response) -> None:
    """A callback: checked only, as it needs a crawl."""
    assert_type(await clean_page(response), CleanPage)
