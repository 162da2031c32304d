"""The item pipeline: writes the cleaned page into the fields of an item, and returns every item."""

from __future__ import annotations

import logging
from typing import Any

from itemadapter import ItemAdapter
from scrapy.http import TextResponse

from templex_scrapy.crawl.addon import Component
from templex_scrapy.crawl.context import CrawlContext
from templex_scrapy.crawl.downloads.page_memory import is_html, is_usable
from templex_scrapy.crawl.item_fields import (
    UnwritableItemError,
    decode,
    encode,
    is_fragment,
    is_page,
    obstacle,
    single,
    write,
)
from templex_scrapy.crawl.response_state import ResponseState
from templex_scrapy.crawl.signals import item_cleaned
from templex_scrapy.crawl.stats import Stat
from templex_scrapy.page import is_too_large, weight
from templex_scrapy.render import CleanPage

logger = logging.getLogger(__name__)

_MARKUP_OUTPUTS = frozenset({"html", "annotated_html", "template_html", "content_html", "content_document"})


class TemplexPipeline(Component):
    """Replaces the pages in items with what is left of them without their template.

    An item is left unchanged, and counted, if it has no page, if its fields cannot be written, or if an error occurs.
    If nothing of the page would be left, the whole page is written.
    """

    def __init__(self, context: CrawlContext) -> None:
        super().__init__(context)
        self._settings = context.settings
        self._warned: set[Stat] = set()

    async def process_item(self, item: Any) -> Any:
        """Write the outputs into the item's fields, or return it as it is."""
        self._context.crawl.count(Stat.ITEMS)
        try:
            outcome = await self._process(ItemAdapter(item))
        except UnwritableItemError as error:
            outcome = Stat.ITEMS_UNWRITABLE
            self._warn_once(outcome, f"Items of type {type(item).__name__} are left unchanged: {error}")
        except Exception as error:  # noqa: BLE001 - reported; no item is lost because of us
            self._context.errors.report(error, "cleaning", f"an item of type {type(item).__name__}")
            return item
        self._context.crawl.count(outcome)
        return item

    async def _process(self, adapter: ItemAdapter) -> Stat:
        state = self._context.response_state
        if state is not None and not state.takes(adapter.item, adapter.get(self._settings.url_field)):
            state = None
        if state is not None and state.switched_off:
            return Stat.ITEMS_SWITCHED_OFF
        value = single(adapter.get(self._settings.html_field))
        clean = await self._clean_page(adapter, value, state)
        # a callback may have put cleaned text into fields of any name: {"headline": page.css("h1::text").get()}
        if clean is None and state is not None and state.clean is not None and state.is_handed_out:
            return self._count(state.clean, state)
        if clean is None:
            is_there = "is missing" if value is None else f"contains {_told(value)}"
            self._warn_once(
                Stat.ITEMS_NO_PAGE,
                f"Items without a page are left unchanged: TEMPLEX_HTML_FIELD is {self._settings.html_field!r}, which"
                f" {is_there}; TEMPLEX_URL_FIELD (needed without a response) is {self._settings.url_field!r}, and their"
                f" fields are {', '.join(map(repr, adapter.keys())) or 'none'}",
            )
            return Stat.ITEMS_NO_PAGE
        if is_too_large(clean.source):
            return Stat.ITEMS_NO_TEMPLATE  # it would be rendered in the event loop
        values = self._values(adapter, value, clean, state)
        # outputs that an item lacks are written, so that a feed has the columns of the real run
        if self._settings.dry_run:
            values = {field: written for field, written in values.items() if field not in adapter}
        write(adapter, values)
        return Stat.ITEMS_KEPT_WHOLE if clean.kept_whole else self._count(clean, state)

    def _count(self, clean: CleanPage, state: ResponseState | None) -> Stat:
        self._context.crawl.send(item_cleaned, clean=clean)
        if not clean.fits:
            is_page = state is None or is_usable(state.response)
            return Stat.ITEMS_NO_TEMPLATE if is_page else Stat.ITEMS_NOT_LEARNT
        before, after = clean.words
        self._context.crawl.count(Stat.WORDS_BEFORE, before)
        self._context.crawl.count(Stat.WORDS_AFTER, after)
        return Stat.ITEMS_CLEANED if clean.removed else Stat.ITEMS_UNCHANGED

    async def _clean_page(self, adapter: ItemAdapter, value: object, state: ResponseState | None) -> CleanPage | None:
        """Return the page of an item after cleaning; None if it has none.

        Raises:
            UnwritableItemError: if the item has a page, and its fields cannot be written.
        """
        if value is None and (state is None or self._settings.outputs is None):
            return None
        url = adapter.get(self._settings.url_field) if state is None else state.url
        response = None if state is None else state.response
        whole = value is None or (isinstance(value, (str, bytes)) and isinstance(url, str) and is_page(value, response))
        part = await self._part(state.clean, value) if not whole and state and is_fragment(value) else None
        if (whole or part) and (why := obstacle(adapter, self._settings.item_outputs)):
            raise UnwritableItemError(why)
        if part is not None:
            return part
        if value is None and is_html(response):
            value = response.text
        if not whole or not isinstance(value, (str, bytes)) or not isinstance(url, str):
            return None
        text, _ = decode(value, url, response)
        if state is not None and isinstance(response, TextResponse) and response.text == text and state.clean:
            return state.clean
        return await self._context.cleaner.clean_source(text, url)

    async def _part(self, clean: CleanPage | None, fragment: str) -> CleanPage | None:
        """Return a part of a page, with its outputs; None if there is none."""
        if clean is None or is_too_large(clean.source):
            return None

        def work() -> CleanPage | None:
            part = clean.part(fragment)
            for output in ("words", *self._settings.item_outputs.values()):
                if part is not None:
                    part.output(output)  # computed once
            return part

        return await self._context.crawl.executor.do(weight(clean.source), work)

    def _values(
        self, adapter: ItemAdapter, value: object, clean: CleanPage, state: ResponseState | None
    ) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for field, output in self._settings.item_outputs.items():
            text = clean.output(output)
            if isinstance(text, str) and not text.strip() and adapter.get(field):
                continue  # the text of a page of which only a picture is left must not empty the field
            if isinstance(value, bytes) and output in _MARKUP_OUTPUTS:
                source, encoding = decode(value, clean.url, state.response if state is not None else None)
                values[field] = value if text == source else encode(text, encoding or "utf-8", value)
            else:
                values[field] = text
        # ItemLoader makes lists of one page; they remain lists
        before = adapter.get(self._settings.html_field)
        if isinstance(before, (list, tuple)) and self._settings.html_field in values:
            values[self._settings.html_field] = type(before)([values[self._settings.html_field]])
        return values

    def _warn_once(self, stat: Stat, message: str) -> None:
        if stat not in self._warned:
            self._warned.add(stat)
            logger.warning("%s; counted as %s", message, stat.value)


def _told(value: object) -> str:
    """Return what a field contains in place of a page."""
    if is_fragment(value):
        return "HTML that is neither a whole page nor one element of the page (joined elements are several)"
    return "text that is no page" if isinstance(value, str) else f"no page, but a {type(value).__name__}"
