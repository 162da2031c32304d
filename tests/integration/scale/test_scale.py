"""Crawls and archives of many pages and many hosts, in small; `-m slow` and bench/scripts/scale.py make them large."""

import json
import subprocess
import sys

import pytest
import stored
from scale import Spec, crawl


def check(crawled):
    """One item and one request for each page, all cleaned, no error."""
    assert crawled.reason == "finished"
    assert crawled.is_complete
    assert crawled.extra <= crawled.pages / 1000
    assert crawled.stat("items/cleaned") == crawled.pages
    assert crawled.stat("errors") == 0
    assert "log_count/ERROR" not in crawled.stats


def test_one_site_of_six_kinds_in_three_languages():
    """All pages come once and are cleaned; most kinds have one template, and some pages have one of their own."""
    crawled = crawl(Spec(web="site:300", addon=True, store=True))
    check(crawled)
    assert crawled.learnt_twice < len(set(crawled.learnt))


@pytest.mark.slow
@pytest.mark.parametrize("web", ["site:20000", "hosts:2000"])
def test_memory_stays_flat(web):
    """After the first pages the process does not grow by more than a tenth; templates of hosts fill a small memory."""
    settings = {} if web.startswith("site") else {"TEMPLEX_MEMORY": 6_000_000}
    crawled = crawl(Spec(web=web, addon=True, store=web.startswith("site"), settings=settings))
    check(crawled)
    before, after = crawled.peaks()
    assert after <= 1.1 * before


@pytest.mark.slow
@pytest.mark.parametrize("web", ["site:8000", "hosts:800"])
def test_stored_pages_do_not_fill_the_memory(web):
    """After the first pages, reading and cleaning stay within a tenth; bench/scripts/stored.py takes larger webs."""
    done = subprocess.run([sys.executable, stored.__file__, web], capture_output=True, text=True, check=True)  # noqa: S603 - our own
    peaks = json.loads(done.stdout.splitlines()[-1])
    assert max(peaks.values()) < 300
    for step in "Reading", "Cleaning":
        assert peaks[f"{step} to the end"] <= 1.1 * peaks[f"{step} until 2,000"]
