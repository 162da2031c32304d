"""The line in the log with each interval of LogStats."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager

from templex_scrapy.crawl.log.interval_log import IntervalLog


def test_the_line():
    """Items and words come from the stats, templates and searches from the events."""
    stats = {"templex/items/cleaned": 120, "templex/words/before": 1000, "templex/words/after": 590}
    crawler: Any = SimpleNamespace(
        settings=Settings(), signals=SignalManager(), stats=SimpleNamespace(get_stats=lambda: stats), spider=None
    )
    log = IntervalLog(crawler)
    for _ in range(3):
        log.search_begins()
        log.template_learnt()
    log.search_ends()
    assert log.line() == "templex: 120 items cleaned, 3 templates learnt, 2 searches open, 41% of the words removed"
    stats.clear()
    assert "0 items cleaned" in log.line()
