"""scrapy-redis's priority queue, which gives back what a worker had in hand when it died.

scrapy-redis takes a request out of the queue when a worker asks for it: if the worker is killed, the pages that it was
downloading, or whose items were still under way, are lost. Here they stay with the worker's name until they are done.

What is done in Redis can be done twice: an answer may be lost on its way, and then nobody knows whether it was done.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
from dataclasses import dataclass
from typing import Any

import redis
from scrapy import Request, Spider
from scrapy_redis.queue import PriorityQueue  # type: ignore[import-untyped]

logger = logging.getLogger(__name__)

LIFE = 30
"""Seconds without a sign of life after which a worker counts as dead; the setting SHARED_QUEUE_LIFE."""

MAX_SET_ASIDE = 100
"""Entries that are no requests and are kept for a person to look at, the newest ones."""

_LOST = "QUEUELOST"
_OLDER = "QUEUEOLDER"

# Each script begins with this. KEYS: the marks. ARGV: the mark of the queue, this worker, the requests it has pushed.
# A server that came back from nothing does not know the mark, one that came back from an older state not all pushes.
_CHECK = f"""
if redis.call('HGET', KEYS[1], '') ~= ARGV[1] then return redis.error_reply('{_LOST} no such queue') end
local pushed = redis.call('HGET', KEYS[1], ARGV[2])
if tonumber(pushed or 0) < tonumber(ARGV[3]) then return redis.error_reply('{_OLDER} pushes are missing') end
"""

# KEYS: ..., what waits, the fingerprints. ARGV: ..., score, entry, fingerprint or nothing.
# Returns the requests that this worker has pushed, below 0 if this one is not new.
# Redis takes nothing back when a script fails: the fingerprint comes last, for what it stands for has to be there.
_PUSH = f"""{_CHECK}
if ARGV[6] ~= '' and redis.call('SISMEMBER', KEYS[3], ARGV[6]) == 1 then return -tonumber(pushed or 0) end
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[5])
if ARGV[6] ~= '' then redis.call('SADD', KEYS[3], ARGV[6]) end
return redis.call('HINCRBY', KEYS[1], ARGV[2], 1)
"""

# KEYS: ..., what waits, what this worker has in hand.
_TAKE = f"""{_CHECK}
local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
if #first == 0 then return false end
redis.call('ZREM', KEYS[2], first[1])
redis.call('ZADD', KEYS[3], first[2], first[1])
return first[1]
"""

# KEYS: ..., what waits, what this worker has in hand. ARGV: ..., entries.
_TICK_OFF = f"""{_CHECK}
for number = 4, #ARGV do redis.call('ZREM', KEYS[3], ARGV[number]) end
"""

# The same.
_GIVE_BACK = f"""{_CHECK}
for number = 4, #ARGV do
    local score = redis.call('ZSCORE', KEYS[3], ARGV[number])
    if score then
        redis.call('ZREM', KEYS[3], ARGV[number])
        redis.call('ZADD', KEYS[2], score, ARGV[number])
    end
end
"""

# KEYS: ..., what waits, the workers. ARGV: ..., the seconds this worker is given, whether to look after others.
# Returns the requests that came back.
_BEAT = f"""{_CHECK}
redis.call('SADD', KEYS[3], ARGV[2])
redis.call('SET', KEYS[3] .. ':alive:' .. ARGV[2], '', 'EX', ARGV[4])
if ARGV[5] == '0' then return 0 end
local back = 0
for _, worker in ipairs(redis.call('SMEMBERS', KEYS[3])) do
    if redis.call('EXISTS', KEYS[3] .. ':alive:' .. worker) == 0 then
        local hand = KEYS[3] .. ':hand:' .. worker
        back = back + redis.call('ZCARD', hand)
        redis.call('ZUNIONSTORE', KEYS[2], 2, KEYS[2], hand, 'AGGREGATE', 'MIN')
        redis.call('DEL', hand)
        redis.call('SREM', KEYS[3], worker)
        redis.call('HDEL', KEYS[1], worker)
    end
end
return back
"""

# KEYS: ..., what waits, the workers.
_COUNT = f"""{_CHECK}
local number = redis.call('ZCARD', KEYS[2])
for _, worker in ipairs(redis.call('SMEMBERS', KEYS[3])) do
    number = number + redis.call('ZCARD', KEYS[3] .. ':hand:' .. worker)
