"""The line in the log with each interval of LogStats."""

from templex_scrapy.crawl.log import line


def test_the_line():
    """All figures come from the stats."""
    stats = {"items/cleaned": 120, "searches": 4, "searches/learnt": 2, "templates/from_peers": 1}
    stats |= {"words/before": 1000, "words/after": 590}
    written = line({f"templex/{name}": value for name, value in stats.items()})
    assert written == "templex: 120 items cleaned, 3 templates learnt, 4 searches, 41% of the words removed"
    assert "0 items cleaned" in line({})
