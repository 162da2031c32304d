"""scrapy-redis's scheduler, which waits for a Redis server that is away, and loses nothing meanwhile.

scrapy-redis's own raises an error where a request is to be queued: the link is lost, and with enough of them the page
never ends. It also stores the fingerprint before the request; what goes wrong in between can never be queued again.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from scrapy import Request, Spider, signals
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.defer import deferred_from_coro
from scrapy_redis.scheduler import Scheduler  # type: ignore[import-untyped]

from sample_project.shared_queue import Entry, QueueLostError

logger = logging.getLogger(__name__)

PATIENCE = 300.0
"""Seconds that a worker waits for the server before it ends; the setting SHARED_QUEUE_PATIENCE."""

AWAY = "queue_away"
"""Why a worker closes when the server has been away for too long."""

LOST = "queue_lost"
"""Why a worker closes when the server came back without the queue."""

_T = TypeVar("_T")


class SharedScheduler(Scheduler):  # type: ignore[misc]
    """A scheduler for several workers. SCHEDULER names it, and SCHEDULER_QUEUE_CLASS the shared queue.

    While the server does not answer, what is under way goes on; no request is taken, what is found is held here, and no
    page is ticked off. Nothing waits in the event loop, so that downloads and Ctrl-C work as ever. The server is asked
    each second; when it answers, what is held is queued first. If it does not answer in time, or has lost the queue,
    the worker closes with the reason :data:`AWAY` or :data:`LOST`, and what it has in hand is left for another worker.
    """

    def open(self, spider: Spider) -> None:
        """Begins.

        Raises:
            redis.RedisError: if the server does not answer.
        """
        # The client's own attempts would block all that is under way, and a request may be taken at each of them.
        self.server.set_retry(Retry(NoBackoff(), 0))
        crawler = spider.crawler
        self._patience = crawler.settings.getfloat("SHARED_QUEUE_PATIENCE", PATIENCE)
        self._held: deque[tuple[Request, Entry]] = deque()
        self._away_since: float | None = None
        self._try_from = 0.0
        self._others_from = 0.0
        self._reason = ""
        self._stop_tending: Callable[[], None] | None = None
        super().open(spider)
        crawler.signals.connect(self._start, signals.spider_opened)

    def close(self, reason: str) -> None:
        """Ends: ticks off what is done, if all that was found is queued."""
        if not hasattr(self, "queue"):
            # the server went between the start and now, and there is nothing to end
            return
        if self._stop_tending is not None:
            self._stop_tending()
        try:
            if self._away_since is not None:
                self._come_back()
            self.queue.close()
        except (redis.RedisError, QueueLostError) as error:
            if not self._reason:
                why = "What this worker had in hand stays in the queue, for it could not be ticked off"
                logger.log(logging.ERROR, "%s: %s", why, error)
            return
        super().close(reason)

    def enqueue_request(self, request: Request) -> bool:
        """Queues a request, or holds it until that is possible; False for what is not new or cannot be written."""
        fingerprint = "" if request.dont_filter else self.df.request_fingerprint(request)
        try:
            entry = self.queue.entry(request, fingerprint)
        except (TypeError, ValueError) as error:
            logger.log(logging.ERROR, "A request is left out: %s", error)
            self.stats.inc_value("shared_queue/unwritable")
            return False
        self._held.append((request, entry))
        return self._ask(self._push_held, otherwise=True)

    def next_request(self) -> Request | None:
        """The next request; None if there is none, or the server is away."""
        request: Request | None = self._ask(self.queue.pop, otherwise=None)
        if request is not None:
            self.stats.inc_value("scheduler/dequeued/redis")
        return request

    def has_pending_requests(self) -> bool:
        """Whether any worker has something to do; nobody knows while the server is away."""
        return self._ask(lambda: len(self.queue) > 0, otherwise=True)

    def _ask(self, ask: Callable[[], _T], *, otherwise: _T) -> _T:
        if self._away_since is None:
            try:
                return ask()
            except redis.RedisError as error:
                self._wait(error)
            except QueueLostError as error:
                self._lose(error)
        return otherwise

    def _push_held(self) -> bool:
        """Queues what is held; whether the last one was new."""
        is_new = False
        while self._held:
            request, entry = self._held[0]
            is_new = self.queue.push_entry(entry, self.df.key)
            self._held.popleft()
            if is_new:
                self.stats.inc_value("scheduler/enqueued/redis")
            else:
                self.df.log(request, self.spider)
        return is_new

    def _start(self) -> None:
        call = create_looping_call(self._tend)
        call.start(min(1.0, self.queue.life / 4), now=False)
        self._stop_tending = call.stop

    def _tend(self) -> None:
        began = time.monotonic()
        if self._reason or began < self._try_from:
            return
        if self._away_since is None:
            self._ask(self._show_life, otherwise=None)
            return
        try:
            self._come_back()
        except redis.RedisError as error:
            # On a server that is there and says nothing a try takes long, and what is under way needs time as well.
            self._try_from = time.monotonic() + min(4 * (time.monotonic() - began), self.queue.life / 4)
            if time.monotonic() - self._away_since > self._patience:
                self._give_up(
                    AWAY,
                    f"Redis has not answered for {self._patience:g} s: {error}. This worker ends; what it has in hand "
                    "stays in the queue for workers that are started when Redis is back",
                )
        except QueueLostError as error:
            self._lose(error)

    def _show_life(self) -> None:
        self.queue.show_life(look_after_others=time.monotonic() >= self._others_from)
        self.queue.give_back_unknown()

    def _wait(self, error: redis.RedisError) -> None:
        self._away_since = time.monotonic()
        self.stats.inc_value("shared_queue/outages")
        logger.warning("Redis does not answer, and is waited for, %g s at most: %s", self._patience, error)

    def _come_back(self) -> None:
        # Others were cut off as well, and deserve the time to show that they live.
        self._others_from = time.monotonic() + self.queue.life / 2
        self._show_life()
        self._push_held()
        if self._away_since is not None:
            logger.warning("Redis answers again, after %.0f s", time.monotonic() - self._away_since)
        self._away_since = None

    def _lose(self, error: QueueLostError) -> None:
        if self._away_since is None:
            self._away_since = time.monotonic()
        self._give_up(
            LOST,
            f"{error}: Redis has lost the queue, and with it pages that nobody will crawl. This worker ends. "
            "Redis has to keep its data on disk: appendonly yes",
        )

    def _give_up(self, reason: str, why: str) -> None:
        if self._reason:
            return
        self._reason = reason
        logger.error("%s", why)
        engine: Any = self.spider.crawler.engine
        deferred_from_coro(engine.close_spider_async(reason=reason))
