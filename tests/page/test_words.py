"""Words, and sums over the nodes of a page."""

import pytest
from helpers.made_sites import page

from templex_scrapy.page import (
    count_words,
    depths,
    is_hyperlink,
    is_link_text,
    nodes_of,
    subtree_positions,
    subtree_sums,
)

pytestmark = pytest.mark.usefixtures("compiled_and_plain")

MADE = nodes_of(page('<div>one <a href="/">two</a></div><a name="x">three</a>'))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        (" one  two\n", 2),
        ("naïve café", 2),
        ("слово и дело", 3),
        ("日本語", 2),
        ("abc 日本 def", 3),
        ("ไทย", 1),
        ("制造商的产品编号", 4),  # the manufacturer's product number
        ("カートに入れる", 3),  # add to cart
        ("เพิ่มลงในตะกร้า", 4),  # add to cart
    ],
)
def test_words(text, words):
    assert count_words(text) == words


def test_hyperlinks_and_their_texts():
    assert [position for position, tag in enumerate(MADE.tag_strings) if is_hyperlink(tag)] == [3]
    assert [position for position in MADE.text_positions if is_link_text(MADE, position)] == [4, 6]


def test_sums_depths_and_positions_of_subtrees():
    assert list(subtree_sums(MADE, [1] * 7)) == list(MADE.sizes) == [7, 4, 1, 2, 1, 2, 1]
    assert depths(MADE) == [0, 1, 2, 2, 3, 1, 2]
    assert subtree_positions(MADE, [3, 5]) == {3, 4, 5, 6}


def test_words_in_a_range_of_nodes():
    assert MADE.words(0, 7) == sum(count_words(text) for text in MADE.texts if text is not None)
    assert MADE.words(4, 5) == count_words(MADE.texts[4])
    assert MADE.words(5, 6) == 0
