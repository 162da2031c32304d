"""What a place has to offer in which templates are kept: bytes by site and key, changed one site at a time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

MAX_SET_ASIDE = 100
"""Records set aside that are kept, the newest ones."""

MAX_COUNT = (1 << 53) - 1
"""Pages that are counted, at most: beyond that not every number is a double, as which Redis's scripts count."""


@dataclass(frozen=True, slots=True)
class Row:
    """What is kept under a key; nobody has checked the bytes.

    Attributes:
        head: bytes of the head.
        body: bytes of the body. None in a row that is read: not asked for; in one that is put: as it was.
        served: pages that the template has fitted, from 0 to ``MAX_COUNT``. Counts only in rows that are put where none
            was.
        last_used: when it last fitted one, in microseconds from 1970 on; None for never. As ``served``.
    """

    head: bytes
    body: bytes | None
    served: int = 0
    last_used: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be changed in the rows of a site: first set aside, then dropped, then put.

    Attributes:
        put: rows to write, by key; where one is there, it keeps its counts.
        drop: keys whose rows go.
        aside: keys whose rows go, but are kept where records are set aside, and why.
    """

    put: Mapping[str, Row] = field(default_factory=dict)
    drop: frozenset[str] = frozenset()
    aside: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is to be changed."""
        return not self.put and not self.drop and not self.aside

    def applied(self, rows: Mapping[str, Row]) -> dict[str, Row]:
        """The rows afterwards."""
        kept = {key: row for key, row in rows.items() if key not in self.drop and key not in self.aside}
        for key, row in self.put.items():
            old = kept.get(key)
            if old is not None:
                body = old.body if row.body is None else row.body
                kept[key] = Row(row.head, body, old.served, old.last_used)
            else:
                kept[key] = row
        return kept


class Edit(Protocol):
    """Decides on a change, given what is there; may be asked more than once, so it has no effect of its own."""

    @property
    def key(self) -> str | None:
        """The only key that it puts, drops or sets aside on purpose; None for all of the site."""

    def __call__(self, rows: Mapping[str, Row]) -> Change:
        """The change to make to a site with these rows, whose bodies may be left out."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A change that was made.

    Attributes:
        change: the change.
        version: the site's version since then; None if that is not known.
    """

    change: Change
    version: int | None


@dataclass(frozen=True, slots=True)
class Use:
    """That a template has fitted pages.

    Attributes:
        times: how many, from 1 to ``MAX_COUNT``.
        last: when the last of them, in microseconds from 1970 on.
    """

    times: int
    last: int


@dataclass(frozen=True, slots=True)
class Aside:
    """A record that was set aside.

    Attributes:
        site: its site.
        key: its key.
        why: what was wrong with it.
        at: when it was set aside, in microseconds from 1970 on.
        head: its head, as it was found.
        body: its body, as it was found.
    """

    site: str
    key: str
    why: str
    at: int
    head: bytes
    body: bytes


class Backend(Protocol):
    """A place in which templates are kept: memory, an SQLite file, a Redis server.

    Sites, keys and owners are strings without surrogates. All methods may raise ``StoreUnavailableError``, quickly,
    and nothing else whatever they find. One thread at a time uses a backend; any number of processes may use
    the same place. Nothing is connected or written before the first call.
    """

    def read(self, site: str) -> dict[str, Row]:
        """All rows of a site by key, as they were at one moment."""

    def heads(self, site: str) -> dict[str, Row]:
        """The same without bodies."""

    def change(self, site: str, edit: Edit) -> Outcome:
        """Change the rows of a site as nobody else does meanwhile."""

    def used(self, site: str, uses: Mapping[str, Use]) -> None:
        """Add to the counts of rows, by key; what is not there is left out. The version stays."""

    def sites(self) -> list[str]:
        """The sites that have rows, sorted."""

    def version(self, site: str) -> int | None:
        """A number that grows by 1 with each change of a site; 0 for a site without rows, None if not known now."""

    def lease(self, site: str, owner: str, seconds: float) -> bool:
        """Take or renew the lease of a site for so long, above 0; False if somebody else has it."""

    def release(self, site: str, owner: str) -> None:
        """Give up the lease of a site, if it is the owner's."""

    def asides(self) -> list[Aside]:
        """The records that were set aside, the oldest first; the newest ``MAX_SET_ASIDE`` are kept."""

    def close(self) -> None:
        """Let go of files and connections."""


def first_version() -> int:
    """The version of a site that has none yet: greater than any that it had before it was forgotten."""
    return time.time_ns() // 1000


def as_count(value: object) -> int:
    """A count that was read; 0 for what is none."""
    return value if isinstance(value, int) and 0 < value <= MAX_COUNT else 0


def total(*counts: int) -> int:
    """Counts taken together, as far as there are numbers for them."""
    return min(sum(counts), MAX_COUNT)


def as_ticks(value: object) -> int | None:
    """A time that was read, in microseconds from 1970 on; None for what is none."""
    return value if isinstance(value, int) and 0 < value <= MAX_COUNT else None
