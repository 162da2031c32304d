"""The literal versions against the papers' tables and examples, and against results worked out by hand."""

from __future__ import annotations

import pytest
from literal import clique, mapping, rank, votes

from templex_scrapy.page import Page

URL = "https://site.test/"


def page(body: str, url: str = URL) -> Page:
    return Page(f"<!DOCTYPE html><html><head></head><body>{body}</body></html>", url)


# --- position values (thesis 8.2) ----------------------------------------------------------------

# Rows are the children of B, columns those of A, as printed. Table 8.2 as printed does not follow the
# rule of the other two (its first row has 0.8 where both are first) and is left out.
TABLE_8_1 = [
    [1, 0.8, 0.6, 0.4, 0.2],
    [0.8, 1, 0.8, 0.6, 0.4],
    [0.6, 0.8, 1, 0.8, 0.6],
    [0.4, 0.6, 0.8, 1, 0.8],
    [0.2, 0.4, 0.6, 0.8, 1],
]
TABLE_8_3 = [
    [1, 0.75, 0.5, 0.25],
    [1, 1, 0.75, 0.5],
    [0.75, 1, 1, 0.75],
    [0.5, 0.75, 1, 1],
    [0.25, 0.5, 0.75, 1],
]


@pytest.mark.parametrize("table", [TABLE_8_1, TABLE_8_3], ids=["8.1", "8.3"])
def test_position_values_are_those_of_the_table(table):
    computed = [
        [mapping.position_value(i, j, len(table[0]), len(table)) for i in range(len(table[0]))]
        for j in range(len(table))
    ]
    assert computed == [pytest.approx(row) for row in table]


def test_position_values_with_more_children_in_a():
    """By hand from the rule, since Table 8.2 does not follow it: five children onto four."""
    computed = [[mapping.position_value(i, j, 5, 4) for i in range(5)] for j in range(4)]
    assert computed == [
        [1, 1, 0.75, 0.5, 0.25],
        [0.75, 1, 1, 0.75, 0.5],
        [0.5, 0.75, 1, 1, 0.75],
        [0.25, 0.5, 0.75, 1, 1],
    ]


def test_position_window_is_cut_to_the_children_of_b():
    assert [mapping.position_value(i, 0, 3, 1) for i in range(3)] == [1, 1, 1]
    assert [mapping.position_value(0, j, 1, 3) for j in range(3)] == [1, 1, 1]


# --- hyperlink distance (thesis 7.2.2) -------------------------------------------------------------

SPRINGER = "https://www.springer.com/gp/computer-science/become-an-author"
CALTECH = "https://www.caltech.org/about/news"


@pytest.mark.parametrize(
    ("key_url", "url", "distance"),
    [
        (SPRINGER, "https://www.springer.com/gp/computer-science/stay-informed", 0),
        (SPRINGER, "https://www.springer.com/gp/computer-science/", 0),
        (SPRINGER, "https://www.springer.com/gp/computer-science/information-systems-and-applications/", 1),
        (SPRINGER, "https://www.springer.com/gp/", -1),
        (SPRINGER, "https://www.springer.com/gp/engineering/contact-us", -1),
        (SPRINGER, "https://www.springer.com/gp/engineering/", -1),
        (SPRINGER, "https://www.springer.com", -2),
        (SPRINGER, "https://www.springer.com/other/", -2),
        (SPRINGER, "https://www.springernature.com", -3),
        (CALTECH, "https://www.caltech.org/about/at-a-glance", 0),
        (CALTECH, "https://www.caltech.org/about/visit/tours", 1),
        (CALTECH, "https://www.caltech.org/about/news/ztf-spots-asteroid-shortest-year", 1),
        (CALTECH, "https://www.caltech.org/", -1),
        (CALTECH, "https://www.caltech.org/about", -1),
        (CALTECH, "https://www.caltech.org/research/jpl", -1),
        (CALTECH, "https://www.caltech.org/academics/resources/academic-calendar", -1),
        ("https://www.upv.es", "https://www.upv.es/organizacion/la-institucion/index-en.html", 2),
        ("https://www.upv.es/organizacion/la-institucion/index-en.html", "https://www.upv.es", -2),
    ],
)
def test_hyperlink_distance_of_the_papers_examples(key_url, url, distance):
    assert rank.hyperlink_distance(key_url, url) == distance


