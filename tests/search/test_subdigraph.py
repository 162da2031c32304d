"""The search for a complete subdigraph (ALGORITHMS 3), driven from outside."""

import pytest
from helpers.made_sites import HOST
from helpers.strategies import link_graphs
from hypothesis import given
from hypothesis import strategies as st
from literal import clique

from templex_scrapy import Page, SubdigraphSearch


def linking(name, *targets, **extra):
    body = "".join(f'<p><a href="/{target}">{target}</a></p>' for target in targets)
    return Page(f"<body>{body}<i>{name}</i></body>", f"{HOST}{name}", **extra)


def url(name):
    return f"{HOST}{name}"


def names(search):
    return [each.url.removeprefix(HOST) for each in search.pages]


KEY = linking("key", *range(8))


@pytest.mark.parametrize(
    ("size", "loaded", "expected"),
    [
        (3, "0:012 1:012 2:012", "0 1 2"),
        (2, "0:12 1:2 2:", "0"),  # links of one way do not count; the first found of equal size stays
        (2, "0:12 1:2 2: 3:0", "0"),
        (2, "0:1 0:1", "0"),
        (4, "5:2 2:51", "5 2"),
        (4, "5:2 2:51 1:2", "5 2"),
        (4, "5:2 2:51 1:2 0:76 7:06 6:70", "0 7 6"),
        (2, "0:1 1:0 2:34 3:24 4:23", "0 1"),  # nothing changes after the end
    ],
)
def test_the_largest_so_far_in_order_of_adding(size, loaded, expected):
    search = SubdigraphSearch(KEY, size=size)
    for each in loaded.split():
        name, _, targets = each.partition(":")
        search.add(url(name), linking(name, *targets))
    assert names(search) == expected.split()
    assert search.done is (len(expected.split()) == size)
    assert bool(search.wanted()) is not search.done


def test_it_ends_when_the_links_run_out():
    search = SubdigraphSearch(linking("key", 0, 1), size=3)
    search.add(url(0), None)
    search.add(url(1), linking("1"))
    assert search.done
    assert names(search) == ["1"]


def test_it_ends_at_the_limit_of_loads():
    search = SubdigraphSearch(KEY, max_loads=3)
    assert search.wanted() == [url(n) for n in range(3)]
    search.add(url(7), None)
    assert search.wanted() == [url(0), url(1)]
    search.add(url(0), None)
    search.add(url(1), None)
    assert (search.done, search.wanted(), search.loads) == (True, [], 3)


@pytest.mark.parametrize("unknown", ["https://other.test/", f"{HOST}99", f"{HOST}key", "", "http://["])
def test_an_unknown_address_is_refused(unknown):
    search = SubdigraphSearch(KEY)
    with pytest.raises(ValueError, match="candidate"):
        search.add(unknown, None)
    assert search.loads == 0


@pytest.mark.parametrize(("size", "max_loads"), [(0, 1), (-1, 1), (1, -1)])
def test_numbers_out_of_range_are_refused(size, max_loads):
    with pytest.raises(ValueError, match=r"size|max_loads"):
        SubdigraphSearch(KEY, size, max_loads)


@pytest.mark.parametrize(
    "one",
    [
        Page(KEY.text, url(0)),
        Page(KEY.text + " ", KEY.url),  # what redirects to the key page is the key page
        linking("0", aliases=[KEY.url]),
        Page("x", "https://other.test/"),
    ],
    ids=["copy", "redirect", "alias", "other host"],
)
def test_the_key_page_and_pages_of_other_hosts_are_no_members(one):
    search = SubdigraphSearch(KEY, size=1)
    search.add(url(0), one)
    assert (search.pages, search.loads) == ((), 1)


def test_two_addresses_of_one_page_are_one_page():
    search = SubdigraphSearch(KEY, size=3)
    for number in (0, 1, 2):
        search.add(url(number), Page(linking("same", *range(8)).text, url(number)))
    assert len(search.pages) == 1
    assert not search.done


def test_a_redirect_makes_two_candidates_one():
    search = SubdigraphSearch(KEY, size=3)
    target = linking("1", *range(8))
    search.add(url(0), target)
    assert url(1) not in search.wanted(), "it came to light under another address"
    search.add(url(1), target)
    assert search.loads == 1
    search.add(url(2), linking("2", 0))
    assert names(search) == ["1", "2"], "a link to the address that redirects counts"


def test_preferred_candidates_come_first():
    search = SubdigraphSearch(KEY)
    search.reorder({url(5), url(3)})
    assert search.wanted()[:3] == [url(3), url(5), url(0)]
    search.add(url(3), None)
    assert search.wanted()[:2] == [url(5), url(0)]


def test_a_graph_that_just_misses_the_size_ends():
    """Pages in seven parts, each linked with all pages of the other parts: 20 million ways to try."""
    count, parts, size = 120, 7, 8
    key = linking("key", *range(count))
    search = SubdigraphSearch(key, size=size, max_loads=count)
    for number in range(count):
        search.add(url(number), linking(str(number), *(n for n in range(count) if n % parts != number % parts)))
    assert search.done
    assert len(search.pages) == parts


# --- against the literal version -----------------------------------------------------------------


def pages_of(graph):
    """The key page, the order of adding, all pages, and the links of those that load."""
    links = {url(n): {url(m) for m in targets} for n, targets in enumerate(graph.links) if n not in graph.broken}
    # links to the page itself, to the key page and to what the key page does not link make no difference
    pages = {
        url(n): None if n in graph.broken else linking(str(n), n, "", "far", *sorted(targets))
        for n, targets in enumerate(graph.links)
    }
    return linking("", *range(len(graph.links))), [url(n) for n in graph.order], pages, links


@given(link_graphs())
def test_after_every_load_the_result_is_that_of_the_literal_version(graph):
    key, order, pages, links = pages_of(graph)
    search = SubdigraphSearch(key, size=graph.size)
    for number, each in enumerate(order, start=1):
        if search.done:
            break
        search.add(each, pages[each])
        expected, loads = clique.search_result(order[:number], links, graph.size)
        assert (tuple(found.url for found in search.pages), search.loads) == (expected, loads)


@given(link_graphs(), st.integers(1, 10))
def test_a_search_in_rank_order_ends_where_the_literal_version_does(graph, max_loads):
    key, _, pages, links = pages_of(graph)
    search = SubdigraphSearch(key, size=graph.size, max_loads=max_loads)
    order = search.wanted()
    while wanted := search.wanted():
        search.add(wanted[0], pages[wanted[0]])
    expected, loads = clique.search_result(order, links, graph.size)
    assert (tuple(found.url for found in search.pages), search.loads) == (expected, loads)
