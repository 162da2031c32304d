"""Templates on a Redis server, shared by any number of machines. Needs the extra ``redis``."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError, WatchError
from redis.retry import Retry

from templex_scrapy.stores.errors import StoreUnavailableError
from templex_scrapy.stores.protocol import (
    MAX_COUNT,
    MAX_SET_ASIDE,
    Aside,
    Change,
    Edit,
    Outcome,
    Row,
    Use,
    as_count,
    as_ticks,
    first_version,
)

PREFIX = "templex:"
"""What all keys on the server begin with."""

_ATTEMPTS = 20

_LEASE = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
_RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
"""
_NEXT_VERSION = """
local version = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '') or tonumber(ARGV[2])
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', version + 1))
return redis.call('HGET', KEYS[1], ARGV[1])
"""
_USED = """
for i = 2, #ARGV, 3 do
  if redis.call('HEXISTS', KEYS[1], ARGV[i]) == 1 then
    local served = tonumber(redis.call('HGET', KEYS[2], ARGV[i]) or '') or 0
    served = math.min(served + tonumber(ARGV[i + 1]), tonumber(ARGV[1]))
    redis.call('HSET', KEYS[2], ARGV[i], string.format('%.0f', served))
    local last = tonumber(redis.call('HGET', KEYS[3], ARGV[i]) or '') or 0
    if tonumber(ARGV[i + 2]) > last then redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 2]) end
  end
end
"""

_T = TypeVar("_T")


class RedisBackend:
    """Keeps templates on a Redis server; see :class:`templex_scrapy.stores.protocol.Backend`.

    For each site there are four hashes by key: heads, bodies, counts and times of use; for all sites a hash of versions
    and a list of what was set aside. A key of ours that holds something of another type is renamed, not deleted.

    Args:
        url: ``redis://[[user]:password@]host[:port][/database]``, or ``rediss://`` for TLS.
        prefix: what all keys begin with.
        timeout: seconds to wait for the server.

    Raises:
        ValueError: if the URL is none.
    """

    def __init__(self, url: str, *, prefix: str = PREFIX, timeout: float = 2.0) -> None:
        self._where = redacted(url)
        self._prefix = prefix
        # its annotations serve an asynchronous client as well, so they tell nothing
        self._client: Any = _client(url, self._where, timeout)

    def __repr__(self) -> str:
        return f"<RedisBackend {self._where!r}>"

    def read(self, site: str) -> dict[str, Row]:
        """All rows of a site by key, as they were at one moment."""
        return self._run(site, lambda: self._rows(site, self._key("bodies", site)))

    def heads(self, site: str) -> dict[str, Row]:
        """The same without bodies."""
        return self._run(site, lambda: self._rows(site, None))

    def change(self, site: str, edit: Edit) -> Outcome:
        """Change the rows of a site as nobody else does meanwhile."""
        return self._run(site, lambda: self._change(site, edit))

    def used(self, site: str, uses: Mapping[str, Use]) -> None:
        """Add to the counts of rows, by key."""
        keys = [self._key(what, site) for what in ("heads", "served", "last_used")]
        values = [value for key, use in uses.items() for value in (key, use.times, use.last)]
        self._run(site, lambda: self._client.eval(_USED, len(keys), *keys, MAX_COUNT, *values))

    def sites(self) -> list[str]:
        """The sites that have rows, sorted."""
        names = self._run(None, lambda: {name for name, _ in self._client.hscan_iter(self._versions, count=1000)})
        return sorted(_text(name) for name in names)

    def version(self, site: str) -> int:
        """A number that grows by 1 with each change of a site; 0 for a site without rows."""
        return as_count(_number(self._run(site, lambda: self._client.hget(self._versions, site))))

    def lease(self, site: str, owner: str, seconds: float) -> bool:
        """Take or renew the lease of a site."""
        key = self._key("lease", site)
        return bool(self._run(site, lambda: self._client.eval(_LEASE, 1, key, owner, max(int(seconds * 1000), 1))))

    def release(self, site: str, owner: str) -> None:
        """Give up the lease of a site, if it is the owner's."""
        key = self._key("lease", site)
        self._run(site, lambda: self._client.eval(_RELEASE, 1, key, owner))

    def asides(self) -> list[Aside]:
        """The records that were set aside, the oldest first."""
        found = self._run(None, lambda: self._client.lrange(self._asides, 0, -1))
        return [aside for aside in map(_read_aside, reversed(found)) if aside is not None]

    def close(self) -> None:
        """Let go of the connections."""
        with self._server():
            self._client.close()

    @property
    def _versions(self) -> str:
        return f"{self._prefix}versions"

    @property
    def _asides(self) -> str:
        return f"{self._prefix}set_aside"

    def _key(self, what: str, site: str) -> str:
        return f"{self._prefix}{what}:{site}"

    def _keys(self, site: str) -> tuple[str, ...]:
        return tuple(self._key(what, site) for what in ("heads", "bodies", "served", "last_used"))

    def _run(self, site: str | None, work: Callable[[], _T]) -> _T:
        with self._server():
            try:
                return work()
            except ResponseError as error:
                if "WRONGTYPE" not in str(error):
                    raise
                self._rename_foreign_keys(site)
            return work()

    @contextmanager
    def _server(self) -> Iterator[None]:
        try:
            yield
        except (RedisError, OSError) as error:
            raise StoreUnavailableError(f"{self._where} cannot be used: {error}") from error

    def _rename_foreign_keys(self, site: str | None) -> None:
        types = {self._versions: b"hash", self._asides: b"list"}
        if site is not None:
            types |= dict.fromkeys(self._keys(site), b"hash") | {self._key("lease", site): b"string"}
        for key, wanted in types.items():
            if self._client.type(key) not in {wanted, b"none"}:
                number = 1
                while not self._client.renamenx(key, f"{key}.broken-{number}"):
                    number += 1

    def _rows(self, site: str, bodies: str | None) -> dict[str, Row]:
        heads, _, served, last_used = self._keys(site)
        with self._client.pipeline() as pipe:
            for key in (heads, served, last_used, *([bodies] if bodies else [])):
                pipe.hgetall(key)
            found = pipe.execute()
        return _as_rows(*found)

    def _change(self, site: str, edit: Edit) -> Outcome:
        for _ in range(_ATTEMPTS):
            try:
                return self._attempt(site, edit)
            except WatchError:
                # somebody else was quicker, and what they wrote counts
                continue
        raise StoreUnavailableError(f"{self._where}: {site} is changed too often by others")

    def _attempt(self, site: str, edit: Edit) -> Outcome:
        heads, bodies, served, last_used = self._keys(site)
        with self._client.pipeline() as pipe:
            pipe.watch(heads)
            rows = _as_rows(*[pipe.hgetall(key) for key in (heads, served, last_used)])
            version = as_count(_number(pipe.hget(self._versions, site)))
            change = edit(rows)
            if change.is_empty:
                return Outcome(change, version)
            # a key of the wrong type has to show before the transaction, which would not be taken back
            pipe.hlen(bodies)
            pipe.llen(self._asides)
            asides = [(key, why, pipe.hget(bodies, key) or b"") for key, why in change.aside.items()]
            pipe.multi()
            for key, why, body in asides:
                pipe.lpush(self._asides, _dump_aside(site, key, why, rows[key].head, body))
                pipe.ltrim(self._asides, 0, MAX_SET_ASIDE - 1)
            self._queue(pipe, site, change)
            if change.applied(rows):
                pipe.eval(_NEXT_VERSION, 1, self._versions, site, first_version())
                return Outcome(change, as_count(_number(pipe.execute()[-1])))
            pipe.hdel(self._versions, site)
            pipe.execute()
            return Outcome(change, 0)

    def _queue(self, pipe: Any, site: str, change: Change) -> None:
        heads, bodies, served, last_used = self._keys(site)
        gone = [*change.aside, *change.drop]
        if gone:
            for key in (heads, bodies, served, last_used):
                pipe.hdel(key, *gone)
        for name, row in change.put.items():
            pipe.hset(heads, name, row.head)
            if row.body is not None:
                pipe.hset(bodies, name, row.body)
            pipe.hsetnx(served, name, row.served)
            if row.last_used is not None:
                pipe.hsetnx(last_used, name, row.last_used)


