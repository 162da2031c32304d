"""The pages whose items are held, in the job directory: a killed crawl asks for them again when it is resumed.

The request of such a page has left Scrapy's queue on disk, and its items are not stored yet. Plain Scrapy would have
stored them at once; here they may wait for as long as a search takes.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.utils.request import request_from_dict

from templex_scrapy.crawl.journal import Journal, JournalError, Line
from templex_scrapy.crawl.json_requests import dumps, loads
from templex_scrapy.crawl.stats import Stat, count

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

JOBDIR_FILE = "templex_held.sqlite3"
"""Name of the journal in a job directory."""

HELD_KEY = "templex_held"
"""The ``meta`` key of a request that is made again, until its page comes in: its line, and what was changed in it."""

MAX_TRIES = 3
"""How often the spider is given a page again: it might be the page that kills the process."""

START_PATIENCE = 60.0
"""Seconds in which ``start()`` is expected to repeat its requests, before they are made again for it."""

_SHOWN_URLS = 5
# what a download handler puts there, and will again
_OF_RESPONSES = frozenset({"playwright_page", "playwright_security_details"})


@dataclass(frozen=True, slots=True, eq=False)
class _Left:
    """A line that an earlier run has left."""

    number: int
    request: Request
    fingerprint: bytes

    def is_for(self, request: Request, fingerprint: bytes) -> bool:
        """Whether a request, whoever made it, brings the same to the same callback."""
        return (
            self.fingerprint == fingerprint
            and self.request.callback == request.callback
            and self.request.cb_kwargs == request.cb_kwargs
        )


class HeldPages:
    """Notes the requests of pages while their items are held, and has them made again in the next run.

    Nothing is written in a crawl without ``JOBDIR``. Whatever happens to the file, the crawl goes on; then pages that
    are held are lost if the process is killed.

    Args:
        crawler: the crawl.
    """

    def __init__(self, crawler: Crawler) -> None:
        jobdir = crawler.settings["JOBDIR"]
        self._crawler = crawler
        self._journal = Journal(Path(jobdir, JOBDIR_FILE)) if jobdir else None
        self._lines: set[int] = set()
        self._not_come: dict[int, _Left] = {}
        self._waiting: dict[int, _Left] = {}
        self._made: set[int] = set()
        self._priority = time.time_ns() // 1_000_000
        self._read_at = 0.0
        self._warned = False

    def read(self) -> None:
        """Read what earlier runs have left, at the start of a crawl."""
        left: list[_Left] = []
        given_up: list[_Left] = []
        foreign: list[int] = []
        for line in self._read_lines():
            one = self._left(line)
            if one is None:
                foreign.append(line.number)
            else:
                (given_up if line.tries >= MAX_TRIES else left).append(one)
        self._set_aside(Stat.HELD_SET_ASIDE, foreign, "lines are no requests of this spider")
        urls = ", ".join(one.request.url for one in given_up[:_SHOWN_URLS])
        why = f"pages are given up, the crawl was killed {MAX_TRIES} times before they were through: {urls}"
        self._set_aside(Stat.HELD_GIVEN_UP, [one.number for one in given_up], why)
        if left:
            count(self._crawler.stats, Stat.HELD_ASKED_AGAIN, len(left))
            self._log(logging.INFO, "%d pages that were held when the crawl was killed are asked for again", len(left))
        self._not_come = {one.number: one for one in left}
        self._waiting = dict(self._not_come)
        self._read_at = time.monotonic()

    def ask_again(self, crawl: Callable[[Request], None], *, idle: bool = False) -> bool:
        """Make the requests again that are due, past the filter of duplicates and before all others.

        Start requests are left to ``start()``, which most spiders begin anew, for some time.

        Args:
            crawl: schedules a request.
            idle: whether the spider has nothing else to do, so that all are due.

        Returns:
            Whether there were any.
        """
        if not self._waiting:
            return False
        all_of_them = idle or time.monotonic() >= self._read_at + START_PATIENCE
        due = [one for one in self._waiting.values() if all_of_them or not one.request.meta.get("is_start_request")]
        refused: list[Exception] = []
        for one in due:
            del self._waiting[one.number]
            try:
                crawl(self._marked(one.request, one.number))
            except Exception as error:  # noqa: BLE001 - whatever is wrong with the queue, the crawl goes on as without us
                refused.append(error)
            else:
                self._made.add(one.number)
        if refused:
            message = "%d pages that were held cannot be asked for again in this run: %r"
            self._log(logging.WARNING, message, len(refused), refused[0])
        return bool(due)

    def _marked(self, request: Request, number: int) -> Request:
        request.meta[HELD_KEY] = (number, request.dont_filter, request.priority)
        request.dont_filter = True
        # Scrapy keeps a file for each priority; those of a run that was killed are torn, so that what is put into them
        # may never come out, or cannot be put there at all
        request.priority = self._priority
        return request

    def arrive(self, request: Request) -> int | None:
        """Give a request that was made again its own looks back; returns its line if it has one of an earlier run."""
        number = None
        mark = request.meta.pop(HELD_KEY, None)
        if mark is not None:
            number, request.dont_filter, request.priority = mark
        if number not in self._not_come:
            number = self._number_for(request)
        if number is None or self._journal is None:
            return None
        del self._not_come[number]
        self._waiting.pop(number, None)
        self._lines.add(number)
        try:
            self._journal.tried(number)
        except JournalError as error:
            self._warn(error)
        return number

    def note(self, request: Request) -> int | None:
        """Note that the items of a page are held; returns its line, or None if it cannot be noted."""
        if self._journal is None:
            return None
        data = self._data(request)
        if data is not None:
            try:
                line = self._journal.add(data)
            except JournalError as error:
                self._warn(error)
            else:
                self._lines.add(line)
                return line
        count(self._crawler.stats, Stat.HELD_UNPROTECTED)
        return None

    def keep(self, line: int) -> None:
        """The page of this line has been broken off: another run is to ask for it."""
        self._lines.discard(line)

    def strike_out(self, lines: Iterable[int]) -> None:
        """The pages of these lines are through."""
        if self._journal is not None:
            struck = list(lines)
            try:
                self._journal.remove(struck)
            except JournalError as error:
                self._warn(error)
            else:
                self._lines.difference_update(struck)

    def close(self, reason: str) -> None:
        """Strike out what this run has seen to the end, and remove the file if nothing is left in it.

        To be called when the spider is closed: then all items are through that have not been broken off, and what was
        made again and has not come is in Scrapy's queue.

        Args:
            reason: why the crawl ends; after ``"finished"`` nothing is in the queue.
        """
        if self._journal is None:
            return
        made = self._made & self._not_come.keys()
        if made and reason == "finished":
            self._log(logging.WARNING, "%d pages that were asked for again have not come", len(made))
        if self._lines or made:
            self.strike_out([*self._lines, *made])
        try:
            self._journal.close()
        except JournalError as error:
            self._warn(error)

    def _read_lines(self) -> list[Line]:
        try:
            return [] if self._journal is None else self._journal.lines()
        except JournalError as error:
            self._warn(error)
            return []

    def _left(self, line: Line) -> _Left | None:
        try:
            request = request_from_dict(loads(line.data), spider=self._crawler.spider)
            return _Left(line.number, request, self._fingerprint(request))
        except Exception as error:  # noqa: BLE001 - set aside; a file that anybody may have written can hold anything
            logger.debug("Line %d is no request of this spider: %r", line.number, error)
            return None

    def _set_aside(self, stat: Stat, numbers: list[int], why: str) -> None:
        if not numbers or self._journal is None:
            return
        count(self._crawler.stats, stat, len(numbers))
        self._log(logging.WARNING, "%s: %d %s", self._journal.path, len(numbers), why)
        try:
            self._journal.set_aside(numbers, why)
        except JournalError as error:
            self._warn(error)

    def _number_for(self, request: Request) -> int | None:
        if not self._not_come:
            return None
        fingerprint = self._fingerprint(request)
        return next((number for number, one in self._not_come.items() if one.is_for(request, fingerprint)), None)

    def _data(self, request: Request) -> bytes | None:
        try:
            plain = request.to_dict(spider=self._crawler.spider)
            plain["meta"] = {key: value for key, value in plain["meta"].items() if key not in _OF_RESPONSES}
            return dumps(plain)
        except Exception as error:  # noqa: BLE001 - counted; objects in meta may do what they like
            logger.debug("%s is lost if the crawl is killed now, for it is no plain data: %s", request, error)
            return None

    def _fingerprint(self, request: Request) -> bytes:
        return self._crawler.request_fingerprinter.fingerprint(request)

    def _warn(self, error: JournalError) -> None:
        if not self._warned:
            self._warned = True
            self._log(
                logging.WARNING, "%s; the crawl goes on, and loses the pages that are held if it is killed", error
            )

    def _log(self, level: int, message: str, *args: Any) -> None:
        logger.log(level, message, *args, extra={"spider": self._crawler.spider})


class HeldPage:
    """A page that has come in, and whose items may be held.

    Args:
        pages: where it is noted.
        request: its request.
    """

    def __init__(self, pages: HeldPages, request: Request) -> None:
        self._pages = pages
        self._request = request
        self._line = pages.arrive(request)
        self._is_noted = self._line is not None

    def is_held(self) -> None:
        """Items of it are held from now on."""
        if not self._is_noted:
            self._is_noted = True
            self._line = self._pages.note(self._request)

    def is_through(self) -> None:
        """Its items have passed the pipelines, were dropped, or failed."""
        if self._line is not None:
            self._pages.strike_out([self._line])
            self._line = None

    def is_broken_off(self) -> None:
        """Its items will never come out."""
        if self._line is not None:
            self._pages.keep(self._line)
            self._line = None