# Table 7.2, columns Hyperlink and Link d., in the order printed; all below https://www.caltech.org/.
TABLE_7_2 = [
    ("about/at-a-glance", 0),
    ("about/caltech-media", 0),
    ("about/offices-departments", 0),
    ("about/news/caltech-mourns-passing-manuel-manny-soriaga", 1),
    ("about/legacy/history-milestones", 1),
    ("about/visit/plan-your-visit", 1),
    ("about/news/what-it-be-caltech-seismologist-during-big-quake", 1),
    ("about/news/caltechs-apollo-connection", 1),
    ("about/news/performing-chemistry-floating-droplets", 1),
    ("about/news/bronner-named-director-beckman-institute", 1),
    ("about/news/hima-vatti-tapped-to-lead-caltechs-equity-and-title-ix-office", 1),
    ("about/news/three-caltech-professors-receive-presidential-early-career-awards", 1),
    ("about/news/ztf-spots-asteroid-shortest-year", 1),
    ("about/news/edge-philosophy-and-physics", 1),
    ("about/news/bioengineers-guide-design", 1),
    ("about/news/seeing-farther-and-deeper-interview-katie-bouman", 1),
    ("about/visit/directions", 1),
    ("about/legacy/historic-awards-honors", 1),
    ("about/visit/campus-maps", 1),
    ("about/visit/tours", 1),
    ("quick-links-faculty", -1),
    ("media-contacts", -1),
    ("map/history", -1),
    ("contact", -1),
    ("academics/resources/academic-calendar", -1),
    ("research/jpl", -1),
    ("campus-life-events/master-calendar", -1),
    ("admissions-aid", -1),
    ("", -1),
    ("about", -1),
    ("research", -1),
    ("academics", -1),
    ("campus-life-events", -1),
    ("research/centers-institutes", -1),
    ("research/research-facilities", -1),
    ("research/faculty-listing", -1),
    ("campus-life-events/caltech-today", -1),
    ("campus-life-events/emergency-information", -1),
    ("quick-links-students", -1),
    ("quick-links-staff", -1),
    ("quick-links-alumni", -1),
    ("rssfeeds", -1),
    ("claimed-copyright-infringement", -1),
    ("privacy-notice", -1),
]


def test_hyperlink_distances_are_those_of_table_7_2():
    computed = [(path, rank.hyperlink_distance(CALTECH, f"https://www.caltech.org/{path}")) for path, _ in TABLE_7_2]
    assert computed == TABLE_7_2


def test_the_groups_of_table_7_2_come_in_the_order_printed():
    """The DOM distances are not in the paper's text, so only the groups can be compared."""
    anchors = "".join(f'<a href="https://www.caltech.org/{path}">x</a>' for path, _ in reversed(TABLE_7_2))
    ranked = rank.rank_links(page(anchors, CALTECH))
    assert [rank.hyperlink_distance(CALTECH, url) for url in ranked] == [d for _, d in TABLE_7_2]


# --- DOM distance and rank (Algorithm 8) -------------------------------------------------------------


def test_dom_distance_of_figure_7_4():
    """Two links in two blocks below body: a, div, body, table, a."""
    made = page('<div><a href="/one">1</a></div><ul><a href="/two">2</a></ul>')
    one, two = (made.nodes[made.links[f"{URL}{name}"]] for name in ("one", "two"))
    assert rank.dom_distance(one, two) == 4
    assert rank.dom_distance(two, one) == 4
    assert rank.dom_distance(one, one) == 0


def test_dom_distance_to_an_ancestor_is_the_difference_of_levels():
    nodes = page("<div><span><b>x</b></span></div>").nodes
    assert rank.dom_distance(nodes[0], nodes[3]) == 3


