"""RBM-TD: identical subtrees at the same path, worked out by hand and against a plain definition."""

from helpers import strategies
from helpers.detector_cases import is_closed_below
from helpers.made_sites import HOST, page
from hypothesis import given
from templex_bench.detectors.identity import node_labels
from templex_bench.detectors.rbm_td import detect_template_rbm_td

from templex_scrapy.page import Page, nodes_of

OTHER, THIRD = HOST + "other", HOST + "third"

# body 0 > ul 1 > li 2 > #text 3,  li 4 > #text 5,  div 6 > p 7 > #text 8
KEY = page("<ul><li>Home</li><li>News</li></ul><div><p>Key</p></div>")


def test_identical_subtrees_at_the_same_path_are_template():
    other = page("<div><p>Other</p></div><ul><li>Home</li><li>News</li></ul>", OTHER)
    assert detect_template_rbm_td(KEY, [other]) == {1, 2, 3, 4, 5}, "in whatever order"


def test_larger_subtrees_come_before_the_smaller_ones_that_stand_first():
    """The line by itself comes first, but the only line of the other page is in the box."""
    key = page("<div><p><hr></p></div><div><p>a</p><hr></div>")
    assert detect_template_rbm_td(key, [page("<div><p>a</p><hr></div>", OTHER)]) >= {5, 6, 7}


def test_an_index_makes_the_place_exact():
    other = page("<ul><li>News</li><li>Home</li></ul>", OTHER)
    assert detect_template_rbm_td(KEY, [other]) == {2, 3, 4, 5}
    assert detect_template_rbm_td(KEY, [other], path="indexed") == set()
    after = page("<p>New</p><ul><li>Home</li><li>News</li></ul>", OTHER)
    assert detect_template_rbm_td(KEY, [after], path="indexed") == {1, 2, 3, 4, 5}, "the first ul it is still"


def test_start_tags_as_labels():
    other = page('<ul><li class="current">Home</li><li>News</li></ul>', OTHER)
    assert detect_template_rbm_td(KEY, [other]) == {1, 2, 3, 4, 5}
    assert detect_template_rbm_td(KEY, [other], labels="start tags") == {3, 4, 5}


def places(arrays):
    """Of each node its path and its subtree, spelt out."""
    labels, tags = node_labels(arrays, "tags"), [arrays.start_tag(at).tag for at in range(len(arrays.tag_strings))]
    paths: list[tuple[str, ...]] = []
    for position, parent in enumerate(arrays.parents):
        paths.append((*paths[parent], tags[position]) if position else ())
    ends = [position + size for position, size in enumerate(arrays.sizes)]
    return [(paths[at], tuple(labels[at:end]), tuple(arrays.sizes[at:end])) for at, end in enumerate(ends)]


@given(strategies.page_groups)
def test_template_nodes_are_on_all_pages_and_no_more_often(pages):
    key, *others = [Page(html, f"{HOST}{number}") for number, html in enumerate(pages)]
    others = [other for other in others if other.digest != key.digest]
    found = detect_template_rbm_td(key, others)
    assert is_closed_below(found, key)
    if not others:
        return
    mine = places(nodes_of(key))
    for other in map(places, (nodes_of(other) for other in others)):
        for place in {mine[position] for position in found}:
            assert sum(mine[position] == place for position in found) <= other.count(place)
    everywhere = set(mine).intersection(*(places(nodes_of(other)) for other in others))
    assert {mine[position] for position in found} == everywhere
