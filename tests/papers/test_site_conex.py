"""Site-level ConEx: Algorithms 11 to 15 worked out by hand, properties, odd pages, real sites."""

from helpers import strategies
from helpers.detector_cases import is_closed_below, odd_examples
from helpers.made_sites import page
from hypothesis import given

from templex_scrapy.mapping import PUBLISHED_CONTENT, map_pages
from templex_scrapy.page import Page, nodes_of
from templex_scrapy.papers import detect_content_site, site_conex

URL = "https://site.test/"
OTHER = URL + "other"
PLAIN = "<div><p>a</p><p>b</p></div>"


def test_siblings_join_into_their_parent():
    """Algorithm 15, Example 10.2.7; then again, as long as there are siblings."""
    tested = page("<p><b></b><b></b></p><p><b></b><b></b></p><p></p>")
    assert site_conex._joined(nodes_of(tested), [2, 3, 5]) == [1, 5]
    assert site_conex._joined(nodes_of(tested), [2, 3, 5, 6]) == [0]


def test_what_the_other_pages_lack_is_the_content():
    key = page("<ul><li>a</li></ul><div><h1>x</h1></div><table><tr><td>x</td></tr></table>")
    other = page("<ul><li>a</li></ul><div><h1>y</h1></div>", OTHER)
    table = 7
    assert nodes_of(key).start_tag(table).tag == "table"
    # body itself is mapped unconditionally, its children one by one
    assert detect_content_site(key, [other]) == frozenset(range(table, len(key)))


def test_candidates_outside_of_the_branch_are_dropped():
    """Figure 10.8: the candidate in the small div goes, those in the large one join into it."""
    frame = "<div class='s'><p>a</p>{}</div><div class='l'><p>a</p><p>a</p><p>a</p><p>a</p><p>a</p>{}</div>"
    one = page(frame.format("<i>x</i>", "<b>x</b><u>y</u>"))
    other = page(frame.format("<s>x</s>", "<q>x</q><tt>y</tt>"), OTHER)
    large = next(p for p in range(len(one)) if "l" in nodes_of(one).start_tag(p).classes)
    assert detect_content_site(one, [other]) == frozenset(range(large, len(one)))


def test_of_parents_with_as_many_nodes_the_first_is_the_branch():
    """Algorithm 13 leaves a tie open: the same page must give the same content."""
    arrays = nodes_of(page("<b><i></i></b><u></u><p><i></i><i></i></p><p><i></i><i></i></p>"))
    for own, content in (({5, 6, 8, 9}, {4, 5, 6}), ({2, 8}, {8})):  # the one with most nodes
        occurrences = {position: int(position not in own) for position in range(len(arrays.ids))}
        assert site_conex.content_by_occurrences(arrays, occurrences) == content


def test_nothing_is_content_where_nothing_is_compared_or_nothing_differs():
    key = page("<div><p>a</p></div>")
    assert detect_content_site(key, []) == frozenset()
    assert detect_content_site(key, [Page(key.text, OTHER), key]) == frozenset()
    assert detect_content_site(key, [page("<div><p>b</p></div>", OTHER)]) == frozenset()


@odd_examples(lambda html: ([html, PLAIN],))
@odd_examples(lambda html: ([PLAIN, html],))
@given(strategies.page_groups)
def test_content_is_whole_subtrees_and_single_roots_are_on_no_other_page(pages):
    key, *others = [Page(html, f"{URL}{number}") for number, html in enumerate(pages)]
    found = detect_content_site(key, others)
    assert found <= frozenset(range(len(key)))
    assert is_closed_below(found, key)
    assert found == detect_content_site(Page(pages[0], URL), iter(others))
    others = [other for other in others if other.digest != key.digest]
    mapped = {p for other in others for p in map_pages(key, other, PUBLISHED_CONTENT)}
    everything = frozenset(range(len(key)))
    if others:
        assert bool(found) == (mapped != everything)
        # what all candidates have in common with the content is never only what other pages have
        assert not found or not found <= mapped