def redacted(url: str) -> str:
    """A URL as it may be shown: without user name, password and query."""
    try:
        parts = urlsplit(url)
        place = parts.netloc.rpartition("@")[2]
    except ValueError:
        return f"{url.partition(':')[0]}://…"
    return f"{parts.scheme}://{place}{parts.path}"


def _client(url: str, where: str, timeout: float) -> Redis:
    try:
        client = Redis.from_url(
            url,
            socket_timeout=timeout,
            socket_connect_timeout=min(timeout, 1.0),
            retry=Retry(NoBackoff(), 0),
            retry_on_timeout=False,
        )
        pool = client.connection_pool
        # asked for in the URL's query, it would make strings of our bytes
        pool.connection_kwargs["decode_responses"] = False
        # unknown parts of the query would else show when the first connection is made
        pool.connection_class(**pool.connection_kwargs)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where} is no URL of a Redis server: redis://host:6379/0 would be one") from error
    return client


def _as_rows(
    heads: Mapping[bytes, bytes],
    served: Mapping[bytes, bytes],
    last_used: Mapping[bytes, bytes],
    bodies: Mapping[bytes, bytes] | None = None,
) -> dict[str, Row]:
    return {
        _text(key): Row(
            head,
            None if bodies is None else bodies.get(key, b""),
            as_count(_number(served.get(key))),
            as_ticks(_number(last_used.get(key))),
        )
        for key, head in heads.items()
    }


def _dump_aside(site: str, key: str, why: str, head: bytes, body: bytes) -> str:
    raw = {"head": base64.b64encode(head).decode(), "body": base64.b64encode(body).decode()}
    return json.dumps({"site": site, "key": key, "why": why, "at": time.time_ns() // 1000, **raw})


def _read_aside(raw: bytes) -> Aside | None:
    try:
        data = json.loads(raw)
        head, body = base64.b64decode(data["head"]), base64.b64decode(data["body"])
        return Aside(str(data["site"]), str(data["key"]), str(data["why"]), as_count(data["at"]), head, body)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _number(raw: object) -> int | None:
    """A number that a hash holds as text."""
    return int(raw) if isinstance(raw, bytes) and raw.isdigit() and len(raw) < 20 else None