def test_rank_takes_the_link_farthest_from_those_taken():
    """From the first link: the second and third are 4 edges away, the one in the other block 5."""
    body = (
        '<ul><li><a href="/1">x</a></li><li><a href="/2">x</a></li><li><a href="/3">x</a></li></ul>'
        '<div><a href="/4">x</a></div>'
    )
    assert rank.rank_links(page(body)) == [f"{URL}{n}" for n in "1423"]


def test_rank_goes_by_the_nearest_link_taken_and_not_by_the_sum():
    """After 1 and 4, 5 is farther from 1 than 2 is, but beside 4: 2 edges, where 2 has 4."""
    body = (
        '<ul><li><a href="/1">x</a></li><li><a href="/2">x</a></li></ul>'
        '<div><div><div><a href="/4">x</a><a href="/5">x</a></div></div></div>'
    )
    assert rank.rank_links(page(body)) == [f"{URL}{n}" for n in "1425"]


def test_rank_orders_groups_first_and_measures_within_a_group_only():
    body = (
        '<div><a href="/x/y">x</a><a href="/">x</a><a href="/a/b/c/d/e">x</a></div>'
        '<div><a href="/a/b/c/d">x</a><a href="/a/b/1">x</a><a href="/a/2">x</a><a href="/a/b/3">x</a></div>'
    )
    ranked = rank.rank_links(page(body, f"{URL}a/b/key"))
    assert ranked == [f"{URL}{path}" for path in ("a/b/1", "a/b/3", "a/b/c/d", "a/b/c/d/e", "a/2", "x/y", "")]


def test_rank_follows_pages_of_the_same_site_only():
    body = "".join(
        f'<a href="{href}">x</a>'
        for href in (
            "/key#top",
            "https://other.test/1",
            "https://www.site.test/1",
            "https://site.test:8443/1",
            "/2.pdf",
            "mailto:x@site.test",
            "http://site.test/3",
            "/4",
        )
    )
    assert rank.rank_links(page(body, f"{URL}key")) == ["http://site.test/3", f"{URL}4"]


# --- complete subdigraphs (Algorithm 9) ------------------------------------------------------------


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
    assert clique.largest_complete_subdigraphs(["a", "b", "c", "d"], links, "c") == [
        ("a", "b", "c"),
        ("b", "c", "d"),
    ]
    assert clique.largest_complete_subdigraphs(["d", "c", "b", "a"], links, "c") == [
        ("d", "c", "b"),
        ("c", "b", "a"),
    ]


def test_a_page_alone_is_a_complete_subdigraph():
    assert clique.largest_complete_subdigraphs(["a", "b"], mutual("a>b"), "b") == [("b",)]
    assert clique.search_result(["a", "b"], mutual("ab"), 1) == (("a",), 1)


def test_search_stops_at_the_size_wanted():
    assert clique.search_result(list("abcd"), mutual("ab", "ac", "bc", "ad", "bd", "cd"), 3) == (
        ("a", "b", "c"),
        3,
    )


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


# --- the mapping (thesis 8) ------------------------------------------------------------------------

PUBLISHED = {"position": 0.1, "classes": 0.1, "children": 0.3, "attributes": 0.5, "threshold": 0.7}
BY_POSITION = {"position": 1.0, "classes": 0.0, "children": 0.0, "attributes": 0.0}
OPTIONS = [1, 2, 3, 4]


def child_pairs(body_a: str, body_b: str, option: int = 2, **parameters: float) -> list[tuple[int, int]]:
    """The pairs of the children of two bodies in the order made, as indexes of children."""
    a, b = page(body_a).nodes[0], page(body_b).nodes[0]
    return mapping.pair_children(a.children, b.children, option=option, **{**PUBLISHED, **parameters})


def mapped(body_a: str, body_b: str, option: int = 2, **parameters: float) -> set[tuple[int, int]]:
    a, b = page(body_a).nodes[0], page(body_b).nodes[0]
    return mapping.equal_top_down_mapping(a, b, option=option, **{**PUBLISHED, **parameters})


