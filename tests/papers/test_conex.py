"""Page-level ConEx: the ratios and the steps worked out by hand, a literal version, odd pages, real sites."""

import pytest
from helpers import strategies
from helpers.detector_cases import is_closed_below, lines_run, odd_examples
from helpers.made_sites import page
from hypothesis import given
from hypothesis import strategies as st

from templex_scrapy.page import Page, count_words, nodes_of
from templex_scrapy.papers import conex, detect_content

URL = "https://site.test/"

# An article in the midst of a page; deep enough that the rule of the wide page leaves it alone.
ARTICLE = """<div><div><ul><li><a href="/">Home</a></li><li><a href="/b">Blog</a></li></ul></div>
<div><div id="main"><p>It was a dark and stormy night, and the rain fell in torrents.</p>
<p>Except at occasional intervals it was checked by a gust of wind that swept up the streets.</p>
<p>Rattling along the housetops and fiercely agitating the scanty flame of the lamps.</p>
<p>Through one of the obscurest quarters of the town a man was wending his solitary way.</p>
<p>He stopped twice or thrice at different shops and houses of a poor appearance.</p></div></div>
<div><p>Imprint</p></div></div>"""


def by_id(tested, value):
    return next(p for p in range(len(tested)) if nodes_of(tested).start_tag(p).id == value)


def subtree(tested, position):
    return frozenset(range(position, position + nodes_of(tested).sizes[position]))


# --- Definition 6.2.1 by hand --------------------------------------------------------------------


def test_ratios_are_those_of_the_definition():
    """Body 0, div 1, p 2, text 3, section 4, p 5, text 6, a 7, its text 8, text 9: five levels."""
    tested = page('<div><p>one two</p><section><p>three <a href="x">four five six</a> seven</p></section></div>')
    ratings = conex._Ratings(nodes_of(tested))
    assert ratings.depths == [0, 1, 2, 3, 2, 3, 4, 4, 5, 4]
    # words at distance 2 and 3; one link; two children; depth 1 of 5
    assert ratings.ratios(1) == pytest.approx((2 / 2 + 2 / 3, 1, 0, 1))
    assert ratings.ratios(2) == pytest.approx((2, 1, 0, 2))
    assert ratings.ratios(4) == pytest.approx((1, 1, 0, 2))
    # three children; past the middle: 5 - 3
    assert ratings.ratios(5) == pytest.approx((2, 1, 1, 2))


# --- the steps by hand ---------------------------------------------------------------------------


def test_the_article_is_the_content():
    tested = page(ARTICLE)
    found = detect_content(tested)
    assert by_id(tested, "main") in found
    assert not found & subtree(tested, 2)


def test_a_page_as_wide_as_deep_is_all_content():
    """Three branches, three levels of elements: all but body. Headlines are no branches."""
    branches = "<div><p>x</p></div><div><div><p>x</p></div></div>"
    assert detect_content(page(f"<p>x</p>{branches}")) == frozenset(range(1, 10))
    ratings = conex._Ratings(nodes_of(page(f"<h1>x</h1>{branches}")))
    assert not ratings.is_wide()


def test_a_candidate_inside_another_with_the_same_text_is_dropped():
    """Nodes: div 1, div 2, p 3, text 4, p 5, text 6, img 7."""
    ratings = conex._Ratings(nodes_of(page("<div><div><p>a b c</p><p>d</p></div><img></div>")))
    # the inner div has more words to a tag than the outer one, and says nothing that the outer does not say
    assert ratings.best([1, 2]) == [1]
    # p has 3 words to 1 tag, the inner div 4 to 3
    assert ratings.best([2, 3]) == [3]
    # siblings among the candidates come along
    assert ratings.best([2, 3, 5]) == [3, 5]


def test_a_candidate_holds_a_third_of_the_words():
    """A paragraph has more words to a tag than the article that holds it, and may lie as far from the centre."""
    tested = page(ARTICLE)
    around = by_id(tested, "main") - 1  # says nothing that the article does not say, so that the outer one is taken
    assert detect_content(tested) == subtree(tested, around)
    assert detect_content(tested, least_text=0) < subtree(tested, around)
    assert detect_content(tested, least_text=1) == subtree(tested, 1)  # nothing but the whole has all


def test_the_post_process_takes_groups_of_short_links_out():
    """Two li hold nothing but a link, of which one has fewer than three words: both go (Algorithm 7)."""
    tested = page(
        '<ul><li><a href="x">x</a></li><li><a href="y">a long link text</a></li><li>text <a href="z">z</a></li></ul>'
        '<p><a href="x">alone</a></p><ol><li><a href="x">three words here</a></li><li><a href="y">a b c</a></ol>'
    )
    everything = frozenset(range(len(tested)))
    gone = conex._Ratings(nodes_of(tested)).link_groups(everything, 3)
    assert gone == frozenset(range(2, 8))
    assert conex._Ratings(nodes_of(tested)).link_groups(everything, 1) == frozenset()


# --- a literal version ---------------------------------------------------------------------------


def literal_word_ratio(tested, position):
    arrays = nodes_of(tested)
    total = 0.0
    for leaf in range(position + 1, position + arrays.sizes[position]):
        text = arrays.texts[leaf]
        if text is not None and nodes_of(tested).start_tag(arrays.parents[leaf]).tag != "a":
            distance = 1 + list(arrays.ancestors(leaf)).index(position)
            total += count_words(text) / distance
    return total


any_page = st.one_of(strategies.page_groups.map(lambda pages: pages[0]), strategies.run_pairs.map(lambda p: p[0]))


@given(any_page)
def test_word_ratios_are_the_sums_of_the_definition(html):
    tested = Page(html, URL)
    ratings = conex._Ratings(nodes_of(tested))
    assert [ratings.word_ratios[p] for p in ratings.counted] == [
        pytest.approx(literal_word_ratio(tested, p)) for p in ratings.counted
    ]


# --- any page ------------------------------------------------------------------------------------

VARIANTS = [{}, {"least_text": 0}, {"least_text": 0, "max_words": 3}]


@odd_examples(lambda html: (html, {}))
@odd_examples(lambda html: (html, VARIANTS[1]))
@given(st.one_of(any_page, st.text()), st.sampled_from(VARIANTS))
def test_content_is_whole_subtrees_of_the_page_without_body(html, variant):
    tested = Page(html, URL)
    found = detect_content(tested, **variant)
    assert found <= frozenset(range(1, len(tested)))
    if "max_words" not in variant:
        assert is_closed_below(found, tested)
    assert found == detect_content(Page(html, URL), **variant)


ROWS = "<tr>" + "<td><p>a b</p></td>" * 4 + "</tr>"
DEEP = "<div>w<a href=x>y</a>" * 100 + "</div>" * 100


@pytest.mark.parametrize("part", [ROWS, DEEP], ids=["rows", "deep"])
def test_work_grows_as_the_page_does(part):
    """Four times the rows, or the branches of one height, are about four times the work, not sixteen."""
    few, many = (page(f"<div><div><div>{part * count}</div></div></div>") for count in (4, 16))
    less, more = (lines_run(lambda one=one: detect_content(one)) for one in (few, many))
    assert less > len(nodes_of(few).tag_strings)
    assert more < 5 * less
