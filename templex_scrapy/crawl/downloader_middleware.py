"""The downloader middleware: a page that a search has downloaded is not downloaded again for the spider."""

from __future__ import annotations

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK

from templex_scrapy.crawl.addon import Component
from templex_scrapy.crawl.downloads.candidate_requests import may_be_sent
from templex_scrapy.crawl.downloads.download_table import is_candidate
from templex_scrapy.crawl.response_state import ReleasableResponse
from templex_scrapy.crawl.stats import Stat


class TemplexDownloaderMiddleware(Component):
    """Shares downloads between the spider and the searches."""

    async def process_request(self, request: Request) -> Response | None:
        """Answer a request with a page that is there, or let it pass.

        Raises:
            IgnoreRequest: if a candidate is redirected to where it may not go, or the spider could not get the page.
        """
        if is_candidate(request) and not may_be_sent(request):
            raise IgnoreRequest("a candidate may not go there")
        # a candidate may wait for robots.txt, whose request must not give way to it
        if request.callback is not NO_CALLBACK:
            await self._context.loader.give_way()
        try:
            response = await self._context.downloads.join(request)
        except IgnoreRequest:
            raise
        except Exception as error:  # noqa: BLE001 - reported; the page can still be downloaded
            self._context.crawl.report(error, "sharing the download", request)
            return None
        if response is not None:
            self._context.crawl.count(Stat.CANDIDATES_FROM_CRAWL if is_candidate(request) else Stat.PAGES_HANDED_OVER)
            if response.status == 200:
                self._context.crawl.count(Stat.PAGES_COUNTED_TWICE)
        elif not is_candidate(request):
            await self._context.cleaner.catch_up(request.url)
            await self._context.crawl.executor.catch_up()
        # /old that redirects to /new is a single page, although two requests
        elif "redirect_urls" not in request.meta:
            self._context.loader.note_sent(request)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Note that a request never reaches the downloader, such as one that robots.txt forbids."""
        if isinstance(exception, IgnoreRequest) and not is_candidate(request):
            self._context.downloads.drop(request, is_refused=True)

    async def process_response(self, request: Request, response: Response) -> Response:
        """Replace an HTML response of the spider by one that can give up the tree; other classes stay as they are."""
        if type(response) is not HtmlResponse or is_candidate(request):
            return response
        return ReleasableResponse.of(response)
