"""Pages from which a site is learnt."""

from templex_scrapy import Page
from templex_scrapy.learning.sample import Sample


def test_a_page_is_found_again_after_a_copy_of_it_was_dropped():
    """Its features need not be read again."""
    page, copied = (Page("<p>A lamp</p>", f"https://site.test/{name}") for name in "ab")
    sample = Sample(1, 10_000, lambda _: 0)
    assert sample.add(page)
    assert not sample.add(copied)
    found = sample.find(page)
    assert found is not None
    assert found.url == page.url