def test_similarity_is_the_weighted_sum():
    """Half the place, 1 of 3 classes, 1 of 2 children, 1 of 3 attributes."""
    a = page('<div class="a b" title="x" lang="en" id="m"><i></i></div>').nodes[1]
    b = page('<div class=" c  b" title="x" lang="de"><i></i><i></i></div>').nodes[1]
    assert mapping.similarity(a, b, 0.5, position=0.1, classes=0.1, children=0.3, attributes=0.5) == (
        0.1 * 0.5 + 0.1 * (1 / 3) + 0.3 * 0.5 + 0.5 * (1 / 3)
    )


@pytest.mark.parametrize(
    ("a", "b", "classes", "children", "attributes"),
    [
        ("<i></i>", "<i></i>", 1, 1, 0.75),
        ('<i class="a"></i>', "<i></i>", 0, 1, 0.75),
        ("<i></i>", '<i title="x"></i>', 1, 1, 0),
        ("<i></i>", "<i>x</i>", 1, 0, 0.75),
        ('<i class=" "></i>', '<i id="m"></i>', 1, 1, 0.75),
        ('<i title="x"></i>', '<i title="y"></i>', 1, 1, 0),
        ("x", "y", 1, 1, 0.75),
    ],
)
def test_values_of_empty_and_one_sided_properties(a, b, classes, children, attributes):
    node_a, node_b = page(a).nodes[1], page(b).nodes[1]
    assert mapping.classes_value(node_a, node_b) == classes
    assert mapping.children_value(node_a, node_b) == children
    assert mapping.attributes_value(node_a, node_b) == attributes


@pytest.mark.parametrize("option", OPTIONS)
def test_roots_are_mapped_and_children_of_unmapped_nodes_are_not_entered(option):
    """A div with a div and then i with i; b does not find b, and the i below stays alone."""
    assert mapped("<div><i></i></div><b><i></i></b>", "<div><i></i></div><u><i></i></u>", option) == {
        (0, 0),
        (1, 1),
        (2, 2),
    }
    assert mapped("", "<div></div>", option) == {(0, 0)}


@pytest.mark.parametrize("option", OPTIONS)
def test_text_pairs_with_text_whatever_it_says(option):
    assert mapped("<i>one</i>", "<i>two</i>", option) == {(0, 0), (1, 1), (2, 2)}
    assert mapped("<i>one</i>", "<i><b></b></i>", option) == {(0, 0), (1, 1)}


@pytest.mark.parametrize("option", OPTIONS)
def test_ties_go_to_the_lowest_children(option):
    assert child_pairs("<i></i>", "<i></i><i></i>", option) == [(0, 0)]
    assert child_pairs("<i></i><i></i>", "<i></i>", option) == [(0, 0)]


@pytest.mark.parametrize("option", OPTIONS)
def test_a_same_id_goes_before_everything(option):
    """Child 0 of A equals child 0 of B in all but the id, which child 1 has."""
    a = '<i id="m" class="c" title="x"></i>'
    b = '<i id="n" class="c" title="x"></i><i id="m"></i>'
    assert child_pairs(a, b, option) == [(0, 1)]


def test_a_same_id_needs_the_same_tag_and_no_similarity():
    assert child_pairs('<i id="m"></i>', '<b id="m"></b>') == []
    assert child_pairs('<i id="m" title="x"></i>', '<i id="m" class="c"><b></b></i>') == [(0, 0)]


def test_an_empty_id_is_no_id():
    """Two empty ids would pair 0 with 1; by similarity it is 0 with 0 (both places have the value 1)."""
    assert child_pairs('<i id=""></i>', '<i></i><i id=""></i>') == [(0, 0)]


def test_equal_classes_and_attributes_at_position_1_go_before_those_elsewhere():
    """Child 1 of A equals both children of B; child 0 is the lower one, child 1 stands at its place."""
    a = '<i></i><i class="c" title="x"></i>'
    b = '<i class="c" title="x"></i><i class="c" title="x"></i>'
    assert child_pairs(a, b, 4) == [(1, 1)]


