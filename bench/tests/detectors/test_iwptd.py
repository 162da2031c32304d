"""IWPTD: segments, blocks and shares worked out by hand."""

import pytest
from helpers.made_sites import HOST, page
from templex_bench.detectors.iwptd import HTML4_BLOCKS, detect_template_iwptd

# body 0 > div 1 > #text 2,  div 3 > p 4 > #text 5,  p 6 > #text 7
KEY = page("<div>Home</div><div><p>0123456789</p><p>rest</p></div>")


def others(*bodies):
    return [page(body, f"{HOST}{number}") for number, body in enumerate(bodies)]


def test_a_block_is_template_when_most_of_its_text_is():
    """Ten of the second block's fourteen characters are on the other page: 0.714; blanks count once."""
    other = others("<div>Home</div><div><p>\n 0123456789 </p></div>")
    assert detect_template_iwptd(KEY, other) == {1, 2, 3, 4, 5, 6, 7}, "with all that it holds"
    assert detect_template_iwptd(KEY, other, share=0.72) == {1, 2}
    assert (
        detect_template_iwptd(page("<div><p>0123456</p><p>789</p></div>"), others("<div><p>0123456</p></div>")) == set()
    )


def test_a_segment_is_the_same_only_at_the_same_path():
    elsewhere = others("<section>Home</section>")
    assert detect_template_iwptd(KEY, elsewhere) == set()
    assert detect_template_iwptd(KEY, elsewhere, path="none") == {1, 2}
    classed = others("<div class='x'>Home</div>")
    assert detect_template_iwptd(KEY, classed) == {1, 2}
    assert detect_template_iwptd(KEY, classed, path="start tags") == set()


def test_only_elements_with_the_tag_of_a_block_are_blocks():
    key, other = page("<p>Home</p><nav><p>Menu</p></nav>"), others("<p>Home</p><nav><p>Menu</p></nav><hr>")
    assert detect_template_iwptd(key, other) == {3, 4, 5}
    assert detect_template_iwptd(key, other, blocks=HTML4_BLOCKS) == set()
    assert detect_template_iwptd(key, other, blocks={"p"}) == {1, 2, 4, 5}


@pytest.mark.parametrize(
    ("pages", "having", "is_template"),
    [(1, 1, True), (2, 1, True), (3, 1, True), (4, 1, False), (4, 2, True), (9, 3, False), (9, 4, True), (30, 4, True)],
)
def test_by_default_half_of_the_pages_at_most_five(pages, having, is_template):
    """The key page counts among those that have the segment."""
    bodies = [f"<div>Home</div><hr>{number}" if number < having else f"<hr>{number}" for number in range(pages)]
    assert (1 in detect_template_iwptd(KEY, others(*bodies))) == is_template
