"""The item pipeline: writes the cleaned page into the fields of an item. It never downloads and never loses an item."""

from __future__ import annotations

import codecs
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from itemadapter import ItemAdapter
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, TextResponse

from templex_scrapy.crawl.errors import ErrorLog
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.spider_middleware import Scrape, TemplexSpiderMiddleware
from templex_scrapy.crawl.stats import Stat, count
from templex_scrapy.page import Page
from templex_scrapy.render import CleanPage

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class _Unwritable(Exception):  # noqa: N818 - it is no error: it says what an item is
    """An item is frozen, or lacks a field that is to be written."""


class TemplexPipeline:
    """Replaces the pages in items with what is left of them without their template.

    Items come out as they are, and are counted, where the field is missing or holds no whole page, where no template
    fits, where nothing would be left, where the fields cannot be written, and when anything goes wrong.

    Args:
        crawler: the crawl it belongs to.
        settings: the checked settings.
    """

    def __init__(self, crawler: Crawler, settings: TemplexSettings) -> None:
        self._crawler = crawler
        self._settings = settings
        self._errors = ErrorLog(crawler, logger)
        self._warned: set[Stat] = set()
        self._middleware_found: TemplexSpiderMiddleware | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the pipeline of a crawl.

        Raises:
            NotConfigured: if ``TEMPLEX_ENABLED`` is False.
            TemplexSettingsError: if a setting is wrong.
        """
        settings = TemplexSettings.from_crawler_settings(crawler.settings)
        if not settings.enabled:
            raise NotConfigured
        return cls(crawler, settings)

    async def process_item(self, item: Any) -> Any:
        """Write the outputs into the item's fields; in any doubt return it as it is."""
        count(self._crawler.stats, Stat.ITEMS)
        try:
            outcome = await self._process(ItemAdapter(item))
        except _Unwritable as reason:
            outcome = Stat.ITEMS_UNWRITABLE
            self._warn_once(
                outcome, "Items of type %s stay as they are: %s; counted as %s", type(item).__name__, reason
            )
        except Exception as error:  # noqa: BLE001 - reported; no item is lost because of us
            outcome = Stat.ITEMS_ERROR
            self._errors.report(error, "cleaning", f"an item of type {type(item).__name__}")
        count(self._crawler.stats, outcome)
        return item

    async def _process(self, adapter: ItemAdapter) -> Stat:
        value, scrape = adapter.get(self._settings.html_field), self._middleware.scrape
        if not value:
            self._warn_once(
                Stat.ITEMS_NO_FIELD,
                "Items without a page in the field %r stay as they are (TEMPLEX_HTML_FIELD); counted as %s",
                self._settings.html_field,
            )
            return Stat.ITEMS_NO_FIELD
        if not isinstance(value, (str, bytes)):
            return Stat.ITEMS_NO_PAGE
        if scrape is not None and scrape.switched_off:
            return Stat.ITEMS_SWITCHED_OFF
        url = self._url(adapter, scrape)
        return Stat.ITEMS_NO_SITE if url is None else await self._clean(adapter, value, url, scrape)

    async def _clean(self, adapter: ItemAdapter, value: str | bytes, url: str, scrape: Scrape | None) -> Stat:
        text, encoding = _decode(value, url, scrape)
        if not Page(text, url).is_document:
            return Stat.ITEMS_FRAGMENT
        cleaned = await self._cleaned(text, url, scrape)
        return Stat.ITEMS_NO_TEMPLATE if cleaned is None else self._write(adapter, value, encoding, cleaned)

    def _url(self, adapter: ItemAdapter, scrape: Scrape | None) -> str | None:
        if scrape is not None:
            return scrape.url
        url = adapter.get(self._settings.url_field)
        return url if isinstance(url, str) and url else None

    async def _cleaned(self, text: str, url: str, scrape: Scrape | None) -> CleanPage | None:
        known = scrape.cleaned if scrape is not None else None
        if known is not None and known.source == text:
            return known
        response = scrape.response if scrape is not None else None
        if isinstance(response, TextResponse) and response.text == text:
            return None  # the spider middleware has found no template that fits
        return await self._middleware.learner.clean(text, url)

    def _write(self, adapter: ItemAdapter, value: str | bytes, encoding: str | None, cleaned: CleanPage) -> Stat:
        outputs = {name: str(getattr(cleaned, name)) for name in {"html", *self._settings.outputs.values()}}
        if cleaned.kept_whole or any(not output or output.isspace() for output in outputs.values()):
            return Stat.ITEMS_KEPT_WHOLE
        stats = self._crawler.stats
        count(stats, Stat.CHARACTERS_BEFORE, len(cleaned.source))
        count(stats, Stat.CHARACTERS_AFTER, len(cleaned.html))
        for unit, (before, after) in (
            ("BYTES", (_bytes(cleaned.source), _bytes(cleaned.html))),
            ("WORDS", cleaned.words),
        ):
            count(stats, Stat[f"{unit}_BEFORE"], before)
            count(stats, Stat[f"{unit}_AFTER"], after)
        outcome = Stat.ITEMS_CLEANED if cleaned.removed else Stat.ITEMS_NOTHING_TO_REMOVE
        if not self._settings.dry_run:
            _set_all(adapter, self._values(value, encoding, cleaned))
        self._middleware.observer.item_cleaned(cleaned)
        return outcome

    def _values(self, value: str | bytes, encoding: str | None, cleaned: CleanPage) -> dict[str, str | bytes]:
        values: dict[str, str | bytes] = {}
        for field, kind in self._settings.outputs.items():
            output = str(getattr(cleaned, kind))
            if output == cleaned.source:
                values[field] = value
            elif isinstance(value, bytes) and encoding is not None and kind.endswith("html"):
                values[field] = _encode(output, encoding, value)
            else:
                values[field] = output
        return values

    def _warn_once(self, stat: Stat, message: str, *args: object) -> None:
        if stat not in self._warned:
            self._warned.add(stat)
            logger.warning(message, *args, stat.value, extra={"spider": self._crawler.spider})

    @property
    def _middleware(self) -> TemplexSpiderMiddleware:
        if self._middleware_found is None:
            self._middleware_found = self._crawler.get_spider_middleware(TemplexSpiderMiddleware)
        if self._middleware_found is None:
            raise RuntimeError(
                "TemplexSpiderMiddleware is not enabled: use ADDONS = {'templex_scrapy.Addon': 500}, which enables all"
                " that belongs together"
            )
        return self._middleware_found


