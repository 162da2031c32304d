"""Several `scrapy crawl` processes with one queue, one filter of duplicates and one store of templates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import redis
from fleet import Fleet, FleetResult
from made_web import BigSite
from workers import kill_one, searching

PAGES = 60


def kinds(result: FleetResult) -> list[tuple[str, str]]:
    """Kind and language of the key pages that were learnt."""
    host = next(iter(result.items)).split("/")[2]
    return [BigSite(PAGES, f"http://{host}").kind(url) for url in result.learnt]


def test_two_workers_clean_every_page_once(new_fleet: Callable[..., Fleet], log: Path) -> None:
    """One item and one request for each page, and no template is learnt twice."""
    fleet = new_fleet(PAGES)
    fleet.start(2)
    result = fleet.finish(log, 60)
    assert len(result.items) == PAGES
    assert result.twice == 0
    assert result.stats["templex/items/cleaned"] == PAGES
    assert [url for url, pages in result.items.items() if "nav-item" in "".join(pages)] == []
    assert len(kinds(result)) == len(set(kinds(result))) > 0
    # what one worker's search requests, another worker's spider may request as well
    assert result.asked.total() <= PAGES + result.stats["templex/candidates/requested"]
    assert result.stats["templex/errors"] == 0
    assert "Traceback" not in result.log


def test_a_worker_that_is_killed_in_mid_search_costs_nothing(
    new_fleet: Callable[..., Fleet], redis_url: str, log: Path
) -> None:
    """Another worker searches in its place, and what it had in hand is done by the others."""
    fleet = new_fleet(PAGES, 0.1, TEMPLEX_SEARCH_TIMEOUT=1.5, SHARED_QUEUE_LIFE=2)
    fleet.start(3)
    server = redis.Redis.from_url(redis_url)
    killed = kill_one(fleet, log.exists, lambda: searching(server))
    result = fleet.finish(log, 60)
    assert len(result.items) == PAGES
    assert result.twice <= 16, "at most what it had stored, but not yet ticked off"
    assert result.each[killed] < PAGES
    assert result.stats["shared_queue/taken_back"] > 0
    assert len(kinds(result)) == len(set(kinds(result))) > 0
    assert result.stats["templex/items/cleaned"] == result.stats["templex/items"]
