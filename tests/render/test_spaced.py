"""One blank between the words of a text, compiled and plain."""

from hypothesis import given
from hypothesis import strategies as st

from templex_scrapy.render._text_writer import spaced


@given(st.text(st.sampled_from("ab. \t\n\xa0\u2003é")))
def test_words_are_one_blank_apart(text):
    assert spaced(text) == " ".join(text.split())
