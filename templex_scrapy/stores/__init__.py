"""Stores of templates: an SQLite file, a temporary file, or a Redis server, all behind :class:`TemplateStore`."""

from templex_scrapy.stores.opening import ALLOWED_STORES, JOBDIR_FILE, check_store, open_store
from templex_scrapy.stores.protocol import (
    MAX_TEMPLATES,
    RecordError,
    StoredTemplate,
    StoreError,
    TemplateStore,
    key_of,
)

__all__ = [
    "ALLOWED_STORES",
    "JOBDIR_FILE",
    "MAX_TEMPLATES",
    "RecordError",
    "StoreError",
    "StoredTemplate",
    "TemplateStore",
    "check_store",
    "key_of",
    "open_store",
]
