"""Which texts the site repeats, and which vary from page to page."""

import pytest
from helpers.made_sites import HOST, page

from templex_scrapy.content.repeated_texts import repeated_texts
from templex_scrapy.page import nodes_of

pytestmark = pytest.mark.usefixtures("compiled_and_plain")


def flagged(kind, *bodies):
    """The repeated or varying texts of the first of some pages."""
    key, *others = (nodes_of(page(body, f"{HOST}{number}")) for number, body in enumerate(bodies))
    flags = getattr(repeated_texts(key, others), kind)
    return [text for text, flag in zip(key.texts, flags, strict=True) if flag]


@pytest.mark.parametrize(
    ("bodies", "repeated"),
    [
        (["<p>a</p><p>b</p><i>c</i><p>d</p>", "<p>a</p><p>b</p>", "<p>a</p><b>c</b>", "<p>a</p><p>b</p>"], ["a", "b"]),
        # one of two is not more than half
        (["<p>a</p><p>b</p><i>c</i><p>d</p>", "<p>a</p><p>b</p>", "<p>a</p><b>c</b>"], ["a"]),
        (["<p>a</p>"], []),
        # not at another depth, and however they are spaced
        (["<div>a</div><div><div>b</div></div><p>c</p>", "<div><div>a</div></div><div>b</div><p>c</p>"], ["c"]),
        (["<p>About  us</p><p>x</p>", "<p>\n About us</p>"], ["About  us"]),
        # a copy of the page tells nothing
        (["<div>a</div>0.3 s", "<div data-now='1'>a</div>0.3 s"], []),
    ],
)
def test_what_more_than_half_of_the_pages_say_at_the_same_path_is_repeated(bodies, repeated):
    assert flagged("repeated", *bodies) == repeated


def test_a_text_varies_where_another_page_has_another_one_behind_the_same_text():
    shop = (("A hat", "in"), ("A coat", "in"), ("Two boots", "in"), ("A bag", "out"), ("A belt", "out"))
    pages = (f"<p>{name}</p><dl><dt>Stock</dt><dd>{stock}</dd></dl>" for name, stock in shop)
    assert flagged("varying", *pages) == ["in"]


@pytest.mark.parametrize(("differing", "varying"), [(3, ["own"]), (2, [])])
def test_a_text_varies_if_a_fifth_of_many_pages_have_another_one(differing, varying):
    values = [*map(str, range(differing)), *["own"] * (15 - differing)]
    others = (f"<p>Price</p><p>{value}</p>" for value in values)
    assert flagged("varying", "<p>Price</p><p>own</p><i>unique</i>", *others) == varying
