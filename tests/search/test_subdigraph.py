"""The search for a complete subdigraph (ALGORITHMS 3), driven from outside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal import clique
from made_sites import HOST, page
from strategies import LinkGraph, link_graphs

from templex_scrapy import Page, SubdigraphSearch


def linking(name: str, *targets: str | int, **extra: object) -> Page:
    body = "".join(f'<p><a href="/{target}">{target}</a></p>' for target in targets)
    return Page(f"<body>{body}<i>{name}</i></body>", f"{HOST}{name}", **extra)  # type: ignore[arg-type]


def url(name: str | int) -> str:
    return f"{HOST}{name}"


def names(search: SubdigraphSearch) -> list[str]:
    return [each.url.removeprefix(HOST) for each in search.pages]


KEY = linking("key", *range(8))


def test_all_links_are_wanted_in_rank_order():
    search = SubdigraphSearch(KEY)
    assert search.wanted() == [url(n) for n in range(8)]
    assert (search.done, search.loads, search.pages) == (False, 0, ())


def test_pages_that_link_each_other_close_it():
    search = SubdigraphSearch(KEY, size=3)
    for n in range(3):
        assert not search.done
        search.add(url(n), linking(str(n), *range(3)))
    assert search.done
    assert names(search) == ["0", "1", "2"]
    assert search.wanted() == []


def test_one_way_links_do_not_count():
    search = SubdigraphSearch(KEY, size=2)
    search.add(url(0), linking("0", 1, 2))
    search.add(url(1), linking("1", 2))
    search.add(url(2), linking("2"))
    assert not search.done
    assert names(search) == ["0"], "a page alone is a complete subdigraph, and the first found stays"
    search.add(url(3), linking("3", 0))
    assert len(search.pages) == 1


def test_the_largest_so_far_in_order_of_adding():
    search = SubdigraphSearch(KEY, size=4)
    search.add(url(5), linking("5", 2))
    search.add(url(2), linking("2", 5, 1))
    assert names(search) == ["5", "2"]
    search.add(url(1), linking("1", 2))
    assert names(search) == ["5", "2"], "of equal size, the first found"
    search.add(url(0), linking("0", 7, 6))
    search.add(url(7), linking("7", 0, 6))
    search.add(url(6), linking("6", 7, 0))
    assert names(search) == ["0", "7", "6"]


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


def test_a_page_without_links_is_done_at_once():
    search = SubdigraphSearch(page("x"))
    assert (search.done, search.wanted(), search.pages) == (True, [], ())


@pytest.mark.parametrize("unknown", ["https://other.test/", f"{HOST}99", f"{HOST}key", "", "http://["])
def test_an_unknown_address_is_refused(unknown):
    search = SubdigraphSearch(KEY)
    with pytest.raises(ValueError, match="candidate"):
        search.add(unknown, None)
    assert search.loads == 0


def test_the_same_again_is_ignored():
    search = SubdigraphSearch(KEY, size=2)
    search.add(url(0), linking("0", 1))
    search.add(url(0), linking("0", 1))
    search.add(url(0), None)
    assert (search.loads, names(search)) == (1, ["0"])


@pytest.mark.parametrize(("size", "max_loads"), [(0, 1), (-1, 1), (1, -1)])
def test_numbers_out_of_range_are_refused(size, max_loads):
    with pytest.raises(ValueError, match=r"size|max_loads"):
        SubdigraphSearch(KEY, size, max_loads)


def test_a_copy_of_the_key_page_is_no_member():
    search = SubdigraphSearch(KEY, size=1)
    search.add(url(0), Page(KEY.text, url(0)))
    assert search.pages == ()
    search.add(url(1), Page(KEY.text + " ", KEY.url))
    assert search.pages == (), "what redirects to the key page is the key page"
    search.add(url(2), linking("2", aliases=[KEY.url]))
    assert search.pages == ()
    assert search.loads == 3


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


def test_a_link_to_any_address_of_a_page_counts():
    search = SubdigraphSearch(KEY, size=2)
    search.add(url(0), linking("final", 1, aliases=[url(0)]))
    search.add(url(1), linking("1", "final"))
    assert search.done


def test_a_page_of_another_host_is_no_member():
    search = SubdigraphSearch(KEY, size=1)
    search.add(url(0), Page("x", "https://other.test/"))
    assert search.pages == ()
    assert search.loads == 1


def test_preferred_candidates_come_first():
    search = SubdigraphSearch(KEY)
    search.reorder({url(5), url(3)})
    assert search.wanted()[:3] == [url(3), url(5), url(0)]
    search.add(url(3), None)
    assert search.wanted()[:2] == [url(5), url(0)]


def test_what_is_added_after_the_end_changes_nothing():
    search = SubdigraphSearch(KEY, size=2)
    for number in (0, 1):
        search.add(url(number), linking(str(number), *range(8)))
    before = names(search)
    for number in range(2, 8):
        search.add(url(number), linking(str(number), *range(8)))
    assert names(search) == before


@pytest.mark.parametrize("size", [3, 4, 8])
def test_a_graph_that_just_misses_the_size_ends(size):
    """Pages in size - 1 parts, each page linked with all pages of the other parts: 20 million ways to try for 8."""
    count, parts = 120, size - 1
    key = linking("key", *range(count))
    search = SubdigraphSearch(key, size=size, max_loads=count)
    for number in range(count):
        search.add(url(number), linking(str(number), *(n for n in range(count) if n % parts != number % parts)))
    assert search.done
    assert len(search.pages) == parts


# --- against the literal version -----------------------------------------------------------------


def pages_of(graph: LinkGraph) -> tuple[Page, list[str], dict[str, Page | None], dict[str, set[str]]]:
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
