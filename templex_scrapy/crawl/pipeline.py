"""The item pipeline: writes the cleaned page into the fields of an item, and returns every item."""

from __future__ import annotations

import logging
from typing import Any

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem
from scrapy.http import Response

from templex_scrapy.crawl.addon import Component
from templex_scrapy.crawl.context import CrawlContext
from templex_scrapy.crawl.downloads.page_memory import is_usable
from templex_scrapy.crawl.item_page import ItemPage, PageKind, UnwritableItemError, missing_fields, write
from templex_scrapy.crawl.response_state import ResponseState
from templex_scrapy.crawl.signals import item_cleaned
from templex_scrapy.crawl.stats import Stat
from templex_scrapy.page import is_too_large, weight
from templex_scrapy.render import CleanPage

logger = logging.getLogger(__name__)

UNCHANGED_FIELD = "templex_unchanged"
"""The field that tells whether the page of an item has the content of the last crawl."""

_MARKUP_OUTPUTS = frozenset({"html", "annotated_html", "template_html", "content_html", "content_document"})


class TemplexPipeline(Component):
    """Replaces the pages in items with the same pages without the template.

    An item is left unchanged, and counted, if it has no page, if a field cannot be written, or if an error occurs.
    If nothing of the page would be left, the item gets the whole page.
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
        except DropItem:
            raise  # TEMPLEX_SKIP_UNCHANGED asks for it
        except UnwritableItemError as error:
            outcome = Stat.ITEMS_UNWRITABLE
            self._warn_once(outcome, f"Items of type {type(item).__name__} are left unchanged: {error}")
        except Exception as error:  # noqa: BLE001 - reported; no item is lost because of us
            self._context.crawl.report(error, "cleaning", f"an item of type {type(item).__name__}")
            return item
        self._context.crawl.count(outcome)
        return item

    async def _process(self, adapter: ItemAdapter) -> Stat:
        state = self._context.current.get()
        # an item of start() has no response, and one of a callback's own task may see a response that is through
        if state is not None and (
            state.response is None or not state.takes(adapter.item, adapter.get(self._settings.url_field))
        ):
            state = None
        if state is not None and state.switched_off:
            return Stat.ITEMS_SWITCHED_OFF
        # the cleaned page of the response, which is also that of items of a part of the page
        response, response_page = (None, None) if state is None else (state.response, state.clean)
        page = ItemPage.of(adapter.item, response, self._settings)
        clean = await self._clean(page, response_page)
        # a callback may have put cleaned text into fields of any name: {"headline": page.css("h1::text").get()}
        if clean is None and state is not None and response_page is not None and state.is_handed_out:
            write(adapter, await self._compare(adapter, state, response_page, page))
            return self._count(response_page, response)
        if clean is None:
            is_there = "is missing" if page.value is None else f"contains {_told(page)}"
            self._warn_once(
                Stat.ITEMS_NO_PAGE,
                f"Items without a page are left unchanged: TEMPLEX_HTML_FIELD is {self._settings.html_field!r}, which"
                f" {is_there}; TEMPLEX_URL_FIELD (needed without a response) is {self._settings.url_field!r}, and their"
                f" fields are {', '.join(map(repr, adapter.keys())) or 'none'}",
            )
            return Stat.ITEMS_NO_PAGE
        if is_too_large(clean.source):
            return Stat.ITEMS_NO_TEMPLATE  # it would be rendered in the event loop
        values = self._values(adapter, page, clean) | await self._compare(adapter, state, response_page, page)
        # an item gets the outputs that it lacks, so that a feed has the columns of the real run
        if self._settings.dry_run:
            values = {field: value for field, value in values.items() if field not in adapter}
        write(adapter, values)
        return Stat.ITEMS_KEPT_WHOLE if clean.kept_whole else self._count(clean, response)

    async def _compare(
        self, adapter: ItemAdapter, state: ResponseState | None, response_page: CleanPage | None, page: ItemPage
    ) -> dict[str, bool]:
        """Return the mark of an item whose page is that of the response.

        Raises:
            DropItem: if the page has the content of the last crawl, and such items are to be dropped.
        """
        skip = self._settings.skip_unchanged
        if skip is None or state is None or response_page is None or page.kind is PageKind.OWN:
            return {}
        if is_too_large(response_page.source):
            return {}
        is_same = await state.has_same_content(response_page, dry_run=self._settings.dry_run)
        if is_same:
            self._context.crawl.count(Stat.ITEMS_SAME_CONTENT)
            if skip == "drop" and not self._settings.dry_run:
                raise DropItem("its page has the content of the last crawl", log_level="DEBUG")
        if skip != "mark":
            return {}
        if missing_fields(adapter, [UNCHANGED_FIELD]):
            named = f"Items of type {type(adapter.item).__name__} have no field {UNCHANGED_FIELD!r}, and are not marked"
            self._warn_once(Stat.ITEMS_SAME_CONTENT, named)
            return {}
        return {UNCHANGED_FIELD: is_same}

    def _count(self, clean: CleanPage, response: Response | None) -> Stat:
        self._context.crawl.send(item_cleaned, clean=clean)
        if not clean.fits:
            return Stat.ITEMS_NO_TEMPLATE if response is None or is_usable(response) else Stat.ITEMS_NOT_LEARNT
        before, after = clean.words
        self._context.crawl.count(Stat.WORDS_BEFORE, before)
        self._context.crawl.count(Stat.WORDS_AFTER, after)
        return Stat.ITEMS_CLEANED if clean.removed else Stat.ITEMS_UNCHANGED

    async def _clean(self, page: ItemPage, response_page: CleanPage | None) -> CleanPage | None:
        """Return the cleaned page of an item, or None if the item has no page.

        Raises:
            UnwritableItemError: if the item has a page, and a field cannot be written.
        """
        clean = response_page if page.kind is PageKind.RESPONSE else None
        if page.kind is PageKind.PART and response_page is not None and not is_too_large(response_page.source):

            def part() -> CleanPage | None:
                if (found := response_page.part(page.text)) is not None:
                    for output in ("words", *self._settings.item_outputs.values()):
                        found.output(output)  # computed once
                return found

            clean = await self._context.crawl.executor.do(weight(response_page.source), part)
        if page.kind is PageKind.NONE or (page.kind is PageKind.PART and clean is None):
            return None
        if page.obstacle:
            raise UnwritableItemError(page.obstacle)
        return clean or await self._context.cleaner.clean_source(page.text, page.url)

    def _values(self, adapter: ItemAdapter, page: ItemPage, clean: CleanPage) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for field, output in self._settings.item_outputs.items():
            text = clean.output(output)
            if isinstance(text, str) and not text.strip() and adapter.get(field):
                continue  # the text of a page of which only a picture is left must not empty the field
            values[field] = page.encoded(text) if output in _MARKUP_OUTPUTS else text
        # ItemLoader makes lists of a single page; they remain lists
        before = adapter.get(self._settings.html_field)
        if isinstance(before, (list, tuple)) and self._settings.html_field in values:
            values[self._settings.html_field] = type(before)([values[self._settings.html_field]])
        return values

    def _warn_once(self, stat: Stat, message: str) -> None:
        if stat not in self._warned:
            self._warned.add(stat)
            logger.warning("%s; counted as %s", message, stat.value)


def _told(page: ItemPage) -> str:
    """Describe the value of an HTML field that is no page."""
    if page.kind is PageKind.PART:
        return "HTML that is neither a whole page nor one element of the page (joined elements are several)"
    return "text that is no page" if isinstance(page.value, str) else f"no page, but a {type(page.value).__name__}"