def test_equal_classes_and_attributes_elsewhere_go_before_everything_similar():
    """By position alone both would stay where they are, with the value 1."""
    a = '<i class="c" title="x"></i><i class="d" title="x"></i>'
    b = '<i class="d" title="x"></i><i class="c" title="x"></i>'
    assert child_pairs(a, b, 4, **BY_POSITION) == [(0, 1), (1, 0)]


@pytest.mark.parametrize("rest", ['class="c"', 'title="x"'])
def test_empty_classes_or_attributes_are_not_equal(rest):
    """As before, but with one of the two properties empty: similarity decides."""
    a = f"<i {rest}></i><i></i>"
    b = f"<i></i><i {rest}></i>"
    assert child_pairs(a, b, 4, **BY_POSITION) == [(0, 0), (1, 1)]


UNIQUE = {"unique": True, "threshold": 1.0}


@pytest.mark.parametrize("option", OPTIONS)
def test_with_the_rule_unique_tag_and_classes_that_occur_once_pair_right_after_the_same_id(option):
    """Nothing is similar enough; b.c is alone on both sides, i is not in A, u is not in B."""
    a = '<i></i><i></i><b class="c" title="x"></b><u></u>'
    b = '<u></u><u></u><i></i><b class="c"><s></s></b>'
    assert child_pairs(a, b, option, **UNIQUE) == [(2, 3)]
    assert child_pairs(a, b, option, threshold=1.0) == []


def test_with_the_rule_unique_a_same_id_still_goes_first():
    a = '<b class="c" id="m"></b>'
    b = '<b class="c"></b><b class="d" id="m"></b>'
    assert child_pairs(a, b, **UNIQUE) == [(0, 1)]


def test_with_the_rule_unique_text_is_never_unique():
    assert child_pairs("x", "y", **UNIQUE) == []


def test_by_similarity_the_best_pair_comes_first():
    """A1 and B0 are the same but for the place; from left to right, A0 would take B0 away."""
    a = '<i class="c"></i><i class="d"></i>'
    b = '<i class="d"></i>'
    # (0, 0): 0.5 * 1; (1, 0): 0.5 * 1 + 0.5 * 1 (one child of B: all places have the value 1)
    weights = {"position": 0.5, "classes": 0.5, "children": 0.0, "attributes": 0.0, "threshold": 0.5}
    assert child_pairs(a, b, 2, **weights) == [(1, 0)]


def test_the_threshold_itself_is_enough():
    weights = {"position": 0.5, "classes": 0.5, "children": 0.0, "attributes": 0.0}
    assert child_pairs('<i class="c"></i>', "<i></i>", 2, **weights, threshold=0.5) == [(0, 0)]
    assert child_pairs('<i class="c"></i>', "<i></i>", 2, **weights, threshold=0.6) == []


@pytest.mark.parametrize(
    ("threshold", "paired"),
    # The b stand across the pair of the i. Option 1 forbids them; 2: 0 + 0.5; 3: 0.5 + 0.5, alone on both
    # sides; 4: 0.25 + 0.5, one step of two.
    [(0.5, {2, 3, 4}), (0.7, {3, 4}), (0.8, {3}), (1.0, {3})],
)
@pytest.mark.parametrize("option", OPTIONS)
def test_options_across_a_pair(option, threshold, paired):
    weights = {"position": 0.5, "classes": 0.5, "children": 0.0, "attributes": 0.0, "threshold": threshold}
    made = child_pairs('<b></b><i id="m"></i>', '<i id="m"></i><b></b>', option, **weights)
    assert made == ([(1, 0), (0, 1)] if option in paired else [(1, 0)])


@pytest.mark.parametrize(
    ("option", "made"),
    [
        # Right of i: b, u, u and b. First of three onto the only one: 1. The u of B are on the other side.
        (1, [(0, 2), (1, 3)]),
        (2, [(0, 2), (1, 3)]),
        # Left are b, u, u and u, u, b: the u in the middle 1, b 1 - 2/3; then two, crosswise: 1/2.
        (3, [(0, 2), (2, 1)]),
        # Of all four: u at places 2 and 1: 1 - 1/4; b at 1 and 3, u at 3 and 0: too far.
        (4, [(0, 2), (2, 1)]),
    ],
)
def test_options_recompute_the_position(option, made):
    a = '<i id="m"></i><b></b><u></u><u></u>'
    b = '<u></u><u></u><i id="m"></i><b></b>'
    assert child_pairs(a, b, option, **BY_POSITION, threshold=0.6) == made