end
return number
"""


class QueueLostError(Exception):
    """The server answers, but what it had of the queue is gone: it has been emptied, or keeps nothing on disk."""


@dataclass(frozen=True)
class Entry:
    """A request as it is queued.

    Attributes:
        data: the request, written.
        score: the lower, the sooner it comes.
        fingerprint: what equal requests have in common; nothing for a request that may come again.
    """

    data: bytes
    score: int
    fingerprint: str = ""


class SharedQueue(PriorityQueue):  # type: ignore[misc]
    """A queue for several workers. SCHEDULER_QUEUE_CLASS names it.

    It needs :class:`sample_project.shared_scheduler.SharedScheduler`, without which no worker would show that it lives.

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
        self.life = spider.crawler.settings.getint("SHARED_QUEUE_LIFE", LIFE)
        self._in_hand: dict[bytes, Request] = {}
        self._unreadable = f"{self.key}:unreadable"
        self._has_warned = False
        self._marks = f"{self.key}:marks"
        server.hsetnx(self._marks, "", secrets.token_hex(8))
        self._mark = server.hget(self._marks, "")
        self._pushed = 0
        self.show_life()

    def __len__(self) -> int:
        """Requests that wait or are in hand of any worker."""
        self._tick_off()
        return int(self._run(_COUNT, self._workers))

    def entry(self, request: Request, fingerprint: str = "") -> Entry:
        """A request as it is queued.

        Raises:
            TypeError: if it holds what is no plain data.
            ValueError: if it is to come back to what is no method of the spider.
        """
        return Entry(self._encode_request(request), -request.priority, fingerprint)

    def push(self, request: Request) -> None:
        """Adds a request."""
        self.push_entry(self.entry(request), "")

    def push_entry(self, entry: Entry, fingerprints: str) -> bool:
        """Adds a request and its fingerprint, both or neither; whether it is new.

        Args:
            entry: the request.
            fingerprints: name of the set of fingerprints.
        """
        pushed = int(self._run(_PUSH, fingerprints, entry.score, entry.data, entry.fingerprint))
        self._pushed = abs(pushed)
        return pushed > 0

    def pop(self, timeout: int = 0) -> Request | None:  # noqa: ARG002  (the base class's shape)
        """Takes the first request, or None; it is this worker's until it is done.

        What is no request of the spider is set aside: in hand it would keep all workers from ending.

        Args:
            timeout: not used, as in the queue of scrapy-redis.
        """
        self._tick_off()
        while (data := self._run(_TAKE, self._hand)) is not None:
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

    def show_life(self, *, look_after_others: bool = True) -> None:
        """Tells the others that this worker lives.

        Args:
            look_after_others: whether to take back what dead workers had in hand.
        """
        back = self._run(_BEAT, self._workers, self.life, int(look_after_others))
        if back:
            logger.warning("%s requests of a dead worker wait again", back)
            self.spider.crawler.stats.inc_value("shared_queue/taken_back", int(back))

    def give_back_unknown(self) -> None:
        """Gives back what is in this worker's hand without its knowledge, and would stay there.

        That is what it had taken when the answer was lost, or what a server had on disk that came back from there.
        """
        unknown = [data for data in self.server.zrange(self._hand, 0, -1) if data not in self._in_hand]
        if unknown:
            self._run(_GIVE_BACK, self._hand, *unknown)

    def close(self) -> None:
        """Ends this worker: what is not done waits again as soon as another one shows life."""
        self._tick_off()
        self.server.delete(f"{self._workers}:alive:{self._worker}")

    def _run(self, script: str, key: str, *arguments: Any) -> Any:
        try:
            return self._call(script, key, *arguments)
        except redis.ResponseError as error:
            if str(error).startswith(_LOST):
                raise QueueLostError(f"{self.key} is not what it was") from error
            if not str(error).startswith(_OLDER):
                raise
        self._begin_again()
        return self._call(script, key, *arguments)

    def _call(self, script: str, key: str, *arguments: Any) -> Any:
        # A server that was started anew has no scripts; a registered one is sent again.
        registered = self.server.register_script(script)
        return registered(keys=[self._marks, self.key, key], args=[self._mark, self._worker, self._pushed, *arguments])

    def _begin_again(self) -> None:
        """Gives back all that is in hand: what was found on these pages may be missing in the queue."""
        logger.warning("Redis knows an older state, or took this worker for dead: pages in hand are crawled again")
        self.spider.crawler.stats.inc_value("shared_queue/begun_again")
        self._pushed = 0
        self._in_hand.clear()
        self.give_back_unknown()

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
            self._run(_TICK_OFF, self._hand, *done)
            for data in done:
                self._in_hand.pop(data, None)
