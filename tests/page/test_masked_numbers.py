"""Numbers are masked, unless they are in a word."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templex_scrapy.page.masked_numbers import mask_numbers

pytestmark = pytest.mark.usefixtures("compiled_and_plain")


@given(st.lists(st.none() | st.text(st.sampled_from("12 a_.,é٣日\u2003²-𠀀\ufeff\ud800")), max_size=3))
def test_numbers_are_masked_unless_they_are_in_a_word_and_words_are_one_blank_apart(texts):
    words = " ".join(" ".join(filter(None, texts)).split())
    masked = re.sub(r"(?<!\w)\d+(?!\w)", "0", words).encode("utf-8", "surrogatepass")
    assert mask_numbers(tuple(texts)) == masked
