"""Stores of templates: in memory, in an SQLite file, on a Redis server.

:func:`open_store` gives the :class:`Store` that a setting means. What it keeps are :class:`StoredTemplate` objects,
by site and key, as bytes that are versioned, compressed, checked and hold nothing but data.
"""

from templex_scrapy.stores.counts import StoreCounts
from templex_scrapy.stores.errors import (
    NewerRecordError,
    NoSuchTemplateError,
    RecordError,
    StoreError,
    StoreUnavailableError,
    TemplateTooLargeError,
)
from templex_scrapy.stores.opening import check_store, open_directly, open_store
from templex_scrapy.stores.protocol import Aside, Backend
from templex_scrapy.stores.record import Head, LeftOut, Retired, SiteInfo, StoredTemplate, TemplateInfo
from templex_scrapy.stores.store import Store, StoreLimits

__all__ = [
    "Aside",
    "Backend",
    "Head",
    "LeftOut",
    "NewerRecordError",
    "NoSuchTemplateError",
    "RecordError",
    "Retired",
    "SiteInfo",
    "Store",
    "StoreCounts",
    "StoreError",
    "StoreLimits",
    "StoreUnavailableError",
    "StoredTemplate",
    "TemplateInfo",
    "TemplateTooLargeError",
    "check_store",
    "open_directly",
    "open_store",
]
