"""Keep the requests of waiting pages in the job directory, so that a killed crawl requests the pages again.

Scrapy stores items at once; with the plug-in, items may wait for a template, and a kill would lose them. The request of
a waiting page is a file, as in Scrapy's disk queues, until the items have left the pipelines. Start requests
past the duplicate filter are not kept, because ``start()`` repeats them.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Iterator
from contextlib import suppress
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
"""Runs that request a page again; the page itself may kill the process."""

_NAME_KEY = "templex_persisted"
# objects that cannot be pickled; scrapy-playwright makes new ones
_OF_RESPONSES = frozenset({"playwright_page", "playwright_security_details"})


class PersistedRequests:
    """Keeps the requests of the pages whose items wait; nothing in a crawl without ``JOBDIR``."""

    def __init__(self, crawler: Crawler) -> None:
        jobdir = crawler.settings["JOBDIR"]
        self._crawler = crawler
        self._folder = Path(jobdir, FOLDER) if jobdir else None
        self._run = uuid4().hex[:12]
        self._numbers = count()
        self._names: set[str] = set()

    def recover(self) -> Iterator[Request]:
        """Yield the requests that earlier runs have left; they pass the duplicate filter."""
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
            # the duplicate filter has seen the request: the earlier run has downloaded the page
            request.meta[_NAME_KEY] = path.name, request.dont_filter
            request.dont_filter = True
            yield request

    def arrived(self, request: Request) -> str | None:
        """Remove the mark of recovery from a request; return the name of the request's file, if there still is one."""
        name: str | None
        name, request.dont_filter = request.meta.pop(_NAME_KEY, (None, request.dont_filter))
        return name if name in self._names else None

    def persist(self, request: Request) -> str | None:
        """Keep a request until :meth:`done`; return the name of the request's file, or None if it cannot be kept."""
        # start() yields the request again in the next run, and the duplicate filter lets it pass
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
        """Leave a file to the next run, because this run will never store the items of the page."""
        self._names.discard(name)

    def done(self, name: str) -> None:
        """Delete a file, because the items of the page have left the pipelines."""
        self._names.discard(name)
        if self._folder is not None:
            with suppress(OSError):  # the page is requested once more
                (self._folder / name).unlink()

    def close(self) -> None:
        """Delete the files of this run at an orderly end, and the folder if it is empty."""
        # recovered requests without a response are in Scrapy's queue, or have failed for good
        for name in list(self._names):
            self.done(name)
        if self._folder is not None:
            with suppress(OSError):  # the folder is missing, or has files of the next run
                self._folder.rmdir()
