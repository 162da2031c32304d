"""What is remembered of pages that come again."""

from __future__ import annotations

from templex_scrapy.page import Page, ParseCache
from templex_scrapy.template.growth import PendingPage

PLENTY = 10_000_000
URL = "https://site.example/a/page"


def html(words: str = "word", *, base: str = "") -> str:
    """A page that says something."""
    return f'<!doctype html><html><head>{base}</head><body><a href="other">{words}</a><p>{words}</p></body></html>'


def has_tree(page: Page) -> bool:
    """Whether the page was parsed."""
    return "root" in vars(page)


def test_the_same_source_at_the_same_address_is_read_once() -> None:
    """The second page has the very same arrays and facts, and needs no tree for them."""
    parse_cache = ParseCache(PLENTY)
    first, second = (Page(html(), URL, parse_cache=parse_cache) for _ in range(2))
    arrays, node_values = first.arrays, first.values
    assert second.arrays is arrays
    assert second.values is node_values
    assert has_tree(first)
    assert not has_tree(second)


def test_a_tree_is_there_when_it_is_asked_for() -> None:
    """Elements of a page that was not parsed for its arrays are its own."""
    parse_cache = ParseCache(PLENTY)
    first, second = (Page(html(), URL, parse_cache=parse_cache) for _ in range(2))
    assert [node.text for node in first.nodes] == [node.text for node in second.nodes]
    assert first.nodes[1].element is not second.nodes[1].element
    assert second.nodes[1].element.tag == "a"


def test_another_address_is_another_page() -> None:
    """Relative links lead elsewhere from there."""
    parse_cache = ParseCache(PLENTY)
    pages = [Page(html(), url, parse_cache=parse_cache) for url in (URL, "https://site.example/b/page")]
    targets = [{said for said in page.values.all_values if said is not None and "other" in said} for page in pages]
    assert targets == [{"//site.example/a/other"}, {"//site.example/b/other"}]


def test_another_source_is_another_page() -> None:
    """An address that says something else later is read anew."""
    parse_cache = ParseCache(PLENTY)
    first, second = (Page(html(words), URL, parse_cache=parse_cache) for words in ("one", "two"))
    assert "one" in first.arrays.texts
    assert "two" in second.arrays.texts


def test_the_base_is_remembered() -> None:
    """Links start from the first ``base`` with an address, whether the page has a tree or not."""
    parse_cache = ParseCache(PLENTY)
    source = html(base='<base target="_top"><base href="/root/"><base href="/never/">')
    first, second = (Page(source, URL, parse_cache=parse_cache) for _ in range(2))
    assert first.base_url == second.base_url == "https://site.example/root/"
    assert not has_tree(second)


def test_a_page_that_was_released_finds_its_outline_again() -> None:
    """What a search releases, its template reads once more."""
    page = Page(html(), URL, parse_cache=ParseCache(PLENTY))
    arrays = page.arrays
    page.release()
    assert page.arrays is arrays
    assert not has_tree(page)


def test_kept_pages_share_the_readings() -> None:
    """A page that joins the voters was read when it was cleaned."""
    page = Page(html(), URL, parse_cache=ParseCache(PLENTY))
    arrays = page.arrays
    assert PendingPage.of(page).page.arrays is arrays


def test_bytes_are_bounded() -> None:
    """What was used longest ago goes first, and a page that would not fit alone is not kept."""
    first, second, third = (Page(html(words), URL) for words in ("one", "two", "six"))
    size = first.parsed.size
    parse_cache = ParseCache(2 * size)
    for page in (first, second):
        parse_cache.put(page.url, page.digest, page.parsed)
    assert parse_cache.get(first.url, first.digest) is first.parsed
    parse_cache.put(third.url, third.digest, third.parsed)
    cached = [parse_cache.get(page.url, page.digest) is not None for page in (first, second, third)]
    assert cached == [True, False, True]
    assert parse_cache.bytes == parse_cache.peak_bytes == 2 * size
    large = Page(html("word</p><p>" * 100), URL)
    parse_cache.put(large.url, large.digest, large.parsed)
    assert parse_cache.get(large.url, large.digest) is None
    assert parse_cache.bytes == 2 * size


def test_keeping_a_page_again_counts_once() -> None:
    """Two threads may have read the same page."""
    page = Page(html(), URL)
    parse_cache = ParseCache(PLENTY)
    for _ in range(2):
        parse_cache.put(page.url, page.digest, page.parsed)
    assert parse_cache.bytes == page.parsed.size


def test_nothing_is_kept_where_nothing_may_be() -> None:
    """A bound of 0 switches it off."""
    parse_cache = ParseCache(0)
    first, second = (Page(html(), URL, parse_cache=parse_cache) for _ in range(2))
    assert first.arrays is not second.arrays
    assert parse_cache.bytes == 0


def test_words_and_attributes_count() -> None:
    """A page of few nodes may be a text, or a picture in an attribute, of megabytes."""
    text, picture = "wörter " * 100_000, "A" * 500_000
    for body in (f"<pre>{text}</pre>", f'<img src="data:image/png;base64,{picture}">'):
        page = Page(f"<!doctype html><body>{body}</body>", URL)
        assert page.parsed.size > 500_000
