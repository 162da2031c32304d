"""A store that goes on from memory while its place is away, and comes back to it later."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeVar

from templex_scrapy.stores.counts import StoreCounts
from templex_scrapy.stores.edits import Save
from templex_scrapy.stores.errors import RecordError, StoreUnavailableError
from templex_scrapy.stores.memory import MemoryBackend
from templex_scrapy.stores.pending import Pending
from templex_scrapy.stores.protocol import Aside, Backend, Edit, Outcome, Row, Use
from templex_scrapy.stores.wire import decode_head

logger = logging.getLogger(__name__)

_T = TypeVar("_T")


class Breaker:
    """Keeps from asking again and again what does not answer: after each failure for longer.

    Args:
        clock: the time in seconds, never going back.
        first: seconds after the first failure.
        longest: seconds at most.
    """

    def __init__(self, clock: Callable[[], float], first: float = 1.0, longest: float = 60.0) -> None:
        self._clock = clock
        self._first = first
        self._longest = longest
        self._delay = 0.0
        self._until = 0.0

    @property
    def is_broken(self) -> bool:
        """Whether the last try failed."""
        return self._delay > 0

    @property
    def is_open(self) -> bool:
        """Whether it is too early for another try."""
        return self.is_broken and self._clock() < self._until

    def failed(self) -> None:
        """Note that a try failed."""
        self._delay = min(self._delay * 2, self._longest) if self._delay else self._first
        self._until = self._clock() + self._delay

    def worked(self) -> None:
        """Note that a try worked."""
        self._delay = 0.0


class ResilientBackend:
    """Puts memory in front of a backend; see :class:`templex_scrapy.stores.protocol.Backend`.

    What was read stays in memory. While the backend is away reads are served from there, and changes wait within a
    bound; when it is back they are made as they would have been made then: merged with what others have stored. Sites
    of which it has nothing any more, as a server without a disk after a restart, get back what is in memory. While it
    can be read and not written to, as a read-only file or a full disk, it is read. A use whose answer was lost may be
    counted twice. Leases taken meanwhile bind this process alone.

    Args:
        backend: the backend.
        memory: where to keep what was read.
        counts: what to count with.
        max_pending: bytes of changes that wait, at most; beyond them the oldest are lost.
        clock: the time in seconds, never going back.
    """

    def __init__(
        self,
        backend: Backend,
        memory: MemoryBackend,
        counts: StoreCounts,
        *,
        max_pending: int = 16_000_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._backend = backend
        self._memory = memory
        self._counts = counts
        self._pending = Pending(max_pending)
        self._reading = Breaker(clock)
        self._writing = Breaker(clock)
        self._was_away = False

    def __repr__(self) -> str:
        return repr(self._backend)

    def read(self, site: str) -> dict[str, Row]:
        """All rows of a site by key, those included that wait to be written."""
        self._flush_if_due()
        try:
            rows = self._read(lambda: self._backend.read(site))
        except StoreUnavailableError:
            rows = self._memory.read(site)
        else:
            if rows or not self._was_away:
                self._memory.replace(site, rows)
            else:
                rows = self._memory.read(site)  # it may have lost all it had, and not yet got it back
        return self._pending.over(site, rows)

    def heads(self, site: str) -> dict[str, Row]:
        """The same without bodies."""
        self._flush_if_due()
        return self._heads(site)

    def change(self, site: str, edit: Edit) -> Outcome:
        """Change the rows of a site, or remember to."""
        try:
            outcome = self._write(lambda: self._backend.change(site, edit))
        except StoreUnavailableError:
            change = edit(self._heads(site))
            if not change.is_empty:
                self._counts.failed += 1
                self._note(self._pending.add_edit(site, edit))
            return Outcome(change, None)
        self._memory.change(site, edit)
        return outcome

    def used(self, site: str, uses: Mapping[str, Use]) -> None:
        """Add to the counts of rows, or remember to."""
        try:
            self._write(lambda: self._backend.used(site, uses))
        except StoreUnavailableError:
            self._counts.failed += 1
            self._note(self._pending.add_uses(site, uses))
        else:
            self._memory.used(site, uses)

    def sites(self) -> list[str]:
        """The sites that are known to have rows, sorted."""
        try:
            names = self._read(self._backend.sites)
        except StoreUnavailableError:
            names = self._memory.sites()
        waiting = self._pending.sites()
        return sorted({*names, *waiting} - {name for name in waiting if not self._heads(name)})

    def version(self, site: str) -> int | None:
        """A number that grows by 1 with each change of a site; None while that is not known."""
        self._flush_if_due()
        try:
            return self._read(lambda: self._backend.version(site))
        except StoreUnavailableError:
            return None

    def lease(self, site: str, owner: str, seconds: float) -> bool:
        """Take or renew the lease of a site; always granted while nobody can be asked."""
        try:
            return self._write(lambda: self._backend.lease(site, owner, seconds))
        except StoreUnavailableError:
            return self._memory.lease(site, owner, seconds)

    def release(self, site: str, owner: str) -> None:
        """Give up the lease of a site, if it is the owner's."""
        self._memory.release(site, owner)
        try:
            self._write(lambda: self._backend.release(site, owner))
        except StoreUnavailableError as error:
            logger.debug("The lease of %s is left to expire: %s", site, error)

    def asides(self) -> list[Aside]:
        """The records that were set aside, the oldest first."""
        try:
            return self._read(self._backend.asides)
        except StoreUnavailableError:
            return self._memory.asides()

    def close(self) -> None:
        """Try once more to write what waits, and let go of files and connections."""
        try:
            self._flush()
        except StoreUnavailableError as error:
            self._counts.errors += 1
            self._counts.lost += len(self._pending)
            logger.warning("Changes of templates that could not be stored: %d (%s)", len(self._pending), error)
        try:
            self._backend.close()
        except StoreUnavailableError as error:
            logger.debug("%s", error)

    def _heads(self, site: str) -> dict[str, Row]:
        try:
            rows = self._read(lambda: self._backend.heads(site))
        except StoreUnavailableError:
            rows = self._memory.heads(site)
        else:
            if not rows and self._was_away:
                rows = self._memory.heads(site)
        return self._pending.over(site, rows)

    def _read(self, work: Callable[[], _T]) -> _T:
        return self._through(self._reading, work)

    def _write(self, work: Callable[[], _T]) -> _T:
        def flush_and_work() -> _T:
            self._flush()
            return work()

        return self._through(self._writing, flush_and_work)

    def _flush_if_due(self) -> None:
        if (self._pending or self._was_away) and not self._writing.is_open:
            try:
                self._through(self._writing, self._flush)
            except StoreUnavailableError as error:
                logger.debug("%d changes still wait: %s", len(self._pending), error)

    def _flush(self) -> None:
        if self._was_away:
            self._restore()
            self._was_away = False
        try:
            while self._pending:
                site, entry, key = self._pending.first()
                if isinstance(entry, Use):
                    uses = {str(key): entry}
                    self._backend.used(site, uses)
                    self._memory.used(site, uses)
                else:
                    self._backend.change(site, entry)
                    self._memory.change(site, entry)
                self._pending.remove_first()
        finally:
            self._counts.pending = len(self._pending)

    def _restore(self) -> None:
        for site in self._memory.sites():
            if not self._backend.version(site):
                for key, row in self._memory.read(site).items():
                    # what cannot be read is none of ours to spread
                    with suppress(RecordError):
                        self._backend.change(site, Save(decode_head(row.head, site, key), row, sys.maxsize))

    def _note(self, lost: int) -> None:
        self._counts.lost += lost
        self._counts.pending = len(self._pending)

    def _through(self, breaker: Breaker, work: Callable[[], _T]) -> _T:
        if breaker.is_open:
            raise StoreUnavailableError(f"{self._backend!r} is not asked again yet")
        try:
            result = work()
        except StoreUnavailableError as error:
            self._counts.errors += 1
            if not (self._reading.is_broken or self._writing.is_broken):
                self._counts.outages += 1
                logger.warning("The crawl goes on with templates in memory: %s", error)
            breaker.failed()
            self._was_away = True
            raise
        if breaker.is_broken:
            breaker.worked()
            if not (self._reading.is_broken or self._writing.is_broken):
                logger.info("%r is back", self._backend)
        return result
