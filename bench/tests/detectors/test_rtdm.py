"""RTDM-TD: the mapping against a plain recursion, the template worked out by hand, limits."""

from functools import cache

from helpers import strategies
from helpers.made_sites import HOST, page
from hypothesis import given
from hypothesis import strategies as st
from templex_bench.detectors.identity import node_labels
from templex_bench.detectors.rtdm import Mapping, detect_template_rtdm_td

from templex_scrapy.page import Page, nodes_of

OTHER, THIRD = HOST + "other", HOST + "third"


def least_cost(a, b, labels):
    """The cost of the cheapest restricted top-down mapping, from its definition."""
    of_a, of_b = node_labels(a, labels), node_labels(b, labels)

    @cache
    def pair(i, j):
        if of_a[i] != of_b[j]:
            return a.sizes[i] + b.sizes[j] - 1
        return lists(tuple(a.children(i)), tuple(b.children(j)))

    @cache
    def lists(x, y):
        if not x or not y:
            return sum(a.sizes[i] for i in x) + sum(b.sizes[j] for j in y)
        return min(
            a.sizes[x[0]] + lists(x[1:], y),
            b.sizes[y[0]] + lists(x, y[1:]),
            pair(x[0], y[0]) + lists(x[1:], y[1:]),
        )

    return pair(0, 0)


def assert_restricted_top_down(mapping, a, b, labels):
    of_a, of_b = node_labels(a, labels), node_labels(b, labels)
    assert len(set(mapping.values())) == len(mapping)
    for i, j in mapping.items():
        assert of_a[i] == of_b[j]
        assert mapping.get(a.parents[i], -1) == b.parents[j], "top-down"
        siblings = [mapping[k] for k in a.children(i) if k in mapping]
        assert siblings == sorted(siblings), "in order"


@given(strategies.page_pairs, st.sampled_from(["tags", "start tags"]))
def test_the_mapping_costs_least(pages, labels):
    a, b = (nodes_of(Page(html, HOST)) for html in pages)
    found = Mapping(a, b, labels)
    assert_restricted_top_down(found.pairs(), a, b, labels)
    found._work_out([0], [0])
    assert found._cost(0, 0) == least_cost(a, b, labels)


# body 0 > div 1 > #text 2,  p 3 > #text 4,  ul 5 > li 6 > #text 7
KEY = page("<div>Home</div><p>Key</p><ul><li>Imprint</li></ul>")


def test_what_differs_is_no_template_and_nothing_below_it():
    """The words of p differ; ul against ol ends the comparison there, although the items are the same."""
    other = page("<div>Home</div><p>Other</p><ol><li>Imprint</li></ol>", OTHER)
    assert detect_template_rtdm_td(KEY, [other]) == {0, 1, 2, 3}


def test_of_each_page_only_what_is_still_template_is_looked_for():
    pages = [page("<div>Home</div><p>a</p>", OTHER), page("<div>Hello</div><ul><li>Imprint</li></ul>", THIRD)]
    assert detect_template_rtdm_td(KEY, pages) == {0, 1}


def test_start_tags_end_the_comparison_at_a_body_that_names_the_page():
    key, other = (Page(f'<body class="{name}"><div>Home</div></body>', HOST + name) for name in ("a", "b"))
    assert detect_template_rtdm_td(key, [other]) == {0, 1, 2}
    assert detect_template_rtdm_td(key, [other], labels="start tags") == set()
