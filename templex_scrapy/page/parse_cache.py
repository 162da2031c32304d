"""What was read off pages lately, so that a page that comes again is not parsed again.

A crawl meets most pages of a small site several times: as a candidate of a search, as the spider's own page, as one
that waited for a template, and when it joins the voters. Its tree weighs too much to wait for that; what is read off
the tree weighs a tenth of it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from sys import getsizeof
from typing import TYPE_CHECKING

from templex_scrapy.page.nodes import NodeArrays

if TYPE_CHECKING:
    from templex_scrapy.page.node_values import NodeValues
    from templex_scrapy.page.page import Page

# what a node takes beside its words and its start tag
_NODE_BYTES = 250


class ParsedPage:
    """What is read off a page's tree, and stays when the tree goes.

    Attributes:
        arrays: its nodes.
        base: the ``href`` of its first ``base`` that has one; None if there is none.
        facts: what its nodes say; None until :func:`templex_scrapy.page.node_values.values_of` is asked.
        size: bytes that it takes, roughly.
    """

    __slots__ = ("arrays", "base", "node_values", "size")

    def __init__(self, arrays: NodeArrays, base: str | None) -> None:
        self.arrays = arrays
        self.base = base
        self.node_values: NodeValues | None = None
        # a page of few nodes may be a text, or a picture in an attribute, of megabytes
        words = sum(map(getsizeof, filter(None, arrays.texts))) + sum(map(getsizeof, set(arrays.tag_strings)))
        self.size = _NODE_BYTES * len(arrays.tag_strings) + words


class ParseCache:
    """The parse_cache of the pages that came last, by address and source; may be used in several threads.

    Args:
        max_bytes: bound of their sizes together, at least 0; those that were used longest ago go first.

    Attributes:
        bytes: their sizes together.
        most_bytes: the most that these have been.
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.bytes = 0
        self.most_bytes = 0
        self._known: OrderedDict[tuple[str, bytes], ParsedPage] = OrderedDict()
        self._lock = threading.Lock()

    def recall(self, page: Page) -> ParsedPage | None:
        """What was read off the same source at the same address; None if that is not known."""
        key = page.url, page.digest
        with self._lock:
            reading = self._known.get(key)
            if reading is not None:
                self._known.move_to_end(key)
            return reading

    def keep(self, page: Page, reading: ParsedPage) -> None:
        """Keep what was read off a page."""
        if reading.size > self.max_bytes:
            return
        key = page.url, page.digest
        with self._lock:
            before = self._known.pop(key, None)
            self.bytes += reading.size - (before.size if before is not None else 0)
            self._known[key] = reading
            while self.bytes > self.max_bytes:
                self.bytes -= self._known.popitem(last=False)[1].size
            self.most_bytes = max(self.most_bytes, self.bytes)
