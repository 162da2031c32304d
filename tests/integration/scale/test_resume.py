"""Crawls that are killed, interrupted or closed early, and resumed."""

import os
import signal
from collections import Counter

import pytest
from helpers.resuming import PAGES, Job
from helpers.waiting import wait_for


@pytest.mark.parametrize("kills", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_a_killed_crawl_of_a_list_ends_with_all_items_cleaned(tmp_path, kills):
    """As plain Scrapy does, it begins the list again; with what it had learnt."""
    job = Job(tmp_path, as_list=True)
    job.kill_and_resume(kills)
    assert job.reason == "finished"
    assert set(job.given) <= set(job.items)
    assert len(job.items) == PAGES
    assert (job.uncleaned, job.errors) == ([], 0)


@pytest.mark.parametrize("kills", [1, pytest.param(10, marks=pytest.mark.slow)])
def test_a_killed_crawl_by_links_loses_what_plain_scrapy_loses(tmp_path, kills):
    """That is much, as its own queue on disk does not survive a kill; but of the pages in hand one for each kill."""
    job = Job(tmp_path)
    job.kill_and_resume(kills)
    assert job.reason == "finished"
    # the callback of such a page had begun, and had yielded nothing yet
    assert len(job.caught - set(job.items)) <= job.kills
    # where the queue is gone with all links but one into a language, its page has no other to be compared with
    languages = Counter(url.split("/")[3] for url in job.items)
    assert [url for url in job.uncleaned if languages[url.split("/")[3]] > 1] == []
    assert job.errors == 0


@pytest.mark.parametrize("reason", ["shutdown", "closespider_pagecount_no_item"])
def test_what_was_fetched_is_stored_and_the_rest_comes_later(tmp_path, reason):
    """Each page that the spider was given before the crawl was closed has its item, held ones too."""
    job = Job(tmp_path)
    if reason == "shutdown":
        # slow enough that the crawl does not end before the signal, on however busy a machine
        job.signal_after(PAGES // 6, signal.SIGINT, MADE_WEB_LATENCY=0.5)
    else:
        job.run(**{reason.upper(): 12})
    assert job.reason == reason
    given = set(job.given)
    assert given == set(job.items)
    assert 0 < len(given) <= PAGES
    assert job.run() == "finished"
    assert len(job.items) == PAGES
    assert job.errors == 0


def test_a_second_interrupt_ends_it_at_once_and_resuming_still_works(tmp_path):
    """Who presses Ctrl-C twice gives up what is held, as with Scrapy itself, or gets it as it is."""
    job = Job(tmp_path, as_list=True)
    process = job.start()
    try:
        wait_for(lambda: len(job.given) >= 5 or not process.is_alive())
        os.kill(process.pid, signal.SIGINT)
        os.kill(process.pid, signal.SIGINT)
        process.join(60)
    finally:
        process.kill()
    given = set(job.given)
    job.remove_queue()  # the second interrupt ends Scrapy as a kill does
    assert job.run() == "finished"
    assert len(job.items) == PAGES
    assert set(job.uncleaned) <= given
