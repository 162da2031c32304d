"""Which store a setting means."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

from templex_scrapy.stores.protocol import TemplateStore
from templex_scrapy.stores.sqlite import SqliteStore

JOBDIR_FILE = "templex.sqlite3"
"""Name of the store in a job directory."""


def open_store(
    where: str | os.PathLike[str] | None,
    *,
    jobdir: str | os.PathLike[str] | None = None,
    strict: bool = False,
) -> TemplateStore:
    """Return the store that a setting names. Nothing is opened before the first use.

    Args:
        where: the path of an SQLite file, a ``redis://`` or ``rediss://`` URL, or the path of a
            :class:`TemplateStore` with the argument of its call: ``mypkg.stores.MyStore://where``. None: a
            file in the job directory; without a job directory, a temporary file that is gone when the store is closed.
        jobdir: the job directory, if there is one.
        strict: for a command that reads a store: a missing file is an error.

    Raises:
        ValueError: if there can be no such store; the message says what is allowed.
        ImportError: if the package ``redis`` is needed and missing; the message says how to get it.
    """
    if where is None:
        return SqliteStore(Path(jobdir, JOBDIR_FILE) if jobdir else None, strict=strict)
    name = os.fspath(where)
    if not name.strip():
        raise _not_allowed(f"{name!r} is not a store")
    scheme, is_url, rest = name.partition("://")
    if not is_url:
        path = Path(name)
        # an error at the start of the crawl, and not after an hour, when the first template is stored
        if path.is_dir():
            raise _not_allowed(f"{name!r} is a folder")
        # a folder with a typo would be made, without the templates of the last crawl
        if not strict and not path.parent.is_dir():
            raise _not_allowed(f"the folder {str(path.parent)!r} does not exist")
        return SqliteStore(path, strict=strict)
    # mypkg.stores.MyStore://bucket: the path of a class has a dot, redis and rediss have none
    if "." in scheme:
        return _class_store(scheme, rest)
    if scheme.lower() not in {"redis", "rediss"}:
        raise _not_allowed(f"{scheme}:// is not a store")
    try:
        from templex_scrapy.stores.redis import RedisStore  # noqa: PLC0415 - redis is an extra
    except ImportError as error:
        message = 'a store on a Redis server needs the package redis: pip install "templex-scrapy[redis]"'
        raise ImportError(message) from error
    return RedisStore(f"{scheme.lower()}://{rest}")


def _class_store(class_path: str, where: str) -> TemplateStore:
    module, _, name = class_path.rpartition(".")
    try:
        store: TemplateStore = getattr(import_module(module), name)(where)
    except (ImportError, AttributeError, TypeError) as error:
        raise _not_allowed(f"{class_path} cannot be loaded and called with one argument ({error})") from error
    return store


def check_store(where: str | os.PathLike[str]) -> None:
    """Check that a value means a store, without opening it; raises as :func:`open_store`."""
    open_store(where).close()


def _not_allowed(problem: str) -> ValueError:
    return ValueError(
        f"{problem}; allowed: None, the path of an SQLite file, the URL of a Redis server (redis://host:6379/0, rediss://"
        " for TLS), or the path of a class and what it is called with (mypkg.stores.MyStore://where)"
    )
