"""Templates on a Redis server that any number of machines share. Needs the extra ``redis``."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from redis import Redis
from redis.backoff import ExponentialBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.retry import Retry

from templex_scrapy.stores.codec import RecordReader, merge
from templex_scrapy.stores.protocol import MAX_PAGES, VERSION, StoredTemplate, StoreError, page_key
from templex_scrapy.template import MAX_TEMPLATES

PREFIX = f"templex:{VERSION}:"
"""The beginning of all keys on the server."""

SERVER_TIMEOUT = 2.0
"""Seconds to wait for the server, each time."""

RETRIES = 2
"""Further tries after a connection is lost, within a third of a second."""

_VERSIONS, _PAGES, _SAVED = f"{PREFIX}versions", f"{PREFIX}pages", f"{PREFIX}saved"


class RedisStore(RecordReader):
    """Keeps templates on a Redis server; see :class:`templex_scrapy.stores.TemplateStore`.

    Keys: for each site a hash of records (``…:records:<site>``) and a sorted set of when they were last
    used (``…:used:<site>``); for all sites a hash of versions,
    and a hash of the content hashes of pages (``…:pages``) with a sorted set of when they were saved (``…:saved``).

    Args:
        url: ``redis://[[user]:password@]host[:port][/database]``, or ``rediss://`` for TLS.

    Raises:
        ValueError: if it is no URL of a Redis server.
    """

    def __init__(self, url: str) -> None:
        super().__init__()
        scheme, _, rest = url.partition("://")
        # redis://:secret@db.test/0 is in the log of each crawl whose server is away
        self._where = f"{scheme}://{rest.partition('?')[0].rpartition('@')[2]}"
        try:
            # redis-py's types are those of its asynchronous client as well
            self._client: Any = Redis.from_url(
                url,
                socket_timeout=SERVER_TIMEOUT,
                socket_connect_timeout=SERVER_TIMEOUT,
                retry=Retry(ExponentialBackoff(cap=0.2, base=0.05), RETRIES),
                retry_on_error=[RedisConnectionError, RedisTimeoutError],
            )
            pool = self._client.connection_pool
            pool.connection_kwargs["decode_responses"] = False  # the URL's query may ask for it
            pool.connection_class(**pool.connection_kwargs)  # finds unknown options in the query
        except (ValueError, TypeError) as error:
            message = f"{self._where} is not the URL of a Redis server, such as redis://host:6379/0"
            raise ValueError(message) from error

    def __repr__(self) -> str:
        return f"<RedisStore {self._where}>"

    def load(self, site: str) -> list[StoredTemplate]:
        """Return the templates of a site, the most recently used first."""
        with self._server():
            uses = self._client.zrevrange(_key("used", site), 0, MAX_TEMPLATES - 1, withscores=True)
            keys = [key for key, _ in uses]
            records = self._client.hmget(_key("records", site), keys) if keys else []
        # between the two commands another process may have dropped a template: then the record is None
        rows = [(used, record) for (_, used), record in zip(uses, records, strict=True) if record is not None]
        return self.read(site, rows)

    def version(self, site: str) -> int:
        """Return a number that changes with the site's templates; 0: no template."""
        with self._server():
            version = self._client.hget(_VERSIONS, site)
        return int(version) if version and version.isdigit() else 0

    def save(self, site: str, stored: StoredTemplate) -> None:
        """Store a template, unless a template with the same key tells as much (:meth:`Template.tells_more_than`)."""
        records, used, key = _key("records", site), _key("used", site), stored.key.encode()

        def change(pipe: Any) -> None:
            before = pipe.hget(records, key)
            other_keys = [other for other in pipe.zrevrange(used, 0, -1) if other != key]
            pipe.multi()
            record = merge(before, stored)
            pipe.zadd(used, {key: stored.used})
            if record is not None:
                pipe.hset(records, key, record)
                # random: a server that lost its data must not give the same numbers again
                pipe.hset(_VERSIONS, site, 1 + secrets.randbits(62))
                if dropped := other_keys[MAX_TEMPLATES - 1 :]:
                    pipe.hdel(records, *dropped)
                    pipe.zrem(used, *dropped)

        # begun anew if another process saves on the site meanwhile: two saves at once must keep the better template
        with self._server():
            self._client.transaction(change, records)

    def forget(self, site: str, key: str) -> None:
        """Delete the template with a key."""
        with self._server(), self._client.pipeline() as pipe:
            pipe.hdel(_key("records", site), key)
            pipe.zrem(_key("used", site), key)
            pipe.hset(_VERSIONS, site, 1 + secrets.randbits(62))
            pipe.execute()

    def touch(self, site: str, uses: Mapping[str, float]) -> None:
        """Note when templates were last used."""
        if uses:
            with self._server():
                # xx: a use of a template that was dropped meanwhile would be a key without a record
                self._client.zadd(_key("used", site), dict(uses), xx=True)

    def sites(self) -> list[str]:
        """Return the sites that have templates, sorted."""
        with self._server():
            names = {name for name, _ in self._client.hscan_iter(_VERSIONS, count=1000)}
        return sorted(name.decode("utf-8", "replace") for name in names)

    def delete(self, site: str) -> int:
        """Delete the templates of a site."""
        with self._server(), self._client.pipeline() as pipe:
            pipe.hlen(_key("records", site))
            pipe.delete(_key("records", site), _key("used", site))
            pipe.hdel(_VERSIONS, site)
            return int(pipe.execute()[0])

    def page_hash(self, page: str) -> tuple[str, float] | None:
        """Return the content hash of a page and when it was saved, in seconds since 1970; None if it is not known."""
        with self._server(), self._client.pipeline() as pipe:
            pipe.hget(_PAGES, page_key(page))
            pipe.zscore(_SAVED, page_key(page))
            content_hash, saved = pipe.execute()
        return None if content_hash is None or saved is None else (content_hash.decode("utf-8", "replace"), saved)

    def save_page_hashes(self, hashes: Mapping[str, str], saved: float) -> None:
        """Store the content hashes of pages."""
        rows = {page_key(page): content_hash for page, content_hash in hashes.items()}
        if rows:
            with self._server(), self._client.pipeline() as pipe:
                pipe.hset(_PAGES, mapping=rows)
                pipe.zadd(_SAVED, dict.fromkeys(rows, saved))
                pipe.zrange(_SAVED, 0, -1 - MAX_PAGES)
                if dropped := pipe.execute()[-1]:
                    pipe.hdel(_PAGES, *dropped)
                    pipe.zrem(_SAVED, *dropped)
                    pipe.execute()

    def close(self) -> None:
        """Close the connections."""
        with self._server():
            self._client.close()

    @contextmanager
    def _server(self) -> Iterator[None]:
        try:
            yield
        except (RedisError, OSError, UnicodeError) as error:
            raise StoreError(f"{self._where} cannot be used as a template store: {error}") from error


def _key(kind: str, site: str) -> str:
    return f"{PREFIX}{kind}:{site}"
