"""The flags of nodes, on bytes written by hand."""

from templex_scrapy.votes.flags import EQUAL, MOVED_AWAY, PRESENT, REMOVABLE, any_of


def test_a_node_that_any_template_removes_at_its_place_has_not_moved():
    assert any_of([bytes([EQUAL, MOVED_AWAY, 0]), bytes([REMOVABLE, REMOVABLE, 0])]) == bytes(
        [EQUAL | REMOVABLE, REMOVABLE, 0]
    )
    assert any_of([bytes([MOVED_AWAY, PRESENT])]) == bytes([MOVED_AWAY, PRESENT])
