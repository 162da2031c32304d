"""The flags of nodes, on bytes written by hand."""

import pytest
from helpers.made_sites import page

from templex_scrapy.page import nodes_of
from templex_scrapy.votes.flags import EQUAL, MOVED_AWAY, PRESENT, REMOVABLE, STABLE, any_of, template_nodes

pytestmark = pytest.mark.usefixtures("compiled_and_plain")


def test_a_node_that_any_template_removes_at_its_place_has_not_moved():
    assert any_of([bytes([EQUAL, MOVED_AWAY, 0]), bytes([REMOVABLE, REMOVABLE, 0])]) == bytes(
        [EQUAL | REMOVABLE, REMOVABLE, 0]
    )
    assert any_of([bytes([MOVED_AWAY, PRESENT])]) == bytes([MOVED_AWAY, PRESENT])


@pytest.mark.parametrize(("rows", "is_listing"), [(9, False), (10, True)])
def test_ten_rows_with_own_text_are_a_listing(rows, is_listing):
    made = page("<ul>" + "".join(f"<li><i>replies</i><b>own{n}</b></li>" for n in range(rows)) + "</ul>")
    flags = bytes(0 if node.text and "own" in node.text else EQUAL for node in made.nodes)
    template = template_nodes(nodes_of(made), flags)
    labels = [template[node.position] for node in made.nodes if node.text == "replies"]
    assert labels == [not is_listing] * rows


def test_an_element_around_own_text_is_template_only_if_it_is_stable_and_contains_the_text_deeper():
    """Body 0 > div 1 > h1 2 > text 3."""
    arrays = nodes_of(page("<div><h1>own</h1></div>"))
    for flag, expected in ((EQUAL | STABLE, [1, 1, 0, 0]), (EQUAL, [1, 0, 0, 0])):
        assert list(template_nodes(arrays, bytes([flag, flag, flag, 0]))) == expected
