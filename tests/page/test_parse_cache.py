"""What is cached of pages that come again."""

import tracemalloc

import pytest

from templex_scrapy.page import Page, ParseCache, head_of, nodes_of, release, values_of
from templex_scrapy.page.parse_cache import ParsedPage, estimated_bytes

PLENTY = 10_000_000
URL = "https://site.test/a/page"


def html(words="word", *, base=""):
    return f'<!doctype html><html><head>{base}</head><body><a href="other">{words}</a><p>{words}</p></body></html>'


def pages(*sources, cache=None):
    cache = cache or ParseCache(PLENTY)
    return [Page(source, URL, parse_cache=cache) for source in sources]


def has_tree(page):
    return "_tree" in vars(page)


def cached(cache, page):
    return cache.get(page.url, page.digest) is not None


def test_the_same_source_at_the_same_address_is_parsed_once():
    first, second = pages(html(), html())
    arrays, values = nodes_of(first), values_of(first)
    assert nodes_of(second) is arrays
    assert values_of(second) is values
    assert has_tree(first)
    assert not has_tree(second)
    assert first.nodes[1].element is not second.nodes[1].element, "a tree is parsed where elements are used"
    assert second.nodes[1].element.tag == "a"
    release(second)
    assert nodes_of(second) is arrays
    assert not has_tree(second), "a page that was released uses the cache"


def test_another_address_or_source_is_another_page():
    cache = ParseCache(PLENTY)
    here, there = (Page(html(), url, parse_cache=cache) for url in (URL, "https://site.test/b/page"))
    assert [values_of(page).value(1) for page in (here, there)] == ["//site.test/a/other", "//site.test/b/other"]
    one, two = pages(html("one"), html("two"), cache=cache)
    assert ("one" in nodes_of(one).texts, "two" in nodes_of(two).texts) == (True, True)


def test_the_least_recently_used_are_dropped():
    first, second, third = (Page(html(words), URL) for words in ("one", "two", "six"))
    size = estimated_bytes(first._parsed, URL)
    cache = ParseCache(2 * size)
    for page in (first, second):
        cache.put(page.url, page.digest, page._parsed)
    assert cached(cache, first)
    cache.put(third.url, third.digest, third._parsed)
    assert [cached(cache, page) for page in (first, second, third)] == [True, False, True]
    cache.put(third.url, third.digest, third._parsed)
    assert cache.nbytes == 2 * size, "a page that is added again counts once"
    large = Page(html("word</p><p>" * 100), URL)
    cache.put(large.url, large.digest, large._parsed)
    assert not cached(cache, large)
    assert cache.nbytes == 2 * size


def test_texts_and_attributes_count():
    for body in (f"<pre>{'wörter ' * 100_000}</pre>", f'<img src="data:image/png;base64,{"A" * 500_000}">'):
        page = Page(f"<!doctype html><body>{body}</body>", URL)
        assert estimated_bytes(page._parsed, URL) > 500_000


def test_what_is_discarded_takes_no_room():
    cache = ParseCache(PLENTY)
    one, two = pages(html("one"), html("two"), cache=cache)
    nodes_of(one)
    size = cache.nbytes
    nodes_of(two)
    cache.discard(two.url, two.digest)
    cache.discard(two.url, two.digest)
    assert cache.nbytes == size > 0
    assert (cached(cache, one), cached(cache, two)) == (True, False)


@pytest.mark.parametrize("directory", ["a", "a" * 900, "a" * 15_000])
@pytest.mark.parametrize("element", ["<a href='l{}'>x</a>", "<img src='{}.png'>"])
def test_what_pages_at_long_addresses_take_is_counted(element, directory):
    # start tags that other tests have read would cost nothing
    source = "".join(element.format(f"{number}-{len(directory)}") for number in range(2_000))
    url = f"https://site.test/{directory}/page"
    page, other = Page(source, url), Page(source, f"{url}2")
    others = values_of(other)
    tracemalloc.start()
    values = values_of(page)
    assert all(values.has_value_of(position, others, position) for position in range(len(page)))
    release(page)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert taken / 2 < estimated_bytes(ParsedPage(values.arrays, head_of(page)), url) < 3 * taken