def _decode(value: str | bytes, url: str, scrape: Scrape | None) -> tuple[str, str | None]:
    """A field's text, and of bytes their charset."""
    if isinstance(value, str):
        return value, None
    response = scrape.response if scrape is not None else None
    if not isinstance(response, TextResponse) or response.body != value:
        response = HtmlResponse(url, body=value)
    return response.text, response.encoding


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _encode(text: str, encoding: str, before: bytes) -> bytes:
    """Text in the charset of the bytes that it comes from."""
    mark = next((mark for mark in _BYTE_ORDER_MARKS if before.startswith(mark)), b"")
    # what the charset lacks stays readable for every HTML parser as a reference
    return mark + text.encode(encoding, "xmlcharrefreplace")


def _set_all(adapter: ItemAdapter, values: Mapping[str, str | bytes]) -> None:
    """Write all fields or none."""
    before = {field: adapter[field] for field in values if field in adapter}
    written: list[str] = []
    try:
        for field, value in values.items():
            if field not in before or before[field] is not value:
                adapter[field] = value
                written.append(field)
    except Exception as error:
        for done in written:
            if done in before:
                adapter[done] = before[done]
            else:
                del adapter[done]
        reason = f"{field!r} of TEMPLEX_OUTPUTS cannot be written: {error}"
        raise _Unwritable(reason) from error
