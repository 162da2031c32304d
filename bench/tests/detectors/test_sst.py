"""SST: importances worked out by hand from the definitions, the template as noise, readings, limits, real sites."""

import math

import pytest
from helpers.made_sites import HOST, page
from templex_bench.detectors import sst
from templex_bench.detectors.sst import detect_template_sst

from templex_scrapy.page import nodes_of

OTHER, THIRD = HOST + "other", HOST + "third"
HOME = '<div><a href="/">Home</a></div>'


def weighed(*pages):
    tree = sst._style_tree([nodes_of(page) for page in pages], "display")
    sst._weigh(tree, pages)
    return tree


def at(tree, position):
    """The element node that a node of the first page is in."""
    return next(node for node in tree if node.members[0] == (0, position))


# body 0 > div 1 > a 2 > #text 3,  p 4 > #text 5
KEY = page(HOME + "<p>one two</p>")
SAME_SHAPE = page(HOME + "<p>one three</p>", OTHER)


def test_a_leaf_is_as_important_as_its_features_are_unevenly_spread():
    """Of three words on two pages one is on both (entropy 1), two on one each (entropy 0)."""
    tree = weighed(KEY, SAME_SHAPE)
    assert at(tree, 5).importance == pytest.approx(1 - 1 / 3)
    assert at(tree, 3).importance == 0.0, "the same word with the same target"


def test_the_target_of_a_hyperlink_is_a_feature_of_its_text():
    tree = weighed(page('<a href="/x">More</a>'), page('<a href="/y">More</a>', OTHER))
    assert at(tree, 2).importance == pytest.approx(1 - 1 / 3)


def test_one_style_hands_on_what_is_below_attenuated_at_each_level():
    tree = weighed(KEY, SAME_SHAPE)
    assert at(tree, 4).importance == pytest.approx(0.9 * 2 / 3)
    assert at(tree, 0).importance == pytest.approx(0.9 * (0 + 0.9 * 2 / 3) / 2)
    assert at(tree, 0).most == pytest.approx(2 / 3)


def test_styles_count_by_their_pages():
    """Two pages have one paragraph, a third has two: shares 2/3 and 1/3, and what a single page has is important."""
    tree = weighed(page("<p>x</p>"), page("<p>x</p><!-- -->", OTHER), page("<p>x</p><p>x</p>", THIRD))
    own = -(2 / 3 * math.log(2 / 3, 3) + 1 / 3 * math.log(1 / 3, 3))
    assert at(tree, 1).importance == 0.0
    assert at(tree, 0).importance == pytest.approx((1 - 0.9**2) * own + 0.9**2 * (2 / 3 * 0 + 1 / 3 * 1))


def test_the_template_is_what_is_unimportant_with_all_below():
    tree = weighed(KEY, SAME_SHAPE)
    assert at(tree, 0).importance < 0.3 < at(tree, 0).most
    assert detect_template_sst(KEY, [SAME_SHAPE], threshold=0.3) == {1, 2, 3}, "body holds what is important"
    assert detect_template_sst(KEY, [SAME_SHAPE], threshold=0.7) == set(range(6))
    assert detect_template_sst(KEY, [SAME_SHAPE], threshold=0) == set()


def test_element_nodes_on_enough_pages_as_the_thesis_words_it():
    pages = [SAME_SHAPE, page("<p>one two</p>", THIRD)]
    assert detect_template_sst(KEY, pages, pages_with=2) == set(range(6)), "place alone, whatever it says"
    assert detect_template_sst(KEY, pages, pages_with=3) == {0}
    assert detect_template_sst(KEY, pages, pages_with=9) == {0}, "where there are fewer, all"


def test_what_makes_two_elements_equal():
    plain = page("<p>x</p>")
    for attribute, differs in (("class='a'", {"start tags"}), ("bgcolor='red'", {"start tags", "display"})):
        other = page(f"<p {attribute}>x</p>", OTHER)
        for reading in ("display", "tags", "start tags"):
            found = detect_template_sst(plain, [other], attributes=reading)
            assert found == (set() if reading in differs else {0, 1, 2}), (attribute, reading)
