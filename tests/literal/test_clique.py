"""The literal version of Algorithm 9 on graphs worked out by hand."""

from __future__ import annotations

from literal import clique


def mutual(*pairs: str) -> dict[str, set[str]]:
    """Links in both ways for "ab", in one way for "a>b"."""
    links: dict[str, set[str]] = {}
    for pair in pairs:
        for letter in pair.replace(">", ""):
            links.setdefault(letter, set())
        links[pair[0]].add(pair[-1])
        if ">" not in pair:
            links[pair[-1]].add(pair[0])
    return links


def test_largest_complete_subdigraphs_contain_the_newest_and_come_in_order_of_adding():
    links = mutual("ab", "ac", "bc", "bd", "cd", "a>d")
    assert clique.largest_complete_subdigraphs(["a", "b", "c", "d"], links, "d") == [("b", "c", "d")]
    assert clique.largest_complete_subdigraphs(["a", "b", "c", "d"], links, "c") == [("a", "b", "c"), ("b", "c", "d")]
    assert clique.largest_complete_subdigraphs(["d", "c", "b", "a"], links, "c") == [("d", "c", "b"), ("c", "b", "a")]


def test_a_page_alone_is_a_complete_subdigraph():
    assert clique.largest_complete_subdigraphs(["a", "b"], mutual("a>b"), "b") == [("b",)]
    assert clique.search_result(["a", "b"], mutual("ab"), 1) == (("a",), 1)


def test_search_stops_at_the_size_wanted():
    assert clique.search_result(list("abcd"), mutual("ab", "ac", "bc", "ad", "bd", "cd"), 3) == (("a", "b", "c"), 3)


def test_search_goes_past_pages_that_do_not_link_back():
    """As with Table 7.2, where two of the first six pages are not in the subdigraph of size 4."""
    links = mutual("ac", "ae", "af", "ce", "cf", "ef", "b>a", "a>b", "a>d", "c>d")
    assert clique.search_result(list("abcdef"), links, 4) == (("a", "c", "e", "f"), 6)


def test_search_returns_the_largest_seen_and_the_first_of_several():
    assert clique.search_result(list("abcd"), mutual("ab", "cd"), 3) == (("a", "b"), 4)
    # d closes {a, d} and {b, d} at once: the one with the page added first is taken, but {a, c} was before.
    assert clique.search_result(list("abcd"), mutual("ac", "ad", "bd"), 3) == (("a", "c"), 4)
    assert clique.search_result(list("bdca"), mutual("ac", "ad", "bd"), 3) == (("b", "d"), 4)
    assert clique.search_result(list("abd"), mutual("ad", "bd"), 2) == (("a", "d"), 3)


def test_a_page_that_does_not_load_counts_and_is_no_member():
    links = mutual("ac", "ab", "bc")
    del links["b"]
    assert clique.search_result(list("abc"), links, 3) == (("a", "c"), 3)
    assert clique.search_result(["b"], links, 3) == ((), 1)