def test_option_3_recomputes_and_option_4_does_not():
    """With the pair of the ids gone, u is first on both sides; at the start it was 1 step of 3 away."""
    a = '<u></u><b></b><i id="m"></i>'
    b = '<i id="m"></i><u></u><s></s>'
    assert child_pairs(a, b, 3, **BY_POSITION, threshold=1.0) == [(2, 0), (0, 1)]
    assert child_pairs(a, b, 4, **BY_POSITION, threshold=1.0) == [(2, 0)]


def test_blocks_between_pairs_that_cross():
    """Right of two pairs that cross, b and b are in one block; between them nothing is."""
    a = '<i id="m"></i><i id="n"></i><b></b>'
    b = '<i id="n"></i><i id="m"></i><b></b>'
    assert child_pairs(a, b, 2, **BY_POSITION, threshold=1.0) == [(0, 1), (1, 0), (2, 2)]
    # Option 1 forbids the second id, since it would cross the first.
    assert child_pairs(a, b, 1, **BY_POSITION, threshold=1.0) == [(0, 1), (2, 2)]


def test_a_node_between_pairs_that_cross_has_no_block():
    """The u lies right of m and left of n in A; in B it lies left of m and right of n: position 0."""
    a = '<i id="m"></i><u></u><i id="n"></i>'
    b = '<i id="n"></i><u></u><i id="m"></i>'
    assert child_pairs(a, b, 2, **BY_POSITION, threshold=0.1) == [(0, 2), (2, 0)]
    assert child_pairs(a, b, 3, **BY_POSITION, threshold=0.1) == [(0, 2), (2, 0), (1, 1)]


@pytest.mark.parametrize(
    ("option", "made"),
    [
        # Across the pair of the ids everything is forbidden, or elsewhere: the lower one.
        (1, [(2, 0)]),
        (2, [(2, 0), (1, 1)]),
        # Left are u, b and b, b: b stands second, as the second b of B.
        (3, [(2, 0), (1, 2)]),
        # Of three each: b has place 1, as the first b of B.
        (4, [(2, 0), (1, 1)]),
    ],
)
def test_position_1_of_the_precedence_is_that_of_the_option(option, made):
    a = '<u></u><b class="c" title="x"></b><i id="m"></i>'
    b = '<i id="m"></i><b class="c" title="x"></b><b class="c" title="x"></b>'
    assert child_pairs(a, b, option) == made


# --- voting (thesis 9) ------------------------------------------------------------------------------

VOTING = {**PUBLISHED, "option": 2}


def test_template_needs_the_votes_and_not_more_than_there_are_pages():
    key = page("<div><i></i></div><b></b><u></u>")
    others = [page("<div><i></i></div><b></b>"), page("<div><i></i></div>"), page("<b></b><p></p>")]
    # Occurrences: body 3, div 2, i 2, b 2, u 0.
    assert votes.occurrences(key, others, **VOTING) == {0: 3, 1: 2, 2: 2, 3: 2, 4: 0}
    assert votes.template_nodes(key, others, 2, **VOTING) == {0, 1, 2, 3}
    assert votes.template_nodes(key, others, 3, **VOTING) == {0}
    assert votes.template_nodes(key, others[1:2], 2, **VOTING) == {0, 1, 2}
    assert votes.template_nodes(key, [], 2, **VOTING) == set()


def test_copies_have_no_vote():
    key, other = page("<b></b><u></u>"), page("<b></b>")
    assert votes.template_nodes(key, [key], 2, **VOTING) == set()
    # One page is left, so that one vote is enough; u does not get it from the copies of the key page.
    assert votes.template_nodes(key, [page("<b></b><u></u>"), other, page("<b></b>")], 2, **VOTING) == {0, 1}
