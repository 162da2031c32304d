"""Several `scrapy crawl` processes with one queue, one filter of duplicates and one store of templates."""

from collections import Counter
from contextlib import closing
from urllib.parse import urljoin

from helpers.fleet import CrawlProcess, made_site
from helpers.waiting import wait_for
from helpers.web import BigSite

from templex_scrapy.stores import open_store

PAGES = 60


def test_two_processes_that_start_at_once_clean_every_page_once(own_redis_server, tmp_path):
    """One item and one request for each page, and few templates are learnt twice: those of pages that were alone.

    One of them requests the start URL; the other waits for its links, and an idle engine looks for them every 5 s: the
    site is so slow that one process alone would need 15 s.
    """
    url, settings = own_redis_server.url, {"CONCURRENT_REQUESTS": 2, "CONCURRENT_REQUESTS_PER_DOMAIN": 2}
    with made_site(PAGES, tmp_path / "asked.txt", latency=0.5) as start_url:
        processes = [CrawlProcess(url, start_url, tmp_path / f"process{n}", settings) for n in range(2)]
        try:
            wait_for(lambda: all(process.popen.poll() is not None for process in processes), 120)
        finally:
            for process in processes:
                process.popen.kill()
                process.popen.wait()
    items = [process.items for process in processes]
    stats: Counter[str] = sum((process.stats for process in processes), Counter())
    assert all(items)
    assert len(items[0] | items[1]) == sum(map(len, items)) == PAGES
    assert stats["sample/pages"] == stats["sample/sqlite_rows"], "none is stored twice"
    assert stats["templex/items/cleaned"] == PAGES
    # on a busy machine some pages have waited ten seconds in vain for pages of their type
    assert sum("nav-item" in html for html in (items[0] | items[1]).values()) <= PAGES // 5
    site = BigSite(PAGES, urljoin(start_url, "/")[:-1])
    with closing(open_store(url, strict=True)) as store:
        kinds = [site.kind(one.template.key_url) for name in store.sites() for one in store.load(name)]
    assert 0 < len(kinds) <= 2 * len(set(kinds))
    # what one process's search requests, another process's spider may request as well
    asked = (tmp_path / "asked.txt").read_text(encoding="utf-8").split()
    assert len(asked) <= PAGES + stats["templex/candidates/requested"]
    assert stats["templex/errors"] == 0
    assert not any("Traceback" in process.log for process in processes)
