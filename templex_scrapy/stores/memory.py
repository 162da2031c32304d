"""Templates in memory, as long as the process lives."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping

from templex_scrapy.stores.counts import StoreCounts
from templex_scrapy.stores.protocol import MAX_SET_ASIDE, Aside, Edit, Outcome, Row, Use, first_version, total


class MemoryBackend:
    """Keeps templates in memory, compressed; see :class:`templex_scrapy.stores.protocol.Backend`.

    Args:
        max_bytes: bytes of heads and bodies kept, at least 0. Beyond them the sites that were not asked for for longest
            are forgotten, but not the last one.
        counts: what to count with: the bytes kept, and the sites forgotten.
        clock: the time in seconds, from whenever on, never going back; leases expire by it.
    """

    def __init__(
        self,
        max_bytes: int = 64_000_000,
        counts: StoreCounts | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._counts = counts or StoreCounts()
        self._max_bytes = max_bytes
        self._clock = clock
        self._sites: OrderedDict[str, dict[str, Row]] = OrderedDict()  # the least recently asked for first
        self._versions: dict[str, int] = {}
        self._leases: dict[str, tuple[str, float]] = {}
        self._asides: deque[Aside] = deque(maxlen=MAX_SET_ASIDE)

    def read(self, site: str) -> dict[str, Row]:
        """All rows of a site by key."""
        if site in self._sites:
            self._sites.move_to_end(site)
        return dict(self._sites.get(site, {}))

    def heads(self, site: str) -> dict[str, Row]:
        """The same without bodies."""
        rows = self._sites.get(site, {})
        return {key: Row(row.head, None, row.served, row.last_used) for key, row in rows.items()}

    def change(self, site: str, edit: Edit) -> Outcome:
        """Change the rows of a site."""
        rows = self._sites.get(site, {})
        change = edit(rows)
        if not change.is_empty:
            for key, why in change.aside.items():
                row = rows[key]
                at = time.time_ns() // 1000
                self._asides.append(Aside(site, key, why, at, row.head, row.body or b""))
            self.replace(site, change.applied(rows))
        return Outcome(change, self.version(site))

    def replace(self, site: str, rows: Mapping[str, Row]) -> None:
        """Put these rows in the place of all that a site has."""
        self._counts.memory += _size(rows) - _size(self._sites.pop(site, {}))
        if not rows:
            self._versions.pop(site, None)
            return
        self._sites[site] = dict(rows)
        self._versions[site] = self._versions.get(site, first_version()) + 1
        while self._counts.memory > self._max_bytes and len(self._sites) > 1:
            oldest, surplus = self._sites.popitem(last=False)
            del self._versions[oldest]
            self._counts.memory -= _size(surplus)
            self._counts.evicted += 1

    def used(self, site: str, uses: Mapping[str, Use]) -> None:
        """Add to the counts of rows, by key."""
        rows = self._sites.get(site, {})
        for key in uses.keys() & rows.keys():
            row, use = rows[key], uses[key]
            rows[key] = Row(row.head, row.body, total(row.served, use.times), max(row.last_used or 0, use.last))

    def sites(self) -> list[str]:
        """The sites that have rows, sorted."""
        return sorted(self._sites)

    def version(self, site: str) -> int:
        """A number that grows by 1 with each change of a site; 0 for a site without rows."""
        return self._versions.get(site, 0)

    def lease(self, site: str, owner: str, seconds: float) -> bool:
        """Take or renew the lease of a site."""
        now = self._clock()
        if site in self._leases and self._leases[site][1] > now and self._leases[site][0] != owner:
            return False
        self._leases = {name: lease for name, lease in self._leases.items() if lease[1] > now}
        self._leases[site] = (owner, now + seconds)
        return True

    def release(self, site: str, owner: str) -> None:
        """Give up the lease of a site, if it is the owner's."""
        if site in self._leases and self._leases[site][0] == owner:
            del self._leases[site]

    def asides(self) -> list[Aside]:
        """The records that were set aside, the oldest first."""
        return list(self._asides)

    def close(self) -> None:
        """Nothing to let go of."""


def _size(rows: Mapping[str, Row]) -> int:
    return sum(len(row.head) + len(row.body or b"") for row in rows.values())
