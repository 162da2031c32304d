"""The store of templates: what a crawl, or a person, asks for; wherever the templates are kept."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Self

from templex_scrapy.stores.counts import StoreCounts
from templex_scrapy.stores.edits import Forget, Save, SetAside, most_useful
from templex_scrapy.stores.errors import NewerRecordError, RecordError, StoreError, TemplateTooLargeError
from templex_scrapy.stores.protocol import Aside, Backend, Row, Use, total
from templex_scrapy.stores.record import Head, LeftOut, SiteInfo, StoredTemplate, TemplateInfo, from_ticks, ticks, utc
from templex_scrapy.stores.wire import MAX_HEAD, decode_body, decode_head, encode, encode_head

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class StoreLimits:
    """What a store may keep.

    Attributes:
        template_bytes: bytes of one template, in memory and before it is compressed, at most; at least 1. Those of real
            sites have some 10,000 to 140,000 before, of which a fifth is stored.
        templates: templates of one site that are kept and read, at most; at least 1. Beyond them those go that are
            retired, then those that have not been used for longest.
        memory_bytes: bytes of templates that are kept in memory, at most.
        pending_bytes: bytes of changes that wait while the place of the store is away, at most.

    Raises:
        ValueError: if a number is out of range.
    """

    template_bytes: int = 8_000_000
    templates: int = 30
    memory_bytes: int = 64_000_000
    pending_bytes: int = 16_000_000

    def __post_init__(self) -> None:
        for name, least in {"template_bytes": 1, "templates": 1, "memory_bytes": 0, "pending_bytes": 0}.items():
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)!r}: allowed are {least} and more")


class Store:
    """Keeps the templates of sites. Usually made by :func:`open_store`. Any thread may use it, one at a time works.

    Workers that share a store share what they learn: ``version`` tells one cheaply whether another has changed
    something, and a lease keeps two from learning the same. A worker that has got the lease loads once more, since
    another may just have finished, and only then begins.

    Where it comes from :func:`open_store` for a crawl, nothing that happens to the place of the store raises an error;
    otherwise every method may raise ``StoreUnavailableError``.

    Args:
        backend: where the templates are kept.
        limits: what may be kept.
        counts: what to count with.
        sets_aside: whether records that cannot be read are set aside; otherwise they are passed over.

    Attributes:
        limits: what may be kept.
        counts: what was done so far.
    """

    def __init__(
        self,
        backend: Backend,
        limits: StoreLimits | None = None,
        counts: StoreCounts | None = None,
        *,
        sets_aside: bool = True,
    ) -> None:
        self.limits = limits or StoreLimits()
        self.counts = counts or StoreCounts()
        self._backend = backend
        self._sets_aside = sets_aside
        self._turn = threading.Lock()
        self._warned: set[type[StoreError]] = set()

    def __repr__(self) -> str:
        return f"<Store in {self._backend!r}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def load(self, site: str) -> list[StoredTemplate]:
        """The templates of a site, also the retired ones, the most recently used or changed first.

        Records that cannot be read are set aside, those of a later version and those that are too large passed over,
        with a warning at the first. No more records than ``limits.templates`` are looked into, the most useful first.
        """
        found, _ = self.load_telling(site)
        return found

    def load_telling(self, site: str) -> tuple[list[StoredTemplate], list[LeftOut]]:
        """The same, and which records of the site are not among them."""
        site = _plain(site)
        found: list[StoredTemplate] = []
        with self._turn:
            rows = self._backend.read(site)
            keys = most_useful(site, rows)
            surplus = keys[self.limits.templates :]
            left_out = [LeftOut(site, key, f"beyond the {self.limits.templates:,} that are read") for key in surplus]
            for key in keys[: self.limits.templates]:
                try:
                    found.append(self._stored(site, key, rows[key]))
                except (RecordError, TemplateTooLargeError) as error:
                    self._refuse(site, key, rows[key], error)
                    left_out.append(LeftOut(site, key, str(error)))
            self.counts.loaded += len(found)
        found.sort(key=lambda one: (-ticks(max(one.last_used or one.updated, one.updated)), one.key))
        return found, sorted(left_out, key=lambda one: one.key)

    def save(self, site: str, template: StoredTemplate) -> int | None:
        """Store a template; where one is stored under its key, what results is the same in whatever order they come.

        The one learnt later wins, then the one updated later, then the one of more pages; a retired one stays retired
        unless it was learnt after that. The counts that are there stay; see :meth:`used`.

        Returns:
            The site's version. If it is the last version known plus 1 (or the same, where nothing was to be changed),
            nobody else has changed anything meanwhile. None if the change waits to be made.

        Raises:
            TemplateTooLargeError: if it takes more than ``limits.template_bytes``; nothing is stored.
        """
        try:
            edit = self._save(_plain(site), template)
        except TemplateTooLargeError:
            with self._turn:
                self.counts.refused += 1
            raise
        with self._turn:
            outcome = self._backend.change(edit.head.site, edit)
            self.counts.saved += 1
        return outcome.version

    def _save(self, site: str, template: StoredTemplate) -> Save:
        head, body = encode(site, template)
        raw = encode_head(head)
        if len(raw) > MAX_HEAD // 2:
            raise TemplateTooLargeError(f"{template.template!r} has {len(raw):,} bytes of addresses and notes")
        self._check_size(len(raw) + head.inflated)
        last_used = None if template.last_used is None else ticks(template.last_used)
        return Save(head, Row(raw, body, total(max(template.served, 0)), last_used), self.limits.templates)

    def learnt_anew(self, site: str, template: StoredTemplate) -> StoredTemplate:
        """A template that has just been learnt, dated so that it serves although one of its key may be retired."""
        site = _plain(site)
        with self._turn:
            row = self._backend.heads(site).get(template.key)
        head = None if row is None else _readable(site, template.key, row)
        return template.after(None if head is None else head.retired)

    def used(self, site: str, times: Mapping[str, int], when: datetime) -> None:
        """Add to how often templates have fitted pages; the version stays. Meant for once in a while, not each page.

        Args:
            site: the site.
            times: how many pages, by key; what is not above 0, or not stored, does not count.
            when: when the last of them was, with a time zone.
        """
        last = ticks(utc(when))
        uses = {_plain(key): Use(total(number), last) for key, number in times.items() if number > 0}
        if uses:
            with self._turn:
                self._backend.used(_plain(site), uses)

    def forget(self, site: str, key: str | None = None) -> int:
        """Remove a template of a site, or all of them; returns how many there were."""
        site = _plain(site)
        with self._turn:
            return len(self._backend.change(site, Forget(None if key is None else _plain(key))).change.drop)

    def describe(self, site: str) -> list[TemplateInfo]:
        """What is known about the templates of a site without reading them, by key; leaves out what cannot be read."""
        found, _ = self.describe_telling(site)
        return found

    def describe_telling(self, site: str) -> tuple[list[TemplateInfo], list[LeftOut]]:
        """The same, and which records of the site are not among them; damage behind a head is not seen."""
        site = _plain(site)
        with self._turn:
            rows = self._backend.heads(site)
        found: list[TemplateInfo] = []
        left_out: list[LeftOut] = []
        for key, row in sorted(rows.items()):
            try:
                head = decode_head(row.head, site, key)
            except RecordError as error:
                left_out.append(LeftOut(site, key, str(error)))
            else:
                found.append(TemplateInfo(head=head, served=row.served, last_used=from_ticks(row.last_used)))
        return found, left_out

    def sites(self) -> Iterator[SiteInfo]:
        """The sites in order, with what is known about them; reads no template."""
        with self._turn:
            names = self._backend.sites()
        for name in names:
            found = self.describe(name)
            retired = sum(info.head.retired is not None for info in found)
            yield SiteInfo(
                site=name,
                templates=len(found) - retired,
                retired=retired,
                served=sum(info.served for info in found),
                last_used=max((info.last_used for info in found if info.last_used), default=None),
                size=sum(info.head.size for info in found),
            )

    def set_aside(self) -> list[Aside]:
        """The records that were set aside, the oldest first; the newest 100 are kept."""
        with self._turn:
            return self._backend.asides()

    def lease(self, site: str, owner: str, seconds: float) -> bool:
        """Take the lease of a site, or renew it: nobody else gets it until it is released or the time is over.

        Args:
            site: the site, or whatever else names the work that is to be done once.
            owner: who takes it; no two workers have the same.
            seconds: for how long, above 0 and finite.

        Returns:
            Whether it is the owner's now.

        Raises:
            ValueError: if it is for no such time.
        """
        if not 0 < seconds < math.inf:
            raise ValueError(f"a lease of {seconds!r} seconds: allowed is above 0, and not for ever")
        with self._turn:
            return self._backend.lease(_plain(site), _plain(owner), seconds)

    def release(self, site: str, owner: str) -> None:
        """Give up the lease of a site; nothing happens if it is not the owner's."""
        with self._turn:
            self._backend.release(_plain(site), _plain(owner))

    def version(self, site: str) -> int | None:
        """A number that grows by 1 with each change of the site's templates, by whomever; uses do not count.

        Returns:
            0 for a site without templates; None if it is not known now: then what was loaded stays right.
        """
        with self._turn:
            return self._backend.version(_plain(site))

    def close(self) -> None:
        """Write what waits, and let go of files and connections."""
        with self._turn:
            self._backend.close()

    def _stored(self, site: str, key: str, row: Row) -> StoredTemplate:
        head = decode_head(row.head, site, key)
        # what is small here may be large once it is decompressed, and larger still in memory
        self._check_size(len(row.head) + head.inflated)
        template = decode_body(head, row.body or b"")
        self._check_size(template.bytes)
        return StoredTemplate(
            key=key,
            template=template,
            learnt=head.learnt,
            updated=head.updated,
            kind=head.kind,
            notes=head.notes,
            retired=head.retired,
            served=row.served,
            last_used=from_ticks(row.last_used),
        )

    def _check_size(self, size: int) -> None:
        if size > self.limits.template_bytes:
            raise TemplateTooLargeError(f"a template of {size:,} bytes; {self.limits.template_bytes:,} are allowed")

    def _refuse(self, site: str, key: str, row: Row, error: StoreError) -> None:
        level = logging.DEBUG if type(error) in self._warned else logging.WARNING
        self._warned.add(type(error))
        if isinstance(error, NewerRecordError | TemplateTooLargeError):
            # workers of that version, or with other limits, may be using it
            self.counts.newer += isinstance(error, NewerRecordError)
            self.counts.refused += isinstance(error, TemplateTooLargeError)
            what = "passed over, and left where it is"
        elif not self._sets_aside:
            what = "passed over"
        else:
            self.counts.set_aside += 1
            self._backend.change(site, SetAside(key, row.head, str(error)))
            what = "set aside"
        logger.log(level, "A stored template of %s (%s) is %s: %s", site, key, what, error)


def _readable(site: str, key: str, row: Row) -> Head | None:
    try:
        return decode_head(row.head, site, key)
    except RecordError:
        return None


def _plain(name: str) -> str:
    """A name that every place can keep: without surrogates."""
    return name.encode("utf-8", "backslashreplace").decode()
