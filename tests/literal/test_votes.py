"""The votes of TemEx, against the literal version."""

from dataclasses import asdict

import pytest
from helpers.strategies import page_groups, similarities
from hypothesis import given
from hypothesis import strategies as st

from literal import votes
from templex_scrapy import Page, detect_template
from templex_scrapy.mapping import PUBLISHED

pytestmark = pytest.mark.usefixtures("compiled_and_plain")


@given(page_groups, st.integers(1, 4), st.one_of(st.just(PUBLISHED), similarities))
def test_template_nodes_are_those_of_the_literal_version(htmls, needed, similarity):
    key, *pages = (Page(html, f"https://site.test/{number}") for number, html in enumerate(htmls))
    found = detect_template(key, pages, votes=needed, similarity=similarity, same=False)
    assert found == votes.template_nodes(key, pages, needed, **asdict(similarity))
