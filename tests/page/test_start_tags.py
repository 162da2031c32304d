"""Start tags are read once for all pages, as long as there are not too many."""

import pytest
from helpers.made_sites import page

from templex_scrapy.page import nodes_of
from templex_scrapy.page.start_tags import MAX_KEPT, MAX_KEPT_LENGTH, start_tag_of

pytestmark = pytest.mark.usefixtures("compiled_and_plain")


def test_long_start_tags_are_not_kept():
    longest = f"<p {'x' * (MAX_KEPT_LENGTH - len('<p >'))}>"
    assert start_tag_of(longest) is start_tag_of(longest)
    longer = longest.replace(" ", " x")
    assert start_tag_of(longer) is not start_tag_of(longer)


def test_all_are_dropped_when_there_are_too_many():
    first, number = start_tag_of("<p first>"), 0
    while start_tag_of("<p first>") is first:
        number += 1
        start_tag_of(f"<p a{number}>")
    # now the last one and the first are kept
    first = start_tag_of("<p first>")
    for number in range(MAX_KEPT - 2):
        start_tag_of(f"<p b{number}>")
    assert start_tag_of("<p first>") is first
    start_tag_of("<p c>")
    assert start_tag_of("<p first>") is not first


def test_a_page_with_too_many_has_each_once():
    names = [*map(str, range(MAX_KEPT + 1)), "0"]
    arrays = nodes_of(page("".join(f'<b id="{name}"></b>' for name in names)))
    assert len(arrays.start_tags) == len({*arrays.distinct}) == len(names) + 1
    assert arrays.start_tag(1) is arrays.start_tag(len(arrays.ids) - 1)
