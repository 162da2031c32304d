"""The changes that a store makes to what it has of a site; the same wherever it is kept."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from templex_scrapy.stores.errors import RecordError
from templex_scrapy.stores.protocol import Change, Row
from templex_scrapy.stores.record import Head, ticks
from templex_scrapy.stores.wire import decode_head, encode_head, merge


@dataclass(frozen=True)
class Save:
    """Put a template, merged with what is there under its key, and drop the least useful ones beyond a number.

    Attributes:
        head: its head.
        row: the row that it makes where none is there.
        limit: templates kept for the site, at least 1.
    """

    head: Head
    row: Row
    limit: int

    @property
    def key(self) -> str:
        """The template's key."""
        return self.head.key

    def __call__(self, rows: Mapping[str, Row]) -> Change:
        """The change to make to a site with these rows."""
        aside: dict[str, str] = {}
        put = {self.key: self.row}
        if self.key in rows:
            try:
                put = self._merged(decode_head(rows[self.key].head, self.head.site, self.key))
            except RecordError as error:
                aside[self.key] = str(error)
        after = Change(put, aside=aside).applied(rows)
        drop = _surplus(self.head.site, after, self.limit, self.key)
        return Change({key: row for key, row in put.items() if key not in drop}, drop & rows.keys(), aside)

    def _merged(self, known: Head) -> dict[str, Row]:
        merged = merge(known, self.head)
        if merged == known:
            return {}
        body = None if merged.digest == known.digest else self.row.body
        return {self.key: Row(encode_head(merged), body)}

    def after(self, earlier: Save) -> Save:
        """One edit for both."""
        merged = merge(earlier.head, self.head)
        body = self.row.body if merged.digest == self.head.digest else earlier.row.body
        return Save(merged, Row(encode_head(merged), body, earlier.row.served, earlier.row.last_used), self.limit)


@dataclass(frozen=True)
class Forget:
    """Drop a template, or all of the site.

    Attributes:
        key: its key; None for all of them.
    """

    key: str | None

    def __call__(self, rows: Mapping[str, Row]) -> Change:
        """The change to make to a site with these rows."""
        return Change(drop=frozenset(key for key in rows if self.key is None or key == self.key))


@dataclass(frozen=True)
class SetAside:
    """Set a record aside, if it is still the one that was found wanting.

    Attributes:
        key: its key.
        head: its head.
        why: what is wrong with it.
    """

    key: str
    head: bytes
    why: str

    def __call__(self, rows: Mapping[str, Row]) -> Change:
        """The change to make to a site with these rows."""
        row = rows.get(self.key)
        return Change(aside={self.key: self.why}) if row is not None and row.head == self.head else Change()


def most_useful(site: str, rows: Mapping[str, Row]) -> list[str]:
    """Keys of the templates of a site: those that serve before the retired ones, then the most recently used first.

    Last come those of heads that cannot be read.
    """
    readable = _ranked(site, rows)
    return [*readable, *sorted(rows.keys() - set(readable))]


def _surplus(site: str, rows: Mapping[str, Row], limit: int, saved: str) -> frozenset[str]:
    """Keys of the least useful templates beyond a number; what was saved just now comes before its equals."""
    if len(rows) <= limit:
        return frozenset()
    # what cannot be read is not lost for that: a later version looks after it, or it is set aside when it is loaded
    return frozenset(_ranked(site, rows, saved)[limit:])


def _ranked(site: str, rows: Mapping[str, Row], saved: str | None = None) -> list[str]:
    use: dict[str, tuple[bool, bool, int, str]] = {}
    for key, row in rows.items():
        with suppress(RecordError):
            head = decode_head(row.head, site, key)
            use[key] = (head.retired is None, key == saved, max(row.last_used or 0, ticks(head.updated)), key)
    return sorted(use, key=use.__getitem__, reverse=True)
