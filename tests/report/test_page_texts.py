"""The texts of a page as the report reads them."""

import pytest
from growth import growth
from made_sites import page

from templex_scrapy import Match
from templex_scrapy.report.page_texts import read_texts


@pytest.mark.parametrize("tag", ["span", "div"])
def test_texts_in_deep_elements_take_linear_time(tag):
    def read(size):
        clean = Match(page(f"<{tag}>" * (size // 8) + "word<br>" * size)).clean
        assert clean.removed == ()
        return lambda: read_texts(clean, with_menu=True)

    assert growth(read, 8_000) < 3
