"""Stores of templates: an SQLite file, a temporary file, or a Redis server, all behind :class:`TemplateStore`."""

from templex_scrapy.stores.opening import JOBDIR_FILE, check_store, open_store
from templex_scrapy.stores.protocol import (
    PageHashStore,
    RecordError,
    StoredTemplate,
    StoreError,
    TemplateStore,
    keeps_page_hashes,
    key_of,
)
from templex_scrapy.template import MAX_TEMPLATES

__all__ = [
    "JOBDIR_FILE",
    "MAX_TEMPLATES",
    "PageHashStore",
    "RecordError",
    "StoreError",
    "StoredTemplate",
    "TemplateStore",
    "check_store",
    "keeps_page_hashes",
    "key_of",
    "open_store",
]
