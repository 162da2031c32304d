"""How long and how many pages may wait."""

import math

import pytest

from templex_scrapy.crawl.running_crawl import MAX_WAITING, WaitingRoom


@pytest.mark.parametrize(
    ("settings", "pages", "seconds", "search_seconds"),
    [
        ({}, MAX_WAITING, 10.0, math.inf),
        ({"CLOSESPIDER_ITEMCOUNT": 5, "CLOSESPIDER_PAGECOUNT_NO_ITEM": 8}, 4, 10.0, math.inf),
        ({"CLOSESPIDER_PAGECOUNT_NO_ITEM": 1}, 0, 10.0, math.inf),
        ({"CLOSESPIDER_TIMEOUT_NO_ITEM": 15}, MAX_WAITING, 7.5, 3.75),
        ({"CLOSESPIDER_TIMEOUT_NO_ITEM": 90}, MAX_WAITING, 10.0, 22.5),
    ],
)
def test_what_closes_a_crawl_without_items_limits_the_waiting(settings, pages, seconds, search_seconds):
    room = WaitingRoom(lambda name: settings.get(name, 0))
    assert (room.pages, room.seconds, room.search_seconds) == (pages, seconds, search_seconds)


def test_of_all_sites_the_one_with_most_of_the_room_gives_it_up():
    room = WaitingRoom(lambda name: 100_000 * (name == "SCRAPER_SLOT_MAX_ACTIVE_SIZE"))
    room.fill("a", [40_000])
    room.fill("b", [1, 49_000 - 1_024])
    assert not room.is_short_for("b"), "89,000 of the 90,000 bytes that may be filled"
    room.fill("a", [40_000, 1_001])
    assert room.is_short_for("b")
    assert not room.is_short_for("a")
    room.fill("b", [])
    assert not room.is_short_for("a")
