"""The crawl of a command: the spider fetches as the project does, alone in the process."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, Self, cast

from scrapy import Request, Spider
from scrapy.exceptions import UsageError
from scrapy.http import Response

from templex_scrapy.commands.isolated_settings import isolate_settings
from templex_scrapy.commands.terminal import INTERRUPTED, Progress, printable, tell
from templex_scrapy.crawl import TemplexSettingsError, is_html

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.settings import BaseSettings

# attributes of a spider that decide how pages are fetched
_SPIDER_ATTRIBUTES = ("user_agent", "http_user", "http_pass", "http_auth_domain", "download_delay", "download_timeout")


class UnusableError(Exception):
    """There is no usable page; the message names the page and the reason."""


class ProjectSpider(Spider):
    """The spider of a command.

    Attributes:
        model: a spider of the project; it decides the settings and how pages are fetched.
        meta: ``Request.meta`` of all requests.
        store: the store of templates.
        progress: shows the current step.
    """

    name = "templex"
    model: type[Spider] = Spider
    meta: Mapping[str, Any]
    store: str | None
    progress: Progress

    @classmethod
    def of(cls, model: type[Spider] | None, **attributes: Any) -> type[Self]:
        """Return the spider with these attributes; name, settings and ways of fetching come from the model."""
        if model is not None:
            # the model is not created: it may need arguments, or open files
            attributes |= {name: getattr(model, name) for name in _SPIDER_ATTRIBUTES if hasattr(model, name)}
            attributes |= {"name": model.name, "model": model}
        return cast("type[Self]", type(cls.__name__, (cls,), attributes))

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Use the settings of the model for fetching and templates."""
        cls.model.update_settings(settings)
        isolate_settings(settings)

    @classmethod
    def run(cls, process: AsyncCrawlerProcess) -> Self:
        """Crawl with a process that was not started, and return the spider. Ctrl-C ends the program at once.

        Raises:
            UsageError: if a setting of the spider is wrong.
            UnusableError: if the crawl cannot be started.
        """

        def leave(*_: object) -> NoReturn:
            tell(f"interrupted: {crawler.spider.so_far() if isinstance(crawler.spider, cls) else 'no page loaded'}")
            os._exit(INTERRUPTED)

        try:
            crawler = process.create_crawler(cls)
            crawl = process.crawl(crawler)
            # Scrapy would wait for downloads and name resolution
            signal.signal(signal.SIGINT, leave)
            process.start(install_signal_handlers=False)
            crawl.result()
        except TemplexSettingsError as error:
            raise UsageError(str(error), print_help=False) from error
        except Exception as error:
            raise UnusableError(f"the crawl cannot be started: {type(error).__name__}: {error}") from error
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return cast("Self", crawler.spider)

    def so_far(self) -> str:
        """Return how far the crawl has got, for the message after Ctrl-C."""
        raise NotImplementedError

    def request(self, url: str, callback: Callable[..., Any], **options: Any) -> Request:
        """Return a request with the :attr:`meta` of all requests."""
        return Request(url, callback, meta=dict(self.meta), **options)


def why_failed(error: BaseException | None) -> str:
    """Return why a page was not fetched."""
    return f"not fetched: {printable(str(error or '')).rstrip('.') or type(error or Exception()).__name__}"


def why_unusable(response: Response) -> str:
    """Return why no template can be learnt from a response."""
    if response.status != 200:
        return f"answered with status {response.status}"
    if not is_html(response):
        media_type = (response.headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip()
        return f"no HTML page, but {media_type or 'of unknown type'}"
    return "the page came incomplete" if response.body else "the page is empty"
