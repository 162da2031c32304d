"""Several `scrapy crawl` processes with one queue, one filter of duplicates and one store of templates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fleet import Fleet, FleetResult
from made_web import BigSite

PAGES = 60


def kinds(result: FleetResult) -> list[tuple[str, str]]:
    """Kind and language of the key pages that were learnt."""
    host = next(iter(result.items)).split("/")[2]
    return [BigSite(PAGES, f"http://{host}").kind(url) for url in result.learnt]


def test_two_processes_that_start_at_once_clean_every_page_once(new_fleet: Callable[..., Fleet], log: Path) -> None:
    """One item and one request for each page, and few templates are learnt twice: those of pages that were alone.

    One of them requests the start URL; the other waits for its links, and an idle engine looks for them every 5 s: the
    site is so slow that one process alone would need 15 s.
    """
    fleet = new_fleet(PAGES, latency=0.5, CONCURRENT_REQUESTS=2, CONCURRENT_REQUESTS_PER_DOMAIN=2)
    fleet.start(2)
    result = fleet.finish(log, 120)
    assert all(process.items for process in fleet.processes)
    assert len(result.items) == PAGES
    assert result.twice == 0
    assert result.stats["templex/items/cleaned"] == PAGES
    # on a busy machine some pages have waited ten seconds in vain for pages of their type
    assert len([url for url, pages in result.items.items() if "nav-item" in "".join(pages)]) <= PAGES // 5
    assert 0 < len(kinds(result)) <= 2 * len(set(kinds(result)))
    # what one process's search requests, another process's spider may request as well
    assert result.asked.total() <= PAGES + result.stats["templex/candidates/requested"]
    assert result.stats["templex/errors"] == 0
    assert "Traceback" not in result.log
