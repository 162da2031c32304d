"""scrapy-redis's priority queue, which gives back what a worker had in hand when it died.

scrapy-redis takes a request out of the queue when a worker asks for it: if the worker is killed, the pages that it was
downloading, or whose items were still under way, are lost. Here they stay with the worker's name until they are done.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
from collections.abc import Callable
from typing import Any

import redis
from scrapy import Request, Spider, signals
from scrapy.utils.asyncio import create_looping_call
from scrapy_redis.queue import PriorityQueue  # type: ignore[import-untyped]

logger = logging.getLogger(__name__)

LIFE = 30
"""Seconds without a sign of life after which a worker counts as dead; the setting SHARED_QUEUE_LIFE."""

MAX_SET_ASIDE = 100
"""Entries that are no requests and are kept for a person to look at, the newest ones."""

# KEYS: what waits, what this worker has in hand.
_TAKE = """
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if #first == 0 then return false end
redis.call('ZREM', KEYS[1], first[1])
redis.call('ZADD', KEYS[2], first[2], first[1])
return first[1]
"""

# KEYS: what waits, the workers. ARGV: this worker, the seconds it is given. Returns the requests that came back.
_BEAT = """
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('SET', KEYS[2] .. ':alive:' .. ARGV[1], '', 'EX', ARGV[2])
local back = 0
for _, worker in ipairs(redis.call('SMEMBERS', KEYS[2])) do
    if redis.call('EXISTS', KEYS[2] .. ':alive:' .. worker) == 0 then
        local hand = KEYS[2] .. ':hand:' .. worker
        back = back + redis.call('ZCARD', hand)
        redis.call('ZUNIONSTORE', KEYS[1], 2, KEYS[1], hand, 'AGGREGATE', 'MIN')
        redis.call('DEL', hand)
        redis.call('SREM', KEYS[2], worker)
    end
end
return back
"""

# KEYS: what waits, the workers.
_COUNT = """
local number = redis.call('ZCARD', KEYS[1])
for _, worker in ipairs(redis.call('SMEMBERS', KEYS[2])) do
    number = number + redis.call('ZCARD', KEYS[2] .. ':hand:' .. worker)
end
return number
"""


class SharedQueue(PriorityQueue):  # type: ignore[misc]
    """A queue for several workers. SCHEDULER_QUEUE_CLASS names it.

    As long as any worker has a request in hand the queue is not empty, and so no worker ends before the last
    page is done: its links are work for all. What a dead worker had in hand waits again, for any other; a page
    whose item it had stored, but not yet ticked off, comes twice. What nobody can read is
    moved to the list ``<key>:unreadable``, of which the newest are kept, and counted as ``shared_queue/unreadable``.

    Args:
        server: the connection to Redis.
        spider: the spider.
        key: name of the queue.
        serializer: what writes and reads requests.
    """

    def __init__(self, server: Any, spider: Spider, key: str, serializer: Any = None) -> None:
        super().__init__(server, spider, key, serializer)
        self._worker = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        self._workers = f"{self.key}:workers"
        self._hand = f"{self._workers}:hand:{self._worker}"
        self._life = spider.crawler.settings.getint("SHARED_QUEUE_LIFE", LIFE)
        self._in_hand: dict[bytes, Request] = {}
        self._unreadable = f"{self.key}:unreadable"
        self._has_warned = False
        self._take, self._beat, self._count = (server.register_script(script) for script in (_TAKE, _BEAT, _COUNT))
        self._stop_beats: Callable[[], None] | None = None
        spider.crawler.signals.connect(self._start, signals.spider_opened)
        spider.crawler.signals.connect(self._stop, signals.spider_closed)
        self._show_life()

    def __len__(self) -> int:
        """Requests that wait or are in hand of any worker."""
        self._tick_off()
        return int(self._count(keys=[self.key, self._workers]))

    def pop(self, timeout: int = 0) -> Request | None:  # noqa: ARG002  (the base class's shape)
        """Takes the first request, or None; it is this worker's until it is done.

        What is no request of the spider is set aside: in hand it would keep all workers from ending.

        Args:
            timeout: not used, as in the queue of scrapy-redis.
        """
        self._tick_off()
        while (data := self._take(keys=[self.key, self._hand])) is not None:
            try:
                request: Request = self._decode_request(data)
            except Exception as error:  # noqa: BLE001 - anybody may have written it, and it may raise anything
                self._set_aside(data, error)
            else:
                self._in_hand[data] = request
                return request
        return None

    def clear(self) -> None:
        """Empties the queue for all workers."""
        super().clear()
        self.server.delete(self._hand)

    def _set_aside(self, data: bytes, error: Exception) -> None:
        with self.server.pipeline() as pipe:
            pipe.lpush(self._unreadable, data)
            pipe.ltrim(self._unreadable, 0, MAX_SET_ASIDE - 1)
            pipe.zrem(self._hand, data)
            pipe.execute()
        self.spider.crawler.stats.inc_value("shared_queue/unreadable")
        level = logging.DEBUG if self._has_warned else logging.WARNING
        self._has_warned = True
        logger.log(level, "An entry of the queue is no request, and is set aside in %s: %r", self._unreadable, error)

    def _tick_off(self) -> None:
        """Removes what is done: items stored, links queued."""
        # Scrapy has no signal for the end of a request, but the engine knows which have not ended.
        slot = getattr(self.spider.crawler.engine, "_slot", None)
        under_way = slot.inprogress if slot is not None else set()
        done = [data for data, request in self._in_hand.items() if request not in under_way]
        if done:
            self.server.zrem(self._hand, *done)
            for data in done:
                del self._in_hand[data]

    def _start(self) -> None:
        call = create_looping_call(self._show_life)
        call.start(self._life / 4, now=False)
        self._stop_beats = call.stop

    def _show_life(self) -> None:
        """Tells the others that this worker lives, and takes back what dead ones had in hand."""
        try:
            back = self._beat(keys=[self.key, self._workers], args=[self._worker, self._life])
        except redis.RedisError as error:
            logger.warning("The queue does not answer: %s", error)
            return
        if back:
            logger.warning("%s requests of a dead worker wait again", back)
            self.spider.crawler.stats.inc_value("shared_queue/taken_back", int(back))

    def _stop(self) -> None:
        if self._stop_beats is not None:
            self._stop_beats()
        self._tick_off()
        # The next sign of life of any worker gives back what is left, if anything is.
        self.server.delete(f"{self._workers}:alive:{self._worker}")
