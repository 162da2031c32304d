"""Which store a setting means."""

from __future__ import annotations

import os
from pathlib import Path

from templex_scrapy.stores.counts import StoreCounts
from templex_scrapy.stores.memory import MemoryBackend
from templex_scrapy.stores.protocol import Backend
from templex_scrapy.stores.resilient import ResilientBackend
from templex_scrapy.stores.sqlite import SqliteBackend
from templex_scrapy.stores.store import Store, StoreLimits
from templex_scrapy.stores.wire import MAX_INFLATED

JOBDIR_FILE = "templex.sqlite3"
"""Name of the store in a job directory."""

REDIS_SCHEMES = ("redis", "rediss")
ALLOWED = "None, the path of an SQLite file, or the URL of a Redis server (redis://host:6379/0, rediss:// for TLS)"
"""What may be a store, in words."""

_WIDEST = StoreLimits(templates=1000, template_bytes=MAX_INFLATED)
"""As many templates of a site as ``TEMPLEX_MAX_TEMPLATES`` may ask for, of any size that can be stored."""


def open_store(
    value: str | os.PathLike[str] | None,
    *,
    jobdir: str | os.PathLike[str] | None = None,
    limits: StoreLimits | None = None,
) -> Store:
    """The store for a crawl: while its place is away it goes on from memory, and comes back to it later.

    Args:
        value: where the templates are kept: the path of an SQLite file, made where it is missing; a ``redis://`` or
            ``rediss://`` URL; None for the job directory, or for memory where there is none.
        jobdir: the job directory, if there is one.
        limits: what may be kept.

    Returns:
        The store; nothing is opened before its first use, and no error then ends a crawl.

    Raises:
        ValueError: if the value is anything else; the message says what is allowed.
        ImportError: if it is a Redis URL and the package ``redis`` is missing; the message says how to get it.
    """
    limits = limits or StoreLimits()
    counts = StoreCounts()
    memory = MemoryBackend(limits.memory_bytes, counts)
    if value is None and not jobdir:
        return Store(memory, limits, counts)
    backend = _backend(value if value is not None else Path(jobdir or "", JOBDIR_FILE), counts=counts)
    return Store(ResilientBackend(backend, memory, counts, max_pending=limits.pending_bytes), limits, counts)


def open_directly(value: str | os.PathLike[str], *, create: bool = False, limits: StoreLimits | None = None) -> Store:
    """The store for a person who looks into it: what cannot be had raises ``StoreUnavailableError``.

    No file is renamed for that, and no record set aside, damaged or not.

    Args:
        value: as for :func:`open_store`, but not None.
        create: whether a missing or empty SQLite file is made a store.
        limits: what may be kept; as much as a store ever keeps where they are not given, so that nothing that other
            settings have brought there is hidden or lost.

    Raises:
        ValueError, ImportError: as :func:`open_store`.
    """
    return Store(_backend(value, create=create, replace=False), limits or _WIDEST, sets_aside=False)


def check_store(value: str | os.PathLike[str]) -> None:
    """Check that a value can be opened as a store, without opening it.

    Raises:
        ValueError, ImportError: as :func:`open_store`.
    """
    _backend(value)


def _backend(
    value: str | os.PathLike[str], *, create: bool = True, replace: bool = True, counts: StoreCounts | None = None
) -> Backend:
    name = os.fspath(value)
    if not isinstance(name, str) or not name.strip() or "\0" in name:
        raise ValueError(f"{name!r} is no store; allowed: {ALLOWED}")
    scheme, is_url, rest = name.partition("://")
    if not is_url:
        path = Path(name)
        if path.is_dir():
            raise ValueError(f"{str(path)!r} is a folder; allowed: {ALLOWED}")
        return SqliteBackend(path, create=create, replace=replace, counts=counts)
    if scheme.lower() not in REDIS_SCHEMES:
        raise ValueError(f"{scheme}:// is no store; allowed: {ALLOWED}")
    try:
        # the package redis is an extra
        from templex_scrapy.stores.redis import RedisBackend  # noqa: PLC0415
    except ImportError as error:
        message = 'a store on a Redis server needs the package redis: pip install "templex-scrapy[redis]"'
        raise ImportError(message) from error
    return RedisBackend(f"{scheme.lower()}://{rest}")
