"""The votes of TemEx: the literal version by hand, and the product against it."""

from dataclasses import asdict

import pytest
from helpers.made_sites import page
from helpers.strategies import page_groups, similarities
from hypothesis import given
from hypothesis import strategies as st

from literal import votes
from templex_scrapy import Page, detect_template
from templex_scrapy.mapping import PUBLISHED

pytestmark = pytest.mark.usefixtures("compiled_and_plain")

VOTING = asdict(PUBLISHED)


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


@given(page_groups, st.integers(1, 4), st.one_of(st.just(PUBLISHED), similarities))
def test_template_nodes_are_those_of_the_literal_version(htmls, needed, similarity):
    key, *pages = (Page(html, f"https://site.test/{number}") for number, html in enumerate(htmls))
    found = detect_template(key, pages, votes=needed, similarity=similarity, same=False)
    assert found == votes.template_nodes(key, pages, needed, **asdict(similarity))
