"""A cache of parsed pages, so that a page that comes again is not parsed again.

A crawl meets most pages of a small site several times: as a candidate of a search, as the spider's own page, and while
it waits for a template, when it becomes a voter. A tree is too large to keep for that long; the node arrays take a
tenth of the memory.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from operator import itemgetter
from sys import getsizeof

from cachetools import LRUCache

from templex_scrapy.page.head import Head
from templex_scrapy.page.node_arrays import NodeArrays
from templex_scrapy.page.node_values import NodeValues

# what a node takes beside text and start tag; what the value of a start tag takes; copies of the address
_NODE_BYTES, _VALUE_BYTES, _ADDRESSES = 140, 200, 4


class ParsedPage:
    """What is read from a page's tree and kept when the tree is released.

    Attributes:
        values: the node values, once ``values_of(page)`` was called.
    """

    __slots__ = ("arrays", "head", "values")

    def __init__(self, arrays: NodeArrays, head: Head) -> None:
        self.arrays = arrays
        self.head = head
        self.values: NodeValues | None = None


def estimated_bytes(parsed: ParsedPage, url: str) -> int:
    """Return how much memory what is read from a tree at an address takes, node values included; roughly."""
    arrays = parsed.arrays
    # a page of few nodes may contain megabytes of text, or of images in attributes
    characters = "".join([*filter(None, arrays.texts), *arrays.distinct])
    values = len(arrays.start_tags) * _VALUE_BYTES
    return _NODE_BYTES * len(arrays.ids) + getsizeof(characters) + values + parsed.head.length + _ADDRESSES * len(url)


class ParseCache:
    """Parsed pages by address and digest of the source; the least recently used are dropped. Thread-safe.

    Args:
        max_bytes: limit of the sizes together, at least 0. A page that alone exceeds the limit is not added.
    """

    def __init__(self, max_bytes: int) -> None:
        # the address as well: <a href="next"> leads elsewhere from /a/ than from /b/
        self._pages: LRUCache[tuple[str, bytes], tuple[ParsedPage, int]] = LRUCache(max_bytes, getsizeof=itemgetter(1))
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        """The sizes together."""
        return int(self._pages.currsize)

    def get(self, url: str, digest: bytes) -> ParsedPage | None:
        """Return the parsed page of this source at this address, if it is cached."""
        with self._lock:
            parsed, _ = self._pages.get((url, digest), (None, 0))
        return parsed

    def put(self, url: str, digest: bytes, parsed: ParsedPage) -> None:
        """Add a parsed page."""
        size = estimated_bytes(parsed, url)
        with self._lock, suppress(ValueError):  # too large
            self._pages[url, digest] = parsed, size

    def discard(self, url: str, digest: bytes) -> None:
        """Remove a parsed page, if it is cached."""
        with self._lock:
            self._pages.pop((url, digest), None)
