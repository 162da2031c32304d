"""Requests of pages whose items wait for a template, kept in the job directory: a killed crawl requests them again.

Scrapy would have passed on the items of such a page at once; with the plug-in they may wait for a search. Each request
is a file, written as Scrapy's own disk queues write requests, and deleted when the items are through. Start requests
past the duplicate filter are not kept: ``start()`` repeats them.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from uuid import uuid4

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.utils.request import request_from_dict

from templex_scrapy.crawl.stats import Stat

logger = logging.getLogger(__name__)

FOLDER = "templex_persisted"
"""Name of the folder in the job directory."""

MAX_TRIES = 3
"""Runs in which a page is requested again; it might be the page that kills the process."""

_NAME_KEY = "templex_persisted"
# objects of scrapy-playwright, which cannot be pickled; it makes new ones
_OF_RESPONSES = frozenset({"playwright_page", "playwright_security_details"})


class PersistedRequests:
    """The requests of the pages whose items wait. Does nothing in a crawl without ``JOBDIR``."""

    def __init__(self, crawler: Crawler) -> None:
        jobdir = crawler.settings["JOBDIR"]
        self._crawler = crawler
        self._folder = Path(jobdir, FOLDER) if jobdir else None
        self._run = uuid4().hex[:12]
        self._numbers = count()
        self._names: set[str] = set()

    def recover(self) -> Iterator[Request]:
        """Yield the requests that earlier runs have left, to be scheduled past the duplicate filter."""
        for path in sorted(self._folder.glob("*.request")) if self._folder is not None else ():
            try:
                request = request_from_dict(pickle.loads(path.read_bytes()), spider=self._crawler.spider)  # noqa: S301
                name, tries = path.stem.rsplit("-", 1)
                if int(tries) >= MAX_TRIES:
                    logger.warning("%s is not requested again: the crawl was killed %s times", request, tries)
                    path.unlink()
                    continue
                path = path.rename(path.with_name(f"{name}-{int(tries) + 1}.request"))  # noqa: PLW2901
            except Exception as error:  # noqa: BLE001 - a file that a kill has cut off, or of another version
                logger.warning("%s is no request of this spider and is ignored: %r", path, error)
                continue
            self._crawler.stats.inc_value(Stat.JOBDIR_RECOVERED.value)
            self._names.add(path.name)
            # Scrapy's duplicate filter has it as seen: the run before has downloaded it
            request.meta[_NAME_KEY] = path.name, request.dont_filter
            request.dont_filter = True
            yield request

    def arrived(self, request: Request) -> str | None:
        """Remove the recovery mark from a request, and restore its ``dont_filter``.

        Returns:
            The name of its file; None if it has none, as when the run that recovered it has been closed.
        """
        name: str | None
        name, request.dont_filter = request.meta.pop(_NAME_KEY, (None, request.dont_filter))
        return name if name in self._names else None

    def persist(self, request: Request) -> str | None:
        """Keep a request until :meth:`done`; returns the name of its file, or None if it cannot be kept."""
        # start() yields it again in the next run, and the duplicate filter lets it pass
        is_repeated = request.meta.get("is_start_request") and request.dont_filter
        if self._folder is None or is_repeated:
            return None
        name = f"{self._run}-{next(self._numbers):09d}-0.request"
        try:
            data = request.to_dict(spider=self._crawler.spider)
            data["meta"] = {key: value for key, value in data["meta"].items() if key not in _OF_RESPONSES}
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / name).write_bytes(pickle.dumps(data, protocol=4))
        except Exception as error:  # noqa: BLE001 - meta may contain anything, and the disk may be full
            logger.debug("%s is lost if the crawl is killed now: %r", request, error)
            return None
        self._names.add(name)
        return name

    def leave(self, name: str) -> None:
        """Leave a file to the next run: the items of its page will never come out in this one."""
        self._names.discard(name)

    def done(self, name: str) -> None:
        """Delete a file: the items of its page are through."""
        self._names.discard(name)
        if self._folder is not None:
            try:
                (self._folder / name).unlink(missing_ok=True)
            except OSError as error:
                logger.debug("%s cannot be deleted: %s", name, error)

    def close(self) -> None:
        """Delete the files of this run, and the folder if it is empty.

        When the spider is closed, all items are through. Recovered requests that have not arrived are in Scrapy's
        queue, or have failed for good.
        """
        for name in list(self._names):
            self.done(name)
        if self._folder is not None and self._folder.is_dir() and not any(self._folder.iterdir()):
            self._folder.rmdir()
