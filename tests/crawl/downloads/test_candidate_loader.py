"""Candidates are loaded a few at a time."""

import asyncio
from types import SimpleNamespace

from scrapy import Request
from scrapy.http import HtmlResponse

from templex_scrapy.crawl.downloads.candidate_loader import CONCURRENT_CANDIDATES, CandidateLoader
from templex_scrapy.crawl.downloads.candidate_requests import Candidate
from templex_scrapy.crawl.downloads.download_table import CANDIDATE_KEY, DownloadTable
from templex_scrapy.page import ParseCache


def test_candidates_that_wait_for_the_spider_take_no_turn_and_no_place_in_the_downloader():
    table = DownloadTable(
        lambda request: request.url.encode(),
        1_000_000,
        sends_cookies=lambda _: False,
        may_be_scheduled=lambda _: True,
        on_lost=lambda *_: None,
    )
    requested, slow = [], [f"http://a.example/{number}" for number in range(CONCURRENT_CANDIDATES)]

    def receive(request):
        html = b"<html><body><p>text</p></body></html>"
        response = HtmlResponse(request.url, body=html, headers={"Content-Type": "text/html"}, request=request)
        table.arrive(request, response)
        return response

    async def download_async(request):
        requested.append(request.url)
        assert await table.join(request) is None
        return receive(request)

    engine = SimpleNamespace(download_async=download_async)
    crawler = SimpleNamespace(settings=SimpleNamespace(getint=lambda _: 16), engine=engine)
    crawl = SimpleNamespace(crawler=crawler, is_full=False, is_closing=False, count=lambda _: None)

    async def run():
        loader, is_there = CandidateLoader(crawl, table, ParseCache(1)), asyncio.Event()

        async def spider(request):
            await table.join(request)
            await is_there.wait()
            return receive(request)

        def load(url):
            request = Request(url, meta={CANDIDATE_KEY: url})
            candidate = Candidate(request, "a.example", is_requested=True, may_request=True)
            return asyncio.ensure_future(loader.load(candidate, lambda: True))

        downloads = [asyncio.ensure_future(spider(Request(url))) for url in slow]
        await asyncio.sleep(0)
        waiting = [load(url) for url in slow]
        await asyncio.sleep(0)
        assert await load("http://a.example/other") is not None
        assert not any(task.done() for task in waiting)
        is_there.set()
        await asyncio.gather(*downloads)
        assert None not in await asyncio.gather(*waiting)

    asyncio.run(asyncio.wait_for(run(), 60))
    assert requested == ["http://a.example/other"]
