"""A crawl of a command: its spider fetches as the project does, and runs alone in its process."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, Self, cast

from scrapy import Spider
from scrapy.exceptions import IgnoreRequest, UsageError
from scrapy.http import Response

from templex_scrapy.commands.isolated_settings import isolate_settings
from templex_scrapy.commands.terminal import INTERRUPTED, Progress, printable, tell
from templex_scrapy.crawl import TemplexSettingsError, is_html

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.settings import BaseSettings

_SPIDER_ATTRIBUTES = ("user_agent", "http_user", "http_pass", "http_auth_domain", "download_delay", "download_timeout")
"""What a spider says of how its pages are fetched."""


class UnusableError(Exception):
    """There is no usable page; the message has the page's name and the reason."""


class ProjectSpider(Spider):
    """A spider of a command.

    Attributes:
        model: a spider of the project; its settings and ways of fetching are used.
    """

    name = "templex"
    model: type[Spider] = Spider
    progress: Progress

    @classmethod
    def of(cls, model: type[Spider] | None, **attributes: Any) -> type[Self]:
        """Return the spider with some attributes, and the name, settings and ways of fetching of its model."""
        if model is not None:
            # the spider itself is not created: it may need arguments, or open files
            attributes |= {name: getattr(model, name) for name in _SPIDER_ATTRIBUTES if hasattr(model, name)}
            attributes |= {"name": model.name, "model": model}
        return cast("type[Self]", type(cls.__name__, (cls,), attributes))

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Take over the model's settings, as far as they concern fetching and templates."""
        cls.model.update_settings(settings)
        cls.isolate(settings)

    @classmethod
    def isolate(cls, settings: BaseSettings) -> None:
        """Change what else concerns the project's crawls."""
        isolate_settings(settings)


def run_spider(
    process: AsyncCrawlerProcess, spider: type[ProjectSpider], interrupted: Callable[[Spider | None], str]
) -> Spider | None:
    """Run a crawl in a process that was not started; Ctrl-C ends the program at once.

    Args:
        process: the process.
        spider: the spider.
        interrupted: says how far the crawl has got.

    Returns:
        The spider after the crawl.

    Raises:
        UsageError: if a setting of the spider is wrong.
        UnusableError: if the crawl cannot be started.
    """

    def leave(*_: object) -> NoReturn:
        tell(f"interrupted: {interrupted(crawler.spider)}")
        os._exit(INTERRUPTED)

    try:
        crawler = process.create_crawler(spider)
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
    return crawler.spider


def why_failed(error: BaseException | None) -> str:
    """Return why a page was not fetched."""
    if isinstance(error, IgnoreRequest):
        return f"not fetched: {error}"
    if isinstance(error, OSError) and error.filename is not None:
        return f"not read: {error.strerror}"
    return f"not fetched: {printable(str(error or '')).rstrip('.') or type(error or Exception()).__name__}"


def why_unusable(response: Response) -> str:
    """Return why a response is no page that something can be learnt from."""
    if response.status != 200:
        return f"answered with status {response.status}"
    if not is_html(response):
        media_type = (response.headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip()
        return f"no HTML page, but {media_type or 'of unknown type'}"
    return "the page came incomplete" if response.body else "the page is empty"
