"""A response on the way through the spider and the pipelines."""

from __future__ import annotations

import asyncio

from scrapy import Selector
from scrapy.http import HtmlResponse, Response

from templex_scrapy.crawl.downloads.download_table import is_switched_off
from templex_scrapy.crawl.jobdir_recovery import PersistedRequests
from templex_scrapy.crawl.sites.template_persistence import TemplatePersistence
from templex_scrapy.render import CleanPage


class ReleasableResponse(HtmlResponse):
    """An HTML response that can give up the tree, which takes ten times the memory of the source.

    Response and selector refer to each other, so that a tree would stay until a full garbage collection.
    """

    _selector: Selector | None = None

    @classmethod
    def of(cls, response: HtmlResponse) -> ReleasableResponse:
        """Return a copy of a response that has this class."""
        releasable = response.replace(cls=cls)
        # before Scrapy 2.18, middlewares can set attributes of their own
        for name, value in getattr(response, "__dict__", {}).items():
            vars(releasable).setdefault(name, value)
        # a middleware that looks for captchas has parsed the page already; Scrapy has no public way to ask
        releasable._selector = getattr(response, "_cached_selector", None)  # noqa: SLF001 - see above
        return releasable

    @property
    def selector(self) -> Selector:
        """The tree, parsed anew if it was given up."""
        # a thread that the callback has left running may read it while it is given up
        selector = self._selector
        if selector is None:
            selector = self._selector = Selector(self)
        return selector

    def release(self) -> None:
        """Give up the tree."""
        self._selector = None


class ResponseState:
    """The state of a response, for spider middleware and pipeline.

    Attributes:
        response: the response; None once all items have left the pipelines, since other tasks inherit this object.
        is_in_callback: whether the callback is not through.
        clean: the cleaned page; None until the page is cleaned.
        is_handed_out: whether the callback has received the cleaned page, so that any field may contain it.
        has_failed: whether the callback or a pipeline has raised, so that items are missing.
    """

    def __init__(self, response: Response, persisted: PersistedRequests, persistence: TemplatePersistence) -> None:
        self.response: Response | None = response
        self.url = response.url
        self.switched_off = is_switched_off(response.request)
        self.is_in_callback = True
        self.clean: CleanPage | None = None
        self.is_handed_out = self.has_failed = False
        self._persisted, self._persistence = persisted, persistence
        self._comparing = asyncio.Lock()
        self._content: tuple[str, bool] | None = None  # the hash, and whether the last crawl had the same content
        self._is_stored = False  # an item, or one that was dropped because the last crawl has stored it
        self._file_name = None if response.request is None else persisted.arrived(response.request)
        self._items = 0  # that have left the callback and not the pipelines
        self._leaving: list[object] = []
        self._ended = False

    def release_tree(self) -> None:
        """Give up the tree of the response; whoever needs it from now on parses the page again."""
        if isinstance(self.response, ReleasableResponse):
            self.response.release()

    def persist_request(self) -> None:
        """Keep the request in the job directory until the items are through."""
        if self._file_name is None and self.response is not None and self.response.request is not None:
            self._file_name = self._persisted.persist(self.response.request)

    async def has_same_content(self, clean: CleanPage, *, dry_run: bool) -> bool:
        """Return whether the page has the content of the last crawl; the hash is stored with the items."""
        # once for all items of the page: the first of them that is through changes what the store has
        async with self._comparing:
            if self._content is None:
                is_same = await self._persistence.has_same_content(self.url, clean.content_hash)
                # a dry run stores items that were not cleaned: the crawl that follows is to store them
                self._content = "" if dry_run else clean.content_hash, is_same
            return self._content[1]

    def item_leaves(self, item: object) -> None:
        """Note that an item is on the way to the pipelines."""
        self._items += 1
        self._leaving.append(item)

    def takes(self, item: object, url: object) -> bool:
        """Take an item that has reached the pipeline. Return False if it is none of this response.

        Items of an errback may see the response of the callback that has made the request.
        """
        # by identity: two responses may yield equal items, such as {"title": None}
        for index, leaving in enumerate(self._leaving):
            if leaving is item:
                del self._leaving[index]
                return True
        # a spider middleware of the project may have made a copy, {**item, "crawled": today}: the URL tells
        return bool(self._leaving) and url in {None, "", self.url}

    def item_is_through(self, *, is_stored: bool, has_failed: bool) -> None:
        """Note that an item has passed the pipelines, was dropped, or failed."""
        # an item that another pipeline drops is not stored, so that the next crawl must not take it for known
        self._is_stored |= is_stored or (self._content is not None and self._content[1])
        self.has_failed |= has_failed
        self._items -= 1
        self._release()

    def end(self, *, broken_off: bool = False) -> None:
        """Note that no further items come. If ``broken_off``, the request is left in the job directory."""
        self._ended = True
        self.has_failed |= broken_off
        if broken_off and self._file_name is not None:
            self._persisted.leave(self._file_name)
            self._file_name = None
        self._release()

    def _release(self) -> None:
        if not self._ended or self._items > 0:
            return
        content_hash = "" if self._content is None else self._content[0]
        if self.response is not None and content_hash and (self._is_stored or self.has_failed):
            # an item that failed is wanted again, whatever becomes of the other items of the page
            self._persistence.page_is_through(self.url, "" if self.has_failed else content_hash)
        # tasks inherit this object with their context, and some live long: none may keep a page in memory
        self.response = self.clean = None
        if self._file_name is not None:
            self._persisted.done(self._file_name)
            self._file_name = None
