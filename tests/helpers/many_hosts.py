"""Many web sites that are served within the process of the crawl, and a spider that goes round them."""

import asyncio

from scrapy import Request, Spider
from scrapy.http import HtmlResponse

from helpers.web import html_page

SECTIONS = ["/", *(f"/{number}" for number in range(5))]


class Hosts:
    """A download handler: ``good*`` hosts have menus; those of others link to nothing but pages that are missing.

    Settings:
        HOSTS_DELAY: seconds that each page takes.
    """

    lazy = False

    def __init__(self, crawler):
        self._delay = crawler.settings.getfloat("HOSTS_DELAY")

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    async def download_request(self, request):
        await asyncio.sleep(self._delay)
        host, path = request.url.split("/")[2], "/" + request.url.split("/", 3)[3]
        if "missing" in path:
            return HtmlResponse(request.url, status=404, request=request)
        is_good = host.startswith("good")
        menu = SECTIONS if is_good else [f"/missing{path[1:]}-{number}" for number in range(5)]
        body = html_page(path, menu=menu).replace("repeated", host)
        return HtmlResponse(request.url, body=body, encoding="utf-8", request=request)

    async def close(self):
        """Nothing is open."""


class RoundSpider(Spider):
    """Asks for a page of each host, then for the next of each: ``ROUNDS`` times, ``HOSTS`` hosts of a ``KIND``."""

    name = "rounds"
    custom_settings = {"DOWNLOAD_HANDLERS": {"http": Hosts}}  # noqa: RUF012 - Scrapy's own way

    async def start(self):
        settings = self.settings
        for path in range(settings.getint("ROUNDS", 1)):
            for host in range(settings.getint("HOSTS", 1)):
                yield Request(f"http://{settings.get('KIND', 'good')}{host}.example/{path}")

    def parse(self, response):
        yield {"url": response.url, "html": response.text}
