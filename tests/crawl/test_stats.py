"""The summary of a crawl."""

from templex_scrapy.crawl.stats import summary


def test_the_summary_names_candidates_and_failures():
    """Each is a request, whether the spider receives the page later or not."""
    stats = {"searches": 8, "searches/learnt": 6, "pages/handed_over": 3}
    stats |= {"candidates/requested": 68, "candidates/failed": 26}
    written = summary({f"templex/{name}": value for name, value in stats.items()})
    assert written[1] == (
        "Templates: 6 from 8 searches, 65 additional pages loaded (68 candidates requested, of which 26 failed)"
    )
    assert summary({})[1] == "Templates: 0 from 0 searches, 0 additional pages loaded"
